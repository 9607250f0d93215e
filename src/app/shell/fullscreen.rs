//! Presenting fills the screen, where the browser allows that; elsewhere it fills the window.

use gloo_events::EventListener;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use crate::app::browser::dom::{document, focus, until_then};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref};
use crate::app::state::action::{Action, ViewAction};

/// Takes the screen while the plan is presented. Leaving the screen, which the browser does at Escape, ends that.
#[hook]
pub fn use_fullscreen(presenting: bool, send: Callback<Action>) {
    let was_presenting = use_mut_ref(|| false);
    use_effect_with(presenting, move |&presenting| {
        if presenting {
            enter();
        } else if was_presenting.replace(false) {
            if is_fullscreen() {
                document().into_iter().for_each(|document| document.exit_fullscreen());
            }
            // What began it is there again.
            focus("present-button");
        }
        *was_presenting.borrow_mut() = presenting;
    });
    use_effect_with((), move |_| {
        until_then(document().map(|document| {
            EventListener::new(&document, "fullscreenchange", move |_| {
                if !is_fullscreen() {
                    send.emit(Action::View(ViewAction::Present(false)));
                }
            })
        }))
    });
}

fn is_fullscreen() -> bool {
    document().is_some_and(|document| document.fullscreen_element().is_some())
}

/// Asks for the screen. Browsers give it only after a key or a click, and to a part of another page only if that one agrees.
fn enter() {
    let Some(document) = document().filter(|document| document.fullscreen_enabled() && is_asked_for()) else { return };
    let Some(root) = document.document_element().filter(|_| !is_fullscreen()) else { return };
    let asks = Reflect::get(&root, &"requestFullscreen".into()).ok().and_then(|asks| asks.dyn_into::<Function>().ok());
    let answer = asks.and_then(|asks| asks.call0(&root).ok()).and_then(|answer| answer.dyn_into::<Promise>().ok());
    if let Some(answer) = answer {
        // A refusal changes nothing: the window is filled already.
        spawn_local(async move { _ = JsFuture::from(answer).await });
    }
}

/// Whether a key or a click was a moment ago; true where the browser does not report it.
fn is_asked_for() -> bool {
    let navigator = web_sys::window().map(|window| JsValue::from(window.navigator()));
    let member =
        |object: JsValue, name: &str| Reflect::get(&object, &name.into()).ok().filter(|member| !member.is_undefined());
    let active =
        navigator.and_then(|navigator| member(navigator, "userActivation")).and_then(|asked| member(asked, "isActive"));
    active.is_none_or(|active| active.is_truthy())
}
