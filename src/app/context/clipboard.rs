//! Copying, with a word of what came of it.

use yew::prelude::*;

use crate::app::state::action::{Action, ViewAction};
use crate::base::Message;

/// Puts a text on the clipboard and says whether the browser let us.
pub fn copy(text: String, send: &Callback<Action>, copied: Message, refused: Message) {
    let Some(window) = web_sys::window() else { return };
    let send = send.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let done = wasm_bindgen_futures::JsFuture::from(window.navigator().clipboard().write_text(&text)).await;
        send.emit(Action::View(ViewAction::Toast(if done.is_ok() { copied } else { refused })));
    });
}
