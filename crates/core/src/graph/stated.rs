//! What the maker of a file states of its storages, beyond what follows from who reads what.

use serde::{Deserialize, Serialize};

use super::TensorId;

/// Statements about storages. They hold for the order of the file; for another order
/// [`lifetimes`](crate::problem::lifetimes) keeps to those that it bears out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Stated {
    /// Whether the inputs are in their places before the first node runs, wherever their
    /// placeholders stand.
    pub inputs_are_there: bool,
    /// Tensors whose bytes the caller keeps until after the last node.
    pub kept: Vec<TensorId>,
    /// Stretches in which storages hold nothing.
    pub idle: Vec<Idle>,
    /// Bytes that one tensor hands over to another in place.
    pub handed: Vec<HandOver>,
}

/// Between two nodes the storage of a tensor holds nothing: `from` uses it last, and `until` makes
/// its next contents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Idle {
    /// The tensor.
    pub tensor: TensorId,
    /// Name of the node that uses the old contents last.
    pub from: String,
    /// Name of the node from which on there are new ones.
    pub until: String,
}

/// At one node the storage of a tensor becomes that of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HandOver {
    /// The tensor that is used last there.
    pub donor: TensorId,
    /// The tensor that begins there, at the same first byte.
    pub acceptor: TensorId,
}

impl Stated {
    /// Returns true if nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Stated::default()
    }
}
