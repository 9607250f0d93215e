//! The changes that people ask for, each with its name and the edits that make it.

mod nodes;

use std::rc::Rc;

use self::nodes::{add_node, delete_node, disconnect_all, duplicate_node, forget_input, move_node, node_field};
use super::{Draft, Edit, RawDim, RawNode, RawSymbol, RawTensor};
use crate::base::Message;
use crate::graph::{Dtype, Kind};

/// A field of a tensor that is typed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TensorField {
    /// Its name, unique among tensors.
    Name,
    /// Element type.
    Dtype,
    /// Extents, separated by commas.
    Shape,
    /// Input, weight, intermediate or output.
    Kind,
    /// Explicit size in bytes; empty = element type times shape.
    Bytes,
    /// Device; empty = the default one.
    Device,
    /// Alignment in bytes; empty = none asked for.
    Align,
    /// Arena (`mem_id`); empty = none.
    Arena,
}

/// A field of a node that is typed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeField {
    /// Its name, unique among nodes.
    Name,
    /// The operator.
    Op,
    /// Device; empty = that of its tensors.
    Device,
    /// Names of the tensors read, separated by commas.
    Inputs,
    /// Names of the tensors made, separated by commas.
    Outputs,
    /// Pairs `input:output` by name or position, separated by commas.
    Inplace,
    /// Inputs whose contents are not read, by name or position, separated by commas.
    IgnoredInputs,
}

/// What is asked for. Positions count from 0 in file order.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Gives the graph another name.
    Rename(String),
    /// Sets a field of a tensor to the text typed in.
    Tensor {
        /// Position of the tensor.
        at: usize,
        /// The field.
        field: TensorField,
        /// What was typed in.
        text: String,
    },
    /// Sets a field of a node to the text typed in.
    Node {
        /// Position of the node.
        at: usize,
        /// The field.
        field: NodeField,
        /// What was typed in.
        text: String,
    },
    /// A tensor on its own: an input, or a weight.
    AddTensor {
        /// What the tensor is to the graph.
        kind: Kind,
    },
    /// A node after this one (or at the beginning), which reads what that one makes.
    AddNode {
        /// Position of the node before it; none = at the beginning.
        after: Option<usize>,
        /// The operator.
        op: String,
    },
    /// Puts a copy of a node, with outputs of its own, after it.
    DuplicateNode(usize),
    /// Puts a copy of a tensor after it.
    DuplicateTensor(usize),
    /// Takes a node out.
    DeleteNode(usize),
    /// Takes a tensor out, also from the nodes that name it.
    DeleteTensor(usize),
    /// Lets a node read a tensor.
    Connect {
        /// Position of the tensor.
        tensor: usize,
        /// Position of the node.
        node: usize,
    },
    /// Takes one input away from a node.
    Disconnect {
        /// Position of the node.
        node: usize,
        /// Position among its inputs.
        slot: usize,
    },
    /// Lets a node run at another position.
    MoveNode {
        /// Position of the node.
        from: usize,
        /// Position that it gets.
        to: usize,
    },
    /// `hint`, `min`, `max`: empty = none.
    Symbol {
        /// Name of the symbol.
        name: String,
        /// Value that plans are made for.
        hint: String,
        /// Smallest value allowed.
        min: String,
        /// Largest value allowed.
        max: String,
    },
    /// Takes a symbol out.
    RemoveSymbol(String),
}

