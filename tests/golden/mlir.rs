//! MLIR's static memory planner: offsets, total and alignment of the arena of both algorithms; for
//! networks also with steps in place of operations.

use memplan_core::plan::check;
use memplan_core::problem::{Buffer, Live, Memory, Problem};
use memplan_core::trace::Silent;
use memplan_planners::mlir::MlirStatic;
use memplan_planners::{Input, Planner};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let Some(buffers) = case["buffers"].as_array() else { return Ok(()) };
    let by = |start: &str, end: &str, plus: u32| -> Result<Vec<Buffer>, String> {
        buffers.iter().map(|row| buffer(row, step(&row[start])?, step(&row[end])? + plus)).collect()
    };
    let mut problems = vec![problem(by("start", "end", 0)?)];
    if buffers.iter().any(|row| row.get("first_node").is_some()) {
        problems.push(problem(by("first_node", "last_node", 1)?));
    }
    for problem in problems.iter().filter(|problem| !problem.buffers.is_empty()) {
        for algorithm in ["trivial", "best-fit"] {
            let (expected, ours) = (&case["expected"][algorithm], planned(problem, algorithm)?);
            same(algorithm, "offsets", &ours["offsets"], &expected["offsets"])?;
            // An arena that is an argument states neither.
            if case["options"]["arena_mode"] != "arg" {
                same(algorithm, "total", &ours["total"], &expected["total"])?;
                same(algorithm, "alignment", &ours["arena_alignment"], &expected["arena_alignment"])?;
            }
        }
    }
    Ok(())
}

fn planned(problem: &Problem, algorithm: &str) -> Result<Value, String> {
    let options = MlirStatic::INFO.options([("algorithm", algorithm)]).map_err(|error| error.to_string())?;
    let plan = MlirStatic.plan(Input { problem, graph: None }, &options, &mut Silent);
    let plan = plan.map_err(|error| format!("{error:?}"))?;
    if let Some(fault) = check(problem, &plan).first() {
        return Err(format!("{algorithm}: {fault:?}"));
    }
    let offsets = problem.buffers.iter().zip(plan.places.iter());
    let offsets = offsets.map(|(buffer, place)| (buffer.name.clone(), json!(place.map(|place| place.offset))));
    let total: u64 = plan.pools.iter().map(|pool| pool.size).sum();
    // Of powers of two the largest is the least common multiple.
    let align = problem.buffers.iter().map(|buffer| buffer.align).max();
    Ok(json!({"offsets": offsets.collect::<Map<_, _>>(), "total": total, "arena_alignment": align}))
}

fn problem(buffers: Vec<Buffer>) -> Problem {
    Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

fn buffer(row: &Value, start: u32, end: u32) -> Result<Buffer, String> {
    let number = |key: &str| row[key].as_u64().ok_or(format!("no {key} in {row}"));
    let name = row["name"].as_str().ok_or("no name")?;
    Ok(Buffer { align: number("alignment")?, ..Buffer::of(name, number("bytes")?, Live::new(start, end)) })
}

fn step(value: &Value) -> Result<u32, String> {
    value.as_u64().map(|step| step as u32).ok_or(format!("{value} is no step"))
}

fn same(algorithm: &str, what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{algorithm}, {what}: ours {ours}, theirs {theirs}")) }
}
