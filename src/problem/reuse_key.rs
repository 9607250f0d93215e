//! What must be equal for one storage to serve in place of another where a system compares kinds instead of sizes.

use super::{BufferId, MemoryId, Problem};
use crate::base::IdVec;
use crate::graph::{Dtype, Graph};

/// The kind of a storage: the memory it lies in, its element type, its length and its alignment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReuseKey {
    pub memory: MemoryId,
    pub dtype: Dtype,
    /// Elements, as [`Graph::storage_length`] writes them: never a value of a symbol.
    pub length: String,
    /// Bytes.
    pub align: u64,
}

impl ReuseKey {
    /// The kind of every buffer of a graph's problem; none for a buffer without a tensor.
    pub fn all(graph: &Graph, problem: &Problem) -> IdVec<BufferId, Option<ReuseKey>> {
        let key = |buffer: &super::Buffer| {
            let &root = buffer.tensors.first()?;
            let dtype = graph.tensors.get(root)?.dtype;
            let length = graph.storage_length(root);
            Some(ReuseKey { memory: buffer.memory, dtype, length, align: buffer.align })
        };
        problem.buffers.iter().map(key).collect()
    }
}
