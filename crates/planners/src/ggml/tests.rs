use super::*;
use crate::testing::{buffer, problem};
use memplan_core::graph::Graph;
use memplan_core::plan::{PoolId, check};
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes, sample};
use memplan_core::trace::{Event, Note, Recorder, Silent, Verdict};
use memplan_formats::import::{self, Answers};

fn read(tensors: &[(&str, u64, &str)], nodes: &str) -> (Graph, Problem) {
    let tensor = |(name, size, kind): &(&str, u64, &str)| {
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{size}],"kind":"{kind}"}}"#)
    };
    let tensors: Vec<String> = tensors.iter().map(tensor).collect();
    let text =
        format!(r#"{{"format":"memory-graph/1","name":"t","tensors":[{}],"nodes":[{nodes}]}}"#, tensors.join(","));
    let read = import::read(text.as_bytes(), Answers::default()).expect("a valid graph").document;
    let graph = read.graph().expect("nodes").clone();
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    (graph, problem)
}

fn recorded(problem: &Problem, graph: Option<&Graph>, given: &[(&str, &str)]) -> (Plan, Vec<Event>) {
    let options = INFO.options(given.iter().copied()).expect("declared");
    let mut recorder = Recorder::default();
    let plan = Ggml.plan(Input { problem, graph }, &options, &mut recorder).expect("a plan");
    assert_eq!(check(problem, &plan), []);
    (plan, recorder.events)
}

fn planned(problem: &Problem, graph: Option<&Graph>, given: &[(&str, &str)]) -> Plan {
    recorded(problem, graph, given).0
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().flatten().map(|place| place.offset).collect()
}

fn notes(events: &[Event]) -> Vec<Note> {
    let note = |event: &Event| match *event {
        Event::Note { note, .. } => Some(note),
        _ => None,
    };
    events.iter().filter_map(note).collect()
}

const CHAIN: &[(&str, u64, &str)] =
    &[("x", 64, "input"), ("a", 64, "intermediate"), ("b", 64, "intermediate"), ("y", 64, "output")];
const CHAIN_NODES: &str = r#"{"name":"n0","op":"relu","inputs":["x"],"outputs":["a"]},
    {"name":"n1","op":"conv","inputs":["a"],"outputs":["b"]},
    {"name":"n2","op":"Add","inputs":["b","b"],"outputs":["y"]}"#;

const OPERATORS: &[(&str, &str)] = &[("inplace", "operators")];

