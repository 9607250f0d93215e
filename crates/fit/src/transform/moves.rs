//! Changes of single storages and operators.

use std::collections::BTreeMap;

use super::{Net, free_name};
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Attr, DeviceId, Dim, Dtype, Graph, Kind, Node, NodeId, Tensor, TensorId};

/// The operator that copies a tensor to a slower memory, and the one that brings it back.
const SPILL: &str = "memplan.spill";
const FILL: &str = "memplan.fill";

/// The nodes in another order: step by step, the position that each had.
pub fn run_order(graph: &Graph, order: &[usize]) -> Graph {
    let nodes = order.iter().map(|&at| graph.nodes[NodeId::from_index(at)].clone());
    Graph { nodes: nodes.collect::<Vec<Node>>().into(), ..graph.clone() }
}

/// Makes the outputs of these `(step, input, output)` names of the storage of their inputs; the
/// tensors own their storages. Of a node with several results, the attribute lists which one lies
/// in which input.
pub fn in_place(graph: &Graph, pairs: &[(usize, usize, usize)], root: &[usize]) -> Graph {
    let mut out = graph.clone();
    let mut listed: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for &(step, input, output) in pairs {
        let node = &graph.nodes[NodeId::from_index(step)];
        let from = node.inputs.iter().position(|tensor| root[tensor.index()] == input);
        let to = node.results().iter().position(|tensor| tensor.index() == output);
        listed.entry(step).or_default().extend(from.zip(to));
    }
    for (step, pairs) in listed {
        let node = &mut out.nodes[NodeId::from_index(step)];
        let alias = match (node.results().len(), &pairs[..]) {
            (_, []) => continue,
            (1, [(from, _), ..]) => from.to_string(),
            _ => {
                let pairs: Vec<String> = pairs.iter().map(|(from, to)| format!("[{from},{to}]")).collect();
                format!("[{}]", pairs.join(","))
            }
        };
        node.attrs_mut().insert("alias".into(), Attr::Json(alias));
    }
    out
}

/// The tensors whose storage an operator writes into although they were there before it, by the
/// tensors that own it: outputs in place, and what the attribute `mutates` names.
pub fn written(graph: &Graph, net: &Net, step: usize) -> Vec<usize> {
    let node = &graph.nodes[NodeId::from_index(step)];
    let root = |tensor: &TensorId| net.root[tensor.index()];
    let mut found = Vec::new();
    if !node.is_view() {
        found.extend(node.aliases().map(|(_, output)| root(&output)));
    }
    if let Some(Attr::Text(names) | Attr::Json(names)) = node.attrs.get("mutates") {
        let is_named = |input: &&TensorId| names.split(',').any(|name| name == graph.tensors[**input].name);
        found.extend(node.inputs.iter().filter(is_named).map(root));
    }
    // An operator such as `add_` writes its first input, whatever the file says of its output.
    if node.op.ends_with('_') {
        found.extend(node.inputs.first().map(root));
    }
    found
}

/// Moves a tensor to another memory.
pub fn bank(graph: &Graph, tensors: &[TensorId], memory: &str) -> Graph {
    let mut out = graph.clone();
    let device = device(&mut out, memory);
    for &tensor in tensors {
        out.tensors[tensor].device = device;
        out.tensors[tensor].own_device = true;
    }
    out
}

fn device(graph: &mut Graph, memory: &str) -> DeviceId {
    let found = graph.devices.enumerate().find(|(_, name)| name.as_str() == memory).map(|(id, _)| id);
    found.unwrap_or_else(|| graph.devices.push(memory.to_string()))
}

/// The copy in a slower memory that a tensor was brought back from; none of other tensors.
pub fn filled_from(graph: &Graph, tensor: TensorId) -> Option<TensorId> {
    let fill = graph.nodes.iter().find(|node| node.op == FILL && node.outputs.contains(&tensor))?;
    fill.inputs.first().copied()
}

/// The copy of a graph input that its caller keeps in a slower memory, if something was brought
/// back from there before.
fn kept_by_caller(graph: &Graph, name: &str) -> Option<TensorId> {
    let fills = graph.nodes.iter().filter(|node| node.op == FILL);
    let mut copies = fills.filter_map(|node| node.inputs.first().copied());
    let kept = format!("{name}.kept");
    copies.find(|&copy| graph.tensors[copy].kind == Kind::Input && graph.tensors[copy].name == kept)
}

