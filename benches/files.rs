//! The time of planners on files of one's own, and the nodes of searches, as a table: `bench.html`
//! prints the same rows.
//!
//! `cargo bench --bench files -- --planners "exact;capacity=1048576" FILE...`; all planners that
//! apply if none are named.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use memplan_engine::{Engine, PlannerChoice, Timing, ranked};
use memplan_formats::import::{self, Answers};

/// Milliseconds for which a planner is run again and again.
const SPAN: f64 = 1_000.0;

fn main() -> ExitCode {
    let (mut files, mut named) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo passes this to every bench.
            "--bench" => {}
            "--planners" => named = arguments.next().unwrap_or_default().split(',').map(PlannerChoice::read).collect(),
            _ if Path::new(&argument).is_file() => files.push(argument),
            // A filter for other benches.
            _ => eprintln!("{argument} is no file"),
        }
    }
    if files.is_empty() {
        println!("No files were named: cargo bench --bench files -- [--planners A,\"B;OPTION=VALUE\"] FILE...");
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64() * 1e3;
    println!("| file | planner | buffers | ms | first run | nodes | peak | of the bound |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let mut total = 0.0;
    for file in &files {
        let read = match std::fs::read(file) {
            Ok(bytes) => {
                import::read(&bytes, Answers::default()).map_err(|_| "it is no graph, plan or list".to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let document = match read {
            Ok(read) => read.document,
            Err(why) => {
                eprintln!("{file}: {why}");
                return ExitCode::from(2);
            }
        };
        let all = ranked(document.graph().is_some(), false);
        let engine = Engine::with_document(document);
        for choice in if named.is_empty() { &all } else { &named } {
            let name = file.rsplit('/').next().unwrap_or(file);
            match engine.time(choice, &clock, SPAN) {
                Ok(timing) => {
                    total += timing.millis;
                    println!("| {name} | {} | {} |", choice.text(), cells(&timing).join(" | "));
                }
                Err(message) => println!("| {name} | {} | {} |", choice.text(), message.key),
            }
        }
    }
    println!("| together | | | {total:.2} | | | | |");
    ExitCode::SUCCESS
}

fn cells(timing: &Timing) -> [String; 6] {
    let ratio = timing.peak.map(|peak| peak as f64 / timing.bound.max(1) as f64);
    [
        timing.buffers.to_string(),
        format!("{:.2}", timing.millis),
        format!("{:.2}", timing.first),
        timing.nodes.to_string(),
        timing.peak.map_or_else(|| "–".into(), |peak| peak.to_string()),
        ratio.map_or_else(|| "–".into(), |ratio| format!("{ratio:.4}")),
    ]
}
