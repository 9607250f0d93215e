//! The plan of a graph: values that are joined, then groups of them, the largest first, each in
//! the smallest gap.

use super::model::{Model, Node};
use crate::live_index::LiveIndex;
use memplan_core::base::{IdVec, align_up};
use memplan_core::problem::{BufferId, Live};
use memplan_core::trace::Note;

/// Values that lie on the same bytes one after the other, or the bytes that the graphs of a node
/// need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The name that decides between equal sizes: that of its last value.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// Positions in which it lives: 0 before the first node, `i + 1` at node `i`, one more behind
    /// the last.
    pub live: Live,
    /// Its first byte is a multiple of this.
    pub align: u64,
    /// Index of its memory.
    pub memory: u32,
    /// Its values, each made from the one before; empty for the bytes of a node's graphs.
    pub members: Vec<u32>,
}

/// What was found of an operand that a result might lie on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Join {
    /// The result.
    pub result: u32,
    /// The operand.
    pub operand: u32,
    /// Whether it is joined, and why not; the bytes of both where they differ.
    pub note: (Note, u64, u64),
}

/// A graph's values before they are placed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grouped {
    /// The groups in the order in which they are placed.
    pub groups: Vec<Group>,
    /// Operands that were looked at, in order of the nodes.
    pub joins: Vec<Join>,
    /// The sum of all values, joined or not, in bytes.
    pub naive: u64,
    /// Values that are not planned.
    pub unplanned: Vec<u32>,
    /// The bytes kept free for the graphs of nodes.
    pub reserved: u64,
    /// Plans of the graphs of nodes, by name.
    pub subgraphs: Vec<(String, Laid)>,
}

/// A graph's plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Laid {
    /// The values in groups.
    pub grouped: Grouped,
    /// First byte and bytes of each value that is planned.
    pub offsets: Vec<Option<(u64, u64)>>,
    /// Bytes of the arena.
    pub arena: u64,
}

/// Plans a graph by itself, with the graphs of its nodes.
pub fn lay(model: &Model) -> Laid {
    let grouped = group(model);
    let mut offsets = vec![None; model.values.len()];
    let mut arena = 0;
    let mut placer = Placer::new(&grouped.groups, None);
    for (number, group) in grouped.groups.iter().enumerate() {
        let offset = placer.place(number).offset;
        arena = arena.max(offset + group.size);
        group.members.iter().for_each(|&value| offsets[value as usize] = Some((offset, group.size)));
    }
    Laid { grouped, offsets, arena }
}

/// First position and the one after the last of each value; none for those of other graphs.
fn lives(model: &Model) -> Vec<Option<Live>> {
    let behind = model.nodes.len() as u32 + 1;
    let mut made: Vec<Option<u32>> = model.values.iter().map(|value| value.is_input.then_some(0)).collect();
    let mut last: Vec<Option<u32>> = vec![None; model.values.len()];
    for (node, at) in model.nodes.iter().zip(1..) {
        node.inputs.iter().flatten().for_each(|&value| last[value as usize] = Some(at));
        node.outputs.iter().flatten().for_each(|&value| made[value as usize] = Some(at));
    }
    let live = |(value, (made, last)): (&super::model::Value, (Option<u32>, Option<u32>))| {
        let start = made.filter(|_| !value.is_weight)?;
        let end = match value.scratch_of {
            Some(node) => node + 1,
            None if value.is_output => behind,
            // What nobody reads stays to the end.
            None => last.unwrap_or(behind),
        };
        Some(Live::new(start, end.max(start) + 1))
    };
    model.values.iter().zip(made.into_iter().zip(last)).map(live).collect()
}

/// Joins values, and puts them and the bytes of graphs in the order of placing.
pub fn group(model: &Model) -> Grouped {
    let values = &model.values;
    let lives = lives(model);
    let mut reads = vec![0u32; values.len()];
    for &value in model.nodes.iter().flat_map(|node| node.inputs.iter().flatten()) {
        reads[value as usize] += 1;
    }
    let mut grouped = Grouped::default();
    let mut donor: Vec<Option<u32>> = vec![None; values.len()];
    let mut has_taker = vec![false; values.len()];
    for node in &model.nodes {
        for join in joins(model, node, &reads) {
            if join.note.0 == Note::InPlaceDies {
                donor[join.result as usize] = Some(join.operand);
                has_taker[join.operand as usize] = true;
            }
            grouped.joins.push(join);
        }
    }
    for (number, value) in (0u32..).zip(values) {
        let (Some(_), false) = (lives[number as usize], has_taker[number as usize]) else { continue };
        // The chain that ends with this value.
        let mut members = vec![number];
        while let Some(before) = members.last().and_then(|&last| donor[last as usize]) {
            members.push(before);
        }
        members.reverse();
        members.retain(|&member| lives[member as usize].is_some());
        let Some(size) = value.size else {
            grouped.unplanned.extend(members);
            continue;
        };
        let own = members.iter().filter_map(|&member| lives[member as usize]);
        let (start, end) = own.fold((u32::MAX, 0), |(start, end), live| (start.min(live.start), end.max(live.end)));
        grouped.naive += size * members.len() as u64;
        let name = match value.scratch_of {
            Some(node) => format!("{}#reserved", model.nodes[node as usize].key(node as usize, values)),
            None => value.name.clone(),
        };
        let align = members.iter().fold(1, |align, &member| values[member as usize].align.max(align));
        grouped.groups.push(Group { name, size, live: Live::new(start, end), align, memory: value.memory, members });
    }
    grouped.unplanned.sort_by(|&a, &b| values[a as usize].name.cmp(&values[b as usize].name));
    for (number, node) in model.nodes.iter().enumerate().filter(|(_, node)| !node.subgraphs.is_empty()) {
        let key = node.key(number, values);
        let mut need = 0;
        for (index, subgraph) in node.subgraphs.iter().enumerate() {
            let laid = lay(subgraph);
            need += laid.arena;
            grouped.subgraphs.push((format!("{key}#{index}"), laid));
        }
        if need > 0 {
            grouped.reserved += need;
            let at = number as u32 + 1;
            let (live, name) = (Live::new(at, at + 1), format!("{key}#reserved"));
            grouped.groups.push(Group { name, size: need, live, align: 1, memory: 0, members: Vec::new() });
        }
    }
    grouped.groups.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.name.cmp(&b.name)));
    grouped
}

