//! The worked example generation by generation, and what must hold for every width.

use proptest::prelude::*;

use super::*;
use crate::find;
use crate::testing::{buffer, problem};
use memplan_core::plan::check;
use memplan_core::problem::{Branches, Memory, lower_bound, sample};
use memplan_core::trace::{Recorder, Silent};

fn plan_of(id: &str, problem: &Problem, given: &[(&str, &str)]) -> Plan {
    let planner = find(id).unwrap();
    let options = planner.info().options(given.iter().copied()).unwrap();
    planner.plan(Input { problem, graph: None }, &options, &mut Silent).unwrap()
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().map(|place| place.unwrap().offset).collect()
}

fn six() -> Problem {
    problem(vec![
        buffer("A", 5, 0, 2),
        buffer("B", 5, 1, 2),
        buffer("C", 6, 1, 5),
        buffer("D", 4, 2, 5),
        buffer("E", 3, 3, 6),
        buffer("F", 6, 3, 5),
    ])
}

/// Score, end of the highest live buffer, parent and offset of each successor, and what became of
/// it.
type Row = ((u64, u64, u32, u64), Option<(Fate, u32)>);

fn generations(problem: &Problem, width: usize) -> Vec<Vec<Row>> {
    let branches = Branches::default();
    let mut search = Search::new(problem, &branches, width);
    let mut generations = Vec::new();
    for id in births(problem, "index") {
        search.release_for(id);
        let made = search.advance(id);
        let row = |(index, successor): (usize, &Successor)| {
            let Successor { score, top, parent, offset } = *successor;
            ((score, top, parent, offset), made.fates.get(index).copied())
        };
        generations.push(made.successors.iter().enumerate().map(row).collect());
    }
    generations
}

const KEPT: [Option<(Fate, u32)>; 2] = [Some((Fate::Kept, 0)), Some((Fate::Kept, 1))];

#[test]
fn width_two_beats_every_greedy_policy() {
    let problem = six();
    assert_eq!(lower_bound(&problem), 19);
    for id in ["first-fit", "best-fit", "worst-fit"] {
        assert_eq!(plan_of(id, &problem, &[]).peak(&problem), 22, "{id}");
    }
    assert_eq!(plan_of("beam", &problem, &[("k", "1")]).peak(&problem), 22);
    let plan = plan_of("beam", &problem, &[("k", "2")]);
    assert_eq!((offsets(&plan), plan.peak(&problem)), (vec![0, 5, 10, 0, 16, 4], 19));
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn each_generation_of_the_example() {
    let problem = six();
    let one = generations(&problem, 1);
    for (at, row) in [(5, 5, 0, 0), (10, 10, 0, 5), (16, 16, 0, 10)].into_iter().enumerate() {
        assert_eq!(one[at], [(row, KEPT[0])]);
    }
    assert_eq!(one[3], [((16, 16, 0, 0), KEPT[0]), ((20, 20, 0, 16), None)]);
    assert_eq!(one[4], [((16, 16, 0, 4), KEPT[0]), ((19, 19, 0, 16), None)]);
    assert_eq!(one[5], [((22, 22, 0, 16), KEPT[0])]);
    let two = generations(&problem, 2);
    assert_eq!(two[..3], one[..3]);
    assert_eq!(two[3], [((16, 16, 0, 0), KEPT[0]), ((20, 20, 0, 16), KEPT[1])]);
    assert_eq!(
        two[4],
        [((16, 16, 0, 4), KEPT[0]), ((19, 19, 0, 16), KEPT[1]), ((20, 20, 1, 0), None), ((23, 23, 1, 20), None),]
    );
    assert_eq!(two[5], [((19, 19, 1, 4), KEPT[0]), ((22, 22, 0, 16), KEPT[1]), ((25, 25, 1, 19), None)]);
}

#[test]
fn states_with_the_same_future_are_kept_once() {
    // c takes the hole of a or goes on top; with the same hole taken by either twin the live
    // buffers are equal.
    let problem = problem(vec![
        buffer("a", 2, 0, 1),
        buffer("b", 2, 0, 1),
        buffer("wall", 2, 0, 4),
        buffer("c", 2, 1, 3),
        buffer("d", 2, 1, 3),
    ]);
    let made = generations(&problem, 8);
    // c at 0, 6; then d: beside c at 2 and 6, below at 0, on top at 8.
    assert_eq!(
        made[4],
        [
            ((6, 6, 0, 2), Some((Fate::Kept, 0))),
            ((8, 8, 0, 6), Some((Fate::Kept, 1))),
            ((8, 8, 1, 0), Some((Fate::Duplicate, 1))),
            ((10, 10, 1, 8), Some((Fate::Kept, 2))),
        ]
    );
}

#[test]
fn the_events_tell_the_search_and_the_plan_that_wins() {
    let problem = six();
    let mut recorder = Recorder::default();
    let options = INFO.options([("k", "2")]).unwrap();
    let plan = Beam.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
    assert_eq!(plan, plan_of("beam", &problem, &[("k", "2")]));
    let from = recorder.events.iter().position(|event| *event == Event::Begin { buffer: BufferId(4) }).unwrap();
    let lane = |fate, parent, rank, offset, score| Event::Lane { fate, parent, rank, offset, score };
    let block = |verdict, offset, room| Event::Block { verdict, offset, room };
    assert_eq!(
        recorder.events[from..],
        [
            Event::Begin { buffer: BufferId(4) },
            block(Verdict::Fits, 4, 6),
            block(Verdict::Chosen, 16, u64::MAX),
            lane(Fate::Kept, 0, 0, 4, 16),
            lane(Fate::Kept, 0, 1, 16, 19),
            lane(Fate::Cut, 1, 2, 0, 20),
            lane(Fate::Cut, 1, 3, 20, 23),
            Event::Note { note: Note::Generation, subject: 1, a: 4, b: 2 },
            Event::Place { outcome: Outcome::AtEnd, buffer: BufferId(4), pool: 0, offset: 16 },
            Event::Grow { pool: 0, from: 16, to: 19 },
            Event::Begin { buffer: BufferId(5) },
            block(Verdict::Chosen, 4, 6),
            block(Verdict::Fits, 19, u64::MAX),
            lane(Fate::Kept, 1, 0, 4, 19),
            lane(Fate::Kept, 0, 1, 16, 22),
            lane(Fate::Cut, 1, 2, 19, 25),
            Event::Note { note: Note::Generation, subject: 0, a: 3, b: 2 },
            Event::Place { outcome: Outcome::Gap, buffer: BufferId(5), pool: 0, offset: 4 },
        ]
    );
}

#[test]
fn a_float_at_birth_is_out_of_reach_for_any_width() {
    let problem = problem(vec![buffer("a", 4, 0, 1), buffer("b", 1, 0, 2), buffer("c", 4, 0, 1), buffer("d", 8, 1, 2)]);
    assert_eq!(lower_bound(&problem), 9);
    for k in ["1", "8", "4096"] {
        let plan = plan_of("beam", &problem, &[("k", k)]);
        assert_eq!((offsets(&plan), plan.peak(&problem)), (vec![0, 4, 5, 5], 13), "{k}");
    }
}

#[test]
fn size_zero_makes_no_generation_and_memories_are_searched_apart() {
    let mut problem = six();
    problem.memories = ["cpu", "gpu"].map(|device| Memory { device: device.into(), mem_id: None }).to_vec().into();
    for original in six().buffers.iter() {
        let twin = Buffer { memory: MemoryId(1), name: format!("{}2", original.name), ..original.clone() };
        problem.buffers.push(Buffer { size: 0, ..original.clone() });
        problem.buffers.push(twin);
    }
    let plan = plan_of("beam", &problem, &[("k", "2")]);
    assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [19, 19]);
    let offsets = offsets(&plan);
    let (zeros, twins): (Vec<_>, Vec<_>) = offsets[6..].iter().enumerate().partition(|(at, _)| at % 2 == 0);
    assert!(zeros.iter().all(|(_, offset)| **offset == 0));
    assert_eq!(twins.into_iter().map(|(_, offset)| *offset).collect::<Vec<_>>(), offsets[..6]);
}

