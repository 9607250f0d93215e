//! The keyboard. One table says what keys ask for (`src/shell/state/keys`); letters act outside
//! fields only and can be switched off.

use std::rc::Rc;

use gloo_events::EventListenerOptions;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::{active, by_id, focus, focus_element, is_field, on_window_with, until_then};
use crate::browser::later::once_drawn;
use crate::context::keys::command;
use crate::context::open::pick_files;
use crate::shell::state::State;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::keys::{Command, Place};
use crate::shell::state::panels::{Mode, Tab};

#[hook]
pub fn use_shortcuts(state: Rc<State>, send: Callback<Action>, copy_link: Callback<()>) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state;
    use_effect_with((), move |_| {
        let options = EventListenerOptions::enable_prevent_default();
        until_then(on_window_with("keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let state = latest.borrow().clone();
            if event.default_prevented() {
                return;
            }
            if act(event, &state, &send, &copy_link) {
                event.prevent_default();
            }
        }))
    });
}

/// Does what a key asks for; returns whether it did.
fn act(event: &KeyboardEvent, state: &State, send: &Callback<Action>, copy_link: &Callback<()>) -> bool {
    let presenting = state.presenting();
    let places: &[Place] = match state.view.mode {
        _ if presenting.is_some() => &[Place::Present],
        Mode::Compare | Mode::Diff => &[Place::Compare, Place::Page],
        Mode::Step if state.is_asking() => &[Place::Question, Place::Page],
        Mode::Learn => &[Place::Lesson, Place::Page],
        Mode::Step | Mode::Edit | Mode::Fit => &[Place::Page],
    };
    let asked = places.iter().find_map(|&place| command(event, place));
    let Some(asked) = asked.filter(|asked| may(*asked, event, state)) else { return false };
    // Whoever presses a key in front of a blank screen wants to see the plan again.
    if presenting.is_some_and(|presenting| presenting.blank) {
        send.emit(Action::View(ViewAction::Blank));
        return true;
    }
    match asked {
        Command::Open => pick_files(state.settings.locale, send.clone()),
        Command::Link => copy_link.emit(()),
        Command::Graph => show(send, Tab::Graph, &["graph-rows"]),
        Command::Buffers => show(send, Tab::Buffers, &["buffer-rows"]),
        // One of them is there: planners show trees, free lists or tables.
        Command::State => show(send, Tab::State, &["section-rows", "block-rows", "tree-rows"]),
        Command::Why => show(send, Tab::Why, &["why-panel"]),
        Command::NextRegion => cycle_regions(false),
        Command::PreviousRegion => cycle_regions(true),
        _ => {
            let Some(action) = state.asked(asked) else { return false };
            send.emit(action);
        }
    }
    true
}

/// Whether a key may act here: in a field letters are text, on a button Space presses it, and
/// letters can be switched off.
fn may(asked: Command, event: &KeyboardEvent, state: &State) -> bool {
    let holds = event.ctrl_key() || event.meta_key();
    match asked {
        // Fields take back what was typed in them by themselves.
        Command::Undo | Command::Redo => !is_field(event.target()),
        Command::NextRegion | Command::PreviousRegion | Command::Escape => true,
        Command::Open | Command::Save | Command::Picture | Command::Find if holds => true,
        _ if is_field(event.target()) => false,
        // Who reads by keyboard does not leave the scene by an arrow.
        Command::Next
        | Command::Previous
        | Command::NextBuffer
        | Command::PreviousBuffer
        | Command::First
        | Command::Last
            if is_in_text(event.target()) =>
        {
            false
        }
        Command::Play | Command::CheckPlace => !is_button(event.target()),
        // Signs of one letter; all other keys have names.
        _ => state.settings.single_keys || event.key().chars().nth(1).is_some(),
    }
}

/// Opens a panel and moves the focus into it once it is there.
fn show(send: &Callback<Action>, tab: Tab, ids: &'static [&'static str]) {
    match tab {
        Tab::Graph | Tab::Buffers => send.emit(Action::View(ViewAction::LeftTab(tab))),
        _ => {}
    }
    send.emit(Action::View(ViewAction::RightTab(tab)));
    once_drawn(move || {
        let found = ids.iter().find_map(|id| by_id(id));
        let is_drawn = found.is_some();
        focus_element(found);
        is_drawn
    });
}

/// Whether the focus is in the text of a lesson, where arrows, Home and End belong to reading.
fn is_in_text(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| element.closest(".lesson-text").ok().flatten().is_some())
}

fn is_button(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY"))
}

/// Moves the focus to the next region of the page.
fn cycle_regions(back: bool) {
    const REGIONS: [&str; 5] = ["region-header", "region-left", "region-stage", "region-stepper", "region-right"];
    let present: Vec<&str> = REGIONS.into_iter().filter(|id| by_id(id).is_some()).collect();
    let active = active();
    let inside = |id: &&str| by_id(id).is_some_and(|region| region.contains(active.as_deref()));
    // In the comparison the right one stands inside the stage.
    let here = present.iter().rposition(inside);
    let count = present.len();
    let next = match (here, back) {
        _ if count == 0 => return,
        (Some(here), false) => (here + 1) % count,
        (Some(here), true) => (here + count - 1) % count,
        (None, _) => 0,
    };
    focus(present[next]);
}
