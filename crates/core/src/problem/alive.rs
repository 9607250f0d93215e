//! What is alive at the step of the largest load: who makes each buffer, who reads it last, and
//! what the bound would be without it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Buffer, BufferClass, BufferId, Classes, Live, Load, Problem, load, loads, lower_bound};
use crate::base::{Id, IdVec};
use crate::graph::{Attr, Graph, Kind, NodeId, TensorId};
use std::cell::OnceCell;

/// A buffer holds less than one in so many parts of the load: it is listed with the others of that
/// size.
const SMALL: u64 = 100;

/// The load over all steps, and the steps at which it is largest.
#[derive(Debug, Default)]
pub struct Fullest {
    /// Bytes alive over time, all memories together.
    pub load: Load,
    /// The largest load in bytes.
    pub most: u64,
    /// The lower bound in bytes: more than `most` if memories are fullest at different steps.
    pub bound: u64,
    /// The stretches of steps at which the load is the largest, in order; empty if nothing takes
    /// bytes.
    pub stretches: Vec<Live>,
    /// One for each memory, worked out when first asked for.
    memories: OnceCell<Vec<Filled>>,
}

/// By how much the bound falls when a buffer is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Falls {
    /// Bytes.
    pub bytes: u64,
    /// The first step that stays as full, if the bound does not fall.
    pub stays: Option<u32>,
}

/// A buffer that is alive at a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alive {
    /// The buffer.
    pub buffer: BufferId,
    /// Bytes in use at the step.
    pub bytes: u64,
    /// The node that makes it; none if it comes from outside, or without a graph.
    pub maker: Option<NodeId>,
    /// The last node that reads it; none if no node does, if it is handed to the caller, or without
    /// a graph.
    pub reader: Option<NodeId>,
}

/// What the buffers of a group have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shared {
    /// The module that makes them, without what all modules of the list have in common.
    Module(String),
    /// The line of the user's program that makes them.
    Line(SourceLine),
    /// What training holds them for.
    Class(BufferClass),
    /// No node makes them: inputs and weights.
    Outside,
    /// They are in none of the other groups.
    Rest,
    /// Nothing is known of modules, and the group is all there is.
    All,
}

/// A line of a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    /// File and number of the line, or the words of a call.
    pub place: String,
    /// The text of the line; empty if it is not known.
    pub code: String,
}

/// Buffers that belong together, largest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AliveGroup {
    /// What they have in common.
    pub shared: Shared,
    /// The buffers.
    pub rows: Vec<Alive>,
    /// Bytes of these.
    pub bytes: u64,
}

/// All that is alive at a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AliveList {
    /// The step.
    pub step: u32,
    /// Bytes in use, all memories together: the sum of all rows.
    pub load: u64,
    /// The largest buffer that the step makes.
    pub made: Option<BufferId>,
    /// Groups, the one with the most bytes first.
    pub groups: Vec<AliveGroup>,
    /// Buffers of less than 1 % of the load, largest first, if there are at least two of them.
    pub small: Vec<Alive>,
}

/// The load of one memory.
#[derive(Debug)]
struct Filled {
    load: Load,
    /// The largest load.
    most: u64,
    /// A binary tree over the changes of the load, its root at 1: the largest load beneath each
    /// node.
    largest: Vec<u64>,
    leaves: usize,
    /// The two largest buffers with gaps: no plan is lower than the larger one.
    holed: [(u64, Option<BufferId>); 2],
}

impl Fullest {
    /// Works out the load of a problem. Depends on the number of buffers and not on that of steps.
    pub fn new(problem: &Problem) -> Fullest {
        let load = load(problem, |_| true);
        let most = load.max();
        let full = |(.., bytes): &(u32, u32, u64)| most > 0 && *bytes == most;
        let stretches = load.stretches(0, problem.steps).filter(full);
        let stretches = stretches.map(|(start, end, _)| Live::new(start, end)).collect();
        Fullest { most, bound: lower_bound(problem), stretches, load, memories: OnceCell::new() }
    }

    /// The first step of the largest load.
    pub fn step(&self) -> Option<u32> {
        self.stretches.first().map(|stretch| stretch.start)
    }

