//! Against all possible plans on small inputs, node counts, and the three honest ends of a search.

use proptest::prelude::*;

use super::*;
use crate::plan::check;
use crate::planner::testing::{buffer, problem};
use crate::problem::{Branches, Buffer, Gap, Live, lower_bound};
use crate::trace::Silent;

fn ask(problem: &Problem, set: &[(&str, &str)]) -> Result<Plan, PlanError> {
    let options = INFO.options(set.iter().copied()).unwrap();
    Exact.plan(Input { problem, graph: None }, &options, &mut Silent)
}

fn answer(problem: &Problem, capacity: Option<u64>, nodes: u64) -> Result<Answer, PlanError> {
    let branches = Branches::default();
    solve(Input { problem, graph: None }, Request { branches: &branches, capacity, nodes }, &mut Silent)
}

/// Whether buffers from `index` on can be added to those at `offsets`, at any offset at all, below `capacity`.
fn any_plan(problem: &Problem, offsets: &mut Vec<u64>, capacity: u64) -> bool {
    let index = offsets.len();
    let Some(own) = problem.buffers.iter().nth(index) else { return true };
    let bytes = |buffer: &Buffer, offset: u64, step: u32| {
        let held = buffer.gaps.iter().filter(|gap| gap.live.contains(step)).map(|gap| gap.window.unwrap_or((0, 0)));
        let (low, high) = held.fold((0, buffer.size), |(low, high), (from, to)| (low.max(from), high.min(to)));
        (buffer.live.contains(step) && low < high).then_some((offset + low, offset + high))
    };
    let highest = capacity.checked_sub(own.size);
    for offset in highest.into_iter().flat_map(|highest| 0..=highest) {
        if !offset.is_multiple_of(own.align) || own.fixed.is_some_and(|fixed| fixed != offset) {
            continue;
        }
        let meets = |(other, at): (&Buffer, &u64)| {
            own.size > 0
                && (0..problem.steps).any(|step| match (bytes(own, offset, step), bytes(other, *at, step)) {
                    (Some((from, to)), Some((start, end))) => from < end && start < to,
                    _ => false,
                })
        };
        if !problem.buffers.iter().zip(offsets.iter()).any(meets) {
            offsets.push(offset);
            if any_plan(problem, offsets, capacity) {
                return true;
            }
            offsets.pop();
        }
    }
    false
}

/// The smallest peak of all plans; none if stated positions collide.
fn smallest(problem: &Problem) -> Option<u64> {
    (0..80).find(|&capacity| any_plan(problem, &mut Vec::new(), capacity))
}

/// Size, first step, length, exponent of the alignment, stated position, gap.
type Drawn = (u64, u32, u32, u32, Option<u64>, Option<(u32, u32, Option<(u64, u64)>)>);

fn drawn(windows: bool) -> impl Strategy<Value = Drawn> {
    let window = prop::option::weighted(0.8, (0u64..4, 1u64..4)).prop_map(move |window| window.filter(|_| windows));
    let gap = prop::option::weighted(0.4, (0u32..5, 1u32..4, window));
    (0u64..6, 0u32..5, 1u32..6, 0u32..3, prop::option::weighted(0.15, 0u64..6), gap)
}

