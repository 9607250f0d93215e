//! Changes of nodes: edit fields, add, duplicate, move, delete, and disconnect tensors.

use std::rc::Rc;

use super::{NodeField, fresh_node, fresh_tensor, gone, label, node};
use crate::base::Message;
use crate::graph::edit::{Draft, Edit, RawDim, RawNode, RawTensor};
use crate::graph::{Dtype, Kind};

pub(super) fn node_field(draft: &Draft, at: usize, field: NodeField, text: &str) -> Result<(Message, Edit), Message> {
    let mut node = node(draft, at)?.clone();
    let name = label(&node.name);
    let list = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let known = |part: &str| match draft.tensor_named(part) {
        Some(_) => Ok(part.to_string()),
        None => Err(Message::new("fault.unknown-tensor").text("name", part)),
    };
    let key = match field {
        NodeField::Name => {
            if text.is_empty() {
                return Err(Message::new("fault.empty-name"));
            }
            let other = draft.nodes.iter().position(|node| node.name.as_deref() == Some(text));
            if let Some(other) = other.filter(|&other| other != at) {
                let first = format!("nodes[{other}]");
                return Err(Message::new("fault.duplicate-node").text("name", text).text("first", first));
            }
            node.name = Some(text.to_string());
            let name_of_change = Message::new("edit.rename").text("before", name).text("name", text);
            return Ok((name_of_change, Edit::Node(at, Rc::new(node))));
        }
        NodeField::Op => {
            node.op = Some(text.to_string());
            "edit.op"
        }
        NodeField::Device => {
            node.device = (!text.is_empty()).then(|| text.to_string());
            "edit.device"
        }
        NodeField::Inputs => {
            node.inputs = list().map(known).collect::<Result<_, _>>()?;
            "edit.inputs"
        }
        NodeField::Outputs => {
            node.outputs = list().map(known).collect::<Result<_, _>>()?;
            "edit.outputs"
        }
        NodeField::Inplace => {
            let pair = |part: &str| {
                // A name may contain the separator.
                let mut cuts = part.match_indices(':').map(|(cut, _)| (&part[..cut], &part[cut + 1..]));
                let found = cuts.find_map(|(input, output)| slot(&node.inputs, input).zip(slot(&node.outputs, output)));
                found.ok_or_else(|| Message::new("edit.not-pair").text("text", part.to_string()))
            };
            node.inplace = list().map(pair).collect::<Result<_, _>>()?;
            "edit.inplace"
        }
        NodeField::IgnoredInputs => {
            let position = |part: &str| {
                slot(&node.inputs, part).ok_or_else(|| Message::new("edit.not-input").text("text", part.to_string()))
            };
            node.ignore_inputs = list().map(position).collect::<Result<_, _>>()?;
            "edit.ignored"
        }
    };
    Ok((Message::new(key).text("name", name), Edit::Node(at, Rc::new(node))))
}

/// A tensor among those of a node, by name or else by position.
fn slot(names: &[String], text: &str) -> Option<u32> {
    let text = text.trim();
    let named = names.iter().position(|name| name == text).and_then(|at| u32::try_from(at).ok());
    named.or_else(|| text.parse().ok())
}

/// Adds a node after `after`. It reads the first output of that node, or else a graph input, and
/// makes a new tensor of the same type and shape.
pub(super) fn add_node(draft: &Draft, after: Option<usize>, op: &str) -> (Message, Edit) {
    let read = after.and_then(|after| draft.nodes.get(after)?.outputs.first());
    let read = read.or_else(|| {
        let input = |tensor: &&Rc<RawTensor>| tensor.kind == Some(Kind::Input);
        draft.tensors.iter().find(input).and_then(|tensor| tensor.name.as_ref())
    });
    let like = read.and_then(|name| draft.tensors.get(draft.tensor_named(name)?));
    let output = RawTensor {
        name: Some(fresh_tensor(draft, "t")),
        dtype: like.and_then(|tensor| tensor.dtype).or(Some(Dtype::Float32)),
        shape: like.and_then(|tensor| tensor.shape.clone()).or_else(|| Some(vec![RawDim::Fixed(1)])),
        kind: Some(Kind::Intermediate),
        ..RawTensor::default()
    };
    let node = RawNode {
        name: Some(fresh_node(draft, op)),
        op: Some(op.to_string()),
        inputs: read.cloned().into_iter().collect(),
        outputs: output.name.clone().into_iter().collect(),
        ..RawNode::default()
    };
    let name_of_change = Message::new("edit.add-node").text("name", label(&node.name));
    let at = after.map_or(0, |after| (after + 1).min(draft.nodes.len()));
    let tensor = Edit::InsertTensor(draft.tensors.len(), Rc::new(output));
    (name_of_change, Edit::All(vec![tensor, Edit::InsertNode(at, Rc::new(node))]))
}

