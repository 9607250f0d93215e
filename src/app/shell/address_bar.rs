//! Keeps the fragment of the address and the state in step, both ways.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::dom::{on_window, until_then};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref};
use crate::app::browser::later::later;
use crate::app::browser::location::{browser_language, fragment, whole_address, write_fragment};
use crate::app::browser::visit::{remember, remembered};
use crate::app::context::kept::{older_is_missing, open_kept};
use crate::app::context::open::{Purpose, fetch_example, open_address, open_example, open_start};
use crate::app::model::diffing::Older;
use crate::app::model::document::Origin;
use crate::app::model::panels::Mode;
use crate::app::model::recent::MAX_KEPT;
use crate::app::model::remote::reach;
use crate::app::model::visit::Visit;
use crate::app::state::action::{
    Action, CompareAction, DocumentAction, GameAction, IntroductionAction, LearnAction, SettingsAction, TeachAction,
    ViewAction,
};
use crate::app::state::address::{Address, Target};
use crate::app::state::diffing::DiffChange;
use crate::app::state::settings::Settings;
use crate::app::state::{State, address};
use crate::base::Message;
use crate::import::Answers;

/// The address is written at most this often, in milliseconds.
const WRITE_EVERY: u32 = 250;

/// The last address that was read or written, so that our own writing is not taken for a visit.
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
        let (known, send, settings) = (known.clone(), send.clone(), state.settings.clone());
        use_effect_with((), move |_| {
            let visit = move || {
                let fragment = fragment();
                if known.borrow().fragment != fragment || fragment.is_empty() {
                    // The entry visited is whatever the visit leads to: writing it adds no step.
                    *known.borrow_mut() = Known { fragment: fragment.clone(), entry: String::new() };
                    arrive(&fragment, &settings, &send);
                }
            };
            visit();
            until_then(on_window("hashchange", move |_| visit()))
        });
    }
    // A part of another page leaves no steps in that one's history. A document that is asked about
    // or on its way has the address until it is there, or not wanted.
    let is_settled = state.document.life.is_idle() && state.document.remote.is_none();
    let learns = state.view.mode == Mode::Learn;
    let has_address = learns || state.document.open.is_some() && is_settled;
    // The link of an exercise stays as it is.
    let is_exercise = state.teaching.assigned.is_some();
    let has_address = has_address && state.settings.embed.is_none() && !is_exercise;
    {
        // Who leaves the index of the lessons before anything was opened begins at the start.
        let (send, has_document) = (send.clone(), state.document.open.is_some());
        let learned = use_mut_ref(|| false);
        use_effect_with(learns, move |&learns| {
            if learned.replace(learns) && !learns && !has_document {
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
        format!("{origin:?} {}", state.document.planner)
    };
    let visit = (state.introduction.is_over() && state.settings.keeps() && !is_exercise).then(|| {
        let document = state.document.open.as_ref();
        // What the browser does not keep cannot be gone back to.
        let is_kept = document.is_some_and(|document| document.bytes.size() <= MAX_KEPT);
        let address = written.clone().filter(|_| is_kept).unwrap_or_default();
        Visit { folded: state.introduction.folded, address }
    });
    use_effect_with((written, visit), move |(written, visit)| {
        // Where a visit led to is written at once, so that the next step, however soon, is a step
        // from there.
        let arrives = known.borrow().entry.is_empty();
        until_then(written.clone().map(|written| {
            let visit = visit.clone();
            later(if arrives { 0 } else { WRITE_EVERY }, move || {
                write(&mut known.borrow_mut(), written, entry);
                visit.iter().for_each(remember);
            })
        }))
    });
}

fn write(known: &mut Known, fragment: String, entry: String) {
    if known.fragment == fragment {
        known.entry = entry;
        return;
    }
    let is_step = !known.entry.is_empty() && known.entry != entry;
    if write_fragment(&fragment, is_step) {
        known.fragment = fragment;
        known.entry = entry;
    }
}

/// Goes where the address leads. Without one, a first visit begins with the introduction, and a
/// later one where the last ended.
fn arrive(fragment: &str, settings: &Settings, send: &Callback<Action>) {
    if fragment.starts_with("exercise=") {
        send.emit(Action::Settings(SettingsAction::Locale(browser_language())));
        return send.emit(Action::Teach(TeachAction::Open(fragment.into())));
    }
    send.emit(Action::Teach(TeachAction::Leave));
    let keeps = settings.keeps();
    let visit = if keeps { remembered() } else { Some(Visit::default()) };
    match visit {
        None if fragment.is_empty() => {
            send.emit(Action::Settings(SettingsAction::Locale(browser_language())));
            open_start(send.clone());
        }
        visit => {
            let last = visit.as_ref().map(|visit| visit.address.clone()).unwrap_or_default();
            if let Some(visit) = visit.filter(|_| keeps) {
                send.emit(Action::Introduction(IntroductionAction::Return(visit)));
            }
            follow(address::read(if fragment.is_empty() { &last } else { fragment }), settings, send);
        }
    }
}

fn follow(address: Address, settings: &Settings, send: &Callback<Action>) {
    let Address { target, old, place, mut restored, unknown } = address;
    restored.locale = Some(restored.locale.unwrap_or_else(browser_language));
    if restored.learn.is_some() || restored.teach.is_some() || restored.game.is_some() {
        // A lesson brings planner and options itself.
        restored.locale.into_iter().for_each(|locale| send.emit(Action::Settings(SettingsAction::Locale(locale))));
        restored.theme.into_iter().for_each(|theme| send.emit(Action::Settings(SettingsAction::Theme(theme))));
        send.emit(match (restored.game, restored.teach, restored.learn) {
            (Some(link), ..) => Action::Game(GameAction::Open(Box::new(link))),
            (_, Some(part), _) => Action::Teach(TeachAction::Corner(part)),
            (None, None, place) => Action::Learn(LearnAction::Open(place.unwrap_or_default())),
        });
        send.emit(Action::View(ViewAction::Present(restored.present)));
        return;
    }
    if restored.diff.is_some() {
        send.emit(Action::Compare(CompareAction::Diff(DiffChange::Forget)));
    }
    if !matches!(target, Target::Remote(_)) {
        send.emit(Action::Document(DocumentAction::Restore(Box::new(restored.clone()))));
    }
    if !unknown.is_empty() {
        send.emit(Action::View(ViewAction::Toast(Message::new("toast.unknown-keys").text("keys", unknown.join(", ")))));
    }
    if let Some(old) = old {
        follow_older(old, settings, send);
    }
    match target {
        Target::Example(name) => open_example(name, Some(place), send.clone()),
        Target::Inline(name, bytes) => {
            send.emit(Action::Document(DocumentAction::Open {
                origin: Origin::File(name),
                bytes,
                choices: Answers::default(),
                place: Some(place),
            }));
        }
        Target::Remote(file) => open_address(file, Some((restored, place)), send),
        // Not even whether it was ever opened here is for others to know.
        Target::Local(file) if settings.stranger => {
            send.emit(Action::Document(DocumentAction::Awaits { file, place }));
        }
        Target::Local(file) => open_kept(file, Purpose::Open(Some(place)), send.clone()),
    }
}

/// Takes the older document of a link.
fn follow_older(target: Target, settings: &Settings, send: &Callback<Action>) {
    let diff = |change| send.emit(Action::Compare(CompareAction::Diff(change)));
    match target {
        Target::Example(name) => fetch_example(name, Purpose::Older, send.clone()),
        Target::Inline(name, bytes) => {
            diff(DiffChange::Older(Older { origin: Origin::File(name), bytes, choices: Answers::default() }))
        }
        Target::Remote(address) => {
            let reach = reach(&address, &whole_address());
            diff(DiffChange::Await(address, reach));
        }
        Target::Local(file) if settings.stranger => send.emit(older_is_missing(file)),
        Target::Local(file) => open_kept(file, Purpose::Older, send.clone()),
    }
}
