//! A change as it can be made again.

use std::rc::Rc;

use crate::transform::{Block, bank, clone_before, spill};
use memplan_core::graph::{Graph, TensorId};

/// A change as it can be made again, one for each of the moves that are told.
#[derive(Clone, PartialEq, Debug)]
pub enum GraphChange {
    /// What a lever that costs nothing made of the graph, and whether outputs take over the storage
    /// of inputs.
    Free(Rc<Graph>, bool),
    /// A tensor leaves after a step and is back before another.
    Spill(TensorId, usize, usize, String),
    /// Tensors lie in another memory.
    Bank(Vec<TensorId>, String),
    /// The operator at a step runs again before another.
    Again(usize, usize),
    /// Operators run in stripes.
    Stripes(Block),
}

impl GraphChange {
    /// The changed graph. Stripes are of a graph that nothing else changes any more.
    pub fn apply(&self, graph: &Graph) -> Graph {
        match self {
            GraphChange::Free(made, _) => (**made).clone(),
            GraphChange::Spill(tensor, last, next, memory) => spill(graph, *tensor, *last, *next, memory),
            GraphChange::Bank(tensors, memory) => bank(graph, tensors, memory),
            GraphChange::Again(maker, next) => clone_before(graph, *maker, *next),
            GraphChange::Stripes(_) => graph.clone(),
        }
    }
}
