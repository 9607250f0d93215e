//! Small problems for unit tests.

use memplan_core::problem::{Buffer, Live, Memory, Problem};

pub fn buffer(name: &str, size: u64, start: u32, end: u32) -> Buffer {
    Buffer::of(name, size, Live::new(start, end))
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
