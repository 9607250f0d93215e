//! The tensors of a subgraph: what each is, and its size.

use std::collections::BTreeMap;

use super::schema::{Buffer, Model, SubGraph, Tensor};
use crate::base::Message;
use crate::graph::{Dtype, Fault, Kind, RawDim, RawSymbol};
use crate::import::build::{Builder, Slot, unknown_shape};

/// The interpreter shares no storage of so few bytes with a changed result (`kScalarTensorBytes`).
const SCALAR_BYTES: u64 = 4;

/// Most extents a shape may have: far more than any operator takes.
const MAX_RANK: usize = 64;

/// Tensors by their index in the file.
pub struct Tensors {
    known: Vec<Known>,
    /// Index in the file of each tensor that was put into the graph, in its order.
    taken: Vec<usize>,
}

#[derive(Clone, Default)]
struct Known {
    slot: Option<Slot>,
    is_input: bool,
    is_output: bool,
    /// Holds data, or is a state that outlives a run.
    is_kept: bool,
    /// Is a state that outlives a run.
    is_state: bool,
    is_made: bool,
    is_read: bool,
    shape: Vec<RawDim>,
    /// For the extents that the file states, `None` if some is unknown.
    bytes: Option<u64>,
}

impl Tensors {
    /// Puts the tensors of a subgraph into the graph.
    ///
    /// # Errors
    /// Indices of tensors that are not there.
    pub fn read(
        model: &Model,
        graph: &SubGraph,
        builder: &mut Builder,
        facts: &mut Vec<Message>,
        warnings: &mut Vec<Fault>,
    ) -> Result<Tensors, Vec<Fault>> {
        let tensors: Vec<Tensor> = graph.tensors().into_iter().flatten().collect();
        let buffers: Vec<Buffer> = model.buffers().into_iter().flatten().collect();
        let mut all = Tensors { known: vec![Known::default(); tensors.len()], taken: Vec::new() };
        all.mark_ends(graph)?;
        let mut extents = Extents::default();
        let (mut states, mut sourceless) = (0u64, 0u64);
        for (index, (tensor, known)) in tensors.iter().zip(&mut all.known).enumerate() {
            if tensor.shape().is_some_and(|shape| shape.len() > MAX_RANK) {
                let message = Message::new("fault.rank").count("limit", MAX_RANK);
                return Err(vec![Fault::new(format!("tensors[{index}].shape"), message)]);
            }
            let constant = buffers.get(tensor.buffer() as usize).is_some_and(Buffer::holds_data);
            let state = tensor.is_variable() && !known.is_made;
            known.is_kept = constant || state;
            known.is_state = state;
            let kind = if known.is_kept {
                Kind::Weight
            } else if known.is_input {
                Kind::Input
            } else if known.is_made && known.is_output {
                Kind::Output
            } else if known.is_made {
                Kind::Intermediate
            } else if !known.is_read && !known.is_output {
                continue;
            } else {
                sourceless += 1;
                Kind::Input
            };
            states += u64::from(state);
            let (dtype, bits) = element(tensor.element());
            known.shape = if bits == 0 { unknown_shape() } else { extents.of(tensor) };
            known.bytes = bytes(tensor, bits);
            let name = tensor.name().filter(|name| !name.is_empty());
            let name = name.map_or_else(|| format!("tensor {index}"), str::to_string);
            let slot = builder.tensor(&name, dtype, known.shape.clone(), kind);
            if bits != 0 && bits != dtype.bits() {
                builder.tensor_mut(slot).into_iter().for_each(|raw| raw.bytes = known.bytes);
            }
            known.slot = Some(slot);
            all.taken.push(index);
        }
        extents.declare(builder, facts);
        if states > 0 {
            facts.push(Message::new("fact.tflite-states").count("count", states));
        }
        if sourceless > 0 {
            warnings.push(Fault::new("tensors", Message::new("warning.flat-sourceless").count("count", sourceless)));
        }
        Ok(all)
    }

