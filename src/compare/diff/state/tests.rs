//! Two documents compared: which are, what is asked of the engine, and what is looked at.

use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::Older;
use crate::export::state::ModelKind;
use crate::open::state::document::{BatchFile, Origin};
use crate::open::state::request::{draft_of, order};
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::shell::state::{State, address};
use memplan_core::base::Message;
use memplan_engine::Engine;
use memplan_engine::{PlannerChoice, WriteForm};
use memplan_formats::import::Answers;
use memplan_replay::diff::Group;
use memplan_worker::WorkerReply;

pub(crate) const OLD: &str = "id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,16\nd,3,5,8\ne,4,6,8\nf,5,7,8\n";
pub(crate) const NEW: &str = "id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,64\nd,3,5,8\ne,4,6,8\ng,0,7,24\n";

fn shelved(name: &str, text: &str) -> BatchFile {
    BatchFile { name: name.into(), bytes: text.as_bytes().to_vec().into() }
}

pub(crate) fn pair(old: &str, new: &str) -> State {
    let files = vec![shelved("old.csv", old), shelved("new.csv", new)];
    settled(State::default().reduce(Action::Document(DocumentAction::OpenAll(files))))
}

/// The state once the engine has answered everything.
pub(crate) fn settled(mut state: State) -> State {
    let mut engine = Engine::default();
    while state.job().is_some() {
        state = replied(&state, &mut engine);
    }
    state
}

/// The state after the engine's answer to its job.
pub(crate) fn one_reply(state: &State) -> State {
    replied(state, &mut Engine::default())
}

fn replied(state: &State, engine: &mut Engine) -> State {
    let job = state.job().cloned().expect("a job");
    let number = job.number;
    let WorkerReply(result) = order(&job, false, draft_of(&job)).run(engine);
    state.reduce(Action::Document(DocumentAction::Answered { job: number, result: Box::new(result), written: None }))
}

fn diff(state: &State, change: DiffChange) -> State {
    settled(state.reduce(Action::Diff(change)))
}

fn name(state: &State) -> Option<String> {
    state.document.open.as_ref().map(|document| document.origin.name().to_string())
}

fn old(state: &State) -> Option<String> {
    state.diffing.old.as_ref().map(|old| old.origin.name().to_string())
}

#[test]
fn of_two_files_the_first_is_the_old_one() {
    let state = pair(OLD, NEW);
    assert_eq!(
        (state.view.mode, name(&state), old(&state)),
        (Mode::Diff, Some("new.csv".into()), Some("old.csv".into()))
    );
    let shown = state.diffing.shown().expect("they are compared").clone();
    assert!(shown.figures[1].peak > shown.figures[0].peak && !shown.is_same());
    assert_eq!((state.view.toast, state.document.notice), (None, None));
    // A page inside another one opens the first and lists both.
    let embed = State::new(crate::embed::state::read("?embed=1"), false);
    let files = vec![shelved("old.csv", OLD), shelved("new.csv", NEW)];
    let state = settled(embed.reduce(Action::Document(DocumentAction::OpenAll(files))));
    assert_eq!((state.view.mode, name(&state), old(&state)), (Mode::Step, Some("old.csv".into()), None));
}

#[test]
fn a_bad_file_of_two_leaves_the_other_one() {
    let state = pair("hello", NEW);
    assert_eq!((name(&state), old(&state), state.view.mode), (Some("new.csv".into()), None, Mode::Diff));
    let asked = state.document.notice.as_ref().map(|notice| notice.title.key.clone());
    assert_eq!(asked.as_deref(), Some("notice.faults"));
    let state = pair(OLD, "hello");
    assert_eq!((name(&state), old(&state), state.view.mode), (Some("old.csv".into()), None, Mode::Step));
    assert!(state.document.notice.is_some());
}

#[test]
fn differences_are_stepped_through_in_a_circle() {
    let state = pair(OLD, NEW);
    let shown = state.diffing.shown().expect("they are compared").clone();
    let count = shown.differences();
    assert!(count > 2 && shown.rows[count - 1].group != Group::Same, "{:?}", shown.rows);
    let mut here = state.clone();
    for number in (0..count).chain([0]) {
        here = diff(&here, DiffChange::Next { forward: true });
        let row = &shown.rows[number];
        assert_eq!((here.diffing.row(), here.diffing.pair), (Some(number), [row.old, row.new]));
    }
    let back = diff(&here, DiffChange::Next { forward: false });
    assert_eq!(back.diffing.row(), Some(count - 1));
    // A click on a plan lights the counterpart, also of what did not change.
    let of = |side: usize, name: &str| shown.sides[side].0.problem.buffer_named(name);
    let lit = diff(&back, DiffChange::Select(1, of(1, "c")));
    assert_eq!(lit.diffing.pair, [of(0, "c"), of(1, "c")]);
    let same = diff(&lit, DiffChange::Select(0, of(0, "a")));
    assert_eq!(same.diffing.pair, [of(0, "a"), of(1, "a")]);
    assert_eq!(diff(&same, DiffChange::Select(0, None)).diffing.pair, [None; 2]);
    assert_eq!(state.diffing.steps(), [shown.figures[0].step, shown.figures[1].step]);
}

