//! What can be done about a fault of a draft with one press, and what is odd about a graph without
//! being wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Draft, Edit, RawNode, RawSymbol, change};
use crate::base::{Arg, Message};
use crate::graph::edit::{Change, NodeField, TensorField};
use crate::graph::{Fault, Graph, Kind, TensorId};

/// The change that mends a fault, where one is obvious.
pub fn remedy(draft: &Draft, fault: &Fault) -> Option<(Message, Edit)> {
    let place = Place::of(&fault.path);
    let text = |name: &str| match fault.message.arg(name) {
        Some(Arg::Text(text) | Arg::Name(text)) => Some(text.as_str()),
        _ => None,
    };
    let set = |at: usize, field: TensorField, text: &str| {
        change(draft, &Change::Tensor { at, field, text: text.to_string() }).ok()
    };
    match fault.message.key.as_ref() {
        "fault.unknown-symbol" => {
            let one = RawSymbol { hint: Some(1), ..RawSymbol::default() };
            let name = text("name")?;
            Some((Message::new("remedy.add-symbol").text("name", name), Edit::Symbol(name.to_string(), Some(one))))
        }
        "fault.symbol-value" => {
            let name = text("name")?;
            let one = RawSymbol { hint: Some(1), ..draft.symbols.get(name)?.clone() };
            Some((Message::new("remedy.add-symbol").text("name", name), Edit::Symbol(name.to_string(), Some(one))))
        }
        "fault.never-made" => {
            let (_, edit) = set(place.tensor?, TensorField::Kind, Kind::Input.name())?;
            Some((Message::new("remedy.make-input").text("name", text("name")?), edit))
        }
        "fault.input-produced" | "fault.weight-produced" => {
            let (_, edit) = set(place.tensor?, TensorField::Kind, Kind::Intermediate.name())?;
            Some((Message::new("remedy.make-intermediate").text("name", text("name")?), edit))
        }
        "fault.duplicate-node" => {
            let (name, at) = (text("name")?, place.node?);
            let free = (2u64..).map(|number| format!("{name}_{number}"));
            let free = free
                .take(draft.nodes.len() + 1)
                .find(|free| !draft.nodes.iter().any(|node| node.name.as_deref() == Some(free)))?;
            let edit = change(draft, &Change::Node { at, field: NodeField::Name, text: free.clone() }).ok()?.1;
            Some((Message::new("remedy.rename").text("name", free), edit))
        }
        "fault.inplace-size" | "fault.inplace-index" => {
            let (at, slot) = (place.node?, place.slot?);
            let mut node: RawNode = (**draft.nodes.get(at)?).clone();
            if slot >= node.inplace.len() {
                return None;
            }
            node.inplace.remove(slot);
            Some((Message::new("remedy.remove-pair"), Edit::Node(at, Rc::new(node))))
        }
        "fault.use-before-made" => {
            // The reader goes behind the maker, if nothing between needs what it makes.
            let maker = draft.maker(text("name")?)?;
            let (name, edit) = change(draft, &Change::MoveNode { from: place.node?, to: maker }).ok()?;
            Some((Message::new("remedy.move").inner("change", name), edit))
        }
        "warning.never-read" => {
            let (_, edit) = set(place.tensor?, TensorField::Kind, Kind::Output.name())?;
            Some((Message::new("remedy.make-output").text("name", text("name")?), edit))
        }
        "warning.dead-node" => {
            let (_, edit) = change(draft, &Change::DeleteNode(place.node?)).ok()?;
            Some((Message::new("remedy.remove-dead").text("name", text("name")?), edit))
        }
        "warning.bytes-differ" => {
            let (_, edit) = set(place.tensor?, TensorField::Bytes, "")?;
            Some((Message::new("remedy.forget-bytes").text("name", text("name")?), edit))
        }
        _ => None,
    }
}

/// What the path of a fault points at.
#[derive(Default)]
struct Place {
    tensor: Option<usize>,
    node: Option<usize>,
    /// The last index of the path, after the tensor's or the node's own.
    slot: Option<usize>,
}

impl Place {
    fn of(path: &str) -> Place {
        let mut place = Place::default();
        for (part, segment) in path.split('.').enumerate() {
            let Some((key, index)) = segment.strip_suffix(']').and_then(|segment| segment.split_once('[')) else {
                continue;
            };
            let Ok(index) = index.parse() else { continue };
            match (part, key) {
                (0, "tensors") => place.tensor = Some(index),
                (0, "nodes") => place.node = Some(index),
                _ => place.slot = Some(index),
            }
        }
        place
    }
}

/// What may be a mistake in a graph drawn by hand: empty tensors, nodes that nothing comes of,
/// sizes that contradict shapes, arenas that are left out.
pub fn remarks(graph: &Graph) -> Vec<Fault> {
    let mut remarks = Vec::new();
    let hints = graph.symbol_values(&BTreeMap::new());
    for (id, tensor) in graph.tensors.enumerate() {
        let path = format!("tensors[{}]", id.0);
        let by_shape = tensor.dtype.bytes_of_shape(&tensor.shape, &hints).ok();
        if graph.bytes_of(id, &hints) == Ok(0) {
            remarks.push(Fault::new(path.clone(), Message::new("warning.empty-tensor").text("name", &tensor.name)));
        }
        if let (Some(bytes), Some(by_shape)) = (tensor.bytes, by_shape)
            && bytes != by_shape
            && !tensor.shape.is_empty()
        {
            let message = Message::new("warning.bytes-differ").text("name", &tensor.name);
            let message = message.count("bytes", bytes).count("shape", by_shape);
            remarks.push(Fault::new(format!("{path}.bytes"), message));
        }
    }
    let mut read = vec![false; graph.tensors.len()];
    graph.nodes.iter().flat_map(|node| &node.inputs).for_each(|input| read[input.0 as usize] = true);
    for (id, node) in graph.nodes.enumerate() {
        let useless = |output: &TensorId| graph.tensors[*output].kind == Kind::Intermediate && !read[output.0 as usize];
        if !node.outputs.is_empty() && !node.is_placeholder() && node.outputs.iter().all(useless) {
            let message = Message::new("warning.dead-node").text("name", &node.name);
            remarks.push(Fault::new(format!("nodes[{}]", id.0), message));
        }
    }
    let arenas: BTreeSet<u32> = graph.tensors.iter().filter_map(|tensor| tensor.mem_id).collect();
    if let (Some(&first), Some(&last)) = (arenas.first(), arenas.last())
        && let Some(missing) = (first..last).find(|arena| !arenas.contains(arena))
    {
        remarks.push(Fault::new("tensors", Message::new("warning.arena-gap").count("arena", missing)));
    }
    remarks
}
