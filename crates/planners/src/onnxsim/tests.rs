use super::plan::{Laid, lay};
use super::*;
use memplan_core::plan::check;
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};

/// A model of nodes `result = op(operands)`; of each value its bytes. Inputs begin with `x`,
/// results with `y`.
fn model(values: &[(&str, u64)], nodes: &[(&str, &[&str], &str)]) -> Model {
    let number = |name: &str| values.iter().position(|(other, _)| *other == name).map(|at| at as u32);
    Model {
        values: values
            .iter()
            .map(|&(name, size)| Value {
                name: name.into(),
                size: Some(size),
                is_input: name.starts_with('x'),
                is_output: name.starts_with('y'),
                ..Value::default()
            })
            .collect(),
        nodes: nodes
            .iter()
            .map(|&(op, inputs, output)| Node {
                op: op.into(),
                inputs: inputs.iter().map(|input| number(input)).collect(),
                outputs: vec![number(output)],
                ..Node::default()
            })
            .collect(),
    }
}

fn offset(model: &Model, laid: &Laid, name: &str) -> u64 {
    let at = model.values.iter().position(|value| value.name == name).expect("named");
    laid.offsets[at].expect("planned").0
}

/// The worked example: the smallest gap wins, wherever it is.
#[test]
fn large_groups_come_first_and_take_the_smallest_gap() {
    let values = [
        ("x", 4000),
        ("a", 2000),
        ("b", 2000),
        ("c", 2000),
        ("d", 2000),
        ("p", 160),
        ("q", 480),
        ("r", 240),
        ("y", 16),
    ];
    let mut model = model(&values, &[]);
    let number = |name: &str| values.iter().position(|(other, _)| *other == name).map(|at| at as u32);
    let node = |inputs: &[&str], outputs: &[&str]| Node {
        op: "Any".into(),
        inputs: inputs.iter().map(|name| number(name)).collect(),
        outputs: outputs.iter().map(|name| number(name)).collect(),
        ..Node::default()
    };
    model.nodes = vec![
        node(&["x"], &["a", "b", "c", "d"]),
        node(&["a", "c"], &["p"]),
        node(&["d"], &["q"]),
        node(&["p", "q"], &["r"]),
        node(&["b", "r"], &["y"]),
    ];
    let laid = lay(&model);
    let places = values.map(|(name, _)| offset(&model, &laid, name));
    assert_eq!(places, [0, 4000, 6000, 8000, 10000, 240, 8000, 0, 240]);
    assert_eq!(laid.arena, 12000);
}

#[test]
fn a_chain_is_named_after_its_last_value_and_names_decide_between_equals() {
    let values = [("x", 8), ("t9", 8), ("t10", 8), ("y", 8)];
    let nodes: [(&str, &[&str], &str); 3] = [("Any", &["x"], "t9"), ("Relu", &["t9"], "t10"), ("Any", &["t10"], "y")];
    let model = model(&values, &nodes);
    let laid = lay(&model);
    let names: Vec<&str> = laid.grouped.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["t10", "x", "y"]);
    assert_eq!(laid.grouped.groups[0].members, [1, 2]);
    assert_eq!(laid.grouped.naive, 32);
}

#[test]
fn what_is_read_twice_or_of_other_bytes_is_not_joined() {
    let values = [("x", 8), ("a", 8), ("b", 8), ("c", 4), ("y", 8)];
    let nodes: [(&str, &[&str], &str); 4] =
        [("Any", &["x"], "a"), ("Relu", &["a"], "b"), ("Relu", &["b"], "c"), ("Add", &["a", "c"], "y")];
    let notes: Vec<Note> = lay(&model(&values, &nodes)).grouped.joins.iter().map(|join| join.note.0).collect();
    assert_eq!(notes, [Note::InPlaceReadMore, Note::InPlaceBytes, Note::InPlaceReadMore, Note::InPlaceBytes]);
}

