//! Orders, ticks, gaps, takeovers and heaps of the algorithm.

use super::super::tests::plan_of;
use crate::testing::{buffer, problem};
use crate::{Input, find};
use memplan_core::graph::{Kind, NodeId};
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{BufferId, Gap, Inplace, Live, Problem, sample};
use memplan_core::trace::{CheckingProbe, Event, Note, Recorder};

fn offsets(problem: &Problem, given: &[(&str, &str)]) -> Vec<u64> {
    plan_of("xla-heap", problem, given).0
}

#[test]
fn each_order_goes_by_its_own_figure() {
    let problem = problem(vec![buffer("long", 64, 0, 6), buffer("large", 320, 0, 1), buffer("wide", 128, 1, 4)]);
    let order = |order: &str| plan_of("xla-heap", &problem, &[("order", order)]).1;
    assert_eq!(order("spatial"), ["large", "wide", "long"]);
    // One lives for a step and the other for three, but both for two ticks.
    assert_eq!(order("temporal"), ["long", "large", "wide"]);
}

/// Of two buffers of one step each, the one born among others lives for more ticks.
#[test]
fn lives_are_compared_in_ticks() {
    let alone = buffer("alone", 64, 1, 2);
    let among = buffer("among", 64, 0, 1);
    let others = [buffer("other", 8, 0, 3), buffer("another", 8, 0, 3)];
    let problem = problem([vec![alone, among], others.to_vec()].concat());
    assert_eq!(plan_of("xla-heap", &problem, &[("order", "spatial")]).1[..2], ["among", "alone"]);
}

#[test]
fn offsets_are_aligned_and_the_tightest_gap_wins() {
    // After a and c are gone: 64 free at 0 and 128 free at 128; e of 100 needs the wider one, f the
    // tight one.
    let problem = problem(vec![
        buffer("a", 64, 0, 1),
        buffer("b", 64, 0, 2),
        buffer("c", 128, 0, 1),
        buffer("d", 65, 0, 2),
        buffer("e", 100, 1, 2),
        buffer("f", 10, 1, 2),
    ]);
    let found = offsets(&problem, &[]);
    assert!(found.iter().all(|offset| offset % 64 == 0), "{found:?}");
}

#[test]
fn the_gap_of_a_buffer_is_free_for_others() {
    let mut holed = buffer("holed", 640, 0, 9);
    holed.gaps.push(Gap { live: Live::new(3, 6), window: None });
    let inside = problem(vec![holed.clone(), buffer("inside", 640, 3, 6)]);
    assert_eq!(offsets(&inside, &[]), [0, 0]);
    let beside = problem(vec![holed.clone(), buffer("beside", 640, 2, 6)]);
    assert_eq!(offsets(&beside, &[]), [0, 640]);
    // Bytes that stay in use close the gap.
    holed.gaps[0].window = Some((0, 8));
    assert_eq!(offsets(&problem(vec![holed, buffer("inside", 640, 3, 6)]), &[]), [0, 640]);
}

/// `a` is overwritten by `b` at step 1 and that by `c` at step 2.
fn chain() -> Problem {
    let mut problem = problem(vec![buffer("a", 64, 0, 2), buffer("b", 64, 1, 3), buffer("c", 64, 2, 4)]);
    let pair = |node, input, output| Inplace { node: NodeId(node), input: BufferId(input), output: BufferId(output) };
    problem.inplace = vec![pair(1, 0, 1), pair(2, 1, 2)];
    problem
}

const IN_PLACE: &[(&str, &str)] = &[("inplace", "true")];

fn plan_in_place(problem: &Problem, recorder: &mut Recorder) -> Plan {
    let planner = find("xla-heap").unwrap();
    let options = planner.info().options(IN_PLACE.iter().copied()).unwrap();
    planner.plan(Input { problem, graph: None }, &options, recorder).unwrap()
}

