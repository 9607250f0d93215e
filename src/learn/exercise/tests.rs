//! The page of an exercise that asks for a program, as it is read.

use yew::prelude::*;

use crate::learn::ExercisePage;
use crate::learn::teacher::state::tests::programs::{
    BEST_FIT, FIRST_FIT, LINK, begun_writing, checked, looked_at, typed,
};
use crate::learn::teacher::state::tests::{act, assigned};
use crate::shell::state::State;
use crate::shell::state::action::{Action, SettingsAction, TeachAction};
use crate::testing::{Screen, screen};
use memplan_core::text::Locale;

fn page(state: &State) -> Screen {
    screen(state.clone(), html! { <ExercisePage /> })
}

#[test]
fn a_program_stands_beside_the_plan_and_is_handed_in_once_it_is_checked() {
    let state = begun_writing(LINK);
    let before = page(&state);
    assert_eq!(before.text("#write-asks"), "Write a program that does what free list best fit does");
    assert_eq!(before.all("#write-code, #write-code-check, #region-stepper").len(), 3);
    assert!(before.all("#write-next, #predict-button, .program-sets").is_empty());
    let right = page(&checked(state, BEST_FIT));
    assert_eq!(right.texts(".program-sum"), ["6 of 6 sets right"]);
    assert_eq!(right.all(".program-sets li.right").len(), 6);
    assert!(right.all("#write-next").len() == 1 && right.all(".program-failed").is_empty());
}

#[test]
fn the_first_difference_is_told_and_drawn() {
    let state = checked(begun_writing(LINK), FIRST_FIT);
    let wrong = page(&state);
    assert_eq!(wrong.texts(".program-sum"), ["0 of 6 sets right"]);
    assert_eq!(wrong.all(".program-sets li.differs").len(), 6);
    let told = wrong.texts(".program-failed > p");
    assert!(told[0].starts_with("Set 1: Your program puts ") && told[0].contains("; best fit puts it at "), "{told:?}");
    assert_eq!(wrong.all(".program-plans figure").len(), 1, "the planner's plan stands beside it");
    let zh = page(&state.reduce(Action::Settings(SettingsAction::Locale(Locale::Zh))));
    assert!(zh.texts(".program-failed > p")[0].starts_with("第 1 组"));
}

#[test]
fn every_set_has_a_name_and_can_be_looked_at() {
    let state = checked(begun_writing(LINK), FIRST_FIT);
    let shown = page(&state);
    assert_eq!(shown.texts(".program-sets button")[2], "3 ≠");
    assert!(shown.labels(".program-sets button")[2].starts_with("Set 3: another place in frame "));
    assert_eq!(shown.attributes(".program-sets [aria-pressed=true]", "data-set"), ["1"]);
    let words = [state.speech().word("write.set-elsewhere"), state.speech().word("write.sets-show")];
    assert_eq!(shown.texts(".program-legend span"), [format!("≠ {}", words[0]), words[1].clone()]);
    let document = |state: &State| state.document.open.as_ref().expect("open").bytes.clone();
    let third = looked_at(state.clone(), 3);
    assert_eq!(page(&third).attributes(".program-sets [aria-pressed=true]", "data-set"), ["3"]);
    assert!(page(&third).texts(".program-failed > p")[0].starts_with("Set 3: "));
    assert!(document(&third) != document(&state), "its buffers are opened");
    assert_eq!(document(&looked_at(third, 1)), document(&state));
    // A set that is right can be looked at, too, and stays right.
    let right = looked_at(checked(begun_writing(LINK), BEST_FIT), 2);
    assert_eq!(page(&right).texts(".program-sum"), ["6 of 6 sets right"]);
    assert!(page(&right).texts(".program-failed > p")[0].starts_with("Set 2: "));
    let changed = page(&typed(right, FIRST_FIT));
    assert_eq!(changed.all(".program-sets button[disabled]").len(), 6, "a changed program has other sets");
}

#[test]
fn a_mistake_stands_below_its_line() {
    let wrong = page(&checked(begun_writing(LINK), "fn place(buffer, gaps) {\n    gaps[0].sise\n}"));
    assert_eq!(wrong.attributes("#write-code-mistake", "data-line"), ["2"]);
    assert_eq!(wrong.attributes("#write-code", "aria-invalid"), ["true"]);
    let sets = wrong.all(".program-sets li.stopped, .program-sets li.left").len();
    assert_eq!((sets, wrong.all(".program-plans").len()), (6, 0));
}

#[test]
fn the_program_can_be_handed_in_with_the_code() {
    let state = act(checked(begun_writing(LINK), BEST_FIT), TeachAction::Finish(1_800_000_000));
    let done = page(&state);
    assert!(done.text("#exercise-code").contains(&assigned(&state).code));
    assert_eq!(done.all("#exercise-copy-program").len(), 1);
    assert!(done.all("#exercise-pictures").is_empty());
}
