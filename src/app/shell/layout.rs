//! The width class of the window.

use gloo_events::EventListener;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::context::Layout;

#[hook]
pub fn use_layout() -> Layout {
    let layout = use_state_eq(present);
    let set = layout.setter();
    use_effect_with((), move |_| {
        until_then(web_sys::window().map(|window| EventListener::new(&window, "resize", move |_| set.set(present()))))
    });
    *layout
}

fn present() -> Layout {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64());
    match width.unwrap_or(1440.0) {
        width if width >= 1200.0 => Layout::Wide,
        width if width >= 768.0 => Layout::Middle,
        _ => Layout::Narrow,
    }
}