    /// The first step of the next stretch that is as full as any, after the last one the first
    /// again.
    pub fn next(&self, step: u32) -> Option<u32> {
        let later = self.stretches.iter().find(|stretch| stretch.start > step);
        later.map(|stretch| stretch.start).or(self.step())
    }

    /// Number of steps that are as full as any.
    pub fn count(&self) -> u64 {
        self.stretches.iter().map(|stretch| u64::from(stretch.len())).sum()
    }

    /// By how much the bound falls when a buffer is gone.
    pub fn falls(&self, problem: &Problem, id: BufferId) -> Falls {
        let bytes = self.falls_by(problem, id);
        let filled = self.filled(problem, id).filter(|_| bytes == 0);
        Falls { bytes, stays: filled.and_then(|filled| filled.stays(problem, &problem.buffers[id])) }
    }

    /// The bytes of [`Fullest::falls`], quicker where only they are asked for.
    pub fn falls_by(&self, problem: &Problem, id: BufferId) -> u64 {
        let Some(filled) = self.filled(problem, id) else { return 0 };
        let buffer = &problem.buffers[id];
        let parts = parts(buffer).into_iter();
        let inside = parts.map(|(live, used)| filled.largest_in(live.start, live.end) - used).max().unwrap_or(0);
        let outside = filled.largest_in(0, buffer.live.start).max(filled.largest_in(buffer.live.end, u32::MAX));
        let [first, second] = filled.holed;
        let holed = if first.1 == Some(id) { second.0 } else { first.0 };
        filled.most.max(first.0) - inside.max(outside).max(holed)
    }

    fn filled(&self, problem: &Problem, id: BufferId) -> Option<&Filled> {
        let memories = self.memories.get_or_init(|| Filled::all(problem));
        memories.get(problem.buffers[id].memory.index())
    }
}

impl Filled {
    fn all(problem: &Problem) -> Vec<Filled> {
        let mut all: Vec<Filled> = loads(problem, |_| true).iter().map(|load| Filled::new(load.clone())).collect();
        for (id, buffer) in problem.buffers.enumerate().filter(|(_, buffer)| !buffer.gaps.is_empty()) {
            let Some(Filled { holed, .. }) = all.get_mut(buffer.memory.index()) else { continue };
            if buffer.size > holed[0].0 {
                *holed = [(buffer.size, Some(id)), holed[0]];
            } else if buffer.size > holed[1].0 {
                holed[1] = (buffer.size, Some(id));
            }
        }
        all
    }

    fn new(load: Load) -> Filled {
        let changes = load.changes();
        let leaves = changes.len().next_power_of_two();
        let mut largest = vec![0; 2 * leaves];
        changes.iter().zip(&mut largest[leaves..]).for_each(|(&(_, bytes), leaf)| *leaf = bytes);
        for node in (1..leaves).rev() {
            largest[node] = largest[2 * node].max(largest[2 * node + 1]);
        }
        Filled { most: load.max(), load, largest, leaves, holed: [(0, None); 2] }
    }

    /// The largest load of the steps `[from, to)`; 0 without any.
    fn largest_in(&self, from: u32, to: u32) -> u64 {
        let changes = self.load.changes();
        if from >= to {
            return 0;
        }
        // The stretch that `from` lies in begins at or before it.
        let first = changes.partition_point(|&(step, _)| step <= from).saturating_sub(1);
        let after = changes.partition_point(|&(step, _)| step < to);
        let (mut low, mut high, mut most) = (self.leaves + first, self.leaves + after, 0);
        while low < high {
            if low % 2 == 1 {
                most = self.largest[low].max(most);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                most = self.largest[high].max(most);
            }
            (low, high) = (low / 2, high / 2);
        }
        most
    }

    /// The first step that is as full without a buffer as the fullest with it.
    fn stays(&self, problem: &Problem, buffer: &Buffer) -> Option<u32> {
        let Live { start, end } = buffer.live;
        let before = [(Live { start: 0, end: start }, 0)].into_iter();
        let after = [(Live { start: end, end: problem.steps }, 0)];
        let mut all = before.chain(parts(buffer)).chain(after);
        all.find_map(|(live, used)| {
            let mut stretches = self.load.stretches(live.start, live.end);
            stretches.find(|(.., bytes)| bytes - used == self.most).map(|(step, ..)| step)
        })
    }
}

