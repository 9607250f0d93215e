//! Made-up problems of any size for benchmarks.

use super::{Problem, Scope, lifetimes};
use crate::graph;

/// The buffers of [`graph::sample`].
pub fn sample(count: u32, seed: u64) -> Problem {
    // Every extent is a plain number and the sum of a few thousand bytes each is far from the limit.
    lifetimes(&graph::sample(count, seed), &Scope::default()).unwrap_or_default()
}
