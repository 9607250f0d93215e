//! The built-in examples. `www/graphs/index.json` lists them with what the list shows; `tests/examples.rs` keeps it true.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use crate::planner::{QUIRKS, SPECIALS, Special};

/// An entry of the list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// File name in `graphs/` without `.json`.
    pub name: String,
    /// `tiny`, `networks`, `training`, or `cases`: one counter-example a planner.
    pub group: String,
    /// Number of buffers with the default scope.
    pub buffers: usize,
    /// Lower bound with inputs and outputs, in bytes.
    pub bound: u64,
    /// Load over the run in at most 64 samples, each the largest of its span, in bytes.
    pub load: Vec<u64>,
}

/// All built-in examples in order.
pub fn examples() -> &'static [Example] {
    static LIST: OnceLock<Vec<Example>> = OnceLock::new();
    // Compiled in and read by a test: an unreadable list is an empty one.
    LIST.get_or_init(|| serde_json::from_str(include_str!("../../../www/graphs/index.json")).unwrap_or_default())
}
