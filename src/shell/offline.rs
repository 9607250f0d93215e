//! After the first visit the page works without a network, and announces new versions of it.

use yew::prelude::*;

use crate::browser::offline::keep_offline;
use crate::shell::state::State;
use crate::shell::state::action::{Action, ViewAction};

/// Begins once the first plan is shown: nothing that it needs waits for this. A part of another
/// page keeps nothing.
#[hook]
pub fn use_offline(state: &State, send: Callback<Action>) {
    let begins = state.document.run.is_some() && state.settings.embed.is_none();
    use_effect_with(begins, move |&begins| {
        if begins {
            keep_offline(move || send.emit(Action::View(ViewAction::Newer(true))));
        }
    });
}
