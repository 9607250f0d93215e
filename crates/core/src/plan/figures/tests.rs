//! Every figure against one worked out by hand.

use super::*;
use crate::graph::{Dtype, Kind, RawGraph, RawNode, RawTensor, check as check_graph};
use crate::plan::{LiveAt, Place, Pool, PoolId, Quirk, QuirkKind, above, causes};
use crate::problem::{Buffer, Gap, Live, Memory, MemoryId, Scope, lifetimes};
use crate::text::{Locale, Speech};

/// Buffers `(size, start, end, memory)` over some steps.
fn problem(steps: u32, buffers: &[(u64, u32, u32, u32)]) -> Problem {
    let buffer = |(index, &(size, start, end, memory)): (usize, &(u64, u32, u32, u32))| Buffer {
        memory: MemoryId(memory),
        ..Buffer::of(format!("b{index}"), size, Live { start, end })
    };
    let memories = buffers.iter().map(|buffer| buffer.3).max().unwrap_or(0) + 1;
    Problem {
        buffers: buffers.iter().enumerate().map(buffer).collect(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }; memories as usize].into(),
        steps,
        ..Problem::default()
    }
}

/// Places `(pool, offset)` in pools of these sizes and roles.
fn plan(pools: &[(u64, PoolRole)], places: &[(u32, u64)]) -> Plan {
    let pool = |(index, &(size, role)): (usize, &(u64, PoolRole))| Pool {
        name: format!("arena {index}"),
        size,
        device: "cpu".into(),
        role,
    };
    Plan {
        pools: pools.iter().enumerate().map(pool).collect(),
        places: places.iter().map(|&(pool, offset)| Some(Place { pool: PoolId(pool), offset })).collect(),
        ..Plan::default()
    }
}

fn sentence(message: &crate::base::Message) -> String {
    Speech { locale: Locale::En, ..Speech::default() }.say(message)
}

/// `a` 4 bytes over steps 0..4 at 0, `b` 2 over 0..2 at 4, `c` 2 over 1..4 at 8, `d` 3 over 2..4 at
/// 4: the top is 10, the largest load 4 + 2 + 3 = 9 at steps 2 and 3.
fn holes() -> (Problem, Plan) {
    let problem = problem(4, &[(4, 0, 4, 0), (2, 0, 2, 0), (2, 1, 4, 0), (3, 2, 4, 0)]);
    (problem, plan(&[(10, PoolRole::Arena)], &[(0, 0), (0, 4), (0, 8), (0, 4)]))
}

#[test]
fn an_arena_with_a_hole() {
    let (problem, plan) = holes();
    let found = figures(&problem, None, &plan, 1);
    assert_eq!((found.metrics.peak, found.metrics.lower_bound, found.metrics.waste), (10, 9, 1));
    assert_eq!((found.padding, found.internal, found.external), (0, 0, 1));
    // 4·4 + 2·2 + 2·3 + 3·2 = 32 of 10·4.
    assert_eq!(found.utilisation, Some(0.8));
    // Step 0: [6, 10) in one piece; step 1: [6, 8); steps 2 and 3: [7, 8).
    assert_eq!(found.worst, Some(Fragmentation { step: 0, largest: 4, free: 4 }));
    assert_eq!(found.at_peak, Some(Fragmentation { step: 1, largest: 2, free: 2 }));
    assert_eq!((found.slots, found.metrics.reuses, found.reused), (3, 1, 2));
    assert_eq!((found.dependencies, found.longest, found.width, found.broken), (None, None, None, 0));
    assert_eq!(tops_over_time(&problem, &plan), [(0, 6), (1, 10)]);
}

#[test]
fn scattered_bytes_are_measured_where_they_are_worst() {
    // Steps 0 and 1: [0, 2), [4, 6) and [8, 12) are free; at step 2 only the last.
    let problem = problem(4, &[(2, 0, 2, 0), (2, 0, 2, 0), (8, 2, 3, 0), (12, 3, 4, 0)]);
    let plan = plan(&[(12, PoolRole::Arena)], &[(0, 2), (0, 6), (0, 0), (0, 0)]);
    let found = figures(&problem, None, &plan, 1);
    assert_eq!(found.worst, Some(Fragmentation { step: 0, largest: 4, free: 8 }));
    assert_eq!(found.worst.map(Fragmentation::share), Some(0.5));
    assert_eq!(found.at_peak, Some(Fragmentation { step: 3, largest: 0, free: 0 }));
    assert_eq!(found.at_peak.map(Fragmentation::share), Some(0.0));
}

