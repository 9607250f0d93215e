//! A network in its execution order. [`check()`] resolves the names of a file once; a
//! [`Graph`] refers to tensors, nodes and devices by ids.

mod check;
mod dlpack;
mod dtype;
pub mod edit;
mod effects;
mod expr;
mod format;
mod op;
mod range;
mod raw;
mod reach;
mod sample;
mod stated;
mod tflite;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{IdVec, Message, SortedMap};
use crate::id_type;

pub use check::{MAX_ITEMS, MAX_NAME, Warning, check};
pub use dlpack::{device_code, device_name};
pub use dtype::Dtype;
pub use effects::has_effects;
pub use expr::{Expr, ExprError};
pub use format::Format;
pub use op::plain_op;
pub use raw::{Fault, Faults, RawDim, RawGraph, RawNode, RawSymbol, RawTensor};
pub use reach::{MAX_NODES, Reach};
pub use sample::sample;
pub use stated::{HandOver, Idle, Stated};
pub use tflite::tflite_operator;

id_type!(
    /// A tensor of a [`Graph`].
    TensorId
);
id_type!(
    /// A node of a [`Graph`]: its index is the execution step at which it runs.
    NodeId
);
id_type!(
    /// A device of a [`Graph`].
    DeviceId
);

/// Most names in one message.
const MAX_LISTED: usize = 1_000;

/// A checked network: nodes in a valid execution order, every name unique and resolved.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    /// Name of the network; may be empty.
    pub name: String,
    /// Symbolic sizes by name.
    pub symbols: BTreeMap<String, Symbol>,
    /// Names of the devices; tensors and nodes refer to them.
    pub devices: IdVec<DeviceId, String>,
    /// Tensors in file order.
    pub tensors: IdVec<TensorId, Tensor>,
    /// Nodes in the order in which they run.
    pub nodes: IdVec<NodeId, Node>,
    /// What the file states of storages.
    #[serde(default)]
    pub stated: Stated,
}

/// A size known only as a name until the model runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// The value that plans are made for unless the user sets another.
    pub hint: u64,
    /// Smallest value allowed; none = 0.
    pub min: Option<u64>,
    /// Largest value allowed; none = unbounded.
    pub max: Option<u64>,
}

/// A value that nodes read or make.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tensor {
    /// Name, unique among the tensors.
    pub name: String,
    /// Element type.
    pub dtype: Dtype,
    /// Extents, outermost first; empty for a scalar.
    pub shape: Vec<Dim>,
    /// What the tensor is to the network.
    pub kind: Kind,
    /// Explicit size in bytes; overrides dtype times shape.
    pub bytes: Option<u64>,
    /// Device whose memory holds it.
    pub device: DeviceId,
    /// Whether the file named the device itself (kept so that writing gives back what was read).
    pub own_device: bool,
    /// Alignment in bytes of this tensor's address, a power of two; `None` = none asked for.
    pub align: Option<u64>,
    /// Memory (arena) that the file assigns the tensor to.
    pub mem_id: Option<u32>,
    /// What training makes it for, if the file says so.
    pub role: Option<TrainingRole>,
}

impl Symbol {
    /// Whether the symbol may have this value.
    pub fn admits(&self, value: u64) -> bool {
        value >= self.min.unwrap_or(0) && self.max.is_none_or(|max| value <= max)
    }

    /// The message that this symbol may not have a value.
    pub fn refusal(&self, name: &str, value: &str) -> Message {
        let key = if self.max.is_some() { "fault.symbol-outside" } else { "fault.symbol-below" };
        let message = Message::new(key).text("value", value).text("name", name).count("min", self.min.unwrap_or(0));
        self.max.into_iter().fold(message, |message, max| message.count("max", max))
    }
}

/// One extent of a shape.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Dim {
    /// A number.
    Fixed(u64),
    /// An expression over symbols.
    Expr(Expr),
    /// Neither stated in the file nor inferred: the tensor has no size until the user states one.
    /// `"?"` in files.
    Unknown,
}

/// How an unknown extent is written.
pub const UNKNOWN: &str = "?";

/// What a tensor is to its network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Supplied by the caller.
    Input,
    /// Constant for all runs.
    Weight,
    /// Made and used up within a run.
    Intermediate,
    /// Handed to the caller at the end.
    Output,
}

impl Kind {
    /// All kinds in the order of declaration.
    pub const ALL: [Kind; 4] = [Kind::Input, Kind::Weight, Kind::Intermediate, Kind::Output];

    /// The word of the file format.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Weight => "weight",
            Kind::Intermediate => "intermediate",
            Kind::Output => "output",
        }
    }
}

/// What a tensor is to a step of training. All else follows from live ranges
/// ([`Classes`](crate::problem::Classes)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingRole {
    /// The result of the forward pass; nodes after the one that makes it are the backward pass.
    Loss,
    /// The gradient of a weight or an input, handed to the caller.
    Gradient,
}

