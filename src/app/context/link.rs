use yew::prelude::*;

use crate::app::context::clipboard::copy;
use crate::app::state::action::Action;
use crate::base::Message;
use crate::engine::MAX_LINK;

/// Copies the address of the page as it is shown.
pub fn copy_link(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        // The address is written a moment after the last change.
        let send = send.clone();
        gloo_timers::callback::Timeout::new(300, move || {
            let Some(window) = web_sys::window() else { return };
            let Ok(address) = window.location().href() else { return };
            // A document too large for a link is only named in it.
            let copied = if address.contains("doc=local:") {
                Message::new("toast.copied-without").count("limit", MAX_LINK as u64)
            } else {
                Message::new("toast.copied")
            };
            copy(address, &send, copied, Message::new("toast.not-copied"));
        })
        .forget();
    })
}

/// Copies the markup that shows the page as it is inside another one.
pub fn copy_embed(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        let send = send.clone();
        gloo_timers::callback::Timeout::new(300, move || {
            let Some(location) = web_sys::window().map(|window| window.location()) else { return };
            let part = |part: Result<String, wasm_bindgen::JsValue>| part.unwrap_or_default();
            let (origin, path, fragment) = (part(location.origin()), part(location.pathname()), part(location.hash()));
            let address = format!("{origin}{path}?embed=1{fragment}").replace('&', "&amp;").replace('"', "&quot;");
            let code = format!(
                "<iframe src=\"{address}\" title=\"memplan\" width=\"800\" height=\"500\" loading=\"lazy\"></iframe>"
            );
            copy(code, &send, Message::new("toast.embed-copied"), Message::new("toast.not-copied"));
        })
        .forget();
    })
}
