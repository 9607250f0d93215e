//! A module with its references resolved: which instruction runs at which step, and the parts of
//! every shape.
//!
//! **From**: `HloLiveRange::FlattenSchedule` (openxla/xla, `hlo_live_range.cc`).

use super::wire::{HloComputationProto, HloInstructionProto, HloModuleProto, ShapeProto};
use memplan_core::base::{Message, Names};
use memplan_core::graph::MAX_ITEMS;

/// Element type of a tuple.
pub const TUPLE: i64 = 13;

/// Most parts of values that instructions may read, each time counted: the graph has an edge for
/// each, of about sixty bytes while it is built.
const MAX_EDGES: usize = 4_000_000;

/// Most values of all instructions, parts of tuples included. Each becomes a tensor of about a
/// kilobyte, and in a file a shape takes a few bytes.
const MAX_SPOTS: usize = 500_000;

/// Computations that call one another at most so deep.
const MAX_CALLS: usize = 200;

/// Instructions that make nothing: values pass through them.
const PASSES: [&str; 13] = [
    "tuple",
    "get-tuple-element",
    "bitcast",
    "parameter",
    "while",
    "conditional",
    "call",
    "optimization-barrier",
    "add-dependency",
    "domain",
    "async-done",
    "async-update",
    "copy-done",
];

/// An instruction with its operands and called computations as indices.
pub struct Instruction<'a> {
    pub proto: &'a HloInstructionProto,
    /// Index of its computation.
    pub home: usize,
    pub operands: Vec<usize>,
    pub called: Vec<usize>,
    /// The part of the module's spots that is its shape; empty for one that never runs by itself.
    pub spots: std::ops::Range<usize>,
}

impl Instruction<'_> {
    pub fn is(&self, opcode: &str) -> bool {
        self.proto.opcode == opcode
    }

    /// Whether values only pass through it.
    pub fn passes(&self) -> bool {
        PASSES.contains(&self.proto.opcode.as_str())
    }
}

/// A computation that may run.
pub struct Computation<'a> {
    pub proto: &'a HloComputationProto,
    /// Index of its root.
    pub root: Option<usize>,
    /// Steps from its first instruction, or what that calls, to before what follows its last; none
    /// if it never runs.
    pub span: Option<(u32, u32)>,
    /// Who calls it first, and as which of the called computations.
    pub caller: Option<(usize, usize)>,
    /// Instructions in the order in which they run, unless it is inside a fusion.
    sequence: Option<Vec<usize>>,
}

/// A part of the shape of an instruction.
pub struct Spot<'a> {
    pub instruction: usize,
    /// Indices from the whole shape to this part.
    pub path: Vec<u32>,
    pub shape: &'a ShapeProto,
    /// Spots of its parts.
    children: Vec<usize>,
}

pub struct Module<'a> {
    pub proto: &'a HloModuleProto,
    pub instructions: Vec<Instruction<'a>>,
    pub computations: Vec<Computation<'a>>,
    /// Index of the entry computation.
    pub entry: usize,
    /// The flattened schedule: one instruction a step.
    pub order: Vec<usize>,
    /// The step of each instruction.
    pub time: Vec<Option<u32>>,
    pub spots: Vec<Spot<'a>>,
    /// Whether the file states the order.
    pub is_scheduled: bool,
    ids: Names<i64, usize>,
}

fn missing(name: &str, what: &'static str, id: i64) -> Message {
    let message = Message::new("fault.hlo-reference").text("name", name);
    message.text("what", what).text("id", id.to_string())
}

