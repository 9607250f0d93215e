//! Orders, fits and ties of the planners that fill gaps.

use super::*;
pub use crate::testing::plan_of;
use crate::testing::{buffer, problem};
use crate::{find, orders};
use memplan_core::problem::{Buffer, Memory, MemoryId, lower_bound, sample};
use memplan_core::trace::Recorder;

const ALL: [&str; 4] = ["greedy-by-size", "greedy-by-breadth", "tflite-arena", "tflm-greedy"];

/// The verdicts reported for gaps of which one is chosen.
pub fn verdicts(gaps: &[Gap], chosen: usize, ask: Ask) -> Vec<Verdict> {
    let mut recorder = Recorder::default();
    show(gaps, chosen, ask, Fit::Tightest, &mut recorder);
    let verdict = |event: &Event| match event {
        Event::Block { verdict, .. } => *verdict,
        other => panic!("{other:?}"),
    };
    recorder.events.iter().map(verdict).collect()
}

/// Two buffers of 100 at 8 and 113 leave gaps of 8, 5 and no end.
fn gapped(extra: Vec<Buffer>) -> Problem {
    let mut low = buffer("low", 100, 0, 2);
    low.fixed = Some(8);
    let mut high = buffer("high", 100, 0, 2);
    high.fixed = Some(113);
    problem([vec![low, high], extra].concat())
}

#[test]
fn the_tightest_gap_and_the_lowest_differ() {
    let problem = gapped(vec![buffer("five", 5, 1, 2), buffer("four", 4, 1, 2), buffer("more", 4, 1, 2)]);
    let fixed = [("fixed", "true"), ("align", "1")];
    assert_eq!(plan_of("greedy-by-size", &problem, &fixed[..1]).0[2..], [108, 0, 4]);
    assert_eq!(plan_of("tflite-arena", &problem, &fixed).0[2..], [108, 0, 4]);
    // The five cuts the gap of 8, so one of the fours goes on top.
    assert_eq!(plan_of("tflm-greedy", &problem, &fixed).0[2..], [0, 213, 108]);
}

#[test]
fn the_events_tell_every_gap() {
    let problem = gapped(vec![buffer("five", 5, 1, 2), buffer("nine", 9, 1, 2)]);
    let emitted = |id: &str, name: &str| {
        let planner = find(id).unwrap();
        let options = planner.info().options([("fixed", "true")]).unwrap();
        let mut recorder = Recorder::default();
        planner.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
        let wanted = problem.buffer_named(name).unwrap();
        let at = recorder.events.iter().position(|event| *event == Event::Begin { buffer: wanted }).unwrap();
        let end = recorder.events[at + 1..].iter().position(|event| matches!(event, Event::Begin { .. }));
        recorder.events[at + 1..end.map_or(recorder.events.len(), |end| at + 1 + end)].to_vec()
    };
    let block = |verdict, offset, room| Event::Block { verdict, offset, room };
    let place = |outcome, buffer, offset| Event::Place { outcome, buffer: BufferId(buffer), pool: 0, offset };
    assert_eq!(
        emitted("greedy-by-size", "nine"),
        [
            block(Verdict::TooSmall, 0, 8),
            block(Verdict::TooSmall, 108, 5),
            block(Verdict::Chosen, 213, u64::MAX),
            place(Outcome::AtEnd, 3, 213),
            Event::Grow { pool: 0, from: 213, to: 222 },
        ]
    );
    assert_eq!(
        emitted("greedy-by-size", "five"),
        [
            block(Verdict::Fits, 0, 8),
            block(Verdict::Chosen, 108, 5),
            block(Verdict::Fits, 222, u64::MAX),
            place(Outcome::Gap, 2, 108),
        ]
    );
}

#[test]
fn breadth_takes_the_busiest_step_first() {
    // Breadths 6, 9, 5: step 1 first with its buffers by size, then step 0, then step 2.
    let problem = problem(vec![
        buffer("a", 2, 0, 1),
        buffer("b", 4, 0, 2),
        buffer("c", 5, 1, 2),
        buffer("d", 3, 2, 3),
        buffer("e", 2, 2, 3),
    ]);
    let (offsets, order) = plan_of("greedy-by-breadth", &problem, &[]);
    assert_eq!(order, ["c", "b", "a", "d", "e"]);
    assert_eq!(offsets, [0, 5, 0, 0, 3]);
}

#[test]
fn equal_breadths_go_by_step_and_equal_sizes_by_input() {
    let problem = problem(vec![buffer("a", 2, 1, 2), buffer("b", 2, 1, 2), buffer("c", 4, 0, 1), buffer("d", 0, 1, 2)]);
    assert_eq!(plan_of("greedy-by-breadth", &problem, &[]).1, ["c", "a", "b", "d"]);
    assert_eq!(plan_of("greedy-by-size", &problem, &[]).1, ["c", "a", "b", "d"]);
}

