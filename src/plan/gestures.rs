//! Listeners for the pointer, the wheel and the keys on the plan.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

use crate::browser::dom::{capture, has_focus, is_field, on_window_with};
use crate::context::keys::command;
use crate::plan::handler::Handler;
use crate::shell::state::keys::Place;

/// Returns listeners of the topmost canvas, and of the window for keys; dropping them ends them.
/// Each passes its events to the [`Handler`] of the newest render.
pub fn listen(top: &NodeRef, handler: &Rc<RefCell<Option<Handler>>>) -> Vec<EventListener> {
    let Some(canvas) = top.cast::<HtmlCanvasElement>() else { return Vec::new() };
    let options = EventListenerOptions::enable_prevent_default();
    let mut listeners = Vec::new();
    let mut on = |name: &'static str, handle: fn(&Handler, &web_sys::Event, &HtmlElement)| {
        let (handler, element) = (handler.clone(), canvas.clone());
        listeners.push(EventListener::new_with_options(&canvas, name, options, move |event| {
            match &*handler.borrow() {
                // In front of an audience an accidental gesture must not move or select anything.
                // Only the pointer gets through, if it is to highlight buffers.
                Some(Handler { presenting: Some(presenting), .. })
                    if !presenting.highlight || !name.starts_with("pointer") =>
                {
                    event.prevent_default();
                }
                Some(handler) => handle(handler, event, &element),
                None => {}
            }
        }));
    };
    on("pointerdown", |handler, event, canvas| {
        let first = event.dyn_ref::<PointerEvent>().filter(|event| event.button() == 0);
        let Some(event) = first.filter(|_| handler.presenting.is_none()) else { return };
        capture(Some(canvas.clone().into()), event);
        handler.down(event.pointer_id(), place_of(event, canvas), event.shift_key());
    });
    on("pointermove", |handler, event, canvas| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            handler.moved(event.pointer_id(), place_of(event, canvas));
        }
    });
    on("pointerup", |handler, event, _| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            handler.up(event.pointer_id());
        }
    });
    on("pointercancel", |handler, _, _| {
        let mut gesture = handler.gesture.borrow_mut();
        gesture.held.clear();
        gesture.resting = None;
        drop(gesture);
        handler.rubber.set(None);
    });
    on("pointerleave", |handler, _, _| handler.hover(None));
    on("contextmenu", |handler, event, canvas| {
        event.prevent_default();
        // An event from the keyboard has no pointer type, and a position that the user did not
        // choose.
        let pointed = event.dyn_ref::<PointerEvent>().filter(|event| !event.pointer_type().is_empty());
        handler.open_menu(pointed.map(|event| place_of(event, canvas)));
    });
    on("dblclick", |handler, _, _| handler.fit());
    on("wheel", |handler, event, canvas| {
        if handler.embedded && !has_focus(canvas) {
            return;
        }
        event.prevent_default();
        if let Some(event) = event.dyn_ref::<WheelEvent>() {
            handler.wheel(event, place_of(event, canvas));
        }
    });
    {
        let (found, element) = (handler.clone(), canvas.clone());
        listeners.push(EventListener::new(&canvas, "pointerdown", move |event| {
            let touch = event.dyn_ref::<PointerEvent>().filter(|event| event.pointer_type() == "touch");
            if let Some((event, handler)) =
                touch.zip(found.borrow().as_ref().filter(|handler| handler.presenting.is_none()))
            {
                handler.rest(&found, place_of(event, &element));
            }
        }));
    }
    let handler = handler.clone();
    listeners.extend(on_window_with("keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !is_field(event.target())) else { return };
        // Outside the canvas, Alt+arrows and the menu key belong to the browser.
        let on_canvas = event.target().as_ref() == Some(canvas.unchecked_ref());
        let asked = command(event, Place::Canvas).filter(|_| on_canvas);
        let Some(asked) = asked.or_else(|| command(event, Place::Plan)).filter(|_| !event.default_prevented()) else {
            return;
        };
        if handler.borrow().as_ref().is_some_and(|handler| handler.key(asked)) {
            event.prevent_default();
        }
    }));
    listeners
}

/// Returns the position of the pointer from the upper left corner of the canvas, in px of the
/// canvas. Where the page is magnified, these are larger than the px of the window.
fn place_of(event: &MouseEvent, canvas: &HtmlElement) -> (f64, f64) {
    let rect = canvas.get_bounding_client_rect();
    let magnification = rect.width() / f64::from(canvas.client_width().max(1));
    ((event.client_x() as f64 - rect.left()) / magnification, (event.client_y() as f64 - rect.top()) / magnification)
}
