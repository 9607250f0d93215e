//! The graph: one node a step, one tensor for all values that must lie in one place.

use std::collections::{BTreeMap, BTreeSet};

use super::module::{Module, Spot};
use super::values::{Values, dtype};
use crate::base::Message;
use crate::graph::{Attr, Kind, RawDim};
use crate::import::build::{Builder, Slot};

/// The tensor of each set of values, by the first value of the set; none for tables and for what never lives.
pub type Slots = Vec<Option<Slot>>;

/// Puts tensors and nodes into a builder. `takeovers`: pairs `(giver, taker)` of values of different sets.
pub fn build(module: &Module, values: &Values, takeovers: &[(usize, usize)], builder: &mut Builder) -> Slots {
    let outputs = values.outputs(module);
    let mut sets: Vec<usize> = (0..values.sets.len()).collect();
    sets.retain(|&set| values.sets[set].first().is_some_and(|&first| !values.is_table(module, first)));
    let start = |set: usize| values.sets[set].first().and_then(|&first| values.all[first].live).map(|live| live.0);
    sets.sort_by_key(|&set| (start(set), set));
    builder.reserve(sets.len(), module.order.len());
    let mut slots: Slots = vec![None; values.all.len()];
    let mut maker = vec![usize::MAX; values.all.len()];
    let mut sizes = vec![0; values.all.len()];
    for set in sets {
        let first = values.sets[set][0];
        let Spot { instruction, shape, .. } = &module.spots[values.all[first].spot];
        let kind = match () {
            () if module.is_entry_parameter(*instruction) => Kind::Input,
            () if module.instructions[*instruction].is("constant") => Kind::Weight,
            () if outputs[set] => Kind::Output,
            () => Kind::Intermediate,
        };
        let extent = |&extent: &i64| RawDim::Fixed(u64::try_from(extent).unwrap_or(0));
        let extents = shape.dimensions.iter().map(extent).collect();
        let slot = builder.tensor(&values.name(module, first), dtype(shape), extents, kind);
        maker[set] = *instruction;
        sizes[set] = values.sets[set].iter().map(|&value| values.all[value].size).max().unwrap_or(0);
        if let Some(tensor) = builder.tensor_mut(slot) {
            tensor.bytes = Some(sizes[set]);
            tensor.device = memory_name(values.all[first].color);
        }
        slots[set] = Some(slot);
    }
    let mut givers: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(giver, taker) in takeovers {
        let (giver, taker) = (values.all[giver].set, values.all[taker].set);
        // A permission is for the same number of bytes; smaller results lie in larger operands too.
        if sizes[giver] == sizes[taker] {
            givers.entry(taker).or_default().insert(giver);
        }
    }
    // What a condition computes is read by whatever runs next.
    let mut conditions: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for &index in &module.order {
        let instruction = &module.instructions[index];
        let condition = instruction.called.get(1).filter(|_| instruction.is("while"));
        let condition = condition.map(|&condition| &module.computations[condition]);
        if let Some((root, (_, end))) = condition.and_then(|condition| condition.root.zip(condition.span)) {
            conditions.entry(end).or_default().extend(module.spot(root, []));
        }
    }
    for (step, &index) in (0u32..).zip(&module.order) {
        let instruction = &module.instructions[index];
        let mut here: Vec<usize> = Vec::new();
        if instruction.passes() {
            here.extend(instruction.spots.clone());
        }
        if !instruction.passes() || instruction.is("conditional") {
            here.extend(instruction.operands.iter().flat_map(|&operand| module.instructions[operand].spots.clone()));
        }
        here.extend(conditions.remove(&step).into_iter().flatten());
        let shown = |spot: Option<usize>| {
            let set = values.all[spot?].set;
            slots[set].map(|_| set)
        };
        let (mut reads, mut seen) = (Vec::new(), BTreeMap::new());
        for set in here.into_iter().filter_map(|spot| shown(values.at[spot])) {
            if maker[set] != index && !seen.contains_key(&set) {
                seen.insert(set, reads.len());
                reads.push(set);
            }
        }
        let (mut makes, mut writes) = (Vec::new(), Vec::new());
        let changes = !["while", "conditional", "parameter", "call"].contains(&instruction.proto.opcode.as_str());
        for set in instruction.spots.clone().filter_map(|spot| shown(values.defined[spot])) {
            if maker[set] == index {
                if !makes.contains(&set) {
                    makes.push(set);
                }
            } else if changes {
                writes.push(set);
                if !seen.contains_key(&set) {
                    seen.insert(set, reads.len());
                    reads.push(set);
                }
            }
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (output, set) in (0u32..).zip(&makes) {
            let taken = givers.get(set).into_iter().flatten();
            pairs.extend(taken.filter_map(|giver| seen.get(giver)).map(|&input| (input as u32, output)));
        }
        pairs.sort_unstable();
        let names_of = |sets: &[usize]| sets.iter().filter_map(|&set| slots[set]).collect::<Vec<Slot>>();
        let (inputs, made) = (names_of(&reads), names_of(&makes));
        let written: Vec<String> =
            names_of(&writes).into_iter().map(|slot| builder.name_of(slot).to_string()).collect();
        let is_source = instruction.is("constant") || module.is_entry_parameter(index);
        let op = if is_source { "placeholder" } else { &instruction.proto.opcode };
        let node = builder.node(&instruction.proto.name, op, &inputs, &made);
        node.inplace = pairs;
        let mut attribute = |key: &str, text: &str| {
            if !text.is_empty() {
                node.attrs.insert(key.to_string(), Attr::Text(text.to_string()));
            }
        };
        if is_source {
            attribute("placeholder_kind", &instruction.proto.opcode);
        } else if makes.is_empty() && writes.is_empty() && instruction.passes() {
            attribute("forwards", "true");
        }
        attribute("mutates", &written.join(","));
        if instruction.home != module.entry {
            attribute("computation", &module.computations[instruction.home].proto.name);
        }
        attribute("fusion_kind", &instruction.proto.fusion_kind);
        attribute("target", &instruction.proto.custom_call_target);
        let metadata = instruction.proto.metadata.as_ref();
        attribute("op_name", metadata.map_or("", |metadata| &metadata.op_name));
        attribute("source", &source(module, index).unwrap_or_default());
    }
    slots
}

/// The name of the memory of a colour other than 0, the default.
pub fn memory_name(color: i64) -> Option<String> {
    (color != 0).then(|| format!("memory {color}"))
}

/// File and line of the program that an instruction comes from.
fn source(module: &Module, instruction: usize) -> Option<String> {
    let metadata = module.instructions[instruction].proto.metadata.as_ref()?;
    if !metadata.source_file.is_empty() {
        return Some(format!("{}:{}", metadata.source_file, metadata.source_line));
    }
    // Ids count from 1.
    fn of<T>(list: &[T], id: i64) -> Option<&T> {
        list.get(usize::try_from(id.checked_sub(1)?).ok()?)
    }
    let stack = module.proto.stack.as_ref()?;
    let place = of(&stack.locations, of(&stack.frames, metadata.frame)?.location)?;
    Some(format!("{}:{}", of(&stack.files, place.file)?, place.line))
}

/// The sentence for shapes that a graph cannot have.
pub fn rank_fault(module: &Module) -> Option<Message> {
    let most = module.spots.iter().map(|spot| spot.shape.dimensions.len()).max()?;
    (most > MAX_RANK).then(|| Message::new("fault.rank").count("limit", MAX_RANK))
}

/// Most extents of a shape.
const MAX_RANK: usize = 64;
