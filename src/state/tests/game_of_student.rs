//! Games that are exercises of students.

use super::game::*;
use super::*;
use crate::state::action::{GameAction, TeachAction};
use crate::state::stage::Stage;

#[test]
fn a_student_packs_by_link_and_hands_in() {
    let link = "exercise=1&seed=7&difficulty=1&plan=first-fit&kind=pack&pass=2&of=3&id=p1";
    let teach = |state: State, action: TeachAction| answered(state.reduce_one(Action::Teach(action)));
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let assigned = |state: &State| state.teaching.assigned.clone().expect("an exercise");
    assert_eq!((assigned(&state).stage, assigned(&state).failure), (Stage::Asking, None));
    assert!(state.game_shown().is_some() && state.learning.learned.is_empty());
    let proved = game(&state).proved.clone().expect("known");
    // Nobody looks at a planner's plan here, or leaves the game.
    let kept = act(state.clone(), GameAction::Show(Some("first-fit".into())));
    assert_eq!(game(&kept).shown, None);
    let mut done = state;
    for (id, offset) in proved.rung.offsets.enumerate() {
        done = act(act(done, GameAction::Lift(id, offset.expect("placed"), 0)), GameAction::Drop);
    }
    assert_eq!(done.exercise_progress().map(|act| (act.right, act.passed)), Some((3, true)));
    let done = teach(done, TeachAction::Finish(1_800_000_000));
    let outcome = assigned(&done).outcome;
    assert_eq!((assigned(&done).stage, outcome.right, outcome.of, outcome.helped), (Stage::Done, 3, 3, false));
    let read = memplan_teach::exercise::code::read(&assigned(&done).code).expect("a code");
    assert!(read.is_of("Ann") && read.outcome == outcome && done.missed_rules().is_empty());
    assert!(done.learning.learned.is_empty(), "nothing is kept of an exercise");
    // The same for all: a document.
    let link = "exercise=1&doc=ex:learn/nine-blocks&plan=first-fit&kind=pack&pass=1&of=3";
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Bob".into())), TeachAction::Begin);
    assert_eq!(assigned(&state).stage, Stage::Making);
    // The game begins before the exact search is done.
    let state = one_answer(state.reduce_one(Action::Game(GameAction::Fetched(Some(NINE.to_vec().into())))));
    assert_eq!((assigned(&state).stage, game(&state).proved.is_none()), (Stage::Asking, true));
    let begun = answered(state.clone());
    assert_eq!((game(&begun).is_goal_proved(), game(&begun).tray().map(|tray| tray.ids().count())), (true, Some(9)));
    // Whoever hands in earlier gets the marks that are known later.
    let finish = Action::Teach(TeachAction::Finish(1_800_000_000));
    let waits = state.reduce_one(finish);
    assert_eq!((assigned(&waits).stage, waits.teaching.wanted.is_some()), (Stage::Coding, true));
    let done = answered(waits);
    assert_eq!(
        (assigned(&done).stage, assigned(&done).outcome.right, assigned(&done).code.is_empty()),
        (Stage::Done, 0, false)
    );
}

#[test]
fn the_optimum_counts_for_those_who_hand_in_before_it_is_proved() {
    // The bound of these buffers is 6, and no plan is below 7.
    let exact = include_bytes!("../../../www/graphs/cases/exact.json");
    let link = "exercise=1&doc=ex:cases/exact&plan=first-fit&kind=pack&pass=1&of=3";
    let teach = |state: State, action: TeachAction| state.reduce_one(Action::Teach(action));
    let state = answered(teach(State::default(), TeachAction::Open(link.into())));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let mut state = one_answer(state.reduce_one(Action::Game(GameAction::Fetched(Some(exact.to_vec().into())))));
    let best = game(&answered(state.clone())).proved.clone().expect("proved");
    assert_eq!(best.floor, 7);
    for (id, offset) in best.rung.offsets.enumerate() {
        for action in [GameAction::Lift(id, offset.expect("placed"), 0), GameAction::Drop] {
            state = state.reduce_one(Action::Game(action));
        }
    }
    assert!(!game(&state).marks()[2], "nobody knows yet");
    let done = answered(teach(state, TeachAction::Finish(1_800_000_000)));
    let assigned = done.teaching.assigned.as_ref().expect("an exercise");
    assert_eq!(
        (assigned.stage, assigned.outcome.right),
        (Stage::Done, game(&done).marks().iter().filter(|reached| **reached).count() as u8)
    );
    assert!(game(&done).marks()[2]);
}
