//! The user's program is kept while it is written, and is there at the next visit. Each tab has its
//! own; a new one begins with that which was written last.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::kept::{keep_here, kept_here, kept_text};
use crate::shell::state::State;
use crate::shell::state::action::{Action, OwnAction};
use memplan_planners::outside::MAX_CODE;

/// What the program is kept under.
const PROGRAM: &str = "memplan.own-planner";

/// Brings the program of the last visit, and keeps the present one.
#[hook]
pub fn use_own_program(state: &State, send: &Callback<Action>) {
    let keeps = state.settings.keeps();
    {
        let send = send.clone();
        use_effect_with((), move |_| {
            let found = kept_here(PROGRAM).or_else(|| kept_text(PROGRAM));
            let found = found.filter(|text| keeps && !text.trim().is_empty());
            let found = found.filter(|text| text.len() <= MAX_CODE);
            found.into_iter().for_each(|text| send.emit(Action::Own(OwnAction::Kept(text.into()))));
        });
    }
    let written: Option<Rc<str>> = state.own.to_keep().filter(|_| keeps);
    use_effect_with(written, move |written| {
        written.iter().for_each(|text| keep_here(PROGRAM, text));
    });
}
