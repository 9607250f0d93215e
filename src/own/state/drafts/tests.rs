//! Several programs: their names, and that they stand beside each other.

use std::collections::BTreeSet;

use super::DRAFTS;
use crate::compare::state::Change;
use crate::compare::state::comparison::{Compared, Sheet};
use crate::open::state::link::LinkPlace;
use crate::own::state::action::OwnAction;
use crate::own::state::kept::{DELETED, Kept, KeptProgram};
use crate::own::state::names::{LETTERS, clean_name};
use crate::own::state::tests::{LAST_FIT, act, follow, followed, opened_own, settled, text, typed, waiting, written};
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, ViewAction};
use crate::shell::state::address;
use crate::shell::state::panels::Mode;
use crate::testing::done;
use memplan_core::text::Speech;
use memplan_engine::{OwnProgram, OwnTask, PlannerChoice, Task};

const ZERO: &str = "fn place(buffer, gaps) { if gaps.len() > 1 { gaps[0].start } else { gaps[-1].start } }";

fn names(state: &State) -> Vec<&str> {
    state.own.drafts().iter().map(|draft| &*draft.name).collect()
}

fn own(state: State, action: OwnAction) -> State {
    act(state, Action::Own(action))
}

/// Brings the program back that was deleted last.
fn bring_back(state: State) -> State {
    let key = state.own.deleted().last().expect("one was deleted").key();
    own(state, OwnAction::BringBack(key))
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
    let state = own(state, OwnAction::Rename("beta".into()));
    for empty in ["", "  ", ".rhai", "?|"] {
        assert_eq!(names(&own(state.clone(), OwnAction::Rename(empty.into())))[2], "beta.rhai", "{empty}");
    }
}

#[test]
fn long_names_stay_different_and_as_they_are() {
    let long = "一".repeat(LETTERS);
    let state = own(own(typed(written(), LAST_FIT), OwnAction::Rename(long.into())), OwnAction::Duplicate);
    let state = (0..9).fold(state, |state, _| state.reduce(Action::Own(OwnAction::Duplicate)));
    let named: BTreeSet<&str> = names(&state).into_iter().collect();
    assert_eq!(named.len(), 11, "{named:?}");
    assert!(named.iter().all(|name| *clean_name(name) == **name), "{named:?}");
    // They bear the same names at the next visit.
    let kept = state.own.to_keep().expect("written");
    let again = opened_own().reduce(Action::Own(OwnAction::Kept(kept)));
    assert_eq!(names(&again), names(&state));
}

/// What the page says for a moment.
fn says(state: &State) -> Option<&str> {
    state.view.toast.as_ref().map(|(_, message)| &*message.key)
}

#[test]
fn a_full_list_takes_no_more_and_says_so() {
    let add = |state: State, _| state.reduce(Action::Own(OwnAction::Duplicate));
    let full = (1..DRAFTS).fold(typed(written(), LAST_FIT), add);
    assert_eq!((full.own.drafts().len(), says(&full)), (DRAFTS, None));
    for more in [OwnAction::New, OwnAction::Duplicate, OwnAction::File("a.rhai".into(), ZERO.into())] {
        let same = full.reduce(Action::Own(more));
        assert_eq!((names(&same), says(&same)), (names(&full), Some("own.full")));
        assert_eq!(same.own.at(), full.own.at());
    }
    // The program of a link waits until there is room for it.
    let link = address::write(&typed(written(), ZERO));
    let kept = full.own.to_keep().expect("written");
    let state = opened_own().reduce(Action::Own(OwnAction::Kept(kept)));
    let asks = follow(state, &link, false, LinkPlace::default());
    let refused = own(asks.clone(), OwnAction::Agree);
    assert_eq!((waiting(&refused), says(&refused)), (vec![ZERO], Some("own.full")));
    let agreed = own(own(refused, OwnAction::Delete), OwnAction::Agree);
    assert_eq!((text(&agreed), agreed.own.drafts().len()), (Some(ZERO), DRAFTS));
    assert_eq!(says(&bring_back(agreed)), Some("own.full"));
    // What other tabs have written is there all the same.
    let other: Vec<KeptProgram> = (0..2 * DRAFTS)
        .map(|number| KeptProgram { name: String::new(), code: format!("// {number}").into() })
        .collect();
    let many = opened_own().reduce(Action::Own(OwnAction::Kept(Kept { programs: other, ..Kept::default() })));
    assert_eq!(many.own.drafts().len(), 2 * DRAFTS);
}

#[test]
fn the_last_letters_are_kept_although_the_editor_closed() {
    let state = two();
    let of = state.own.key();
    let late = format!("{ZERO}// the last letters");
    let closed = act(state, Action::Document(DocumentAction::Planner("best-fit".into())));
    assert_eq!(closed.own.to_keep().and_then(|kept| kept.code().map(String::from)).as_deref(), Some(ZERO));
    let late = own(closed, OwnAction::Type(of, late.as_str().into()));
    assert!(!late.own.open);
    let kept = late.own.to_keep().expect("written");
    assert!(kept.code().is_some_and(|code| code.ends_with("// the last letters")));
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
    let seen = other.clone();
    assert_eq!(kept.with(other, &seen).programs.len(), 1, "what is kept does not bring it back");
    let back = bring_back(state);
    assert_eq!((names(&back).len(), text(&back)), (2, Some(ZERO)));
    let last = own(own(back, OwnAction::Delete), OwnAction::Delete);
    assert_eq!(last.own.drafts().len(), 1, "there is always one to write in");
    assert!(last.is_own_shown());
}

