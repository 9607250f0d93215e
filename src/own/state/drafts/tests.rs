//! Several programs: their names, and that they stand beside each other.

use super::{DRAFTS, clean_name};
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::own::state::action::OwnAction;
use crate::own::state::kept::{Kept, KeptProgram};
use crate::own::state::tests::{LAST_FIT, act, followed, opened_own, settled, text, typed, waiting, written};
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, ViewAction};
use crate::shell::state::address;
use crate::shell::state::panels::Mode;
use memplan_core::text::Speech;
use memplan_engine::PlannerChoice;

const ZERO: &str = "fn place(buffer, gaps) { if gaps.len() > 1 { gaps[0].start } else { gaps[-1].start } }";

fn names(state: &State) -> Vec<&str> {
    state.own.drafts().iter().map(|draft| &*draft.name).collect()
}

fn own(state: State, action: OwnAction) -> State {
    act(state, Action::Own(action))
}

/// Two programs of one user, the second one in the editor.
fn two() -> State {
    typed(own(typed(written(), LAST_FIT), OwnAction::New), ZERO)
}

/// Puts all programs of the user, and nothing else, side by side.
fn beside(state: State) -> State {
    let ids = state.own.drafts().iter().filter_map(|draft| draft.planner());
    let choices = ids.map(PlannerChoice::of).collect();
    let compared = Compared { choices, ..Compared::default() };
    let state = state.reduce(Action::View(ViewAction::Mode(Mode::Compare)));
    act(state, Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))))
}

fn columns(state: &State) -> Vec<String> {
    let words = |choice: &PlannerChoice| choice.words(Speech::default());
    state.comparing.columns.iter().map(|column| words(&column.choice)).collect()
}

#[test]
fn names_are_those_of_files_and_no_two_are_one() {
    let cases = [
        ("  best of mine ", "best of mine.rhai"),
        ("Mine.RHAI", "Mine.rhai"),
        ("a|b;c/d.rhai", "abcd.rhai"),
        ("", "my_planner.rhai"),
        ("最佳", "最佳.rhai"),
    ];
    for (typed, expected) in cases {
        assert_eq!(&*clean_name(typed), expected);
    }
    assert_eq!(clean_name(&"x".repeat(99)).len(), 40 + ".rhai".len());
    let state = own(own(written(), OwnAction::New), OwnAction::Duplicate);
    assert_eq!(names(&state), ["my_planner.rhai", "my_planner_2.rhai", "my_planner_3.rhai"]);
    let state = own(state, OwnAction::Rename("my_planner".into()));
    assert_eq!(names(&state)[2], "my_planner_3.rhai", "that name is taken");
    let full = (0..2 * DRAFTS).fold(state, |state, _| state.reduce(Action::Own(OwnAction::New)));
    assert_eq!(full.own.drafts().len(), DRAFTS);
}

#[test]
fn two_programs_of_one_user_stand_side_by_side_by_name() {
    let state = beside(two());
    assert_eq!(columns(&state), ["my_planner.rhai", "my_planner_2.rhai"]);
    let peaks: Vec<u64> = state
        .comparing
        .columns
        .iter()
        .map(|column| column.plan().expect("planned").found.figures.metrics.peak)
        .collect();
    assert!(peaks[0] > peaks[1], "{peaks:?}");
    // A changed text replaces its own column alone.
    let changed = typed(own(state, OwnAction::Select(0)), &format!("{LAST_FIT}// changed"));
    assert_eq!(columns(&changed), ["my_planner.rhai", "my_planner_2.rhai"]);
    let ids: Vec<Option<&str>> = changed.own.drafts().iter().map(|draft| draft.planner()).collect();
    let shown: Vec<Option<&str>> =
        changed.comparing.columns.iter().map(|column| Some(&*column.choice.planner)).collect();
    assert_eq!(shown, ids);
}

