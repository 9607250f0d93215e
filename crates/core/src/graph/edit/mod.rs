//! Changing a network by hand: applying an [`Edit`] returns its inverse, so that every change can
//! be undone.
//!
//! What is edited is a [`Draft`]: on the way from one good graph to the next it may be one that
//! [`super::check()`] refuses. `change` makes the edits that people ask for by name, `remedy` those
//! that mend a fault.

mod change;
mod draft;
mod history;
mod remedy;

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{RawDim, RawNode, RawSymbol, RawTensor};

pub use change::{Change, NodeField, TensorField, change};
pub use draft::{Draft, Drafting};
pub use history::{History, STEPS};
pub use remedy::{remarks, remedy};

/// One change of a draft. Positions count from 0 in file order; one that does not exist changes
/// nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Edit {
    /// Renames the graph.
    Name(String),
    /// Gives a symbol a value and a range, or takes it out.
    Symbol(String, Option<RawSymbol>),
    /// Replaces the tensor at this position.
    Tensor(usize, Rc<RawTensor>),
    /// Inserts a tensor at this position.
    InsertTensor(usize, Rc<RawTensor>),
    /// Removes the tensor at this position.
    RemoveTensor(usize),
    /// Replaces the node at this position.
    Node(usize, Rc<RawNode>),
    /// Inserts a node at this position.
    InsertNode(usize, Rc<RawNode>),
    /// Removes the node at this position.
    RemoveNode(usize),
    /// Moves a node from one position to another.
    MoveNode {
        /// Position of the node.
        from: usize,
        /// Position that it gets.
        to: usize,
    },
    /// One after the other, as a whole.
    All(Vec<Edit>),
}

impl Draft {
    /// Makes the change and returns the one that takes it back.
    pub fn apply(&mut self, edit: Edit) -> Edit {
        let nothing = Edit::All(Vec::new());
        match edit {
            Edit::Name(name) => Edit::Name(std::mem::replace(&mut self.name, name)),
            Edit::Symbol(name, symbol) => {
                let before = match symbol {
                    Some(symbol) => self.symbols.insert(name.clone(), symbol),
                    None => self.symbols.remove(&name),
                };
                Edit::Symbol(name, before)
            }
            Edit::Tensor(at, mut tensor) => match self.tensors.get_mut(at) {
                Some(present) => {
                    std::mem::swap(present, &mut tensor);
                    Edit::Tensor(at, tensor)
                }
                None => nothing,
            },
            Edit::InsertTensor(at, tensor) if at <= self.tensors.len() => {
                self.tensors.insert(at, tensor);
                Edit::RemoveTensor(at)
            }
            Edit::RemoveTensor(at) if at < self.tensors.len() => Edit::InsertTensor(at, self.tensors.remove(at)),
            Edit::Node(at, mut node) => match self.nodes.get_mut(at) {
                Some(present) => {
                    std::mem::swap(present, &mut node);
                    Edit::Node(at, node)
                }
                None => nothing,
            },
            Edit::InsertNode(at, node) if at <= self.nodes.len() => {
                self.nodes.insert(at, node);
                Edit::RemoveNode(at)
            }
            Edit::RemoveNode(at) if at < self.nodes.len() => Edit::InsertNode(at, self.nodes.remove(at)),
            Edit::MoveNode { from, to } if from < self.nodes.len() && to < self.nodes.len() => {
                let node = self.nodes.remove(from);
                self.nodes.insert(to, node);
                Edit::MoveNode { from: to, to: from }
            }
            Edit::All(edits) => {
                let mut inverse: Vec<Edit> = edits.into_iter().map(|edit| self.apply(edit)).collect();
                inverse.reverse();
                Edit::All(inverse)
            }
            Edit::InsertTensor(..)
            | Edit::RemoveTensor(_)
            | Edit::InsertNode(..)
            | Edit::RemoveNode(_)
            | Edit::MoveNode { .. } => nothing,
        }
    }

    /// Position of the tensor of this name.
    pub fn tensor_named(&self, name: &str) -> Option<usize> {
        self.tensors.iter().position(|tensor| tensor.name.as_deref() == Some(name))
    }

    /// Position of the node that makes a tensor.
    pub fn maker(&self, tensor: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.outputs.iter().any(|output| output == tensor))
    }
}

#[cfg(test)]
mod tests;
