//! Built-in examples of parts of planners, beside the one example and the one counter-example that
//! each data sheet names.

use memplan_core::base::{Family, Message};

/// Recorded plans in which the original of a planner puts two buffers on the same bytes: id of the
/// planner and file name in `graphs/` without `.json`.
pub const QUIRKS: &[(&str, &str)] = &[("inductor-tree", "cases/inductor-tree-quirk")];

/// A small graph that shows a part of a planner which no other example meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    /// Id of the planner.
    pub planner: &'static str,
    /// File name in `graphs/` without `.json`; after the folder also the ending of its key,
    /// `special.<name>`.
    pub name: &'static str,
    /// Options in place of defaults.
    pub options: &'static [(&'static str, &'static str)],
}

impl Special {
    /// What the graph shows.
    pub fn words(self) -> Message {
        Message::new(Family::SPECIAL.of([self.name.trim_start_matches("cases/")]))
    }
}

/// All of them, in the order in which they are listed.
pub const SPECIALS: &[Special] = &[
    Special { planner: "nnvm", name: "cases/nnvm-ignored-read", options: &[("inplace", "true")] },
    Special { planner: "nnvm", name: "cases/nnvm-assign", options: &[("inplace", "true"), ("runtime", "true")] },
    Special { planner: "tvm-relay", name: "cases/tvm-relay-devices", options: &[("version", "0.6.1")] },
    Special { planner: "tvm-relay", name: "cases/tvm-relay-texture", options: &[] },
];
