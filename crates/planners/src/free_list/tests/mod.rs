//! The worked examples, step by step.

mod plain_list;

use super::block::Block;
use super::chain::Chain;
use super::run::{Run, births};
use super::*;
use crate::find;
use memplan_core::graph::Kind;
use memplan_core::plan::{PoolId, check};
use memplan_core::problem::{Branches, Buffer, BufferId, Live, Memory, MemoryId, Problem, five_buffers, lower_bound};
use memplan_core::trace::{Event, Outcome, Recorder, Silent, Verdict};

const ALL: [(Fit, &str); 3] = [(Fit::First, "first-fit"), (Fit::Best, "best-fit"), (Fit::Worst, "worst-fit")];

fn buffer(name: &str, size: u64, start: u32, end: u32) -> Buffer {
    Buffer::of(name, size, Live::new(start, end))
}

fn problem(buffers: Vec<Buffer>) -> Problem {
    Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

fn plan(id: &str, problem: &Problem, given: &[(&str, &str)]) -> Plan {
    let planner = find(id).unwrap();
    let options = planner.info().options(given.iter().copied()).unwrap();
    planner.plan(Input { problem, graph: None }, &options, &mut Silent).unwrap()
}

fn events(id: &str, problem: &Problem, given: &[(&str, &str)]) -> Vec<Event> {
    let planner = find(id).unwrap();
    let options = planner.info().options(given.iter().copied()).unwrap();
    let mut recorder = Recorder::default();
    planner.plan(Input { problem, graph: None }, &options, &mut recorder).unwrap();
    recorder.events
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().map(|place| place.unwrap().offset).collect()
}

/// Free blocks after the decision of the buffer with this index, by start of life.
fn free_after(fit: Fit, problem: &Problem, index: usize) -> Vec<(u64, u64)> {
    let order = births(problem, "index");
    let mut run = Run::new(problem, fit, &FIRST_FIT.defaults(), Branches::default(), &order);
    for (decision, &id) in order.iter().enumerate().take(index + 1) {
        run.decide(decision as u32, id, &mut Silent);
    }
    run.arenas[PoolId(0)].chain.blocks().map(|block| (block.start, block.end)).collect()
}

const TOP: u64 = u64::MAX;

fn three_policies() -> Problem {
    problem(vec![
        buffer("A", 4, 0, 6),
        buffer("B", 4, 3, 8),
        buffer("C", 3, 4, 6),
        buffer("D", 3, 4, 7),
        buffer("E", 2, 6, 8),
        buffer("F", 1, 6, 9),
        buffer("G", 6, 7, 8),
    ])
}

#[test]
fn three_policies_reach_three_peaks() {
    let problem = three_policies();
    assert_eq!(lower_bound(&problem), 14);
    let cases = [
        ("first-fit", [0, 4, 8, 11, 0, 2, 8], 14),
        ("best-fit", [0, 4, 8, 11, 8, 10, 11], 17),
        ("worst-fit", [0, 4, 8, 11, 0, 8, 9], 15),
    ];
    for (id, expected, peak) in cases {
        let plan = plan(id, &problem, &[]);
        assert_eq!(offsets(&plan), expected, "{id}");
        assert_eq!((plan.peak(&problem), plan.pools[PoolId(0)].size), (peak, peak), "{id}");
        assert_eq!(check(&problem, &plan), [], "{id}");
    }
}

#[test]
fn the_free_blocks_follow_each_placement() {
    let problem = three_policies();
    let first = [vec![(2, 4), (8, 11), (14, TOP)], vec![(3, 4), (8, 11), (14, TOP)], vec![(3, 4), (14, TOP)]];
    let best = [vec![(0, 4), (10, 11), (14, TOP)], vec![(0, 4), (14, TOP)], vec![(0, 4), (17, TOP)]];
    let worst = [vec![(2, 4), (8, 11), (14, TOP)], vec![(2, 4), (9, 11), (14, TOP)], vec![(2, 4), (15, TOP)]];
    for ((fit, _), expected) in ALL.into_iter().zip([first, best, worst]) {
        assert_eq!(free_after(fit, &problem, 3), [(14, TOP)], "after D, {fit:?}");
        for (step, blocks) in expected.into_iter().enumerate() {
            assert_eq!(free_after(fit, &problem, 4 + step), blocks, "after {step}, {fit:?}");
        }
    }
}

#[test]
fn the_events_tell_what_was_looked_at() {
    let problem = three_policies();
    let block = |verdict, offset, room| Event::Block { verdict, offset, room };
    let place = |outcome, buffer, offset| Event::Place { outcome, buffer: BufferId(buffer), pool: 0, offset };
    let release = |buffer| Event::Release { buffer: BufferId(buffer) };
    let begin = |buffer| Event::Begin { buffer: BufferId(buffer) };
    let events = |id| events(id, &problem, &[]);
    assert_eq!(
        events("first-fit")[..9],
        [
            begin(0),
            block(Verdict::Chosen, 0, TOP),
            Event::OpenPool { pool: 0, memory: 0, growing: true },
            place(Outcome::NewPool, 0, 0),
            Event::Grow { pool: 0, from: 0, to: 4 },
            begin(1),
            block(Verdict::Chosen, 4, TOP),
            place(Outcome::AtEnd, 1, 4),
            Event::Grow { pool: 0, from: 4, to: 8 },
        ]
    );
    let from_e = |id| {
        let events = events(id);
        let at = events.iter().position(|event| *event == begin(4)).unwrap();
        events[at..].to_vec()
    };
    assert_eq!(
        from_e("first-fit"),
        [
            begin(4),
            release(0),
            release(2),
            block(Verdict::Chosen, 0, 4),
            place(Outcome::Split, 4, 0),
            begin(5),
            block(Verdict::Chosen, 2, 2),
            place(Outcome::Split, 5, 2),
            begin(6),
            release(3),
            block(Verdict::TooSmall, 3, 1),
            block(Verdict::Chosen, 8, TOP),
            place(Outcome::AtEnd, 6, 8),
        ]
    );
    assert_eq!(
        from_e("best-fit"),
        [
            begin(4),
            release(0),
            release(2),
            block(Verdict::Fits, 0, 4),
            block(Verdict::Chosen, 8, 3),
            block(Verdict::Fits, 14, TOP),
            place(Outcome::Split, 4, 8),
            begin(5),
            block(Verdict::Fits, 0, 4),
            block(Verdict::Chosen, 10, 1),
            block(Verdict::Fits, 14, TOP),
            place(Outcome::Exact, 5, 10),
            begin(6),
            release(3),
            block(Verdict::TooSmall, 0, 4),
            block(Verdict::Chosen, 11, TOP),
            place(Outcome::AtEnd, 6, 11),
            Event::Grow { pool: 0, from: 14, to: 17 },
        ]
    );
    assert_eq!(
        from_e("worst-fit"),
        [
            begin(4),
            release(0),
            release(2),
            block(Verdict::Chosen, 0, 4),
            block(Verdict::Fits, 8, 3),
            block(Verdict::Fits, 14, TOP),
            place(Outcome::Split, 4, 0),
            begin(5),
            block(Verdict::Fits, 2, 2),
            block(Verdict::Chosen, 8, 3),
            block(Verdict::Fits, 14, TOP),
            place(Outcome::Split, 5, 8),
            begin(6),
            release(3),
            block(Verdict::TooSmall, 2, 2),
            block(Verdict::Chosen, 9, TOP),
            place(Outcome::AtEnd, 6, 9),
            Event::Grow { pool: 0, from: 14, to: 15 },
        ]
    );
}

#[test]
fn an_unlucky_order_keeps_every_policy_from_the_bound() {
    let problem = problem(vec![
        buffer("conv1_weight", 102400, 1, 11),
        buffer("layer1_activation", 204800, 5, 16),
        buffer("conv2_weight", 204800, 11, 31),
        buffer("pool1_output", 102400, 16, 26),
        buffer("layer2_activation", 409600, 20, 36),
        buffer("output", 102400, 36, 41),
    ]);
    assert_eq!(lower_bound(&problem), 716_800);
    for (_, id) in ALL {
        let plan = plan(id, &problem, &[]);
        assert_eq!(offsets(&plan), [0, 102400, 307200, 0, 512000, 0], "{id}");
        assert_eq!(plan.peak(&problem), 921_600, "{id}");
    }
}

#[test]
fn the_small_example_of_the_header_holds() {
    let problem = problem(vec![buffer("a", 4, 0, 1), buffer("b", 1, 0, 2), buffer("c", 4, 0, 1), buffer("d", 8, 1, 2)]);
    assert_eq!(lower_bound(&problem), 9);
    for (_, id) in ALL {
        assert_eq!(offsets(&plan(id, &problem, &[])), [0, 4, 5, 5], "{id}");
    }
}

#[test]
fn ties_follow_the_option() {
    let problem = problem(vec![buffer("a", 1, 0, 1), buffer("b", 2, 0, 2), buffer("c", 3, 0, 1)]);
    assert_eq!(offsets(&plan("first-fit", &problem, &[])), [0, 1, 3]);
    assert_eq!(offsets(&plan("first-fit", &problem, &[("tie", "size")])), [5, 3, 0]);
    assert_eq!(offsets(&plan("first-fit", &problem, &[("tie", "long")])), [2, 0, 3]);
}

#[test]
fn a_bounded_tail_takes_part() {
    // After a and c die there are a hole of 3 and a tail of 2.
    let problem = problem(vec![buffer("a", 3, 0, 1), buffer("b", 1, 0, 2), buffer("c", 2, 0, 1), buffer("d", 2, 1, 2)]);
    assert_eq!(offsets(&plan("best-fit", &problem, &[])), [0, 3, 4, 0]);
    assert_eq!(offsets(&plan("best-fit", &problem, &[("tail", "bounded")])), [0, 3, 4, 4]);
    assert_eq!(offsets(&plan("worst-fit", &problem, &[("tail", "bounded")])), [0, 3, 4, 0]);
    let events = events("best-fit", &problem, &[("tail", "bounded")]);
    let tail = [
        Event::Block { verdict: Verdict::Fits, offset: 0, room: 3 },
        Event::Block { verdict: Verdict::Chosen, offset: 4, room: 2 },
        Event::Block { verdict: Verdict::Fits, offset: 4, room: TOP },
        Event::Place { outcome: Outcome::Exact, buffer: BufferId(3), pool: 0, offset: 4 },
    ];
    assert!(events.windows(4).any(|window| window == tail));
}

#[test]
fn mixed_alignments_leave_skipped_bytes_free() {
    let mut wide = buffer("wide", 5, 0, 3);
    wide.align = 8;
    let problem = problem(vec![buffer("a", 3, 0, 3), wide, buffer("b", 5, 0, 3), buffer("c", 4, 1, 3)]);
    for (_, id) in ALL {
        let plan = plan(id, &problem, &[]);
        // `wide` takes [8, 16), so b fills [3, 8) exactly and c comes after the padding.
        assert_eq!(offsets(&plan), [0, 8, 3, 16], "{id}");
        assert_eq!(plan.pools[PoolId(0)].size, 20, "{id}");
    }
    let mut last = problem.clone();
    last.buffers = last.buffers.iter().take(2).cloned().collect::<Vec<_>>().into();
    assert_eq!(plan("first-fit", &last, &[]).pools[PoolId(0)].size, 13, "the pool keeps unpadded sizes");
}

#[test]
fn stated_positions_are_kept_and_avoided_before_their_birth() {
    let mut late = buffer("late", 4, 2, 4);
    late.fixed = Some(2);
    let mut early = buffer("early", 2, 0, 1);
    early.fixed = Some(10);
    let problem = problem(vec![buffer("a", 3, 0, 3), buffer("b", 2, 0, 2), late, early, buffer("c", 3, 3, 4)]);
    let mut unstated = problem.clone();
    unstated.buffers.iter_mut().for_each(|buffer| buffer.fixed = None);
    for (_, id) in ALL {
        let kept = plan(id, &problem, &[("fixed", "true")]);
        // a meets `late`, whose bytes 2..6 it must leave; b is gone before `late` is born.
        assert_eq!(offsets(&kept), [6, 0, 2, 10, 6], "{id}");
        assert_eq!(check(&problem, &kept), [], "{id}");
        assert_eq!(plan(id, &problem, &[]), plan(id, &unstated, &[]), "{id}: not asked for, not kept");
    }
}

#[test]
fn size_zero_takes_no_block() {
    let problem = problem(vec![buffer("nothing", 0, 0, 2), buffer("a", 4, 0, 2), buffer("none", 0, 1, 2)]);
    for (_, id) in ALL {
        assert_eq!(offsets(&plan(id, &problem, &[])), [0, 0, 0], "{id}");
        let events = events(id, &problem, &[]);
        let nothing = Event::Place { outcome: Outcome::Nothing, buffer: BufferId(2), pool: 0, offset: 0 };
        assert_eq!(events[events.len() - 2..], [Event::Begin { buffer: BufferId(2) }, nothing], "{id}");
    }
}

#[test]
fn every_memory_has_an_arena_of_its_own() {
    let mut problem = problem(vec![buffer("a", 4, 0, 2), buffer("b", 4, 0, 2), buffer("c", 4, 1, 2)]);
    problem.memories =
        ["none", "gpu", "cpu"].map(|device| Memory { device: device.into(), mem_id: None }).to_vec().into();
    problem.buffers[BufferId(0)].memory = MemoryId(2);
    problem.buffers[BufferId(1)].memory = MemoryId(1);
    problem.buffers[BufferId(2)].memory = MemoryId(2);
    let plan = plan("first-fit", &problem, &[]);
    let pools: Vec<(&str, u64)> = plan.pools.iter().map(|pool| (pool.device.as_str(), pool.size)).collect();
    assert_eq!(pools, [("gpu", 4), ("cpu", 8)]);
    assert_eq!(offsets(&plan), [0, 0, 4]);
}

/// A graph of one node a tensor, each with what it reads.
fn graph(nodes: &[(&str, u64, &[&str])]) -> memplan_core::graph::Graph {
    use memplan_core::graph::{Dtype, RawGraph, RawNode, RawTensor};
    let tensor = |&(name, size, _): &(&str, u64, &[&str])| RawTensor {
        name: Some(name.into()),
        dtype: Some(Dtype::UInt8),
        shape: Some(vec![]),
        kind: Some(Kind::Intermediate),
        bytes: Some(size),
        ..RawTensor::default()
    };
    let node = |&(name, _, reads): &(&str, u64, &[&str])| RawNode {
        name: Some(name.into()),
        op: Some("op".into()),
        inputs: reads.iter().map(|read| read.to_string()).collect(),
        outputs: vec![name.into()],
        ..RawNode::default()
    };
    let raw = RawGraph {
        name: "drawn".into(),
        tensors: nodes.iter().map(tensor).collect(),
        nodes: nodes.iter().map(node).collect(),
        ..RawGraph::default()
    };
    memplan_core::graph::check(raw).expect("a valid graph").0
}

#[test]
fn branches_are_kept_parallel_when_asked() {
    // x → a → b and x → c → d meet in y; the run takes them one after the other.
    let graph = graph(&[
        ("x", 4, &[]),
        ("a", 6, &["x"]),
        ("b", 4, &["a"]),
        ("c", 5, &["x"]),
        ("d", 4, &["c"]),
        ("y", 4, &["b", "d"]),
    ]);
    let problem = memplan_core::problem::lifetimes(&graph, &memplan_core::problem::Scope::default()).unwrap();
    let run = |given: &[(&str, &str)]| {
        let options = FIRST_FIT.options(given.iter().copied()).unwrap();
        let mut recorder = Recorder::default();
        let plan = FirstFit.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut recorder).unwrap();
        assert_eq!(check(&problem, &plan), []);
        (plan, recorder.events)
    };
    assert_eq!(offsets(&run(&[]).0), [0, 4, 10, 4, 0, 4]);
    // c may not lie on a, which may run at the same time; d not on x either, which a reads. y comes
    // after them all.
    let (plan, events) = run(&[("branch_safe", "true")]);
    assert_eq!(offsets(&plan), [0, 4, 10, 14, 19, 0]);
    let of_c = events.iter().skip_while(|event| **event != Event::Begin { buffer: BufferId(3) });
    let is_looked_at = |event: &&Event| matches!(event, Event::Block { .. } | Event::InTheWay { .. });
    let looked_at: Vec<Event> = of_c.filter(is_looked_at).take(3).copied().collect();
    let block = |verdict, offset, room| Event::Block { verdict, offset, room };
    let a = Event::InTheWay { buffer: BufferId(1) };
    assert_eq!(looked_at, [a, block(Verdict::Parallel, 4, 6), block(Verdict::Chosen, 14, TOP)]);
}

