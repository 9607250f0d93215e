//! A graph file as the pass takes it. Every planned storage is one entry; another name for a
//! storage is a read of it and makes no entry. Inputs and weights are variables, nodes keep the
//! order of the file. What is not to be planned has no entry at all, as good as memory of the
//! caller (`kExternalStorageID`).

use super::network::{Entry, Network, Node, Pair, Read, Slot};
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Attr, Graph, Kind, TensorId};
use memplan_core::problem::{Buffer, BufferId, Problem};

/// What a request counts for an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementBytes {
    /// The width of its type.
    Real,
    /// 4 bytes whatever its type, as the original. The problem's sizes count so too:
    /// [`count_four`].
    Four,
}

/// Gives every buffer 4 bytes for each element of its type, so that plan, figures and words count
/// as the original does.
pub fn count_four(problem: &mut Problem, graph: &Graph) {
    for buffer in problem.buffers.iter_mut() {
        let elements = u128::from(buffer.size) * 8 / u128::from(bits(graph, buffer));
        buffer.size = u64::try_from(elements * 4).unwrap_or(u64::MAX);
    }
}

/// Bits of an element of the tensor that a buffer was made for.
fn bits(graph: &Graph, buffer: &Buffer) -> u64 {
    let root = buffer.tensors.first().and_then(|&tensor| graph.tensors.get(tensor));
    root.map_or(8, |root| root.dtype.bits()).max(1)
}

/// Entries are numbered as the buffers of `problem`.
pub fn network_of(graph: &Graph, problem: &Problem, element_bytes: ElementBytes) -> Network {
    let mut holder: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id));
    }
    let mut nodes = Vec::new();
    let mut producers: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate().filter(|(_, buffer)| is_variable(buffer)) {
        buffer.tensors.iter().take(1).for_each(|&root| producers[root] = Some(nodes.len() as u32));
        nodes.push(Node { variable: true, outputs: vec![id.0], ..Node::default() });
    }
    for (step, node) in graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder()) {
        node.outputs.iter().for_each(|&output| producers[output] = Some(nodes.len() as u32));
        let read = |(slot, &input): (usize, &TensorId)| Read {
            entry: holder[input].map(|buffer| buffer.0),
            producer: producers[input],
            ignored: node.ignore_inputs.contains(&(slot as u32)),
        };
        // The root of a storage is its first name; all others are views.
        let made = |tensor: TensorId| {
            let buffer = holder[tensor]?;
            let facts = &problem.buffers[buffer];
            (facts.tensors.first() == Some(&tensor) && !is_variable(facts)).then_some(buffer.0)
        };
        let flags = identity_flags(node);
        let pair = |(index, &(input, output)): (usize, &(u32, u32))| {
            let output = made(*node.outputs.get(output as usize)?)?;
            Some(Pair { input, output, identity: flags.get(index).copied().unwrap_or(false) })
        };
        nodes.push(Node {
            id: step.0,
            variable: false,
            assign: node.op == "_assign",
            reads: node.inputs.iter().enumerate().map(read).collect(),
            outputs: node.outputs.iter().filter_map(|&output| made(output)).collect(),
            pairs: node.inplace.iter().enumerate().filter_map(pair).collect(),
        });
    }
    let entries = problem.buffers.enumerate().map(|(id, buffer)| entry(graph, id, buffer, element_bytes));
    Network { nodes, entries: entries.collect(), strict: true }
}

/// Whether the caller brings the contents: no operator makes them.
pub fn is_variable(buffer: &Buffer) -> bool {
    matches!(buffer.kind, Kind::Input | Kind::Weight)
}

fn entry(graph: &Graph, id: BufferId, buffer: &Buffer, element_bytes: ElementBytes) -> Entry {
    let tensors = buffer.tensors.iter().filter_map(|&tensor| graph.tensors.get(tensor));
    let root = tensors.clone().next();
    let bits = bits(graph, buffer);
    let elements = match element_bytes {
        ElementBytes::Real => (u128::from(buffer.size) * 8).div_ceil(u128::from(bits)),
        ElementBytes::Four => u128::from(buffer.size / 4),
    };
    let elements = u64::try_from(elements).unwrap_or(u64::MAX);
    Entry {
        buffer: id,
        elements,
        bits,
        dtype: root.map_or(0, |root| root.dtype as u32),
        request: Some(buffer.size),
        bytes: buffer.size,
        outputs: tensors.filter(|tensor| tensor.kind == Kind::Output).count() as u32,
        device: buffer.memory.index() as u32,
        start: Slot::Unset,
    }
}

/// `FInplaceIdentity`: flags parallel to the pairs, all off unless the file gives one for each.
pub fn identity_flags(node: &memplan_core::graph::Node) -> Vec<bool> {
    let Some(Attr::Text(text) | Attr::Json(text)) = node.attrs.get("inplace_identity") else { return Vec::new() };
    let flags: Vec<bool> = text.split(',').map(|flag| flag.trim() == "1").collect();
    if flags.len() == node.inplace.len() { flags } else { Vec::new() }
}