#[test]
fn alignment_takes_its_part_of_the_waste() {
    // 5 and 3 bytes at multiples of 8, a third buffer later on the bytes up to 16: the load is 8,
    // the peak 16.
    let mut padded = problem(3, &[(5, 0, 2, 0), (3, 0, 2, 0), (8, 2, 3, 0)]);
    padded.buffers.iter_mut().for_each(|buffer| buffer.align = 8);
    let plan = plan(&[(16, PoolRole::Arena)], &[(0, 0), (0, 8), (0, 8)]);
    let found = figures(&padded, None, &plan, 1);
    // At step 0: 3 bytes up to 8 and 5 bytes from 11 to 16.
    assert_eq!((found.metrics.waste, found.padding, found.internal, found.external), (8, 8, 0, 0));
    // The planner's own alignment counts like that of the buffers.
    let plain = problem(3, &[(5, 0, 2, 0), (3, 0, 2, 0), (8, 2, 3, 0)]);
    assert_eq!(figures(&plain, None, &plan, 8).padding, 8);
    let found = figures(&plain, None, &plan, 4);
    assert_eq!((found.padding, found.external), (3 + 1, 4));
}

#[test]
fn a_storage_that_is_too_large_is_waste_inside() {
    // Storage 0 grew to 10 for b1, holds 6 at the step of the load; storage 1 is empty there and
    // comes later.
    let problem = problem(4, &[(6, 0, 2, 0), (7, 0, 1, 0), (10, 2, 3, 0), (1, 3, 4, 0)]);
    let plan = plan(
        &[(10, PoolRole::Storage), (7, PoolRole::Storage), (1, PoolRole::Storage)],
        &[(0, 0), (1, 0), (0, 0), (2, 0)],
    );
    let found = figures(&problem, None, &plan, 1);
    assert_eq!((found.metrics.peak, found.metrics.lower_bound), (18, 13));
    assert_eq!((found.padding, found.internal, found.external), (0, 4, 1));
}

#[test]
fn memories_are_looked_at_where_each_is_fullest() {
    // Memory 0: 4 at step 0, 6 at step 1, of a pool of 8; memory 1: full at step 0.
    let problem = problem(2, &[(4, 0, 1, 0), (6, 1, 2, 0), (5, 0, 1, 1)]);
    let plan = plan(&[(8, PoolRole::Arena), (5, PoolRole::Arena)], &[(0, 4), (0, 0), (1, 0)]);
    let found = figures(&problem, None, &plan, 4);
    assert_eq!((found.metrics.peak, found.metrics.lower_bound), (13, 11));
    // [6, 8) up to the next multiple of 4.
    assert_eq!((found.padding, found.external), (2, 0));
}

#[test]
fn what_reuse_takes_from_branches() {
    // x feeds a → b and c → d, which meet in y; c lies on a: C waits for B, and nothing runs beside
    // anything any more.
    let tensor = |name: &str| RawTensor {
        name: Some(name.into()),
        dtype: Some(Dtype::UInt8),
        shape: Some(vec![]),
        kind: Some(Kind::Intermediate),
        bytes: Some(4),
        ..RawTensor::default()
    };
    let node = |name: &str, reads: &[&str]| RawNode {
        name: Some(name.to_uppercase()),
        op: Some("op".into()),
        inputs: reads.iter().map(|read| read.to_string()).collect(),
        outputs: vec![name.into()],
        ..RawNode::default()
    };
    let raw = RawGraph {
        name: "branches".into(),
        tensors: ["x", "a", "b", "c", "d", "y"].map(tensor).to_vec(),
        nodes: vec![
            node("x", &[]),
            node("a", &["x"]),
            node("b", &["a"]),
            node("c", &["x"]),
            node("d", &["c"]),
            node("y", &["b", "d"]),
        ],
        ..RawGraph::default()
    };
    let graph = check_graph(raw).expect("valid").0;
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let apart = plan(&[(24, PoolRole::Arena)], &[(0, 0), (0, 4), (0, 8), (0, 12), (0, 16), (0, 20)]);
    let found = figures(&problem, Some(&graph), &apart, 1);
    assert_eq!((found.dependencies, found.longest, found.width), (Some(0), Some((4, 4)), Some((2, 2))));
    let shared = plan(&[(20, PoolRole::Arena)], &[(0, 0), (0, 4), (0, 8), (0, 4), (0, 12), (0, 16)]);
    let found = figures(&problem, Some(&graph), &shared, 1);
    assert_eq!((found.dependencies, found.longest, found.width), (Some(1), Some((4, 6)), Some((2, 1))));
}

#[test]
fn a_broken_plan_says_so_and_an_empty_one_has_no_figures() {
    let (problem, mut plan) = holes();
    if let Some(place) = &mut plan.places[BufferId(3)] {
        place.offset = 3;
    }
    assert_eq!(figures(&problem, None, &plan, 1).broken, 1);
    let nothing = figures(&Problem::default(), None, &Plan::default(), 64);
    assert_eq!((nothing.utilisation, nothing.worst, nothing.at_peak, nothing.slots), (None, None, None, 0));
}

