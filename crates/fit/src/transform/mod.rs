//! Changes of a graph that change what it needs, each a function from graph to graph: rows
//! of a stripe, copies to a slower memory and back, operators that run again, storage taken over.
//! Every function says what it costs ([`Price`]); none decides whether it is worth it.
//!
//! A changed graph says all in attributes (docs/fit.md), so that the live ranges of
//! [`memplan_core::problem`] need no other rule: `alias` with a number is the input whose storage
//! the output takes, `rows` the rows that the operator makes, `parts` where the inputs of a
//! concatenation lie in its output.

mod macs;
mod merge;
mod moves;
mod net;
mod parts;
mod rows;
mod stripes;
mod views;

pub use macs::macs;
pub use merge::largest_matching;
pub use moves::{bank, clone_before, filled_from, in_place, run_order, scratch, spill, written};
pub use net::{Merged, Net, Op};
pub use parts::{apart, in_parts, may_part, refused_parts};
pub use rows::{Layout, RowRule, Rows, is_assumed, rows_of, rule_of, stated_rows};
pub use stripes::{Block, LONGEST, Likeness, StripeRange, heights, into_stripes};
pub use views::{views, views_but};

use memplan_core::graph::Graph;

/// What changes cost; each figure stands for itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Price {
    /// Multiplications with addition that are done again.
    pub macs: u64,
    /// Bytes moved between memories, weighted by the cost of the slower one.
    pub bytes: u64,
    /// Bytes of weights that are read again.
    pub weights: u64,
}

impl Price {
    /// The sum of two prices.
    pub fn plus(self, other: Price) -> Price {
        Price {
            macs: self.macs.saturating_add(other.macs),
            bytes: self.bytes.saturating_add(other.bytes),
            weights: self.weights.saturating_add(other.weights),
        }
    }
}

/// A name that no tensor or node of the graph has: the one asked for, or that with a number.
fn free_name(graph: &Graph, wanted: &str) -> String {
    let taken = |name: &str| {
        graph.tensors.iter().any(|tensor| tensor.name == name) || graph.nodes.iter().any(|node| node.name == name)
    };
    let numbered = (2u32..).map(|number| format!("{wanted}.{number}"));
    std::iter::once(wanted.to_string()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
