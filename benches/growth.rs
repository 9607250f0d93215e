//! How the time of every planner grows from 1 000 to 100 000 buffers of made-up graphs:
//! milliseconds, and the growth exponent between the last two sizes. A size is skipped if the next
//! smaller one already took longer than [`PATIENCE`]. `UPDATE_DOCS=1 cargo bench --bench growth`
//! also writes the table into docs/planners.md.
//!
//! Searches (the hill climbs, the portfolio, the exact one, the order of execution, XLA's six
//! passes) take many times one pass and end at their own limit of work, which stands beside them,
//! so their exponent says little. `reorder` is timed with its search, which belongs to the
//! preparation of a problem.

#[path = "../tests/native/documents/sections.rs"]
mod sections;

use std::path::Path;
use std::time::{Duration, Instant};

use memplan_core::graph;
use memplan_core::graph::Graph;
use memplan_core::problem::{Problem, Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_planners::{self as planner, Info, Input, Planner, REGISTRY};

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const PATIENCE: Duration = Duration::from_secs(3);

fn main() {
    let mut table = String::new();
    let mut print = |row: String| {
        println!("{row}");
        table.push_str(&row);
        table.push('\n');
    };
    print("| planner | budget | 1 000 | 10 000 | 100 000 | growth exponent |".into());
    print("|---|---|---:|---:|---:|---:|".into());
    let inputs = SIZES.map(|count| {
        let graph = graph::sample(count, 1);
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        (graph, problem)
    });
    for planner in REGISTRY {
        let info = planner.info();
        let mut times: Vec<Option<Duration>> = Vec::new();
        for (graph, problem) in &inputs {
            let hopeless = times.last().is_some_and(|time| time.is_none_or(|time| time > PATIENCE));
            let is_timed = info.is_timed_on(problem.buffers.len() as u32);
            times.push((!hopeless && is_timed).then(|| best(|| run(*planner, graph, problem))));
        }
        let known: Vec<f64> = times.iter().flatten().map(Duration::as_secs_f64).collect();
        let exponent = match known.as_slice() {
            [.., before, last] => format!("{:.2}", (last / before).log10()),
            _ => "–".into(),
        };
        let cells: Vec<String> = times.iter().map(|time| time.map_or_else(|| "–".into(), millis)).collect();
        let budget = budget(info);
        let gap = if budget.is_empty() { "" } else { " " };
        print(format!("| `{}` |{gap}{budget} | {} | {exponent} |", info.id, cells.join(" | ")));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/planners.md");
        let document = std::fs::read_to_string(&path).expect("the document of the planners");
        std::fs::write(path, sections::with_section(&document, "growth", &table)).expect("the folder is writable");
    }
}

/// Milliseconds with as many decimals as tell something.
fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    if millis < 10.0 { format!("{millis:.2}") } else { format!("{millis:.0}") }
}

/// Plans, with the preparation of those that change the order of execution.
fn run(planner: &dyn Planner, graph: &Graph, problem: &Problem) {
    let options = planner.info().defaults();
    let mut own = None;
    let mut reordered = None;
    if !options.get(planner::reorder::REORDER).is_empty() {
        let mut copy = problem.clone();
        reordered = planner::prepare(planner, &mut copy, Some(graph), &Scope::default(), &options).expect("prepared");
        own = Some(copy);
    }
    let input = Input { problem: own.as_ref().unwrap_or(problem), graph: reordered.as_ref().or(Some(graph)) };
    planner.plan(input, &options, &mut Silent).expect("a made-up graph suits every planner");
}

/// The options that limit a search, with their defaults.
fn budget(info: &Info) -> String {
    let limits = info.options.iter().filter(|spec| ["nodes", "attempts", "states", "work"].contains(&spec.key));
    limits.map(|spec| format!("{}={}", spec.key, spec.default)).collect::<Vec<_>>().join(", ")
}

/// The best of three runs; of one, when that is long.
fn best(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
        if best > PATIENCE {
            break;
        }
    }
    best
}