/// The life of a buffer as parts in order of time, each with the bytes of it that are in use.
fn parts(buffer: &Buffer) -> Vec<(Live, u64)> {
    let mut parts = Vec::new();
    let mut reached = buffer.live.start;
    for span in buffer.spans() {
        parts.push((Live { start: reached, end: span.live.start }, 0));
        parts.push((span.live, span.high - span.low));
        reached = span.live.end;
    }
    parts.push((Live { start: reached, end: buffer.live.end }, 0));
    parts.retain(|(live, _)| !live.is_empty());
    parts
}

/// Number of bytes of a buffer that are in use at a step.
fn used(buffer: &Buffer, step: u32) -> u64 {
    let used = buffer.used_at(step);
    used.end - used.start
}

/// Returns what is alive at a step, grouped by the modules of the graph. `graph` is in the order in
/// which it runs.
pub fn alive(problem: &Problem, graph: Option<&Graph>, step: u32) -> AliveList {
    let rows = rows(problem, graph, step);
    let list = alive_list(problem, step, &rows);
    let load = list.load;
    let is_small = |row: &Alive| row.bytes.saturating_mul(SMALL) < load;
    let (small, large): (Vec<Alive>, Vec<Alive>) = rows.iter().cloned().partition(is_small);
    // Where small ones are most of it, they are what there is to see.
    let folds = small.len() > 1 && small.iter().map(|row| row.bytes).sum::<u64>() <= load / 2;
    let (small, large) = if folds { (small, large) } else { (Vec::new(), rows) };
    AliveList { groups: groups(problem, graph, large), small, ..list }
}

/// What is known of all rows together, without groups.
fn alive_list(problem: &Problem, step: u32, rows: &[Alive]) -> AliveList {
    let load = rows.iter().map(|row| row.bytes).sum();
    let made = rows.iter().find(|row| problem.buffers[row.buffer].live.start == step).map(|row| row.buffer);
    AliveList { step, load, made, groups: Vec::new(), small: Vec::new() }
}

/// Returns what is alive at a step, grouped by the lines of the program that make it.
pub fn alive_by_line(problem: &Problem, graph: Option<&Graph>, step: u32) -> AliveList {
    alive_grouped(problem, graph, step, |row| match line(problem, graph, row) {
        Some(line) => Shared::Line(line),
        None if graph.is_some() && row.maker.is_none() => Shared::Outside,
        None => Shared::Rest,
    })
}

/// Returns what is alive at a step, grouped by what training holds it for.
pub fn alive_by_class(problem: &Problem, graph: Option<&Graph>, classes: &Classes, step: u32) -> AliveList {
    alive_grouped(problem, graph, step, |row| Shared::Class(classes.class(row.buffer)))
}

fn alive_grouped(problem: &Problem, graph: Option<&Graph>, step: u32, shared: impl Fn(&Alive) -> Shared) -> AliveList {
    let rows = rows(problem, graph, step);
    let list = alive_list(problem, step, &rows);
    let mut found: BTreeMap<Shared, Vec<Alive>> = BTreeMap::new();
    rows.into_iter().for_each(|row| found.entry(shared(&row)).or_default().push(row));
    let bytes = |rows: &[Alive]| rows.iter().map(|row| row.bytes).sum();
    let group = |(shared, rows): (Shared, Vec<Alive>)| AliveGroup { bytes: bytes(&rows), shared, rows };
    let mut groups: Vec<AliveGroup> = found.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.bytes));
    AliveList { groups, ..list }
}

/// Whether lines of a program are known of anything that a problem plans.
pub fn knows_lines(problem: &Problem, graph: Option<&Graph>) -> bool {
    let has_line = |graph: &Graph| graph.nodes.iter().any(|node| node.attrs.get("source").is_some());
    !problem.stacks.stacks.is_empty() || graph.is_some_and(has_line)
}

