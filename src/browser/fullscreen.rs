//! The whole screen, where the browser gives it.

use gloo_events::EventListener;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::browser::dom::{document, root};
use crate::browser::window;

/// Whether the page has the screen.
pub fn is_fullscreen() -> bool {
    document().is_some_and(|document| document.fullscreen_element().is_some())
}

/// Calls `changed` whenever the page takes or leaves the screen, until what is returned is dropped.
pub fn on_fullscreen(mut changed: impl FnMut() + 'static) -> Option<EventListener> {
    let document = document()?;
    Some(EventListener::new(&document, "fullscreenchange", move |_| changed()))
}

/// Asks for the screen. Browsers give it only after a key or a click, and to a part of another page
/// only if that one agrees.
pub fn enter_fullscreen() {
    let is_possible = document().is_some_and(|document| document.fullscreen_enabled()) && is_asked_for();
    let Some(root) = root().filter(|_| is_possible && !is_fullscreen()) else { return };
    let asks = Reflect::get(&root, &"requestFullscreen".into()).ok().and_then(|asks| asks.dyn_into::<Function>().ok());
    let answer = asks.and_then(|asks| asks.call0(&root).ok()).and_then(|answer| answer.dyn_into::<Promise>().ok());
    if let Some(answer) = answer {
        // A refusal changes nothing: the window is filled already.
        spawn_local(async move { _ = JsFuture::from(answer).await });
    }
}

/// Gives the screen back.
pub fn leave_fullscreen() {
    document().into_iter().for_each(|document| document.exit_fullscreen());
}

/// Whether a key or a click was a moment ago; true where the browser does not report it.
fn is_asked_for() -> bool {
    let navigator = window().map(|window| JsValue::from(window.navigator()));
    let member =
        |object: JsValue, name: &str| Reflect::get(&object, &name.into()).ok().filter(|member| !member.is_undefined());
    let active =
        navigator.and_then(|navigator| member(navigator, "userActivation")).and_then(|asked| member(asked, "isActive"));
    active.is_none_or(|active| active.is_truthy())
}
