//! Keeps the fragment of the address and the state in step, both ways.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::{on_window, until_then};
use crate::browser::location::{browser_language, fragment, is_ours, whole_address, write_fragment};
use crate::browser::visit::{remember, remembered};
use crate::context::kept::open_kept;
use crate::context::open::{Purpose, fetch_example, open_start};
use crate::open::state::recent::MAX_KEPT;
use crate::shell::state::action::{Action, IntroductionAction, SettingsAction, TeachAction};
use crate::shell::state::arriving::{Arrival, Fetch, FetchFrom, LinkSource, arrival};
use crate::shell::state::panels::Mode;
use crate::shell::state::settings::Settings;
use crate::shell::state::visit::Visit;
use crate::shell::state::{State, address};
use gloo_timers::callback::Timeout;
use memplan_engine::is_own;

/// The address is written at most this often, in milliseconds.
const WRITE_EVERY: u32 = 250;

/// The last address that was read or written, so that our own writing is not taken for a visit.
#[derive(Default)]
struct Known {
    fragment: String,
    /// Whether all programs in it are the reader's own.
    ours: bool,
    /// Document and planner of the last entry: changing them is a step that Back undoes.
    entry: String,
}

#[hook]
pub fn use_address_bar(state: Rc<State>, send: Callback<Action>) {
    let known = use_mut_ref(Known::default);
    {
        let (known, send, settings) = (known.clone(), send.clone(), state.settings.clone());
        use_effect_with((), move |_| {
            let visit = move || {
                let fragment = fragment();
                if known.borrow().fragment != fragment || fragment.is_empty() {
                    // The entry visited is whatever the visit leads to: writing it adds no step.
                    *known.borrow_mut() = Known { fragment: fragment.clone(), ours: is_ours(), entry: String::new() };
                    arrive(&fragment, &settings, &send);
                }
            };
            visit();
            until_then(on_window("hashchange", move |_| visit()))
        });
    }
    // A part of another page leaves no steps in that one's history.
    let has_address = state.writes_address();
    let learns = state.view.mode == Mode::Learn;
    let is_exercise = state.teaching.assigned.is_some();
    {
        // Who leaves Learn before anything was opened begins at the start, unless a link leads on.
        let (send, is_blank) = (send.clone(), state.is_blank());
        let learned = use_mut_ref(|| false);
        use_effect_with(learns, move |&learns| {
            if learned.replace(learns) && is_blank {
                open_start(send);
            }
        });
    }
    let written = has_address.then(|| address::write(&state));
    let entry = if learns {
        let game = state.game.as_ref().map(|game| (game.link.kind, &game.link.of));
        format!("learn {:?} {:?} {game:?}", state.learning.place.lesson, state.teaching.corner)
    } else {
        let origin = state.document.open.as_ref().map(|document| document.origin.clone());
        match is_own(&state.document.planner) {
            // Each change of a program makes another planner, and is no step.
            true => format!("{origin:?} own {}", state.view.mode == Mode::Compare),
            false => format!("{origin:?} {}", state.document.planner),
        }
    };
    // What waits for the reader's consent is another's.
    let ours = state.own.link.is_none();
    let visit = (state.introduction.is_over() && state.settings.keeps() && !is_exercise).then(|| {
        let document = state.document.open.as_ref();
        // What the browser does not keep cannot be gone back to.
        let is_kept = document.is_some_and(|document| document.bytes.size() <= MAX_KEPT);
        let address = written.clone().filter(|_| is_kept).unwrap_or_default();
        Visit { folded: state.introduction.folded, ours, address }
    });
    use_effect_with((written, ours, visit), move |(written, ours, visit)| {
        let ours = *ours;
        // Where a visit led to is written at once, so that the next step, however soon, is a step
        // from there.
        let arrives = known.borrow().entry.is_empty();
        until_then(written.clone().map(|written| {
            let visit = visit.clone();
            Timeout::new(if arrives { 0 } else { WRITE_EVERY }, move || {
                write(&mut known.borrow_mut(), written, ours, entry);
                visit.iter().for_each(remember);
            })
        }))
    });
}

fn write(known: &mut Known, fragment: String, ours: bool, entry: String) {
    let is_same = known.fragment == fragment;
    if is_same && known.ours == ours {
        known.entry = entry;
        return;
    }
    let is_step = !is_same && !known.entry.is_empty() && known.entry != entry;
    if write_fragment(&fragment, is_step, ours) {
        *known = Known { fragment, ours, entry };
    }
}

/// Goes where the address leads. Without one, a first visit begins with the introduction, and a
/// later one where the last ended.
fn arrive(fragment: &str, settings: &Settings, send: &Callback<Action>) {
    if fragment.starts_with("exercise=") {
        return follow(fragment, settings, is_ours(), send);
    }
    let keeps = settings.keeps();
    let visit = if keeps { remembered() } else { Some(Visit::default()) };
    match visit {
        None if fragment.is_empty() => {
            send.emit(Action::Teach(TeachAction::Leave));
            send.emit(Action::Settings(SettingsAction::Locale(browser_language())));
            open_start(send.clone());
        }
        visit => {
            let last = visit.clone().unwrap_or_default();
            if let Some(visit) = visit.filter(|_| keeps) {
                send.emit(Action::Introduction(IntroductionAction::Return(visit)));
            }
            match fragment {
                "" => follow(&last.address, settings, last.ours, send),
                _ => follow(fragment, settings, is_ours(), send),
            }
        }
    }
}

fn follow(fragment: &str, settings: &Settings, ours: bool, send: &Callback<Action>) {
    let from = LinkSource { stranger: settings.stranger, ours };
    let Arrival { actions, fetches } = arrival(fragment, browser_language(), &whole_address(), from);
    actions.into_iter().for_each(|action| send.emit(action));
    for Fetch { from, place } in fetches {
        let purpose = place.map_or(Purpose::Older, |place| Purpose::Open(Some(place)));
        match from {
            FetchFrom::Example(name) => fetch_example(name, purpose, send.clone()),
            FetchFrom::Kept(file) => open_kept(file, purpose, send.clone()),
        }
    }
}
