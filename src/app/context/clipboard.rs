//! Copying, with a word of what came of it.

use yew::prelude::*;

use crate::app::state::action::{Action, ViewAction};
use crate::base::Message;

/// Puts a text on the clipboard and confirms it. If the browser refuses, the text is shown selected, to be copied by hand.
pub fn copy(text: String, send: &Callback<Action>, copied: Message) {
    let Some(window) = web_sys::window() else { return };
    let send = send.clone();
    wasm_bindgen_futures::spawn_local(async move {
        // A page that is not served over HTTPS has no clipboard at all, and asking it fails like a refusal.
        let has_clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into())
            .is_ok_and(|clipboard| !clipboard.is_undefined() && !clipboard.is_null());
        let done = if has_clipboard {
            wasm_bindgen_futures::JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok()
        } else {
            false
        };
        send.emit(Action::View(if done { ViewAction::Toast(copied) } else { ViewAction::CopyByHand(text) }));
    });
}
