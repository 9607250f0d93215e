//! Values of a model that its graph does not show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use memplan_core::graph::Dtype;

/// What is known of values that a document's graph does not show: those of the graphs of nodes, and
/// weights that only made other weights.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Unshown {
    /// Element types and extents of tensors by name, where all extents are numbers.
    pub values: BTreeMap<String, (Dtype, Vec<u64>)>,
    /// The graphs of nodes, by the first result of the node and the attribute that holds the graph.
    pub graphs: BTreeMap<(String, String), Unshown>,
}
