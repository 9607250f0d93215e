//! Documents come in by example, picker, drop and paste.

use std::rc::Rc;

use gloo_events::EventListener;
use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, FileList, HtmlInputElement};
use yew::prelude::*;

use crate::app::browser::files::fetch;
use crate::app::context::{Layout, Page};
use crate::app::model::document::{Origin, Shelved};
use crate::app::model::examples::Special;
use crate::app::model::link::{LinkPlace, Restored};
use crate::app::model::notice::Notice;
use crate::app::model::panels::Tab;
use crate::app::state::action::{Action, DocumentAction, ViewAction};
use crate::app::state::opening::without_weights;
use crate::base::{Message, gather};
use crate::import::Answers;
use crate::planner::Info;
use crate::text::{Locale, Speech};

/// Shows documents and examples where the layout has them.
pub fn show_files(page: &Page) -> Callback<MouseEvent> {
    let layout = page.layout;
    page.on(move || {
        if layout == Layout::Wide {
            Action::View(ViewAction::LeftTab(Tab::Files))
        } else {
            Action::View(ViewAction::DrawerTab(Tab::Files))
        }
    })
}

/// Size of a file in bytes above which the user is asked first.
const LARGE_FILE: f64 = 512.0 * 1024.0 * 1024.0;

/// Largest file read into memory, in bytes: the page and its worker need some copies of it, and have 4 GiB each.
const MAX_FILE: f64 = 768.0 * 1024.0 * 1024.0;

/// Fetches a built-in example and opens it.
pub fn open_example(name: String, place: Option<LinkPlace>, send: Callback<Action>) {
    spawn_local(async move {
        match fetch(&format!("./graphs/{name}.json")).await {
            Ok(bytes) => {
                let (origin, bytes) = (Origin::Example(name), Rc::new(bytes));
                send.emit(Action::Document(DocumentAction::Open { origin, bytes, choices: Answers::default(), place }));
            }
            Err(_) => {
                let title = Message::new("notice.no-example").text("name", name);
                send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
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
                send.emit(Action::Document(DocumentAction::Open {
                    origin,
                    bytes,
                    choices: Answers::default(),
                    place: None,
                }));
            }
            Err(_) => {
                let title = Message::new("notice.no-example").text("name", name);
                send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
            }
        }
    });
}

/// Opens the counter-example of a planner as a link to it would: the planner and its options come with it, so that the
/// figures are those told.
pub fn open_case(info: &Info, send: Callback<Action>) {
    open_planned(info.id, info.case.options, info.case_name(), send);
}

/// Opens an example with the planner whose part it shows.
pub fn open_special(special: Special, send: Callback<Action>) {
    open_planned(special.planner, special.options, special.name.into(), send);
}

fn open_planned(planner: &str, options: &[(&str, &str)], name: String, send: Callback<Action>) {
    let own = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
    let options = gather(options.iter().map(own));
    let restored = Restored { planner: Some(planner.into()), options, ..Restored::default() };
    send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
    open_example(name, Some(LinkPlace::default()), send);
}

/// Reads the files that the user chose and opens them, without those that only hold weights of others.
fn read_files(files: Vec<File>, send: Callback<Action>) {
    let files = without_weights(files, File::name);
    let alone = files.len() == 1;
    spawn_local(async move {
        let mut read = Vec::new();
        let mut room = MAX_FILE;
        for file in files {
            let name = file.name();
            let size = file.size();
            let title = if size > room {
                Message::new("notice.too-large").text("name", &name).count("limit", (MAX_FILE / 1048576.0) as u64)
            } else if size > LARGE_FILE && !agreed(&name, size) {
                continue;
            } else {
                match JsFuture::from(file.array_buffer()).await {
                    Ok(buffer) => {
                        room -= size;
                        read.push(Shelved { name, bytes: Rc::new(Uint8Array::new(&buffer).to_vec()) });
                        continue;
                    }
                    Err(_) => Message::new("notice.not-read").text("name", &name),
                }
            };
            send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
        }
        match read.pop() {
            Some(Shelved { name, bytes }) if alone => {
                let choices = Answers::default();
                send.emit(Action::Document(DocumentAction::Open {
                    origin: Origin::File(name),
                    bytes,
                    choices,
                    place: None,
                }));
            }
            Some(last) => {
                read.push(last);
                send.emit(Action::Document(DocumentAction::OpenAll(read)));
            }
            None => {}
        }
    });
}

/// Asks whether a large file is to be read. The browser's own question stops the page, which has nothing else to do.
fn agreed(name: &str, size: f64) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let element = window.document().and_then(|document| document.document_element());
    let tag = element.and_then(|element| element.get_attribute("lang")).unwrap_or_default();
    let speech = Speech { locale: Locale::from_tag(&tag), ..Speech::default() };
    let limit = (LARGE_FILE / 1048576.0) as u64;
    let question = Message::new("ask.large-file").text("name", name).count("n", (size / 1048576.0) as u64);
    window.confirm_with_message(&speech.say(&question.count("limit", limit))).unwrap_or(false)
}

/// Fetches a file of another site and opens it. Most sites refuse: the browser then says no more than that it failed.
pub fn open_address(address: String, place: Option<LinkPlace>, send: Callback<Action>) {
    spawn_local(async move {
        let title = match fetch(&address).await {
            Ok(bytes) => {
                let (origin, bytes) = (Origin::Remote(address), Rc::new(bytes));
                return send.emit(Action::Document(DocumentAction::Open {
                    origin,
                    bytes,
                    choices: Answers::default(),
                    place,
                }));
            }
            Err(Some(status)) => Message::new("notice.address-status").count("status", status),
            Err(None) => Message::new("notice.address-refused"),
        };
        send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title.text("address", &address)))));
    });
}

/// Lets the user pick a file.
pub fn pick_files(send: Callback<Action>) {
    let document = web_sys::window().and_then(|window| window.document());
    let input = document.and_then(|document| document.create_element("input").ok());
    let Some(input) = input.and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) else { return };
    input.set_type("file");
    input.set_multiple(true);
    let chosen = input.clone();
    // The listener lives as long as the input, which the browser keeps while its dialog is open.
    EventListener::once(&input, "change", move |_| open_files(chosen.files(), &send)).forget();
    input.click();
}

pub fn open_files(files: Option<FileList>, send: &Callback<Action>) {
    let Some(files) = files else { return };
    read_files((0..files.length()).filter_map(|index| files.get(index)).collect(), send.clone());
}
