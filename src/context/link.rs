//! Links that lead back to the page as it is: an address, or the markup of a frame in another page.

use yew::prelude::*;

use crate::browser::inside::is_one_file;
use crate::browser::location::{hash, page_address, whole_address};
use crate::context::clipboard::copy;
use crate::own::state::link::lacks_programs;
use crate::shell::state::action::{Action, ViewAction};
use gloo_timers::callback::Timeout;
use memplan_core::base::Message;
use memplan_engine::MAX_LINK;

/// Returns a callback that copies the address of the page. The address contains what the page
/// shows.
pub fn copy_link(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        // The address bar follows a change after up to 250 ms: wait for it.
        let send = send.clone();
        Timeout::new(300, move || {
            if is_one_file() {
                return send.emit(Action::View(ViewAction::Toast(Message::new("toast.is-one-file"))));
            }
            let address = whole_address();
            // The link of a large document contains only its name.
            let copied = if address.contains("=local:") {
                Message::new("toast.copied-without").count("limit", MAX_LINK as u64)
            } else if lacks_programs(&address) {
                Message::new("toast.copied-without-program").count("limit", MAX_LINK as u64)
            } else {
                Message::new("toast.copied")
            };
            copy(address, &send, copied);
        })
        .forget();
    })
}

/// Returns a callback that copies the markup of an `<iframe>` with the page. The frame shows what
/// the page shows now.
pub fn copy_embed(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        let send = send.clone();
        Timeout::new(300, move || {
            if is_one_file() {
                return send.emit(Action::View(ViewAction::Toast(Message::new("toast.is-one-file"))));
            }
            let address = format!("{}?embed=1{}", page_address(), hash()).replace('&', "&amp;").replace('"', "&quot;");
            let code = format!(
                "<iframe src=\"{address}\" title=\"memplan\" width=\"800\" height=\"500\" loading=\"lazy\" allow=\"fullscreen\"></iframe>"
            );
            copy(code, &send, Message::new("toast.embed-copied"));
        })
        .forget();
    })
}
