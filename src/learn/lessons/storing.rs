//! What was done in the lessons, kept in the browser.

use yew::prelude::*;

use crate::browser::kept::{keep_text, kept_text};
use crate::learn::lessons::state::progress::Learned;
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction};

/// What it is kept under.
const ENTRY: &str = "memplan.learn.1";

/// Under which an entry of another version is put aside.
const ASIDE: &str = "memplan.learn.aside";

/// Reads what was done at the first render and keeps every change.
#[hook]
pub fn use_learned(state: &State, send: &Callback<Action>) {
    let keeps = state.settings.keeps();
    {
        let send = send.clone();
        use_effect_with((), move |()| {
            let Some(text) = kept_text(ENTRY).filter(|_| keeps) else { return };
            match Learned::read(&text) {
                Some(learned) => send.emit(Action::Learn(LearnAction::Learned(learned))),
                None => keep_text(ASIDE, &text),
            }
        });
    }
    let before = use_mut_ref(Learned::default);
    use_effect_with(state.learning.learned.clone(), move |learned| {
        // Nothing is kept before what was kept is read.
        if before.replace(learned.clone()) != *learned && keeps {
            let elsewhere = kept_text(ENTRY).and_then(|text| Learned::read(&text)).unwrap_or_default();
            keep_text(ENTRY, &learned.clone().with(elsewhere).text());
        }
    });
}
