//! Keys of systems that reuse a storage only for one of the same kind, not for any that is small
//! enough.

use super::{BufferId, MemoryId, Problem};
use crate::graph::{Dtype, Graph};

/// The kind of a storage: the memory it lies in, its element type, its length and its alignment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReuseKey {
    /// The memory that it lies in.
    pub memory: MemoryId,
    /// Element type.
    pub dtype: Dtype,
    /// Elements, as [`Graph::storage_length`] writes them: never a value of a symbol.
    pub length: String,
    /// Bytes.
    pub align: u64,
}

impl ReuseKey {
    /// The kind of a buffer of a graph's problem; none for one without a tensor.
    pub fn of(graph: &Graph, problem: &Problem, buffer: BufferId) -> Option<ReuseKey> {
        let buffer = problem.buffers.get(buffer)?;
        let &root = buffer.tensors.first()?;
        let dtype = graph.tensors.get(root)?.dtype;
        Some(ReuseKey { memory: buffer.memory, dtype, length: graph.storage_length(root), align: buffer.align })
    }
}
