//! The graph: one node a step, one tensor for all values that must lie in one place.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::module::{Module, Spot};
use super::values::{Values, dtype};
use super::wire::OpMetadata;
use crate::import::build::{Builder, Slot};
use crate::import::source::{self, Call, MAX_CALLS};
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Kind, RawDim};

/// The tensor of each set of values, by the first value of the set; none for tables and for what
/// never lives.
pub type Slots = Vec<Option<Slot>>;

/// Puts tensors and nodes into a builder. `takeovers`: pairs `(donor, acceptor)` of values of
/// different sets.
pub fn build(module: &Module, values: &Values, takeovers: &[(usize, usize)], builder: &mut Builder) -> Slots {
    let mut sets = Sets { values, slots: vec![None; values.all.len()], maker: vec![usize::MAX; values.all.len()] };
    sets.tensors(module, builder);
    let donors = donors(values, takeovers);
    let mut conditions = conditions(module);
    for (step, &index) in (0u32..).zip(&module.order) {
        let also = conditions.remove(&step).unwrap_or_default();
        sets.node(module, index, &also, &donors, builder);
    }
    sets.slots
}

/// Sets of values that have given to each set, where the sizes are equal: a permission is for the
/// same number of bytes, though smaller results lie in larger operands too.
fn donors(values: &Values, takeovers: &[(usize, usize)]) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut donors: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(donor, acceptor) in takeovers {
        let (donor, acceptor) = (values.all[donor].set, values.all[acceptor].set);
        if values.size_of_set(donor) == values.size_of_set(acceptor) {
            donors.entry(acceptor).or_default().insert(donor);
        }
    }
    donors
}

/// What conditions of loops compute, by the step that follows: whatever runs there reads it.
fn conditions(module: &Module) -> BTreeMap<u32, Vec<usize>> {
    let mut conditions: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for &index in &module.order {
        let instruction = &module.instructions[index];
        let condition = instruction.called.get(1).filter(|_| instruction.is("while"));
        let condition = condition.map(|&condition| &module.computations[condition]);
        if let Some((root, (_, end))) = condition.and_then(|condition| condition.root.zip(condition.span)) {
            conditions.entry(end).or_default().extend(module.spot(root, []));
        }
    }
    conditions
}

/// Sets of values with their tensors.
struct Sets<'a> {
    values: &'a Values,
    slots: Slots,
    /// The instruction that makes each.
    maker: Vec<usize>,
}

