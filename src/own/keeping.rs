//! The user's programs are kept while they are written, and are there at the next visit. Each tab
//! has its own list; a new one begins with that which was written last.

use yew::prelude::*;

use crate::browser::kept::{keep_here, keep_in_tab, keep_text, kept_here, kept_text};
use crate::own::state::kept::Kept;
use crate::shell::state::State;
use crate::shell::state::action::{Action, OwnAction};

/// What the list of programs is kept under.
const PROGRAMS: &str = "memplan.own-planners";

/// What the program in the editor is kept under, which was the only one before there was a list.
const PROGRAM: &str = "memplan.own-planner";

/// Brings the programs of the last visit, and keeps the present ones.
#[hook]
pub fn use_own_programs(state: &State, send: &Callback<Action>) {
    let keeps = state.settings.keeps();
    // The programs of this tab, as it read or wrote them last.
    let seen = use_mut_ref(Kept::default);
    {
        let (send, begun) = (send.clone(), seen.clone());
        use_effect_with((), move |_| {
            let in_tab = || kept_here(PROGRAMS).and_then(|text| Kept::read(&text));
            let of_all = || kept_text(PROGRAMS).and_then(|text| Kept::read(&text));
            // Of visits before there were lists: of this tab, and of the one that wrote last.
            let alone = kept_here(PROGRAM).and_then(|text| Kept::of_text(&text));
            let last = || kept_text(PROGRAM).and_then(|text| Kept::of_text(&text));
            let of_visits = || match (of_all().or_else(last), alone) {
                (Some(all), Some(alone)) => Some(all.with(alone, &Kept::default())),
                (all, alone) => all.or(alone),
            };
            let found = in_tab().or_else(of_visits).filter(|_| keeps);
            found.into_iter().for_each(|kept| {
                begun.borrow_mut().clone_from(&kept);
                send.emit(Action::Own(OwnAction::Kept(kept)));
            });
        });
    }
    let written = state.own.to_keep().filter(|_| keeps);
    use_effect_with(written, move |written| {
        let Some(kept) = written else { return };
        keep_in_tab(PROGRAMS, &kept.text());
        let others = kept_text(PROGRAMS).and_then(|text| Kept::read(&text)).unwrap_or_default();
        keep_text(PROGRAMS, &kept.clone().with(others, &seen.borrow()).text());
        seen.borrow_mut().clone_from(kept);
        kept.code().into_iter().for_each(|text| keep_here(PROGRAM, text));
    });
}
