//! The values of a module: which one stands where, which must lie in one place, and how long each
//! lives.
//!
//! **From**: `HloDataflowAnalysis`, `HloAliasAnalysis` and `HloLiveRange` (openxla/xla,
//! `hlo_dataflow_analysis.cc`, `hlo_live_range.cc`).

use std::collections::BTreeSet;

use super::module::{Module, TUPLE};
use super::wire::{BufferAssignmentProto, ShapeProto};
use memplan_core::base::{MAX_SAFE, Message, Names};
use memplan_core::graph::Dtype;

/// A value that has bytes: a logical buffer.
pub struct Value {
    pub size: u64,
    pub color: i64,
    /// Where it is defined.
    pub spot: usize,
    /// The set of values that must lie in one place: the first of them.
    pub set: usize,
    /// First and last step; the last may be the one after the end. None for a value that has no
    /// step.
    pub live: Option<(u32, u32)>,
}

pub struct Values {
    /// In order of their ids.
    pub all: Vec<Value>,
    /// The value at each spot.
    pub at: Vec<Option<usize>>,
    /// The value defined at each spot.
    pub defined: Vec<Option<usize>>,
    /// The values of each set that live, by start, end and id; indexed by the first value, empty
    /// for others.
    pub sets: Vec<Vec<usize>>,
    sizes: Vec<u64>,
    by_id: Names<i64, usize>,
}

impl Values {
    /// Those of a buffer assignment; of a module alone, one for each array that an instruction
    /// makes.
    ///
    /// # Errors
    /// A size that is no size.
    pub fn new(module: &Module, assignment: Option<&BufferAssignmentProto>) -> Result<Values, Message> {
        let mut values = Values {
            all: Vec::new(),
            at: Vec::new(),
            defined: Vec::new(),
            sets: Vec::new(),
            sizes: Vec::new(),
            by_id: Names::default(),
        };
        values.defined = vec![None; module.spots.len()];
        match assignment {
            Some(assignment) => values.state(module, assignment)?,
            None => values.invent(module)?,
        }
        values.follow(module);
        values.join(module, assignment);
        values.live(module);
        values.arrange();
        Ok(values)
    }

