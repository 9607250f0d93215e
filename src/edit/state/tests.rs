//! Editing the graph.

use crate::edit::state::draft::EditCommand;
use crate::open::state::document::Origin;
use crate::open::state::recovery::{Recovery, Tab, Unkept};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, EditAction, Motion, StepAction};
use crate::testing::{TEACHING, all, opened};
use memplan_core::graph::edit::Change;
use memplan_core::graph::edit::Draft;
use memplan_core::graph::edit::TensorField;
use memplan_engine::START;
use memplan_formats::import::Answers;

#[test]
fn editing_plans_again_at_the_same_buffer_and_undoing_restores_everything() {
    let before = all(
        opened(),
        [Action::Step(StepAction::Move(Motion::First)), Action::Step(StepAction::Move(Motion::NextBuffer))],
    );
    let placed = |state: &State| {
        let run = state.document.run.clone().expect("a run");
        let decision = run.timeline.decision_at(state.stepping.cursor).expect("a decision");
        run.problem.buffers[run.timeline.decisions[decision].buffer].name.clone()
    };
    let graph = before.document.open.as_ref().and_then(|document| document.graph.clone()).expect("a graph");
    let at = graph.tensors.iter().position(|tensor| tensor.name == placed(&before)).expect("its tensor");
    let edited = before.reduce_one(set(at, TensorField::Shape, "4096"));
    assert_eq!(placed(&edited), graph.tensors[memplan_core::graph::TensorId(at as u32)].name);
    let peak = |state: &State| state.document.run.as_ref().map(|run| run.metrics.peak);
    assert!(peak(&edited) > peak(&opened()));
    let document = edited.document.open.clone().expect("open");
    assert_eq!(document.origin, Origin::File(START.into()), "a link must carry what was edited");
    let written = memplan_formats::import::read(document.bytes.bytes().expect("bytes"), Answers::default())
        .expect("the edited graph as a file");
    assert_eq!(written.document.graph(), document.graph.as_deref());
    let undone = edited.reduce_one(Action::Edit(EditAction::Change(EditCommand::Undo)));
    assert_eq!(undone.document.open.as_ref().and_then(|document| document.graph.clone()), Some(graph));
    assert_eq!(peak(&undone), peak(&opened()));
    let redone = undone.reduce_one(Action::Edit(EditAction::Change(EditCommand::Redo)));
    assert!(peak(&redone) > peak(&opened()));
}

#[test]
fn a_change_that_breaks_the_graph_keeps_the_picture_and_lists_the_faults() {
    let before = opened();
    let broken = before.clone().reduce_one(set(2, TensorField::Shape, "N, 4"));
    let editing = broken.editing.session.clone().expect("an edit session");
    let keys: Vec<&str> = editing.faults.iter().map(|fault| fault.message.key.as_ref()).collect();
    assert_eq!(keys, ["fault.unknown-symbol"]);
    assert_eq!(
        broken.document.run.as_ref().map(|run| run.metrics.peak),
        before.document.run.as_ref().map(|run| run.metrics.peak)
    );
    let mended = broken.reduce_one(Action::Edit(EditAction::Change(EditCommand::Mend(editing.faults[0].clone()))));
    assert!(mended.editing.session.as_ref().is_some_and(|editing| editing.faults.is_empty() && editing.unsaved));
    let refused = mended.reduce_one(set(2, TensorField::Align, "3"));
    let why =
        refused.editing.session.as_ref().and_then(|editing| editing.refused.clone()).map(|why| why.key.into_owned());
    assert_eq!(why.as_deref(), Some("fault.alignment"));
}

fn set(at: usize, field: TensorField, text: &str) -> Action {
    Action::Edit(EditAction::Change(EditCommand::Make(Change::Tensor { at, field, text: text.into() })))
}

fn typed(at: usize, field: TensorField, text: &str) -> Action {
    Action::Edit(EditAction::Change(EditCommand::Type(Change::Tensor { at, field, text: text.into() })))
}

fn draft(state: &State) -> &Draft {
    &state.editing.session.as_ref().expect("an edit session").draft
}

/// What the history offers: steps to take back, steps to make again.
fn steps(state: &State) -> (usize, usize) {
    let history = &state.editing.session.as_ref().expect("an edit session").history;
    (history.made().count(), history.undone().count())
}

