//! A press beside an open menu closes it.

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::hooks::use_effect_with;
use crate::app::state::action::{Action, ViewAction};

#[hook]
pub fn use_menus(send: Callback<Action>) {
    use_effect_with((), move |_| {
        until_then(web_sys::window().map(|window| {
            EventListener::new(&window, "pointerdown", move |event| {
                let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                let inside = target.and_then(|target| target.closest(".menu-host").ok().flatten());
                if inside.is_none() {
                    send.emit(Action::View(ViewAction::CloseMenus));
                }
            })
        }))
    });
}
