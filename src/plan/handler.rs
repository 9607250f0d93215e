use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use yew::prelude::*;

use crate::browser::canvas::Repaint;
use crate::context::hover::{Hover, Pointed, Side};
use crate::plan::paints::Paints;
use crate::plan::spot::Spot;
use crate::plan::tooltip::Tip;
use crate::plan::viewing::Picture;
use crate::present::state::Presenting;
use crate::shell::state::action::{Action, LearnAction, StepAction, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::step::state::offering::Offer;
use gloo_timers::callback::Timeout;
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_scene::{self as scene, Projection, Rect, Target, View};
use memplan_teach::exercise::packing::addresses;

/// A pointer held down: where it began and where it is.
#[derive(Clone, Copy)]
pub struct PressedPointer {
    from: (f64, f64),
    at: (f64, f64),
}

/// The gesture going on.
#[derive(Default)]
pub struct Gesture {
    pub held: HashMap<i32, PressedPointer>,
    moved: bool,
    /// Shift was down when it began: a rectangle to zoom to is being drawn.
    boxing: bool,
    /// The pointer went down on the axis of steps: it moves the cursor.
    scrubbing: bool,
    /// The buffer that is dragged, and how far above its offset it was taken, in bytes.
    dragged: Option<(BufferId, u64)>,
    /// A finger that rests opens the menu of the spot under it.
    pub resting: Option<Timeout>,
    pub hovered: Pointed,
    pub hovered_candidate: Option<u32>,
    /// The offered place that is pointed at.
    pub aimed: Option<Place>,
}

/// How far a pointer may move and still be a click, in px.
const CLICK: f64 = 4.0;

/// How long a finger rests before the menu of the spot opens, in milliseconds.
const REST: u32 = 500;

/// Handles gestures, keys and menus on the plan. Each render makes a new one with what it shows.
pub struct Handler {
    pub paints: Rc<Paints>,
    pub send: Callback<Action>,
    pub repaint_top: Repaint,
    pub hover: Rc<Hover>,
    pub gesture: Rc<RefCell<Gesture>>,
    pub tip: UseStateSetter<Option<Tip>>,
    pub pinned: bool,
    pub rubber: UseStateSetter<Option<Rect>>,
    pub single_keys: bool,
    /// The page is part of another one, which the wheel scrolls until the plan is clicked.
    pub embedded: bool,
    /// How the plan is presented, if it is.
    pub presenting: Option<Presenting>,
    pub selection: Option<BufferId>,
    /// What a place is asked for.
    pub offer: Option<Offer>,
    /// The axis of steps moves the cursor.
    pub has_cursor: bool,
    /// Step of the cursor.
    pub step: Option<u32>,
    /// Buffers can be dragged to other addresses: an exercise asks for it.
    pub packs: bool,
    pub spot: UseStateSetter<Option<Spot>>,
}

impl Handler {
    /// Changes the view and repaints.
    pub fn change(&self, change: impl FnOnce(View, &Picture) -> View) {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return };
        self.paints.viewing.choose(change(view, picture));
    }

    /// Goes to another view.
    pub fn go(&self, to: impl FnOnce(View, &Picture) -> View) {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return };
        self.paints.viewing.glide(to(view, picture), true);
    }

    pub fn fit(&self) {
        let Some(picture) = &self.paints.picture else { return };
        self.paints.viewing.show_all(picture);
    }

    pub fn zoom_to_buffer(&self, id: BufferId) {
        if let Some(picture) = &self.paints.picture {
            self.paints.viewing.show_buffer(picture, id);
        }
    }

    pub(super) fn hits(&self, at: (f64, f64)) -> Vec<Target> {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return Vec::new() };
        scene::hit(picture.under(&view), at)
    }

    pub fn hover(&self, at: Option<(f64, f64)>) {
        let hits = at.map(|at| self.hits(at)).unwrap_or_default();
        let buffer = hits.iter().find_map(|target| if let Target::Buffer(id) = target { Some(*id) } else { None });
        let candidate =
            hits.iter().find_map(|target| if let Target::Candidate(number) = target { Some(*number) } else { None });
        let step = hits.iter().find_map(|target| if let Target::Step(step) = target { Some(*step) } else { None });
        self.hover.point(Side::Plan, Pointed { buffer, step });
        // The pointer shows the column by itself.
        self.outline(Pointed { buffer, step: None }, candidate);
        self.aim(at);
        if !self.pinned && self.presenting.is_none() {
            self.tip.set(buffer.zip(at).map(|(buffer, at)| Tip { buffer, at, pinned: false }));
        }
    }

    /// Outlines what is pointed at, on the plan or in a list, on the topmost canvas alone.
    pub fn outline(&self, pointed: Pointed, candidate: Option<u32>) {
        {
            let mut gesture = self.gesture.borrow_mut();
            if gesture.hovered == pointed && gesture.hovered_candidate == candidate {
                return;
            }
            gesture.hovered = pointed;
            gesture.hovered_candidate = candidate;
        }
        {
            let mut marks = self.paints.marks.borrow_mut();
            marks.hovered = pointed.buffer;
            marks.hovered_step = pointed.step;
            marks.candidate = candidate;
        }
        self.paints.tell_hovered(pointed);
        let paints = self.paints.clone();
        self.repaint_top.ask(move || paints.top());
    }

    fn click(&self, at: (f64, f64)) {
        if let Some((offer, place)) = self.offer.as_ref().zip(self.place_at(at)) {
            return self.send.emit(offer.choose(place));
        }
        let hits = self.hits(at);
        if let Some(&Target::Folded(pool)) = hits.first() {
            return self.go(|_, picture| View::fit_pool(&picture.index, picture.size, &picture.style, pool));
        }
        let buffers: Vec<BufferId> = hits
            .into_iter()
            .filter_map(|target| if let Target::Buffer(id) = target { Some(id) } else { None })
            .collect();
        // Again on the same spot: the next one that lies there.
        let here = buffers.iter().position(|id| Some(*id) == self.selection);
        let picked = match here {
            Some(here) => buffers.get((here + 1) % buffers.len()).copied(),
            None => buffers.first().copied(),
        };
        self.send.emit(Action::Step(StepAction::Select(picked)));
        picked.into_iter().for_each(|buffer| self.send.emit(Action::Learn(LearnAction::Pick(buffer))));
    }

    /// Opens the menu of a spot, or of the selection where no spot is pointed at.
    pub fn open_menu(&self, at: Option<(f64, f64)>) {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return };
        // Without a spot it is the menu of the selection, wherever that is.
        let meant = self.selection.filter(|_| at.is_none());
        let Some(at) = at.or_else(|| self.place_of_selection()) else { return };
        let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
        let hits = self.hits(at);
        let has_addresses =
            |pool: PoolId| picture.run.plan.pools.get(pool).is_none_or(|pool| pool.role != PoolRole::Storage);
        let under = projection.y_to_address(at.1).filter(|(pool, _)| has_addresses(*pool));
        let in_plan = hits.iter().any(|target| matches!(target, Target::Step(_))) && projection.plot.contains(at);
        self.tip.set(None);
        self.spot.set(Some(Spot {
            at,
            buffers: meant
                .into_iter()
                .chain(hits.iter().filter_map(|target| match target {
                    Target::Buffer(id) if Some(*id) != meant => Some(*id),
                    _ => None,
                }))
                .collect(),
            address: under.map(|(_, address)| address).filter(|_| in_plan),
            step: hits.iter().find_map(|target| if let Target::Step(step) = target { Some(*step) } else { None }),
        }));
        // One that is open already moves here.
        self.send.emit(Action::View(ViewAction::CloseMenus));
        self.send.emit(Action::View(ViewAction::Overlay(Some(Overlay::Spot))));
    }

    /// The middle of the selected buffer as it is drawn; of the plan, when none is drawn.
    fn place_of_selection(&self) -> Option<(f64, f64)> {
        let (picture, view) = self.paints.picture.as_ref().zip(self.paints.view())?;
        let size = picture.size;
        let target = Target::Buffer(self.selection?);
        let bounds = scene::bounds(picture.under(&view), target);
        let middle = bounds.map(|rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0));
        Some(middle.unwrap_or((size.0 / 2.0, size.1 / 2.0)))
    }

    /// A finger that does not move for a while asks for the menu, as the other mouse button does.
    pub fn rest(&self, handler: &Rc<RefCell<Option<Handler>>>, at: (f64, f64)) {
        let handler = handler.clone();
        let resting = Timeout::new(REST, move || {
            if let Some(handler) = &*handler.borrow() {
                // Lifting the finger is no click any more.
                handler.gesture.borrow_mut().moved = true;
                handler.open_menu(Some(at));
            }
        });
        self.gesture.borrow_mut().resting = Some(resting);
    }

    pub fn down(&self, id: i32, at: (f64, f64), shift: bool) {
        let on_axis = self.has_cursor && self.hits(at).contains(&Target::AxisX);
        let taken = self.taken(at);
        let mut gesture = self.gesture.borrow_mut();
        if gesture.held.is_empty() {
            gesture.moved = false;
            gesture.boxing = shift;
            gesture.scrubbing = on_axis;
            gesture.dragged = taken;
        }
        let scrubs = gesture.scrubbing;
        gesture.held.insert(id, PressedPointer { from: at, at });
        drop(gesture);
        self.tip.set(None);
        if scrubs {
            self.scrub(at.0);
        }
    }

    pub fn moved(&self, id: i32, at: (f64, f64)) {
        let mut gesture = self.gesture.borrow_mut();
        let Some(held) = gesture.held.get(&id).copied() else {
            drop(gesture);
            return self.hover(Some(at));
        };
        if !gesture.moved && (at.0 - held.from.0).hypot(at.1 - held.from.1) < CLICK {
            return;
        }
        gesture.moved = true;
        gesture.resting = None;
        let others: Vec<PressedPointer> =
            gesture.held.iter().filter(|(other, _)| **other != id).map(|(_, held)| *held).collect();
        let (boxing, scrubs, dragged) = (gesture.boxing, gesture.scrubbing, gesture.dragged);
        let goes_on = held.at != held.from;
        gesture.held.insert(id, PressedPointer { at, ..held });
        drop(gesture);
        match others.first() {
            None if dragged.is_some() => dragged.into_iter().for_each(|taken| self.drag(taken, at, goes_on)),
            Some(other) => {
                let apart = |a: (f64, f64)| (a.0 - other.at.0).hypot(a.1 - other.at.1).max(1.0);
                let factor = apart(at) / apart(held.at);
                let middle = ((at.0 + other.at.0) / 2.0, (at.1 + other.at.1) / 2.0);
                self.change(|view, picture| view.zoom(&picture.index, picture.size, &picture.style, middle, factor));
            }
            None if scrubs => self.scrub(at.0),
            None if boxing => self.rubber.set(Some(Rect::between(held.from, at))),
            None => {
                let by = (at.0 - held.at.0, at.1 - held.at.1);
                self.change(|view, picture| view.pan(&picture.index, picture.size, &picture.style, by));
            }
        }
    }

    pub fn up(&self, id: i32) {
        let mut gesture = self.gesture.borrow_mut();
        let Some(held) = gesture.held.remove(&id) else { return };
        gesture.resting = None;
        let (moved, boxing) = (gesture.moved, gesture.boxing);
        let scrubbed = gesture.scrubbing;
        gesture.scrubbing &= !gesture.held.is_empty();
        drop(gesture);
        if scrubbed {
            return;
        }
        if !moved {
            self.click(held.at);
        } else if boxing {
            self.rubber.set(None);
            let rect = Rect::between(held.from, held.at);
            self.go(|view, picture| view.zoom_to(&picture.index, picture.size, &picture.style, rect));
        }
    }

    /// The buffer under a place that can be dragged, and how far above its offset that is.
    fn taken(&self, at: (f64, f64)) -> Option<(BufferId, u64)> {
        let picture = self.paints.picture.as_ref().filter(|_| self.packs)?;
        let hit =
            self.hits(at).into_iter().find_map(|target| if let Target::Buffer(id) = target { Some(id) } else { None });
        let offset = picture.frame.places[hit?]?.offset;
        Some((hit?, self.address(at.1)?.saturating_sub(offset)))
    }

    fn address(&self, y: f64) -> Option<u64> {
        let (picture, view) = self.paints.picture.as_ref().zip(self.paints.view())?;
        let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
        projection.y_to_address(y).map(|(_, address)| address)
    }

    /// Takes a buffer to the legal address that is nearest to the pointer.
    fn drag(&self, (buffer, above): (BufferId, u64), at: (f64, f64), goes_on: bool) {
        let Some(picture) = &self.paints.picture else { return };
        // Above the plot the arena grows.
        let pointed = self.address(at.1).unwrap_or(u64::MAX);
        let wanted = pointed.saturating_sub(above);
        let legal = addresses(&picture.run.problem, &picture.run.plan.places, buffer);
        if let Some(offset) = legal.into_iter().min_by_key(|offset| offset.abs_diff(wanted)) {
            self.send.emit(Action::Learn(LearnAction::Drag { buffer, offset, goes_on }));
        }
    }

    /// Moves the cursor to the step under `x`.
    fn scrub(&self, x: f64) {
        let Some((picture, view)) = self.paints.picture.as_ref().zip(self.paints.view()) else { return };
        let projection = Projection::new(&picture.index, &view, picture.size, &picture.style);
        let step = projection.step_at(x, &picture.index);
        if step.is_some() && step != self.step {
            self.send.emit(Action::Step(StepAction::Cursor(step)));
        }
    }
}
