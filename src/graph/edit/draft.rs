//! The graph that is edited. Clones share their tensors and nodes, so that a step in a large graph costs what it changes.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::base::gather;
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
        let draft = Draft { name: graph.name.clone(), symbols: gather(symbols), ..Draft::default() };
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

/// A draft on its way to bytes, a share at a time. Postcard writes lists item by item, so this is what it writes of the whole.
#[derive(Clone, Debug)]
pub struct Encoding {
    draft: Draft,
    /// How many tensors and nodes have been written.
    written: usize,
    bytes: Vec<u8>,
}

impl Encoding {
    /// Begins with the head of a draft.
    pub fn of(draft: Draft) -> Encoding {
        let mut encoding = Encoding { written: 0, bytes: Vec::new(), draft };
        let head = (encoding.draft.name.clone(), encoding.draft.symbols.clone(), encoding.draft.tensors.len());
        encoding.write(&head);
        encoding
    }

    /// Writes so many tensors and nodes and returns whether there are more.
    pub fn go_on(&mut self, share: usize) -> bool {
        let (tensors, all) = (self.draft.tensors.len(), self.draft.tensors.len() + self.draft.nodes.len());
        let end = self.written.saturating_add(share).min(all);
        for at in self.written..end {
            match at.checked_sub(tensors) {
                None => self.write(&self.draft.tensors[at].clone()),
                Some(0) => self.write(&(self.draft.nodes.len(), self.draft.nodes[0].clone())),
                Some(node) => self.write(&self.draft.nodes[node].clone()),
            }
        }
        self.written = end;
        end < all
    }

    /// Returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        if self.draft.nodes.is_empty() {
            self.write(&0usize);
        }
        self.bytes
    }

    fn write(&mut self, value: &impl Serialize) {
        // Plain values: writing them cannot fail.
        self.bytes = postcard::to_extend(value, std::mem::take(&mut self.bytes)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample;

    #[test]
    fn a_draft_and_its_bytes_are_made_by_shares_of_any_length() {
        for (graph, share) in [(sample(40, 7), 7), (sample(40, 7), usize::MAX), (Graph::default(), 1)] {
            let mut drafting = Drafting::of(&graph);
            while drafting.go_on(&graph, share) {}
            let draft = drafting.finish();
            assert_eq!(draft, Draft::from(&graph));
            let raw = RawGraph::from(draft.clone());
            let mut encoding = Encoding::of(draft.clone());
            while encoding.go_on(share) {}
            let bytes = encoding.finish();
            assert_eq!(bytes, postcard::to_stdvec(&raw).expect("plain values"));
            assert_eq!(postcard::from_bytes(&bytes), Ok(draft));
        }
    }
}
