//! Ordinary graphs, planned whole.

use super::{INFO, TvmRelay};
use crate::{Input, NotApplicable, PlanError, Planner};
use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, Quirk, QuirkKind, check};
use memplan_core::problem::{Problem, Scope, Views, lifetimes};
use memplan_core::trace::{Event, Note, Recorder, Silent, Verdict};
use memplan_formats::import::{self, Document};

fn graph(tensors: &str, nodes: &str) -> Graph {
    let file = format!(r#"{{"format":"memory-graph/1","name":"t","tensors":[{tensors}],"nodes":[{nodes}]}}"#);
    match import::read(file.as_bytes(), import::Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        _ => panic!("a graph: {file}"),
    }
}

/// Tensors of bytes: `name size kind device`, apart by semicolons.
fn tensors(list: &str) -> String {
    let tensor = |facts: &str| {
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let [name, size, kind, device] = facts[..] else { panic!("four facts: {facts:?}") };
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{size}],"kind":"{kind}","device":"{device}"}}"#)
    };
    list.split(';').map(tensor).collect::<Vec<_>>().join(",")
}

/// Nodes `op: inputs -> outputs attributes`, apart by semicolons; attributes are JSON.
fn nodes(list: &str) -> String {
    let node = |(index, line): (usize, &str)| {
        let (op, rest) = line.trim().split_once(": ").expect("an op");
        let (inputs, rest) = rest.split_once(" -> ").expect("an arrow");
        let (outputs, attrs) = rest.split_once(' ').unwrap_or((rest, "{}"));
        let names = |list: &str| list.split(' ').map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
        let (inputs, outputs) = (names(inputs), names(outputs));
        format!(r#"{{"name":"n{index}","op":"{op}","inputs":[{inputs}],"outputs":[{outputs}],"attrs":{attrs}}}"#)
    };
    list.split(';').enumerate().map(node).collect::<Vec<_>>().join(",")
}

/// Plans and checks; the storage of every buffer by name.
fn plan(graph: &Graph, options: &[(&'static str, &str)]) -> (Vec<(String, u32)>, Plan, Problem, Vec<Event>) {
    let problem = lifetimes(graph, &Scope { weights: true, views: Views::Copy, ..Scope::default() }).expect("sizes");
    let options = INFO.options(options.iter().copied()).expect("taken");
    let mut recorder = Recorder::default();
    let plan = TvmRelay.plan(Input { problem: &problem, graph: Some(graph) }, &options, &mut recorder);
    let plan = plan.expect("applicable");
    assert!(check(&problem, &plan).iter().all(|violation| violation.is_quirk_of(&plan)), "{plan:?}");
    let storage = |(id, buffer): (_, &memplan_core::problem::Buffer)| {
        (buffer.name.clone(), plan.places[id].expect("everything is placed").pool.0)
    };
    (problem.buffers.enumerate().map(storage).collect(), plan.clone(), problem, recorder.events)
}

fn storages(graph: &Graph, options: &[(&'static str, &str)]) -> String {
    let names = plan(graph, options).0.into_iter().map(|(name, storage)| format!("{name}{storage}"));
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_smallest_in_the_window_else_the_largest_below_it() {
    // After step 2 a (100), b (40) and c (60) are free; d asks 50, e 70.
    let graph = graph(
        &tensors(
            "x 8 input c;a 100 intermediate c;b 40 intermediate c;c 60 intermediate c;s 1 intermediate c;d 50 intermediate c;e 70 output c",
        ),
        &nodes("f: x -> a;f: x -> b;f: x -> c;f: a b c -> s;f: s -> d;f: d -> e"),
    );
    assert_eq!(storages(&graph, &[]), "x0 a1 b2 c3 s4 d3 e1");
    let (_, plan, problem, events) = plan(&graph, &[]);
    let size: Vec<u64> = plan.pools.iter().map(|pool| pool.size).collect();
    assert_eq!(size, [8, 100, 40, 60, 1]);
    let of = |name: &str| problem.buffer_named(name).expect("named");
    let begin = events.iter().position(|event| *event == Event::Begin { buffer: of("d") }).expect("told");
    let asked: Vec<(Verdict, u32)> = events[begin..]
        .iter()
        .take_while(|event| !matches!(event, Event::Place { .. }))
        .filter_map(
            |event| if let Event::AskStorage { verdict, pool, .. } = event { Some((*verdict, *pool)) } else { None },
        )
        .collect();
    assert_eq!(asked, [(Verdict::Chosen, 3), (Verdict::Fits, 1), (Verdict::Fits, 2)]);
    let window = Event::Note { note: Note::Window, subject: 16, a: 3, b: 800 };
    assert!(events[begin..].contains(&window), "{events:?}");
    // A range of 1 takes equal sizes only, a range of 0 nothing.
    assert_eq!(storages(&graph, &[("match_range", "1")]), "x0 a1 b2 c3 s4 d5 e6");
    assert_eq!(storages(&graph, &[("match_range", "0")]), "x0 a1 b2 c3 s4 d5 e6");
    // A range of 2 reaches from 25 to 100 for d and from 35 to 140 for e.
    assert_eq!(storages(&graph, &[("match_range", "2")]), "x0 a1 b2 c3 s4 d3 e1");
}

#[test]
fn a_smaller_storage_is_enlarged() {
    let graph = graph(
        &tensors("x 8 input c;a 100 intermediate c;b 10 intermediate c;d 900 output c"),
        &nodes("f: x -> a;f: a -> b;f: b -> d"),
    );
    let (_, plan, ..) = plan(&graph, &[]);
    // d takes the storage of a, 800 bytes too small.
    assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [8, 900, 10]);
}

#[test]
fn weights_come_first_or_when_read() {
    let graph = graph(
        &tensors("x 8 input c;w 8 weight c;u 8 weight c;a 8 intermediate c;y 8 output c"),
        &nodes("f: x -> a;f: a w -> y"),
    );
    assert_eq!(storages(&graph, &[]), "x0 w1 u2 a3 y4");
    // u is read by nobody: it stays a parameter.
    assert_eq!(storages(&graph, &[("weights", "constants")]), "x0 w3 u1 a2 y4");
}

#[test]
fn memories_are_kept_apart_whatever_the_copies_say() {
    let graph = graph(
        &tensors("x 8 input c;a 8 intermediate c;b 8 intermediate g;d 8 intermediate g;y 8 output g"),
        &nodes("f: x -> a;device_copy: a -> b;f: b -> d;f: d -> y"),
    );
    for version in ["0.6.1", "0.7.0", "0.19.0"] {
        // y may take the storage of b, never that of a.
        assert_eq!(storages(&graph, &[("version", version)]), "x0 a1 b2 d3 y2", "{version}");
    }
    let emitted = |version| {
        let (_, _, problem, events) = plan(&graph, &[("version", version)]);
        let device = |event: &Event| match *event {
            Event::Note { note, subject, a, .. } if note.key().starts_with("device") => {
                Some(format!("{}{a}", problem.buffers[memplan_core::problem::BufferId(subject)].name))
            }
            _ => None,
        };
        let before = events.iter().take_while(|event| !matches!(event, Event::Begin { .. }));
        before.filter_map(device).collect::<Vec<_>>().join(" ")
    };
    // 1 is c, 2 is g. The input is listed before the copy, so both walks give it the device of the
    // result.
    assert_eq!(emitted("0.6.1"), "b2 a1 x2 d2 y2");
    assert_eq!(emitted("0.7.0"), "a1 b2 x2 d2 y2");
    assert_eq!(emitted("0.19.0"), "");
}

#[test]
fn copies_without_a_device_stop_the_old_planners() {
    let graph = graph(
        &tensors("x 8 input c;a 8 intermediate c;y 8 output g"),
        &nodes(r#"f: x -> a;device_copy: a -> y {"src_dev_type":"0"}"#),
    );
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = |version| TvmRelay.plan(input, &INFO.options([("version", version)]).expect("taken"), &mut Silent);
    assert_eq!(plan("0.7.0"), Err(PlanError::NotApplicable(NotApplicable::PartlyAnnotated)));
    assert!(plan("0.19.0").is_ok());
}

#[test]
fn a_reshape_stays_in_the_storage_of_its_argument() {
    let lines =
        r#"f: x -> a;reshape: a -> b {"reshape_only":"1"};f: b -> d;reshape: d -> e {"reshape_only":"1"};f: d e -> y"#;
    let graph = graph(
        &tensors(
            "x 8 input c;a 8 intermediate c;b 8 intermediate c;d 8 intermediate c;e 8 intermediate c;y 8 output c",
        ),
        &nodes(lines),
    );
    // b takes over from a; e and d hold the same.
    assert_eq!(storages(&graph, &[]), "x0 a1 b1 d2 e2 y1");
    assert_eq!(storages(&graph, &[("version", "0.7.0")]), "x0 a1 b2 d1 e2 y3");
    let (_, plan, problem, _) = plan(&graph, &[]);
    let of = |name: &str| problem.buffer_named(name).expect("named");
    assert_eq!(plan.shared, [(of("b"), of("a"))]);
    assert_eq!(plan.quirks, [Quirk { kind: QuirkKind::SameContents, a: of("d"), b: of("e") }]);
}

/// The recorded case `hand_reshape` as an ordinary graph: a is read again after its reshape f.
#[test]
fn a_reshape_whose_argument_is_read_again_gets_the_recorded_storages() {
    let same = r#"{"reshape_only":"1"}"#;
    let graph = graph(
        &tensors(
            "x 8 input c;a 8 intermediate c;f 8 intermediate c;c 8 intermediate c;d 8 intermediate c;e 8 intermediate c;g 8 output c",
        ),
        &nodes(&format!("f: x -> a;reshape: a -> f {same};f: f -> c;f: a c -> d;reshape: d -> e {same};f: e -> g")),
    );
    assert_eq!(storages(&graph, &[]), "x0 a1 f1 c2 d3 e3 g1");
    assert_eq!(storages(&graph, &[("version", "0.7.0")]), "x0 a1 f2 c3 d2 e1 g3");
}

#[test]
fn parallel_branches_stay_parallel_on_request() {
    let graph = graph(
        &tensors(
            "x 8 input c;a 8 intermediate c;b 8 intermediate c;p 8 intermediate c;q 8 intermediate c;y 8 output c",
        ),
        &nodes("f: x -> a;f: a -> b;f: x -> p;f: p -> q;f: b q -> y"),
    );
    // p takes the storage of a, which is read on the other branch.
    assert_eq!(storages(&graph, &[]), "x0 a1 b2 p1 q3 y1");
    assert_eq!(storages(&graph, &[("branch_safe", "true")]), "x0 a1 b2 p3 q4 y1");
}

#[test]
fn a_view_counts_as_a_read_of_its_root() {
    let lines = r#"f: x -> a;view: a -> v {"alias":"true"};f: v -> b;f: b -> y"#;
    let graph = graph(
        &tensors("x 8 input c;a 8 intermediate c;v 8 intermediate c;b 8 intermediate c;y 8 output c"),
        &nodes(lines),
    );
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes");
    let mut recorder = Recorder::default();
    let plan = TvmRelay.plan(Input { problem: &problem, graph: Some(&graph) }, &INFO.defaults(), &mut recorder);
    let plan = plan.expect("applicable");
    assert_eq!(check(&problem, &plan), []);
    let of = |name: &str| problem.buffer_named(name).expect("named");
    let a = of("a");
    let counts: Vec<(u32, u32)> = recorder
        .events
        .iter()
        .filter_map(|event| match *event {
            Event::Refs { buffer, from, to } if buffer == a => Some((from, to)),
            _ => None,
        })
        .collect();
    assert_eq!(counts, [(0, 2), (2, 1), (1, 0)]);
    assert_eq!(plan.places[of("y")], plan.places[a]);
}

#[test]
fn textures_share_with_textures() {
    let list = [("x", "input", "opencl", 8), ("a", "intermediate", "opencl:global.texture", 8)];
    let more = [("b", "intermediate", "opencl:global.texture", 6), ("d", "intermediate", "opencl:global.texture", 7)];
    let last = [("y", "output", "opencl", 8)];
    let tensor = |&(name, kind, device, width): &(&str, &str, &str, u64)| {
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[1,4,{width},4],"kind":"{kind}","device":"{device}"}}"#)
    };
    let tensors: Vec<String> = list.iter().chain(&more).chain(&last).map(tensor).collect();
    let graph = graph(&tensors.join(","), &nodes("f: x -> a;f: a -> b;f: b -> d;f: d -> y"));
    let (found, _, _, events) = plan(&graph, &[]);
    assert_eq!(found.iter().map(|(_, storage)| *storage).collect::<Vec<_>>(), [0, 1, 2, 1, 3]);
    let sides: Vec<(u32, u64, u64)> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Note { note: Note::Texture, subject, a, b } => Some((subject, a, b)),
            _ => None,
        })
        .collect();
    assert_eq!(sides, [(1, 8, 4), (2, 6, 4), (1, 8, 4)]);
    // Before 0.11 a texture is memory like any other.
    assert!(
        plan(&graph, &[("version", "0.7.0")])
            .3
            .iter()
            .all(|event| !matches!(event, Event::Note { note: Note::Texture, .. }))
    );
}

#[test]
fn a_hundred_thousand_buffers_end_soon() {
    let count = 100_000;
    let mut graph = graph(&tensors("t0 8 input c"), "");
    let first = graph.tensors.iter().next().expect("one").clone();
    for index in 1..count {
        let mut tensor = first.clone();
        tensor.name = format!("t{index}");
        tensor.kind = memplan_core::graph::Kind::Intermediate;
        tensor.shape = vec![memplan_core::graph::Dim::Fixed(1 + index * 7919 % 5000)];
        let made = graph.tensors.push(tensor);
        graph.nodes.push(memplan_core::graph::Node {
            name: format!("n{index}"),
            op: "f".into(),
            inputs: vec![memplan_core::graph::TensorId(made.0 - 1), memplan_core::graph::TensorId(made.0 / 2)],
            outputs: vec![made],
            device: None,
            inplace: vec![],
            ignore_inputs: vec![],
            attrs: Default::default(),
        });
    }
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = TvmRelay.plan(input, &INFO.defaults(), &mut Silent).expect("applicable");
    assert_eq!(check(&problem, &plan).len(), 0);
}
