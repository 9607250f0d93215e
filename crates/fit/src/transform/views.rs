//! Operators that only name storage that is there.

use std::collections::{BTreeMap, BTreeSet};

use super::Net;
use super::moves::written;
use memplan_core::base::Id;
use memplan_core::graph::{Attr, Graph, Kind, Node, TensorId, plain_op};
use memplan_core::problem::Scope;

/// Operators whose result has the elements of the input in the same order.
const COPIES: [&str; 6] = ["identity", "reshape", "squeeze", "unsqueeze", "flatten", "expanddims"];

fn is_copy(node: &Node) -> bool {
    COPIES.contains(&plain_op(&node.op).as_str())
}

/// Copies that change nothing become names: reshapes and identities of equal size and type in the
/// same memory, whose input lies in one piece and is not written into. What a file says is no view
/// (`alias` of another value) stays a copy.
pub fn views(graph: &Graph) -> Graph {
    views_but(graph, &BTreeSet::new())
}

/// The same, while the copies that make these tensors stay.
pub fn views_but(graph: &Graph, copies: &BTreeSet<TensorId>) -> Graph {
    let mut out = graph.clone();
    let Ok(net) = Net::of(graph, &Scope::default(), &|_| true) else { return out };
    let symbols = graph.symbol_values(&BTreeMap::new());
    let written: BTreeSet<usize> = (0..graph.nodes.len()).flat_map(|step| written(graph, &net, step)).collect();
    // Views whose elements may lie in another order than their names say, and views of these.
    let mut is_permuted = vec![false; graph.tensors.len()];
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let node = &graph.nodes[id];
        for (input, output) in node.aliases() {
            let keeps_order = is_copy(node) || ["view", "alias", "detach"].contains(&plain_op(&node.op).as_str());
            is_permuted[output.index()] = is_permuted[input.index()] || !keeps_order;
        }
        let ([input, ..], [output]) = (&node.inputs[..], node.results()) else { continue };
        let root = |tensor: &TensorId| net.root[tensor.index()];
        let is_alike = {
            let (from, to) = (&graph.tensors[*input], &graph.tensors[*output]);
            (from.dtype, from.device, from.mem_id) == (to.dtype, to.device, to.mem_id)
                && graph.bytes_of(*input, &symbols).ok() == graph.bytes_of(*output, &symbols).ok()
        };
        let is_inner = graph.tensors[*output].kind == Kind::Intermediate && !copies.contains(output);
        let is_weight = graph.tensors[*input].kind == Kind::Weight;
        let is_whole =
            !is_permuted[input.index()] && !written.contains(&root(input)) && !written.contains(&root(output));
        if is_copy(node) && is_alike && is_inner && !is_weight && is_whole && !node.attrs.contains_key("alias") {
            out.nodes[id].attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        }
    }
    out
}
