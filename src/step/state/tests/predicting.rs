//! Questions about what the planner does next: what they hide, and what the answers change.

use crate::learn::lessons::state::progress::{PredictBest, predict_entry};
use crate::open::state::document::Origin;
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, PredictAction, StepAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Mode;
use crate::testing::{TEACHING, done, opened};
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::BufferId;
use memplan_engine::START;
use memplan_formats::import::Answers;
use memplan_replay::Level;
use memplan_replay::{Run, why};
use memplan_teach::exercise::Verdict;
use std::rc::Rc;

fn predict(state: State, action: PredictAction) -> State {
    state.reduce_one(Action::Predict(action))
}

fn step(state: State, motion: Motion) -> State {
    state.reduce_one(Action::Step(StepAction::Move(motion)))
}

/// The first question of a planner about the example.
fn asked(planner: &str) -> State {
    let planned = opened().reduce_one(Action::Document(DocumentAction::Planner(planner.into())));
    let state = predict(step(planned, Motion::First), PredictAction::Toggle);
    assert!(state.is_asking(), "{planner}");
    state
}

fn run(state: &State) -> Rc<Run> {
    state.document.run.clone().expect("planned")
}

/// The state after a guess for the open question.
fn guessed(state: State, offset: u64) -> State {
    guessed_at(state, Place { pool: PoolId(0), offset })
}

fn guessed_at(state: State, place: Place) -> State {
    predict(predict(state, PredictAction::Choose(place)), PredictAction::Check)
}

/// The place that the planner will take.
fn truth(state: &State) -> Place {
    let run = run(state);
    let decision = run.timeline.decisions[state.predicting.known as usize];
    run.frame(decision.end).places[decision.buffer].expect("placed")
}

/// Answers everything as the planner does, and goes on to the next question.
fn right(state: State) -> State {
    let place = truth(&state);
    step(guessed_at(state, place), Motion::Next)
}

#[test]
fn a_step_on_asks_and_only_an_answer_reveals() {
    // A and E have one place each: they are shown, and the first question is about B.
    let state = asked("first-fit");
    assert_eq!((state.frame(), state.hides(), state.frames()), (2, Some(2), 9));
    // The next frame cannot be stepped, played, run or looked for.
    for action in [
        StepAction::Move(Motion::Next),
        StepAction::Move(Motion::NextBuffer),
        StepAction::Play(true),
        StepAction::Tick,
        StepAction::RunTo { forward: true },
        StepAction::Level(Level::All),
    ] {
        let after = state.reduce(Action::Step(action.clone()));
        assert_eq!((after.frame(), after.is_asking(), after.stepping.playing), (2, true, false), "{action:?}");
        assert_eq!(after.stepping.level, Level::Decisions);
    }
    let answered = guessed(state, 1000);
    assert_eq!((answered.frame(), answered.is_asking(), answered.hides()), (3, false, Some(3)));
    let (decision, answer) = answered.answer_here().expect("an answer");
    assert_eq!((decision, answer.verdict), (2, Some(Verdict::Right)));
    // G fits nowhere but on top, so the next one asks about C; going back shows answers, which
    // stand.
    let next = step(answered, Motion::Next);
    assert!(next.is_asking() && next.frame() == 4 && next.answer_here().is_none());
    let back = step(next, Motion::Previous);
    assert!(!back.is_asking() && back.answer_here().is_some());
    assert!(step(step(back, Motion::Next), Motion::Next).is_asking());
}

