//! Every change is undone exactly, and what would break the order is refused.

use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::graph::{Dtype, Kind, RawGraph, check};

fn teaching() -> Draft {
    Draft::from(&crate::graph::sample(12, 3))
}

fn names(draft: &Draft) -> Vec<&str> {
    draft.nodes.iter().filter_map(|node| node.name.as_deref()).collect()
}

/// `a -> relu -> b -> mul(b, w) -> c`.
fn chain() -> Draft {
    let tensor = |name: &str, kind: Kind| RawTensor {
        name: Some(name.into()),
        dtype: Some(Dtype::Float32),
        shape: Some(vec![RawDim::Fixed(8)]),
        kind: Some(kind),
        ..RawTensor::default()
    };
    let node = |name: &str, inputs: &[&str], output: &str| RawNode {
        name: Some(name.into()),
        op: Some(name.into()),
        inputs: inputs.iter().map(|input| input.to_string()).collect(),
        outputs: vec![output.into()],
        inplace: vec![(0, 0)],
        ..RawNode::default()
    };
    Draft::from(RawGraph {
        name: "chain".into(),
        tensors: vec![
            tensor("a", Kind::Input),
            tensor("w", Kind::Weight),
            tensor("b", Kind::Intermediate),
            tensor("c", Kind::Output),
        ],
        nodes: vec![node("relu", &["a"], "b"), node("mul", &["b", "w"], "c")],
        ..RawGraph::default()
    })
}

fn tensor(draft: &mut Draft, at: usize) -> &mut RawTensor {
    Rc::make_mut(&mut draft.tensors[at])
}

fn node(draft: &mut Draft, at: usize) -> &mut RawNode {
    Rc::make_mut(&mut draft.nodes[at])
}

fn done(draft: &mut Draft, wanted: Change) -> Edit {
    let (_, edit) = change(draft, &wanted).expect("a change that is allowed");
    draft.apply(edit)
}

#[test]
fn a_graph_and_its_draft_say_the_same() {
    let graph = crate::graph::sample(40, 7);
    assert_eq!(check(Draft::from(&graph).into()).map(|(graph, _)| graph), Ok(graph));
}

#[test]
fn in_place_pairs_are_named_or_numbered() {
    let mut draft = chain();
    let pairs = |draft: &mut Draft, text: &str| {
        done(draft, Change::Node { at: 1, field: NodeField::Inplace, text: text.into() });
        draft.nodes[1].inplace.clone()
    };
    assert_eq!(pairs(&mut draft, "w:c"), [(1, 0)]);
    assert_eq!(pairs(&mut draft, "0 : c, w:0"), [(0, 0), (1, 0)]);
    // A name may hold the sign between the two, and look like a number.
    for (at, name) in [(0, "b:0"), (1, "0")] {
        node(&mut draft, 1).inputs[at] = name.into();
    }
    assert_eq!(pairs(&mut draft, "b:0:c, 0:0"), [(0, 0), (1, 0)]);
    for text in ["c", "q:c", "w:q", ":"] {
        let wanted = Change::Node { at: 1, field: NodeField::Inplace, text: text.into() };
        assert_eq!(change(&draft, &wanted).expect_err("refused").key, "edit.not-pair", "{text}");
    }
    done(&mut draft, Change::Node { at: 1, field: NodeField::IgnoredInputs, text: "b:0, 1".into() });
    assert_eq!(draft.nodes[1].ignore_inputs, [0, 1]);
}

#[test]
fn renaming_a_tensor_renames_it_where_it_is_read_and_made() {
    let mut draft = chain();
    done(&mut draft, Change::Tensor { at: 2, field: TensorField::Name, text: "hidden".into() });
    assert_eq!((draft.nodes[0].outputs[0].as_str(), draft.nodes[1].inputs[0].as_str()), ("hidden", "hidden"));
    assert!(check(draft.clone().into()).is_ok());
    let taken = change(&draft, &Change::Tensor { at: 2, field: TensorField::Name, text: "a".into() });
    assert_eq!(taken.map_err(|message| message.key.into_owned()), Err("fault.duplicate-tensor".into()));
}

#[test]
fn a_node_is_not_moved_past_what_it_reads_or_makes() {
    let mut draft = chain();
    let refused = change(&draft, &Change::MoveNode { from: 1, to: 0 }).map_err(|message| message.key.into_owned());
    assert_eq!(refused, Err("edit.move-refused-reads".into()));
    let refused = change(&draft, &Change::MoveNode { from: 0, to: 1 }).map_err(|message| message.key.into_owned());
    assert_eq!(refused, Err("edit.move-refused-read-by".into()));
    done(&mut draft, Change::AddNode { after: None, op: "tanh".into() });
    assert_eq!(names(&draft), ["tanh", "relu", "mul"]);
    done(&mut draft, Change::MoveNode { from: 0, to: 2 });
    assert_eq!(names(&draft), ["relu", "mul", "tanh"]);
    assert!(check(draft.into()).is_ok());
}

#[test]
fn a_deleted_node_takes_its_outputs_along_and_positions_follow() {
    let mut draft = chain();
    node(&mut draft, 1).inplace = vec![(1, 0)];
    let back = done(&mut draft, Change::DeleteNode(0));
    assert_eq!((draft.tensors.len(), &draft.nodes[0].inputs[..]), (3, &["w".to_string()][..]));
    assert_eq!(draft.nodes[0].inplace, [(0, 0)], "the pair names the same input at its new position");
    draft.apply(back);
    let mut before = chain();
    node(&mut before, 1).inplace = vec![(1, 0)];
    assert_eq!(draft, before);
}

