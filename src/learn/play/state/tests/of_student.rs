//! Games that are exercises of students.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::play::state::action::BoardField;
use crate::learn::play::state::tests::*;
use crate::learn::teacher::state::form::Field;
use crate::shell::state::State;
use crate::shell::state::action::{Action, GameAction, TeachAction};

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
    let exact = include_bytes!("../../../../../www/graphs/cases/exact.json");
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

/// What the teacher's table says of a game: the verdict's key, right answers and goals.
fn checked(link: &str, play: impl FnOnce(State) -> State) -> (String, u8, u8) {
    const FINISHED: u64 = 1_800_000_000;
    let teach = |state: State, action: TeachAction| answered(state.reduce_one(Action::Teach(action)));
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let done = teach(play(state), TeachAction::Finish(FINISHED));
    let assigned = done.teaching.assigned.clone().expect("an exercise");
    assert_eq!(assigned.stage, Stage::Done);
    let speech = memplan_core::text::Speech::default();
    let kind = assigned.task.as_ref().expect("read").kind;
    let line = memplan_teach::exercise::code::line("Ann", (&assigned.outcome, kind), &assigned.code, speech);
    let corner = [(Field::Links, format!("#{link}")), (Field::Lines, line)];
    let written = corner.into_iter().fold(State::default(), |state, (field, text)| {
        state.reduce_one(Action::Teach(TeachAction::Write(field, text)))
    });
    let list = teach(written, TeachAction::Check(FINISHED)).teaching.checked.clone().expect("a table");
    let [row] = list.rows.as_slice() else { panic!("{} rows", list.rows.len()) };
    let outcome = row.outcome.expect("a code");
    (row.verdict.key.to_string(), outcome.right, outcome.of)
}

#[test]
fn what_a_student_hands_in_is_what_the_teacher_reads() {
    let link = |kind: &str, of: u8, pass: u8| {
        format!("exercise=1&seed=7&difficulty=1&plan=first-fit&kind={kind}&pass={pass}&of={of}")
    };
    let in_optimal_places = |state: State| {
        let proved = game(&state).proved.clone().expect("proved");
        let turns = game(&state).tray().map(|tray| tray.turns()).unwrap_or_default();
        turns.into_iter().fold(state, |state, id| {
            let at = proved.rung.offsets[id].expect("placed");
            act(act(state, GameAction::Lift(id, at, 0)), GameAction::Drop)
        })
    };
    let at_the_lowest = |state: State| {
        let turns = game(&state).tray().map(|tray| tray.turns()).unwrap_or_default();
        turns.into_iter().fold(state, |state, id| act(act(state, GameAction::Lift(id, 0, 0)), GameAction::Drop))
    };
    for kind in ["pack", "tetris"] {
        let best = checked(&link(kind, 3, 3), in_optimal_places);
        assert_eq!(best, ("code.passed".to_string(), 3, 3), "{kind}");
        // As first fit places them, which is above the bound for each instance.
        let (verdict, right, of) = checked(&link(kind, 3, 3), at_the_lowest);
        assert_eq!((verdict.as_str(), of), ("code.below-goals", 3), "{kind}");
        assert!(right < 3, "{kind}: {right}");
        assert_eq!(
            checked(&link(kind, 3, 1), |state| state),
            ("code.below-goals".to_string(), 0, 3),
            "{kind}: nothing lies"
        );
    }
    let in_best_order = |state: State| {
        let best = game(&state).deal.as_ref().map(|deal| deal.best_order.1.clone()).expect("a deal");
        best.iter().enumerate().fold(state, |state, (to, row)| {
            let order = game(&state).ordering().map(|ordering| ordering.order.clone()).unwrap_or_default();
            let from = order.iter().position(|other| other == row).expect("a row");
            act(state, GameAction::Move(from, to))
        })
    };
    assert_eq!(checked(&link("order", 2, 2), in_best_order), ("code.passed".to_string(), 2, 2));
    assert_eq!(checked(&link("order", 2, 1), |state| state), ("code.below-goals".to_string(), 0, 2));
    let broken = |state: State| {
        let board = [(0, 80, 0, 1), (1, 16, 0, 3), (2, 96, 1, 2), (3, 96, 2, 3)];
        let state = act(state, GameAction::Add(0));
        board.into_iter().fold(state, |state, (row, kib, from, to)| {
            let fields = [(BoardField::To, 8), (BoardField::From, from), (BoardField::To, to), (BoardField::Size, kib)];
            fields
                .into_iter()
                .fold(state, |state, (field, value)| act(state, GameAction::Write(row, field, value.to_string())))
        })
    };
    let link = "exercise=1&plan=first-fit&kind=break&beat=1.70&of=1";
    assert_eq!(checked(link, broken), ("code.passed".to_string(), 1, 1));
    assert_eq!(checked(link, |state| state), ("code.not-beaten".to_string(), 0, 1));
}