/// The line that makes a buffer.
fn line(problem: &Problem, graph: Option<&Graph>, row: &Alive) -> Option<SourceLine> {
    let attrs = graph.zip(row.maker).map(|(graph, maker)| &graph.nodes[maker].attrs);
    let text = |key: &str| match attrs.and_then(|attrs| attrs.get(key)) {
        Some(Attr::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let stack = problem.buffers[row.buffer].stack;
    let place = Some(text("source")).filter(|place| !place.is_empty());
    let place = place.or_else(|| problem.stacks.own_of(stack?).map(str::to_string));
    Some(SourceLine { place: place?, code: text("code") })
}

/// Returns all that is alive at a step in groups, those of less than 1 % of the load too.
pub fn alive_groups(problem: &Problem, graph: Option<&Graph>, step: u32) -> Vec<AliveGroup> {
    groups(problem, graph, rows(problem, graph, step))
}

/// What is alive at a step, largest first.
fn rows(problem: &Problem, graph: Option<&Graph>, step: u32) -> Vec<Alive> {
    let mut rows: Vec<Alive> = Vec::new();
    for (id, buffer) in problem.buffers.enumerate() {
        let bytes = used(buffer, step);
        if bytes > 0 {
            rows.push(Alive { buffer: id, bytes, maker: None, reader: None });
        }
    }
    if let Some(graph) = graph {
        let alive: Vec<BufferId> = rows.iter().map(|row| row.buffer).collect();
        for (row, (maker, reader)) in rows.iter_mut().zip(ends_of(problem, graph, &alive)) {
            (row.maker, row.reader) = (maker, reader);
        }
    }
    rows.sort_by_key(|row| (std::cmp::Reverse(row.bytes), row.buffer));
    rows
}

/// Returns the node that makes a buffer, and the last one that reads it: none for what comes from
/// outside, is handed to the caller or is read by nobody. `graph` is in the order in which it runs.
pub fn ends(graph: &Graph, buffer: &Buffer) -> (Option<NodeId>, Option<NodeId>) {
    let at = |step: u32| graph.nodes.get(NodeId::from_index(step as usize));
    let meets = |tensors: &[TensorId]| meet(tensors, &buffer.tensors);
    let first = at(buffer.live.start);
    let uses = EndUses {
        first_writes: first.is_some_and(|node| meets(&node.outputs)),
        first_reads: first.is_some_and(|node| meets(&node.inputs)),
        last_reads: at(last_step(buffer)).is_some_and(|node| meets(&node.inputs)),
    };
    ends_by(graph, buffer, &OnceCell::new(), uses)
}

/// The last node that reads each tensor.
struct LastReads {
    by_tensor: IdVec<TensorId, Option<NodeId>>,
}

impl LastReads {
    fn of(graph: &Graph) -> LastReads {
        let mut by_tensor = IdVec::from_elem(None, graph.tensors.len());
        for (id, node) in graph.nodes.enumerate() {
            node.inputs.iter().for_each(|&input| by_tensor[input] = Some(id));
        }
        LastReads { by_tensor }
    }
}

/// Returns the same of several buffers. The tensors of a node are gone through once, however many
/// of the buffers it makes or reads.
fn ends_of(problem: &Problem, graph: &Graph, buffers: &[BufferId]) -> Vec<(Option<NodeId>, Option<NodeId>)> {
    // The position in `buffers` of the one that holds a tensor.
    let mut holder = IdVec::from_elem(None::<usize>, graph.tensors.len());
    let mut steps = BTreeSet::new();
    for (at, &id) in buffers.iter().enumerate() {
        let buffer = &problem.buffers[id];
        buffer
            .tensors
            .iter()
            .filter(|tensor| tensor.index() < graph.tensors.len())
            .for_each(|&tensor| holder[tensor] = Some(at));
        steps.extend([buffer.live.start, last_step(buffer)]);
    }
    let mut uses = vec![EndUses::default(); buffers.len()];
    for step in steps {
        let Some(node) = graph.nodes.get(NodeId::from_index(step as usize)) else { continue };
        let of = |tensor: &TensorId| holder[*tensor].map(|at| (at, &problem.buffers[buffers[at]]));
        for (at, buffer) in node.outputs.iter().filter_map(of) {
            uses[at].first_writes |= buffer.live.start == step;
        }
        for (at, buffer) in node.inputs.iter().filter_map(of) {
            uses[at].first_reads |= buffer.live.start == step;
            uses[at].last_reads |= last_step(buffer) == step;
        }
    }
    let last_reads = OnceCell::new();
    buffers.iter().zip(uses).map(|(&id, uses)| ends_by(graph, &problem.buffers[id], &last_reads, uses)).collect()
}

/// The last step at which a buffer is alive.
fn last_step(buffer: &Buffer) -> u32 {
    buffer.live.end.saturating_sub(1)
}

/// Whether the nodes at the ends of the life of a buffer use it.
#[derive(Clone, Copy, Default)]
struct EndUses {
    /// The first node writes it.
    first_writes: bool,
    /// The first node reads it.
    first_reads: bool,
    /// The last node reads it.
    last_reads: bool,
}

/// The ends of a buffer.
fn ends_by(
    graph: &Graph,
    buffer: &Buffer,
    last_reads: &OnceCell<LastReads>,
    uses: EndUses,
) -> (Option<NodeId>, Option<NodeId>) {
    let node = |step: u32| {
        let id = NodeId::from_index(step as usize);
        graph.nodes.get(id).map(|node| (id, node))
    };
    // What is made in storage that is there already does not make it.
    let makes = uses.first_writes && !uses.first_reads;
    let maker = node(buffer.live.start).filter(|(_, node)| makes && !node.is_placeholder());
    let reader = node(last_step(buffer)).filter(|_| buffer.kind != Kind::Output && uses.last_reads);
    // What the caller keeps outlives its last reader.
    let earlier = || {
        if buffer.kind != Kind::Input {
            return None;
        }
        let last_reads = last_reads.get_or_init(|| LastReads::of(graph)).by_tensor.as_slice();
        let reads = buffer.tensors.iter().filter_map(|tensor| *last_reads.get(tensor.index())?);
        reads.max().filter(|reader| buffer.live.contains(reader.0))
    };
    (maker.map(|(id, _)| id), reader.map(|(id, _)| id).or_else(earlier))
}

/// Pairs of tensors that are compared one by one; beyond, one list is sorted first.
const FEW_PAIRS: usize = 4096;

/// Returns whether two lists have a tensor in common.
pub fn meet(some: &[TensorId], others: &[TensorId]) -> bool {
    let (short, long) = if some.len() < others.len() { (some, others) } else { (others, some) };
    if short.len().saturating_mul(long.len()) <= FEW_PAIRS || short.len() == 1 {
        return long.iter().any(|tensor| short.contains(tensor));
    }
    let mut short = short.to_vec();
    short.sort();
    long.iter().any(|tensor| short.binary_search(tensor).is_ok())
}

/// Groups rows by the deepest module that makes at least two of them.
fn groups(problem: &Problem, graph: Option<&Graph>, rows: Vec<Alive>) -> Vec<AliveGroup> {
    let paths: Vec<Vec<&str>> = rows.iter().map(|row| module(problem, graph, row)).collect();
    // How much of its path names the group of a row.
    let mut of: Vec<Option<usize>> = vec![None; rows.len()];
    let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
    for depth in (1..=deepest).rev() {
        let mut together: BTreeMap<&[&str], Vec<usize>> = BTreeMap::new();
        for (index, path) in
            paths.iter().enumerate().filter(|(index, path)| of[*index].is_none() && path.len() >= depth)
        {
            together.entry(&path[..depth]).or_default().push(index);
        }
        for members in together.into_values().filter(|members| members.len() > 1) {
            members.into_iter().for_each(|index| of[index] = Some(depth));
        }
    }
    let stated: Vec<&Vec<&str>> = paths.iter().filter(|path| !path.is_empty()).collect();
    let common = stated.first().map_or(0, |first| {
        let same = |depth: &usize| stated.iter().all(|path| path.len() > depth + 1 && path[*depth] == first[*depth]);
        (0..first.len()).take_while(same).count()
    });
    // What all modules of the list have in common does not describe a group.
    of.iter_mut().for_each(|depth| *depth = depth.take().filter(|&depth| depth > common || common == deepest));
    let has_modules = of.iter().any(Option::is_some);
    let mut found: BTreeMap<(u8, String), Vec<Alive>> = BTreeMap::new();
    for ((row, path), depth) in rows.iter().zip(&paths).zip(of) {
        let from_outside = graph.is_some() && row.maker.is_none();
        let key = match depth {
            Some(depth) => (0, path[common.min(depth - 1)..depth].join(".")),
            None if !has_modules => (3, String::new()),
            None if from_outside => (1, String::new()),
            None => (2, String::new()),
        };
        found.entry(key).or_default().push(row.clone());
    }
    let group = |((kind, name), rows): ((u8, String), Vec<Alive>)| AliveGroup {
        shared: match kind {
            0 => Shared::Module(name),
            1 => Shared::Outside,
            2 => Shared::Rest,
            _ => Shared::All,
        },
        bytes: rows.iter().map(|row| row.bytes).sum(),
        rows,
    };
    let mut groups: Vec<AliveGroup> = found.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.bytes));
    groups
}