#[test]
fn old_and_new_are_exchanged_and_planned_anew() {
    let state = pair(OLD, NEW);
    let peaks = |state: &State| state.diffing.shown().map(|shown| [shown.figures[0].peak, shown.figures[1].peak]);
    let [before, after] = peaks(&state).expect("they are compared");
    let turned = diff(&state, DiffChange::Swap);
    assert_eq!((name(&turned).as_deref(), old(&turned).as_deref()), (Some("old.csv"), Some("new.csv")));
    assert_eq!(peaks(&turned), Some([after, before]));
    let chosen = diff(&state, DiffChange::Planner(Some(PlannerChoice::of("naive"))));
    assert_eq!(chosen.diffing.shown().map(|shown| shown.planner.as_str()), Some("naive"));
    let refused = diff(&state, DiffChange::Planner(Some(PlannerChoice::of("imported"))));
    assert!(matches!(refused.diffing.found, Some(Err(_))), "neither has a plan");
}

#[test]
fn what_is_opened_beside_one_document_is_compared_with_it() {
    let open = |state: &State, file: &str, text: &str| {
        let BatchFile { name, bytes } = shelved(file, text);
        let (origin, choices) = (Origin::File(name), Answers::default());
        settled(state.reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place: None })))
    };
    let one = open(&State::default(), "old.csv", OLD);
    let alone = settled(one.reduce(Action::View(ViewAction::Mode(Mode::Diff))));
    assert!(alone.diffing.old.is_none() && alone.diffing.found.is_none());
    let both = open(&alone, "new.csv", NEW);
    assert_eq!((name(&both).as_deref(), old(&both).as_deref()), (Some("new.csv"), Some("old.csv")));
    // With itself nothing differs.
    let itself = Older::from(&**one.document.open.as_ref().expect("a document"));
    let itself = diff(&one, DiffChange::Older(itself));
    assert!(itself.diffing.shown().is_some_and(|shown| shown.is_same()));
}

#[test]
fn a_link_leads_to_the_same_comparison() {
    let state = pair(OLD, NEW);
    let state = diff(&state, DiffChange::WithoutWeights(true));
    let state = diff(&state, DiffChange::Planner(Some(PlannerChoice::of("worst-fit"))));
    let state = diff(&state, DiffChange::Next { forward: true });
    let text = address::write(&state);
    for part in [
        "mode=diff",
        "old=z:",
        "oldname=old.csv",
        "new=z:",
        "name=new.csv",
        "plan=worst-fit",
        "without=weights",
        "sel=",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let read = address::read(&text);
    assert!(read.unknown.is_empty(), "{:?}", read.unknown);
    let (Some(address::Target::Inline(old_name, old)), address::Target::Inline(new_name, new)) =
        (read.old, read.target)
    else {
        panic!("both documents are in the link")
    };
    let again = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(read.restored))));
    let older = Older { origin: Origin::File(old_name), bytes: old, choices: Answers::default() };
    let again = again.reduce(Action::Diff(DiffChange::Older(older)));
    let (origin, place) = (Origin::File(new_name), Some(read.place));
    let open = DocumentAction::Open { origin, bytes: new, choices: Answers::default(), place };
    let again = settled(again.reduce(Action::Document(open)));
    assert_eq!((again.diffing.pair, again.diffing.link()), (state.diffing.pair, state.diffing.link()));
    assert_eq!(address::write(&again), text);
}

#[test]
fn a_model_is_saved_with_its_plan_after_the_arena_was_told() {
    let bytes = include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite").to_vec().into();
    let (origin, choices) = (Origin::File("small.tflite".into()), Answers::default());
    let open = DocumentAction::Open { origin, bytes, choices, place: None };
    let state = settled(State::default().reduce(Action::Document(open)));
    let state = settled(state.reduce(Action::Document(DocumentAction::Planner("exact".into()))));
    assert!(state.model() == Some(ModelKind::TfLite) && state.writing.found.is_none());
    let asked = settled(state.reduce(Action::View(ViewAction::Overlay(Some(Overlay::Write)))));
    let figures = asked.writing.found.clone().expect("an answer").expect("a plan");
    assert_eq!((figures.with, figures.without), (20_480, 22_528));
    let saved = settled(asked.reduce(Action::Document(DocumentAction::Write(WriteForm::Model))));
    let file = saved.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), file.contents.get(4..8)), ("small.planned.tflite", Some(&b"TFL3"[..])));
    let table = settled(saved.reduce(Action::Document(DocumentAction::Write(WriteForm::Table))));
    assert_eq!(table.document.download.as_ref().map(|file| file.name.clone()), Some("small.plan.h".into()));
    // The plan of another planner is another one.
    let worse = settled(asked.reduce(Action::Document(DocumentAction::Planner("naive".into()))));
    let found = worse.writing.found.clone().expect("an answer").expect("a plan");
    assert!(found.with > found.without);
}

#[test]
fn a_program_is_saved_with_its_plan() {
    let bytes = include_bytes!("../../../../tests/data/executorch/tiny_add_cat.pte").to_vec().into();
    let (origin, choices) = (Origin::File("tiny.pte".into()), Answers::default());
    let open = DocumentAction::Open { origin, bytes, choices, place: None };
    let state = settled(State::default().reduce(Action::Document(open)));
    assert_eq!(state.model(), Some(ModelKind::ExecuTorch));
    let own = settled(state.reduce(Action::View(ViewAction::Overlay(Some(Overlay::Write)))));
    assert_eq!(own.writing.found, Some(Err(Message::new("tflm.own-plan"))), "the file opens with its own plan");
    let asked = settled(own.reduce(Action::Document(DocumentAction::Planner("naive".into()))));
    let figures = asked.writing.found.clone().expect("an answer").expect("a plan");
    assert!(figures.with > figures.without && figures.without == 896);
    let saved = settled(asked.reduce(Action::Document(DocumentAction::Write(WriteForm::Model))));
    let file = saved.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), file.contents.get(4..8)), ("tiny.planned.pte", Some(&b"ET12"[..])));
}
