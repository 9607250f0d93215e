//! Documents come in by example, picker, drop and paste.

use std::cell::Cell;

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, File, FileList, HtmlInputElement};
use yew::prelude::*;

use crate::browser::dialogs::agrees;
use crate::browser::dom::create;
use crate::browser::files::{fetch_nearby, text_of};
use crate::browser::inside::is_one_file;
use crate::browser::location::whole_address;
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::Older;
use crate::context::{Layout, Page};
use crate::open::state::companions::{is_program, to_open};
use crate::open::state::document::{BatchFile, Bytes, Origin};
use crate::open::state::examples::{Special, example_file};
use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::opening::{Admission, LARGE_FILE, MAX_FILE, admission};
use crate::open::state::sites::{RemoteChange, reach, stays_inside};
use crate::shell::state::action::{Action, DocumentAction, IntroductionAction, OwnAction, ViewAction};
use crate::shell::state::introduction;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Tab;
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::START;
use memplan_formats::import::Answers;
use memplan_planners::Info;
use memplan_planners::outside::MAX_CODE;
use memplan_teach::choices;

/// Shows documents and examples where the layout has them.
pub fn show_files(page: &Page) -> Callback<MouseEvent> {
    let layout = page.layout;
    page.on(move || {
        if layout == Layout::Wide {
            Action::View(ViewAction::LeftTab(Tab::Files))
        } else {
            Action::View(ViewAction::RightTab(Tab::Files))
        }
    })
}

/// What a document is fetched for.
#[derive(Clone)]
pub enum Purpose {
    /// To be opened, where a link leads to if there is one.
    Open(Option<LinkPlace>),
    /// To be compared with the open one.
    Older,
}

impl Purpose {
    /// What is done once the document is here.
    pub fn action(self, origin: Origin, bytes: Bytes, choices: Answers) -> Action {
        match self {
            Purpose::Open(place) => Action::Document(DocumentAction::Open { origin, bytes, choices, place }),
            Purpose::Older => Action::Diff(DiffChange::Older(Older { origin, bytes, choices })),
        }
    }
}

thread_local! {
    /// Number of the document that was fetched last.
    static FETCHED: Cell<u32> = const { Cell::new(0) };
}

/// Announces that a document is fetched. What is sent once it is there counts only if no other one
/// was wanted meanwhile.
pub fn fetching(purpose: &Purpose, send: Callback<Action>) -> Callback<Action> {
    let (number, is_older) = (FETCHED.get().wrapping_add(1), matches!(purpose, Purpose::Older));
    FETCHED.set(number);
    send.emit(Action::Fetching { number, is_older });
    Callback::from(move |action| send.emit(Action::Fetched(number, Box::new(action))))
}

/// Fetches a built-in example and opens it.
pub fn open_example(name: String, place: Option<LinkPlace>, send: Callback<Action>) {
    fetch_example(name, Purpose::Open(place), send);
}

/// Fetches a built-in example.
pub fn fetch_example(name: String, purpose: Purpose, send: Callback<Action>) {
    let send = fetching(&purpose, send);
    spawn_local(async move {
        // A link may name anything; what is not in the folder of the examples is none.
        let fetched = if stays_inside(&name) {
            fetch_nearby(&format!("graphs/{}", example_file(&name))).await
        } else {
            Err(None)
        };
        match fetched {
            Ok(bytes) => {
                send.emit(purpose.action(Origin::Example(name), bytes, Answers::default()));
            }
            Err(_) => {
                let key = if is_one_file() { "notice.not-inside" } else { "notice.no-example" };
                let title = Message::new(key).text("name", name);
                send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
            }
        }
    });
}

