use super::allocate::{Stopped, Strategy};
use super::*;
use crate::testing::{buffer, problem};
use memplan_core::problem::Problem;
use memplan_core::trace::{Recorder, Silent};
use std::ops::ControlFlow;

/// Ranges of a list such as `+0 100, -0`: allocations with their bytes, and frees.
fn listed(ops: &[(u32, Option<u64>)]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for (time, &(id, size)) in (0..).zip(ops) {
        match size {
            Some(size) => ranges.push(Range { start: time, end: 0, size: align_up(size, 64) }),
            None => ranges[id as usize].end = time,
        }
    }
    ranges
}

fn all(ranges: &[Range], room: u64) -> Found {
    allocate_all(ranges, room, None, &mut |_| ControlFlow::Continue(())).expect("never stopped")
}

fn orders(found: &Found) -> Vec<(Strategy, Vec<u32>, u64)> {
    let order = |tried: &allocate::Tried| tried.turns.iter().map(|turn| turn.range).collect();
    found.tried.iter().map(|tried| (tried.strategy, order(tried), tried.used)).collect()
}

const CHAIN: [(u32, Option<u64>); 8] =
    [(0, Some(100)), (1, Some(300)), (0, None), (2, Some(200)), (1, None), (3, Some(64)), (2, None), (3, None)];

#[test]
fn the_peak_sinks_as_buffers_are_taken_out() {
    let found = all(&listed(&CHAIN), u64::MAX);
    assert_eq!(orders(&found), [(Strategy::Size, vec![1, 2, 0, 3], 576)]);
    let turns = &found.tried[0].turns;
    assert_eq!(turns.iter().map(|turn| turn.address).collect::<Vec<_>>(), [0, 320, 320, 0]);
    let peaks: Vec<_> = turns.iter().filter_map(|turn| turn.peak).collect();
    assert_eq!(peaks, [(3, 576), (5, 320), (0, 128), (5, 64)]);
    assert_eq!((found.bound, found.kept), (576, Some(0)));
}

#[test]
fn a_room_below_the_bound_is_refused_before_anything_is_tried() {
    let ranges = listed(&CHAIN);
    assert_eq!(all(&ranges, 575), Found { bound: 576, tried: vec![], kept: None });
    assert_eq!(all(&ranges, 576).kept, Some(0));
}

/// The small case of this planner: no strategy reaches the bound of 320.
fn case() -> Problem {
    let buffers = [("A", 64, 0, 3), ("B", 192, 0, 2), ("C", 128, 2, 4), ("D", 192, 3, 4)];
    problem(buffers.map(|(name, size, start, end)| buffer(name, size, start, end)).to_vec())
}

#[test]
fn all_three_strategies_are_tried_unless_one_reaches_the_bound() {
    let problem = case();
    let input = Input { problem: &problem, graph: None };
    let (_, ranges, _) = ranges(input, &Ops::of(input), MemoryId(0), 64);
    let found = all(&ranges, u64::MAX);
    assert_eq!(orders(&found).iter().map(|tried| tried.2).collect::<Vec<_>>(), [384, 384, 384]);
    assert_eq!((found.bound, found.kept), (320, Some(0)));
    // The first one that does not fit ends the run.
    let found = all(&ranges, 350);
    assert_eq!((found.tried.len(), found.tried[0].is_over, found.kept), (1, true, None));
}

#[test]
fn of_equal_choices_the_longer_life_counts_then_the_first() {
    // Sizes are equal: 1 lives longer. Then 0 and 2 are alike.
    let ranges = listed(&[(0, Some(64)), (1, Some(64)), (2, Some(64)), (0, None), (2, None), (1, None)]);
    assert_eq!(orders(&all(&ranges, u64::MAX)), [(Strategy::Size, vec![1, 0, 2], 192)]);
}

#[test]
fn without_bytes_the_last_to_be_freed_comes_first() {
    let ranges = listed(&[(0, Some(0)), (1, Some(0)), (0, None), (2, Some(0)), (1, None), (2, None)]);
    assert_eq!(orders(&all(&ranges, u64::MAX)), [(Strategy::Size, vec![2, 1, 0], 0)]);
    let ranges = listed(&[(0, Some(0)), (1, Some(64)), (1, None), (0, None)]);
    assert_eq!(orders(&all(&ranges, u64::MAX)), [(Strategy::Size, vec![1, 0], 64)]);
}