    /// The value with the id of a logical buffer.
    pub fn find(&self, id: i64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    fn add(&mut self, spot: usize, size: u64, color: i64) -> usize {
        let value = self.all.len();
        self.defined[spot] = Some(value);
        self.all.push(Value { size, color, spot, set: value, live: None });
        value
    }

    /// Values of computations that never run by themselves, such as the scalars of a comparator,
    /// are left out.
    fn state(&mut self, module: &Module, assignment: &BufferAssignmentProto) -> Result<(), Message> {
        let mut buffers: Vec<_> = assignment.buffers.iter().collect();
        buffers.sort_by_key(|buffer| buffer.id);
        for buffer in buffers {
            let at = buffer.defined_at.as_ref();
            let instruction = at.and_then(|at| module.find(at.instruction));
            let Some((at, instruction)) = at.zip(instruction) else {
                let message = Message::new("fault.hlo-reference").text("name", "buffer assignment");
                return Err(message
                    .text("what", "instruction")
                    .text("id", at.map_or(0, |at| at.instruction).to_string()));
            };
            let Some(spot) = module.spot(instruction, at.index.iter().copied()) else { continue };
            let size = u64::try_from(buffer.size).ok().filter(|&size| size <= MAX_SAFE);
            let size = size.ok_or_else(|| Message::new("fault.hlo-size").text("id", buffer.id.to_string()))?;
            let value = self.add(spot, size, buffer.color);
            self.by_id.insert(buffer.id, value);
        }
        Ok(())
    }

    fn invent(&mut self, module: &Module) -> Result<(), Message> {
        for spot in 0..module.spots.len() {
            let at = &module.spots[spot];
            let makes = !module.instructions[at.instruction].passes() || module.is_entry_parameter(at.instruction);
            let Some(bits) = bits(at.shape).filter(|_| makes) else { continue };
            let extents = at.shape.dimensions.iter().map(|&extent| u128::try_from(extent).unwrap_or(0));
            let elements = extents.fold(1u128, u128::saturating_mul);
            let bytes = elements.saturating_mul(bits.into()).div_ceil(8);
            let size = u64::try_from(bytes).ok().filter(|&size| size <= MAX_SAFE);
            let color = at.shape.layout.as_ref().map_or(0, |layout| layout.memory_space);
            self.add(spot, size.ok_or_else(|| Message::new("fault.too-large"))?, color);
        }
        Ok(())
    }

    /// Finds the value at every spot: that defined there, else the one at the spot that it comes
    /// from.
    fn follow(&mut self, module: &Module) {
        let mut found: Vec<Option<Option<usize>>> = self.defined.iter().map(|&value| value.map(Some)).collect();
        let mut trail = Vec::new();
        for first in 0..module.spots.len() {
            let mut next = Some(first);
            let value = loop {
                let Some(spot) = next else { break None };
                if let Some(known) = found[spot] {
                    break known;
                }
                // A spot that leads back to itself holds nothing.
                found[spot] = Some(None);
                trail.push(spot);
                next = module.source(spot);
            };
            trail.drain(..).for_each(|spot| found[spot] = Some(value));
        }
        self.at = found.into_iter().map(Option::flatten).collect();
    }

    /// Joins the values that must lie in one place.
    fn join(&mut self, module: &Module, assignment: Option<&BufferAssignmentProto>) {
        let mut parent: Vec<usize> = (0..self.all.len()).collect();
        fn find(parent: &mut [usize], mut value: usize) -> usize {
            while parent[value] != value {
                parent[value] = parent[parent[value]];
                value = parent[value];
            }
            value
        }
        for alias in assignment.iter().flat_map(|assignment| &assignment.aliases) {
            let Some(at) = &alias.at else { continue };
            let spot = module.find(at.instruction).and_then(|found| module.spot(found, at.index.iter().copied()));
            let other = spot.and_then(|spot| self.defined[spot]);
            let Some((one, other)) = self.by_id.get(&alias.buffer).copied().zip(other) else { continue };
            let (one, other) = (find(&mut parent, one), find(&mut parent, other));
            parent[one.max(other)] = one.min(other);
        }
        for value in 0..self.all.len() {
            self.all[value].set = find(&mut parent, value);
        }
    }

    /// Lives as XLA counts them, both ends included.
    fn live(&mut self, module: &Module) {
        let mut ends: Vec<u32> = vec![0; self.all.len()];
        for (spot, value) in self.at.iter().enumerate() {
            if let (Some(value), Some(step)) = (value, module.step_of(module.spots[spot].instruction)) {
                ends[*value] = ends[*value].max(step);
            }
        }
        self.uses(module, |value, step| ends[value] = ends[value].max(step));
        let aliased: BTreeSet<(i64, &[i64])> = module
            .proto
            .alias
            .iter()
            .flat_map(|alias| &alias.entries)
            .map(|entry| (entry.parameter, &entry.index[..]))
            .collect();
        for (value, end) in self.all.iter_mut().zip(ends) {
            let spot = &module.spots[value.spot];
            let instruction = &module.instructions[spot.instruction];
            let Some(step) = module.time[spot.instruction] else { continue };
            let start_of_home = module.computations[instruction.home].span.map_or(step, |(start, _)| start);
            let path: Vec<i64> = spot.path.iter().map(|&number| number.into()).collect();
            value.live = Some(if !instruction.is("parameter") {
                (step, end.max(step))
            } else if instruction.home == module.entry
                && !aliased.contains(&(instruction.proto.parameter_number, &path[..]))
            {
                // The caller owns what is not given away.
                (start_of_home, module.end())
            } else {
                (start_of_home, end.max(step))
            });
        }
    }

    /// Calls `visit` with each value that an instruction uses and the step until which it is needed
    /// for that.
    fn uses(&self, module: &Module, mut visit: impl FnMut(usize, u32)) {
        for &index in &module.order {
            let instruction = &module.instructions[index];
            let called = instruction.called.first().map(|&called| &module.computations[called]);
            let runs = called.filter(|called| called.span.is_some());
            let user = match instruction.proto.opcode.as_str() {
                "call" if runs.is_some() => continue,
                "while" => runs
                    .and_then(|body| body.proto.instructions.iter().find(|inner| inner.opcode == "parameter"))
                    .and_then(|parameter| module.find(parameter.id))
                    .unwrap_or(index),
                _ => index,
            };
            let Some(step) = module.time[user] else { continue };
            let is_root = module.computations[instruction.home].root == Some(index);
            // A tuple uses nothing, and some operators only the table; the root uses all that
            // stands at it.
            let (table, parts) = match instruction.proto.opcode.as_str() {
                "tuple" | "domain" => (false, false),
                "get-tuple-element" | "copy" => (true, false),
                _ => (true, true),
            };
            let own: BTreeSet<usize> = if is_root && !(table && parts) {
                instruction.spots.clone().filter_map(|spot| self.at[spot]).collect()
            } else {
                BTreeSet::new()
            };
            for &operand in &instruction.operands {
                for spot in module.instructions[operand].spots.clone() {
                    let Some(value) = self.at[spot] else { continue };
                    let is_table = module.spots[spot].path.is_empty();
                    if (if is_table { table } else { parts }) || own.contains(&value) {
                        visit(value, step);
                    }
                }
            }
        }
    }

    /// Values of one set follow one another: none overlaps the next.
    fn arrange(&mut self) {
        self.sets = vec![Vec::new(); self.all.len()];
        for (value, Value { set, live, .. }) in self.all.iter().enumerate() {
            if live.is_some() {
                self.sets[*set].push(value);
            }
        }
        for set in &mut self.sets {
            set.sort_by_key(|&value| (self.all[value].live, value));
            for at in 1..set.len() {
                let (one, two) = (set[at - 1], set[at]);
                if let (Some(mut first), Some(mut second)) = (self.all[one].live, self.all[two].live) {
                    second.1 = first.1.max(second.1);
                    first.1 = first.1.min(second.0);
                    (self.all[one].live, self.all[two].live) = (Some(first), Some(second));
                }
            }
            set.sort_by_key(|&value| (self.all[value].live, value));
        }
        let largest = |set: &Vec<usize>| set.iter().map(|&value| self.all[value].size).max().unwrap_or(0);
        self.sizes = self.sets.iter().map(largest).collect();
    }

    /// The name of a value: that of its instruction, with the part of a tuple.
    pub fn name(&self, module: &Module, value: usize) -> String {
        let spot = &module.spots[self.all[value].spot];
        let name = &module.instructions[spot.instruction].proto.name;
        if spot.path.is_empty() {
            return name.clone();
        }
        let path: Vec<String> = spot.path.iter().map(u32::to_string).collect();
        format!("{name}{{{}}}", path.join(","))
    }

    /// The bytes of the largest value of a set.
    pub fn size_of_set(&self, set: usize) -> u64 {
        self.sizes[set]
    }

    /// Whether a value is the table of pointers of a tuple.
    pub fn is_table(&self, module: &Module, value: usize) -> bool {
        module.spots[self.all[value].spot].shape.element_type == TUPLE
    }

    /// Whether a set holds what the program returns, by the first value of the set.
    pub fn outputs(&self, module: &Module) -> Vec<bool> {
        let mut outputs = vec![false; self.all.len()];
        let root = module.computations[module.entry].root.map_or(0..0, |root| module.instructions[root].spots.clone());
        root.filter_map(|spot| self.at[spot]).for_each(|value| outputs[self.all[value].set] = true);
        outputs
    }
}

/// The element type as the graph knows it; types that it has no word for are bytes.
pub fn dtype(shape: &ShapeProto) -> Dtype {
    match shape.element_type {
        1 => Dtype::Bool,
        2 => Dtype::Int8,
        3 => Dtype::Int16,
        4 => Dtype::Int32,
        5 => Dtype::Int64,
        7 => Dtype::UInt16,
        8 => Dtype::UInt32,
        9 => Dtype::UInt64,
        10 => Dtype::Float16,
        11 => Dtype::Float32,
        12 => Dtype::Float64,
        15 => Dtype::Complex64,
        16 => Dtype::BFloat16,
        18 => Dtype::Complex128,
        19 => Dtype::Float8E5M2,
        20 => Dtype::Float8E4M3Fn,
        21 => Dtype::Int4,
        22 => Dtype::UInt4,
        24 => Dtype::Float8E5M2Fnuz,
        25 => Dtype::Float8E4M3Fnuz,
        32 => Dtype::Float4E2M1,
        33 => Dtype::Float8E8M0,
        _ => Dtype::UInt8,
    }
}

/// Bits of an element; types below a byte fill one unless the layout states otherwise. None for
/// tuples, tokens and the like.
fn bits(shape: &ShapeProto) -> Option<u32> {
    let usual = match shape.element_type {
        1 | 2 | 6 | 19..=33 | 35 | 36 => 8,
        3 | 7 | 10 | 16 => 16,
        4 | 8 | 11 => 32,
        5 | 9 | 12 | 15 => 64,
        18 => 128,
        _ => return None,
    };
    let stated = shape.layout.as_ref().and_then(|layout| u32::try_from(layout.element_bits).ok());
    Some(stated.filter(|&bits| bits > 0).unwrap_or(usual))
}