    /// What is read, made, given and asked for.
    fn mark_ends(&mut self, graph: &SubGraph) -> Result<(), Vec<Fault>> {
        let mut faults = Vec::new();
        for (key, list) in [("inputs", graph.inputs()), ("outputs", graph.outputs())] {
            for (at, tensor) in list.into_iter().flatten().enumerate().filter(|(_, tensor)| *tensor != -1) {
                match self.get_mut(tensor) {
                    Some(known) if key == "inputs" => known.is_input = true,
                    Some(known) => known.is_output = true,
                    None => {
                        let message = Message::new("fault.flat-index").text("index", tensor.to_string());
                        faults.push(Fault::new(format!("{key}[{at}]"), message.count("count", self.known.len())));
                    }
                }
            }
        }
        for operator in graph.operators().into_iter().flatten() {
            for tensor in operator.inputs().into_iter().flatten() {
                self.get_mut(tensor).into_iter().for_each(|known| known.is_read = true);
            }
            for tensor in operator.outputs().into_iter().flatten() {
                self.get_mut(tensor).into_iter().for_each(|known| known.is_made = true);
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn get(&self, index: i32) -> Option<&Known> {
        self.known.get(usize::try_from(index).ok()?)
    }

    fn get_mut(&mut self, index: i32) -> Option<&mut Known> {
        self.known.get_mut(usize::try_from(index).ok()?)
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether a tensor is a state that outlives a run.
    pub fn is_state(&self, index: i32) -> bool {
        self.get(index).is_some_and(|known| known.is_state)
    }

    pub fn slot(&self, index: i32) -> Option<Slot> {
        self.get(index)?.slot
    }

    /// Index in the file of each tensor of the graph, in the graph's order.
    pub fn file_index(&self) -> impl Iterator<Item = usize> + '_ {
        self.taken.iter().copied()
    }

    /// Whether the interpreter lets an output that holds an input's bytes unchanged be that input.
    pub fn is_same(&self, input: i32, output: i32) -> bool {
        let (Some(from), Some(to)) = (self.get(input), self.get(output)) else { return false };
        !from.is_input
            && !from.is_kept
            && !to.is_output
            && !to.is_kept
            && from.bytes.is_some()
            && from.bytes == to.bytes
    }

    /// Whether the interpreter may let an output overwrite an input that no other node reads.
    pub fn may_overwrite(&self, input: i32, output: i32) -> bool {
        let (Some(from), Some(to)) = (self.get(input), self.get(output)) else { return false };
        // Extents that differ in a symbol are equal only by chance.
        let dynamic = |dim: &RawDim| matches!(dim, RawDim::Text(_));
        let fixed = !from.shape.iter().chain(&to.shape).any(dynamic);
        self.is_same(input, output) && from.bytes > Some(SCALAR_BYTES) && (fixed || from.shape == to.shape)
    }
}

/// Extents that the file leaves to the caller. The file does not mark equal extents; those on the
/// same axis with the same value are taken as equal.
#[derive(Default)]
struct Extents {
    names: BTreeMap<(usize, u64), String>,
    /// How many of an axis have a name.
    named: BTreeMap<u64, u64>,
}

impl Extents {
    fn of(&mut self, tensor: &Tensor) -> Vec<RawDim> {
        let shape: Vec<i32> = tensor.shape().into_iter().flatten().collect();
        let signature: Vec<i32> = tensor.shape_signature().into_iter().flatten().collect();
        let is_open = |axis: usize| signature.len() == shape.len() && signature.get(axis) == Some(&-1);
        let extent = |(axis, &extent): (usize, &i32)| match u64::try_from(extent) {
            Ok(extent) if is_open(axis) => {
                let name = self.names.entry((axis, extent)).or_insert_with(|| {
                    let count = self.named.entry(axis as u64).and_modify(|count| *count += 1).or_insert(0);
                    if *count == 0 { format!("d{axis}") } else { format!("d{axis}_{count}") }
                });
                RawDim::Text(name.clone())
            }
            Ok(extent) => RawDim::Fixed(extent),
            Err(_) => RawDim::Text(crate::graph::UNKNOWN.to_string()),
        };
        shape.iter().enumerate().map(extent).collect()
    }

    fn declare(self, builder: &mut Builder, facts: &mut Vec<Message>) {
        if !self.names.is_empty() {
            facts.push(Message::new("fact.tflite-symbols").count("count", self.names.len()));
        }
        for ((_, hint), name) in self.names {
            builder.symbol(&name, RawSymbol { hint: Some(hint), min: None, max: None });
        }
    }
}

/// The element type nearest to `TensorType`, and its true width in bits; 0 = of no fixed width.
fn element(number: i8) -> (Dtype, u64) {
    let dtype = match number {
        0 => Dtype::Float32,
        1 => Dtype::Float16,
        2 => Dtype::Int32,
        3 => Dtype::UInt8,
        4 => Dtype::Int64,
        6 => Dtype::Bool,
        7 => Dtype::Int16,
        8 => Dtype::Complex64,
        9 => Dtype::Int8,
        10 => Dtype::Float64,
        11 => Dtype::Complex128,
        12 => Dtype::UInt64,
        15 => Dtype::UInt32,
        16 => Dtype::UInt16,
        17 => Dtype::Int4,
        18 => Dtype::BFloat16,
        // INT2.
        19 => return (Dtype::Int8, 2),
        20 => Dtype::UInt4,
        // STRING, RESOURCE, VARIANT and what is newer than this reader.
        _ => return (Dtype::UInt8, 0),
    };
    (dtype, dtype.bits())
}

/// Bytes for the extents that the file states.
fn bytes(tensor: &Tensor, bits: u64) -> Option<u64> {
    let mut total = bits;
    for extent in tensor.shape().into_iter().flatten() {
        total = total.checked_mul(u64::try_from(extent).ok()?)?;
    }
    (bits != 0).then(|| total.div_ceil(8))
}
