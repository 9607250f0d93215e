//! Storage that an operator overwrote on one side and no longer overwrites on the other, and why.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::Matches;
use super::{Side, holders, largest_first};
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Attr, Graph, Kind, Node, NodeId, TensorId};
use memplan_core::problem::BufferId;

/// Why an output does not take over the storage of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// The graph no longer permits it.
    Forbidden,
    /// A later operator reads the input.
    ReadLater {
        /// Its step.
        step: u32,
        /// Its name.
        by: String,
    },
    /// The caller keeps the input now: it is not donated any more.
    Kept,
    /// The storage belongs to an input, a weight or an output of the graph now.
    Outside(Kind),
    /// Input and output have other sizes.
    Sizes,
    /// Nothing stands against it: the planner chose otherwise.
    Planner,
    /// The files do not say.
    Unknown,
}

/// Storage that is no longer overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The name that the storage had on the side that overwrote it.
    pub name: String,
    /// The first node that overwrote it: its step on that side and on the other.
    pub steps: (u32, u32),
    /// How many operators overwrote it and now do not.
    pub operators: u32,
    /// Bytes of the second copy.
    pub bytes: u64,
    /// Why.
    pub why: Broken,
}

impl Broken {
    /// Its name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Broken::Forbidden => "forbidden",
            Broken::ReadLater { .. } => "read_later",
            Broken::Kept => "kept",
            Broken::Outside(_) => "outside",
            Broken::Sizes => "sizes",
            Broken::Planner => "planner",
            Broken::Unknown => "unknown",
        }
    }
}

/// A graph with its plan, and where its tensors are held.
struct View<'a> {
    side: Side<'a>,
    graph: &'a Graph,
    held: IdVec<TensorId, Option<BufferId>>,
    /// The node that reads each buffer last.
    read: BTreeMap<BufferId, NodeId>,
    /// The same of each tensor, and whose bytes each one takes over, where the file states that:
    /// all of a chain are one buffer then.
    stated: Option<StatedReads>,
}

struct StatedReads {
    read: BTreeMap<TensorId, NodeId>,
    donors: BTreeMap<TensorId, Vec<TensorId>>,
}

impl<'a> View<'a> {
    fn new(side: Side<'a>, graph: &'a Graph) -> View<'a> {
        let held = holders(side.problem, graph);
        let mut read = BTreeMap::new();
        for (id, node) in graph.nodes.enumerate().filter(|(_, node)| !is_end(node)) {
            node.inputs.iter().filter_map(|&tensor| held[tensor]).for_each(|buffer| _ = read.insert(buffer, id));
        }
        View { side, graph, held, read, stated: StatedReads::of(graph) }
    }

    /// The tensors on whose bytes the output of a node lies.
    fn all_overwritten(&self) -> BTreeSet<TensorId> {
        let outputs = |(id, node): (NodeId, &Node)| (0..node.outputs.len()).map(move |at| (id, at));
        self.graph.nodes.enumerate().flat_map(outputs).filter_map(|(id, at)| self.overwritten(id, at)).collect()
    }

    /// The node that reads the contents of a tensor last.
    fn last_reader(&self, tensor: TensorId) -> Option<NodeId> {
        match &self.stated {
            Some(stated) => stated.read.get(&tensor).copied(),
            None => self.held[tensor].and_then(|buffer| self.read.get(&buffer).copied()),
        }
    }

    /// The input whose storage a node overwrites: the one that it states, or the one on whose bytes
    /// its output `at` lies.
    fn overwritten(&self, id: NodeId, at: usize) -> Option<TensorId> {
        let node = &self.graph.nodes[id];
        if let Some(Attr::Text(name)) = node.attrs.get("mutates") {
            return node.inputs.iter().copied().find(|&tensor| self.graph.tensors[tensor].name == *name);
        }
        let output = *node.outputs.get(at)?;
        if let Some(stated) = &self.stated {
            let donors = stated.donors.get(&output)?;
            return donors.iter().copied().find(|donor| node.inputs.contains(donor));
        }
        let made = self.held[output]?;
        let is_view = node.aliases().any(|(_, view)| view == output);
        let place = |buffer: BufferId| self.side.plan.places.get(buffer).copied().flatten();
        let step = id.index() as u32;
        let is_over = |tensor: &TensorId| {
            let Some(read) = self.held[*tensor] else { return false };
            let meet = self.side.problem.buffers[read].live.end >= step && place(read).is_some();
            read != made && (self.side.plan.shared.contains(&(made, read)) || meet && place(read) == place(made))
        };
        if is_view { None } else { node.inputs.iter().copied().find(is_over) }
    }
}

