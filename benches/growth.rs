//! How the time of every planner grows from 1 000 to 100 000 buffers of made-up graphs, as a table with the growth exponent.
//! A size is left out when the one before already took longer than [`PATIENCE`].
//!
//! Searches (the hill climbs, the portfolio, the exact one, the order of execution, XLA's six passes) take many times one pass
//! and end at their own limit of work, which stands beside them, so their exponent says little. `reorder` is timed with its
//! search, which belongs to the preparation of a problem.

use std::time::{Duration, Instant};

use memplan::graph;
use memplan::graph::Graph;
use memplan::planner::{self, Info, Input, Planner, REGISTRY};
use memplan::problem::{Problem, Scope, lifetimes};
use memplan::trace::Silent;

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const PATIENCE: Duration = Duration::from_secs(3);

fn main() {
    println!("| planner | budget | 1 000 | 10 000 | 100 000 | growth exponent |");
    println!("|---|---|---:|---:|---:|---:|");
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
        let cells = times
            .iter()
            .map(|time| time.map_or_else(|| "–".into(), |time| format!("{:.2} ms", time.as_secs_f64() * 1e3)));
        println!("| {} | {} | {} | {exponent} |", info.id, budget(info), cells.collect::<Vec<_>>().join(" | "));
    }
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

/// The options that limit a search, with their usual values.
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
