//! The planner on graphs of files: what the recorded cases cannot show.

use super::*;
use memplan_core::graph::Graph;
use memplan_core::plan::check;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::{Outcome, Recorder, Verdict};
use memplan_formats::import::{self, Document};

/// A graph of the tensors and nodes written out.
fn graph(tensors: &str, nodes: &str) -> Graph {
    let text = format!("{{\"format\":\"memory-graph/1\",\"name\":\"g\",\"tensors\":[{tensors}],\"nodes\":[{nodes}]}}");
    match import::read(text.as_bytes(), import::Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{text}: {other:?}"),
    }
}

fn tensor(name: &str, elements: u64, kind: &str) -> String {
    format!("{{\"name\":\"{name}\",\"dtype\":\"float32\",\"shape\":[{elements}],\"kind\":\"{kind}\"}}")
}

/// Each value is made from the one before; of equal size it may overwrite it.
fn chain(sizes: &[u64]) -> Graph {
    let last = sizes.len();
    let mut tensors = vec![tensor("x", 1, "input")];
    let mut nodes = Vec::new();
    for (index, &size) in sizes.iter().enumerate() {
        let (own, kind) = (index + 1, if index + 1 == last { "output" } else { "intermediate" });
        tensors.push(tensor(&format!("t{own}"), size, kind));
        let read = if index == 0 { "x".to_string() } else { format!("t{index}") };
        let equal = size == if index == 0 { 1 } else { sizes[index - 1] };
        let pairs = if equal { "[[0,0]]" } else { "[]" };
        nodes.push(format!(
            "{{\"name\":\"n{own}\",\"op\":\"f\",\"inputs\":[\"{read}\"],\"outputs\":[\"t{own}\"],\"inplace\":{pairs}}}"
        ));
    }
    graph(&tensors.join(","), &nodes.join(","))
}

fn run(graph: &Graph, options: &[(&str, &str)]) -> (Problem, Plan, Vec<Event>) {
    let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let mut recorder = Recorder::default();
    let options = INFO.options(options.iter().copied()).expect("declared");
    let made = crate::run(&Nnvm, &problem, Some(graph), &Scope::default(), &options, &mut recorder);
    let made = made.expect("applicable");
    (made.problem, made.plan, recorder.events)
}

fn peak(sizes: &[u64], options: &[(&str, &str)]) -> u64 {
    let (problem, plan, _) = run(&chain(sizes), options);
    assert_eq!(check(&problem, &plan), []);
    plan.peak(&problem)
}

#[test]
fn the_examples_of_what_it_does_badly() {
    assert_eq!(peak(&[1000, 1000, 10, 10], &[]), 4 * 2020);
    assert_eq!(peak(&[1000, 1000, 10, 10], &[("match_range", "100")]), 4 * 2000);
    assert_eq!(peak(&[64, 64, 65], &[("match_range", "1")]), 4 * 193);
    assert_eq!(peak(&[64, 64, 65], &[]), 4 * 129);
}

#[test]
fn in_place_takes_over_the_last_read_and_names_the_donor() {
    let (problem, plan, events) = run(&chain(&[1, 1, 65, 65]), &[("inplace", "true")]);
    assert_eq!(check(&problem, &plan), []);
    let name = |id: BufferId| problem.buffers[id].name.as_str();
    let shared: Vec<_> = plan.shared.iter().map(|&(acceptor, donor)| (name(acceptor), name(donor))).collect();
    assert_eq!(shared, [("t2", "t1"), ("t4", "t3")]);
    let refused = events.iter().find_map(|event| match *event {
        Event::Note { note: Note::InPlaceOutside, subject, .. } => Some(name(BufferId(subject))),
        _ => None,
    });
    assert_eq!(refused, Some("x"));
}

#[test]
fn a_search_tells_every_try_and_keeps_the_smallest_total() {
    let (_, _, events) = run(&chain(&[64, 64, 65, 65]), &[("search", "true"), ("match_range", "5")]);
    let begin = events.iter().position(|event| matches!(event, Event::Begin { .. })).expect("a decision");
    let emitted: Vec<_> = events[..begin]
        .iter()
        .filter_map(|event| match *event {
            Event::Note { note, subject, a, .. } => Some((note, subject, a)),
            _ => None,
        })
        .collect();
    let expected =
        [(Note::Try, 1, 258 * 4), (Note::Try, 2, 130 * 4), (Note::Try, 4, 130 * 4), (Note::Keep, 2, 130 * 4)];
    assert_eq!(emitted, expected);
}

#[test]
fn a_search_that_tries_nothing_leaves_no_plan() {
    let graph = chain(&[1, 2]);
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let options = INFO.options([("search", "true"), ("match_range", "0")]).expect("declared");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let answer = Nnvm.plan(input, &options, &mut Recorder::default());
    assert_eq!(answer, Err(PlanError::NotApplicable(NotApplicable::NothingTried)));
}