#[test]
fn branches_need_a_graph() {
    let problem = three_policies();
    for (_, id) in ALL {
        let planner = find(id).unwrap();
        let options = planner.info().options([("branch_safe", "true")]).unwrap();
        let refused = planner.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
        assert_eq!(refused, Err(PlanError::NotApplicable(crate::NotApplicable::BranchesNeedGraph)), "{id}");
    }
}

#[test]
fn the_picture_of_the_chain_is_true() {
    use five_buffers::{KIB, assert_in_comments, drawn};
    let problem = five_buffers::problem();
    let options = FIRST_FIT.defaults();
    let mut recorder = Recorder::default();
    let plan = FirstFit.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
    let offsets: Vec<u64> = offsets(&plan).into_iter().map(|offset| offset / KIB).collect();
    assert_in_comments(include_str!("../chain.rs"), &drawn(&offsets));

    let mut chain = Chain::new(Fit::First);
    let (mut steps, mut free) = (Vec::new(), Vec::new());
    for event in recorder.events {
        let (Event::Place { buffer, .. } | Event::Release { buffer }) = event else { continue };
        let name = &problem.buffers[buffer].name;
        let start = offsets[buffer.0 as usize];
        let end = start + problem.buffers[buffer].size / KIB;
        if matches!(event, Event::Place { .. }) {
            chain.take(start, end);
            steps.push(format!("take {name} "));
        } else {
            chain.release(start, end);
            steps.push(format!("release {name} "));
        }
        let block = |block: Block| {
            if block.is_top() { format!("[{}, …)", block.start) } else { format!("[{}, {})", block.start, block.end) }
        };
        free.push(format!("   {}", chain.blocks().map(block).collect::<Vec<_>>().join(" ")));
    }
    assert_in_comments(include_str!("../chain.rs"), &steps);
    assert_in_comments(include_str!("../chain.rs"), &free);
}