/// The name of a change and the edit that makes it.
///
/// # Errors
/// Why it is refused: the text is not understood, or an order of nodes would no longer be one.
pub fn change(draft: &Draft, wanted: &Change) -> Result<(Message, Edit), Message> {
    match wanted {
        Change::Rename(name) => Ok((Message::new("edit.rename-graph").text("name", name), Edit::Name(name.clone()))),
        Change::Tensor { at, field, text } => tensor_field(draft, *at, *field, text.trim()),
        Change::Node { at, field, text } => node_field(draft, *at, *field, text.trim()),
        Change::AddTensor { kind } => {
            let tensor = RawTensor {
                name: Some(fresh_tensor(draft, kind.name())),
                dtype: Some(Dtype::Float32),
                shape: Some(vec![RawDim::Fixed(1)]),
                kind: Some(*kind),
                ..RawTensor::default()
            };
            let name = Message::new("edit.add-tensor").text("name", label(&tensor.name));
            Ok((name, Edit::InsertTensor(draft.tensors.len(), Rc::new(tensor))))
        }
        Change::AddNode { after, op } => Ok(add_node(draft, *after, op)),
        Change::DuplicateNode(at) => duplicate_node(draft, *at),
        Change::DuplicateTensor(at) => {
            let original = tensor(draft, *at)?;
            let name = fresh_tensor(draft, original.name.as_deref().unwrap_or("t"));
            // A copy has no node that makes it, so it cannot stay something that is made.
            let kind = original.kind.filter(|kind| matches!(kind, Kind::Input | Kind::Weight)).or(Some(Kind::Input));
            let name_of_change = Message::new("edit.duplicate").text("name", label(&original.name));
            let copy = RawTensor { name: Some(name), kind, ..original.clone() };
            Ok((name_of_change, Edit::InsertTensor(at + 1, Rc::new(copy))))
        }
        Change::DeleteNode(at) => delete_node(draft, *at),
        Change::DeleteTensor(at) => {
            let name = label(&tensor(draft, *at)?.name);
            let mut edits = disconnect_all(draft, &name, None);
            edits.push(Edit::RemoveTensor(*at));
            Ok((Message::new("edit.delete").text("name", name), Edit::All(edits)))
        }
        Change::Connect { tensor: at, node: to } => {
            let name = label(&tensor(draft, *at)?.name);
            let mut node = node(draft, *to)?.clone();
            if let Some(maker) = draft.maker(&name).filter(|maker| maker >= to) {
                return Err(Message::new("edit.connect-refused")
                    .text("name", name)
                    .text("reader", label(&node.name))
                    .text("maker", label(&draft.nodes[maker].name)));
            }
            let name_of_change = Message::new("edit.connect").text("name", &name).text("node", label(&node.name));
            node.inputs.push(name);
            Ok((name_of_change, Edit::Node(*to, Rc::new(node))))
        }
        Change::Disconnect { node: at, slot } => {
            let mut node = node(draft, *at)?.clone();
            let Some(name) = node.inputs.get(*slot).cloned() else { return Err(gone()) };
            forget_input(&mut node, *slot);
            let name_of_change = Message::new("edit.disconnect").text("name", name).text("node", label(&node.name));
            Ok((name_of_change, Edit::Node(*at, Rc::new(node))))
        }
        Change::MoveNode { from, to } => move_node(draft, *from, *to),
        Change::Symbol { name, hint, min, max } => symbol(draft, name.trim(), [hint, min, max]),
        Change::RemoveSymbol(name) => {
            Ok((Message::new("edit.remove-symbol").text("name", name), Edit::Symbol(name.clone(), None)))
        }
    }
}

fn gone() -> Message {
    Message::new("edit.gone")
}

fn tensor(draft: &Draft, at: usize) -> Result<&RawTensor, Message> {
    draft.tensors.get(at).map(Rc::as_ref).ok_or_else(gone)
}

fn node(draft: &Draft, at: usize) -> Result<&RawNode, Message> {
    draft.nodes.get(at).map(Rc::as_ref).ok_or_else(gone)
}

fn label(name: &Option<String>) -> String {
    name.clone().unwrap_or_default()
}

/// A name of no other tensor: the wanted one, or it with the next free number.
fn fresh_tensor(draft: &Draft, wanted: &str) -> String {
    fresh(wanted, |name| draft.tensors.iter().any(|tensor| tensor.name.as_deref() == Some(name)))
}

fn fresh_node(draft: &Draft, wanted: &str) -> String {
    fresh(wanted, |name| draft.nodes.iter().any(|node| node.name.as_deref() == Some(name)))
}

fn fresh(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_string();
    }
    let stem = wanted.trim_end_matches(|last: char| last.is_ascii_digit());
    let stem = if stem.ends_with('_') || stem.len() < wanted.len() { stem.to_string() } else { format!("{wanted}_") };
    (2u64..).map(|number| format!("{stem}{number}")).find(|name| !taken(name)).unwrap_or_default()
}

fn whole(text: &str) -> Result<Option<u64>, Message> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Message::new("edit.not-whole").text("text", text))
}

