//! Copying, with a word of what came of it.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::clipboard::put_on_clipboard;
use crate::shell::state::action::{Action, ViewAction};
use memplan_core::base::Message;

/// Puts a text on the clipboard and confirms it. If the browser refuses, the text is shown
/// selected, to be copied by hand.
pub fn copy(text: String, send: &Callback<Action>, copied: Message) {
    let send = send.clone();
    spawn_local(async move {
        let done = put_on_clipboard(&text).await;
        send.emit(Action::View(if done { ViewAction::Toast(copied) } else { ViewAction::CopyByHand(text) }));
    });
}