/// Copies a tensor to a slower memory right after step `after` and brings it back before step
/// `before`; the readers from there on read the copy. What was brought back before comes from the
/// copy that is still there. A graph input is not copied out: its caller keeps it in the slower
/// memory as well, as the graph input `NAME.kept` with the same contents.
pub fn spill(graph: &Graph, tensor: TensorId, after: usize, before: usize, memory: &str) -> Graph {
    let mut out = graph.clone();
    let slow = device(&mut out, memory);
    let name = graph.tensors[tensor].name.clone();
    let make = |out: &mut Graph, suffix: &str, device: Option<DeviceId>| {
        let mut copy = graph.tensors[tensor].clone();
        copy.name = free_name(out, &format!("{name}.{suffix}"));
        copy.kind = Kind::Intermediate;
        if let Some(device) = device {
            copy.device = device;
            copy.own_device = true;
        }
        out.tensors.push(copy)
    };
    let there = filled_from(graph, tensor).or_else(|| kept_by_caller(graph, &name));
    let is_given = there.is_none() && graph.tensors[tensor].kind == Kind::Input;
    let kept = there.unwrap_or_else(|| make(&mut out, if is_given { "kept" } else { "spilled" }, Some(slow)));
    if is_given {
        out.tensors[kept].kind = Kind::Input;
    }
    let back = make(&mut out, "filled", None);
    let mut nodes: Vec<Node> = Vec::new();
    for (step, node) in graph.nodes.iter().enumerate() {
        if step == before {
            nodes.push(plain(&out, &format!("fill {name}"), FILL, kept, back));
        }
        let mut node = node.clone();
        if step >= before {
            node.inputs.iter_mut().filter(|input| **input == tensor).for_each(|input| *input = back);
        }
        nodes.push(node);
        if after == step && there.is_none() && !is_given {
            nodes.push(plain(&out, &format!("spill {name}"), SPILL, tensor, kept));
        }
    }
    out.nodes = nodes.into();
    unique(&mut out);
    out
}

fn plain(graph: &Graph, name: &str, op: &str, input: TensorId, output: TensorId) -> Node {
    Node {
        name: free_name(graph, name),
        op: op.to_string(),
        inputs: vec![input],
        outputs: vec![output],
        device: None,
        inplace: Vec::new(),
        ignore_inputs: Vec::new(),
        attrs: Default::default(),
    }
}

/// Numbers nodes that have got the same name.
fn unique(graph: &mut Graph) {
    let mut seen = std::collections::BTreeSet::new();
    for id in graph.nodes.ids().collect::<Vec<NodeId>>() {
        let mut name = graph.nodes[id].name.clone();
        let mut number = 2;
        while !seen.insert(name.clone()) {
            name = format!("{}.{number}", graph.nodes[id].name);
            number += 1;
        }
        graph.nodes[id].name = name;
    }
}

/// Runs the maker of a tensor again before a step; the readers from there on read what it makes
/// then.
pub fn clone_before(graph: &Graph, maker: usize, before: usize) -> Graph {
    let mut out = graph.clone();
    let original = &graph.nodes[NodeId::from_index(maker)];
    let mut again = original.clone();
    again.name = free_name(graph, &format!("{} again", original.name));
    again.attrs_mut().remove("alias");
    let mut renamed: IdVec<TensorId, TensorId> = graph.tensors.ids().collect();
    for output in &mut again.outputs {
        let mut copy: Tensor = graph.tensors[*output].clone();
        copy.name = free_name(&out, &format!("{} again", copy.name));
        copy.kind = Kind::Intermediate;
        let made = out.tensors.push(copy);
        renamed[*output] = made;
        *output = made;
    }
    let mut nodes: Vec<Node> = Vec::new();
    for (step, node) in graph.nodes.iter().enumerate() {
        if step == before {
            nodes.push(again.clone());
        }
        let mut node = node.clone();
        if step >= before {
            node.inputs.iter_mut().for_each(|input| *input = renamed[*input]);
        }
        nodes.push(node);
    }
    out.nodes = nodes.into();
    unique(&mut out);
    out
}

/// Gives an operator bytes of scratch: a tensor that it makes and nobody reads ([`Node::scratch`]).
pub fn scratch(graph: &mut Graph, step: usize, bytes: u64) {
    let node = NodeId::from_index(step);
    let name = free_name(graph, &format!("{} scratch", graph.nodes[node].name));
    let device = graph.nodes[node].outputs.first().map_or(DeviceId(0), |output| graph.tensors[*output].device);
    let tensor = graph.tensors.push(Tensor {
        name,
        dtype: Dtype::UInt8,
        shape: vec![Dim::Fixed(bytes)],
        kind: Kind::Intermediate,
        bytes: None,
        device,
        own_device: false,
        align: None,
        mem_id: None,
        role: None,
    });
    graph.nodes[node].outputs.push(tensor);
    // Rules for the results of an operator leave the last output out.
    graph.nodes[node].attrs_mut().insert("memplan.scratch".into(), Attr::Text("true".into()));
}
