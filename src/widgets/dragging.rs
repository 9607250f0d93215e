//! Parts of a row or a column change places under the pointer.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::EventListenerOptions;
use wasm_bindgen::JsCast;
use web_sys::{DomRect, Element};
use yew::prelude::*;

use crate::browser::dom::{capture, on_window_with, until_then};

/// A press that moves less is none of a drag, in css pixels.
const SLACK: f64 = 5.0;

/// Parts that lie side by side or one below the other.
#[derive(Clone, Copy)]
pub struct Track {
    /// What is pressed to drag a part, in css.
    pub grip: &'static str,
    /// The element whose children are the parts, in css.
    pub parts: &'static str,
    /// Where a part begins, in css pixels, along the direction in which the parts lie.
    pub begin: fn(&DomRect) -> f64,
    /// Where the pointer is in that direction, in css pixels.
    pub pointer: fn(&PointerEvent) -> f64,
}

/// A part that the pointer holds.
#[derive(Clone, Copy, PartialEq)]
struct Pressed {
    part: usize,
    /// Where it was pressed.
    at: f64,
    /// The part under the pointer, once it was moved.
    to: Option<usize>,
}

/// Which part is held, and what the others show of that.
#[derive(Clone)]
pub struct Dragging {
    track: Track,
    held: Rc<Cell<Option<Pressed>>>,
    /// Part and goal.
    shown: UseStateHandle<Option<(usize, usize)>>,
}

#[hook]
pub fn use_dragging(track: Track) -> Dragging {
    let held = use_memo((), |()| Cell::default());
    let shown = use_state_eq(|| None);
    let dragging = Dragging { track, held, shown };
    {
        let dragging = dragging.clone();
        // Escape leaves everything as it is.
        use_effect_with(dragging.shown.is_some(), move |drags| {
            let listener = drags.then(|| {
                let options = EventListenerOptions::run_in_capture_phase();
                on_window_with("keydown", options, move |event| {
                    if event.dyn_ref::<web_sys::KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                        event.stop_propagation();
                        dragging.let_go();
                    }
                })
            });
            until_then(listener)
        });
    }
    dragging
}

impl Dragging {
    /// What a part shows of the drag: it is taken away, or another one comes before or after it.
    pub fn class(&self, part: usize) -> Option<&'static str> {
        match *self.shown {
            Some((taken, _)) if taken == part => Some("taken"),
            Some((taken, to)) if to == part => Some(if to < taken { "drop-before" } else { "drop-after" }),
            _ => None,
        }
    }

    fn let_go(&self) -> Option<Pressed> {
        self.shown.set(None);
        self.held.take()
    }

    /// The pointer was pressed on the grip of a part.
    pub fn presses(&self, part: usize) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 || around(&event, ".menu-host").is_some() {
                return;
            }
            dragging.held.set(Some(Pressed { part, at: (dragging.track.pointer)(&event), to: None }));
            capture(around(&event, dragging.track.grip), &event);
        })
    }

    /// The pointer moved, which the grip is told of wherever that is.
    pub fn moves(&self) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |event: PointerEvent| {
            let Some(held) = dragging.held.get() else { return };
            let at = (dragging.track.pointer)(&event);
            if held.to.is_none() && (at - held.at).abs() < SLACK {
                return;
            }
            let to = dragging.part_at(&event, at).unwrap_or(held.part);
            dragging.held.set(Some(Pressed { to: Some(to), ..held }));
            dragging.shown.set(Some((held.part, to)));
        })
    }

    /// The pointer was released: the part goes to another place.
    pub fn releases(&self, moved: Callback<(usize, usize)>) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |_: PointerEvent| {
            let Some(Pressed { part, to: Some(to), .. }) = dragging.let_go() else { return };
            if to != part {
                moved.emit((part, to));
            }
        })
    }

    /// The system took the pointer away.
    pub fn loses(&self) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |_: PointerEvent| {
            dragging.let_go();
        })
    }

    /// The part at this place of the window, of those beside the grip that gets the pointer events.
    fn part_at(&self, event: &PointerEvent, at: f64) -> Option<usize> {
        let parts = around(event, self.track.parts)?.children();
        let rects = (0..parts.length()).filter_map(|number| Some(parts.item(number)?.get_bounding_client_rect()));
        let behind = rects.take_while(|rect| (self.track.begin)(rect) <= at).count();
        Some(behind.saturating_sub(1))
    }
}

/// The element of this kind that an event happened in.
fn around(event: &PointerEvent, css: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(css).ok().flatten()
}
