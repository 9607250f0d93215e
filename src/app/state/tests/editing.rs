//! Editing the graph.

use super::*;

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
    assert_eq!(placed(&edited), graph.tensors[crate::graph::TensorId(at as u32)].name);
    let peak = |state: &State| state.document.run.as_ref().map(|run| run.metrics.peak);
    assert!(peak(&edited) > peak(&opened()));
    let document = edited.document.open.clone().expect("open");
    assert_eq!(document.origin, Origin::File(START.into()), "a link must carry what was edited");
    let written = crate::import::read(document.bytes.bytes(), Answers::default()).expect("the edited graph as a file");
    assert_eq!(written.document.graph(), document.graph.as_deref());
    let undone = edited.reduce_one(Action::Edit(EditAction::Change(Step::Undo)));
    assert_eq!(undone.document.open.as_ref().and_then(|document| document.graph.clone()), Some(graph));
    assert_eq!(peak(&undone), peak(&opened()));
    let redone = undone.reduce_one(Action::Edit(EditAction::Change(Step::Redo)));
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
    let mended = broken.reduce_one(Action::Edit(EditAction::Change(Step::Mend(editing.faults[0].clone()))));
    assert!(mended.editing.session.as_ref().is_some_and(|editing| editing.faults.is_empty() && editing.unsaved));
    let refused = mended.reduce_one(set(2, TensorField::Align, "3"));
    let why =
        refused.editing.session.as_ref().and_then(|editing| editing.refused.clone()).map(|why| why.key.into_owned());
    assert_eq!(why.as_deref(), Some("fault.alignment"));
}

fn set(at: usize, field: TensorField, text: &str) -> Action {
    Action::Edit(EditAction::Change(Step::Make(Change::Tensor { at, field, text: text.into() })))
}
