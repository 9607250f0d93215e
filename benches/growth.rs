//! How the time of every planner grows from 1 000 to 100 000 buffers of made-up graphs, as a table with the growth exponent.
//! A size is left out when the one before already took longer than [`PATIENCE`].
//!
//! Searches (the hill climbs, the portfolio, XLA's six passes) take many times one pass and end at their own limit of work, so
//! their exponent says little. `reorder` is timed without its search, which belongs to the preparation of a problem.

use std::time::{Duration, Instant};

use memplan::graph;
use memplan::planner::{Input, REGISTRY};
use memplan::problem::{Scope, lifetimes};
use memplan::trace::Silent;

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const PATIENCE: Duration = Duration::from_secs(3);

fn main() {
    println!("| planner | 1 000 | 10 000 | 100 000 | growth exponent |");
    println!("|---|---:|---:|---:|---:|");
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
            times.push((!hopeless && is_timed).then(|| {
                best(|| {
                    let input = Input { problem, graph: Some(graph) };
                    planner.plan(input, &info.defaults(), &mut Silent).expect("a made-up graph suits every planner");
                })
            }));
        }
        let known: Vec<f64> = times.iter().flatten().map(Duration::as_secs_f64).collect();
        let exponent = match known.as_slice() {
            [.., before, last] => format!("{:.2}", (last / before).log10()),
            _ => "–".into(),
        };
        let cells = times
            .iter()
            .map(|time| time.map_or_else(|| "–".into(), |time| format!("{:.2} ms", time.as_secs_f64() * 1e3)));
        println!("| {} | {} | {exponent} |", info.id, cells.collect::<Vec<_>>().join(" | "));
    }
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
