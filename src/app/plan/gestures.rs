//! Pointer, wheel and keys on the plan: they change the view, hover, select.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

use crate::app::browser::dom::{capture, has_focus, is_field, on_window_with};
use crate::app::context::keys::command;
use crate::app::model::keys::Place;
use crate::app::plan::present::Present;

/// Sets the listeners of the topmost canvas for as long as it lives.
pub fn listen(top: &NodeRef, present: &Rc<RefCell<Option<Present>>>) -> Vec<EventListener> {
    let Some(canvas) = top.cast::<HtmlCanvasElement>() else { return Vec::new() };
    let options = EventListenerOptions::enable_prevent_default();
    let mut listeners = Vec::new();
    let mut on = |name: &'static str, handler: fn(&Present, &web_sys::Event, &HtmlElement)| {
        let (present, element) = (present.clone(), canvas.clone());
        listeners.push(EventListener::new_with_options(&canvas, name, options, move |event| {
            match &*present.borrow() {
                // In front of an audience nothing is moved or chosen by a slip of the hand.
                Some(Present { presenting: Some(presenting), .. })
                    if !presenting.highlight || !name.starts_with("pointer") =>
                {
                    event.prevent_default();
                }
                Some(present) => handler(present, event, &element),
                None => {}
            }
        }));
    };
    on("pointerdown", |present, event, canvas| {
        let first = event.dyn_ref::<PointerEvent>().filter(|event| event.button() == 0);
        let Some(event) = first.filter(|_| present.presenting.is_none()) else { return };
        capture(Some(canvas.clone().into()), event);
        present.down(event.pointer_id(), place_of(event, canvas), event.shift_key());
    });
    on("pointermove", |present, event, canvas| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            present.moved(event.pointer_id(), place_of(event, canvas));
        }
    });
    on("pointerup", |present, event, _| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            present.up(event.pointer_id());
        }
    });
    on("pointercancel", |present, _, _| {
        let mut gesture = present.gesture.borrow_mut();
        gesture.held.clear();
        gesture.resting = None;
        drop(gesture);
        present.rubber.set(None);
    });
    on("pointerleave", |present, _, _| present.hover(None));
    on("contextmenu", |present, event, canvas| {
        event.prevent_default();
        // The keyboard asks with the canvas itself, and a spot that nobody chose.
        let pointed = event.dyn_ref::<PointerEvent>().filter(|event| !event.pointer_type().is_empty());
        present.open_menu(pointed.map(|event| place_of(event, canvas)));
    });
    on("dblclick", |present, _, _| present.fit());
    on("wheel", |present, event, canvas| {
        if present.embedded && !has_focus(canvas) {
            return;
        }
        event.prevent_default();
        if let Some(event) = event.dyn_ref::<WheelEvent>() {
            present.wheel(event, place_of(event, canvas));
        }
    });
    {
        let (found, element) = (present.clone(), canvas.clone());
        listeners.push(EventListener::new(&canvas, "pointerdown", move |event| {
            let touch = event.dyn_ref::<PointerEvent>().filter(|event| event.pointer_type() == "touch");
            if let Some((event, present)) =
                touch.zip(found.borrow().as_ref().filter(|present| present.presenting.is_none()))
            {
                present.rest(&found, place_of(event, &element));
            }
        }));
    }
    let present = present.clone();
    listeners.extend(on_window_with("keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !is_field(event.target())) else { return };
        // Alt+arrows and the menu key belong to the browser outside the canvas.
        let on_canvas = event.target().as_ref() == Some(canvas.unchecked_ref());
        let asked = command(event, Place::Canvas).filter(|_| on_canvas);
        let Some(asked) = asked.or_else(|| command(event, Place::Plan)).filter(|_| !event.default_prevented()) else {
            return;
        };
        if present.borrow().as_ref().is_some_and(|present| present.key(asked)) {
            event.prevent_default();
        }
    }));
    listeners
}

/// The pointer's place in px of the canvas from its corner; they are larger than those of the
/// window where it is magnified.
fn place_of(event: &MouseEvent, canvas: &HtmlElement) -> (f64, f64) {
    let rect = canvas.get_bounding_client_rect();
    let magnified = rect.width() / f64::from(canvas.client_width().max(1));
    ((event.client_x() as f64 - rect.left()) / magnified, (event.client_y() as f64 - rect.top()) / magnified)
}