#[test]
fn a_search_keeps_any_range_tried_when_asked() {
    let graph = chain(&[64, 64, 65]);
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = |keep: &str| {
        let options = INFO.options([("search", "true"), ("match_range", "4"), ("keep", keep)]).expect("declared");
        Nnvm.plan(input, &options, &mut Recorder::default())
    };
    let with_range = |range: &str| {
        let options = INFO.options([("match_range", range)]).expect("declared");
        Nnvm.plan(input, &options, &mut Recorder::default())
    };
    assert_eq!(plan("1"), with_range("1"));
    assert_eq!(plan("0"), with_range("2"));
    assert_ne!(plan("1"), plan("0"));
    let message = memplan_core::base::Message::new("fault.nnvm-keep").count("keep", 3u64).count("largest", 4u64);
    assert_eq!(plan("3"), Err(PlanError::Refused(message)));
}

/// Two chains from one input: storage passes along a chain, never across.
#[test]
fn colours_and_branches_keep_chains_apart() {
    let names = ["a1", "a2", "a3", "b1", "b2", "b3"];
    let mut tensors = vec![tensor("x", 1, "input"), tensor("y", 8, "output")];
    tensors.extend(names.iter().map(|name| tensor(name, 8, "intermediate")));
    let node = |read: &str, made: &str| {
        format!("{{\"name\":\"n{made}\",\"op\":\"f\",\"inputs\":[{read}],\"outputs\":[\"{made}\"]}}")
    };
    let reads =
        [("\"x\"", "a1"), ("\"a1\"", "a2"), ("\"a2\"", "a3"), ("\"x\"", "b1"), ("\"b1\"", "b2"), ("\"b2\"", "b3")];
    let mut nodes: Vec<String> = reads.iter().map(|(read, made)| node(read, made)).collect();
    nodes.push(node("\"a3\",\"b3\"", "y"));
    let graph = graph(&tensors.join(","), &nodes.join(","));
    let (_, plain, _) = run(&graph, &[]);
    assert_eq!(plain.pools.len(), 3);
    let refused = |events: &[Event], wanted| {
        events.iter().any(|event| matches!(event, Event::AskStorage { verdict, .. } if *verdict == wanted))
    };
    let (problem, colored, events) = run(&graph, &[("num_temp", "2")]);
    assert_eq!(check(&problem, &colored), []);
    assert!(refused(&events, Verdict::OtherColor));
    // The chain of b has the first colour: what the chain of a gave back is refused to it.
    let emitted = events.iter().any(|event| matches!(event, Event::Note { note: Note::OtherColor, a: 1, b: 0, .. }));
    assert!(emitted, "the colours compared are told");
    assert_eq!(colored.pools.len(), 4);
    let (problem, apart, events) = run(&graph, &[("branch_safe", "true")]);
    assert_eq!(check(&problem, &apart), []);
    assert!(refused(&events, Verdict::Parallel));
    assert_eq!(apart.pools.len(), 4);
}

const LATE: &str = r#"{"name":"p","op":"f","inputs":["x"],"outputs":["a"]},
    {"name":"like","op":"f","inputs":["a"],"outputs":["c"],"ignore_inputs":[0]},
    {"name":"q","op":"f","inputs":["x"],"outputs":["b"]},
    {"name":"late","op":"f","inputs":["b","a"],"outputs":["d"],"inplace":[[1,0]],"ignore_inputs":[1]},
    {"name":"s","op":"f","inputs":["c","d"],"outputs":["e"]}"#;

#[test]
fn an_ignored_read_lets_needed_values_overlap_and_the_plan_says_so() {
    let middle = ["a", "b", "c", "d"].map(|name| tensor(name, 64, "intermediate")).join(",");
    let graph = graph(&format!("{},{middle},{}", tensor("x", 64, "input"), tensor("e", 64, "output")), LATE);
    let (problem, plan, _) = run(&graph, &[("inplace", "true")]);
    let name = |id: BufferId| problem.buffers[id].name.as_str();
    let emitted: BTreeSet<_> = plan.quirks.iter().map(|quirk| (name(quirk.a), name(quirk.b))).collect();
    assert_eq!(emitted, BTreeSet::from([("a", "c"), ("c", "d")]));
    assert!(plan.quirks.iter().all(|quirk| quirk.kind == QuirkKind::IgnoredRead));
    let overlaps = check(&problem, &plan);
    assert_eq!(overlaps.len(), plan.quirks.len(), "{overlaps:?}");
}

#[test]
fn an_identity_shares_while_its_input_is_still_read() {
    let tensors = [("x", "input"), ("a", "intermediate"), ("same", "intermediate"), ("y", "output")]
        .map(|(n, k)| tensor(n, 64, k));
    let nodes = r#"{"name":"p","op":"f","inputs":["x"],"outputs":["a"]},
        {"name":"id","op":"f","inputs":["a"],"outputs":["same"],"inplace":[[0,0]],"attrs":{"inplace_identity":"1"}},
        {"name":"s","op":"f","inputs":["a","same"],"outputs":["y"]}"#;
    let (problem, plan, events) = run(&graph(&tensors.join(","), nodes), &[("inplace", "true")]);
    let kinds: Vec<QuirkKind> = plan.quirks.iter().map(|quirk| quirk.kind).collect();
    assert_eq!(kinds, [QuirkKind::SameContents]);
    assert_eq!(check(&problem, &plan).len(), 1);
    assert!(events.iter().any(|event| matches!(event, Event::Place { outcome: Outcome::InPlace, .. })));
}

