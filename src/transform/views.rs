//! Operators that only name storage that is there.

use crate::graph::{Attr, Graph, Kind, plain_op};

/// Copies that change nothing become names: reshapes and identities of equal size whose input nobody changes.
pub fn views(graph: &Graph) -> Graph {
    let mut out = graph.clone();
    let symbols = graph.symbol_values(&Default::default());
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let node = &graph.nodes[id];
        let plain = plain_op(&node.op);
        let is_copy =
            ["identity", "reshape", "squeeze", "unsqueeze", "flatten", "expanddims"].contains(&plain.as_str());
        let ([input, ..], [output]) = (&node.inputs[..], &node.outputs[..]) else { continue };
        let is_same = graph.bytes_of(*input, &symbols).ok() == graph.bytes_of(*output, &symbols).ok();
        let is_inner = graph.tensors[*output].kind == Kind::Intermediate;
        let is_weight = graph.tensors[*input].kind == Kind::Weight;
        if is_copy && is_same && is_inner && !is_weight && !node.attrs.contains_key("alias") {
            out.nodes[id].attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        }
    }
    out
}
