//! Which nodes must run before which others: reachability along tensors.

use super::{Graph, NodeId};
use crate::base::{Id, IdVec};

/// Most nodes for which reachability is worked out: the table has a bit a pair, 50 MB at this size.
pub const MAX_NODES: usize = 20_000;

/// For every node, the nodes that some path leads to from it.
#[derive(Clone, Debug)]
pub struct Reach {
    rows: IdVec<NodeId, Box<[u64]>>,
}

impl Reach {
    /// None for a graph of more than [`MAX_NODES`] nodes.
    pub fn new(graph: &Graph) -> Option<Reach> {
        let nodes = graph.nodes.len();
        if nodes > MAX_NODES {
            return None;
        }
        let mut readers: IdVec<NodeId, Vec<NodeId>> = IdVec::from_elem(Vec::new(), nodes);
        let mut maker = IdVec::from_elem(None, graph.tensors.len());
        for (id, node) in graph.nodes.enumerate() {
            for &input in &node.inputs {
                if let Some(from) = maker[input] {
                    let readers: &mut Vec<NodeId> = &mut readers[from];
                    readers.push(id);
                }
            }
            node.outputs.iter().for_each(|&output| maker[output] = Some(id));
        }
        let words = nodes.div_ceil(64);
        let mut rows: IdVec<NodeId, Box<[u64]>> = IdVec::from_elem(vec![0; words].into_boxed_slice(), nodes);
        // Nodes are in execution order, so a pass from the last node finishes the readers of a node
        // before the node.
        for id in (0..nodes as u32).rev().map(NodeId) {
            let mut row = std::mem::take(&mut rows[id]);
            for &reader in &readers[id] {
                row[reader.index() / 64] |= 1 << (reader.index() % 64);
                row.iter_mut().zip(rows[reader].iter()).for_each(|(word, more)| *word |= more);
            }
            rows[id] = row;
        }
        Some(Reach { rows })
    }

    /// Whether a path of one step or more leads from one node to another.
    pub fn path(&self, from: NodeId, to: NodeId) -> bool {
        self.rows[from][to.index() / 64] >> (to.index() % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Dtype, Kind, RawGraph, RawNode, RawTensor, check};

    fn diamond() -> Graph {
        let tensor = |name: &str| RawTensor {
            name: Some(name.into()),
            dtype: Some(Dtype::Float32),
            shape: Some(vec![]),
            kind: Some(Kind::Intermediate),
            ..RawTensor::default()
        };
        let node = |name: &str, inputs: &[&str], output: &str| RawNode {
            name: Some(name.into()),
            op: Some("add".into()),
            inputs: inputs.iter().map(|input| input.to_string()).collect(),
            outputs: vec![output.into()],
            ..RawNode::default()
        };
        let raw = RawGraph {
            name: "diamond".into(),
            tensors: ["a", "b", "c", "d"].map(tensor).to_vec(),
            nodes: vec![
                node("A", &[], "a"),
                node("B", &["a"], "b"),
                node("C", &["a"], "c"),
                node("D", &["b", "c"], "d"),
            ],
            ..RawGraph::default()
        };
        check(raw).expect("a valid graph").0
    }

    #[test]
    fn branches_of_a_diamond_are_not_ordered() {
        let reach = Reach::new(&diamond()).expect("small");
        let path = |from, to| reach.path(NodeId(from), NodeId(to));
        assert!(path(0, 1) && path(0, 2) && path(0, 3) && path(1, 3) && path(2, 3));
        assert!(!path(1, 2) && !path(2, 1) && !path(3, 0) && !path(1, 1));
    }
}