fn tensor_field(draft: &Draft, at: usize, field: TensorField, text: &str) -> Result<(Message, Edit), Message> {
    let mut tensor = tensor(draft, at)?.clone();
    let name = label(&tensor.name);
    let filled = (!text.is_empty()).then(|| text.to_string());
    let key = match field {
        TensorField::Name => return rename_tensor(draft, at, text),
        TensorField::Dtype => {
            let known = Dtype::from_name(text).or_else(|| Dtype::suggestion(text));
            tensor.dtype = Some(known.ok_or_else(|| Message::new("fault.dtype").text("found", text))?);
            "edit.dtype"
        }
        TensorField::Shape => {
            tensor.shape = Some(shape(text)?);
            "edit.shape"
        }
        TensorField::Kind => {
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == text);
            tensor.kind = Some(kind.ok_or_else(|| Message::new("fault.kind").text("found", text))?);
            "edit.kind"
        }
        TensorField::Bytes => {
            tensor.bytes = whole(text)?;
            "edit.bytes"
        }
        TensorField::Device => {
            tensor.device = filled;
            "edit.device"
        }
        TensorField::Align => {
            let align = whole(text)?;
            if let Some(align) = align.filter(|align| !align.is_power_of_two()) {
                return Err(Message::new("fault.alignment").count("align", align));
            }
            tensor.align = align;
            "edit.align"
        }
        TensorField::Arena => {
            let arena = whole(text)?.map(u32::try_from).transpose();
            tensor.mem_id = arena.map_err(|_| Message::new("edit.not-whole").text("text", text))?;
            "edit.arena"
        }
    };
    Ok((Message::new(key).text("name", name), Edit::Tensor(at, Rc::new(tensor))))
}

/// Extents separated by commas or `×`; an expression over symbols is one extent.
fn shape(text: &str) -> Result<Vec<RawDim>, Message> {
    let text = text.trim_start_matches('[').trim_end_matches(']').trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let parts: Vec<&str> = if text.contains('×') { text.split('×').collect() } else { text.split(',').collect() };
    let extent = |part: &str| {
        let part = part.trim();
        match part.parse() {
            Ok(extent) => Ok(RawDim::Fixed(extent)),
            Err(_) => match crate::graph::Expr::parse(part) {
                Ok(_) => Ok(RawDim::Text(part.to_string())),
                Err(_) => Err(Message::new("edit.not-shape").text("text", text)),
            },
        }
    };
    parts.into_iter().map(extent).collect()
}

fn rename_tensor(draft: &Draft, at: usize, name: &str) -> Result<(Message, Edit), Message> {
    let mut tensor = tensor(draft, at)?.clone();
    let before = label(&tensor.name);
    if name.is_empty() {
        return Err(Message::new("fault.empty-name"));
    }
    if let Some(other) = draft.tensor_named(name).filter(|&other| other != at) {
        let first = format!("tensors[{other}]");
        return Err(Message::new("fault.duplicate-tensor").text("name", name).text("first", first));
    }
    tensor.name = Some(name.to_string());
    let mut edits = vec![Edit::Tensor(at, Rc::new(tensor))];
    for (index, node) in draft.nodes.iter().enumerate() {
        if node.inputs.contains(&before) || node.outputs.contains(&before) {
            let mut node = (**node).clone();
            let names = node.inputs.iter_mut().chain(&mut node.outputs).filter(|known| **known == before);
            names.for_each(|known| *known = name.to_string());
            edits.push(Edit::Node(index, Rc::new(node)));
        }
    }
    let name_of_change = Message::new("edit.rename").text("before", before).text("name", name);
    Ok((name_of_change, Edit::All(edits)))
}

fn symbol(draft: &Draft, name: &str, values: [&String; 3]) -> Result<(Message, Edit), Message> {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !plain || !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return Err(Message::new("edit.not-symbol").text("text", name));
    }
    let [hint, min, max] = values.map(|value| whole(value.trim()));
    let symbol = RawSymbol { hint: hint?, min: min?, max: max? };
    let key = if draft.symbols.contains_key(name) { "edit.symbol" } else { "edit.add-symbol" };
    Ok((Message::new(key).text("name", name), Edit::Symbol(name.to_string(), Some(symbol))))
}
