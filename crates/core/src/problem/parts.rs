//! Concatenations that copy nothing, because their inputs are made where they stand in the output.
//!
//! The attribute `parts` of the node has a range `[from, to]` for each input: its extents of the
//! first axis of the output that is longer than one. The storage of such an output is there from
//! the first byte that a part needs. While some parts are not made yet, or nobody reads the output
//! any more, it has gaps in which only the bytes from the lowest to the highest living part are in
//! use.

use std::collections::{BTreeMap, BTreeSet};

use super::{BufferId, Gap, Live, Problem};
use crate::base::IdVec;
use crate::graph::{Attr, Graph, Kind, Node, NodeId, TensorId};

/// A concatenation whose inputs lie in its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Its output, which owns the storage.
    pub whole: TensorId,
    /// For each input the tensor that would own its storage, its first byte in the output and the
    /// byte after its last.
    pub parts: Vec<(TensorId, u64, u64)>,
}

/// The ranges of the attribute `parts`, one an input, which follow each other from 0; none of other
/// nodes.
pub fn stated_parts(node: &Node) -> Option<Vec<(u64, u64)>> {
    let Attr::Json(text) = node.attrs.get("parts")? else { return None };
    let text: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    let inner = text.strip_prefix("[[")?.strip_suffix("]]")?;
    let range = |pair: &str| pair.split_once(',').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let ranges: Vec<(u64, u64)> = inner.split("],[").map(range).collect::<Option<_>>()?;
    let follows = |at: usize| ranges[at].0 == if at == 0 { 0 } else { ranges[at - 1].1 } && ranges[at].0 < ranges[at].1;
    (ranges.len() == node.inputs.len() && (0..ranges.len()).all(follows)).then_some(ranges)
}

/// Concatenations whose inputs lie in their output. A node whose attribute cannot be followed
/// copies, as it does without: one that is no concatenation; an input that is the caller's,
/// constant or an output, has other bytes than its range, lies in two of them or in another memory,
/// begins at no multiple of `align` and of its own alignment, or is written again while the output
/// is still read. `root` gives the tensor that owns the storage of each by the views of the graph.
pub fn joined(
    graph: &Graph,
    root: &dyn Fn(TensorId) -> TensorId,
    symbols: &BTreeMap<String, u64>,
    align: u64,
) -> Vec<Joined> {
    let mut found: Vec<Joined> = Vec::new();
    let mut taken: BTreeSet<TensorId> = BTreeSet::new();
    let mut uses: Option<Uses> = None;
    for (id, node) in graph.nodes.enumerate().filter(|(_, node)| node.is_concatenation()) {
        let (Some(ranges), &[whole]) = (stated_parts(node), node.results()) else { continue };
        let uses = uses.get_or_insert_with(|| Uses::of(graph, root));
        let Some(&(_, total)) = ranges.last() else { continue };
        let bytes = |tensor: TensorId| graph.bytes_of(tensor, symbols).ok();
        let (Some(size), true) = (bytes(whole), root(whole) == whole && !taken.contains(&whole)) else { continue };
        let memory = |tensor: TensorId| (graph.tensors[tensor].device, graph.tensors[tensor].mem_id);
        let at = |extent: u64| (u128::from(size) * u128::from(extent) / u128::from(total)) as u64;
        let part = |(&input, &(from, to)): (&TensorId, &(u64, u64))| (root(input), at(from), at(to), bytes(input));
        let parts: Vec<_> = node.inputs.iter().zip(&ranges).map(part).collect();
        let mut own = BTreeSet::from([whole]);
        let is_sound = parts.iter().all(|&(owner, from, to, stated)| {
            own.insert(owner)
                && !taken.contains(&owner)
                && !uses.kept.contains(&owner)
                && memory(owner) == memory(whole)
                && stated == Some(to - from)
                && bytes(owner) == stated
                && from.is_multiple_of(align.max(graph.tensors[owner].align.unwrap_or(1)))
                && !uses.is_overwritten(owner, id, whole)
        });
        if is_sound {
            taken.extend(own);
            let parts = parts.into_iter().map(|(owner, from, to, _)| (owner, from, to)).collect();
            found.push(Joined { whole, parts });
        }
    }
    found
}

