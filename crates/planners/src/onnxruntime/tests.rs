use super::*;
use memplan_core::plan::{check, metrics};
use memplan_core::problem::Branches;
use memplan_core::trace::{Event, Note, Recorder, Silent, Verdict};
use memplan_formats::import::{self, Answers, Document};

/// A graph of nodes `result = op(operands)`; each tensor is `name: shape` of bytes, results of the
/// graph begin with `y`.
fn graph(tensors: &[(&str, &[u64])], nodes: &[(&str, &[&str], &[&str])]) -> Graph {
    let kind = |name: &str| match name.as_bytes()[0] {
        b'x' => "input",
        b'w' => "weight",
        b'y' => "output",
        _ => "intermediate",
    };
    let tensors: Vec<String> = tensors
        .iter()
        .map(|(name, shape)| {
            format!(r#"{{"name":"{name}","dtype":"uint8","shape":{shape:?},"kind":"{}"}}"#, kind(name))
        })
        .collect();
    let nodes: Vec<String> = nodes
        .iter()
        .enumerate()
        .map(|(at, (op, inputs, outputs))| {
            let attrs = if *op == "view" { r#","attrs":{"alias":"true"}"# } else { "" };
            format!(r#"{{"name":"n{at}","op":"{op}","inputs":{inputs:?},"outputs":{outputs:?}{attrs}}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"g","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    );
    match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

/// Offsets by name, and the events.
fn planned(graph: &Graph, given: &[(&str, &str)]) -> (Vec<(String, Option<u64>)>, Vec<Event>) {
    let mut problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let options = INFO.options(given.iter().copied()).expect("declared");
    let made = OnnxRuntime.prepare(&mut problem, Some(graph), &Scope::default(), &options).expect("applicable");
    let input = Input { problem: &problem, graph: Some(made.as_ref().unwrap_or(graph)) };
    let mut recorder = Recorder::default();
    let plan = OnnxRuntime.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(check(&problem, &plan), []);
    let offset = |(id, buffer): (_, &memplan_core::problem::Buffer)| {
        (buffer.name.clone(), plan.places[id].map(|place| place.offset))
    };
    (problem.buffers.enumerate().map(offset).collect(), recorder.events)
}

fn offset(places: &[(String, Option<u64>)], name: &str) -> Option<u64> {
    places.iter().find(|(other, _)| other == name).expect("named").1
}

fn notes(events: &[Event]) -> Vec<Note> {
    let note = |event: &Event| match event {
        Event::Note { note, .. } => Some(*note),
        _ => None,
    };
    events.iter().filter_map(note).collect()
}

#[test]
fn shapes_decide_on_handing_on_and_the_newest_is_taken() {
    let tensors: &[(&str, &[u64])] =
        &[("x", &[8]), ("a", &[256]), ("b", &[2, 128]), ("c", &[256]), ("e", &[256]), ("y", &[8])];
    let nodes: &[(&str, &[&str], &[&str])] = &[
        ("f", &["x"], &["a"]),
        ("f", &["a"], &["b"]),
        ("f", &["b"], &["c"]),
        ("f", &["c"], &["e"]),
        ("f", &["e"], &["y"]),
    ];
    let graph = graph(tensors, nodes);
    let (places, events) = planned(&graph, &[]);
    // `b` has as many bytes as `a`, but another shape; `c` takes over the buffer of `a`.
    assert_eq!((offset(&places, "a"), offset(&places, "b"), offset(&places, "c")), (Some(0), Some(256), Some(0)));
    assert_eq!((offset(&places, "x"), offset(&places, "y")), (None, None));
    assert!(notes(&events).contains(&Note::ListTake));
    let without = planned(&graph, &[("enable_mem_reuse", "false")]);
    assert!(!notes(&without.1).contains(&Note::ListTake));
    // The pattern may use the bytes of `a` all the same: it is freed after its last read.
    assert_eq!(offset(&without.0, "c"), Some(0));
}

#[test]
fn a_kernel_overwrites_what_it_reads_last() {
    let tensors: &[(&str, &[u64])] = &[("x", &[8]), ("a", &[64]), ("b", &[64]), ("c", &[64]), ("y", &[8])];
    let nodes: &[(&str, &[&str], &[&str])] =
        &[("Conv", &["x"], &["a"]), ("Relu", &["a"], &["b"]), ("Add", &["b", "b"], &["c"]), ("f", &["c"], &["y"])];
    let graph = graph(tensors, nodes);
    let (places, events) = planned(&graph, &[]);
    assert_eq!((offset(&places, "b"), offset(&places, "c")), (Some(0), Some(256)));
    assert!(notes(&events).contains(&Note::InPlaceDies));
    let (places, _) = planned(&graph, &[("inplace", "off")]);
    assert_eq!((offset(&places, "b"), offset(&places, "c")), (Some(256), Some(0)));
}

#[test]
fn a_result_that_is_a_view_is_a_copy_outside() {
    let tensors: &[(&str, &[u64])] = &[("x", &[8]), ("a", &[64]), ("y", &[8, 8]), ("b", &[64]), ("yy", &[1])];
    let nodes: &[(&str, &[&str], &[&str])] =
        &[("f", &["x"], &["a"]), ("view", &["a"], &["y"]), ("f", &["x"], &["b"]), ("f", &["b"], &["yy"])];
    let graph = graph(tensors, nodes);
    let (places, _) = planned(&graph, &[("order", "listed")]);
    assert_eq!((offset(&places, "a"), offset(&places, "y"), offset(&places, "b")), (Some(0), None, Some(0)));
}

#[test]
fn what_nobody_reads_takes_nothing_over_and_stays() {
    let tensors: &[(&str, &[u64])] = &[("x", &[8]), ("a", &[64]), ("b", &[64]), ("c", &[64]), ("y", &[8])];
    let nodes: &[(&str, &[&str], &[&str])] =
        &[("f", &["x"], &["a"]), ("f", &["a"], &["c"]), ("f", &["c"], &["b", "y"])];
    let (places, events) = planned(&graph(tensors, nodes), &[]);
    // `a` is free when `b` is made, and its bytes are taken by best fit, not as its buffer.
    assert_eq!((offset(&places, "a"), offset(&places, "c"), offset(&places, "b")), (Some(0), Some(256), Some(0)));
    assert!(notes(&events).contains(&Note::ListClosed));
    let released = events.iter().filter(|event| matches!(event, Event::Release { .. })).count();
    assert_eq!(released, 2);
}

#[test]
fn branches_that_run_in_parallel_share_nothing() {
    let tensors: &[(&str, &[u64])] = &[("x", &[8]), ("a", &[64]), ("b", &[1]), ("c", &[64]), ("e", &[1]), ("y", &[8])];
    let nodes: &[(&str, &[&str], &[&str])] = &[
        ("f", &["x"], &["a"]),
        ("f", &["a"], &["b"]),
        ("f", &["x"], &["c"]),
        ("f", &["c"], &["e"]),
        ("f", &["b", "e"], &["y"]),
    ];
    let graph = graph(tensors, nodes);
    let (places, _) = planned(&graph, &[]);
    assert_eq!(offset(&places, "a"), offset(&places, "c"));
    let (places, events) = planned(&graph, &[("branch_safe", "true")]);
    assert_ne!(offset(&places, "a"), offset(&places, "c"));
    let is_refused = |event: &Event| matches!(event, Event::Block { verdict: Verdict::Parallel, .. });
    assert!(events.iter().any(is_refused));
}

/// A chain of many nodes is no matter of minutes, and a run may be stopped.
#[test]
fn long_chains_are_planned_and_may_be_stopped() {
    let value = |role| Value {
        buffer: None,
        role,
        bits: 8,
        shape: Some(vec![Extent::Number(64)]),
        stated: None,
        size: 64,
        memory: 0,
        is_kept: false,
    };
    let count = 30_000;
    let mut values: Vec<Value> = vec![value(Role::Made); count as usize];
    let mut problem = crate::testing::problem(Vec::new());
    for (number, value) in (0..).zip(&mut values) {
        value.buffer =
            Some(problem.buffers.push(crate::testing::buffer(&format!("b{number}"), 64, number, number + 2)));
    }
    let kernel = |node: u32| Kernel {
        node,
        inputs: node.checked_sub(1).into_iter().collect(),
        outputs: vec![node],
        ..Kernel::default()
    };
    let network = Network::new(values, (0..count).map(kernel).collect());
    let branches = Branches::default();
    let setting = Setting { reuse: true, align: ALIGN, branches: &branches };
    let planned = run(&problem, &network, setting, &mut Silent).expect("never stopped");
    assert_eq!(planned.totals, [512]);
    struct Stop;
    impl Probe for Stop {
        fn event(&mut self, _: Event) {}
        fn pulse(&mut self, _: u64, _: u64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
    }
    assert!(run(&problem, &network, setting, &mut Stop).is_none());
}

#[test]
fn bytes_that_a_kernel_overwrites_count_once_in_the_bound() {
    let tensors: &[(&str, &[u64])] = &[("x", &[256]), ("a", &[256]), ("b", &[256]), ("y", &[256])];
    let nodes: &[(&str, &[&str], &[&str])] =
        &[("Conv", &["x"], &["a"]), ("Relu", &["a"], &["b"]), ("Conv", &["b"], &["y"])];
    let graph = graph(tensors, nodes);
    let bound = |given: &[(&str, &str)]| {
        let mut problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let options = INFO.options(given.iter().copied()).expect("declared");
        OnnxRuntime.prepare(&mut problem, Some(&graph), &Scope::default(), &options).expect("applicable");
        let plan = OnnxRuntime.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut Silent);
        let plan = plan.expect("applicable");
        (!plan.shared.is_empty(), plan.peak(&problem), metrics(&problem, &plan).placed_lower_bound)
    };
    assert_eq!(bound(&[]), (true, 256, 256));
    assert_eq!(bound(&[("inplace", "off")]), (false, 512, 512));
}