/// The components of the module that makes a buffer: as the graph states them, else the folders of
/// the buffer's name.
fn module<'a>(problem: &'a Problem, graph: Option<&'a Graph>, row: &Alive) -> Vec<&'a str> {
    let stated = graph.zip(row.maker).and_then(|(graph, maker)| match graph.nodes[maker].attrs.get("module") {
        Some(Attr::Text(module)) => Some(module),
        _ => None,
    });
    if let Some(module) = stated {
        return module.split('.').filter(|part| !part.is_empty()).collect();
    }
    // TFLite joins the names of operators that it has fused.
    let name = problem.buffers[row.buffer].name.split(';').next().unwrap_or_default();
    let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Dtype, RawDim, RawGraph, RawNode, RawTensor};
    use crate::problem::{Gap, Memory, MemoryId, crowd, lower_bound_of, sample};

    fn all_agree(problem: &Problem) {
        let fullest = Fullest::new(problem);
        let whole = lower_bound(problem);
        for id in problem.buffers.ids() {
            let falls = fullest.falls(problem, id);
            assert_eq!(
                falls.bytes,
                whole - lower_bound_of(problem, |other| other != id),
                "{}",
                problem.buffers[id].name
            );
            let buffer = &problem.buffers[id];
            if let Some(step) = falls.stays {
                let memory = load(problem, |other| other != id && problem.buffers[other].memory == buffer.memory);
                assert_eq!(memory.at(step), memory.max());
                assert!(memory.stretches(0, step).all(|(.., bytes)| bytes < memory.max()), "the first such step");
            }
        }
    }

    #[test]
    fn the_bound_falls_as_if_it_were_worked_out_anew() {
        let mut problem = sample(120, 7);
        all_agree(&problem);
        all_agree(&crowd(60, 20));
        problem.memories.push(Memory { device: "other".into(), mem_id: None });
        let last = MemoryId::from_index(problem.memories.len() - 1);
        for (number, buffer) in problem.buffers.iter_mut().enumerate() {
            if number % 3 == 0 {
                buffer.memory = last;
            }
            if number % 4 == 0 {
                // In every other gap a part of the bytes stays in use.
                let window = (number % 8 == 0).then_some((buffer.size / 4, buffer.size / 2));
                buffer.gaps = vec![Gap { live: Live::new(buffer.live.start, buffer.live.start + 1), window }];
            }
        }
        all_agree(&problem);
    }

    #[test]
    fn lines_of_the_program_hold_what_they_make() {
        let mut raw = RawGraph { name: "net".into(), ..RawGraph::default() };
        for (name, kind) in
            [("x", Kind::Input), ("a", Kind::Intermediate), ("b", Kind::Intermediate), ("y", Kind::Output)]
        {
            let (dtype, shape) = (Some(Dtype::Int8), Some(vec![RawDim::Fixed(4)]));
            raw.tensors.push(RawTensor {
                name: Some(name.into()),
                dtype,
                shape,
                kind: Some(kind),
                ..RawTensor::default()
            });
        }
        for (inputs, output, line) in [(&["x"][..], "a", 7), (&["x"], "b", 7), (&["a", "b"], "y", 8)] {
            let mut node = RawNode {
                name: Some(format!("make {output}")),
                op: Some("op".into()),
                inputs: inputs.iter().map(|name| name.to_string()).collect(),
                outputs: vec![output.into()],
                ..RawNode::default()
            };
            node.attrs_mut().insert("source".into(), Attr::Text(format!("net.py:{line}")));
            node.attrs_mut().insert("code".into(), Attr::Text("x = f(x)".into()));
            raw.nodes.push(node);
        }
        let (graph, _) = crate::graph::check(raw).expect("a valid graph");
        let problem = crate::problem::lifetimes(&graph, &crate::problem::Scope::default()).expect("sizes");
        let list = alive_by_line(&problem, Some(&graph), 1);
        let line = |line| Shared::Line(SourceLine { place: format!("net.py:{line}"), code: "x = f(x)".into() });
        let found: Vec<_> =
            list.groups.iter().map(|group| (group.shared.clone(), group.rows.len(), group.bytes)).collect();
        assert_eq!(found, [(line(7), 2, 8), (Shared::Outside, 1, 4)]);
        assert_eq!((list.load, list.small.len()), (12, 0));
        assert!(knows_lines(&problem, Some(&graph)) && !knows_lines(&problem, None));
    }

    #[test]
    fn stacks_of_calls_state_the_line_without_a_graph() {
        let mut problem = sample(4, 1);
        let mut stacks = crate::problem::Stacks {
            frames: vec!["alloc lib.py:1".into(), "main net.py:9".into()],
            ..Default::default()
        };
        let stack = stacks.add(vec![0, 1], 1);
        problem.stacks = std::sync::Arc::new(stacks);
        problem.buffers.iter_mut().for_each(|buffer| buffer.stack = Some(stack));
        let step = problem.buffers[BufferId(0)].live.start;
        let list = alive_by_line(&problem, None, step);
        let line = Shared::Line(SourceLine { place: "main net.py:9".into(), code: String::new() });
        assert_eq!(list.groups.iter().map(|group| group.shared.clone()).collect::<Vec<_>>(), [line]);
    }

    /// Going through all tensors of a node for each of them would take an hour.
    #[test]
    fn a_node_of_two_hundred_thousand_tensors_is_gone_through_once() {
        let count = 200_000u32;
        let mut raw = RawGraph { name: "wide".into(), ..RawGraph::default() };
        let mut tensor = |name: String, kind: Kind| {
            let (dtype, shape) = (Some(Dtype::Int8), Some(vec![RawDim::Fixed(4)]));
            raw.tensors.push(RawTensor { name: Some(name), dtype, shape, kind: Some(kind), ..RawTensor::default() });
        };
        tensor("x".into(), Kind::Input);
        (0..count).for_each(|number| tensor(format!("t{number}"), Kind::Intermediate));
        tensor("y".into(), Kind::Output);
        let parts = || (0..count).map(|number| format!("t{number}")).collect::<Vec<_>>();
        let node = |name: &str, inputs, outputs| RawNode {
            name: Some(name.into()),
            op: Some(name.into()),
            inputs,
            outputs,
            ..RawNode::default()
        };
        raw.nodes = vec![node("split", vec!["x".into()], parts()), node("cat", parts(), vec!["y".into()])];
        let (graph, _) = crate::graph::check(raw).expect("a valid graph");
        let problem = crate::problem::lifetimes(&graph, &crate::problem::Scope::default()).expect("sizes");
        let list = alive(&problem, Some(&graph), 1);
        let rows: Vec<&Alive> = list.groups.iter().flat_map(|group| &group.rows).chain(&list.small).collect();
        assert!(rows.len() > count as usize);
        let inner = rows.iter().filter(|row| problem.buffers[row.buffer].kind == Kind::Intermediate);
        let (split, cat) = (Some(NodeId(0)), Some(NodeId(1)));
        assert!(inner.clone().all(|row| (row.maker, row.reader) == (split, cat)) && inner.count() == count as usize);
        let one = &problem.buffers[rows[rows.len() / 2].buffer];
        assert_eq!(ends(&graph, one), (split, cat));
    }

    #[test]
    fn a_list_without_a_graph_is_one_group_and_an_empty_one_has_no_fullest_step() {
        let list = alive(&sample(20, 3), None, 4);
        assert!(list.groups.iter().all(|group| group.shared == Shared::All && group.rows[0].maker.is_none()));
        let empty = Fullest::new(&Problem::default());
        assert_eq!((empty.step(), empty.next(0), empty.count()), (None, None, 0));
    }
}
