//! Against all possible plans on small inputs, node counts, and the three honest ends of a search.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::model::Model;
use super::state::{PLACED, PartialPacking};
use super::*;
use crate::testing::{buffer, problem};
use memplan_core::plan::check;
use memplan_core::problem::{
    Branches, Buffer, BufferId, Gap, Live, Memory, MemoryId, five_buffers, lower_bound, sample,
};
use memplan_core::trace::{Note, Recorder, Silent};

fn ask(problem: &Problem, set: &[(&str, &str)]) -> Result<Plan, PlanError> {
    let options = INFO.options(set.iter().copied()).unwrap();
    Exact.plan(Input { problem, graph: None }, &options, &mut Silent)
}

fn answer(problem: &Problem, capacity: Option<u64>, nodes: u64) -> Result<Answer, PlanError> {
    let branches = Branches::default();
    solve(Input { problem, graph: None }, Request { branches: &branches, capacity, nodes }, &mut Silent)
}

/// Whether buffers from `index` on can be added to those at `offsets`, at any offset at all, below
/// `capacity`.
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
    (lower_bound(problem)..80).find(|&capacity| any_plan(problem, &mut Vec::new(), capacity))
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
    fn scaled_sizes_give_scaled_answers(drawn in prop::collection::vec(drawn(false), 1..6), power in 0u32..59) {
        // Up to 2^58 bytes a unit, of which there are at most 31.
        let (small, large) = (build(&drawn, 2), build(&drawn, 2 << power));
        let (one, other) = (answer(&small, None, 0).unwrap(), answer(&large, None, 0).unwrap());
        let grown = Answer {
            offsets: one.offsets.iter().map(|offset| offset << power).collect(),
            peak: one.peak << power,
            bound: one.bound << power,
            ..one
        };
        prop_assert_eq!(grown, other);
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
    fn a_common_divisor_changes_nothing(drawn in prop::collection::vec(drawn(false), 1..12)) {
        let plain: Vec<Drawn> = drawn.iter().map(|one| (one.0, one.1, one.2, 0, one.4, one.5)).collect();
        let (small, large) = (build(&plain, 1), build(&plain, 3072));
        let (one, other) = (answer(&small, None, 5000).unwrap(), answer(&large, None, 5000).unwrap());
        prop_assert_eq!((one.peak * 3072, one.nodes), (other.peak, other.nodes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

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
}

/// A rectangle of 40 steps and 100 bytes cut into buffers that fill it without a hole, by a small
/// generator of random numbers: the smallest peak is 100.
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
        let answer = answer(&problem, None, 8_000).unwrap();
        (answer.nodes, answer.peak - lower_bound(&problem), answer.proved)
    };
    let counts: Vec<(u64, u64, bool)> = (1..=6).map(count).collect();
    assert_eq!(counts, [(728, 0, true), (76, 0, true), (65, 0, true), (62, 0, true), (0, 0, true), (60, 0, true)]);
}

#[test]
fn a_puzzle_is_solved_in_the_same_nodes_whatever_its_unit() {
    let plain = answer(&puzzle(60, 1), None, 20_000).unwrap();
    for power in [26, 36, 46, 57] {
        let mut large = puzzle(60, 1);
        large.buffers.iter_mut().for_each(|buffer| buffer.size <<= power);
        let found = answer(&large, None, 20_000).unwrap();
        let shown = (found.nodes, found.peak >> power, found.bound >> power, found.proved);
        assert_eq!(shown, (plain.nodes, plain.peak, plain.bound, plain.proved), "2^{power}");
    }
}

#[test]
fn a_search_cut_short_is_no_proof() {
    let problem = puzzle(60, 1);
    let short = answer(&problem, None, 1).unwrap();
    assert_eq!((short.bound, short.proved, short.nodes), (100, false, 1));
    let plan = ask(&problem, &[("nodes", "1")]).unwrap();
    assert_eq!((check(&problem, &plan), plan.proof), (vec![], Proof::Best { bound: 100 }));
    let open = ask(&problem, &[("capacity", "100"), ("nodes", "1")]);
    let Err(PlanError::Undecided { capacity: 100, nodes: 1, best, bound: 100 }) = open else { panic!("{open:?}") };
    assert_eq!(best, short.peak);
    assert_eq!(ask(&problem, &[("capacity", "100")]).unwrap().proof, Proof::Optimal { bound: 100 });
}

#[test]
fn memories_are_searched_apart_and_a_capacity_holds_for_each() {
    let mut twice = puzzle(40, 2);
    twice.memories = ["cpu", "gpu"].map(|device| Memory { device: device.into(), mem_id: None }).to_vec().into();
    for original in puzzle(40, 3).buffers.iter() {
        let name = format!("{}2", original.name);
        twice.buffers.push(Buffer { memory: MemoryId(1), name, ..original.clone() });
    }
    let plan = ask(&twice, &[]).unwrap();
    assert_eq!((check(&twice, &plan), plan.proof), (vec![], Proof::Optimal { bound: 200 }));
    assert_eq!(ask(&twice, &[("capacity", "100")]).unwrap().peak(&twice), 200);
    assert!(matches!(ask(&twice, &[("capacity", "99")]), Err(PlanError::Infeasible { irreducible: true, .. })));
}

#[test]
fn numbers_beyond_the_search_still_get_a_plan() {
    let problem = problem(vec![buffer("a", (1 << 40) + 1, 0, 2), buffer("b", 3, 1, 3), buffer("c", 1 << 40, 2, 3)]);
    let plan = ask(&problem, &[]).unwrap();
    assert_eq!((check(&problem, &plan), plan.peak(&problem)), (vec![], (1 << 40) + 4));
    assert_eq!(plan.proof, Proof::Optimal { bound: (1 << 40) + 4 });
    let open = ask(&problem, &[("capacity", "1000")]);
    assert!(matches!(open, Err(PlanError::Undecided { nodes: 0, .. })), "{open:?}");
}

#[test]
fn stated_positions_that_collide_are_no_optimum_and_fit_no_capacity() {
    let mut problem = problem(vec![buffer("a", 10, 0, 10), buffer("b", 5, 3, 7), buffer("c", 6, 0, 10)]);
    for (buffer, offset) in problem.buffers.iter_mut().zip([0, 5, 20]) {
        buffer.fixed = Some(offset);
    }
    let plan = ask(&problem, &[("fixed", "true")]).unwrap();
    assert_eq!((check(&problem, &plan).len(), plan.proof), (1, Proof::Best { bound: 26 }));
    for capacity in ["100", "26", "20"] {
        let refused = ask(&problem, &[("fixed", "true"), ("capacity", capacity)]);
        let Err(PlanError::Infeasible { buffers, irreducible: true, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(buffers, [BufferId(0), BufferId(1)]);
    }
    // Apart in time, or in bytes, they are no hindrance.
    problem.buffers[BufferId(1)].live.start = 10;
    problem.buffers[BufferId(1)].live.end = 12;
    problem.steps = 12;
    let plan = ask(&problem, &[("fixed", "true")]).unwrap();
    assert_eq!((check(&problem, &plan), plan.proof), (vec![], Proof::Optimal { bound: 26 }));
    let refused = ask(&problem, &[("fixed", "true"), ("capacity", "20")]);
    let Err(PlanError::Infeasible { buffers, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(buffers, [BufferId(2)]);
}

#[test]
fn what_is_no_number_of_bytes_is_refused() {
    for wrong in ["-1", "1k", "9007199254740992"] {
        assert!(matches!(ask(&puzzle(4, 1), &[("capacity", wrong)]), Err(PlanError::Refused(_))), "{wrong}");
    }
}

/// Stops at the first report of progress.
struct Impatient;

impl Probe for Impatient {
    fn event(&mut self, _: Event) {}

    fn pulse(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn a_run_can_be_stopped_and_tells_of_what_it_found() {
    // Hard enough for more than one report, and for some hundreds of nodes of the tree, which has a
    // part of them.
    let problem = puzzle(120, 1);
    let input = Input { problem: &problem, graph: None };
    let options = INFO.options([("nodes", "6000")]).unwrap();
    assert_eq!(Exact.plan(input, &options, &mut Impatient), Err(PlanError::Cancelled));
    let mut recorder = Recorder::default();
    let plan = Exact.plan(input, &options, &mut recorder).unwrap();
    let notes = |wanted: Note| {
        recorder.events.iter().filter(move |event| matches!(event, Event::Note { note, .. } if *note == wanted)).count()
    };
    assert!(notes(Note::SearchNode) > 100 && notes(Note::SearchBack) > 0 && notes(Note::SearchPlace) > 100);
    assert!(notes(Note::SearchCanonical) > 0 && notes(Note::SearchDominated) > 0 && notes(Note::SearchSection) > 0);
    let begins = recorder.events.iter().filter(|event| matches!(event, Event::Begin { .. })).count();
    assert_eq!(begins, problem.buffers.len());
    assert_eq!(plan, ask(&problem, &[("nodes", "6000")]).unwrap());
}

#[test]
fn the_pictures_of_sections_and_of_the_search_are_true() {
    let problem = five_buffers::problem();
    let ids: Vec<BufferId> = problem.buffers.ids().collect();
    let model = Model::new(&problem, &ids, &Branches::default()).unwrap();
    assert_eq!((model.unit, model.bound(), model.partitions()), (five_buffers::KIB, 5, vec![(0, 3), (3, 4)]));
    assert_eq!(model.steps, [1, 2, 3, 5]);
    let names = |section: u32| {
        let names = model.sections.of(section).iter().map(|member| &*problem.buffers[ids[member.item as usize]].name);
        names.collect::<Vec<_>>().join(" ")
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|section| model.loads[section as usize]);
    let rows = [
        "section     |     0     |  1  |  2  |     3     |".to_string(),
        format!("in use      |    {}    |{}| {} |     {}     |", names(0), names(1), names(2), names(3)),
        format!("load        |     {a}     |  {b}  |  {c}  |     {d}     |"),
        "partition   |           0           |     1     |".to_string(),
    ];
    five_buffers::assert_in_comments(include_str!("model.rs"), &rows);

    let mut ranked = Vec::new();
    super::orders::rank(&model, 0, &[], &model.loads, &mut ranked, 0..4);
    assert_eq!(ranked.iter().map(|(_, item)| *item).collect::<Vec<_>>(), [1, 2, 3, 0], "b comes first");

    let mut state = PartialPacking::new(&model);
    state.reset(5);
    let row = |words: &str, state: &PartialPacking| {
        let lowest = state.lowest.iter().map(|&low| if low == PLACED { "-".to_string() } else { low.to_string() });
        let cells: String = lowest.map(|low| format!("{low:<5}")).collect();
        let totals: String = state.totals.iter().map(|total| format!("{total:<5}")).collect();
        format!("{words:<17}{cells}  {totals}").trim_end().to_string()
    };
    let mut rows = vec![row("nothing placed", &state)];
    for (item, name, offset) in [(1, 'b', 0), (0, 'a', 1), (2, 'c', 1), (3, 'd', 4), (4, 'e', 0)] {
        state.place(item, offset).expect("within the capacity");
        rows.push(row(&format!("{name} at {offset}"), &state));
        if name == 'b' {
            assert_eq!(state.cut(item, (0, 3)), Some(vec![(0, 1), (1, 3)]));
        }
    }
    five_buffers::assert_in_comments(include_str!("search.rs"), &rows);
    five_buffers::assert_in_comments(include_str!("search.rs"), &five_buffers::drawn(&[1, 0, 1, 4, 0]));
}

/// Buffers cut from a rectangle by straight cuts, a quarter of them a little larger afterwards: no
/// plan wastes nothing any more.
fn nearly_a_puzzle(count: usize, seed: u64) -> Problem {
    let mut random = crate::random::Random::new(seed);
    let mut pieces = vec![(0, 40_u32, 0_u64, 100_000_u64)];
    while pieces.len() < count {
        pieces.sort_by_key(|&(from, to, low, high)| u64::from(to - from) * (high - low));
        let Some((from, to, low, high)) = pieces.pop() else { break };
        if random.below(2) == 0 && to - from > 1 {
            let at = from + 1 + random.below((to - from - 1) as usize) as u32;
            pieces.extend([(from, at, low, high), (at, to, low, high)]);
        } else {
            let at = low + 1 + random.below((high - low - 1) as usize) as u64;
            pieces.extend([(from, to, low, at), (from, to, at, high)]);
        }
    }
    let sized = pieces.into_iter().enumerate().map(|(number, (from, to, low, high))| {
        let more = if random.below(4) == 0 { (high - low) / 50 } else { 0 };
        buffer(&number.to_string(), high - low + more, from, to)
    });
    problem(sized.collect())
}

#[test]
fn instances_that_are_no_puzzle_end_near_the_bound() {
    for seed in 1..=4 {
        let problem = nearly_a_puzzle(120, seed);
        let found = answer(&problem, None, 400_000).expect("a plan");
        let bound = lower_bound(&problem);
        assert!(found.peak <= bound + bound / 20, "seed {seed}: {} bytes, {bound} are the bound", found.peak);
        assert!(found.nodes <= 401_000, "{} nodes", found.nodes);
        // A capacity between is met as well.
        let within = bound + bound / 20;
        let found = answer(&problem, Some(within), 400_000).expect("a plan");
        assert!(found.peak <= within);
    }
}

/// A plan takes a node for each buffer at least, but here the nodes cost next to nothing.
#[test]
fn a_large_model_that_falls_into_parts_is_solved_within_few_nodes() {
    let problem = sample(3_000, 1);
    let found = answer(&problem, None, 8_000).unwrap();
    assert_eq!((found.peak, found.proved), (lower_bound(&problem), true));
    assert!(found.nodes < 3_000, "{}", found.nodes);
}