#[test]
fn nothing_that_comes_is_in_the_state_that_is_shown() {
    for planner in ["first-fit", "inductor-tree", "tvm-relay", "executorch-suite", "exact"] {
        let mut state = asked(planner);
        while let Some(known) = state.hides() {
            let whole = run(&state);
            let until_now = Rc::new(whole.prefix(known));
            let shown = state.masked(until_now.clone());
            let frame = until_now.frame(shown.stepping.cursor);
            assert_eq!((shown.frame(), shown.frames()), (state.frame(), state.frames()), "{planner}");
            assert_eq!(until_now.metrics.peak, frame.peak, "{planner}: the peak so far");
            assert_eq!((until_now.metrics.ratio, until_now.metrics.waste, until_now.metrics.optimal), (None, 0, None));
            let coming = whole.timeline.decisions[known as usize].buffer;
            assert!(
                until_now.plan.places[coming].is_none() && shown.asked_buffer(&until_now) == Some(coming),
                "{planner}"
            );
            assert!(until_now.timeline.decisions[known as usize..].iter().all(|decision| !decision.grew), "{planner}");
            // What a search found before its first placement is a part of the answer.
            assert!(why(&until_now, &until_now.frame(0)).notes.is_empty(), "{planner}");
            // The scale follows the bound and what is known.
            let drawn = |run: &Run| {
                let index =
                    crate::step::state::predicting::index_so_far(memplan_scene::Index::of(run), run, known, false);
                index.pools().iter().map(|pool| (pool.extent, pool.end)).collect::<Vec<_>>()
            };
            assert!(drawn(&until_now).iter().all(|(extent, end)| end <= extent), "{planner}");
            state = right(state);
        }
        assert!(state.is_predicted() && state.at_end(), "{planner}");
        assert_eq!(state.score().right, state.score().of, "{planner}: the planner's own answers are right");
    }
}

#[test]
fn a_next_question_is_offered_only_where_one_follows() {
    for planner in ["first-fit", "tflite-arena", "executorch-greedy", "tvm-relay"] {
        let mut state = asked(planner);
        while state.hides().is_some() {
            let place = truth(&state);
            state = guessed_at(state, place);
            let last = state.predicting.last;
            let next = step(state.clone(), Motion::Next);
            assert_eq!(next.is_asking(), !last, "{planner} after {}", state.frame());
            state = next;
        }
    }
}

#[test]
fn the_scale_does_not_use_the_plan_that_comes() {
    let state = asked("inductor-tree");
    let height = |known: u32| {
        let until_now = run(&state).prefix(known);
        crate::step::state::predicting::index_so_far(memplan_scene::Index::of(&until_now), &until_now, known, false)
            .pools()[0]
            .extent
    };
    // 1.18 times the lower bound of 1704, until a place needs more: on top of 1664, C would end at
    // 2264.
    assert_eq!((0..8).map(height).collect::<Vec<_>>(), [2010, 2010, 2513, 2513, 2513, 2513, 2513, 2513]);
}

#[test]
fn an_answer_counts_once_and_what_is_shown_is_not_right() {
    let state = predict(asked("first-fit"), PredictAction::Show);
    assert_eq!((state.frame(), state.score().right, state.score().of), (3, 0, 1));
    assert_eq!(state.score().missed.len(), 1);
    // Checking again answers nothing: no question is open.
    let again = guessed(state.clone(), 1000);
    assert_eq!(again.score(), state.score());
    // Nor does a check without a choice.
    let open = predict(step(state, Motion::Next), PredictAction::Check);
    assert!(open.is_asking() && open.predicting.answers.len() == 1);
}

#[test]
fn a_jump_asks_before_it_skips_questions() {
    let state = right(asked("first-fit"));
    for far in [StepAction::Seek(6), StepAction::Move(Motion::Last), StepAction::SeekBuffer(BufferId(5))] {
        let asks = state.reduce(Action::Step(far.clone()));
        let (frame, count) = asks.predicting.skip.expect("it asks first");
        assert_eq!((asks.frame(), asks.is_asking(), count), (4, true, frame - 4), "{far:?}");
        let stays = predict(asks.clone(), PredictAction::Stay);
        assert!(stays.predicting.skip.is_none() && stays.is_asking());
        let goes = predict(asks, PredictAction::Skip);
        assert_eq!((goes.frame(), goes.score().right, goes.predicting.answers.len() as u32), (frame, 1, frame - 3));
        assert!(goes.score().missed.is_empty(), "nothing was tried");
    }
    // What is known needs no question.
    let back = state.reduce(Action::Step(StepAction::Seek(0)));
    assert!(back.predicting.skip.is_none() && back.frame() == 0 && !back.is_asking());
}

