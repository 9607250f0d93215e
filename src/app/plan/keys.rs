//! Keys of the picture: they move the view, open the menu and select neighbours.

use yew::prelude::*;

use crate::app::plan::present::Present;
use crate::app::plan::tooltip::Tip;
use crate::app::state::action::{Action, StepAction};
use crate::plan::PoolId;
use crate::scene::{Projection, View};

impl Present {
    /// Keys of the picture. Movement keys go by their place on the keyboard.
    pub fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() {
            return false;
        }
        if event.key() == "ContextMenu" || (event.shift_key() && event.key() == "F10") {
            self.open_menu(None);
            return true;
        }
        if event.alt_key() {
            return match event.key().as_str() {
                "ArrowLeft" => self.neighbour(-1, 0),
                "ArrowRight" => self.neighbour(1, 0),
                "ArrowUp" => self.neighbour(0, 1),
                "ArrowDown" => self.neighbour(0, -1),
                _ => false,
            };
        }
        if !self.single_keys {
            return false;
        }
        const STEP: f64 = 60.0;
        let zoom = |factor: f64| {
            self.change(|view, picture| {
                let middle = (picture.size.0 / 2.0, picture.size.1 / 2.0);
                view.zoom(&picture.index, picture.size, &picture.style, middle, factor)
            });
            true
        };
        let pan = |dx: f64, dy: f64| {
            self.change(|view, picture| view.pan(&picture.index, picture.size, &picture.style, (dx, dy)));
            true
        };
        match event.code().as_str() {
            "KeyW" => return zoom(1.25),
            "KeyS" => return zoom(0.8),
            "KeyA" => return pan(STEP, 0.0),
            "KeyD" => return pan(-STEP, 0.0),
            "KeyR" => return pan(0.0, STEP),
            "KeyF" => return pan(0.0, -STEP),
            _ => {}
        }
        match event.key().as_str() {
            "+" | "=" => zoom(1.25),
            "-" => zoom(0.8),
            "0" => {
                self.fit();
                true
            }
            "9" => {
                self.go(|_, picture| {
                    let focus = picture.frame.focus.and_then(|focus| picture.frame.places[focus]);
                    let pool = focus.map_or(PoolId(0), |place| place.pool);
                    View::fit_pool(&picture.index, picture.size, &picture.style, pool)
                });
                true
            }
            "z" | "Z" => {
                self.selection.into_iter().for_each(|id| self.zoom_to_buffer(id));
                true
            }
            "i" | "I" => {
                let picture = self.paints.picture.as_ref().zip(self.selection).zip(self.paints.view());
                let tip = picture.filter(|_| !self.pinned).and_then(|((picture, id), view)| {
                    let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
                    let buffer = &picture.run.problem.buffers[id];
                    let place = picture.frame.places[id]?;
                    let y = projection.address_to_y(place.pool, place.offset + buffer.size)?;
                    Some(Tip { buffer: id, at: (projection.step_to_x(buffer.live.start as f64), y), pinned: true })
                });
                self.tip.set(tip);
                true
            }
            _ => false,
        }
    }

    /// Selects the nearest buffer in a direction: `time` and `address` are -1, 0 or 1.
    fn neighbour(&self, time: i64, address: i64) -> bool {
        let Some(picture) = &self.paints.picture else { return true };
        let found = crate::replay::neighbour(
            &picture.run,
            &picture.frame,
            self.selection.or(picture.frame.focus),
            time,
            address,
        );
        if found.is_some() {
            self.send.emit(Action::Step(StepAction::Select(found)));
        }
        true
    }
}
