//! What a program may read of a problem, as plain values: those of the language and of
//! `memory-problem/1` have the same names.

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, Node, NodeId, TensorId};
use memplan_core::problem::{BufferId, Problem};
use serde::Serialize;

/// A buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BufferFacts {
    /// Position in the list of buffers, from 0.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Its offset must be a multiple of it, in bytes.
    pub align: u64,
    /// First step of its life.
    pub start: u32,
    /// First step after its life.
    pub end: u32,
    /// What it is to the graph: input, weight, intermediate or output.
    pub kind: &'static str,
    /// Position of its memory in the list of memories.
    pub memory: u32,
    /// The steps at which something reads it; empty without a graph.
    pub readers: Vec<u32>,
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeFacts {
    /// Its name.
    pub name: String,
    /// What it computes, such as `Conv`.
    pub op: String,
    /// The step at which it runs.
    pub step: u32,
    /// Positions of the buffers that it reads.
    pub inputs: Vec<u32>,
    /// Positions of the buffers that it makes.
    pub outputs: Vec<u32>,
}

/// A memory: buffers of different memories never share bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemoryFacts {
    /// Name of the device.
    pub device: String,
    /// The arena on the device, if the file assigns one.
    pub arena: Option<u32>,
}

/// A problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProblemFacts {
    /// Name of the graph or list.
    pub name: String,
    /// Number of steps.
    pub steps: u32,
    /// Bytes that there are, if the file states it.
    pub capacity: Option<u64>,
    /// The memories.
    pub memories: Vec<MemoryFacts>,
    /// The buffers.
    pub buffers: Vec<BufferFacts>,
    /// The operators in the order in which they run; empty without a graph.
    pub nodes: Vec<NodeFacts>,
}

/// Returns what a program may read.
pub fn facts(problem: &Problem, graph: Option<&Graph>) -> ProblemFacts {
    let nodes = graph.map_or_else(Vec::new, |graph| nodes(problem, graph));
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); problem.buffers.len()];
    for node in &nodes {
        node.inputs.iter().for_each(|&input| readers[input as usize].push(node.step));
    }
    let buffers = problem.buffers.enumerate().zip(readers).map(|((id, buffer), readers)| BufferFacts {
        id: id.0,
        name: buffer.name.clone(),
        size: buffer.size,
        align: buffer.align,
        start: buffer.live.start,
        end: buffer.live.end,
        kind: buffer.kind.name(),
        memory: buffer.memory.0,
        readers,
    });
    let memories = problem.memories.iter();
    ProblemFacts {
        name: problem.name.clone(),
        steps: problem.steps,
        capacity: problem.capacity,
        memories: memories.map(|memory| MemoryFacts { device: memory.device.clone(), arena: memory.mem_id }).collect(),
        buffers: buffers.collect(),
        nodes,
    }
}

fn nodes(problem: &Problem, graph: &Graph) -> Vec<NodeFacts> {
    let mut holder: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id));
    }
    let held = |tensors: &[TensorId]| {
        let mut ids: Vec<u32> = tensors.iter().filter_map(|&tensor| holder[tensor].map(|id| id.0)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let node = |(id, node): (NodeId, &Node)| NodeFacts {
        name: node.name.clone(),
        op: node.op.clone(),
        step: id.index() as u32,
        inputs: held(&node.inputs),
        outputs: held(&node.outputs),
    };
    graph.nodes.enumerate().map(node).collect()
}