impl Sets<'_> {
    /// The set of a value, if it has a tensor.
    fn shown(&self, value: Option<usize>) -> Option<usize> {
        let set = self.values.all[value?].set;
        self.slots[set].map(|_| set)
    }

    /// Puts in the tensors, by start.
    fn tensors(&mut self, module: &Module, builder: &mut Builder) {
        let values = self.values;
        let outputs = values.outputs(module);
        let first_of = |set: usize| values.sets[set].first().copied();
        let mut shown: Vec<(usize, usize)> = (0..values.sets.len())
            .filter_map(|set| Some((set, first_of(set)?)))
            .filter(|&(_, first)| !values.is_table(module, first))
            .collect();
        shown.sort_by_key(|&(set, first)| (values.all[first].live.map(|(start, _)| start), set));
        builder.reserve(shown.len(), module.order.len());
        for (set, first) in shown {
            let Spot { instruction, shape, .. } = &module.spots[values.all[first].spot];
            let kind = if module.is_entry_parameter(*instruction) {
                Kind::Input
            } else if module.instructions[*instruction].is("constant") {
                Kind::Weight
            } else if outputs[set] {
                Kind::Output
            } else {
                Kind::Intermediate
            };
            let extent = |&extent: &i64| RawDim::Fixed(u64::try_from(extent).unwrap_or(0));
            let extents = shape.dimensions.iter().map(extent).collect();
            let slot = builder.tensor(&values.name(module, first), dtype(shape), extents, kind);
            if let Some(tensor) = builder.tensor_mut(slot) {
                tensor.bytes = Some(values.size_of_set(set));
                tensor.device = memory_name(values.all[first].color);
            }
            self.maker[set] = *instruction;
            self.slots[set] = Some(slot);
        }
    }

    /// What an instruction reads: its operands, or what passes through it.
    fn reads(&self, module: &Module, index: usize, also: &[usize]) -> Listed {
        let instruction = &module.instructions[index];
        let mut here: Vec<usize> = Vec::new();
        if instruction.passes() {
            here.extend(instruction.spots.clone());
        }
        if !instruction.passes() || instruction.is("conditional") {
            here.extend(instruction.operands.iter().flat_map(|&operand| module.instructions[operand].spots.clone()));
        }
        let mut reads = Listed::default();
        for set in here.into_iter().chain(also.iter().copied()).filter_map(|spot| self.shown(self.values.at[spot])) {
            if self.maker[set] != index {
                reads.add(set);
            }
        }
        reads
    }

    fn node(
        &self,
        module: &Module,
        index: usize,
        also: &[usize],
        donors: &BTreeMap<usize, BTreeSet<usize>>,
        builder: &mut Builder,
    ) {
        let instruction = &module.instructions[index];
        let mut reads = self.reads(module, index, also);
        let (mut makes, mut writes) = (Listed::default(), Vec::new());
        let changes = !["while", "conditional", "parameter", "call"].contains(&instruction.proto.opcode.as_str());
        for set in instruction.spots.clone().filter_map(|spot| self.shown(self.values.defined[spot])) {
            if self.maker[set] == index {
                makes.add(set);
            } else if changes {
                writes.push(set);
                reads.add(set);
            }
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (output, set) in (0u32..).zip(&makes.sets) {
            let taken = donors.get(set).into_iter().flatten();
            pairs.extend(taken.filter_map(|donor| reads.position.get(donor)).map(|&input| (input as u32, output)));
        }
        pairs.sort_unstable();
        let slots = |sets: &[usize]| sets.iter().filter_map(|&set| self.slots[set]).collect::<Vec<Slot>>();
        let written: Vec<String> = slots(&writes).into_iter().map(|slot| builder.name_of(slot).to_string()).collect();
        let is_source = instruction.is("constant") || module.is_entry_parameter(index);
        let op = if is_source { "placeholder" } else { &instruction.proto.opcode };
        let node = builder.node(&instruction.proto.name, op, &slots(&reads.sets), &slots(&makes.sets));
        node.inplace = pairs;
        let mut attribute = |key: &str, text: &str| {
            if !text.is_empty() {
                node.attrs_mut().insert(key.to_string(), Attr::Text(text.to_string()));
            }
        };
        if is_source {
            attribute("placeholder_kind", &instruction.proto.opcode);
        } else if makes.sets.is_empty() && writes.is_empty() && instruction.passes() {
            attribute("forwards", "true");
        }
        attribute("mutates", &written.join(","));
        // XLA writes what needs no copy as a bitcast.
        if instruction.is("reshape") {
            attribute("alias", "false");
        }
        if instruction.home != module.entry {
            attribute("computation", &module.computations[instruction.home].proto.name);
        }
        attribute("fusion_kind", &instruction.proto.fusion_kind);
        attribute("target", &instruction.proto.custom_call_target);
        let metadata = instruction.proto.metadata.as_ref();
        attribute("op_name", metadata.map_or("", |metadata| &metadata.op_name));
        let Some(metadata) = metadata else { return };
        if metadata.source_file.is_empty() {
            source::state(node.attrs_mut(), &calls(module, metadata));
        } else {
            attribute("source", &format!("{}:{}", metadata.source_file, metadata.source_line));
        }
    }
}

/// Sets in the order in which they came, each once.
#[derive(Default)]
struct Listed {
    sets: Vec<usize>,
    position: BTreeMap<usize, usize>,
}

impl Listed {
    fn add(&mut self, set: usize) {
        if let Entry::Vacant(vacant) = self.position.entry(set) {
            vacant.insert(self.sets.len());
            self.sets.push(set);
        }
    }
}

/// The name of the memory of a colour other than 0, the default.
pub fn memory_name(color: i64) -> Option<String> {
    (color != 0).then(|| format!("memory {color}"))
}

/// The calls in the program that an instruction comes from, the innermost first.
fn calls<'m>(module: &'m Module, metadata: &OpMetadata) -> Vec<Call<'m>> {
    // Ids count from 1; 0 is none.
    fn of<T>(list: &[T], id: i64) -> Option<&T> {
        list.get(usize::try_from(id.checked_sub(1)?).ok()?)
    }
    let mut calls = Vec::new();
    let Some(stack) = module.proto.stack.as_ref() else { return calls };
    let mut frame = of(&stack.frames, metadata.frame);
    while let Some(here) = frame.filter(|_| calls.len() < MAX_CALLS) {
        let place = of(&stack.locations, here.location);
        let call = place.and_then(|place| {
            let function = of(&stack.functions, place.function).map_or("", String::as_str);
            Some(Call { path: of(&stack.files, place.file)?, line: place.line.try_into().ok(), function, code: "" })
        });
        calls.extend(call);
        frame = of(&stack.frames, here.parent);
    }
    calls
}

/// The sentence for shapes that a graph cannot have.
pub fn rank_fault(module: &Module) -> Option<Message> {
    let most = module.spots.iter().map(|spot| spot.shape.dimensions.len()).max()?;
    (most > MAX_RANK).then(|| Message::new("fault.rank").count("limit", MAX_RANK))
}

/// Most extents of a shape.
const MAX_RANK: usize = 64;