/// What becomes of the operands that the result of a node might lie on; the last one is joined, if
/// any is.
fn joins(model: &Model, node: &Node, reads: &[u32]) -> Vec<Join> {
    let mut joins = Vec::new();
    for (operand, result) in node.pairs() {
        let (Some(operand), Some(result)) = (operand, result) else { continue };
        let taken =
            |join: &Join| join.note.0 == Note::InPlaceDies && (join.result == result || join.operand == operand);
        if operand == result || joins.iter().any(taken) {
            continue;
        }
        let (from, to) = (&model.values[operand as usize], &model.values[result as usize]);
        let note = match (from.size, to.size) {
            _ if from.is_input || from.is_output || from.is_weight || from.scratch_of.is_some() => {
                (Note::InPlaceKind, 0, 0)
            }
            _ if to.is_weight || to.is_input || to.scratch_of.is_some() => (Note::InPlaceKind, 0, 0),
            _ if reads[operand as usize] != 1 => (Note::InPlaceReadMore, 0, 0),
            _ if from.memory != to.memory => (Note::InPlaceMemory, 0, 0),
            (Some(input), Some(output)) if input == output => (Note::InPlaceDies, 0, 0),
            (Some(input), Some(output)) => (Note::InPlaceBytes, input, output),
            _ => continue,
        };
        joins.push(Join { result, operand, note });
    }
    joins
}

/// Returns true for two groups that do not live at the same time and must stay apart all the same.
pub type Bars<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Places groups one after the other, each in the smallest gap between those that live at some
/// common time, the lowest of equals; else behind all of them.
pub struct Placer<'a> {
    groups: &'a [Group],
    bars: Option<Bars<'a>>,
    index: LiveIndex<BufferId>,
    /// First byte of each group that is placed, in order.
    offsets: Vec<u64>,
}

/// Where a group lies, and what was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// First byte.
    pub offset: u64,
    /// Whether it lies in a gap.
    pub is_gap: bool,
    /// Gaps as `(first byte, size)`, lowest first.
    pub gaps: Vec<(u64, u64)>,
    /// The byte behind all that lives at some common time.
    pub end: u64,
    /// Groups in the way only to keep branches parallel.
    pub barred: Vec<usize>,
}

impl<'a> Placer<'a> {
    /// None is placed yet; they are to be placed in order. `bars` is asked only if it is given.
    pub fn new(groups: &'a [Group], bars: Option<Bars<'a>>) -> Placer<'a> {
        let lives: IdVec<BufferId, Live> = groups.iter().map(|group| group.live).collect();
        Placer { groups, bars, index: LiveIndex::over(&lives), offsets: Vec::with_capacity(groups.len()) }
    }

    /// First byte and the one after the last of a group that is placed.
    pub fn span(&self, number: usize) -> (u64, u64) {
        (self.offsets[number], self.offsets[number] + self.groups[number].size)
    }

    /// Places the next group, whose number is `number`.
    pub fn place(&mut self, number: usize) -> Found {
        let own = &self.groups[number];
        let mut near = Vec::new();
        self.index.each_meeting(own.live, |BufferId(other)| {
            if self.groups[other as usize].memory == own.memory {
                near.push(self.span(other as usize));
            }
        });
        let mut found = Found::default();
        if let Some(bars) = self.bars {
            let meets = |other: usize| self.groups[other].live.meets(own.live);
            let barred = (0..number)
                .filter(|&other| self.groups[other].memory == own.memory && !meets(other) && bars(other, number));
            found.barred = barred.collect();
            near.extend(found.barred.iter().map(|&other| self.span(other)));
        }
        near.sort_unstable();
        let mut best: Option<u64> = None;
        for &(from, to) in &near {
            if from > found.end {
                found.gaps.push((found.end, from - found.end));
            }
            let start = align_up(found.end, own.align);
            if let Some(gap) = from.checked_sub(start)
                && gap >= own.size
                && best.is_none_or(|least| gap < least)
            {
                (best, found.offset) = (Some(gap), start);
            }
            found.end = found.end.max(to);
        }
        found.is_gap = best.is_some();
        if !found.is_gap {
            found.offset = align_up(found.end, own.align);
        }
        self.offsets.push(found.offset);
        self.index.insert(BufferId(number as u32));
        found
    }
}
