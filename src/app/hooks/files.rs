//! Documents come in by example, picker, drop and paste.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ClipboardEvent, DragEvent, File, FileList, HtmlInputElement, Response};
use yew::prelude::*;

use super::until_then;
use crate::app::components::is_field;
use crate::app::state::{Action, LinkPlace, Notice, Origin, Restored};
use crate::base::Message;
use crate::import::Choices;
use crate::planner::Info;

/// Largest file read into memory, in bytes.
const MAX_FILE: f64 = 512.0 * 1024.0 * 1024.0;

/// Fetches a built-in example and opens it.
pub fn open_example(name: String, place: Option<LinkPlace>, send: Callback<Action>) {
    spawn_local(async move {
        match fetch(&format!("./graphs/{name}.json")).await {
            Ok(bytes) => {
                let (origin, bytes) = (Origin::Example(name), Rc::new(bytes));
                send.emit(Action::Open { origin, bytes, choices: Choices::default(), place });
            }
            Err(_) => {
                let title = Message::new("notice.no-example").text("name", name);
                send.emit(Action::NotFetched(Notice { title, faults: Vec::new() }));
            }
        }
    });
}

/// Fetches a graph to begin a drawing with.
pub fn open_template(name: &'static str, send: Callback<Action>) {
    spawn_local(async move {
        match fetch(&format!("./graphs/new/{name}.json")).await {
            Ok(bytes) => {
                // A file of the user's own from the first change on.
                let (origin, bytes) = (Origin::File(name.into()), Rc::new(bytes));
                send.emit(Action::Open { origin, bytes, choices: Choices::default(), place: None });
            }
            Err(_) => {
                let title = Message::new("notice.no-example").text("name", name);
                send.emit(Action::NotFetched(Notice { title, faults: Vec::new() }));
            }
        }
    });
}

/// Opens the counter-example of a planner as a link to it would: the planner and its options come with it, so that the
/// figures are those told.
pub fn open_case(info: &Info, send: Callback<Action>) {
    let own = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
    let options = info.case.options.iter().map(own).collect();
    let restored = Restored { planner: Some(info.id.into()), options, ..Restored::default() };
    send.emit(Action::Restore(Box::new(restored)));
    open_example(info.case_name(), Some(LinkPlace::default()), send);
}

pub async fn fetch(address: &str) -> Result<Vec<u8>, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let response: Response = JsFuture::from(window.fetch_with_str(address)).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::NULL);
    }
    Ok(Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?).to_vec())
}

/// Reads a file the user chose and opens it.
pub fn read_file(file: File, send: Callback<Action>) {
    spawn_local(async move {
        let name = file.name();
        let title = if file.size() > MAX_FILE {
            Message::new("notice.too-large").text("name", &name).count("limit", (MAX_FILE / 1048576.0) as u64)
        } else {
            match JsFuture::from(file.array_buffer()).await {
                Ok(buffer) => {
                    let bytes = Rc::new(Uint8Array::new(&buffer).to_vec());
                    let choices = Choices::default();
                    return send.emit(Action::Open { origin: Origin::File(name), bytes, choices, place: None });
                }
                Err(_) => Message::new("notice.not-read").text("name", &name),
            }
        };
        send.emit(Action::NotFetched(Notice { title, faults: Vec::new() }));
    });
}

/// Lets the user pick a file.
pub fn pick_files(send: Callback<Action>) {
    let document = web_sys::window().and_then(|window| window.document());
    let input = document.and_then(|document| document.create_element("input").ok());
    let Some(input) = input.and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) else { return };
    input.set_type("file");
    let chosen = input.clone();
    // The listener lives as long as the input, which the browser keeps while its dialog is open.
    EventListener::once(&input, "change", move |_| open_first(chosen.files(), &send)).forget();
    input.click();
}

fn open_first(files: Option<FileList>, send: &Callback<Action>) {
    if let Some(file) = files.and_then(|files| files.get(0)) {
        read_file(file, send.clone());
    }
}

/// Opens what is dropped anywhere on the window or pasted outside a field. Returns whether a file is over the window.
#[hook]
pub fn use_drop_and_paste(send: Callback<Action>) -> bool {
    let over = use_state_eq(|| false);
    let set_over = over.setter();
    use_effect_with((), move |_| {
        let Some(window) = web_sys::window() else { return until_then(Vec::new()) };
        let options = EventListenerOptions::enable_prevent_default();
        let mut listeners = Vec::new();
        let mut listen = |name: &'static str, handler: Box<dyn Fn(&web_sys::Event)>| {
            listeners.push(EventListener::new_with_options(&window, name, options, move |event| handler(event)));
        };
        let set = set_over.clone();
        listen(
            "dragover",
            Box::new(move |event| {
                event.prevent_default();
                set.set(true);
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
                let transfer = event.dyn_ref::<DragEvent>().and_then(|event| event.data_transfer());
                open_first(transfer.and_then(|transfer| transfer.files()), &opened);
            }),
        );
        let opened = send.clone();
        listen("paste", Box::new(move |event| paste(event, &opened)));
        until_then(listeners)
    });
    *over
}

fn paste(event: &web_sys::Event, send: &Callback<Action>) {
    let Some(event) = event.dyn_ref::<ClipboardEvent>().filter(|event| !is_field(event.target())) else { return };
    let Some(data) = event.clipboard_data() else { return };
    if data.files().is_some_and(|files| files.length() > 0) {
        return open_first(data.files(), send);
    }
    let text = data.get_data("text").unwrap_or_default();
    if text.trim().is_empty() {
        return;
    }
    event.prevent_default();
    let (origin, bytes) = (Origin::File("pasted".into()), Rc::new(text.into_bytes()));
    send.emit(Action::Open { origin, bytes, choices: Choices::default(), place: None });
}
