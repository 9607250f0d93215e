//! What the window has room for.

use gloo_events::EventListener;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::model::layout::Room;

/// What the window has room for, kept up to date.
#[hook]
pub fn use_room() -> Room {
    let room = use_state_eq(present);
    let set = room.setter();
    use_effect_with((), move |_| {
        until_then(web_sys::window().map(|window| EventListener::new(&window, "resize", move |_| set.set(present()))))
    });
    *room
}

fn present() -> Room {
    let window = web_sys::window();
    let px = |length: Option<wasm_bindgen::JsValue>| length.and_then(|length| length.as_f64());
    let width = px(window.as_ref().and_then(|window| window.inner_width().ok()));
    let height = px(window.as_ref().and_then(|window| window.inner_height().ok()));
    Room::of(width.unwrap_or(1440.0), height.unwrap_or(900.0))
}
