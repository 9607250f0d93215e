//! The tensors of a subgraph: what each is, and its size.

use std::collections::{BTreeMap, BTreeSet};

use super::operators;
use super::regions::{PlacedTensor, Region, region};
use super::schema::{Buffer, Model, Operator, SubGraph, Tensor};
use crate::import::build::{Builder, Slot, unknown_shape};
use memplan_core::base::Message;
use memplan_core::graph::{Dtype, Fault, Kind, RawDim, RawSymbol};

/// Largest input, in bytes, that the interpreter never overwrites with a result
/// (`kScalarTensorBytes`).
const SCALAR_BYTES: u64 = 4;

/// Most extents a shape may have: far more than any operator takes.
const MAX_RANK: usize = 64;

/// Tensors by their index in the file.
pub struct Tensors {
    known: Vec<Known>,
    /// Index in the file of each tensor of the graph, in the graph's order.
    taken: Vec<usize>,
    /// Memory of an accelerator.
    region: Option<InGraph>,
}

/// A region, and its tensor in the graph.
struct InGraph {
    region: Region,
    slot: Slot,
    /// Index of that tensor in the graph's order.
    at: usize,
}

/// What is known of one tensor of the file.
#[derive(Clone, Default)]
struct Known {
    /// Its place in the graph; none if nothing uses it.
    slot: Option<Slot>,
    is_input: bool,
    is_output: bool,
    /// Holds data, or is a state that outlives a run.
    is_kept: bool,
    /// Is a state that outlives a run.
    is_state: bool,
    is_made: bool,
    is_read: bool,
    /// Number of the operator that makes it, and of the last one that reads it.
    made_at: u64,
    read_at: u64,
    shape: Vec<RawDim>,
    /// Size for the extents that the file states; `None` if an extent or the width of an element is
    /// unknown.
    bytes: Option<u64>,
}