impl TrainingRole {
    /// All roles in the order of declaration.
    pub const ALL: [TrainingRole; 2] = [TrainingRole::Loss, TrainingRole::Gradient];

    /// The word of the file format.
    pub const fn name(self) -> &'static str {
        match self {
            TrainingRole::Loss => "loss",
            TrainingRole::Gradient => "gradient",
        }
    }
}

/// An operator at its place in the execution order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Name, unique among the nodes.
    pub name: String,
    /// Name of the operator.
    pub op: String,
    /// Tensors read, in the order of the operator's arguments.
    pub inputs: Vec<TensorId>,
    /// Tensors made, in the order of the operator's results.
    pub outputs: Vec<TensorId>,
    /// Device on which it runs, if the file names one.
    pub device: Option<DeviceId>,
    /// Permissions `(input index, output index)`: the output may overwrite the input.
    pub inplace: Vec<(u32, u32)>,
    /// Inputs whose contents the node does not read.
    pub ignore_inputs: Vec<u32>,
    /// Attributes by name; those that mean something here are listed in docs/memory-graph.md.
    /// Copies of the node share them, also on other threads.
    pub attrs: Arc<Attrs>,
}

/// Attributes of a node by name.
pub type Attrs = SortedMap<String, Attr>;

/// Returns attributes from entries in any order, of which a file may hold very many; the last one
/// of a name counts.
pub fn attrs(entries: impl IntoIterator<Item = (String, Attr)>) -> Arc<Attrs> {
    let sorted: BTreeMap<String, Attr> = entries.into_iter().collect();
    Arc::new(sorted.into_iter().collect())
}

/// The value of a node attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Attr {
    /// JSON text without its quotes.
    Text(String),
    /// Anything else, as JSON text.
    Json(String),
}

impl Node {
    /// Returns the attributes, to be changed.
    pub fn attrs_mut(&mut self) -> &mut Attrs {
        Arc::make_mut(&mut self.attrs)
    }

    /// The start of life of graph inputs and weights rather than an operator.
    pub fn is_placeholder(&self) -> bool {
        self.op == "placeholder"
    }

    /// Whether this is the placeholder of a buffer that the program changes, whose contents outlive
    /// a run.
    pub fn is_mutable_buffer(&self) -> bool {
        self.is_placeholder() && self.attrs.get("mutable_buffer") == Some(&Attr::Text("true".into()))
    }

    /// What the node computes: all that it makes but the scratch of its kernel, which is the last
    /// output where the attribute `memplan.scratch` says so.
    pub fn results(&self) -> &[TensorId] {
        match self.outputs.split_last() {
            Some((_, results)) if self.attrs.contains_key("memplan.scratch") => results,
            _ => &self.outputs,
        }
    }

    /// The scratch of the kernel, a tensor that nobody reads.
    pub fn scratch(&self) -> Option<TensorId> {
        self.outputs.get(self.results().len()).copied()
    }

    /// Pairs `(input, output)` of this node in which the output is only another name for the
    /// input's storage.
    pub fn aliases(&self) -> impl Iterator<Item = (TensorId, TensorId)> + '_ {
        let stated = self.attrs.get("alias");
        let root = match stated {
            Some(Attr::Text(text) | Attr::Json(text)) if text == "true" => self.inputs.first().copied(),
            Some(Attr::Json(number)) => number.parse().ok().and_then(|at: usize| self.inputs.get(at).copied()),
            _ => None,
        };
        let whole = root.into_iter().flat_map(|root| self.results().iter().map(move |&output| (root, output)));
        let listed = stated.filter(|_| root.is_none()).map(stated_pairs).unwrap_or_default();
        let listed = listed.into_iter().filter_map(|(input, output)| {
            Some((*self.inputs.get(input as usize)?, *self.results().get(output as usize)?))
        });
        let pairs = self.inplace.iter().filter(move |_| root.is_none() && self.op == "memory.view");
        let pairs = pairs.map(|&(input, output)| (self.inputs[input as usize], self.outputs[output as usize]));
        whole.chain(listed).chain(pairs)
    }
}

/// The pairs `[[input, output], …]` of an attribute; none of any other.
fn stated_pairs(attr: &Attr) -> Vec<(u32, u32)> {
    let Attr::Json(text) = attr else { return Vec::new() };
    let listed = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
    let pair = |pair: &str| {
        let (input, output) = pair.split_once(',')?;
        Some((input.trim().parse().ok()?, output.trim().parse().ok()?))
    };
    let pairs =
        listed.into_iter().flat_map(|text| text.split("],")).map(|text| pair(text.trim().trim_start_matches('[')));
    pairs.collect::<Option<Vec<_>>>().unwrap_or_default()
}

