//! The teacher's corner, and exercises that students do.

pub mod links;
pub mod more;
pub mod programs;

use crate::learn::exercise::state::stage::Stage;
use crate::learn::exercise::state::{Assigned, first_frame};
use crate::learn::teacher::state::form::{Corner, Field};
use crate::open::state::document::Origin;
use crate::shell::state::action::{Action, DocumentAction, Motion, PredictAction, StepAction, TeachAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::{Mode, Overlay};
use crate::shell::state::{State, address};
use crate::testing::{TEACHING, opened, taught};
use memplan_core::plan::{Place, PoolId};
use memplan_formats::import::Answers;
use memplan_teach::exercise::code;
use std::rc::Rc;

pub(crate) const LINK: &str =
    "exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&help=rule&pass=4&of=6&tries=2&bits=1&id=ws7";

/// The state after an action, and after all answers of both workers.
pub(crate) fn act(state: State, action: TeachAction) -> State {
    answered(state.reduce_one(Action::Teach(action)))
}

pub(crate) fn answered(state: State) -> State {
    let Some(wanted) = state.teaching.wanted.clone() else { return state };
    answered(state.reduce_one(Action::Teach(TeachAction::Answered(wanted.number, Some(taught(&wanted.request))))))
}

pub(crate) fn assigned(state: &State) -> &Assigned {
    state.teaching.assigned.as_ref().expect("an exercise")
}

/// An exercise whose first question is open.
pub(crate) fn begun(link: &str) -> State {
    let state = act(State::default(), TeachAction::Open(link.into()));
    assert_eq!((assigned(&state).stage, assigned(&state).failure.clone()), (Stage::Ready, None));
    assert!(!assigned(&state).may_begin(), "nobody knows whose result it would be");
    act(act(state, TeachAction::Name("Ann".into())), TeachAction::Begin)
}

fn step(state: State, action: StepAction) -> State {
    state.reduce_one(Action::Step(action))
}

/// Answers the open question, right or not.
fn answer(state: State, right: bool) -> State {
    assert!(state.is_asking());
    let run = state.document.run.clone().expect("planned");
    let decision = run.timeline.decisions[state.predicting.known as usize];
    let truth = run.frame(decision.end).places[decision.buffer].expect("placed");
    let place = if right { truth } else { Place { pool: PoolId(0), offset: truth.offset + (1 << 30) } };
    let state = state.reduce_one(Action::Predict(PredictAction::Choose(place)));
    state.reduce_one(Action::Predict(PredictAction::Check))
}

/// Goes on until the next question or the end of the plan.
fn onward(state: State) -> State {
    if state.is_predicted() && state.has_next_plan() {
        return act(state, TeachAction::NextPlan);
    }
    step(state, StepAction::Move(Motion::Next))
}

#[test]
fn one_buffer_is_asked_about() {
    let link =
        |decision: u32| format!("exercise=1&doc=ex:teaching&plan=first-fit&kind=place&f={decision}&help=why&of=1");
    let fetched = |decision: u32| {
        let state = begun(&link(decision));
        assert_eq!(assigned(&state).fetched(), Some("ex:teaching"));
        let open = DocumentAction::Open {
            origin: crate::open::state::document::Origin::Example("teaching".into()),
            bytes: include_bytes!("../../../../../www/graphs/teaching.json").to_vec().into(),
            choices: Default::default(),
            place: assigned(&state).task.as_ref().map(|task| crate::learn::exercise::state::first_frame_of(task)),
        };
        crate::testing::done(state.reduce_one(Action::Document(open)))
    };
    let late = fetched(4_000_000_000);
    let why = assigned(&late).failure.as_ref().map(|why| why.key.to_string());
    assert_eq!((assigned(&late).stage, why.as_deref()), (Stage::Ready, Some("exercise.no-question")));
    let state = fetched(4);
    assert_eq!((assigned(&state).stage, state.predicting.known, state.is_asking()), (Stage::Asking, 4, true));
    let state = answer(state, true);
    assert!(state.is_full() && !state.has_next_plan());
    assert_eq!(step(state.clone(), StepAction::Move(Motion::Next)).frame(), state.frame(), "nothing comes after it");
    let state = act(state, TeachAction::Finish(1_800_000_000));
    assert_eq!(
        (assigned(&state).stage, assigned(&state).outcome.right, assigned(&state).outcome.of),
        (Stage::Done, 1, 1)
    );
}

/// Answers all questions; the first ones wrong.
pub(crate) fn done_with(mut state: State, wrong: usize) -> State {
    while !state.is_full() {
        if !state.is_asking() {
            state = onward(state);
            continue;
        }
        let right = state.marks().len() >= wrong;
        state = answer(state, right);
    }
    act(state, TeachAction::Finish(1_800_000_000))
}

#[test]
fn an_exercise_is_done_from_its_link_to_its_code() {
    let state = begun(LINK);
    assert_eq!((assigned(&state).stage, state.frame(), state.marks().len()), (Stage::Asking, state.frame(), 0));
    assert!(state.is_asking() && state.view.mode == Mode::Step && !state.document.remarks);
    let state = done_with(state, 1);
    let done = assigned(&state);
    assert_eq!((done.stage, done.outcome.right, done.outcome.of, done.outcome.attempts), (Stage::Done, 5, 6, 1));
    assert!(!done.outcome.shown && !done.outcome.helped);
    let read = code::read(&done.code).expect("a code");
    assert!(read.is_of("ann") && read.outcome == done.outcome);
    assert_eq!(read.answers, Some(vec![false, true, true, true, true, true]));
    assert_eq!(state.missed_rules().len(), 1);
    // Everybody gets the same plan again, and there are two attempts.
    let again = act(state, TeachAction::Begin);
    assert_eq!((assigned(&again).attempts, again.marks().len(), assigned(&again).stage), (2, 0, Stage::Asking));
    let again = done_with(again, 0);
    assert_eq!((assigned(&again).outcome.right, assigned(&again).may_begin()), (6, false));
}

#[test]
fn the_page_around_an_exercise_hears_how_it_goes() {
    let ready = act(State::default(), TeachAction::Open(LINK.into()));
    assert_eq!(ready.exercise_progress(), None);
    let begun = begun(LINK).exercise_progress().expect("begun");
    assert_eq!((begun.state, begun.right, begun.of, begun.passed), ("started", 0, 6, false));
    let mut state = self::begun(LINK);
    while state.marks().is_empty() {
        state = if state.is_asking() { answer(state, true) } else { onward(state) };
    }
    let first = state.exercise_progress().expect("begun");
    assert_eq!((first.state, first.right, first.answered, first.code.as_str()), ("answered", 1, 1, ""));
    let done = done_with(state, 0).exercise_progress().expect("done");
    assert_eq!((done.state, done.right, done.passed, done.code.starts_with("MP1-")), ("done", 6, true, true));
}

#[test]
fn one_plan_after_the_other_is_asked_about() {
    let state = done_with(begun(&LINK.replace("of=6", "of=40")), 0);
    let done = assigned(&state);
    assert!(done.round > 2, "{}", done.round);
    assert_eq!((done.outcome.right, done.outcome.of), (40, 40));
}

#[test]
fn a_document_ends_with_its_last_question() {
    let packed = memplan_engine::pack(TEACHING).expect("short");
    let link = format!("exercise=1&doc={packed}&name=mine&plan=first-fit&kind=predict&pass=1&of=9&bits=1");
    let mut state = begun(&link);
    while state.hides().is_some() {
        state = if state.is_asking() { answer(state, true) } else { onward(state) };
    }
    assert!(!state.has_next_plan() && !state.is_full());
    let asked = state.marks().len();
    let state = act(state, TeachAction::Finish(0));
    let outcome = assigned(&state).outcome;
    assert_eq!((usize::from(outcome.right), outcome.of), (asked, 9), "what was not asked was not answered");
}

#[test]
fn an_example_is_fetched_by_the_page() {
    let link = "exercise=1&doc=ex:teaching&plan=best-fit&kind=predict&pass=1&of=3";
    let state = begun(link);
    assert_eq!((assigned(&state).stage, assigned(&state).fetched()), (Stage::Making, Some("ex:teaching")));
    let open = DocumentAction::Open {
        origin: Origin::Example("teaching".into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: Some(first_frame()),
    };
    let state = state.reduce_one(Action::Document(open));
    assert_eq!((assigned(&state).stage, state.document.planner.as_str()), (Stage::Asking, "best-fit"));
    assert!(state.is_asking());
}

#[test]
fn nothing_leads_out_of_an_exercise() {
    let state = begun(LINK);
    let run = state.document.run.clone();
    for action in [
        Action::Document(DocumentAction::Planner("naive".into())),
        Action::Document(DocumentAction::NextPlanner { forward: true }),
        Action::View(ViewAction::Mode(Mode::Compare)),
        Action::View(ViewAction::Overlay(Some(Overlay::Help))),
        Action::View(ViewAction::Present(true)),
        Action::Predict(PredictAction::Toggle),
        Action::Step(StepAction::Move(Motion::Last)),
        Action::Step(StepAction::Seek(5)),
    ] {
        let after = state.clone().reduce_one(action.clone());
        assert_eq!(
            (after.frame(), after.is_asking(), after.predicting.skip),
            (state.frame(), true, None),
            "{action:?}"
        );
        assert!(after.view.mode == Mode::Step && after.view.overlay.is_none() && after.view.presenting.is_none());
        assert!(after.document.run.as_ref().zip(run.as_ref()).is_some_and(|(after, run)| Rc::ptr_eq(after, run)));
    }
    assert!(state.asked(Command::Next).is_some());
    // After the last question the next step would ask another one.
    let mut full = state;
    while !full.is_full() {
        full = if full.is_asking() { answer(full, true) } else { onward(full) };
    }
    let frame = full.frame();
    let stays = step(full, StepAction::Move(Motion::Next));
    assert_eq!((stays.frame(), stays.is_asking()), (frame, false));
    assert!(act(stays, TeachAction::Leave).teaching.assigned.is_none());
}

#[test]
fn help_and_answers_that_were_shown_stand_in_the_code() {
    let state = act(begun(LINK), TeachAction::Help);
    let mut state = state.reduce_one(Action::Predict(PredictAction::Show));
    // A question with one place to choose from does not count.
    while state.marks().is_empty() {
        state = onward(state).reduce_one(Action::Predict(PredictAction::Show));
    }
    let outcome = assigned(&done_with(state, 0)).outcome;
    assert!(outcome.helped && outcome.shown && outcome.right == 5);
}

#[test]
fn a_link_that_is_none_and_a_worker_that_is_gone_are_told() {
    let refused = |link: &str| {
        let state = act(State::default(), TeachAction::Open(link.into()));
        assigned(&state).failure.as_ref().map(|message| message.key.to_string())
    };
    assert_eq!(refused("exercise=2").as_deref(), Some("link.version"));
    assert_eq!(refused(&LINK.replace("kind=predict", "kind=number")).as_deref(), Some("link.missing"));
    let naive = act(
        act(
            act(State::default(), TeachAction::Open(LINK.replace("first-fit", "naive"))),
            TeachAction::Name("A".into()),
        ),
        TeachAction::Begin,
    );
    assert_eq!((assigned(&naive).stage, assigned(&naive).failure.is_some()), (Stage::Ready, true));
    let open = State::default().reduce(Action::Teach(TeachAction::Open(LINK.into())));
    let gone = open.reduce(Action::Teach(TeachAction::Answered(open.teaching.asked, None)));
    assert_eq!(assigned(&gone).failure.as_ref().map(|message| &*message.key), Some("notice.crashed"));
    let late = open.reduce(Action::Teach(TeachAction::Answered(open.teaching.asked + 1, None)));
    assert!(late.teaching.wanted.is_some(), "an answer to another request");
}

#[test]
fn the_corner_offers_what_is_open_and_checks_what_came_back() {
    let corner = act(opened(), TeachAction::Corner(Corner::Link));
    assert_eq!((corner.view.mode, corner.teaching.no_instance.clone()), (Mode::Learn, None));
    let offered = corner.offered().expect("a plan is open");
    assert_eq!((offered.doc.as_str(), offered.planner.as_str()), ("ex:teaching", corner.document.planner.as_str()));
    assert!(offered.asked.len() > 3);
    let naive = act(corner.clone(), TeachAction::Write(Field::Planner, "naive".into()));
    assert!(naive.teaching.no_instance.is_some());
    assert!(act(naive, TeachAction::Write(Field::Planner, "best-fit".into())).teaching.no_instance.is_none());
    // What a student did comes back as a row.
    let done = done_with(begun(LINK), 2);
    let kind = assigned(&done).task.as_ref().expect("read").kind;
    let sent = code::line("Ann", (&assigned(&done).outcome, kind), &assigned(&done).code, done.speech());
    let state = act(corner, TeachAction::Write(Field::Links, format!("https://example.org/#{LINK}")));
    let state =
        act(act(state, TeachAction::Write(Field::Lines, format!("{sent}\nlost"))), TeachAction::Check(u64::MAX));
    let list = state.teaching.checked.clone().expect("a table");
    let rows: Vec<(&str, Option<bool>)> = list.rows.iter().map(|row| (row.name.as_str(), row.passed)).collect();
    assert_eq!(rows, [("Ann", Some(true)), ("lost", Some(false))]);
    assert_eq!(list.missed.iter().map(|(_, times)| times).sum::<u32>(), 2);
    let wrong = act(act(state, TeachAction::Write(Field::Links, "nothing".into())), TeachAction::Check(u64::MAX));
    assert_eq!(wrong.teaching.failure.as_ref().map(|message| &*message.key), Some("link.no-exercise"));
    // A link of a lesson leads out of the corner.
    let lesson = wrong.reduce_one(Action::Learn(crate::shell::state::action::LearnAction::Open(Default::default())));
    assert_eq!(lesson.teaching.corner, None);
}

#[test]
fn a_worksheet_is_saved_or_refused() {
    let corner = act(opened(), TeachAction::Corner(Corner::Sheet));
    let state = act(corner.clone(), TeachAction::Sheet);
    let refused = state.teaching.failure.as_ref().map(|message| message.key.to_string());
    let first =
        act(corner.reduce_one(Action::Document(DocumentAction::Planner("first-fit".into()))), TeachAction::Sheet);
    let download = first.document.download.clone().expect("a file");
    assert_eq!(download.name, "teaching-worksheet.html");
    let text =
        |download: &crate::open::state::document::Download| String::from_utf8_lossy(&download.contents).into_owned();
    assert!(text(&download).contains("size:A4") && text(&download).contains("teaching"), "{refused:?}");
    let letter = act(first, TeachAction::Write(Field::Paper, "letter".into()));
    let letter = act(act(letter, TeachAction::Write(Field::Second, "best-fit".into())), TeachAction::Sheet);
    let again = letter.document.download.clone().expect("a file");
    assert!(again.number > download.number && text(&again).contains("size:letter"));
    let much = act(act(letter, TeachAction::Write(Field::Given, "99".into())), TeachAction::Sheet);
    assert_eq!(much.teaching.failure.as_ref().map(|message| &*message.key), Some("worksheet.given-too-many"));
}

#[test]
fn the_corner_has_an_address() {
    let state = act(opened(), TeachAction::Corner(Corner::Plan));
    assert_eq!(address::write(&state), "teach=plan&lang=en");
    assert_eq!(address::read("#teach=plan&lang=zh").restored.teach, Some(Corner::Plan));
    assert_eq!(address::read("#teach").restored.teach, Some(Corner::Link));
}