#[test]
fn graphs_of_a_node_keep_their_sum_free_while_it_runs() {
    let mut outer = model(&[("x", 8), ("r", 8), ("y", 8)], &[("If", &["x"], "r"), ("Any", &["r"], "y")]);
    let inner = model(&[("q", 16), ("yq", 16)], &[("Any", &[], "q"), ("Any", &["q"], "yq")]);
    outer.nodes[0].subgraphs = vec![inner.clone(), inner];
    let laid = lay(&outer);
    assert_eq!((laid.grouped.reserved, laid.arena, laid.grouped.naive), (64, 80, 24));
    let names: Vec<(&str, u64)> = laid.grouped.subgraphs.iter().map(|(key, laid)| (key.as_str(), laid.arena)).collect();
    assert_eq!(names, [("r#0", 32), ("r#1", 32)]);
}

fn read(text: &str) -> Graph {
    match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

/// A view, an overwriting operator, and a scalar, which is left out.
const GRAPH: &str = r#"{"format":"memory-graph/1","name":"g","tensors":[
    {"name":"x","dtype":"float32","shape":[16],"kind":"input"},
    {"name":"a","dtype":"float32","shape":[16],"kind":"intermediate"},
    {"name":"v","dtype":"float32","shape":[4,4],"kind":"intermediate"},
    {"name":"s","dtype":"float32","shape":[],"kind":"intermediate"},
    {"name":"b","dtype":"float32","shape":[4,4],"kind":"intermediate"},
    {"name":"y","dtype":"float32","shape":[1],"kind":"output"}],
    "nodes":[{"name":"n0","op":"Any","inputs":["x"],"outputs":["a"]},
    {"name":"n1","op":"Reshape","inputs":["a"],"outputs":["v"],"attrs":{"alias":"true"}},
    {"name":"n2","op":"Any","inputs":["v"],"outputs":["s"]},
    {"name":"n3","op":"Mul","inputs":["v","s"],"outputs":["b"]},
    {"name":"n4","op":"Any","inputs":["b"],"outputs":["y"]}]}"#;

#[test]
fn a_graph_is_planned_with_its_views_as_values() {
    let graph = read(GRAPH);
    let mut problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let options = INFO.defaults();
    Onnxsim.prepare(&mut problem, Some(&graph), &Scope::default(), &options).expect("applicable");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = Onnxsim.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(check(&problem, &plan), []);
    let id = |name: &str| problem.buffer_named(name).expect("named");
    assert_eq!(plan.places[id("v")], plan.places[id("a")]);
    assert_eq!(plan.shared, [(id("v"), id("a"))]);
    assert_eq!(plan.unplanned, [(id("s"), Unplanned::NoExtents)]);
    assert!(recorder.events.contains(&Event::Note { note: Note::InPlaceReadMore, subject: id("v").0, a: 0, b: 0 }));
    struct Stop;
    impl Probe for Stop {
        fn event(&mut self, _: Event) {}
        fn pulse(&mut self, _: u64, _: u64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
    }
    assert_eq!(Onnxsim.plan(input, &options, &mut Stop), Err(PlanError::Cancelled));
    assert!(Onnxsim.plan(input, &options, &mut Silent).is_ok());
}

/// The reader counts what the branches need besides the result as bytes of the `If`; a kernel's own
/// scratch is none of a branch.
#[test]
fn bytes_of_branches_are_told_apart_from_other_scratch() {
    let graph = read(
        r#"{"format":"memory-graph/1","name":"g","tensors":[
        {"name":"k","dtype":"uint8","shape":[4],"kind":"input"},
        {"name":"r","dtype":"uint8","shape":[4],"kind":"intermediate"},
        {"name":"r/body","dtype":"uint8","shape":[64],"kind":"intermediate"},
        {"name":"y","dtype":"uint8","shape":[4],"kind":"output"},
        {"name":"spare","dtype":"uint8","shape":[32],"kind":"intermediate"}],
        "nodes":[{"name":"choose","op":"If","inputs":["k"],"outputs":["r","r/body"],"attrs":{"memplan.scratch":"true"}},
        {"name":"last","op":"Any","inputs":["r"],"outputs":["y","spare"],"attrs":{"memplan.scratch":"true"}}]}"#,
    );
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    Onnxsim.plan(input, &INFO.defaults(), &mut recorder).expect("applicable");
    let noted: Vec<(u32, u64)> = recorder
        .events
        .iter()
        .filter_map(|event| match *event {
            Event::Note { note: Note::BodyReserved, subject, a, .. } => Some((subject, a)),
            _ => None,
        })
        .collect();
    assert_eq!(noted, [(problem.buffer_named("r/body").expect("named").0, 0)]);
}