#[test]
fn size_order_misses_the_bound_in_the_example_of_its_header() {
    let sizes = [(3, 0, 1), (2, 0, 2), (2, 1, 3), (1, 2, 3), (3, 2, 3)];
    let problem = problem(sizes.iter().map(|&(size, start, end)| buffer("b", size, start, end)).collect());
    assert_eq!(lower_bound(&problem), 6);
    assert_eq!(plan_of("greedy-by-size", &problem, &[]).0, [0, 3, 5, 3, 0]);
}

#[test]
fn every_memory_has_an_arena_of_its_own() {
    let mut problem = problem(vec![buffer("a", 16, 0, 2), buffer("b", 16, 0, 2), buffer("c", 16, 1, 2)]);
    problem.memories = ["gpu", "cpu"].map(|device| Memory { device: device.into(), mem_id: None }).to_vec().into();
    problem.buffers[BufferId(1)].memory = MemoryId(1);
    for id in ALL {
        let mut offsets = plan_of(id, &problem, &[]).0;
        assert_eq!(offsets.remove(1), 0, "{id}");
        offsets.sort_unstable();
        assert_eq!(offsets, [0, if id == "tflite-arena" { 64 } else { 16 }], "{id}");
    }
}

#[test]
fn a_mixed_alignment_is_met_at_the_start_of_a_gap() {
    let mut wide = buffer("wide", 20, 0, 2);
    wide.align = 32;
    let problem = problem(vec![buffer("a", 30, 0, 2), wide, buffer("b", 2, 0, 2)]);
    assert_eq!(plan_of("greedy-by-size", &problem, &[]).0, [0, 32, 30]);
    // Sizes rounded up to 16 leave no gap.
    assert_eq!(plan_of("tflm-greedy", &problem, &[]).0, [32, 0, 64]);
}

/// The plain loop: all placed buffers, sorted by address, one cursor.
fn plainly(problem: &Problem, order: &[BufferId], tightest: bool) -> Vec<u64> {
    let mut offsets: IdVec<BufferId, Option<u64>> = IdVec::from_elem(None, problem.buffers.len());
    for &id in order {
        let wanted = &problem.buffers[id];
        let meets = |(other, offset): (BufferId, &Option<u64>)| {
            let there = &problem.buffers[other];
            offset.filter(|_| there.live.meets(wanted.live)).map(|offset| (offset, offset + there.size))
        };
        let mut taken: Vec<(u64, u64)> = offsets.enumerate().filter_map(meets).collect();
        taken.sort_unstable();
        let (mut cursor, mut best) = (0, None);
        for (start, end) in taken {
            if cursor + wanted.size <= start && best.is_none_or(|(length, _)| tightest && start - cursor < length) {
                best = Some((start - cursor, cursor));
            }
            cursor = cursor.max(end);
        }
        offsets[id] = Some(best.map_or(cursor, |(_, offset)| offset));
    }
    offsets.iter().map(|offset| offset.unwrap()).collect()
}

#[test]
fn the_index_changes_nothing() {
    for seed in 0..8 {
        let problem = sample(120, seed);
        let size = orders::by_size(&problem);
        assert_eq!(plan_of("greedy-by-size", &problem, &[]).0, plainly(&problem, &size, true), "{seed}");
        let breadth = orders::by_breadth(&problem);
        assert_eq!(plan_of("greedy-by-breadth", &problem, &[]).0, plainly(&problem, &breadth, true), "{seed}");
        let mut reverse: Vec<BufferId> = problem.buffers.ids().rev().collect();
        reverse.sort_by_key(|&id| std::cmp::Reverse(problem.buffers[id].size));
        let align = [("align", "1")];
        assert_eq!(plan_of("tflm-greedy", &problem, &align).0, plainly(&problem, &reverse, false), "{seed}");
    }
}

#[test]
fn the_order_by_breadth_is_that_of_the_definition() {
    let problem = sample(80, 3);
    let breadth = |step: u32| {
        let alive = problem.buffers.iter().filter(|buffer| buffer.live.contains(step));
        alive.map(|buffer| buffer.size).sum::<u64>()
    };
    let mut steps: Vec<u32> = (0..problem.steps).collect();
    steps.sort_by_key(|&step| (std::cmp::Reverse(breadth(step)), step));
    let mut expected: Vec<BufferId> = Vec::new();
    for step in steps {
        let mut here: Vec<BufferId> =
            problem.buffers.ids().filter(|&id| problem.buffers[id].live.contains(step)).collect();
        here.sort_by_key(|&id| (std::cmp::Reverse(problem.buffers[id].size), id));
        here.retain(|id| !expected.contains(id));
        expected.extend(here);
    }
    assert_eq!(orders::by_breadth(&problem), expected);
}
