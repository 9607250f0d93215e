//! Keys of the picture: they move the view, open the menu and select neighbours.

use crate::plan::handler::Handler;
use crate::plan::tooltip::Tip;
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::keys::Command;
use memplan_core::plan::PoolId;
use memplan_scene::{Projection, View};

impl Handler {
    /// Does what a key of the picture asks for; returns whether it did. In front of an audience the
    /// picture stays.
    pub fn key(&self, asked: Command) -> bool {
        const STEP: f64 = 60.0;
        let zoom = |factor: f64| {
            self.change(|view, picture| {
                let middle = (picture.size.0 / 2.0, picture.size.1 / 2.0);
                view.zoom(&picture.index, picture.size, &picture.style, middle, factor)
            });
        };
        let pan = |dx: f64, dy: f64| {
            self.change(|view, picture| view.pan(&picture.index, picture.size, &picture.style, (dx, dy)));
        };
        match asked {
            _ if self.presenting.is_some() => return false,
            Command::Menu => self.open_menu(None),
            Command::NeighbourLeft => self.neighbour(-1, 0),
            Command::NeighbourRight => self.neighbour(1, 0),
            Command::NeighbourUp => self.neighbour(0, 1),
            Command::NeighbourDown => self.neighbour(0, -1),
            _ if !self.single_keys => return false,
            Command::ZoomIn => zoom(1.25),
            Command::ZoomOut => zoom(0.8),
            Command::PanLeft => pan(STEP, 0.0),
            Command::PanRight => pan(-STEP, 0.0),
            Command::PanUp => pan(0.0, STEP),
            Command::PanDown => pan(0.0, -STEP),
            Command::FitAll => self.fit(),
            Command::FitPool => self.go(|_, picture| {
                let focus = picture.frame.focus.and_then(|focus| picture.frame.places[focus]);
                let pool = focus.map_or(PoolId(0), |place| place.pool);
                View::fit_pool(&picture.index, picture.size, &picture.style, pool)
            }),
            Command::FitSelection => self.selection.into_iter().for_each(|id| self.zoom_to_buffer(id)),
            Command::Pin => self.pin(),
            _ => return false,
        }
        true
    }

    /// Pins the facts of the selected buffer, or takes them away.
    fn pin(&self) {
        let picture = self.paints.picture.as_ref().zip(self.selection).zip(self.paints.view());
        let tip = picture.filter(|_| !self.pinned).and_then(|((picture, id), view)| {
            let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
            let buffer = &picture.run.problem.buffers[id];
            let place = picture.frame.places[id]?;
            let y = projection.address_to_y(place.pool, place.offset + buffer.size)?;
            Some(Tip { buffer: id, at: (projection.step_to_x(buffer.live.start as f64), y), pinned: true })
        });
        self.tip.set(tip);
    }

    /// Selects the nearest buffer in a direction: `time` and `address` are -1, 0 or 1.
    fn neighbour(&self, time: i64, address: i64) {
        let Some(picture) = &self.paints.picture else { return };
        let found = memplan_replay::neighbour(
            &picture.run,
            &picture.frame,
            self.selection.or(picture.frame.focus),
            time,
            address,
        );
        if found.is_some() {
            self.send.emit(Action::Step(StepAction::Select(found)));
        }
    }
}