/// What is known of the uses of storages.
struct Uses {
    /// Storages of tensors that are no intermediates.
    kept: BTreeSet<TensorId>,
    /// The last node that reads each storage.
    last_read: BTreeMap<TensorId, NodeId>,
    /// The last node that writes into each storage that was there before it.
    last_write: BTreeMap<TensorId, NodeId>,
}

impl Uses {
    fn of(graph: &Graph, root: &dyn Fn(TensorId) -> TensorId) -> Uses {
        let is_kept = |id: &TensorId| graph.tensors[*id].kind != Kind::Intermediate;
        let kept = graph.tensors.ids().filter(is_kept).map(root).collect();
        let mut uses = Uses { kept, last_read: BTreeMap::new(), last_write: BTreeMap::new() };
        for (id, node) in graph.nodes.enumerate() {
            uses.last_read.extend(node.inputs.iter().map(|&input| (root(input), id)));
            if !node.is_view() {
                uses.last_write.extend(node.aliases().map(|(_, output)| (root(output), id)));
            }
        }
        uses
    }

    /// Whether a part is written after the concatenation, and at the last read of the output or
    /// before it.
    fn is_overwritten(&self, part: TensorId, join: NodeId, whole: TensorId) -> bool {
        let Some(&write) = self.last_write.get(&part).filter(|&&write| write > join) else { return false };
        self.kept.contains(&whole) || self.last_read.get(&whole).is_some_and(|&read| read >= write)
    }
}

/// The first concatenation of a graph whose inputs lie in its output in these buffers.
pub fn first_joined<'a>(graph: &'a Graph, problem: &Problem) -> Option<&'a Node> {
    let mut stated =
        graph.nodes.iter().filter(|node| node.is_concatenation() && stated_parts(node).is_some()).peekable();
    stated.peek()?;
    let mut buffer: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, held) in problem.buffers.enumerate() {
        held.tensors.iter().for_each(|&tensor| buffer[tensor] = Some(id));
    }
    let of = |tensor: Option<&TensorId>| tensor.and_then(|&tensor| buffer[tensor]);
    stated.find(|node| of(node.outputs.first()).is_some_and(|whole| of(node.inputs.first()) == Some(whole)))
}

/// The gaps of a storage of `size` bytes whose parts `(first byte, byte after the last, life)` are
/// in use: between them only what reaches from the lowest living one to the highest counts.
pub fn gaps(size: u64, parts: &[(u64, u64, Live)]) -> Vec<Gap> {
    // A sweep over the steps at which a part is born or ends, with the ranges that are alive.
    let mut changes: Vec<(u32, bool, usize)> = Vec::with_capacity(2 * parts.len());
    for (at, (.., live)) in parts.iter().enumerate() {
        changes.extend([(live.start, true, at), (live.end, false, at)]);
    }
    changes.sort_unstable();
    let (mut lows, mut highs) = (BTreeSet::new(), BTreeSet::new());
    let mut found: Vec<Gap> = Vec::new();
    for (next, &(from, is_born, at)) in (1..).zip(&changes) {
        let (low, high, _) = parts[at];
        if is_born {
            lows.insert((low, at));
            highs.insert((high, at));
        } else {
            lows.remove(&(low, at));
            highs.remove(&(high, at));
        }
        let Some(&(to, ..)) = changes.get(next).filter(|(to, ..)| *to > from) else { continue };
        let live = Live::new(from, to);
        let window = lows.first().zip(highs.last()).map(|(low, high)| (low.0, high.0));
        match found.last_mut() {
            _ if window == Some((0, size)) => {}
            Some(last) if last.live.end == live.start && last.window == window => last.live.end = live.end,
            _ => found.push(Gap { live, window }),
        }
    }
    found
}