impl Tensors {
    /// Puts the tensors of a subgraph into the graph. `offsets` are those of the file's plan, if it
    /// has one.
    ///
    /// # Errors
    /// Inputs or outputs of the subgraph that are no tensors of it; a shape of more than `MAX_RANK`
    /// extents.
    pub fn read(
        model: &Model,
        graph: &SubGraph,
        offsets: &[i32],
        builder: &mut Builder,
        facts: &mut Vec<Message>,
        warnings: &mut Vec<Fault>,
    ) -> Result<Tensors, Vec<Fault>> {
        let tensors: Vec<Tensor> = graph.tensors().into_iter().flatten().collect();
        let buffers: Vec<Buffer> = model.buffers().into_iter().flatten().collect();
        let mut all = Tensors { known: vec![Known::default(); tensors.len()], taken: Vec::new(), region: None };
        all.mark_uses(graph)?;
        let handles = handles(model, graph);
        let mut extents = Extents::default();
        for (index, (tensor, known)) in tensors.iter().zip(&mut all.known).enumerate() {
            if tensor.shape().is_some_and(|shape| shape.len() > MAX_RANK) {
                let message = Message::new("fault.rank").count("limit", MAX_RANK);
                return Err(vec![Fault::new(format!("tensors[{index}].shape"), message)]);
            }
            let is_constant = buffers.get(tensor.buffer() as usize).is_some_and(Buffer::holds_data);
            known.is_state = tensor.is_variable() && !known.is_made;
            known.is_kept = is_constant || known.is_state;
            let is_handle = handles.contains(&(index as i32));
            known.bytes = if is_handle { Some(0) } else { bytes(tensor, element(tensor.element()).1) };
        }
        let operators = graph.operators().map_or(0, |all| all.len()) as u64;
        all.put_region(&tensors, offsets, operators, builder, facts);
        let (mut states, mut sourceless) = (0u64, 0u64);
        for (index, tensor) in tensors.iter().enumerate() {
            let in_region = all.in_region(index);
            let known = &mut all.known[index];
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
                sourceless += u64::from(in_region.is_none());
                Kind::Input
            };
            // What is made lies in the region as a view; the rest is the region itself.
            if let Some(slot) = in_region.filter(|_| kind == Kind::Input) {
                known.slot = Some(slot);
                continue;
            }
            states += u64::from(known.is_state);
            let (dtype, bits) = element(tensor.element());
            known.shape = if bits == 0 { unknown_shape() } else { extents.of(tensor) };
            let slot = builder.tensor(&name(tensor, index), dtype, known.shape.clone(), kind);
            if handles.contains(&(index as i32)) || bits != 0 && bits != dtype.bits() {
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

    /// Puts the region of the file's plan into the graph, if there is one.
    fn put_region(
        &mut self,
        tensors: &[Tensor],
        offsets: &[i32],
        operators: u64,
        builder: &mut Builder,
        facts: &mut Vec<Message>,
    ) {
        let placed = |(index, (known, &offset)): (usize, (&Known, &i32))| {
            let (size, start) = (known.bytes.filter(|bytes| *bytes > 0)?, u64::try_from(offset).ok()?);
            let first = if known.is_made { known.made_at } else { 0 };
            let last = if known.is_output { operators.max(1) } else { known.read_at.max(first) + 1 };
            let is_used = known.is_input || known.is_made || known.is_read || known.is_output;
            let is_sourceless = known.is_read && !known.is_input && !known.is_made;
            let bytes = (start, start.checked_add(size)?);
            (is_used && !known.is_kept).then_some(PlacedTensor {
                tensor: index,
                bytes,
                steps: (first, last),
                is_sourceless,
            })
        };
        let placed: Vec<PlacedTensor> = self.known.iter().zip(offsets).enumerate().filter_map(placed).collect();
        let Some(region) = region(&placed) else { return };
        let largest = region.tensors.iter().copied().filter(|&index| !self.known[index].is_made);
        let Some(largest) = largest.max_by_key(|&index| (self.known[index].bytes, std::cmp::Reverse(index))) else {
            return;
        };
        let bytes = region.bytes.1 - region.bytes.0;
        let name = name(&tensors[largest], largest);
        let slot = builder.tensor(&name, Dtype::UInt8, vec![RawDim::Fixed(bytes)], Kind::Input);
        let fact = Message::new("fact.tflite-region").count("count", region.tensors.len() as u64);
        facts.push(fact.name("name", builder.name_of(slot)).bytes("bytes", bytes));
        self.region = Some(InGraph { region, slot, at: self.taken.len() });
        self.taken.push(largest);
    }

    /// Returns the region's tensor of the graph, for one that lies in it.
    fn in_region(&self, index: usize) -> Option<Slot> {
        let region = self.region.as_ref()?;
        region.region.tensors.binary_search(&index).is_ok().then_some(region.slot)
    }

    /// Returns the region's tensor of the graph, if a tensor lies in it.
    pub fn region_of(&self, index: i32) -> Option<Slot> {
        self.in_region(usize::try_from(index).ok()?)
    }

    /// Returns the offset of each tensor of the graph, in the graph's order, from those of the
    /// file's plan.
    pub fn places(&self, offsets: &[i32]) -> Vec<Option<u64>> {
        let place = |index: &usize| u64::try_from(*offsets.get(*index)?).ok();
        let mut places: Vec<Option<u64>> = self.taken.iter().map(place).collect();
        if let Some(InGraph { region, at, .. }) = &self.region {
            places[*at] = Some(region.bytes.0);
        }
        places
    }

    /// Marks inputs and outputs of the subgraph, and what its operators read and make.
    fn mark_uses(&mut self, graph: &SubGraph) -> Result<(), Vec<Fault>> {
        let mut faults = Vec::new();
        // -1 stands for an optional tensor that is absent. Wrong indices of operators are reported
        // when the operators are read.
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
        for (number, operator) in (0..).zip(graph.operators().into_iter().flatten()) {
            for tensor in operator.inputs().into_iter().flatten() {
                self.get_mut(tensor).into_iter().for_each(|known| (known.is_read, known.read_at) = (true, number));
            }
            for tensor in operator.outputs().into_iter().flatten() {
                self.get_mut(tensor).into_iter().for_each(|known| (known.is_made, known.made_at) = (true, number));
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

    /// Returns the number of tensors in the file, used or not.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns true if a tensor is a state that outlives a run.
    pub fn is_state(&self, index: i32) -> bool {
        self.get(index).is_some_and(|known| known.is_state)
    }

    /// Returns the place of a tensor in the graph; none if there is no such tensor, or nothing uses
    /// it.
    pub fn slot(&self, index: i32) -> Option<Slot> {
        self.get(index)?.slot
    }

    /// Returns true if the interpreter may give an output the storage of an input, provided that
    /// the output repeats the bytes of the input unchanged.
    pub fn may_alias(&self, input: i32, output: i32) -> bool {
        let (Some(from), Some(to)) = (self.get(input), self.get(output)) else { return false };
        !from.is_input
            && !from.is_kept
            && !to.is_output
            && !to.is_kept
            && from.bytes.is_some()
            && from.bytes == to.bytes
    }

    /// Returns true if the interpreter may let an output overwrite an input, provided that no other
    /// node reads the input.
    pub fn may_overwrite(&self, input: i32, output: i32) -> bool {
        let (Some(from), Some(to)) = (self.get(input), self.get(output)) else { return false };
        // Shapes that differ in a symbol have equal sizes only for the values that the file states.
        let is_symbol = |dim: &RawDim| matches!(dim, RawDim::Text(_));
        let is_fixed = !from.shape.iter().chain(&to.shape).any(is_symbol);
        self.may_alias(input, output) && from.bytes > Some(SCALAR_BYTES) && (is_fixed || from.shape == to.shape)
    }
}

/// The symbols: extents that the file leaves to the caller. The file does not mark which of them
/// are equal; extents on the same axis with the same stated value get the same symbol.
#[derive(Default)]
struct Extents {
    /// Name of the symbol by axis and stated value.
    names: BTreeMap<(usize, u64), String>,
    /// Number of the last symbol of each axis, from 0.
    last: BTreeMap<u64, u64>,
}

impl Extents {
    /// Returns the shape of a tensor, with symbols for the open extents.
    fn of(&mut self, tensor: &Tensor) -> Vec<RawDim> {
        let shape: Vec<i32> = tensor.shape().into_iter().flatten().collect();
        let signature: Vec<i32> = tensor.shape_signature().into_iter().flatten().collect();
        let is_open = |axis: usize| signature.len() == shape.len() && signature.get(axis) == Some(&-1);
        let extent = |(axis, &extent): (usize, &i32)| match u64::try_from(extent) {
            Ok(extent) if is_open(axis) => {
                let name = self.names.entry((axis, extent)).or_insert_with(|| {
                    let number = self.last.entry(axis as u64).and_modify(|last| *last += 1).or_insert(0);
                    if *number == 0 { format!("d{axis}") } else { format!("d{axis}_{number}") }
                });
                RawDim::Text(name.clone())
            }
            Ok(extent) => RawDim::Fixed(extent),
            Err(_) => RawDim::Text(memplan_core::graph::UNKNOWN.to_string()),
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

/// Returns the tensors that hold the name of a variable, by index. The kernel that makes one gives
/// it its bytes, apart from those of other tensors.
fn handles(model: &Model, graph: &SubGraph) -> BTreeSet<i32> {
    let names = operators::names(model.operator_codes().into_iter().flatten());
    let makes = |operator: &Operator| {
        names.get(operator.opcode_index() as usize).is_some_and(|named| named.name == "VAR_HANDLE" && !named.is_custom)
    };
    let operators = graph.operators().into_iter().flatten().filter(makes);
    operators.flat_map(|operator| operator.outputs().into_iter().flatten()).collect()
}

/// Returns the name of a tensor, or its position for want of one.
fn name(tensor: &Tensor, index: usize) -> String {
    let name = tensor.name().filter(|name| !name.is_empty());
    name.map_or_else(|| format!("tensor {index}"), str::to_string)
}

/// Returns the element type nearest to a number of `TensorType`, and the true width of an element
/// in bits; 0 if the width is not fixed.
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
        // RESOURCE: the number of a variable.
        13 => Dtype::Int32,
        15 => Dtype::UInt32,
        16 => Dtype::UInt16,
        17 => Dtype::Int4,
        18 => Dtype::BFloat16,
        // INT2, which `Dtype` lacks.
        19 => return (Dtype::Int8, 2),
        20 => Dtype::UInt4,
        // STRING, VARIANT, and types newer than this reader.
        _ => return (Dtype::UInt8, 0),
    };
    (dtype, dtype.bits())
}

/// Returns the bytes of a tensor with the extents that the file states and elements of `bits` bits;
/// none if `bits` is 0, an extent is negative or the product is too large.
fn bytes(tensor: &Tensor, bits: u64) -> Option<u64> {
    let mut total = bits;
    for extent in tensor.shape().into_iter().flatten() {
        total = total.checked_mul(u64::try_from(extent).ok()?)?;
    }
    (bits != 0).then(|| total.div_ceil(8))
}