#[test]
fn connecting_to_something_made_later_is_refused() {
    let draft = chain();
    let refused = change(&draft, &Change::Connect { tensor: 3, node: 0 }).map_err(|message| message.key.into_owned());
    assert_eq!(refused, Err("edit.connect-refused".into()));
}

#[test]
fn faults_with_one_obvious_remedy_are_mended_by_it() {
    let mut broken = chain();
    tensor(&mut broken, 2).shape = Some(vec![RawDim::Text("N".into())]);
    broken.nodes.swap(0, 1);
    tensor(&mut broken, 3).kind = Some(Kind::Weight);
    node(&mut broken, 0).name = Some("relu".into());
    for _ in 0..8 {
        let Err(faults) = check(broken.clone().into()) else { break };
        let (_, edit) = faults.iter().find_map(|fault| remedy(&broken, fault)).expect("a remedy");
        broken.apply(edit);
    }
    assert!(check(broken.into()).is_ok());
}

#[test]
fn what_is_odd_is_remarked_with_its_remedy() {
    let mut draft = chain();
    tensor(&mut draft, 2).bytes = Some(100);
    tensor(&mut draft, 3).kind = Some(Kind::Intermediate);
    node(&mut draft, 0).inplace.clear();
    node(&mut draft, 1).inplace.clear();
    let (graph, _) = check(draft.clone().into()).expect("odd, not wrong");
    let remarks = remarks(&graph);
    let keys: Vec<&str> = remarks.iter().map(|fault| fault.message.key.as_ref()).collect();
    assert_eq!(keys, ["warning.bytes-differ", "warning.dead-node"]);
    assert!(remarks.iter().all(|fault| remedy(&draft, fault).is_some()));
}

#[test]
fn steps_are_named_and_bounded() {
    let (mut draft, mut history) = (chain(), History::default());
    for number in 0..STEPS + 5 {
        let wanted = Change::Rename(format!("chain {number}"));
        let (name, edit) = change(&draft, &wanted).expect("allowed");
        history.make(&mut draft, name, edit);
    }
    assert_eq!(history.made().count(), STEPS);
    assert_eq!(history.undo(&mut draft).map(|name| name.key.into_owned()), Some("edit.rename-graph".into()));
    assert_eq!((draft.name.as_str(), history.undone().count()), ("chain 203", 1));
    assert!(history.redo(&mut draft).is_some());
    assert_eq!(draft.name, "chain 204");
}

fn any_change() -> impl Strategy<Value = Change> {
    let at = 0..16usize;
    let tensor_text = prop_oneof![Just("float16"), Just("2, N"), Just("output"), Just("64"), Just(""), Just("x y")];
    let tensor_field = prop_oneof![
        Just(TensorField::Name),
        Just(TensorField::Dtype),
        Just(TensorField::Shape),
        Just(TensorField::Kind),
        Just(TensorField::Bytes),
        Just(TensorField::Align),
        Just(TensorField::Arena)
    ];
    let node_field = prop_oneof![
        Just(NodeField::Name),
        Just(NodeField::Op),
        Just(NodeField::Inputs),
        Just(NodeField::Inplace),
        Just(NodeField::IgnoredInputs)
    ];
    prop_oneof![
        (at.clone(), tensor_field, tensor_text.clone()).prop_map(|(at, field, text)| Change::Tensor {
            at,
            field,
            text: text.into()
        }),
        (at.clone(), node_field, tensor_text).prop_map(|(at, field, text)| Change::Node {
            at,
            field,
            text: text.into()
        }),
        at.clone().prop_map(|at| Change::AddNode { after: Some(at), op: "add".into() }),
        at.clone().prop_map(Change::DuplicateNode),
        at.clone().prop_map(Change::DuplicateTensor),
        at.clone().prop_map(Change::DeleteNode),
        at.clone().prop_map(Change::DeleteTensor),
        (at.clone(), at.clone()).prop_map(|(tensor, node)| Change::Connect { tensor, node }),
        (at.clone(), 0..3usize).prop_map(|(node, slot)| Change::Disconnect { node, slot }),
        (at.clone(), at).prop_map(|(from, to)| Change::MoveNode { from, to }),
        Just(Change::Symbol { name: "N".into(), hint: "4".into(), min: "".into(), max: "8".into() }),
    ]
}

proptest! {
    #[test]
    fn whatever_is_done_is_undone(changes in proptest::collection::vec(any_change(), 1..40)) {
        let (before, mut draft, mut history) = (teaching(), teaching(), History::default());
        for wanted in &changes {
            if let Ok((name, edit)) = change(&draft, wanted) {
                history.make(&mut draft, name, edit);
            }
            // Faults or not: checking a draft never panics, and neither does looking for remedies.
            if let Err(faults) = check(draft.clone().into()) {
                faults.iter().for_each(|fault| { remedy(&draft, fault); });
            }
        }
        let after = draft.clone();
        while history.undo(&mut draft).is_some() {}
        prop_assert_eq!(&draft, &before);
        while history.redo(&mut draft).is_some() {}
        prop_assert_eq!(&draft, &after);
    }
}