#[test]
fn a_chain_of_takeovers_is_one_place() {
    let problem = chain();
    assert_eq!(offsets(&problem, IN_PLACE), [0, 0, 0]);
    assert_eq!(offsets(&problem, &[]), [64, 0, 64]);
    let plan = plan_in_place(&problem, &mut Recorder::default());
    assert_eq!(plan.shared, [(BufferId(1), BufferId(0)), (BufferId(2), BufferId(1))]);
    assert_eq!(plan.peak(&problem), 64);
}

#[test]
fn a_takeover_needs_the_same_size_an_end_at_the_node_and_no_input() {
    let changed = |change: fn(&mut Problem)| {
        let mut problem = chain();
        change(&mut problem);
        let notes = |problem: &Problem| {
            let mut recorder = Recorder::default();
            plan_in_place(problem, &mut recorder);
            let note = |event: &Event| match *event {
                Event::Note { note, subject: 0, .. } if note.is_in_place() => Some(note),
                _ => None,
            };
            recorder.events.iter().find_map(note)
        };
        (offsets(&problem, IN_PLACE)[1], notes(&problem))
    };
    assert_eq!(changed(|_| ()), (0, Some(Note::InPlaceDies)));
    assert_eq!(changed(|problem| problem.buffers[BufferId(0)].kind = Kind::Input), (64, Some(Note::InPlaceKind)));
    assert_eq!(changed(|problem| problem.buffers[BufferId(0)].size = 60), (0, Some(Note::InPlaceBytes)));
    assert_eq!(changed(|problem| problem.buffers[BufferId(0)].live.end = 3).1, Some(Note::InPlaceAlive));
}

#[test]
fn a_limit_begins_another_heap() {
    let buffers: Vec<_> = ["a", "b", "c"].iter().map(|name| buffer(name, 100, 0, 2)).collect();
    let problem = problem(buffers);
    let planner = find("xla-heap").unwrap();
    let sizes = |limit: &str| {
        let options = planner.info().options([("limit", limit)]).unwrap();
        let mut recorder = Recorder::default();
        let mut probe = CheckingProbe::new(&mut recorder, &problem);
        let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut probe).unwrap();
        assert_eq!(probe.finish(), []);
        assert_eq!(check(&problem, &plan), []);
        plan.pools.iter().map(|pool| (pool.name.clone(), pool.size)).collect::<Vec<_>>()
    };
    let named = |pools: &[(&str, u64)]| pools.iter().map(|&(name, size)| (name.to_string(), size)).collect::<Vec<_>>();
    assert_eq!(sizes("0"), named(&[("arena", 356)]));
    assert_eq!(sizes("300"), named(&[("arena", 228), ("arena 1", 100)]));
    // Even a buffer that is larger than the limit has a heap.
    assert_eq!(sizes("1"), named(&[("arena", 100), ("arena 1", 100), ("arena 2", 100)]));
}

#[test]
fn the_smaller_of_both_heaps_is_kept() {
    for seed in 0..20 {
        let problem = sample(60, seed);
        let peak = |order: &str| {
            let planner = find("xla-heap").unwrap();
            let options = planner.info().options([("order", order)]).unwrap();
            let input = Input { problem: &problem, graph: None };
            planner.plan(input, &options, &mut Recorder::default()).unwrap().peak(&problem)
        };
        assert_eq!(peak("both"), peak("spatial").min(peak("temporal")), "{seed}");
    }
}

#[test]
fn the_first_of_a_chain_tells_how_long_the_place_is_needed() {
    let problem = chain();
    let mut recorder = Recorder::default();
    plan_in_place(&problem, &mut recorder);
    let chains = recorder.events.iter().filter(|event| matches!(event, Event::Note { note: Note::TickChain, .. }));
    let expected = Event::Note { note: Note::TickChain, subject: 0, a: 3, b: 6 };
    assert_eq!(chains.copied().collect::<Vec<_>>(), [expected]);
}
