//! A press beside an open menu closes it.

use yew::prelude::*;

use crate::browser::dom::{on_window, target_of, until_then};
use crate::shell::state::action::{Action, ViewAction};

#[hook]
pub fn use_menus(send: Callback<Action>) {
    use_effect_with((), move |_| {
        until_then(on_window("pointerdown", move |event| {
            let inside = target_of(event).and_then(|target| target.closest(".menu-host").ok().flatten());
            if inside.is_none() {
                send.emit(Action::View(ViewAction::CloseMenus));
            }
        }))
    });
}
