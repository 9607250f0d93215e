//! The most bytes that a graph inside a node holds at once, as an expression over symbols.

use crate::import::build::Slot;
use crate::import::shape::{Extent, product, words};
use memplan_core::base::{Message, Names};
use memplan_core::graph::{Attr, Dtype, Kind, RawDim, RawGraph, RawNode, RawTensor};

use Extent::{Known, Open};

/// Most nodes with graphs inside that are told one by one.
const MAX_LISTED: usize = 8;

/// Says of each node what the graphs inside it need besides its inputs and outputs.
pub fn told(bodies: &[(String, Extent)]) -> Vec<Message> {
    let one = |(node, bytes): &(String, Extent)| match bytes {
        Known(bytes) => Message::new("fact.body").text("node", node).bytes("bytes", bytes.max(&0).unsigned_abs()),
        other => Message::new("fact.body-open").text("node", node).text("bytes", words(std::slice::from_ref(other))),
    };
    let mut facts: Vec<Message> = bodies.iter().take(MAX_LISTED).map(one).collect();
    let more = bodies.len().saturating_sub(MAX_LISTED) as u64;
    facts.extend((more > 0).then(|| Message::new("fact.bodies").count("count", more)));
    facts
}

/// The larger of two numbers that are not negative.
pub fn larger(a: &Extent, b: &Extent) -> Extent {
    if a == b || a.minus(b).is_extent() {
        a.clone()
    } else if b.minus(a).is_extent() {
        b.clone()
    } else {
        a.at_least(b)
    }
}

/// Returns the most bytes of inputs and of what the nodes make that are alive at one step. Weights
/// are not counted. `handed`: tensors that the node around the graph hands out. They count from the
/// step that makes them to the last one, and not at all without a size.
pub fn peak(raw: &RawGraph, handed: &[Slot]) -> Extent {
    let by_name: Names<&str, usize> =
        raw.tensors.iter().enumerate().filter_map(|(at, tensor)| Some((tensor.name.as_deref()?, at))).collect();
    let at = |name: &String| by_name.get(name.as_str()).copied();
    let mut roots: Vec<usize> = (0..raw.tensors.len()).collect();
    for node in raw.nodes.iter().filter(|node| is_view(node)) {
        if let (Some(from), Some(to)) = (node.inputs.first().and_then(at), node.outputs.first().and_then(at)) {
            roots[to] = roots[from];
        }
    }
    let last = raw.nodes.len().saturating_sub(1);
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; raw.tensors.len()];
    for (index, tensor) in raw.tensors.iter().enumerate() {
        if tensor.kind == Some(Kind::Input) {
            lives[index] = Some((0, 0));
        }
    }
    for (step, node) in raw.nodes.iter().enumerate() {
        for output in node.outputs.iter().filter_map(at).filter(|&output| roots[output] == output) {
            lives[output] = Some((step, step));
        }
        for used in node.inputs.iter().chain(&node.outputs).filter_map(at) {
            if let Some(live) = &mut lives[roots[used]] {
                live.1 = step;
            }
        }
    }
    let mut is_handed = vec![false; raw.tensors.len()];
    for root in handed.iter().filter_map(|slot| roots.get(slot.0).copied()) {
        lives[root] = lives[root].map(|(start, _)| (start, last));
        is_handed[root] = true;
    }
    let size = |index: usize| match bytes(&raw.tensors[index]) {
        Open if is_handed[index] => Known(0),
        bytes => bytes,
    };
    let (mut starts, mut ends) = (vec![Vec::new(); last + 1], vec![Vec::new(); last + 1]);
    for (index, live) in lives.iter().enumerate() {
        if let Some((start, end)) = *live {
            starts[start].push(index);
            ends[end].push(index);
        }
    }
    let (mut load, mut most) = (Known(0), Known(0));
    for (begun, ended) in starts.iter().zip(&ends) {
        for &index in begun {
            load = load.plus(&size(index));
        }
        most = larger(&most, &load);
        if load == Open {
            return Open;
        }
        for &index in ended {
            load = load.minus(&size(index));
        }
    }
    most
}

fn is_view(node: &RawNode) -> bool {
    node.attrs.get("alias") == Some(&Attr::Text("true".to_string()))
}

/// The bytes of a tensor as an expression.
pub fn bytes(tensor: &RawTensor) -> Extent {
    if let Some(bytes) = tensor.bytes {
        return i64::try_from(bytes).map_or(Open, Known);
    }
    let (Some(dtype), Some(shape)) = (tensor.dtype, &tensor.shape) else { return Open };
    let extent = |dim: &RawDim| match dim {
        RawDim::Fixed(extent) => i64::try_from(*extent).map_or(Open, Known),
        RawDim::Text(text) => Extent::parse(text),
    };
    let extents: Vec<Extent> = shape.iter().map(extent).collect();
    in_bytes(&product(&extents), dtype)
}

/// The bytes of so many elements as an expression.
pub fn in_bytes(elements: &Extent, dtype: Dtype) -> Extent {
    let bits = dtype.bits() as i64;
    // Whole bytes need no division, so that symbols stay in a simple form.
    if bits % 8 == 0 { elements.times(&Known(bits / 8)) } else { elements.times(&Known(bits)).over_up(&Known(8)) }
}
