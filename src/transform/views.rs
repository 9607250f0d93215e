//! Operators that only name storage that is there.

use crate::graph::{Attr, Graph, Kind};

/// Copies that change nothing become names: reshapes and identities of equal size whose input nobody changes.
pub fn views(graph: &Graph) -> Graph {
    let mut out = graph.clone();
    let symbols = graph.symbol_values(&Default::default());
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let node = &graph.nodes[id];
        let plain: String = node.op.to_ascii_lowercase().chars().filter(|letter| *letter != '_').collect();
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

/// Whether an operator by its name only reads the storage that it names.
pub fn is_view(op: &str) -> bool {
    let plain: String = op.to_ascii_lowercase().chars().filter(|letter| *letter != '_').collect();
    let views = [
        "view",
        "reshape",
        "squeeze",
        "unsqueeze",
        "expanddims",
        "bitcast",
        "transpose",
        "permute",
        "slice",
        "split",
        "expand",
        "select",
        "flatten",
        "identity",
        "detach",
        "alias",
        "t",
        "chunk",
        "unbind",
        "narrow",
        "getitem",
        "memory.view",
        "expandas",
        "viewas",
        "unflatten",
        "asstrided",
        "diagonal",
        "unfold",
        "numpyt",
        "movedim",
    ];
    views.contains(&plain.as_str())
}