/// The loop of the original, without trees.
fn plain(strategy: Strategy, ranges: &[Range]) -> Vec<(u32, u64)> {
    let times = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let lives = |range: &Range, time: u32| range.start <= time && time < range.end;
    let (mut waiting, mut placed): (Vec<u32>, Vec<(u32, u64)>) = ((0..ranges.len() as u32).collect(), Vec::new());
    while !waiting.is_empty() {
        let (mut best, mut most) = (0, 0);
        for time in 0..times {
            let there = waiting.iter().map(|&index| &ranges[index as usize]).filter(|range| lives(range, time));
            let sizes: Vec<u64> = there.map(|range| range.size).collect();
            let load = sizes.iter().sum();
            if !sizes.is_empty() && (load > most || most == 0) {
                (best, most) = (time, load);
            }
        }
        let key = |index: u32| {
            let range = ranges[index as usize];
            let life = u64::from(range.end - range.start);
            if strategy == Strategy::Size { (range.size, life) } else { (life, range.size) }
        };
        let mut there = waiting.iter().copied().filter(|&index| lives(&ranges[index as usize], best));
        let first = there.next().expect("somebody waits");
        let chosen = match strategy {
            Strategy::Order => waiting[0],
            _ => there.fold(first, |best, index| if key(index) > key(best) { index } else { best }),
        };
        waiting.retain(|&index| index != chosen);
        let range = ranges[chosen as usize];
        let meets = |&&(other, _): &&(u32, u64)| {
            let other = ranges[other as usize];
            other.start.max(range.start) < other.end.min(range.end)
        };
        let near = placed.iter().filter(meets).map(|&(other, at)| (at, at + ranges[other as usize].size));
        let near: Vec<(u64, u64)> = near.collect();
        let mut ends: Vec<u64> = near.iter().map(|&(_, end)| end).chain([0]).collect();
        ends.sort_unstable();
        let free = |at: &u64| near.iter().all(|&(from, to)| (*at).max(from) >= (at + range.size).min(to));
        placed.push((chosen, ends.into_iter().find(free).expect("above all")));
    }
    placed
}

#[test]
fn trees_choose_and_place_as_plain_loops_do() {
    for seed in 0..40 {
        let mut problem = memplan_core::problem::sample(40, seed);
        for (index, buffer) in problem.buffers.iter_mut().enumerate() {
            // Few sizes, so that many are equal; some are 0.
            buffer.size = buffer.size % (if seed % 2 == 0 { 4 } else { 400 }) * 64 * u64::from(index % 7 != 0);
        }
        let input = Input { problem: &problem, graph: None };
        let (_, ranges, _) = ranges(input, &Ops::of(input), MemoryId(0), 64);
        for tried in &all(&ranges, u64::MAX).tried {
            let ours: Vec<_> = tried.turns.iter().map(|turn| (turn.range, turn.address)).collect();
            assert_eq!(ours, plain(tried.strategy, &ranges), "{:?} of {seed}", tried.strategy);
        }
    }
}

#[test]
fn the_plan_is_that_of_the_strategy_kept() {
    for seed in 0..20 {
        let problem = memplan_core::problem::sample(60, seed);
        let input = Input { problem: &problem, graph: None };
        let mut recorder = Recorder::default();
        let plan = Glow.plan(input, &INFO.defaults(), &mut recorder).expect("no limit");
        assert_eq!(Glow.plan(input, &INFO.defaults(), &mut Silent), Ok(plan.clone()));
        assert_eq!(memplan_core::plan::check(&problem, &plan), []);
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(64, u64::max);
        let (ids, ranges, _) = ranges(input, &Ops::of(input), MemoryId(0), align);
        let found = all(&ranges, u64::MAX);
        for turn in &found.tried[found.kept.expect("fits")].turns {
            let place = plan.places[ids[turn.range as usize]].expect("placed");
            assert_eq!(place.offset, turn.address);
        }
    }
}

#[test]
fn a_limit_that_is_too_small_is_told() {
    let problem = case();
    let options = |limit| INFO.options([("memory_limit", limit)]).expect("declared");
    let plan = |limit| Glow.plan(Input { problem: &problem, graph: None }, &options(limit), &mut Silent);
    assert_eq!(plan("300"), Err(PlanError::OverCapacity { need: 320, have: 300 }));
    assert_eq!(plan("383"), Err(PlanError::OverCapacity { need: 384, have: 383 }));
    assert!(plan("384").is_ok());
}

#[test]
fn a_run_can_be_stopped() {
    let stopped = allocate_all(&listed(&CHAIN), u64::MAX, None, &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(Stopped));
}
