//! Sequences whose tensors lie in several places. ONNX Runtime copies tensors into a sequence where
//! it is made (`SequenceConstruct`, `SplitToSequence`), and the one that `SequenceInsert` adds. The
//! other tensors of a result are those of the sequence that the node reads, and live as long as one
//! of both is read.

use std::collections::HashSet;
use std::rc::Rc;

use super::infer::Value;
use super::layout::MAX_ITEMS;
use super::messages::ValueInfo;
use super::node::{Node, is_own};
use super::nodes::{GraphReader, is_complete};
use super::types;
use crate::import::build::Slot;
use crate::import::shape::{Extent, axis_of};
use memplan_core::base::Message;
use memplan_core::graph::{Fault, Kind, RawDim};

/// Most tensors of a sequence that get storage of their own.
const MAX_APART: usize = 256;

impl<'a> GraphReader<'a, '_> {
    /// Puts the result of a node in: the tensor of its name, before it the tensors of a sequence
    /// that lie apart.
    pub fn made(
        &mut self,
        node: &Node,
        name: &'a str,
        value: Value,
        kind: Kind,
        info: Option<&ValueInfo>,
    ) -> Vec<Slot> {
        let items = value.sequence.clone().filter(|_| is_own(node.domain) && is_complete(&value));
        let Some(items) = items else { return self.add(name, value, kind, info).into_iter().collect() };
        let nothing = || vec![RawDim::Fixed(0)];
        match node.op_type {
            "SequenceInsert" | "SequenceErase" | "Identity" => {
                let Some((mut parts, new)) =
                    self.shared(node).filter(|(parts, new)| parts.len() + usize::from(new.is_some()) == items.len())
                else {
                    return self.add(name, value, kind, info).into_iter().collect();
                };
                let new = new.and_then(|at| Some((at, items.get(at)?.dims.clone()?)));
                let slot = self.add(name, value, kind, info);
                let shape = new.as_ref().map_or_else(nothing, |(_, dims)| dims.iter().map(Extent::raw).collect());
                if let (Some((at, _)), Some(slot)) = (new, slot) {
                    parts.insert(at, slot);
                }
                self.place(name, shape, parts);
                slot.into_iter().collect()
            }
            "SequenceConstruct" | "SplitToSequence" if self.survey.erases && items.len() <= MAX_APART => {
                let mut made = Vec::with_capacity(items.len() + 1);
                for (at, item) in items.iter().enumerate() {
                    let (Some(dtype), Some(dims)) = (types::dtype(item.elem), &item.dims) else { continue };
                    let shape = dims.iter().map(Extent::raw).collect();
                    made.push(self.builder.tensor(&format!("{name}[{at}]"), dtype, shape, kind));
                }
                let parts = made.clone();
                made.extend(self.add(name, value, kind, info));
                self.place(name, nothing(), parts);
                made
            }
            _ => self.add(name, value, kind, info).into_iter().collect(),
        }
    }

    /// The storage of the tensors that a node takes over from its sequence, and the place of a
    /// tensor that it adds.
    fn shared(&mut self, node: &Node<'_>) -> Option<(Vec<Slot>, Option<usize>)> {
        let mut parts = self.parts(node.input.first()?)?;
        let stated = |input: usize, length: usize| match node.input.get(input).filter(|name| !name.is_empty()) {
            Some(name) => {
                let at = self.find(name)?.value.contents.as_ref()?.first()?.known()?;
                axis_of(at, length)
            }
            None => Some(if node.op_type == "SequenceInsert" {
                length.checked_sub(1)?
            } else {
                parts.len().checked_sub(1)?
            }),
        };
        let new = match node.op_type {
            "SequenceInsert" => Some(stated(2, parts.len() + 1)?),
            "SequenceErase" => {
                let gone = stated(1, parts.len())?;
                parts.remove(gone);
                None
            }
            _ => None,
        };
        self.common.parts_left = self.common.parts_left.checked_sub(parts.len())?;
        Some((parts, new))
    }

    /// The storage of each tensor of a sequence.
    fn parts(&self, name: &str) -> Option<Vec<Slot>> {
        let count = self.find(name)?.value.sequence.as_ref()?.len();
        match self.places.get(name).and_then(|&place| self.held.get(place)) {
            Some(held) if held.parts.is_empty() => Some(vec![held.slot?; count]),
            Some(held) => Some(held.parts.to_vec()),
            None => Some(vec![*self.outside.get(name)?; count]),
        }
    }

    /// States the bytes of a sequence that are its own, and where its tensors lie.
    fn place(&mut self, name: &str, shape: Vec<RawDim>, parts: Vec<Slot>) {
        let Some(held) = self.places.get(name).and_then(|&place| self.held.get_mut(place)) else { return };
        if let Some(tensor) = held.slot.and_then(|slot| self.builder.tensor_mut(slot)) {
            // What a caller gets lasts to the end.
            let kind = tensor.kind;
            tensor.shape = Some(shape);
            for &part in parts.iter().filter(|_| kind == Some(Kind::Output)) {
                if let Some(part) = self.builder.tensor_mut(part).filter(|part| part.kind == Some(Kind::Intermediate)) {
                    part.kind = Some(Kind::Output);
                }
            }
        }
        held.parts = Rc::new(parts);
    }

    /// Adds what sequences consist of to what a node reads.
    pub fn read_parts(&mut self, names: &[&str], inputs: &mut Vec<Option<Slot>>) {
        let mut seen = HashSet::new();
        for name in names {
            let Some(held) = self.places.get(*name).and_then(|&place| self.held.get(place)) else { continue };
            if held.parts.is_empty() {
                continue;
            }
            let Some(left) = self.common.parts_left.checked_sub(held.parts.len()) else {
                let message = Message::new("fault.onnx-too-many").text("field", "sequence");
                self.common.faults.push(Fault::new(*name, message.count("limit", MAX_ITEMS)));
                return;
            };
            self.common.parts_left = left;
            if seen.is_empty() {
                seen.extend(inputs.iter().flatten().copied());
            }
            inputs.extend(held.parts.iter().filter(|part| seen.insert(**part)).map(|part| Some(*part)));
        }
    }

    /// The storage of a tensor of this graph.
    pub fn held_here(&self, name: &str) -> Vec<Slot> {
        let held = self.places.get(name).and_then(|&place| self.held.get(place));
        held.map_or_else(Vec::new, |held| held.slot.iter().chain(held.parts.iter()).copied().collect())
    }
}