#[test]
fn a_text_that_is_refused_leaves_the_graph_as_it_was() {
    let refused = [
        (TensorField::Shape, "1,,64"),
        (TensorField::Shape, "64,"),
        (TensorField::Shape, "1, 64)"),
        (TensorField::Bytes, "99999999999999999999"),
        (TensorField::Bytes, "64 KiB"),
        (TensorField::Align, "24"),
        (TensorField::Arena, "4294967296"),
    ];
    for (field, text) in refused {
        // A step to take back and one to make again, which the typing must not touch.
        let plain = opened().reduce_one(set(3, TensorField::Align, "64")).reduce_one(set(3, TensorField::Align, "128"));
        let plain = plain.reduce_one(Action::Edit(EditAction::Change(EditCommand::Undo)));
        let before = plain.clone();
        let mut state = plain;
        for end in 1..=text.len() {
            state = state.reduce_one(typed(2, field, &text[..end]));
        }
        assert_eq!(draft(&state), draft(&before), "{text}");
        assert_eq!(steps(&state), (1, 1), "{text}");
        assert!(state.editing.session.as_ref().is_some_and(|editing| editing.refused.is_some()), "{text}");
        let wanted = Change::Tensor { at: 2, field, text: text.into() };
        assert!(state.refusal(&wanted).is_some(), "{text}");
        let left = state.reduce_one(Action::Edit(EditAction::Change(EditCommand::Leave)));
        assert_eq!(draft(&left), draft(&before), "{text}");
        let peak = |state: &State| state.document.run.as_ref().map(|run| run.metrics.peak);
        assert_eq!(peak(&left), peak(&before), "{text}");
        // Corrected, it is one step.
        let mended = left.reduce_one(typed(2, field, "1")).reduce_one(typed(2, field, "16"));
        assert_eq!((draft(&mended) == draft(&before), steps(&mended)), (false, (2, 0)), "{text}");
    }
}

#[test]
fn typing_that_is_given_up_leaves_the_graph_as_it_was() {
    let before = opened().reduce_one(set(2, TensorField::Shape, "8"));
    let state = before.clone().reduce_one(typed(2, TensorField::Shape, "8, 4"));
    assert_ne!(draft(&state), draft(&before));
    let state = state.reduce_one(Action::Edit(EditAction::Change(EditCommand::Cancel)));
    assert_eq!((draft(&state), steps(&state)), (draft(&before), (1, 0)));
    // The next field begins a step of its own.
    let state = state.reduce_one(typed(3, TensorField::Shape, "4"));
    assert_eq!((draft(&state).tensors[2].clone(), steps(&state)), (draft(&before).tensors[2].clone(), (2, 0)));
}

/// Drops the second tensor's shape: what a file holds is another graph then.
fn changed(state: State, shape: &str) -> State {
    state.reduce_one(set(2, TensorField::Shape, shape))
}

fn another(state: State) -> State {
    let open = DocumentAction::Open {
        origin: Origin::File("other.csv".into()),
        bytes: b"id,lower,upper,size\na,0,2,8\n".to_vec().into(),
        choices: Answers::default(),
        place: None,
    };
    state.reduce_one(Action::Document(open))
}

fn keys(state: &State) -> Vec<&str> {
    state.editing.recoveries.iter().map(|recovery| recovery.key.as_str()).collect()
}

#[test]
fn every_session_has_a_draft_of_its_own_and_can_be_gone_back_to() {
    let tab = Tab { name: "tab".into(), before: String::new() };
    let first = changed(opened().in_tab(tab), "8");
    assert_eq!(first.editing.key(), "tab/1");
    let draft_of_first = draft(&first).clone();
    let left = another(first);
    assert_eq!((keys(&left), left.editing.session.is_none()), (vec!["tab/1"], true));
    // Another session does not write over the draft that was left.
    let example = DocumentAction::Open {
        origin: Origin::Example(START.into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: None,
    };
    let second = changed(left.reduce_one(Action::Document(example)), "16");
    assert_eq!((second.editing.key().as_str(), keys(&second)), ("tab/2", vec!["tab/1"]));
    // Going back to the first leaves the second, which is not lost either.
    let back = second.reduce_one(Action::Edit(EditAction::Recover("tab/1".into())));
    assert_eq!((draft(&back), keys(&back)), (&draft_of_first, vec!["tab/2"]));
    assert_eq!((back.editing.key().as_str(), back.editing.before.as_deref()), ("tab/3", Some("tab/1")));
    // What is discarded is that draft alone.
    let found =
        Recovery { key: "closed/1".into(), name: "x".into(), editing: back.editing.recoveries[0].editing.clone() };
    let both = back.reduce(Action::Edit(EditAction::Found(vec![found])));
    assert_eq!(keys(&both), ["tab/2", "closed/1"]);
    let one = both.reduce(Action::Edit(EditAction::Discard("tab/2".into())));
    assert_eq!((keys(&one), one.editing.session.is_some()), (vec!["closed/1"], true));
}

#[test]
fn a_draft_that_the_browser_has_no_room_for_is_told_until_it_is_kept() {
    let state = changed(opened(), "8").reduce(Action::Edit(EditAction::NotKept(Unkept::Full)));
    assert!(state.editing.full && state.editing.session.is_some() && state.view.toast.is_none());
    assert!(!state.reduce(Action::Edit(EditAction::Kept)).editing.full);
    // That a browser keeps nothing at all is said once, that it is full every time.
    let toast_of = |state: &State| state.view.toast.clone().map(|(number, message)| (number, message.key.into_owned()));
    let gone = state.reduce(Action::Edit(EditAction::NotKept(Unkept::Unavailable)));
    assert_eq!(toast_of(&gone), Some((0, "toast.not-kept".into())));
    let again = gone.reduce(Action::Document(DocumentAction::NotKept(Unkept::Unavailable)));
    assert_eq!(toast_of(&again), toast_of(&gone));
    let full = again.reduce(Action::Document(DocumentAction::NotKept(Unkept::Full)));
    assert_eq!(toast_of(&full), Some((1, "toast.not-kept-full".into())));
}
