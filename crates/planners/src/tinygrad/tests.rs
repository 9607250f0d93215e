use super::*;
use crate::testing::{buffer, problem};
use memplan_core::graph::Graph;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{self, Answers};

fn graph(text: &str) -> (Graph, Problem) {
    let read = import::read(text.as_bytes(), Answers::default()).expect("a valid graph").document;
    let graph = read.graph().expect("nodes").clone();
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    (graph, problem)
}

fn planned(problem: &Problem, graph: Option<&Graph>, given: &[(&str, &str)]) -> Result<Plan, PlanError> {
    let options = INFO.options(given.iter().copied()).expect("declared");
    Tinygrad.plan(Input { problem, graph }, &options, &mut Silent)
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().flatten().map(|place| place.offset).collect()
}

#[test]
fn a_block_of_exactly_the_size_is_found_only_where_a_class_begins() {
    let chain = |size| problem(vec![buffer("a", size, 0, 2), buffer("k", 256, 1, 3), buffer("c", size, 2, 4)]);
    let missed = planned(&chain(16640), None, &[]).expect("room");
    assert_eq!((offsets(&missed), missed.pools[PoolId(0)].size), (vec![0, 16640, 16896], 33536));
    let found = planned(&chain(16384), None, &[]).expect("room");
    assert_eq!((offsets(&found), found.pools[PoolId(0)].size), (vec![0, 16384, 0], 16640));
}

#[test]
fn the_block_that_is_passed_over_is_reported() {
    let problem = problem(vec![buffer("a", 16640, 0, 2), buffer("k", 256, 1, 3), buffer("c", 16640, 2, 4)]);
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: None };
    Tinygrad.plan(input, &INFO.defaults(), &mut recorder).expect("room");
    let looks = recorder.events.iter().filter_map(|event| match *event {
        Event::Block { verdict, offset, room } => Some((verdict, offset, room)),
        _ => None,
    });
    let rest = |offset| (Verdict::Chosen, offset, u64::MAX);
    let wanted = [rest(0), rest(16640), (Verdict::BelowClass, 0, 16640), rest(16896)];
    assert_eq!(looks.collect::<Vec<_>>(), wanted);
}

const COPIES: &str = r#"{"format":"memory-graph/1","name":"copies",
"tensors":[{"name":"x","dtype":"uint8","shape":[512],"kind":"input"},
{"name":"a","dtype":"uint8","shape":[512],"kind":"intermediate"},
{"name":"b","dtype":"uint8","shape":[512],"kind":"intermediate"},
{"name":"c","dtype":"uint8","shape":[512],"kind":"intermediate"},
{"name":"y","dtype":"uint8","shape":[512],"kind":"output"}],
"nodes":[{"name":"n0","op":"kernel","inputs":["x"],"outputs":["a"]},
{"name":"n1","op":"device_copy","inputs":["a"],"outputs":["b"]},
{"name":"n2","op":"kernel","inputs":["b"],"outputs":["c"]},
{"name":"n3","op":"kernel","inputs":["c"],"outputs":["y"]}]}"#;

#[test]
fn buffers_of_copies_live_twice_as_long_in_a_lane_of_their_own() {
    let (graph, problem) = graph(COPIES);
    let settings = Settings { held: true, copy_lanes: true };
    let found = uses(&problem, Some(&graph), settings).expect("names are known");
    let listed: Vec<(&str, u32, u32, u64)> = found
        .iter()
        .map(|used| (problem.buffers[used.buffer].name.as_str(), used.first, used.last, used.close()))
        .collect();
    assert_eq!(listed, [("a", 0, 1, 4), ("b", 1, 2, 5), ("c", 2, 3, 4)]);
    let plan = planned(&problem, Some(&graph), &[]).expect("room");
    let pools: Vec<(&str, u64)> = plan.pools.iter().map(|pool| (pool.name.as_str(), pool.size)).collect();
    assert_eq!(pools, [("cpu copies", 1024), ("cpu", 512)]);
    let name = |id: BufferId| problem.buffers[id].name.as_str();
    let left: Vec<(&str, Unplanned)> = plan.unplanned.iter().map(|&(id, why)| (name(id), why)).collect();
    assert_eq!(left, [("x", Unplanned::InputOfCaller), ("y", Unplanned::OutputOfCaller)]);
    // Without lanes c may lie on a, and all are planned if nothing is held.
    let plain = planned(&problem, Some(&graph), &[("copy_lanes", "false")]).expect("room");
    assert_eq!((plain.pools.len(), plain.peak(&problem)), (1, 1024));
    let all = planned(&problem, Some(&graph), &[("held", "false")]).expect("room");
    assert_eq!(all.unplanned, []);
    assert_eq!(memplan_core::plan::check(&problem, &all), []);
}

#[test]
fn devices_without_views_are_left_out() {
    assert!(["CUDA", "cpu", "NULL+NULL:1", "AMD"].iter().all(|device| uses::has_views(device)));
    assert!(["DISK:x", "CLANG", "WEBGPU", "CPU+TINYFS"].iter().all(|device| !uses::has_views(device)));
}

#[test]
fn the_original_stops_for_lack_of_room_and_says_how_to_go_on() {
    let empty = |name: &str| buffer(name, 0, 0, 2);
    let problem = problem(vec![empty("z1"), empty("z2"), empty("z3"), buffer("a", 256, 0, 2)]);
    let Err(PlanError::Refused(message)) = planned(&problem, None, &[("count_empty", "false")]) else {
        panic!("there is no room")
    };
    let sentence = Speech::default().say(&message);
    assert!(sentence.contains("z3") && sentence.contains("256") && sentence.contains("count_empty"), "{sentence}");
    let plan = planned(&problem, None, &[]).expect("room");
    assert_eq!((offsets(&plan), memplan_core::plan::check(&problem, &plan)), (vec![0, 256, 512, 768], vec![]));
}

#[test]
fn a_call_may_list_its_buffers_and_an_unknown_name_is_refused() {
    let with = |stated: &str| {
        let attrs = format!(r#""outputs":["c"],"attrs":{{"tinygrad_args":"{stated}"}}"#);
        graph(&COPIES.replace(r#""outputs":["c"]"#, &attrs))
    };
    let settings = Settings { held: true, copy_lanes: false };
    let last_of = |stated: &str| {
        let (graph, problem) = with(stated);
        uses(&problem, Some(&graph), settings).map(|uses| (uses[0].last, uses[1].last))
    };
    assert_eq!(last_of("c,b,a"), Ok((2, 2)));
    assert_eq!(last_of("c,b"), Ok((1, 2)));
    let Err(PlanError::Refused(message)) = last_of("c,q") else { panic!("q does not exist") };
    let sentence = Speech::default().say(&message);
    assert!(sentence.contains("n2") && sentence.contains('q'), "{sentence}");
}

#[test]
fn a_larger_alignment_makes_larger_blocks() {
    let mut problem = problem(vec![buffer("a", 100, 0, 2), buffer("b", 100, 0, 2)]);
    problem.buffers[BufferId(1)].align = 1024;
    let plan = planned(&problem, None, &[]).expect("room");
    assert_eq!((offsets(&plan), plan.pools[PoolId(0)].size), (vec![0, 1024], 2048));
}

#[test]
fn a_sum_beyond_the_largest_number_is_refused() {
    let mut problem = problem(vec![buffer("a", 1, 0, 1), buffer("b", 1, 0, 1)]);
    problem.buffers[BufferId(0)].align = 1 << 52;
    let refused = planned(&problem, None, &[]);
    assert_eq!(refused, Err(PlanError::Refused(Message::new("fault.sum-too-large"))));
}
