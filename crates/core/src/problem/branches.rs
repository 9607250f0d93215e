//! Which buffers may share bytes without keeping parallel branches of a graph from running at the
//! same time.

use super::{BufferId, Problem};
use crate::base::IdVec;
use crate::graph::{Graph, NodeId, Reach};

/// Answers whether two buffers may share bytes. Switched off, every pair may, as far as branches
/// are concerned.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    ordered: Option<Ordered>,
}

#[derive(Clone, Debug)]
struct Ordered {
    reach: Reach,
    /// The nodes that make something in each buffer without reading what is there: one, or of a
    /// concatenation whose inputs lie in its output one for each of them. Empty for storage that is
    /// there from the start.
    makers: IdVec<BufferId, Vec<NodeId>>,
    /// The nodes that make, read or write it.
    users: IdVec<BufferId, Vec<NodeId>>,
}

impl Branches {
    /// The relation of a graph; none if the graph is too large for it
    /// ([`crate::graph::MAX_NODES`]).
    pub fn of(graph: &Graph, problem: &Problem) -> Option<Branches> {
        let reach = Reach::new(graph)?;
        let mut makers: IdVec<BufferId, Vec<NodeId>> = IdVec::from_elem(Vec::new(), problem.buffers.len());
        let mut users: IdVec<BufferId, Vec<NodeId>> = IdVec::from_elem(Vec::new(), problem.buffers.len());
        let mut holder: IdVec<_, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id));
        }
        for (node_id, node) in graph.nodes.enumerate() {
            for buffer in node.outputs.iter().filter_map(|&output| holder[output]) {
                let is_there = node.inputs.iter().any(|&input| holder[input] == Some(buffer));
                if makers[buffer].is_empty() || !is_there && makers[buffer].last() != Some(&node_id) {
                    makers[buffer].push(node_id);
                }
            }
            for &tensor in node.inputs.iter().chain(&node.outputs) {
                if let Some(buffer) = holder[tensor] {
                    users[buffer].push(node_id);
                }
            }
        }
        Some(Branches { ordered: Some(Ordered { reach, makers, users }) })
    }

    /// Whether the relation restricts anything.
    pub fn is_on(&self) -> bool {
        self.ordered.is_some()
    }

    /// Whether two buffers that are not alive together may share bytes: some path of the graph must
    /// lead from every use of the one to the making of the other. Always true when switched off.
    // Asked for all pairs by planners, which are in another crate.
    #[inline]
    pub fn allow(&self, a: BufferId, b: BufferId) -> bool {
        self.ordered.as_ref().is_none_or(|ordered| ordered.before(a, b) || ordered.before(b, a))
    }
}

impl Ordered {
    fn before(&self, first: BufferId, second: BufferId) -> bool {
        let done = |&user: &NodeId, maker: NodeId| user == maker || self.reach.path(user, maker);
        let is_before = |&maker: &NodeId| self.users[first].iter().all(|user| done(user, maker));
        !self.makers[second].is_empty() && self.makers[second].iter().all(is_before)
    }
}
