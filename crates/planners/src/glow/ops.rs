//! The list of allocations and frees of a problem, as Glow's instructions would state it.

use std::collections::BTreeMap;

use crate::Input;
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, Kind, NodeId};
use memplan_core::problem::{BufferId, Problem};

/// What happens to buffers, in order: the list of Glow's allocator.
pub struct Ops {
    /// Buffer, and whether it is allocated or else freed.
    pub list: Vec<(BufferId, bool)>,
}

impl Ops {
    /// Node by node: buffers that begin there, in order of the node's outputs; after the node those
    /// that end there, in order of its inputs, then outputs that nobody reads. Inputs of the graph
    /// come before the outputs of the first node, and what lives to the end is freed last, in order
    /// of the input. Without a graph, the order of the input counts at each step.
    pub fn of(input: Input) -> Ops {
        let problem = input.problem;
        // Only steps at which something begins or ends: a list of buffers may have thousands of
        // millions of steps.
        let mut steps: BTreeMap<u32, [Vec<BufferId>; 2]> = BTreeMap::new();
        for (id, buffer) in problem.buffers.enumerate() {
            steps.entry(buffer.live.start).or_default()[0].push(id);
            steps.entry(buffer.live.end - 1).or_default()[1].push(id);
        }
        let mut places = input.graph.map(|graph| Places::new(graph, problem));
        let mut list = Vec::with_capacity(2 * problem.buffers.len());
        for (step, [mut starts, mut ends]) in steps {
            if let Some(places) = &mut places {
                places.turn_to(NodeId(step));
                // What the node does not make was there before.
                starts.sort_by_key(|&id| (places.output(id).map_or(0, |at| at + 1), id));
                let stays = |id: BufferId| problem.buffers[id].kind == Kind::Output;
                ends.sort_by_key(|&id| match (places.input(id), places.output(id)) {
                    _ if stays(id) => (2, 0, id),
                    (Some(at), _) => (0, at, id),
                    (None, Some(at)) => (1, at, id),
                    (None, None) => (2, 0, id),
                });
            }
            list.extend(starts.into_iter().map(|id| (id, true)));
            list.extend(ends.into_iter().map(|id| (id, false)));
        }
        Ops { list }
    }
}

/// Where buffers stand among the inputs and outputs of one node.
struct Places<'a> {
    graph: &'a Graph,
    problem: &'a Problem,
    /// Buffer of each tensor, by number.
    buffer_of: Vec<Option<BufferId>>,
    node: NodeId,
    /// Of each buffer the last node that reads it with its place there, and the same of the node
    /// that makes it.
    read: IdVec<BufferId, Option<(NodeId, usize)>>,
    made: IdVec<BufferId, Option<(NodeId, usize)>>,
}

impl Places<'_> {
    fn new<'a>(graph: &'a Graph, problem: &'a Problem) -> Places<'a> {
        let mut buffer_of = vec![None; graph.tensors.len()];
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|tensor| buffer_of[tensor.index()] = Some(id));
        }
        let none = IdVec::from_elem(None, problem.buffers.len());
        Places { graph, problem, buffer_of, node: NodeId(0), read: none.clone(), made: none }
    }

    fn turn_to(&mut self, node: NodeId) {
        self.node = node;
        let Some(of_graph) = self.graph.nodes.get(node) else { return };
        let sides = [(&of_graph.inputs, &mut self.read), (&of_graph.outputs, &mut self.made)];
        for (tensors, seen) in sides {
            for (at, tensor) in tensors.iter().enumerate().rev() {
                if let Some(id) = self.buffer_of[tensor.index()] {
                    seen[id] = Some((node, at));
                }
            }
        }
    }

    fn input(&self, id: BufferId) -> Option<usize> {
        self.read[id].filter(|&(node, _)| node == self.node).map(|(_, at)| at)
    }

    fn output(&self, id: BufferId) -> Option<usize> {
        self.made[id]
            .filter(|&(node, _)| node == self.node && self.problem.buffers[id].live.start == node.0)
            .map(|(_, at)| at)
    }
}
