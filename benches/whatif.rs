//! How long PyTorch's CUDA caching allocator takes to repeat a recording of 100 000 events, and the
//! table of other settings: a recorded inference, again and again, with the cache emptied between.
//! `cargo bench --bench whatif`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use memplan_core::problem::{Call, Problem, RecordedCall, Recording};
use memplan_engine::{WhatIfTask, recorded, whatif_row};
use memplan_formats::import::{self, Answers};

const SNAPSHOT: &str = "tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz";

/// Events of a recording of 100 000.
const EVENTS: usize = 100_000;

fn main() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(SNAPSHOT);
    let document =
        import::read(&std::fs::read(path).expect("the snapshot"), Answers::default()).expect("read").document;
    let (problem, _) = document.own_plan().expect("blocks with addresses");
    let times = EVENTS.div_ceil(problem.steps as usize);
    let many = repeated(&problem.recordings[0], problem.steps, times);
    let calls = many.calls.len();
    let many = Problem { steps: problem.steps * times as u32, recordings: Arc::new(vec![many]), ..problem.clone() };
    let task = WhatIfTask { memory: 0, version: None, card: Some(80 << 20), change: None };
    let begin = Instant::now();
    let facts = recorded(&many, &task).expect("a recording");
    let replay = begin.elapsed();
    assert!(facts.equal == facts.requests, "{} of {}", facts.equal, facts.requests);
    println!("{} events, {calls} calls: replay {} ms", many.steps, replay.as_millis());
    let all = Instant::now();
    let changes = std::iter::once(String::new()).chain(facts.usual);
    let count = changes.map(|change| row(&many, &task, &change)).count();
    println!("{count} settings: {} ms", all.elapsed().as_millis());
}

fn row(problem: &Problem, task: &WhatIfTask, change: &str) {
    let begin = Instant::now();
    let found = whatif_row(problem, task, change).expect("a recording").expect("settings");
    println!("  {change}: {} ms, {} cudaMalloc", begin.elapsed().as_millis(), found.measured.obtained);
}

/// The calls several times over.
fn repeated(recording: &Recording, steps: u32, times: usize) -> Recording {
    let allocations = recording.owners.len() as u32;
    let mut many = recording.clone();
    for time in 1..times as u32 {
        let at = |step: u32| step + time * steps;
        let id = |id: u32| id + time * allocations;
        many.calls.push(RecordedCall { step: at(0), call: Call::EmptyCache, address: None });
        many.segments.extend(&recording.segments);
        many.owners.extend(vec![None; recording.owners.len()]);
        many.calls.extend(recording.calls.iter().map(|recorded| {
            let call = match recorded.call {
                Call::Alloc { id: own, bytes, stream } => Call::Alloc { id: id(own), bytes, stream },
                Call::Free { id: own } => Call::Free { id: id(own) },
                Call::RecordStream { id: own, stream } => Call::RecordStream { id: id(own), stream },
                other => other,
            };
            RecordedCall { step: at(recorded.step), call, ..*recorded }
        }));
    }
    many
}