/// Fetches a graph to begin a drawing with.
pub fn open_template(name: &'static str, send: Callback<Action>) {
    let send = fetching(&Purpose::Open(None), send);
    spawn_local(async move {
        match fetch_nearby(&format!("graphs/new/{name}.json")).await {
            Ok(bytes) => {
                // A file of the user's own from the first change on.
                let origin = Origin::File(name.into());
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

/// Opens the counter-example of a planner as a link to it would: the planner and its options come
/// with it, so that the figures are those asked for.
pub fn open_case(info: &Info, send: Callback<Action>) {
    open_planned(info.id, info.case.options, info.case_name(), send);
}

/// Opens an example with the planner whose part it shows.
pub fn open_special(special: Special, send: Callback<Action>) {
    open_planned(special.planner, special.options, special.name.into(), send);
}

/// Opens what a first visit shows, as it was then.
pub fn open_start(send: Callback<Action>) {
    send.emit(Action::Introduction(IntroductionAction::Begin));
    send.emit(Action::Document(DocumentAction::Restore(Box::new(introduction::start()))));
    open_example(START.into(), Some(introduction::place()), send);
}

/// Opens the plan of the first example that is worth a look, at its frame.
pub fn open_striking(send: Callback<Action>) {
    let (planner, frame) = choices::STRIKING;
    let restored = Restored { planner: Some(planner.into()), ..Restored::default() };
    send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
    open_example(START.into(), Some(LinkPlace { frame: Some(frame), ..LinkPlace::default() }), send);
}

fn open_planned(planner: &str, options: &[(&str, &str)], name: String, send: Callback<Action>) {
    let own = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
    let options = options.iter().map(own).collect();
    let restored = Restored { planner: Some(planner.into()), options, ..Restored::default() };
    send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
    open_example(name, Some(LinkPlace::default()), send);
}

/// Opens the files that the user chose, without those that only accompany others.
pub fn open_files(files: Option<FileList>, locale: Locale, send: &Callback<Action>) {
    let Some(files) = files else { return };
    let chosen: Vec<File> = (0..files.length()).filter_map(|index| files.get(index)).collect();
    let (programs, chosen): (Vec<File>, Vec<File>) = chosen.into_iter().partition(|file| is_program(&file.name()));
    if let Some(program) = programs.into_iter().next_back() {
        open_program(program, send.clone());
    }
    let files = to_open(chosen, File::name, |file| file.size());
    let alone = files.len() == 1;
    let mut files = admitted(files, locale, send);
    match files.pop() {
        Some(BatchFile { name, bytes }) if alone => {
            let choices = Answers::default();
            send.emit(Action::Document(DocumentAction::Open {
                origin: Origin::File(name),
                bytes,
                choices,
                place: None,
            }));
        }
        Some(last) => {
            files.push(last);
            send.emit(Action::Document(DocumentAction::OpenAll(files)));
        }
        None => {}
    }
}

/// Opens the editor with the program of a planner. The file is small, or no program.
fn open_program(file: File, send: Callback<Action>) {
    if file.size() > MAX_CODE as f64 {
        let title = Message::new("own-planner.long-program").count("n", MAX_CODE as u64);
        return send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
    }
    let name = file.name();
    spawn_local(async move {
        if let Some(code) = text_of(&file).await {
            send.emit(Action::Own(OwnAction::File(name.into(), code.into())));
        }
    });
}

/// Returns handles of those files that are small enough to be opened together. The user is asked
/// about each large one and notified of each that is refused.
pub fn admitted(files: Vec<File>, locale: Locale, send: &Callback<Action>) -> Vec<BatchFile> {
    let mut admitted = Vec::new();
    let mut total = 0.0;
    for file in files {
        let (name, size) = (file.name(), file.size());
        match admission(size, total) {
            Admission::Refuse => {
                let title = Message::new("notice.too-large").text("name", &name);
                let title = title.count("limit", (MAX_FILE / 1048576.0) as u64);
                send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
            }
            Admission::Ask if !agreed(&name, size, locale) => {}
            Admission::Ask | Admission::Open => {
                total += size;
                admitted.push(BatchFile { name, bytes: Blob::from(file).into() });
            }
        }
    }
    admitted
}

/// Asks whether a large file is to be opened. The browser's dialog stops the page, which has
/// nothing else to do.
fn agreed(name: &str, size: f64, locale: Locale) -> bool {
    let speech = Speech { locale, ..Speech::default() };
    let limit = (LARGE_FILE / 1048576.0) as u64;
    let question = Message::new("ask.large-file").text("name", name).count("n", (size / 1048576.0) as u64);
    agrees(&speech.say(&question.count("limit", limit)))
}

/// Opens the file at an address, after a question if it is not the folder of the page. The rest of
/// the link is applied once the file is there.
pub fn open_address(address: String, link: Option<(Restored, LinkPlace)>, send: &Callback<Action>) {
    let reach = reach(&address, &whole_address());
    let change = RemoteChange::Visit { address, reach, link: link.map(Box::new) };
    send.emit(Action::Document(DocumentAction::Remote(change)));
}

/// Lets the user pick files to open.
pub fn pick_files(locale: Locale, send: Callback<Action>) {
    pick(true, move |files| open_files(files, locale, &send));
}

/// Lets the user pick a file to compare the open document with.
pub fn pick_older(locale: Locale, send: Callback<Action>) {
    let older = |BatchFile { name, bytes }| Purpose::Older.action(Origin::File(name), bytes, Answers::default());
    pick_file(locale, send, older);
}

/// Lets the user pick a file, and does something with it.
pub fn pick_file(locale: Locale, send: Callback<Action>, act: fn(BatchFile) -> Action) {
    pick(false, move |files| {
        let chosen = files.and_then(|files| files.get(0)).into_iter().collect();
        admitted(chosen, locale, &send).into_iter().for_each(|file| send.emit(act(file)));
    });
}

fn pick(several: bool, then: impl FnOnce(Option<FileList>) + 'static) {
    let Some(input) = create("input").and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) else { return };
    input.set_type("file");
    input.set_multiple(several);
    let chosen = input.clone();
    // The listener lives as long as the input, which the browser keeps while its dialog is open.
    EventListener::once(&input, "change", move |_| then(chosen.files())).forget();
    input.click();
}
