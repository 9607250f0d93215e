//! The built-in examples. `www/graphs/index.json` lists them with what the list shows; `tests/examples.rs` keeps it true.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::base::{Family, Message};

/// An entry of the list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// File name in `graphs/` without `.json`.
    pub name: String,
    /// `tiny`, `networks`, `training`, or `cases`: one counter-example a planner.
    pub group: String,
    pub buffers: usize,
    /// Lower bound with inputs and outputs, in bytes.
    pub bound: u64,
    /// Load over the run in at most 64 samples, each the largest of its span, in bytes.
    pub load: Vec<u64>,
}

/// Recorded plans in which the original of a planner puts two buffers on the same bytes: id of the planner and file name in
/// `graphs/` without `.json`.
pub const QUIRKS: &[(&str, &str)] = &[("inductor-tree", "cases/inductor-tree-quirk")];

/// A small graph that shows a part of a planner which no other example meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    /// Id of the planner.
    pub planner: &'static str,
    /// File name in `graphs/` without `.json`; after the folder also the ending of its key, `special.<name>`.
    pub name: &'static str,
    pub options: &'static [(&'static str, &'static str)],
}

impl Special {
    pub fn words(self) -> Message {
        Message::new(Family::SPECIAL.of([self.name.trim_start_matches("cases/")]))
    }
}

pub const SPECIALS: &[Special] = &[
    Special { planner: "nnvm", name: "cases/nnvm-ignored-read", options: &[("inplace", "true")] },
    Special { planner: "nnvm", name: "cases/nnvm-assign", options: &[("inplace", "true"), ("runtime", "true")] },
    Special { planner: "tvm-relay", name: "cases/tvm-relay-devices", options: &[("version", "0.6.1")] },
    Special { planner: "tvm-relay", name: "cases/tvm-relay-texture", options: &[] },
];

/// All built-in examples in order.
pub fn examples() -> &'static [Example] {
    static LIST: OnceLock<Vec<Example>> = OnceLock::new();
    // Compiled in and read by a test: an unreadable list is an empty one.
    LIST.get_or_init(|| serde_json::from_str(include_str!("../../../www/graphs/index.json")).unwrap_or_default())
}
