//! Specs and lifetimes of a graph as it stands when ExecuTorch plans it: with `memory.alloc`,
//! `memory.view`, `getitem` and `output` nodes. The step of a node is its index.

use std::collections::HashMap;

use super::bound::{Sizes, bytes_of};
use super::spec::{ALIGN, Spec};
use memplan_core::base::IdVec;
use memplan_core::graph::{Attr, ExprError, Graph, Kind, Node, TensorId};
use memplan_core::problem::{BufferId, Live};

/// Which specs are planned, and for which sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collect {
    /// Whether inputs of the program are planned.
    pub inputs: bool,
    /// Whether outputs of the program are planned.
    pub outputs: bool,
    /// Whether buffers that the program changes are planned.
    pub mutable_buffers: bool,
    /// Which value of symbolic sizes is planned for.
    pub sizes: Sizes,
}

/// The specs of a graph in the order of collection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Tensor of each spec.
    pub tensors: Vec<TensorId>,
    /// One for each value that is planned, in order of the input.
    pub specs: Vec<Spec>,
    /// Tensors whose bound is infinite, so that their hint was taken.
    pub unbounded: Vec<TensorId>,
}

/// Which tensors are buffers that the program changes, and which are returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Role {
    /// Whether the program changes it.
    pub mutable_buffer: bool,
    /// Whether the program returns it.
    pub returned: bool,
}

/// Roles of all tensors.
pub fn roles(graph: &Graph) -> IdVec<TensorId, Role> {
    let mut roles = IdVec::from_elem(Role::default(), graph.tensors.len());
    for node in graph.nodes.iter() {
        if node.op == "output" {
            node.inputs.iter().chain(&node.outputs).for_each(|&tensor| roles[tensor].returned = true);
        }
        if node.is_mutable_buffer() {
            node.outputs.iter().for_each(|&tensor| roles[tensor].mutable_buffer = true);
        }
    }
    roles
}

/// Collects the specs to be planned.
///
/// # Errors
/// When the size of a tensor has no value.
pub fn collect(graph: &Graph, which: Collect) -> Result<Collected, ExprError> {
    let names: HashMap<&str, TensorId> =
        graph.tensors.enumerate().map(|(id, tensor)| (tensor.name.as_str(), id)).collect();
    let mut roots: IdVec<TensorId, TensorId> = graph.tensors.ids().collect();
    for node in graph.nodes.iter() {
        for (input, output) in node.aliases() {
            roots[output] = roots[input];
        }
    }
    let roles = roles(graph);
    let last = (graph.nodes.len() as u32).saturating_sub(1);
    let mut touched: IdVec<TensorId, Option<(u32, u32)>> = IdVec::from_elem(None, graph.tensors.len());
    let mut order = Vec::new();
    for (step, node) in graph.nodes.enumerate() {
        let allocated: Vec<TensorId> = allocates(node).filter_map(|name| names.get(name).copied()).collect();
        for &tensor in allocated.iter().chain(&node.outputs) {
            if touched[tensor].is_none() && roots[tensor] == tensor {
                order.push(tensor);
            }
        }
        let read = node.inputs.iter().enumerate();
        let read = read.filter(|(slot, _)| !node.ignore_inputs.contains(&(*slot as u32))).map(|(_, tensor)| tensor);
        for &tensor in read.chain(&node.outputs).chain(&allocated) {
            let root = roots[tensor];
            let start = if node.is_placeholder() { 0 } else { step.0 };
            let end = if node.is_placeholder() && roles[root].mutable_buffer { last } else { step.0 };
            let (from, to) = touched[root].unwrap_or((start, end));
            touched[root] = Some((from.min(start), to.max(end)));
        }
    }
    let mut collected = Collected::default();
    for tensor in order {
        let (kind, role) = (graph.tensors[tensor].kind, roles[tensor]);
        let planned = match kind {
            Kind::Weight => false,
            _ if role.mutable_buffer => which.mutable_buffers,
            _ if role.returned && !which.outputs => false,
            Kind::Input => which.inputs,
            Kind::Intermediate | Kind::Output => true,
        };
        let Some((start, end)) = touched[tensor].filter(|_| planned) else { continue };
        let bytes = bytes_of(graph, tensor, which.sizes)?;
        if bytes.unbounded {
            collected.unbounded.push(tensor);
        }
        collected.tensors.push(tensor);
        collected.specs.push(Spec {
            buffer: BufferId(collected.specs.len() as u32),
            bytes: bytes.bytes,
            held: bytes.bytes,
            live: Live::new(start, end + 1),
            mem_id: graph.tensors[tensor].mem_id,
            align: ALIGN,
            base: None,
        });
    }
    Ok(collected)
}

/// Names of the tensors whose life starts at an alloc node.
fn allocates(node: &Node) -> impl Iterator<Item = &str> {
    text(node, "allocates").into_iter().flat_map(|names| names.split(',')).map(str::trim)
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match node.attrs.get(key) {
        Some(Attr::Text(text)) => Some(text),
        _ => None,
    }
}