#[test]
fn operators_take_over_what_is_read_for_the_last_time() {
    let (graph, problem) = read(CHAIN, CHAIN_NODES);
    // The first node overwrites the input. The sum reads b twice, so that one read is still to
    // come.
    let plan = planned(&problem, Some(&graph), OPERATORS);
    assert_eq!(offsets(&plan), [0, 0, 64, 0]);
    assert_eq!(plan.shared, [(BufferId(1), BufferId(0))]);
    for off in ["stated", "off"] {
        assert_eq!(offsets(&planned(&problem, Some(&graph), &[("inplace", off)])), [0, 64, 0, 64]);
    }
    let stated = CHAIN_NODES.replace(r#""outputs":["b"]"#, r#""outputs":["b"],"inplace":[[0,0]]"#);
    let (graph, problem) = read(CHAIN, &stated);
    // A graph that states pairs states all of them.
    assert_eq!(planned(&problem, Some(&graph), OPERATORS).shared, [(BufferId(2), BufferId(1))]);
}

#[test]
fn every_refused_takeover_has_its_reason() {
    let tensors =
        [("w", 64, "weight"), ("x", 64, "input"), ("v", 64, "intermediate"), ("a", 64, "output"), ("b", 64, "output")];
    let nodes = r#"{"name":"nv","op":"memory.view","inputs":["x"],"outputs":["v"],"inplace":[[0,0]]},
        {"name":"na","op":"f","inputs":["w","v","x"],"outputs":["a"],"inplace":[[0,0],[1,0],[2,0]]},
        {"name":"nb","op":"f","inputs":["a","x"],"outputs":["b"],"inplace":[[0,0],[1,0]]}"#;
    let (graph, problem) = read(&tensors, nodes);
    let (plan, events) = recorded(&problem, Some(&graph), OPERATORS);
    let tried = |note: &Note| note.is_in_place() || *note == Note::SourceOutside;
    let tries: Vec<Note> = notes(&events).into_iter().filter(tried).collect();
    let wanted = [Note::SourceOutside, Note::InPlaceView, Note::InPlaceCounts, Note::InPlaceKept, Note::InPlaceDies];
    assert_eq!(tries, wanted);
    assert_eq!(offsets(&plan), [0, 64, 0]);
}

#[test]
fn a_view_keeps_its_root_until_it_is_read() {
    let tensors = [
        ("x", 64, "input"),
        ("r", 64, "intermediate"),
        ("v", 64, "intermediate"),
        ("a", 64, "intermediate"),
        ("y", 64, "output"),
    ];
    let nodes = r#"{"name":"nr","op":"f","inputs":["x"],"outputs":["r"]},
        {"name":"nv","op":"memory.view","inputs":["r"],"outputs":["v"],"inplace":[[0,0]]},
        {"name":"na","op":"f","inputs":["v"],"outputs":["a"]},
        {"name":"ny","op":"f","inputs":["a"],"outputs":["y"]}"#;
    let (graph, problem) = read(&tensors, nodes);
    let (plan, events) = recorded(&problem, Some(&graph), &[]);
    assert_eq!(offsets(&plan), [0, 64, 0, 64]);
    let freed = events.iter().filter_map(|event| match *event {
        Event::Release { buffer } => Some(buffer),
        _ => None,
    });
    assert_eq!(freed.collect::<Vec<_>>(), [BufferId(0), BufferId(1), BufferId(2)]);
}

#[test]
fn the_end_is_used_only_if_no_hole_will_do() {
    let chain = [buffer("x", 160, 0, 1), buffer("a", 320, 0, 2), buffer("b", 256, 1, 3), buffer("c", 512, 2, 3)];
    let (plan, events) = recorded(&problem(chain.to_vec()), None, &[]);
    assert_eq!((offsets(&plan), plan.pools[PoolId(0)].size), (vec![0, 160, 480, 736], 1248));
    let looks = events.iter().filter_map(|event| match *event {
        Event::Block { verdict, offset, room } => Some((verdict, offset, room)),
        _ => None,
    });
    let last = |offset| (Verdict::Chosen, offset, u64::MAX);
    let too_small = |room| (Verdict::TooSmall, 0, room);
    assert_eq!(looks.collect::<Vec<_>>(), [last(160), too_small(160), last(480), too_small(480), last(736)]);
}

#[test]
fn a_chunk_takes_no_more_than_its_limit() {
    let three = problem(vec![buffer("a", 96, 0, 1), buffer("b", 64, 0, 1), buffer("c", 160, 0, 1)]);
    let plan = planned(&three, None, &[("max_size", "128")]);
    let sizes: Vec<u64> = plan.pools.iter().map(|pool| pool.size).collect();
    // The third is larger than the limit, so its chunk is made as large as it is.
    assert_eq!((offsets(&plan), sizes), (vec![0, 0, 0], vec![96, 64, 160]));
}

#[test]
fn the_257th_free_block_stops_the_original_only() {
    // Every second one of 520 neighbours dies.
    let row = (0..520).map(|index| buffer("b", 32, 0, if index % 2 == 0 { 1 } else { 3 }));
    let many = problem(row.chain([buffer("late", 32, 1, 3)]).collect());
    let limited = INFO.options([("limit_blocks", "true")]).expect("declared");
    let refused = Ggml.plan(Input { problem: &many, graph: None }, &limited, &mut Silent);
    assert!(matches!(refused, Err(PlanError::Refused(message)) if message.key == "fault.ggml-blocks"));
    assert_eq!(offsets(&planned(&many, None, &[])).last(), Some(&(518 * 32)));
}

#[test]
fn memories_have_chunks_of_their_own_and_hand_nothing_over() {
    let (mut graph, _) = read(CHAIN, CHAIN_NODES);
    graph.devices.push("gpu".into());
    let gpu = graph.devices.ids().last().expect("a device");
    graph.tensors[memplan_core::graph::TensorId(1)].device = gpu;
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let (plan, events) = recorded(&problem, Some(&graph), OPERATORS);
    let names: Vec<&str> = plan.pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(names, ["cpu chunk 0", "gpu chunk 0"]);
    assert!(notes(&events).contains(&Note::InPlaceMemory));
}

#[test]
fn branches_kept_parallel_share_only_what_a_path_orders() {
    let tensors = [
        ("x", 64, "input"),
        ("a", 64, "intermediate"),
        ("b", 96, "intermediate"),
        ("c", 64, "intermediate"),
        ("d", 96, "intermediate"),
        ("y", 64, "output"),
    ];
    let nodes = r#"{"name":"na","op":"f","inputs":["x"],"outputs":["a"]},
        {"name":"nb","op":"f","inputs":["a"],"outputs":["b"]},
        {"name":"nc","op":"f","inputs":["x"],"outputs":["c"]},
        {"name":"nd","op":"f","inputs":["c"],"outputs":["d"]},
        {"name":"ny","op":"f","inputs":["b","d"],"outputs":["y"]}"#;
    let (graph, problem) = read(&tensors, nodes);
    let apart = planned(&problem, Some(&graph), &[("branch_safe", "true")]);
    let freely = planned(&problem, Some(&graph), &[]);
    // c may not go where a was: nothing orders the two branches.
    assert_eq!((offsets(&freely)[3], offsets(&apart)[3]), (64, 224));
}

#[test]
fn a_plan_of_many_buffers_is_valid() {
    for seed in 0..20 {
        let many = sample(300, seed);
        let plan = planned(&many, None, &[("max_size", if seed % 2 == 0 { "0" } else { "65536" })]);
        assert_eq!(plan.places.iter().flatten().count(), 300);
    }
}
