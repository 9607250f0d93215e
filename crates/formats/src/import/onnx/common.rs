//! What the readers of graphs inside each other share.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use super::infer::Value;
use super::layout::MAX_ITEMS;
use super::model::MAX_BLOCK;
use super::notes::Notes;
use super::symbols::Symbols;
use crate::import::build::Slot;
use crate::import::{Answers, Unshown};
use memplan_core::base::Names;
use memplan_core::graph::{Expr, Faults};

/// Most characters of all expressions in shapes together, so that a small file cannot fill the
/// memory with long ones; what goes beyond counts as not known.
const MAX_CHARACTERS: usize = 4 << 20;

/// What graphs inside each other have in common.
pub struct Common<'m> {
    pub answers: &'m Answers,
    /// Version of ONNX's own operators.
    pub version: i64,
    pub symbols: Symbols,
    /// Every extent that is no number, each once.
    pub expressions: BTreeMap<String, Expr>,
    /// Values that the user gives symbols by stating the shape of an input.
    pub bound: BTreeMap<String, u64>,
    /// Tensors of which the user states a size and which the graph does not show.
    pub inside: BTreeSet<String>,
    /// Characters of expressions that may still be put in.
    pub room: usize,
    /// Graphs that this one lies in.
    pub depth: usize,
    /// Nodes inside nodes that may still be read.
    pub nodes_left: u64,
    /// Tensors of sequences that may still be listed.
    pub parts_left: usize,
    /// Channels that lie together in images of ONNX Runtime's own layout.
    pub block: i64,
    pub notes: Notes,
    pub faults: Faults,
    /// Values of the graphs of nodes of this graph.
    pub unshown: Unshown,
}

impl<'m> Common<'m> {
    pub fn new(answers: &'m Answers, version: i64, symbols: Symbols) -> Common<'m> {
        Common {
            answers,
            version,
            symbols,
            expressions: BTreeMap::new(),
            bound: BTreeMap::new(),
            inside: BTreeSet::new(),
            room: MAX_CHARACTERS,
            depth: 0,
            nodes_left: MAX_ITEMS,
            parts_left: MAX_ITEMS as usize,
            block: MAX_BLOCK,
            notes: Notes::default(),
            faults: Faults::default(),
            unshown: Unshown::default(),
        }
    }

    /// Takes all of it along into a graph inside a node.
    pub fn inner(&mut self) -> Common<'m> {
        let empty = Common::new(self.answers, self.version, Symbols::default());
        let mut all = std::mem::replace(self, empty);
        all.depth += 1;
        all
    }

    /// Notes a tensor that the graph does not show, if the user states its size.
    pub fn note_inside(&mut self, name: &str) {
        if self.answers.shapes.contains_key(name) {
            self.inside.insert(name.to_string());
        }
    }

    /// The same back in the graph around the node.
    pub fn outer(mut self) -> Common<'m> {
        self.depth -= 1;
        self
    }
}

/// A tensor of the walk.
#[derive(Default)]
pub struct Held {
    pub value: Value,
    /// In the graph; none for what only made weights.
    pub slot: Option<Slot>,
    /// Bytes in the file of what quantised weights stand for.
    pub stored: Option<u64>,
    /// Where each tensor of a sequence lies, if not all in `slot`.
    pub parts: Rc<Vec<Slot>>,
}

/// The tensors around a graph inside a node.
#[derive(Clone, Copy)]
pub struct Around<'o> {
    pub places: &'o Names<&'o str, usize>,
    pub held: &'o [Held],
    pub fixed: &'o HashSet<&'o str>,
    pub further: Option<&'o Around<'o>>,
}

impl<'o> Around<'o> {
    pub fn find(&self, name: &str) -> Option<&'o Held> {
        let here = self.places.get(name).and_then(|&place| self.held.get(place));
        here.or_else(|| self.further.and_then(|further| further.find(name)))
    }

    pub fn is_fixed(&self, name: &str) -> bool {
        if self.places.contains_key(name) {
            self.fixed.contains(name)
        } else {
            self.further.is_some_and(|further| further.is_fixed(name))
        }
    }
}
