use super::*;
use crate::testing::{buffer, problem};
use memplan_core::trace::{Recorder, Silent};

fn figure() -> Problem {
    let buffers = [("A", 300, 0, 2), ("B", 100, 0, 10), ("C", 250, 8, 11), ("D", 500, 9, 13)];
    problem(buffers.map(|(name, size, start, end)| buffer(name, size, start, end)).to_vec())
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().flatten().map(|place| place.offset).collect()
}

fn run(planner: &dyn Planner, problem: &Problem, given: &[(&str, &str)]) -> (Plan, Vec<Event>) {
    let options = planner.info().options(given.iter().copied()).expect("declared");
    let mut recorder = Recorder::default();
    let input = Input { problem, graph: None };
    let plan = planner.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(memplan_core::plan::check(problem, &plan), []);
    assert_eq!(planner.plan(input, &options, &mut Silent), Ok(plan.clone()));
    (plan, recorder.events)
}

#[test]
fn the_worked_example_swaps_the_first_and_the_third_turn() {
    let problem = figure();
    let (plan, events) = run(&VelaHillClimb, &problem, &[]);
    assert_eq!(offsets(&plan), [0, 768, 0, 256]);
    let name = |id: u32| problem.buffers[BufferId(id)].name.as_str();
    let notes = events.iter().filter_map(|event| match *event {
        Event::Note { note, subject, a, b } => Some((note, subject, a, b)),
        _ => None,
    });
    let notes: Vec<_> = notes.collect();
    let order = notes.iter().filter(|note| note.0 == Note::Urgency);
    assert_eq!(
        order.map(|&(_, id, load, _)| (name(id), load)).collect::<Vec<_>>(),
        [("B", 850), ("D", 850), ("C", 850), ("A", 400)]
    );
    // The first attempt: C lies on D, and D on B; no range that affects C lives apart from it.
    let (b, c, d) = (1, 2, 3);
    let first = [
        (Note::Bottleneck, c, 874, 0),
        (Note::RestsOn, c, d.into(), 0),
        (Note::RestsOn, d, b.into(), 0),
        (Note::Turns, 3, 0, 0),
        (Note::DrawAny, 17, 0, 0),
        (Note::Swap, b, c.into(), 0),
        (Note::SwapBetter, 0, 874, 868),
    ];
    assert_eq!(notes[4..11], first);
    assert!(notes.contains(&(Note::ClimbIdle, 500, 0, 0)) && notes.contains(&(Note::AboveBound, 0, 868, 850)));
    assert!(notes.iter().any(|note| note.0 == Note::SwapStuck));
}

#[test]
fn a_stopped_attempt_leaves_its_turns_and_only_the_order_is_taken_back() {
    let (_, events) = run(&VelaHillClimb, &figure(), &[]);
    let worse = events.iter().filter(|event| matches!(event, Event::Note { note: Note::SwapWorse, .. }));
    let equal = events.iter().filter(|event| matches!(event, Event::Note { note: Note::SwapEqual, .. }));
    // Counted in the recorded answer of the original.
    assert_eq!(worse.count() + equal.count(), 499);
}

#[test]
fn limits_end_the_search() {
    let problem = memplan_core::problem::sample(60, 2);
    let (short, _) = run(&VelaHillClimb, &problem, &[("work", "1")]);
    let (long, _) = run(&VelaHillClimb, &problem, &[]);
    assert!(long.peak(&problem) <= short.peak(&problem));
    let small = figure();
    let limit = ("memory_limit", "800");
    let (_, events) = run(&VelaHillClimb, &small, &[limit, ("max_iterations", "700")]);
    assert!(events.contains(&Event::Note { note: Note::ClimbIdle, subject: 700, a: 0, b: 0 }));
    let (_, events) = run(&VelaHillClimb, &small, &[limit, ("max_iterations", "3")]);
    assert!(events.contains(&Event::Note { note: Note::ClimbIdle, subject: 500, a: 0, b: 0 }));
}

#[test]
fn lists_of_neighbours_beyond_the_work_give_the_first_order() {
    let problem = memplan_core::problem::crowd(3000, 1000);
    let (plan, events) = run(&VelaHillClimb, &problem, &[("work", "1")]);
    assert!(events.contains(&Event::Note { note: Note::ClimbWork, subject: 0, a: 0, b: 0 }));
    assert!(plan.places.iter().all(Option::is_some));
}

#[test]
fn greedy_takes_the_tightest_gap_and_never_moves() {
    let buffers = [("A", 48, 0, 2), ("B", 16, 1, 4), ("C", 64, 2, 4)];
    let problem = problem(buffers.map(|(name, size, start, end)| buffer(name, size, start, end)).to_vec());
    let (plan, events) = run(&VelaGreedy, &problem, &[]);
    assert_eq!(offsets(&plan), [0, 48, 64]);
    let looks: Vec<(Verdict, u64, u64)> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Block { verdict, offset, room } => Some((verdict, offset, room)),
            _ => None,
        })
        .collect();
    let top = |offset| (Verdict::Chosen, offset, u64::MAX);
    assert_eq!(looks, [top(0), top(48), (Verdict::TooSmall, 0, 48), top(64)]);
}

#[test]
fn a_range_without_bytes_lets_nobody_onto_live_bytes() {
    let buffers = [("a", 64, 0, 4), ("z", 0, 1, 4), ("b", 64, 1, 4), ("c", 32, 2, 4)];
    let problem = problem(buffers.map(|(name, size, start, end)| buffer(name, size, start, end)).to_vec());
    run(&VelaHillClimb, &problem, &[]);
    let (plan, _) = run(&VelaGreedy, &problem, &[]);
    assert_eq!(offsets(&plan), [0, 0, 64, 128]);
    // The original takes the address of z for the end of what is alive.
    let options = VelaGreedy::INFO.options([("guard_empty", "false")]).expect("declared");
    let plan = VelaGreedy.plan(Input { problem: &problem, graph: None }, &options, &mut Silent).expect("applicable");
    assert_eq!((offsets(&plan), memplan_core::plan::check(&problem, &plan).len()), (vec![0, 0, 64, 0], 1));
}
