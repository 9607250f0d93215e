//! The two programs of the page: the small one that everybody loads, and the studio with every mode, which takes its place.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use yew::AppHandle;
use yew::prelude::*;

use super::Page;
use super::compare::{Compare, add_planner};
use super::editor::Editor;
use super::page::{Root, RootProps};
use super::tabs::{document, focus};
use crate::app::handover::Handover;
use crate::app::hooks::{first_language, fragment, learn, load_studio};
use crate::text::Locale;

/// What only the studio shows.
pub struct Rooms {
    pub edit: fn() -> Html,
    pub compare: fn(bool) -> Html,
    pub add: fn(&Page) -> Html,
}

static ROOMS: Rooms =
    Rooms { edit: || html! { <Editor /> }, compare: |dark| html! { <Compare {dark} /> }, add: add_planner };

/// What a program begins with.
#[derive(Clone)]
pub struct Begin {
    pub rooms: Option<&'static Rooms>,
    pub handover: Option<Rc<Handover>>,
}

impl PartialEq for Begin {
    /// A program begins once.
    fn eq(&self, _: &Begin) -> bool {
        true
    }
}

thread_local! {
    static PAGE: RefCell<Option<AppHandle<Root>>> = const { RefCell::new(None) };
}

/// Draws the page into the document, once its words are there. A link to a comparison goes straight to the studio.
pub fn start() {
    spawn_local(async {
        let compares = fragment().split('&').any(|part| part.starts_with("cmp="));
        if compares && load_studio(JsValue::NULL).await {
            return;
        }
        if learn(first_language()).await {
            // A task of its own: reading the words took one.
            gloo_timers::callback::Timeout::new(0, || draw(Begin { rooms: None, handover: None })).forget();
        } else if let Some(notice) = document().and_then(|document| document.get_element_by_id("no-words")) {
            // Said by the document itself, in both languages.
            let _ = notice.remove_attribute("hidden");
        }
    });
}

/// Draws the whole page, in place of the small program if there was one: `leave` ends that and gives what it leaves.
///
/// # Errors
/// The words could not be fetched; nothing was ended.
pub async fn resume(leave: JsValue) -> Result<(), JsValue> {
    let root = document().and_then(|document| document.document_element());
    let spoken = root.filter(|_| leave.is_function()).and_then(|root| root.get_attribute("lang"));
    let locale = spoken.map_or_else(first_language, |tag| Locale::from_tag(&tag));
    if !learn(locale).await {
        return Err(JsValue::NULL);
    }
    let focused = document().and_then(|document| document.active_element()).map(|element| element.id());
    let mut handover = None;
    if let Some(leave) = leave.dyn_ref::<Function>() {
        // None: the user went back to what the small program shows.
        let Some(left) = leave.call0(&JsValue::NULL).ok().and_then(|left| left.dyn_into::<Uint8Array>().ok()) else {
            return Ok(());
        };
        handover = postcard::from_bytes::<Handover>(&left.to_vec()).ok().map(Rc::new);
    }
    draw(Begin { rooms: Some(&ROOMS), handover });
    if let Some(id) = focused.filter(|id| !id.is_empty()) {
        gloo_timers::callback::Timeout::new(0, move || focus(&id)).forget();
    }
    Ok(())
}

fn draw(begin: Begin) {
    let page = yew::Renderer::<Root>::with_props(RootProps { begin }).render();
    PAGE.with(|cell| *cell.borrow_mut() = Some(page));
}

/// Whether this program has not ended yet.
pub fn is_here() -> bool {
    PAGE.with(|cell| cell.borrow().is_some())
}

/// Ends this program: its worker, its listeners and everything it shows.
pub fn end() {
    let page = PAGE.with(|cell| cell.borrow_mut().take());
    page.into_iter().for_each(AppHandle::destroy);
}
