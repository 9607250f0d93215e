//! Graph JSON of NNVM, MXNet and TVM: one outline, with shapes and storage ids ([`executor`]) or without ([`symbol`]).

mod executor;
mod file;
mod own;
mod roles;
mod shapes;
mod symbol;
#[cfg(test)]
mod tests;

use super::loose::Object;
use super::{Choices, Imported};
use crate::graph::Fault;
use file::File;

/// Whether an object has this outline.
pub fn looks_like(top: &Object) -> bool {
    let has = |key: &str| top.get(key).is_some();
    has("nodes") && (has("node_row_ptr") || has("arg_nodes"))
}

/// Turns the parsed JSON into a graph and, if the file has one, its plan.
///
/// # Errors
/// The first fault of the outline, or every fault of the graph.
pub fn read(top: Object, choices: &Choices) -> Result<Imported, Vec<Fault>> {
    let file = File::read(top)?;
    if file.per_entry("shape")?.is_some() { executor::read(&file, choices) } else { symbol::read(&file, choices) }
}
