//! A network as a file states it: names, not yet checked. Readers fill it, [`super::check()`] turns
//! it into a [`super::Graph`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attrs, Dtype, Kind, TrainingRole};
use crate::base::Message;

/// Something wrong in a file: where, and what, with a remedy in its words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// JSON path (`tensors[12].shape[1]`) or another place in the file; empty = the whole file.
    pub path: String,
    /// What is wrong, as a sentence with a remedy.
    pub message: Message,
}

impl Fault {
    /// A fault at a place in the file.
    pub fn new(path: impl Into<String>, message: Message) -> Self {
        Fault { path: path.into(), message }
    }

    /// Whether this is the entry at the end of a list that stands for faults left out.
    pub fn stands_for_more(&self) -> bool {
        self.message.key == MORE
    }
}

/// Most faults reported of one file. A small file can have millions of them; readers stop at this
/// number.
const MAX_FAULTS: usize = 500;

/// Faults as a reader finds them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Whether the limit is reached, so that the reader may stop.
    pub fn are_enough(&self) -> bool {
        self.0.len() >= MAX_FAULTS
    }

    /// Returns `Ok` while there are fewer faults than the limit.
    ///
    /// # Errors
    /// All faults, once the limit is reached.
    pub fn go_on(&mut self) -> Result<(), Vec<Fault>> {
        if self.are_enough() { Err(std::mem::take(self).into_vec()) } else { Ok(()) }
    }

    /// Adds a fault, unless there are enough.
    pub fn push(&mut self, fault: Fault) {
        if !self.are_enough() {
            self.0.push(fault);
        }
    }

    /// Adds faults until there are enough.
    pub fn extend(&mut self, faults: impl IntoIterator<Item = Fault>) {
        let room = MAX_FAULTS - self.0.len();
        self.0.extend(faults.into_iter().take(room));
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// All faults; if the limit was reached, the last one stands for those left out.
    pub fn into_vec(mut self) -> Vec<Fault> {
        if self.are_enough() && !self.0.last().is_some_and(Fault::stands_for_more) {
            self.0.truncate(MAX_FAULTS - 1);
            self.0.push(Fault::new("", Message::new(MORE).count("n", self.0.len() as u64)));
        }
        self.0
    }
}

/// Key of the message that ends a list of too many faults.
const MORE: &str = "fault.more";

/// An unchecked network. A field is `None` where the reader has already reported a fault there, so
/// that one mistake is one message.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RawGraph {
    /// Name of the network; may be empty.
    pub name: String,
    /// Symbolic sizes by name.
    pub symbols: BTreeMap<String, RawSymbol>,
    /// Tensors in file order.
    pub tensors: Vec<RawTensor>,
    /// Nodes in file order, which must be an order in which they can run.
    pub nodes: Vec<RawNode>,
}

/// A symbolic size as a file states it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RawSymbol {
    /// Value that plans are made for.
    pub hint: Option<u64>,
    /// Smallest value allowed; none = 0.
    pub min: Option<u64>,
    /// Largest value allowed; none = unbounded.
    pub max: Option<u64>,
}

/// A tensor as a file states it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RawTensor {
    /// Name, to be unique among the tensors.
    pub name: Option<String>,
    /// Element type.
    pub dtype: Option<Dtype>,
    /// Extents, outermost first.
    pub shape: Option<Vec<RawDim>>,
    /// What the tensor is to the network.
    pub kind: Option<Kind>,
    /// Explicit size in bytes; none = element type times shape.
    pub bytes: Option<u64>,
    /// Device; none = the default one.
    pub device: Option<String>,
    /// Alignment in bytes.
    pub align: Option<u64>,
    /// Arena that the file assigns the tensor to.
    pub mem_id: Option<u32>,
    /// What training makes it for.
    pub role: Option<TrainingRole>,
}

/// One extent as a file states it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RawDim {
    /// A number.
    Fixed(u64),
    /// An expression not yet parsed, or [`UNKNOWN`](super::UNKNOWN).
    Text(String),
}

/// A node as a file states it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RawNode {
    /// Name, to be unique among the nodes.
    pub name: Option<String>,
    /// Name of the operator.
    pub op: Option<String>,
    /// Names of the tensors read.
    pub inputs: Vec<String>,
    /// Names of the tensors made.
    pub outputs: Vec<String>,
    /// Device on which it runs.
    pub device: Option<String>,
    /// Permissions `(input index, output index)`: the output may overwrite the input.
    pub inplace: Vec<(u32, u32)>,
    /// Indices of inputs whose contents are not read.
    pub ignore_inputs: Vec<u32>,
    /// Attributes by name.
    pub attrs: Arc<Attrs>,
}

impl RawNode {
    /// Returns the attributes, to be changed.
    pub fn attrs_mut(&mut self) -> &mut Attrs {
        Arc::make_mut(&mut self.attrs)
    }
}
