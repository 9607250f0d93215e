use gloo_events::EventListenerOptions;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent};
use yew::prelude::*;

use crate::browser::copied::copy_whole_names;
use crate::browser::dom::{is_field, on_window_with, until_then};
use crate::context::open::{open_address, open_files};
use crate::open::state::document::Origin;
use crate::shell::state::action::{Action, DocumentAction};
use memplan_core::text::Locale;
use memplan_formats::import::Answers;

/// Opens what is dropped anywhere on the window or pasted outside a field, but nothing in front of
/// an audience, and copies names whole. Returns whether a file is over the window.
#[hook]
pub fn use_drop_and_paste(locale: Locale, presenting: bool, send: Callback<Action>) -> bool {
    let over = use_state_eq(|| false);
    let set_over = over.setter();
    use_effect_with((locale, presenting), move |&(locale, presenting)| {
        let options = EventListenerOptions::enable_prevent_default();
        let mut listeners = Vec::new();
        let mut listen = |name: &'static str, handler: Box<dyn Fn(&web_sys::Event)>| {
            listeners.extend(on_window_with(name, options, handler));
        };
        let set = set_over.clone();
        listen(
            "dragover",
            Box::new(move |event| {
                event.prevent_default();
                set.set(!presenting);
            }),
        );
        let set = set_over.clone();
        listen(
            "dragleave",
            Box::new(move |event| {
                // Leaving for a child of the page is not leaving the window.
                let left = event.dyn_ref::<DragEvent>().is_some_and(|event| event.related_target().is_none());
                if left {
                    set.set(false);
                }
            }),
        );
        let (set, opened) = (set_over.clone(), send.clone());
        listen(
            "drop",
            Box::new(move |event| {
                event.prevent_default();
                set.set(false);
                if presenting {
                    return;
                }
                let transfer = event.dyn_ref::<DragEvent>().and_then(|event| event.data_transfer());
                open_files(transfer.and_then(|transfer| transfer.files()), locale, &opened);
            }),
        );
        let opened = send.clone();
        if !presenting {
            listen("paste", Box::new(move |event| paste(event, locale, &opened)));
        }
        listen("copy", Box::new(|event| event.dyn_ref().into_iter().for_each(copy_whole_names)));
        until_then(listeners)
    });
    *over
}

fn paste(event: &web_sys::Event, locale: Locale, send: &Callback<Action>) {
    let Some(event) = event.dyn_ref::<ClipboardEvent>().filter(|event| !is_field(event.target())) else { return };
    let Some(data) = event.clipboard_data() else { return };
    if data.files().is_some_and(|files| files.length() > 0) {
        return open_files(data.files(), locale, send);
    }
    let text = data.get_data("text").unwrap_or_default();
    if text.trim().is_empty() {
        return;
    }
    event.prevent_default();
    if is_address(text.trim()) {
        return open_address(text.trim().to_string(), None, send);
    }
    let (origin, bytes) = (Origin::File("pasted".into()), text.into_bytes().into());
    send.emit(Action::Document(DocumentAction::Open { origin, bytes, choices: Answers::default(), place: None }));
}

fn is_address(text: &str) -> bool {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    is_web && text.len() <= 4096 && !text.contains(char::is_whitespace)
}
