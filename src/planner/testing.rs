//! Small problems for unit tests.

use crate::graph::Kind;
use crate::problem::{Buffer, Live, Memory, MemoryId, Problem};

pub fn buffer(name: &str, size: u64, start: u32, end: u32) -> Buffer {
    Buffer {
        name: name.into(),
        size,
        live: Live::new(start, end),
        align: 1,
        memory: MemoryId(0),
        kind: Kind::Intermediate,
        fixed: None,
        gaps: vec![],
        tensors: vec![],
    }
}

/// One memory, as many steps as the lives need.
pub fn problem(buffers: Vec<Buffer>) -> Problem {
    Problem {
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}