#[test]
fn who_causes_the_peak() {
    let (problem, plan) = holes();
    let found = causes(&problem, &plan).expect("buffers are placed");
    let listed = |at: &LiveAt| {
        (at.step, at.live.iter().map(|cause| (cause.buffer.0, cause.size, cause.falls)).collect::<Vec<_>>())
    };
    // Step 2 has the largest load, 9: a, c and d live. Step 1 is the first at the top: a, b and c
    // live. Without c the top is d's 7.
    assert_eq!(listed(&found.load), (2, vec![(0, 4, 4), (3, 3, 1), (2, 2, 2)]));
    assert_eq!(found.top.as_ref().map(listed), Some((1, vec![(0, 4, 0), (1, 2, 0), (2, 2, 3)])));
    assert_eq!(causes(&Problem::default(), &Plan::default()), None);
}

#[test]
fn the_bound_falls_by_what_it_is_without_the_buffer() {
    let mut problem = crate::problem::sample(120, 5);
    for buffer in problem.buffers.iter_mut().step_by(4) {
        let window = (buffer.size % 2 == 0).then_some((0, buffer.size / 2));
        buffer.gaps = vec![Gap { live: Live::new(buffer.live.start, buffer.live.start + 1), window }];
    }
    let found = causes(&problem, &Plan::empty(&problem)).expect("buffers are asked for").load;
    let whole = crate::problem::lower_bound(&problem);
    assert!(found.live.len() > 5);
    for cause in &found.live {
        let without = crate::problem::lower_bound_of(&problem, |other| other != cause.buffer);
        assert_eq!(cause.falls, whole - without, "{cause:?}");
    }
}

#[test]
fn the_largest_load_is_that_of_the_graph_whatever_the_plan_leaves_out() {
    let (problem, mut plan) = holes();
    let whole = causes(&problem, &plan).expect("buffers are placed").load;
    plan.places[BufferId(0)] = None;
    assert_eq!(causes(&problem, &plan).map(|found| found.load), Some(whole.clone()));
    let nothing = causes(&problem, &Plan::empty(&problem)).expect("buffers are asked for");
    assert_eq!((nothing.load, nothing.top), (whole, None));
}

#[test]
fn a_sentence_says_why_a_plan_lies_above_the_bound() {
    let (problem, plan) = holes();
    let above = |problem: &Problem, plan: &Plan, step| above(problem, plan, &figures(problem, None, plan, 1), step);
    let mut low = plan.clone();
    assert!(sentence(&above(&problem, &plan, 2)).contains("7–8"), "{}", sentence(&above(&problem, &plan, 2)));
    assert_eq!(above(&problem, &plan, 2).key, "above.too-small");
    assert_eq!(above(&problem, &plan, 0).key, "above.top");
    low.places[BufferId(2)] = Some(Place { pool: PoolId(0), offset: 7 });
    assert_eq!(above(&problem, &low, 2).key, "above.full");
    assert_eq!(above(&problem, &low, 0).key, "above.none");
    assert_eq!(above(&problem, &Plan::empty(&problem), 0).key, "above.figure");
    // Below the bound or with an overlap of the original system nothing is said of the best there
    // can be.
    let mut overlaid = low.clone();
    overlaid.places[BufferId(3)] = Some(Place { pool: PoolId(0), offset: 0 });
    assert_eq!(above(&problem, &overlaid, 2).key, "above.broken");
    overlaid.quirks = vec![Quirk { kind: QuirkKind::IgnoredRead, a: BufferId(0), b: BufferId(3) }];
    assert_eq!(above(&problem, &overlaid, 2).key, "above.quirk");
    assert!(!figures(&problem, None, &overlaid, 1).is_sound());
}

#[test]
fn bytes_in_a_gap_are_free() {
    // Two buffers of 10 side by side over four steps, the first unused in the second step but for
    // its upper half.
    let mut problem = problem(4, &[(10, 0, 4, 0), (10, 0, 4, 0)]);
    problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(1, 2), window: Some((5, 10)) }];
    let plan = plan(&[(20, PoolRole::Arena)], &[(0, 0), (0, 10)]);
    let found = figures(&problem, None, &plan, 1);
    assert_eq!((found.metrics.peak, found.broken), (20, 0));
    assert_eq!(found.utilisation, Some((10.0 * 3.0 + 5.0 + 40.0) / 80.0));
    assert_eq!(found.worst, Some(Fragmentation { step: 1, largest: 5, free: 5 }));
    assert_eq!(tops_over_time(&problem, &plan), [(0, 20)]);
}

#[test]
fn a_plan_is_read_off_at_a_step() {
    // 4 at 0 in steps 0 and 1, 6 at 4 in steps 1 and 2; a second pool of 8 with 2 at 3 in step 1.
    let problem = problem(3, &[(4, 0, 2, 0), (6, 1, 3, 0), (2, 1, 2, 0)]);
    let plan = plan(&[(10, PoolRole::Arena), (8, PoolRole::Arena)], &[(0, 0), (0, 4), (1, 3)]);
    assert_eq!(at_step(&problem, &plan, 1), Reading { load: 12, top: 15, gaps: vec![3] });
    assert_eq!(at_step(&problem, &plan, 2), Reading { load: 6, top: 10, gaps: vec![5, 4] });
}