#[test]
fn a_copy_is_another_planner_and_takes_a_name() {
    let state = own(typed(written(), LAST_FIT), OwnAction::Duplicate);
    assert_eq!(text(&state), Some(LAST_FIT));
    let ids: Vec<Option<&str>> = state.own.drafts().iter().map(|draft| draft.planner()).collect();
    assert_ne!(ids[0], ids[1]);
    let state = beside(own(state, OwnAction::Rename("mine".into())));
    assert_eq!(columns(&state), ["my_planner.rhai", "mine.rhai"]);
    let run = state.document.run.as_ref().expect("planned");
    assert_eq!(memplan_planners::own_name(&run.planner), Some("mine.rhai"));
}

#[test]
fn programs_of_an_earlier_visit_are_compared_without_the_editor() {
    let kept = Kept { at: 1, ..two().own.to_keep().expect("written") };
    let state = opened_own().reduce(Action::Own(OwnAction::Kept(kept)));
    assert_eq!((names(&state).len(), text(&state), state.own.open), (2, Some(ZERO), false));
    assert_eq!(settled(state.clone()).own.ready().count(), 0, "nobody asks before they are needed");
    let state = beside(settled(state));
    assert!(state.comparing.columns.iter().all(|column| column.plan().is_some()));
    assert_eq!(state.own.ready().count(), 2);
    // Who opens one in steps has its program in the editor.
    let choice = state.comparing.columns[0].choice.clone();
    let scope = state.document.scope.clone();
    let state = act(state, Action::Compare(CompareAction::OpenInSteps { choice, scope }));
    assert_eq!((text(&state), state.is_own_shown()), (Some(LAST_FIT), true));
}

#[test]
fn a_deleted_program_is_gone_and_comes_back() {
    let state = own(two(), OwnAction::Delete);
    assert_eq!((names(&state), text(&state)), (vec!["my_planner.rhai"], Some(LAST_FIT)));
    assert!(state.is_own_shown());
    let kept = state.own.to_keep().expect("one is left");
    let other =
        Kept { programs: vec![KeptProgram { name: "my_planner_2.rhai".into(), code: ZERO.into() }], ..Kept::default() };
    let seen = other.programs.clone();
    assert_eq!(kept.with(other, &seen).programs.len(), 1, "what is kept does not bring it back");
    let back = own(state, OwnAction::BringBack);
    assert_eq!((names(&back).len(), text(&back)), (2, Some(ZERO)));
    let last = own(own(back, OwnAction::Delete), OwnAction::Delete);
    assert_eq!(last.own.drafts().len(), 1, "there is always one to write in");
    assert!(last.is_own_shown());
}

#[test]
fn a_link_carries_names_and_two_programs_of_one_name_are_told_apart() {
    let state = own(typed(written(), LAST_FIT), OwnAction::Rename("last".into()));
    let link = address::write(&state);
    assert!(link.contains("names=last.rhai"), "{link}");
    let agreed = act(followed(&link, false, None), Action::Own(OwnAction::Agree));
    assert_eq!((names(&agreed), agreed.is_own_shown()), (vec!["last.rhai"], true));
    let again = address::write(&agreed);
    let part = |link: &str| link.split('&').find(|part| part.starts_with("plan=")).map(String::from);
    assert_eq!(part(&again), part(&link));
    // Nobody named either of them.
    let link = address::write(&beside(typed(written(), LAST_FIT)));
    assert!(!link.contains("names="), "{link}");
    let asks = followed(&link, false, Some(ZERO));
    assert_eq!(waiting(&asks), [LAST_FIT]);
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    assert_eq!(names(&agreed), ["my_planner.rhai", "my_planner_2.rhai"]);
    assert_eq!((columns(&agreed), text(&agreed)), (vec!["my_planner_2.rhai".to_string()], Some(LAST_FIT)));
}

#[test]
fn a_planner_chosen_elsewhere_is_ranked_beside_the_programs() {
    let state = act(two(), Action::Document(DocumentAction::Planner("best-fit".into())));
    let ready: Vec<&str> = state.own.ready().map(|program| &*program.name).collect();
    assert_eq!(ready, ["my_planner.rhai", "my_planner_2.rhai"]);
    assert!(!state.own.open);
}
