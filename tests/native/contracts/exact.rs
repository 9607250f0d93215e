//! Nodes that the exact search visits on fixed instances. A change that visits other nodes is
//! another search, whatever peaks it finds.

use memplan_core::plan::Plan;
use memplan_core::problem::{Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::{Event, Note, Recorder};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, Input, PlanError};

use crate::contract;

const NAME: &str = "exact-nodes.txt";

/// Built-in examples that take no time without optimisation.
const FILES: [&str; 11] = [
    "teaching.json",
    "diamond.json",
    "two_branches.json",
    "cases/exact.json",
    "cases/best.json",
    "cases/hill-climb.json",
    "cases/xla-packing-search.json",
    "cases/usmp-hill-climb.json",
    "learn/nine-blocks.csv",
    "learn/break-8.csv",
    "learn/stairs.csv",
];

fn read(bytes: &[u8]) -> Problem {
    match import::read(bytes, Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => lifetimes(&graph, &Scope::default()).expect("sizes are known"),
        Ok(Document::Buffers(problem)) => problem,
        other => panic!("{other:?}"),
    }
}

/// Rectangles that fill 100 bytes over 40 steps, cut from one by a generator of random numbers.
fn puzzle(count: usize, seed: u32) -> Problem {
    let mut state = seed;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let mut parts: Vec<(u32, u32, u32)> = vec![(0, 40, 100)];
    while parts.len() < count {
        let largest = (0..parts.len()).max_by_key(|&index| (parts[index].1 - parts[index].0) * parts[index].2);
        let (start, end, size) = parts.swap_remove(largest.expect("a part"));
        if size > 1 && (next(3) > 0 || end - start < 2) {
            let low = 1 + next(size - 1);
            parts.extend([(start, end, low), (start, end, size - low)]);
        } else {
            let middle = start + 1 + next(end - start - 1);
            parts.extend([(start, middle, size), (middle, end, size)]);
        }
    }
    let row = |(index, (start, end, size)): (usize, &(u32, u32, u32))| format!("b{index},{start},{end},{size}\n");
    let rows: String = parts.iter().enumerate().map(row).collect();
    read(format!("id,lower,upper,size\n{rows}").as_bytes())
}

/// What the search reports of its nodes, and how it ends.
fn count(name: &str, problem: &Problem, options: &[(&str, &str)]) -> String {
    let planner = planner::find("exact").expect("registered");
    let values = planner.info().options(options.iter().copied()).expect("options of the search");
    let mut recorder = Recorder::default();
    let found = planner.plan(Input { problem, graph: None }, &values, &mut recorder);
    let visited = recorder.events.iter().filter(|event| matches!(event, Event::Note { note: Note::SearchNode, .. }));
    let mut told = vec![format!("visits={}", visited.count())];
    for event in &recorder.events {
        match *event {
            Event::Note { note: Note::SearchFound, a, b, .. } => told.push(format!("found {a} after {b}")),
            Event::Note { note: Note::SearchNone, a, b, .. } => told.push(format!("none in {a} after {b}")),
            Event::Note { note: Note::SearchOpen, a, b, .. } => told.push(format!("open {a} after {b}")),
            _ => {}
        }
    }
    told.push(match found {
        Ok(Plan { proof, .. }) => format!("{proof:?}"),
        Err(PlanError::Infeasible { capacity, buffers, .. }) => format!("infeasible {capacity}, {}", buffers.len()),
        Err(PlanError::Undecided { capacity, nodes, best, bound }) => {
            format!("undecided {capacity}, {nodes} nodes, {bound} to {best}")
        }
        Err(other) => panic!("{name}: {other:?}"),
    });
    let options: String = options.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    format!("{name}{options}: {}", told.join("; "))
}

#[test]
fn node_counts_are_those_recorded() {
    let mut now = Vec::new();
    for seed in 1..=6 {
        now.push(count(&format!("puzzle 60.{seed}"), &puzzle(60, seed), &[("nodes", "20000")]));
    }
    for (capacity, nodes) in [("100", "20000"), ("99", "20000"), ("100", "1"), ("100", "500")] {
        now.push(count("puzzle 60.1", &puzzle(60, 1), &[("capacity", capacity), ("nodes", nodes)]));
    }
    for file in FILES {
        let path = format!("{}/www/graphs/{file}", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let problem = read(&std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")));
        let bound = lower_bound(&problem).to_string();
        now.push(count(file, &problem, &[("nodes", "20000")]));
        now.push(count(file, &problem, &[("capacity", &bound), ("nodes", "20000")]));
    }
    if contract::is_updating() {
        contract::write(NAME, &now.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    let recorded = contract::read(NAME);
    let recorded: Vec<&str> = recorded.lines().collect();
    assert_eq!(recorded.len(), now.len(), "instances of {NAME}");
    let differs = recorded.iter().zip(&now).filter(|(recorded, now)| **recorded != now.as_str());
    let told = differs.map(|(recorded, now)| format!("  recorded: {recorded}\n  now:      {now}"));
    contract::unchanged(NAME, &told.collect::<Vec<_>>());
}