impl Graph {
    /// Number of execution steps: at least one, so that an empty graph still has a time axis.
    pub fn steps(&self) -> u32 {
        (self.nodes.len() as u32).max(1)
    }

    /// The nodes in their order, as positions in another graph with the same nodes by name; nodes
    /// it does not have are left out.
    pub fn order_in(&self, other: &Graph) -> Vec<usize> {
        let places: BTreeMap<&str, usize> =
            other.nodes.iter().enumerate().map(|(at, node)| (&*node.name, at)).collect();
        self.nodes.iter().filter_map(|node| places.get(&*node.name).copied()).collect()
    }

    /// Number of tensors that have no size at all: the file leaves it open.
    pub fn unsized_tensors(&self) -> usize {
        let open = |tensor: &&Tensor| tensor.bytes.is_none() && tensor.shape.contains(&Dim::Unknown);
        self.tensors.iter().filter(open).count()
    }

    /// The fault that tensors have no size, with their number and names. Its words are those of the
    /// page; other places say in theirs where sizes can be stated.
    pub fn unsized_message(&self) -> Message {
        let open = |tensor: &&Tensor| tensor.bytes.is_none() && tensor.shape.contains(&Dim::Unknown);
        let names: Vec<&str> = self.tensors.iter().filter(open).map(|tensor| &*tensor.name).collect();
        let mut listed = names[..names.len().min(MAX_LISTED)].join(", ");
        if names.len() > MAX_LISTED {
            listed.push_str(", …");
        }
        let message = Message::new("fault.unsized").count("count", names.len() as u64);
        let message = message.count("tensors", self.tensors.len() as u64).text("names", listed);
        message.text("first", names.first().copied().unwrap_or_default())
    }

    /// Outputs that ExecuTorch plans and no program has: its `output` node makes one for each
    /// buffer that the program changes, left over from the operator that writes the new contents
    /// back.
    pub fn ghost_outputs(&self) -> Vec<TensorId> {
        if !self.nodes.iter().any(Node::is_mutable_buffer) {
            return Vec::new();
        }
        self.nodes.iter().filter(|node| node.op == "output").flat_map(|node| node.outputs.iter().copied()).collect()
    }

    /// Value of every symbol: the one in `values`, else its hint.
    pub fn symbol_values(&self, values: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let value =
            |(name, symbol): (&String, &Symbol)| (name.clone(), values.get(name).copied().unwrap_or(symbol.hint));
        self.symbols.iter().map(value).collect()
    }

    /// Bytes of a tensor for the given symbol values: the explicit size, or dtype times shape, part
    /// bytes rounded up.
    ///
    /// # Errors
    /// When an extent is negative or undefined, or the product is beyond 2^53 - 1.
    pub fn bytes_of(&self, tensor: TensorId, symbols: &BTreeMap<String, u64>) -> Result<u64, ExprError> {
        let tensor = &self.tensors[tensor];
        match tensor.bytes {
            Some(bytes) => Ok(bytes),
            None => tensor.dtype.bytes_of_shape(&tensor.shape, symbols),
        }
    }

    /// The length of a tensor's storage in elements, as one text for all ways to write it: symbols
    /// keep their names, since lengths that are equal for today's values may differ tomorrow. An
    /// explicit size that is no whole number of elements is given in bytes, with a `B`.
    pub fn storage_length(&self, tensor: TensorId) -> String {
        let tensor = &self.tensors[tensor];
        if let Some(bytes) = tensor.bytes {
            let (bits, width) = (bytes as u128 * 8, tensor.dtype.bits() as u128);
            return if bits.is_multiple_of(width) { (bits / width).to_string() } else { format!("{bytes} B") };
        }
        let fixed = |dim: &Dim| if let Dim::Fixed(extent) = dim { Some(*extent) } else { None };
        let known: Option<Vec<u64>> = tensor.shape.iter().map(fixed).collect();
        if let Some(elements) =
            known.and_then(|shape| shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent)))
        {
            return elements.to_string();
        }
        let extents = tensor.shape.iter().map(|dim| match dim {
            Dim::Fixed(extent) => extent.to_string(),
            Dim::Expr(expr) => format!("({})", expr.source()),
            Dim::Unknown => UNKNOWN.to_string(),
        });
        let product = extents.fold("1".to_string(), |product, extent| product + "*" + &extent);
        Expr::parse(&product).map_or(product, |product| product.normal())
    }

    /// The shape in words: `1×64×56×56`, symbolic extents as written.
    pub fn shape_words(&self, tensor: TensorId) -> String {
        let extents = self.tensors[tensor].shape.iter().map(|dim| match dim {
            Dim::Fixed(extent) => extent.to_string(),
            Dim::Expr(expr) => expr.source().to_string(),
            Dim::Unknown => UNKNOWN.to_string(),
        });
        extents.collect::<Vec<_>>().join("×")
    }
}