#[test]
fn a_wider_beam_is_the_best_of_its_family_on_small_problems() {
    for seed in 0..20 {
        let problem = sample(9, seed);
        let best = exhaustive(&problem, &births(&problem, "index"), &mut Vec::new());
        assert_eq!(plan_of("beam", &problem, &[("k", "4096")]).peak(&problem), best, "{seed}");
    }
}

/// Every buffer at the low end of every hole and on top, all combinations.
fn exhaustive(problem: &Problem, order: &[BufferId], placed: &mut Vec<(BufferId, u64)>) -> u64 {
    let Some((&id, rest)) = order.split_first() else {
        return placed.iter().map(|&(id, offset)| offset + problem.buffers[id].size).max().unwrap_or(0);
    };
    let wanted = &problem.buffers[id];
    let mut taken: Vec<(u64, u64)> = placed
        .iter()
        .filter(|(other, _)| problem.buffers[*other].live.end > wanted.live.start)
        .map(|&(other, offset)| (offset, offset + padded(&problem.buffers[other])))
        .collect();
    taken.sort_unstable();
    let mut end = 0;
    let mut choices = Vec::new();
    for (start, until) in taken {
        if end + padded(wanted) <= start {
            choices.push(end);
        }
        end = until;
    }
    choices.push(end);
    let explore = |offset| {
        placed.push((id, offset));
        let peak = exhaustive(problem, rest, placed);
        placed.pop();
        peak
    };
    choices.into_iter().map(explore).min().unwrap_or(0)
}

/// Buffers whose sizes and alignments collide often.
fn problems() -> impl Strategy<Value = Problem> {
    let one = (0u64..12, 0u32..20, 1u32..8, 0u32..4);
    prop::collection::vec(one, 0..40).prop_map(|drawn| {
        let build = |(index, &(size, start, length, align)): (usize, &(u64, u32, u32, u32))| Buffer {
            align: 1 << align,
            ..buffer(&format!("b{index}"), size, start, start + length)
        };
        problem(drawn.iter().enumerate().map(build).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn width_one_is_first_fit_place_by_place(problem in problems(), tie in prop::sample::select(vec!["index", "size", "long"])) {
        let beam = plan_of("beam", &problem, &[("k", "1"), ("tie", tie)]);
        prop_assert_eq!(beam, plan_of("first-fit", &problem, &[("tie", tie)]));
    }

    #[test]
    fn every_width_gives_a_valid_plan(problem in problems(), k in 2u64..20) {
        let plan = plan_of("beam", &problem, &[("k", &k.to_string())]);
        prop_assert_eq!(check(&problem, &plan), []);
    }
}