#[test]
fn every_deleted_program_comes_back_even_after_a_reload() {
    let gone = |state: &State| state.own.deleted().iter().map(|draft| draft.name.to_string()).collect::<Vec<_>>();
    let three = own(own(two(), OwnAction::Duplicate), OwnAction::Rename("third".into()));
    let state = (0..3).fold(three, |state, _| own(state, OwnAction::Delete));
    assert_eq!(gone(&state), ["third.rhai", "my_planner_2.rhai", "my_planner.rhai"]);
    let kept = Kept::read(&state.own.to_keep().expect("there is always one").text()).expect("it reads back");
    let again = opened_own().reduce(Action::Own(OwnAction::Kept(kept)));
    assert_eq!(gone(&again), gone(&state));
    let second = again.own.deleted()[1].key();
    let back = own(again, OwnAction::BringBack(second));
    assert_eq!((text(&back), gone(&back).len()), (Some(ZERO), 2));
    let back = bring_back(bring_back(back));
    assert_eq!((text(&back), gone(&back).len()), (Some(ZERO), 0), "the copy was deleted first");
    // Those that were deleted first go, not the last ones.
    let many = (0..=DELETED).fold(back, |state, _| own(state, OwnAction::Duplicate));
    let mut expected = Vec::new();
    let many = (0..=DELETED).fold(many, |state, _| {
        expected.push(state.own.name().to_string());
        own(state, OwnAction::Delete)
    });
    assert_eq!(gone(&many), expected[1..]);
}

fn codes(state: &State) -> Vec<&str> {
    state.own.drafts().iter().map(|draft| &*draft.code).collect()
}

#[test]
fn what_is_typed_lands_in_its_program_even_if_another_one_was_opened() {
    let state = beside(two());
    let of = state.own.key();
    let late = format!("{ZERO}// the last letters");
    let state = own(own(state, OwnAction::Select(0)), OwnAction::Type(of, late.as_str().into()));
    assert_eq!((codes(&state), text(&state)), (vec![LAST_FIT, &*late], Some(LAST_FIT)));
    assert!(state.is_own_shown());
    // The comparison has the text of now.
    let ids: Vec<&str> = state.comparing.columns.iter().map(|column| &*column.choice.planner).collect();
    assert_eq!(ids[1], OwnProgram::named("my_planner_2.rhai", &late).id);
    assert!(state.comparing.columns[1].plan().is_some());
    // A program that was never planned by takes its place beside others all the same.
    let state = own(state, OwnAction::New);
    let of = state.own.key();
    let state = own(own(state, OwnAction::Open(0)), OwnAction::Type(of, format!("{ZERO}// new").into()));
    assert_eq!(codes(&state)[2], format!("{ZERO}// new"));
    let state = beside(state);
    assert_eq!(columns(&state), ["my_planner.rhai", "my_planner_2.rhai", "my_planner_3.rhai"]);
}

#[test]
fn a_program_deleted_while_it_is_read_is_not_ranked() {
    let sheet = Action::Compare(CompareAction::Change(Change::Sheet(Sheet::Ranking)));
    let state = beside(two());
    let late = OwnAction::Type(state.own.key(), format!("{ZERO}// late").into());
    // The ranking has begun before the program changes.
    let actions = [sheet, Action::Own(OwnAction::Select(0)), Action::Own(late)];
    let mut state = actions.into_iter().fold(state, |state, action| state.reduce(action));
    let mut reads = None;
    while reads.is_none() {
        state = done(state);
        reads = match state.job().and_then(|job| job.task.as_deref()) {
            Some(Task::Own(OwnTask::Read(program))) => Some(PlannerChoice::of(&program.id)),
            _ => None,
        };
    }
    let reads = reads.expect("it is read");
    assert!(state.comparing.ranking.is_some() && !state.comparing.unranked.contains(&reads));
    let read = done(state.clone());
    assert!(read.comparing.unranked.contains(&reads));
    let gone = state.reduce(Action::Own(OwnAction::Select(1))).reduce(Action::Own(OwnAction::Delete));
    assert!(!done(gone).comparing.unranked.contains(&reads));
}

#[test]
fn what_is_typed_is_kept_even_if_its_program_went() {
    let state = two();
    let of = state.own.key();
    let late = format!("{ZERO}// the last letters");
    let gone = own(own(state, OwnAction::Delete), OwnAction::Type(of, late.as_str().into()));
    assert_eq!(codes(&gone), [LAST_FIT]);
    assert_eq!(codes(&bring_back(gone)), [LAST_FIT, &*late]);
    // A file takes the place of the first program, which was being changed.
    let state = written();
    let of = state.own.key();
    let state = own(state, OwnAction::File("mine.rhai".into(), LAST_FIT.into()));
    assert_eq!(codes(&state), [LAST_FIT]);
    let state = own(state, OwnAction::Type(of, late.as_str().into()));
    assert_eq!((codes(&state), text(&state)), (vec![LAST_FIT, &*late], Some(LAST_FIT)));
    assert_eq!(names(&state), ["mine.rhai", "my_planner.rhai"]);
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