/// Inserts a copy of a node behind the original. The copy reads the same tensors and makes new
/// ones.
pub(super) fn duplicate_node(draft: &Draft, at: usize) -> Result<(Message, Edit), Message> {
    let original = node(draft, at)?;
    let mut grown = draft.clone();
    let mut edits = Vec::new();
    let mut copy = original.clone();
    for output in &mut copy.outputs {
        let Some(tensor) = draft.tensors.get(draft.tensor_named(output).ok_or_else(gone)?) else { return Err(gone()) };
        let name = fresh_tensor(&grown, output);
        let tensor = RawTensor { name: Some(name.clone()), ..(**tensor).clone() };
        let edit = Edit::InsertTensor(grown.tensors.len(), Rc::new(tensor));
        grown.apply(edit.clone());
        edits.push(edit);
        *output = name;
    }
    copy.name = Some(fresh_node(draft, original.name.as_deref().unwrap_or("node")));
    edits.push(Edit::InsertNode(at + 1, Rc::new(copy)));
    Ok((Message::new("edit.duplicate").text("name", label(&original.name)), Edit::All(edits)))
}

/// Deletes a node and the tensors it makes, and removes these tensors from the inputs of all other
/// nodes.
pub(super) fn delete_node(draft: &Draft, at: usize) -> Result<(Message, Edit), Message> {
    let doomed = node(draft, at)?;
    let mut readers: Vec<(usize, RawNode)> = Vec::new();
    for (index, reader) in draft.nodes.iter().enumerate().filter(|(index, _)| *index != at) {
        let mut changed = (**reader).clone();
        while let Some(slot) = changed.inputs.iter().position(|input| doomed.outputs.contains(input)) {
            forget_input(&mut changed, slot);
        }
        if changed.inputs.len() != reader.inputs.len() {
            readers.push((index, changed));
        }
    }
    let mut edits: Vec<Edit> = readers.into_iter().map(|(index, node)| Edit::Node(index, Rc::new(node))).collect();
    edits.push(Edit::RemoveNode(at));
    let mut tensors: Vec<usize> = doomed.outputs.iter().filter_map(|output| draft.tensor_named(output)).collect();
    tensors.sort();
    tensors.dedup();
    // From the last to the first, so that the positions of the remaining ones stay valid.
    edits.extend(tensors.into_iter().rev().map(Edit::RemoveTensor));
    Ok((Message::new("edit.delete").text("name", label(&doomed.name)), Edit::All(edits)))
}

/// Removes a tensor from the inputs and outputs of all nodes except `but`.
pub(super) fn disconnect_all(draft: &Draft, name: &str, but: Option<usize>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (index, node) in draft.nodes.iter().enumerate().filter(|(index, _)| Some(*index) != but) {
        let uses = node.inputs.iter().chain(&node.outputs).any(|known| known == name);
        if uses {
            let mut node = (**node).clone();
            while let Some(slot) = node.inputs.iter().position(|known| known == name) {
                forget_input(&mut node, slot);
            }
            while let Some(slot) = node.outputs.iter().position(|known| known == name) {
                forget_output(&mut node, slot);
            }
            edits.push(Edit::Node(index, Rc::new(node)));
        }
    }
    edits
}

/// Removes an input of a node, and moves the positions in its lists that refer to later inputs.
pub(super) fn forget_input(node: &mut RawNode, slot: usize) {
    node.inputs.remove(slot);
    let behind = |position: &mut u32| *position -= u32::from(*position as usize > slot);
    node.inplace.retain(|(input, _)| *input as usize != slot);
    node.inplace.iter_mut().for_each(|(input, _)| behind(input));
    node.ignore_inputs.retain(|input| *input as usize != slot);
    node.ignore_inputs.iter_mut().for_each(behind);
}

fn forget_output(node: &mut RawNode, slot: usize) {
    node.outputs.remove(slot);
    node.inplace.retain(|(_, output)| *output as usize != slot);
    node.inplace.iter_mut().for_each(|(_, output)| *output -= u32::from(*output as usize > slot));
}

/// Moves a node to another position in the order.
///
/// # Errors
/// A tensor would be read before it is made.
pub(super) fn move_node(draft: &Draft, from: usize, to: usize) -> Result<(Message, Edit), Message> {
    let moved = node(draft, from)?;
    let to = to.min(draft.nodes.len() - 1);
    let name = label(&moved.name);
    let refused = |key: &'static str, other: &RawNode, tensor: &str| {
        Message::new(key).text("name", &name).text("other", label(&other.name)).text("tensor", tensor)
    };
    let passed = if to < from { to..from } else { from + 1..to + 1 };
    for other in passed.map(|index| &*draft.nodes[index]) {
        let (maker, reader) = if to < from { (other, moved) } else { (moved, other) };
        if let Some(tensor) = maker.outputs.iter().find(|output| reader.inputs.contains(output)) {
            let key = if to < from { "edit.move-refused-reads" } else { "edit.move-refused-read-by" };
            return Err(refused(key, other, tensor));
        }
    }
    Ok((Message::new("edit.move").text("name", &name), Edit::MoveNode { from, to }))
}