#[test]
fn four_bytes_an_element_orders_and_matches_as_the_original() {
    let float64 = |name: &str, elements: u64, kind: &str| tensor(name, elements, kind).replace("float32", "float64");
    let tensors = [
        tensor("x", 1, "input"),
        float64("a", 10, "intermediate"),
        tensor("b", 1, "intermediate"),
        tensor("c", 20, "output"),
    ];
    let nodes = r#"{"name":"p","op":"f","inputs":["x"],"outputs":["a"]},
        {"name":"q","op":"f","inputs":["a"],"outputs":["b"]},
        {"name":"r","op":"f","inputs":["b"],"outputs":["c"]}"#;
    let graph = graph(&tensors.join(","), nodes);
    let outcome = |element_bytes| {
        let (problem, plan, events) = run(&graph, &[("element_bytes", element_bytes)]);
        assert_eq!(check(&problem, &plan), []);
        // Plan, figures and words count alike.
        let sizes: Vec<u64> =
            ["a", "b", "c"].map(|name| problem.buffers[problem.buffer_named(name).unwrap()].size).into();
        assert_eq!(sizes, if element_bytes == "4" { [40, 4, 80] } else { [80, 4, 80] });
        events.iter().rev().find_map(|event| match event {
            Event::Place { outcome, .. } => Some(*outcome),
            _ => None,
        })
    };
    // 10 elements of 8 bytes are as many bytes as 20 of 4; the original takes them for 40.
    assert_eq!(outcome("real"), Some(Outcome::Reuse));
    assert_eq!(outcome("4"), Some(Outcome::Enlarge));
}

#[test]
fn the_run_time_gives_variables_storage_and_drops_an_assign_nobody_else_sees() {
    let tensors = [
        ("state", "input"),
        ("count", "input"),
        ("new", "intermediate"),
        ("old", "intermediate"),
        ("kept", "intermediate"),
        ("done", "output"),
        ("copied", "output"),
    ]
    .map(|(n, k)| tensor(n, 8, k));
    let nodes = r#"{"name":"add","op":"f","inputs":["state"],"outputs":["new"]},
        {"name":"write","op":"_assign","inputs":["state","new"],"outputs":["done"]},
        {"name":"mul","op":"f","inputs":["count"],"outputs":["old"]},
        {"name":"copy","op":"_assign","inputs":["count","old"],"outputs":["copied"]},
        {"name":"use","op":"f","inputs":["old"],"outputs":["kept"]}"#;
    let graph = graph(&tensors.join(","), nodes);
    let (problem, _, events) = run(&graph, &[("runtime", "true")]);
    let emitted = |wanted: Note| -> Vec<(u32, u64)> {
        let emitted = events.iter().filter_map(|event| match *event {
            Event::Note { note, subject, a, .. } if note == wanted => Some((subject, a)),
            _ => None,
        });
        emitted.collect()
    };
    assert_eq!(emitted(Note::AssignNothing), [(1, 0)]);
    assert_eq!(emitted(Note::AssignCopy), [(3, 0)]);
    let name = |id: u32| problem.buffers[BufferId(id)].name.as_str();
    let moved: Vec<(&str, u64)> = emitted(Note::Decorated).into_iter().map(|(id, pool)| (name(id), pool)).collect();
    let first = moved.iter().find(|(name, _)| *name == "state").expect("a variable").1;
    let expected = [("state", first), ("count", first + 1), ("new", first), ("done", first), ("copied", first + 1)];
    assert_eq!(moved, expected);
    assert!(emitted(Note::Room).contains(&(first as u32, 32)));
    assert_eq!(emitted(Note::Room).len() as u64, first + 2);
}

#[test]
fn a_closer_look_at_one_decision_tells_what_the_whole_run_told_of_it() {
    let graph = chain(&[64, 64, 640, 64, 32, 32, 64]);
    let (problem, plan, events) = run(&graph, &[("inplace", "true")]);
    let begins: Vec<usize> =
        events.iter().enumerate().filter(|(_, event)| matches!(event, Event::Begin { .. })).map(|(at, _)| at).collect();
    let emitted = |events: &[Event], decision: usize| -> Vec<Event> {
        let mut begun = 0;
        let mut own = Vec::new();
        for event in events {
            begun += usize::from(matches!(event, Event::Begin { .. }));
            if begun == decision + 1 {
                own.push(*event);
            }
        }
        own
    };
    assert_eq!(begins.len(), 7);
    for decision in 0..begins.len() {
        let mut closer = Recorder::window(decision as u32..decision as u32 + 1);
        let options = INFO.options([("inplace", "true")]).expect("declared");
        let input = Input { problem: &problem, graph: Some(&graph) };
        assert_eq!(Nnvm.plan(input, &options, &mut closer), Ok(plan.clone()));
        assert_eq!(emitted(&closer.events, decision), emitted(&events, decision));
    }
}
