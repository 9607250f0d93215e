//! Small problems for unit tests.

use super::{Input, find};
use memplan_core::plan::check;
use memplan_core::problem::{Buffer, Live, Memory, Problem};
use memplan_core::trace::{Event, Recorder, Silent};

pub fn buffer(name: &str, size: u64, start: u32, end: u32) -> Buffer {
    Buffer::of(name, size, Live::new(start, end))
}

/// One memory, as many steps as the lives need.
pub fn problem(buffers: Vec<Buffer>) -> Problem {
    Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

/// Offsets in order of the input, and names in order of placement. The plan must be valid and the
/// same unwatched.
pub fn plan_of<'a>(id: &str, problem: &'a Problem, given: &[(&str, &str)]) -> (Vec<u64>, Vec<&'a str>) {
    let planner = find(id).unwrap();
    let options = planner.info().options(given.iter().copied()).unwrap();
    let input = Input { problem, graph: None };
    let mut recorder = Recorder::default();
    let plan = planner.plan(input, &options, &mut recorder).unwrap();
    assert_eq!(planner.plan(input, &options, &mut Silent), Ok(plan.clone()));
    let mut unstated = problem.clone();
    if options.get("fixed") != "true" {
        unstated.buffers.iter_mut().for_each(|buffer| buffer.fixed = None);
    }
    assert_eq!(check(&unstated, &plan), []);
    let begun = recorder.events.iter().filter_map(|event| match event {
        Event::Begin { buffer } => Some(problem.buffers[*buffer].name.as_str()),
        _ => None,
    });
    (plan.places.iter().map(|place| place.unwrap().offset).collect(), begun.collect())
}
