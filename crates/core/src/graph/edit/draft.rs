//! The graph that is edited. Clones share their tensors and nodes, so that a step in a large graph
//! costs what it changes.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::graph::{
    DeviceId, Dim, Graph, Node, RawDim, RawGraph, RawNode, RawSymbol, RawTensor, Tensor, TensorId, UNKNOWN,
};

/// A [`RawGraph`] that is edited; as bytes the two are the same.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Draft {
    /// Name of the network; may be empty.
    pub name: String,
    /// Symbolic sizes by name.
    pub symbols: BTreeMap<String, RawSymbol>,
    /// Tensors in file order.
    pub tensors: Vec<Rc<RawTensor>>,
    /// Nodes in file order, which must be an order in which they can run.
    pub nodes: Vec<Rc<RawNode>>,
}

impl From<RawGraph> for Draft {
    fn from(RawGraph { name, symbols, tensors, nodes }: RawGraph) -> Draft {
        let (tensors, nodes) = (tensors.into_iter().map(Rc::new).collect(), nodes.into_iter().map(Rc::new).collect());
        Draft { name, symbols, tensors, nodes }
    }
}

impl From<Draft> for RawGraph {
    fn from(Draft { name, symbols, tensors, nodes }: Draft) -> RawGraph {
        let tensors = tensors.into_iter().map(Rc::unwrap_or_clone).collect();
        let nodes = nodes.into_iter().map(Rc::unwrap_or_clone).collect();
        RawGraph { name, symbols, tensors, nodes }
    }
}

impl From<&Graph> for Draft {
    /// The graph as its file would state it.
    fn from(graph: &Graph) -> Draft {
        let mut drafting = Drafting::of(graph);
        drafting.go_on(graph, usize::MAX);
        drafting.draft
    }
}

/// A draft that is being made of a graph, a share at a time.
#[derive(Clone, Debug, Default)]
pub struct Drafting {
    draft: Draft,
}

impl Drafting {
    /// Begins the draft of a graph.
    pub fn of(graph: &Graph) -> Drafting {
        let symbols = graph.symbols.iter().map(|(name, symbol)| {
            (name.clone(), RawSymbol { hint: Some(symbol.hint), min: symbol.min, max: symbol.max })
        });
        let draft = Draft { name: graph.name.clone(), symbols: symbols.into_iter().collect(), ..Draft::default() };
        Drafting { draft }
    }

    /// Adds so many tensors and nodes of the same graph and returns whether there are more.
    pub fn go_on(&mut self, graph: &Graph, share: usize) -> bool {
        let Draft { tensors, nodes, .. } = &mut self.draft;
        let made = tensors.len();
        let next = graph.tensors.iter().skip(made).take(share);
        tensors.extend(next.map(|tensor| Rc::new(raw_tensor(graph, tensor))));
        let left = share - (tensors.len() - made);
        let next = graph.nodes.iter().skip(nodes.len()).take(left);
        nodes.extend(next.map(|node| Rc::new(raw_node(graph, node))));
        tensors.len() < graph.tensors.len() || nodes.len() < graph.nodes.len()
    }

    /// Returns the draft.
    pub fn finish(self) -> Draft {
        self.draft
    }
}

fn raw_tensor(graph: &Graph, tensor: &Tensor) -> RawTensor {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => RawDim::Fixed(*extent),
        Dim::Expr(expr) => RawDim::Text(expr.source().to_string()),
        Dim::Unknown => RawDim::Text(UNKNOWN.to_string()),
    };
    RawTensor {
        name: Some(tensor.name.clone()),
        dtype: Some(tensor.dtype),
        shape: Some(tensor.shape.iter().map(extent).collect()),
        kind: Some(tensor.kind),
        bytes: tensor.bytes,
        device: tensor.own_device.then(|| graph.devices[tensor.device].clone()),
        align: tensor.align,
        mem_id: tensor.mem_id,
        role: tensor.role,
    }
}

fn raw_node(graph: &Graph, node: &Node) -> RawNode {
    let name = |id: &TensorId| graph.tensors[*id].name.clone();
    RawNode {
        name: Some(node.name.clone()),
        op: Some(node.op.clone()),
        inputs: node.inputs.iter().map(name).collect(),
        outputs: node.outputs.iter().map(name).collect(),
        device: node.device.map(|id: DeviceId| graph.devices[id].clone()),
        inplace: node.inplace.clone(),
        ignore_inputs: node.ignore_inputs.clone(),
        attrs: node.attrs.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample;

    #[test]
    fn a_draft_is_made_by_shares_of_any_length() {
        for (graph, share) in [(sample(40, 7), 7), (sample(40, 7), usize::MAX), (Graph::default(), 1)] {
            let mut drafting = Drafting::of(&graph);
            while drafting.go_on(&graph, share) {}
            let draft = drafting.finish();
            assert_eq!(draft, Draft::from(&graph));
            assert_eq!(Draft::from(RawGraph::from(draft.clone())), draft);
        }
    }
}