#[test]
fn the_best_run_of_an_example_is_kept() {
    let entry = predict_entry("teaching", "first-fit");
    let best = |state: &State| state.learning.learned.best.get(&entry).copied().and_then(PredictBest::read);
    // D, the sixth, is one of the questions that count.
    let play = |mut state: State, missed: Option<u32>| {
        while let Some(known) = state.hides() {
            let shows = missed == Some(known);
            state = if shows { step(predict(state, PredictAction::Show), Motion::Next) } else { right(state) };
        }
        state
    };
    let once = play(asked("first-fit"), Some(5));
    assert_eq!(best(&once), Some(PredictBest { right: 4, of: 5 }));
    // What was answered again, knowing the answers, is no better result.
    let mut again = predict(once, PredictAction::AgainFromMiss);
    while again.hides().is_some() {
        again = right(again);
    }
    assert_eq!(best(&again), Some(PredictBest { right: 4, of: 5 }));
    assert_eq!(best(&play(asked("first-fit"), None)), Some(PredictBest { right: 5, of: 5 }));
    // A file of one's own has no card.
    let open = DocumentAction::Open {
        origin: Origin::File("teaching".into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: None,
    };
    let own = done(State::default().reduce(Action::Document(open)));
    let own = own.reduce_one(Action::Document(DocumentAction::Planner("first-fit".into())));
    let own = predict(step(own, Motion::First), PredictAction::Toggle);
    assert_eq!(best(&play(own, None)), None);
}

#[test]
fn the_end_leads_back_to_what_was_missed() {
    let mut state = asked("first-fit");
    // D, the sixth, goes on top, where nothing grows; all others are right.
    while let Some(known) = state.hides() {
        state = match known {
            5 => step(guessed(state, 1704), Motion::Next),
            _ => right(state),
        };
    }
    let score = state.score();
    assert_eq!((score.right, score.of, score.alarms), (4, 5, 1));
    assert_eq!(score.missed.iter().map(|missed| missed.rule.as_str()).collect::<Vec<_>>(), ["rule.first-fit.split"]);
    let from_miss = predict(state.clone(), PredictAction::AgainFromMiss);
    assert_eq!((from_miss.frame(), from_miss.is_asking(), from_miss.hides()), (5, true, Some(5)));
    assert_eq!((from_miss.score().of, from_miss.predicting.again), (2, 1));
    // C and D split a place: nothing else is asked.
    let mut kinds = predict(state, PredictAction::AgainKinds);
    let mut decisions = Vec::new();
    while let Some(known) = kinds.hides() {
        decisions.push(known);
        kinds = right(kinds);
    }
    assert_eq!(decisions, [4, 5]);
    assert!(kinds.is_predicted() && kinds.at_end() && kinds.score().of == 2);
}

#[test]
fn the_keys_choose_and_check() {
    let pressed = |state: State, command: Command| {
        let action = state.asked(command).expect("an action");
        state.reduce_one(action)
    };
    let first = opened().reduce_one(Action::Document(DocumentAction::Planner("first-fit".into())));
    let asks = pressed(step(first, Motion::First), Command::Predict);
    assert!(asks.is_asking() && asks.predicting.chosen.is_none());
    // B: above A, onto the bytes of E, or on top of it; not where A lies.
    let chosen = |state: &State| state.predicting.chosen.map(|place| place.offset);
    let mut below = vec![pressed(asks, Command::PlaceBelow)];
    (0..2).for_each(|at| below.push(pressed(below[at].clone(), Command::PlaceBelow)));
    let mut offsets: Vec<Option<u64>> = below.iter().map(chosen).collect();
    assert_eq!(chosen(&pressed(below[2].clone(), Command::PlaceBelow)), offsets[2], "there is none below it");
    assert_eq!(chosen(&pressed(below[1].clone(), Command::PlaceAbove)), offsets[0]);
    assert_eq!(chosen(&pressed(below[0].clone(), Command::PlaceAbove)), offsets[0], "there is none above it");
    offsets.sort_unstable();
    assert_eq!(offsets, [Some(0), Some(1000), Some(1256)]);
    let second = pressed(pressed(below.remove(1), Command::CheckPlace), Command::Next);
    assert_eq!((second.frame(), second.predicting.answers.len()), (4, 1));
    assert!(!pressed(second, Command::Predict).predicting.on);
}

#[test]
fn only_runs_with_decisions_ask_and_say_why_not() {
    for (planner, why) in [("naive", "predict.off-apart"), ("lower-bound", "predict.off-figure")] {
        let state = opened().reduce_one(Action::Document(DocumentAction::Planner(planner.into())));
        assert!(!state.can_predict());
        let state = predict(state, PredictAction::Toggle);
        assert!(!state.predicting.on && state.hides().is_none());
        assert_eq!(state.view.toast.map(|(_, until_now)| until_now.key.into_owned()).as_deref(), Some(why));
    }
}

#[test]
fn other_modes_and_other_plans_begin_anew() {
    let state = right(asked("first-fit"));
    for mode in [Mode::Edit, Mode::Compare] {
        let other = state.reduce(Action::View(ViewAction::Mode(mode)));
        assert!(!other.predicting.on && other.hides().is_none(), "{mode:?}");
    }
    let other = state.clone().reduce_one(Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(other.is_asking() && other.score().of == 0 && run(&other).planner == "best-fit");
    // Peaks of planners are told when nothing is asked.
    let peaks = |state: &State| {
        state.picks(true).iter().filter(|pick| matches!(pick.peak, crate::planners::state::Peak::Found(_))).count()
    };
    assert_eq!((peaks(&state), peaks(&predict(state.clone(), PredictAction::Toggle))), (0, 1));
}

#[test]
fn a_movement_that_goes_nowhere_leaves_the_question_open() {
    let state = predict(step(opened(), Motion::First), PredictAction::Toggle);
    assert!(state.is_asking());
    let chosen = predict(state, PredictAction::Neighbour { up: false });
    assert!(chosen.predicting.chosen.is_some());
    let still = chosen.reduce(Action::Step(StepAction::Seek(chosen.frame())));
    assert!(still.is_asking() && still.predicting.chosen.is_some());
}

#[test]
fn a_link_asks_at_its_frame() {
    let address = crate::shell::state::address::read("doc=ex:teaching&plan=inductor-tree&f=7&predict=1");
    assert!(address.restored.predict && address.unknown.is_empty());
    let restored = Restored { predict: true, ..address.restored };
    let state = State::default().reduce_one(Action::Document(DocumentAction::Restore(Box::new(restored))));
    let state = state.reduce_one(Action::Document(DocumentAction::Open {
        origin: Origin::Example(START.into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: Some(address.place),
    }));
    assert_eq!((state.frame(), state.is_asking(), state.hides()), (7, true, Some(7)));
    // Another link in the same tab: the run of before stays as it was known until its own is there.
    let restored = Restored { predict: true, ..Restored::default() };
    let other = step(opened(), Motion::Last).reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    assert_eq!((other.hides(), other.frame()), (None, 8));
    assert!(!other.is_predicted(), "nothing was asked yet");
    // Its file is none: questions are over, and the run of before is gone through as always.
    let failed = other.reduce_one(Action::Document(DocumentAction::Open {
        origin: Origin::File("notes.txt".into()),
        bytes: b"hello".to_vec().into(),
        choices: Answers::default(),
        place: Some(LinkPlace::default()),
    }));
    assert!(!failed.predicting.on && failed.document.notice.is_some());
    let link = crate::shell::state::address::write(&state);
    assert!(link.contains("f=7") && link.contains("predict=1"), "{link}");
    let over = predict(state, PredictAction::Toggle);
    assert!(!crate::shell::state::address::write(&over).contains("predict"));
}

#[test]
fn an_audience_sees_the_answer_with_the_next_step() {
    let state = asked("first-fit").reduce(Action::View(ViewAction::Present(true)));
    assert!(state.presenting().is_some() && state.is_asking());
    let shown = step(state, Motion::Next);
    assert_eq!((shown.frame(), shown.is_asking()), (3, false));
    let next = step(shown, Motion::Next);
    assert_eq!((next.frame(), next.is_asking()), (4, true));
}