impl StatedReads {
    fn of(graph: &Graph) -> Option<StatedReads> {
        if graph.stated.is_empty() {
            return None;
        }
        let mut read = BTreeMap::new();
        for (id, node) in graph.nodes.enumerate().filter(|(_, node)| !is_end(node)) {
            node.inputs.iter().for_each(|&tensor| _ = read.insert(tensor, id));
        }
        let mut donors: BTreeMap<TensorId, Vec<TensorId>> = BTreeMap::new();
        for pair in &graph.stated.handed {
            donors.entry(pair.acceptor).or_default().push(pair.donor);
        }
        Some(StatedReads { read, donors })
    }
}

/// A node that only names what a graph returns.
fn is_end(node: &Node) -> bool {
    node.outputs.is_empty() && matches!(&*node.op, "output" | "tuple")
}

/// What `old` overwrote and `new` does not. Nothing without graphs on both sides.
pub(super) fn lost(old: Side, new: Side, matches: &Matches) -> Vec<Loss> {
    let Some((a, b)) = old.graph.zip(new.graph) else { return Vec::new() };
    let (before, after) = (View::new(old, a), View::new(new, b));
    let still = after.all_overwritten();
    let mut found: BTreeMap<TensorId, Loss> = BTreeMap::new();
    for (node, pair) in matches.nodes.old.enumerate() {
        let Some(other) = pair.map(|pair| pair.id) else { continue };
        for at in 0..a.nodes[node].outputs.len().max(1) {
            let Some(input) = before.overwritten(node, at) else { continue };
            let there = after.overwritten(other, at);
            let twin = matches.tensors.old[input].map(|pair| pair.id);
            if there.is_some() && (there == twin || twin.is_none()) {
                continue;
            }
            // Without a counterpart of the storage there is nothing that could have been
            // overwritten.
            let Some(twin) = twin else { continue };
            // Another operator overwrites it now. Of a storage that is updated several times each
            // update counts.
            if still.contains(&twin) && !a.nodes[node].attrs.contains_key("mutates") {
                continue;
            }
            let bytes = before.held[input].map_or(0, |buffer| old.problem.buffers[buffer].size);
            let loss = found.entry(input).or_insert_with(|| Loss {
                name: a.tensors[input].name.clone(),
                steps: (node.index() as u32, other.index() as u32),
                operators: 0,
                bytes,
                why: why(&before, &after, (node, other, at), (input, twin), there),
            });
            loss.operators += 1;
        }
    }
    let mut lost: Vec<Loss> = found.into_values().collect();
    largest_first(&mut lost, |loss| loss.bytes);
    lost
}

/// The first reason that holds.
fn why(
    before: &View,
    after: &View,
    (node, other, at): (NodeId, NodeId, usize),
    (input, twin): (TensorId, TensorId),
    copy: Option<TensorId>,
) -> Broken {
    let (old, new) = (&before.graph.nodes[node], &after.graph.nodes[other]);
    let permits = |node: &Node, tensor: TensorId| {
        node.inplace.iter().any(|&(from, to)| node.inputs.get(from as usize) == Some(&tensor) && to as usize == at)
    };
    let [was_kept, is_kept] =
        [(before, input), (after, twin)].map(|(view, tensor)| view.graph.stated.kept.contains(&tensor));
    if is_kept && !was_kept {
        return Broken::Kept;
    }
    // Such files name the permissions that were used, not those that there were.
    let names_all = before.stated.is_none() && after.stated.is_none();
    if names_all && permits(old, input) && !permits(new, twin) {
        return Broken::Forbidden;
    }
    // What is written now is a copy: of the two, the one that lives on beside the other is read
    // later.
    for tensor in [copy, Some(twin)].into_iter().flatten() {
        if let Some(reader) = after.last_reader(tensor).filter(|reader| *reader > other) {
            let by = after.graph.nodes[reader].name.clone();
            return Broken::ReadLater { step: reader.index() as u32, by };
        }
    }
    let otherwise = if names_all { Broken::Planner } else { Broken::Unknown };
    let Some(storage) = after.held[twin] else { return otherwise };
    let (storage, output) = (&after.side.problem.buffers[storage], new.outputs.get(at));
    let kind_before = before.held[input].map(|buffer| before.side.problem.buffers[buffer].kind);
    if storage.kind != Kind::Intermediate && kind_before != Some(storage.kind) {
        return Broken::Outside(storage.kind);
    }
    let made = output.and_then(|&tensor| after.held[tensor]).map(|buffer| after.side.problem.buffers[buffer].size);
    match made {
        Some(made) if made != storage.size => Broken::Sizes,
        _ => otherwise,
    }
}