impl<'a> Module<'a> {
    /// Resolves a module.
    ///
    /// # Errors
    /// A reference that leads nowhere, or more than can be shown.
    pub fn new(proto: &'a HloModuleProto) -> Result<Module<'a>, Message> {
        let mut ids = Names::default();
        let mut by_id = Names::default();
        let mut number = 0usize;
        for (home, computation) in proto.computations.iter().enumerate() {
            by_id.insert(computation.id, home);
            for instruction in &computation.instructions {
                ids.insert(instruction.id, number);
                number += 1;
            }
        }
        let mut instructions: Vec<Instruction> = Vec::with_capacity(number);
        for (home, computation) in proto.computations.iter().enumerate() {
            for proto in &computation.instructions {
                let find = |what, known: &Names<i64, usize>, wanted: &[i64]| -> Result<Vec<usize>, Message> {
                    let index = |&id: &i64| known.get(&id).copied().ok_or_else(|| missing(&proto.name, what, id));
                    wanted.iter().map(index).collect()
                };
                let operands = find("operand", &ids, &proto.operand_ids)?;
                let called = find("computation", &by_id, &proto.called_ids)?;
                instructions.push(Instruction { proto, home, operands, called, spots: 0..0 });
            }
        }
        let entry = by_id.get(&proto.entry_id).copied();
        let entry = entry.ok_or_else(|| missing(&proto.name, "computation", proto.entry_id))?;
        let is_scheduled = proto.schedule.as_ref().is_some_and(|schedule| !schedule.sequences.is_empty());
        let mut computations: Vec<Computation> = Vec::with_capacity(proto.computations.len());
        let mut next = 0;
        for proto in &proto.computations {
            let own: Vec<usize> = (next..next + proto.instructions.len()).collect();
            next += own.len();
            let root = ids.get(&proto.root_id).copied();
            let sequence = (!is_scheduled && !proto.is_fusion).then_some(own);
            computations.push(Computation { proto, root, span: None, caller: None, sequence });
        }
        for entry in proto.schedule.iter().flat_map(|schedule| &schedule.sequences) {
            let Some(&computation) = by_id.get(&entry.computation) else {
                return Err(missing("schedule", "computation", entry.computation));
            };
            let find = |&id: &i64| ids.get(&id).copied().ok_or_else(|| missing("schedule", "instruction", id));
            let stated = entry.sequence.iter().flat_map(|sequence| &sequence.ids);
            computations[computation].sequence = Some(stated.map(find).collect::<Result<_, _>>()?);
        }
        for (index, instruction) in instructions.iter().enumerate() {
            for (number, &called) in instruction.called.iter().enumerate() {
                computations[called].caller.get_or_insert((index, number));
            }
        }
        let time = vec![None; instructions.len()];
        let (order, spots) = (Vec::new(), Vec::new());
        let mut module = Module { proto, instructions, computations, entry, order, time, spots, is_scheduled, ids };
        module.flatten()?;
        module.spread()?;
        Ok(module)
    }

    /// Number of steps; the step after the last one is the time after the end.
    pub fn end(&self) -> u32 {
        self.order.len() as u32
    }

    /// The index of the instruction with an id.
    pub fn find(&self, id: i64) -> Option<usize> {
        self.ids.get(&id).copied()
    }

    /// The step at which a value that stands at an instruction is needed at least: its own, or the
    /// end of its computation if it is the root.
    pub fn step_of(&self, instruction: usize) -> Option<u32> {
        let computation = &self.computations[self.instructions[instruction].home];
        if computation.root == Some(instruction) {
            return computation.span.map(|(_, end)| end);
        }
        self.time[instruction]
    }

    /// Walks the schedule: called computations stand before their caller, each once; of a loop
    /// first the condition.
    fn flatten(&mut self) -> Result<(), Message> {
        struct Visit {
            computation: usize,
            start: u32,
            /// Position in the sequence, and how many of the computations called there are done.
            at: usize,
            called: usize,
        }
        let mut entered = vec![false; self.computations.len()];
        let mut stack = vec![Visit { computation: self.entry, start: 0, at: 0, called: 0 }];
        entered[self.entry] = true;
        while let Some(visit) = stack.last_mut() {
            let sequence = self.computations[visit.computation].sequence.as_deref().unwrap_or_default();
            let Some(&index) = sequence.get(visit.at) else {
                self.computations[visit.computation].span = Some((visit.start, self.order.len() as u32));
                stack.pop();
                continue;
            };
            let instruction = &self.instructions[index];
            let runs = match instruction.proto.opcode.as_str() {
                // The body is stated before the condition.
                "while" => instruction.called.iter().rev().nth(visit.called),
                "call" | "conditional" | "async-start" => instruction.called.get(visit.called),
                _ => None,
            };
            if let Some(&called) = runs {
                visit.called += 1;
                if self.computations[called].sequence.is_some() && !std::mem::replace(&mut entered[called], true) {
                    if stack.len() >= MAX_CALLS {
                        return Err(Message::new("fault.hlo-calls").count("limit", MAX_CALLS));
                    }
                    stack.push(Visit { computation: called, start: self.order.len() as u32, at: 0, called: 0 });
                }
                continue;
            }
            (visit.at, visit.called) = (visit.at + 1, 0);
            // An instruction that a damaged schedule names twice runs once.
            if self.time[index].is_none() {
                self.time[index] = Some(self.order.len() as u32);
                self.order.push(index);
            }
        }
        if self.order.is_empty() {
            return Err(Message::new("fault.hlo-no-steps"));
        }
        Ok(())
    }

    /// Lays out the shapes of all instructions that run.
    fn spread(&mut self) -> Result<(), Message> {
        static NOTHING: ShapeProto =
            ShapeProto { element_type: 0, dimensions: Vec::new(), tuple_shapes: Vec::new(), layout: None };
        for index in self.order.clone() {
            let first = self.spots.len();
            let whole = self.instructions[index].proto.shape.as_ref().unwrap_or(&NOTHING);
            let mut waiting = vec![(whole, None)];
            // Depth first, so that parts follow their whole in order.
            while let Some((shape, place)) = waiting.pop() {
                let spot = self.spots.len();
                let path = match place {
                    None => Vec::new(),
                    Some((parent, number)) => {
                        let parent: &mut Spot = &mut self.spots[parent];
                        parent.children.push(spot);
                        let mut path = parent.path.clone();
                        path.push(number);
                        path
                    }
                };
                if spot >= MAX_SPOTS {
                    return Err(Message::new("fault.hlo-too-many"));
                }
                self.spots.push(Spot { instruction: index, path, shape, children: Vec::new() });
                let parts = shape.tuple_shapes.iter().enumerate().rev();
                waiting.extend(parts.map(|(number, part)| (part, Some((spot, number as u32)))));
            }
            self.instructions[index].spots = first..self.spots.len();
        }
        // What operands hold is looked at once for each reader, and kept by the graph for each that
        // is no passage: a file of a megabyte could ask for a million millions.
        let (mut looks, mut edges) = (0usize, 0usize);
        for &index in &self.order {
            let instruction = &self.instructions[index];
            let spots = |&operand: &usize| self.instructions[operand].spots.len().max(1);
            let reads = instruction.operands.iter().map(spots).fold(0, usize::saturating_add);
            looks = looks.saturating_add(reads);
            let kept = if instruction.passes() { instruction.spots.len() } else { reads };
            edges = edges.saturating_add(kept);
        }
        let too_many = looks > 10 * MAX_ITEMS || edges > MAX_EDGES;
        if too_many { Err(Message::new("fault.hlo-too-many")) } else { Ok(()) }
    }

    /// The spot of an instruction that runs, at a path inside its shape.
    pub fn spot(&self, instruction: usize, path: impl IntoIterator<Item = i64>) -> Option<usize> {
        let mut spot = self.instructions.get(instruction)?.spots.clone().next()?;
        for number in path {
            spot = *self.spots[spot].children.get(usize::try_from(number).ok()?)?;
        }
        Some(spot)
    }

    /// Where a value comes from that only passes through an instruction.
    pub fn source(&self, spot: usize) -> Option<usize> {
        let Spot { instruction, path, .. } = &self.spots[spot];
        let (index, instruction) = (*instruction, &self.instructions[*instruction]);
        let same = || path.iter().map(|&number| i64::from(number));
        let operand = |number: usize| instruction.operands.get(number).copied();
        match instruction.proto.opcode.as_str() {
            "get-tuple-element" => self.spot(operand(0)?, [instruction.proto.tuple_index].into_iter().chain(same())),
            "tuple" => {
                let (first, rest) = path.split_first()?;
                self.spot(operand(*first as usize)?, rest.iter().map(|&number| number.into()))
            }
            "bitcast" | "optimization-barrier" | "add-dependency" | "domain" | "while" => {
                self.spot(operand(0)?, same())
            }
            "copy-done" | "async-done" | "async-update" => self.spot(operand(0)?, [0].into_iter().chain(same())),
            "call" | "conditional" => self.spot(self.computations[*instruction.called.first()?].root?, same()),
            "parameter" if instruction.home != self.entry => {
                let (caller, number) = self.computations[instruction.home].caller?;
                let caller = &self.instructions[caller];
                let operand = match caller.proto.opcode.as_str() {
                    "call" => usize::try_from(instruction.proto.parameter_number).ok()?,
                    "conditional" => number + 1,
                    "while" => 0,
                    _ => return None,
                };
                debug_assert!(self.time[index].is_some());
                self.spot(*caller.operands.get(operand)?, same())
            }
            _ => None,
        }
    }

    /// Whether an instruction is a parameter of the entry computation.
    pub fn is_entry_parameter(&self, instruction: usize) -> bool {
        let instruction = &self.instructions[instruction];
        instruction.is("parameter") && instruction.home == self.entry
    }
}
