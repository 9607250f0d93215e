//! Links that lead back to the page as it is: an address, or the markup of a frame in another page.

use yew::prelude::*;

use crate::browser::dom::until_then;
use crate::browser::inside::is_one_file;
use crate::browser::location::{hash, page_address, whole_address};
use crate::context::clipboard::copy;
use crate::own::state::link::lacks_programs;
use crate::shell::state::State;
use crate::shell::state::action::{Action, LinkForm, ViewAction};
use gloo_timers::callback::Timeout;
use memplan_core::base::Message;
use memplan_engine::MAX_LINK;

/// How long the address bar may take to follow a change, and a little more, in milliseconds.
const FOLLOWS: u32 = 300;

/// How long a text of the editor is waited for before the address of the last plan is copied, in
/// milliseconds: browsers give the clipboard only shortly after a press.
const LONGEST: u32 = 2000;

/// Returns a callback that copies the address of the page. The address contains what the page
/// shows.
pub fn copy_link(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| send.emit(Action::View(ViewAction::Share(Some(LinkForm::Address)))))
}

/// Returns a callback that copies the markup of an `<iframe>` with the page. The frame shows what
/// the page shows now.
pub fn copy_embed(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| send.emit(Action::View(ViewAction::Share(Some(LinkForm::Frame)))))
}

/// Copies what the reader shares, once the plan and the address have followed the text in the
/// editor.
#[hook]
pub fn use_sharing(state: &State, send: &Callback<Action>) {
    let (send, lacks_text) = (send.clone(), state.link_lacks_text());
    use_effect_with((state.view.sharing, state.own_is_awaited()), move |&(sharing, awaited)| {
        until_then(sharing.map(|form| {
            Timeout::new(if awaited { LONGEST } else { FOLLOWS }, move || {
                match form {
                    _ if is_one_file() => {
                        send.emit(Action::View(ViewAction::Toast(Message::new("toast.is-one-file"))));
                    }
                    LinkForm::Address => {
                        let address = whole_address();
                        let copied = confirmed(&address, lacks_text);
                        copy(address, &send, copied);
                    }
                    LinkForm::Frame => copy(frame(), &send, Message::new("toast.embed-copied")),
                }
                send.emit(Action::View(ViewAction::Share(None)));
            })
        }))
    });
}

/// What is said of a copied address.
fn confirmed(address: &str, lacks_text: bool) -> Message {
    // The link of a large document contains only its name.
    if address.contains("=local:") {
        Message::new("toast.copied-without").count("limit", MAX_LINK as u64)
    } else if lacks_programs(address) {
        Message::new("toast.copied-without-program").count("limit", MAX_LINK as u64)
    } else if lacks_text {
        Message::new("toast.copied-without-text")
    } else {
        Message::new("toast.copied")
    }
}

/// The markup of a frame with the page.
fn frame() -> String {
    let address = format!("{}?embed=1{}", page_address(), hash()).replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe src=\"{address}\" title=\"memplan\" width=\"800\" height=\"500\" loading=\"lazy\" allow=\"fullscreen\"></iframe>"
    )
}