fn build(drawn: &[Drawn], unit: u64) -> Problem {
    let one = |(index, &(size, start, length, align, fixed, gap)): (usize, &Drawn)| {
        let live = Live::new(start, start + length);
        let gap = gap.and_then(|(from, length, window)| {
            let (start, end) = (start + from, (start + from + length).min(live.end));
            let window = window.map(|(low, high)| (low.min(size) * unit, (low + high).min(size) * unit));
            (start < end).then(|| Gap { live: Live::new(start, end), window })
        });
        let align = if unit == 1 { 1 << align } else { 1 };
        let fixed = fixed.map(|fixed| fixed * unit / align * align);
        Buffer {
            align,
            fixed,
            gaps: gap.into_iter().collect(),
            ..buffer(&format!("b{index}"), size * unit, start, start + length)
        }
    };
    problem(drawn.iter().enumerate().map(one).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_smallest_of_all_plans_is_found_and_proved(drawn in prop::collection::vec(drawn(false), 1..6)) {
        let problem = build(&drawn, 1);
        let found = answer(&problem, None, 0).unwrap();
        let plan = ask(&problem, &[]).unwrap();
        let Some(best) = smallest(&problem) else {
            prop_assert!(!check(&problem, &plan).is_empty());
            return Ok(());
        };
        prop_assert_eq!((found.peak, found.bound, found.proved), (best, best, true));
        prop_assert_eq!(check(&problem, &plan), []);
        prop_assert_eq!(plan.proof, Proof::Optimal { bound: best });
    }

    #[test]
    fn windows_never_make_a_false_proof(drawn in prop::collection::vec(drawn(true), 1..6)) {
        let problem = build(&drawn, 1);
        let Some(best) = smallest(&problem) else { return Ok(()) };
        let found = answer(&problem, None, 0).unwrap();
        prop_assert_eq!(check(&problem, &ask(&problem, &[]).unwrap()), []);
        prop_assert!(found.bound <= best && best <= found.peak);
        prop_assert!(!found.proved || found.peak == best);
        if let Some(below) = best.checked_sub(1) {
            prop_assert!(answer(&problem, Some(below), 0).is_err());
        }
    }

    #[test]
    fn a_capacity_is_kept_or_refuted_by_buffers_that_do_not_fit(drawn in prop::collection::vec(drawn(false), 2..6)) {
        let problem = build(&drawn, 1);
        let Some(best) = smallest(&problem).filter(|best| *best > 0) else { return Ok(()) };
        for capacity in [best, best + 1] {
            let plan = ask(&problem, &[("capacity", &capacity.to_string())]).unwrap();
            prop_assert!(plan.peak(&problem) <= capacity);
            prop_assert_eq!(check(&problem, &plan), []);
        }
        let refuted = ask(&problem, &[("capacity", &(best - 1).to_string())]);
        let Err(PlanError::Infeasible { capacity, buffers, irreducible, .. }) = refuted else {
            return Err(TestCaseError::fail(format!("{refuted:?}")));
        };
        prop_assert_eq!((capacity, irreducible), (best - 1, true));
        let fit = |ids: &[BufferId]| {
            let buffers = ids.iter().map(|&id| problem.buffers[id].clone()).collect::<Vec<_>>();
            any_plan(&Problem { buffers: buffers.into(), ..problem.clone() }, &mut Vec::new(), capacity)
        };
        prop_assert!(!fit(&buffers));
        for left_out in &buffers {
            let rest: Vec<BufferId> = buffers.iter().copied().filter(|id| id != left_out).collect();
            prop_assert!(fit(&rest));
        }
    }

    #[test]
    fn a_common_divisor_changes_nothing(drawn in prop::collection::vec(drawn(false), 1..12)) {
        let plain: Vec<Drawn> = drawn.iter().map(|one| (one.0, one.1, one.2, 0, one.4, one.5)).collect();
        let (small, large) = (build(&plain, 1), build(&plain, 3072));
        let (one, other) = (answer(&small, None, 5000).unwrap(), answer(&large, None, 5000).unwrap());
        prop_assert_eq!((one.peak * 3072, one.nodes), (other.peak, other.nodes));
    }
}

/// A rectangle of 40 steps and 100 bytes cut into buffers that fill it without a hole, by a small generator of random numbers:
/// the smallest peak is 100.
fn puzzle(count: usize, seed: u32) -> Problem {
    let mut state = seed;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let mut parts: Vec<(u32, u32, u32)> = vec![(0, 40, 100)];
    while parts.len() < count {
        let largest = (0..parts.len()).max_by_key(|&index| (parts[index].1 - parts[index].0) * parts[index].2);
        let (start, end, size) = parts.swap_remove(largest.unwrap());
        if size > 1 && (next(3) > 0 || end - start < 2) {
            let low = 1 + next(size - 1);
            parts.extend([(start, end, low), (start, end, size - low)]);
        } else {
            let middle = start + 1 + next(end - start - 1);
            parts.extend([(start, middle, size), (middle, end, size)]);
        }
    }
    let one =
        |(index, (start, end, size)): (usize, (u32, u32, u32))| buffer(&format!("b{index}"), size.into(), start, end);
    problem(parts.into_iter().enumerate().map(one).collect())
}

#[test]
fn node_counts_and_peaks_do_not_change() {
    let count = |seed: u32| {
        let problem = puzzle(60, seed);
        let answer = answer(&problem, None, 20_000).unwrap();
        (answer.nodes, answer.peak - lower_bound(&problem), answer.proved)
    };
    let counts: Vec<(u64, u64, bool)> = (1..=6).map(count).collect();
    assert_eq!(counts, [(1486, 0, true), (76, 0, true), (65, 0, true), (62, 0, true), (0, 0, true), (60, 0, true)]);
}

#[test]
fn a_search_cut_short_is_no_proof() {
    // Nothing fits between the bound and the first plan's peak without looking further than one node.
    let problem = problem(vec![
        buffer("A", 5, 0, 2),
        buffer("B", 5, 1, 2),
        buffer("C", 6, 1, 5),
        buffer("D", 4, 2, 5),
        buffer("E", 3, 3, 6),
        buffer("F", 6, 3, 5),
    ]);
    let short = answer(&problem, None, 1).unwrap();
    let full = answer(&problem, None, 0).unwrap();
    assert_eq!((full.peak, full.bound, full.proved), (19, 19, true));
    assert!(short.nodes <= 1);
    if short.peak > 19 {
        assert!(!short.proved && short.bound == 19);
        assert!(matches!(ask(&problem, &[("capacity", "19"), ("nodes", "1")]), Err(PlanError::Undecided { .. })));
    }
}
