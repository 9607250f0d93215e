//! Arm Vela's allocators: every attempt of the hill climb with its random numbers, and the plans of
//! the planners.

use std::ops::ControlFlow;

use memplan_core::base::MAX_SAFE;
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Buffer, Live, Memory, Problem};
use memplan_core::trace::{Event, Recorder};
use memplan_planners::vela::climb::{Field, Range, Request, climb};
use memplan_planners::vela::{VelaGreedy, VelaHillClimb};
use memplan_planners::{Input, Planner, find};
use serde_json::{Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let rows = case["live_ranges"].as_array().ok_or("no live ranges")?;
    let ranges: Vec<Range> = rows.iter().map(range).collect::<Result<_, _>>()?;
    let problem = problem(rows, &ranges)?;
    for run in case["runs"].as_array().ok_or("no runs")? {
        let expected = &run["expected"];
        match run["algorithm"].as_str() {
            Some("hill_climb") => hill_climb(&problem, &ranges, run, expected)?,
            Some("greedy") => greedy(&problem, expected)?,
            Some("linear") => linear(&problem, &run["quantum"], expected)?,
            other => return Err(format!("unknown algorithm {other:?}")),
        }
    }
    Ok(())
}

fn hill_climb(problem: &Problem, ranges: &[Range], run: &Value, expected: &Value) -> Result<(), String> {
    let request = Request {
        max_iterations: whole(&run["max_iterations"])?,
        memory_limit: whole(&run["memory_limit"])?,
        work: u64::MAX,
    };
    let field = Field::new(ranges.to_vec(), request.work, None).ok_or("too many neighbours")?;
    let mut attempts = Vec::new();
    let found = climb(&field, request, &mut |attempt, _| {
        let best = attempt.size.min(attempt.before);
        attempts.push(json!([attempt.chain[0], attempt.draws, attempt.swaps, attempt.size, best]));
        ControlFlow::Continue(())
    });
    let found = found.map_err(|error| format!("{error:?}"))?;
    same("largest load", &json!(found.min_required), &expected["min_required"])?;
    same("first order", &json!(found.initial_order), &expected["initial_order"])?;
    same("first addresses", &json!(found.initial_addresses), &expected["initial_addresses"])?;
    same("first size", &json!(found.initial_size), &expected["initial_size"])?;
    let theirs = expected["iterations"].as_array().ok_or("no iterations")?;
    for (number, (ours, theirs)) in attempts.iter().zip(theirs).enumerate() {
        same(&format!("attempt {number}"), ours, theirs)?;
    }
    same("number of attempts", &json!(attempts.len()), &json!(theirs.len()))?;
    same("addresses", &json!(found.addresses), &expected["addresses"])?;
    same("size", &json!(found.size), &expected["size"])?;
    let limit = request.memory_limit.min(MAX_SAFE).to_string();
    let iterations = request.max_iterations.to_string();
    let given = [("align", "1"), ("memory_limit", limit.as_str()), ("max_iterations", iterations.as_str())];
    let (plan, _) = planned(problem, &VelaHillClimb, &given)?;
    same("addresses of the planner", &addresses(&plan), &expected["addresses"])?;
    same("peak", &json!(plan.peak(problem)), &expected["size"])
}

fn greedy(problem: &Problem, expected: &Value) -> Result<(), String> {
    let (plan, order) = planned(problem, &VelaGreedy, &[("align", "1"), ("guard_empty", "false")])?;
    same("order", &json!(order), &expected["order"])?;
    same("addresses", &addresses(&plan), &expected["addresses"])?;
    let ends = problem
        .buffers
        .iter()
        .zip(plan.places.iter())
        .map(|(buffer, place)| place.map_or(0, |place| place.offset) + buffer.size.next_multiple_of(buffer.align));
    same("size", &json!(ends.max()), &expected["size"])
}

/// The linear allocation is the planner without sharing at the alignment of the run.
fn linear(problem: &Problem, quantum: &Value, expected: &Value) -> Result<(), String> {
    let quantum = whole(quantum)?;
    let mut problem = problem.clone();
    problem.buffers.iter_mut().for_each(|buffer| buffer.align = quantum);
    let (plan, _) = planned(&problem, find("naive").ok_or("not registered")?, &[])?;
    same("addresses without sharing", &addresses(&plan), &expected["addresses"])?;
    same("size without sharing", &json!(plan.peak(&problem).next_multiple_of(quantum)), &expected["size"])
}

/// The plan, and the buffers in the order in which they were placed.
fn planned(problem: &Problem, planner: &dyn Planner, given: &[(&str, &str)]) -> Result<(Plan, Vec<u32>), String> {
    let options = planner.info().options(given.iter().copied()).map_err(|error| error.to_string())?;
    let mut recorder = Recorder::default();
    let plan = planner.plan(Input { problem, graph: None }, &options, &mut recorder);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    // The original's greedy may put a range on live bytes after one without bytes.
    let is_sound = options.get("guard_empty") != "false" || problem.buffers.iter().all(|buffer| buffer.size > 0);
    same("valid", &json!(!is_sound || check(problem, &plan).is_empty()), &json!(true))?;
    let begun = |event: &Event| if let Event::Begin { buffer } = event { Some(buffer.0) } else { None };
    Ok((plan, recorder.events.iter().filter_map(begun).collect()))
}

fn addresses(plan: &Plan) -> Value {
    json!(plan.places.iter().map(|place| place.map(|place| place.offset)).collect::<Vec<_>>())
}

fn problem(rows: &[Value], ranges: &[Range]) -> Result<Problem, String> {
    let buffer = |(row, range): (&Value, &Range)| -> Result<Buffer, String> {
        Ok(Buffer {
            align: range.align,
            ..Buffer::of(row["name"].as_str().ok_or("no name")?, range.size, Live::new(range.start, range.end + 1))
        })
    };
    let buffers: Vec<Buffer> = rows.iter().zip(ranges).map(buffer).collect::<Result<_, _>>()?;
    Ok(Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "npu".into(), mem_id: None }].into(),
        ..Problem::default()
    })
}

fn range(row: &Value) -> Result<Range, String> {
    let time = |value: &Value| whole(value).map(|time| time as u32);
    Ok(Range {
        start: time(&row["start"])?,
        end: time(&row["end"])?,
        size: whole(&row["size"])?,
        align: whole(&row["align"])?,
    })
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or(format!("{value} is no whole number"))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}
