//! Each classic in Rhai equals the planner of memplan.

use std::path::Path;

use memplan_core::problem::{Buffer, Live, Memory, MemoryId, Problem, Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_formats::import::{self, Document};
use memplan_planners::{self as planners, Input, Planner};

use super::{offsets, planned};
use crate::{CLASSICS, Own};

/// Instances of each classic, and most buffers of an example: the language is forty times as slow
/// in a build with checks.
const INSTANCES: u64 = if cfg!(debug_assertions) { 30 } else { 500 };
const BUFFERS: usize = if cfg!(debug_assertions) { 40 } else { usize::MAX };

/// A small problem with ties, several memories, alignments and buffers without bytes.
fn instance(seed: u64) -> Problem {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let steps = 2 + below(12) as u32;
    let memories = 1 + below(2) as u32;
    let buffers = (0..1 + below(24)).map(|number| {
        let start = below(u64::from(steps)) as u32;
        let end = start + 1 + below(u64::from((steps - start).min(5))) as u32;
        let mut buffer = Buffer::of(format!("b{number}"), below(40), Live::new(start, end));
        buffer.align = 1 << below(5);
        buffer.memory = MemoryId(below(u64::from(memories)) as u32);
        buffer
    });
    let mut buffers: Vec<Buffer> = buffers.collect();
    buffers.sort_by_key(|buffer| buffer.live.start);
    let memory = |number: u32| Memory { device: format!("d{number}"), mem_id: None };
    Problem {
        steps: steps + 5,
        buffers: buffers.into(),
        memories: (0..memories).map(memory).collect(),
        ..Problem::default()
    }
}

fn equal(problem: &Problem, about: &str) {
    for classic in CLASSICS {
        let own = Own::of_code(classic.planner, classic.planner, classic.code.into()).expect("readable");
        let ours = planners::find(classic.planner).expect("registered");
        let options = ours.info().options(classic.options.iter().copied()).expect("its options");
        let expected = ours.plan(Input { problem, graph: None }, &options, &mut Silent).expect("planned");
        let (found, _) = planned(&own, problem).expect("planned");
        assert_eq!(offsets(&found), offsets(&expected), "{} on {about}", classic.planner);
        assert_eq!(found.peak(problem), expected.peak(problem), "{} on {about}", classic.planner);
        assert_eq!(own.info().align, ours.info().align, "{}", classic.planner);
    }
}

#[test]
fn classics_equal_ours_on_random_instances() {
    (0..INSTANCES).for_each(|seed| equal(&instance(seed), &format!("seed {seed}")));
}

#[test]
fn classics_equal_ours_on_all_examples() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs"));
    let mut folders = vec![root.to_path_buf()];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("readable").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let Ok(read) = import::read(&bytes, import::Answers::default()) else { continue };
            let problem = match &read.document {
                Document::Graph(graph) => lifetimes(graph, &Scope::default()).ok(),
                document => document.buffers(),
            };
            let Some(problem) = problem else { continue };
            if problem.buffers.len() <= BUFFERS {
                equal(&problem, &path.display().to_string());
                found += 1;
            }
        }
    }
    assert!(found >= 35, "{found} examples");
}
