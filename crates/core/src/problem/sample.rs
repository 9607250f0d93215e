//! Made-up problems of any size for benchmarks.

use super::{Buffer, Live, Memory, Problem, Scope, lifetimes};
use crate::graph::{self, Kind};

/// The buffers of [`graph::sample`].
pub fn sample(count: u32, seed: u64) -> Problem {
    // Every extent is a plain number and the sum of a few thousand bytes each is far from the
    // limit.
    lifetimes(&graph::sample(count, seed), &Scope::default()).unwrap_or_default()
}

/// Buffers of similar sizes, `alive` of them at a time, so that all are at least a pixel large in a
/// picture.
pub fn crowd(buffers: u32, alive: u32) -> Problem {
    let alive = alive.max(1);
    let buffer = |number: u32| {
        let start = number / alive;
        Buffer {
            align: 64,
            kind: Kind::ALL[number as usize % Kind::ALL.len()],
            ..Buffer::of(
                format!("t{number}"),
                768 + 128 * (number as u64 * 7919 % 5),
                Live::new(start, start + 1 + number % 3),
            )
        }
    };
    Problem {
        name: "crowd".into(),
        buffers: (0..buffers).map(buffer).collect(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        steps: buffers / alive + 3,
        ..Problem::default()
    }
}
