//! Whole programs on small problems.

mod answers;
mod classics;
mod faults;
mod hostile;
mod levels;
mod statements;

use memplan_core::base::Message;
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, Live, Memory, Problem};
use memplan_core::text::Locale;
use memplan_core::text::Speech;
use memplan_core::trace::{CheckingProbe, Event, Recorder};
use memplan_planners::{Input, PlanError, Planner};

use crate::Own;

/// Id of the planner under test.
const ID: &str = "mine.rhai";

/// Buffers as name, size and life, in one memory.
fn problem(buffers: &[(&str, u64, u32, u32)]) -> Problem {
    Problem {
        steps: buffers.iter().map(|buffer| buffer.3).max().unwrap_or(1),
        buffers: buffers
            .iter()
            .map(|&(name, size, start, end)| Buffer::of(name, size, Live::new(start, end)))
            .collect(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

/// Three buffers, the last of which finds a gap of 4 bytes below the second.
fn three() -> Problem {
    problem(&[("a", 4, 0, 2), ("b", 2, 1, 4), ("c", 3, 2, 4)])
}

/// Plans with the default options, and checks the contract of the events.
fn planned(own: &Own, problem: &Problem) -> Result<(Plan, Vec<Event>), PlanError> {
    let mut recorder = Recorder::default();
    let mut probe = CheckingProbe::new(&mut recorder, problem);
    let plan = own.plan(Input { problem, graph: None }, &own.info().defaults(), &mut probe)?;
    let breaches = probe.finish();
    assert_eq!(breaches, []);
    Ok((plan, recorder.events))
}

/// Runs a program that is right.
fn run(code: &str, problem: &Problem) -> (Plan, Vec<Event>) {
    let own = Own::of_code(ID, ID, code.into()).map_err(words).expect("readable");
    planned(&own, problem).map_err(|error| words(error.message())).expect("planned")
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().map(|place| place.expect("placed").offset).collect()
}

fn words(message: Message) -> String {
    Speech { locale: Locale::En, ..Speech::default() }.say(&message)
}

/// The sentence of a program that is wrong, without the name of its file.
fn fault(code: &str) -> String {
    words(fault_message(code)).strip_prefix("mine.rhai: ").expect("the file is named").to_string()
}

/// What is said of a program that is wrong.
fn fault_message(code: &str) -> Message {
    match Own::of_code(ID, ID, code.into()) {
        Err(message) => message,
        Ok(own) => planned(&own, &three()).map(|(plan, _)| offsets(&plan)).expect_err("wrong").message(),
    }
}
