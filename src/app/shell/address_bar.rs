//! Keeps the fragment of the address and the state in step, both ways.

use std::rc::Rc;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::location::{browser_language, fragment};
use crate::app::context::kept::open_kept;
use crate::app::context::open::{open_address, open_example};
use crate::app::model::document::Origin;
use crate::app::state::action::{Action, DocumentAction, ViewAction};
use crate::app::state::address::{Address, Target};
use crate::app::state::{State, address};
use crate::base::Message;
use crate::import::Answers;

/// The address is written at most this often, in milliseconds.
const WRITE_EVERY: u32 = 250;

/// What the address last said, so that our own writing is not taken for a visit.
#[derive(Default)]
struct Known {
    fragment: String,
    /// Document and planner of the last entry: changing them is a step that Back undoes.
    entry: String,
}

#[hook]
pub fn use_address_bar(state: Rc<State>, send: Callback<Action>) {
    let known = use_mut_ref(Known::default);
    {
        let (known, send) = (known.clone(), send.clone());
        use_effect_with((), move |_| {
            let visit = move || {
                let fragment = fragment();
                if known.borrow().fragment != fragment || fragment.is_empty() {
                    // The entry visited is whatever the visit leads to: writing it adds no step.
                    *known.borrow_mut() = Known { fragment: fragment.clone(), entry: String::new() };
                    follow(address::read(&fragment), &send);
                }
            };
            visit();
            until_then(web_sys::window().map(|window| EventListener::new(&window, "hashchange", move |_| visit())))
        });
    }
    // A part of another page leaves no steps in that one's history.
    let has_address = state.document.open.is_some() && state.document.life.is_idle() && state.settings.embed.is_none();
    let written = has_address.then(|| address::write(&state));
    let entry = format!(
        "{:?} {}",
        state.document.open.as_ref().map(|document| document.origin.clone()),
        state.document.planner
    );
    use_effect_with(written, move |written| {
        // Where a visit led to is written at once, so that the next step, however soon, is a step from there.
        let arrives = known.borrow().entry.is_empty();
        until_then(written.clone().map(|written| {
            Timeout::new(if arrives { 0 } else { WRITE_EVERY }, move || write(&mut known.borrow_mut(), written, entry))
        }))
    });
}

fn write(known: &mut Known, fragment: String, entry: String) {
    if known.fragment == fragment {
        known.entry = entry;
        return;
    }
    let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
    let address = format!("#{fragment}");
    let pushes = !known.entry.is_empty() && known.entry != entry;
    // A page that may not write its address (a sandboxed frame) works without.
    let _ = if pushes {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
    known.fragment = fragment;
    known.entry = entry;
}

fn follow(address: Address, send: &Callback<Action>) {
    let mut restored = address.restored;
    restored.locale = Some(restored.locale.unwrap_or_else(browser_language));
    send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
    if !address.unknown.is_empty() {
        send.emit(Action::View(ViewAction::Toast(
            Message::new("toast.unknown-keys").text("keys", address.unknown.join(", ")),
        )));
    }
    let place = address.place;
    match address.target {
        Target::Example(name) => open_example(name, Some(place), send.clone()),
        Target::Inline(name, bytes) => {
            send.emit(Action::Document(DocumentAction::Open {
                origin: Origin::File(name),
                bytes,
                choices: Answers::default(),
                place: Some(place),
            }));
        }
        Target::Remote(address) => open_address(address, Some(place), send.clone()),
        Target::Local(file) => open_kept(file, place, send.clone()),
    }
}
