//! Concatenations that copy nothing, because their inputs are made where they stand in the output.
//!
//! The attribute `parts` of the node has a range `[from, to]` for each input: its extents of the first axis of the output that
//! is longer than one. The storage of such an output is there from the first byte that a part needs, and while some parts are not made yet, or
//! nobody reads the output any more, it has gaps in which only the bytes from the lowest to the highest living part are in use.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gap, Live, Problem};
use crate::graph::{Attr, Graph, Kind, Node, NodeId, TensorId};

/// A concatenation whose inputs lie in its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// The concatenation.
    pub node: NodeId,
    /// Its output, which owns the storage.
    pub whole: TensorId,
    /// For each input the tensor that would own its storage, its first byte in the output and the byte after its last.
    pub parts: Vec<(TensorId, u64, u64)>,
}

/// The ranges of the attribute `parts`, one an input, which follow each other from 0; none of other nodes.
pub fn stated_parts(node: &Node) -> Option<Vec<(u64, u64)>> {
    let Attr::Json(text) = node.attrs.get("parts")? else { return None };
    let text: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    let inner = text.strip_prefix("[[")?.strip_suffix("]]")?;
    let range = |pair: &str| pair.split_once(',').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let ranges: Vec<(u64, u64)> = inner.split("],[").map(range).collect::<Option<_>>()?;
    let follows = |at: usize| ranges[at].0 == if at == 0 { 0 } else { ranges[at - 1].1 } && ranges[at].0 < ranges[at].1;
    (ranges.len() == node.inputs.len() && (0..ranges.len()).all(follows)).then_some(ranges)
}

/// Concatenations whose inputs lie in their output. A node whose attribute cannot be followed copies, as it does without:
/// an input that is the caller's, constant or an output, or has other bytes than its range, lies in two of them, or in
/// another memory. `root` gives the tensor that owns the storage of each by the views of the graph.
pub fn joined(graph: &Graph, root: &dyn Fn(TensorId) -> TensorId, symbols: &BTreeMap<String, u64>) -> Vec<Joined> {
    let mut found: Vec<Joined> = Vec::new();
    let mut taken: BTreeSet<TensorId> = BTreeSet::new();
    let mut kept: Option<BTreeSet<TensorId>> = None;
    for (id, node) in graph.nodes.enumerate() {
        let (Some(ranges), &[whole]) = (stated_parts(node), &node.outputs[..]) else { continue };
        let kept = kept.get_or_insert_with(|| {
            let is_kept = |id: &TensorId| graph.tensors[*id].kind != Kind::Intermediate;
            graph.tensors.ids().filter(is_kept).map(root).collect()
        });
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
                && !kept.contains(&owner)
                && memory(owner) == memory(whole)
                && stated == Some(to - from)
                && bytes(owner) == stated
                && from.is_multiple_of(graph.tensors[owner].align.unwrap_or(1))
        });
        if is_sound {
            taken.extend(own);
            let parts = parts.into_iter().map(|(owner, from, to, _)| (owner, from, to)).collect();
            found.push(Joined { node: id, whole, parts });
        }
    }
    found
}

/// The first concatenation of a graph whose inputs lie in its output in these buffers.
pub fn first_joined<'a>(graph: &'a Graph, problem: &Problem) -> Option<&'a Node> {
    let buffer = |tensor: Option<&TensorId>| tensor.and_then(|&tensor| problem.buffer_of(tensor));
    let is_one = |node: &Node| buffer(node.outputs.first()) == buffer(node.inputs.first());
    graph.nodes.iter().find(|node| stated_parts(node).is_some() && is_one(node))
}

/// The gaps of a storage of `size` bytes whose parts `(first byte, byte after the last, life)` are in use: between
/// them only what reaches from the lowest living one to the highest counts.
pub fn gaps(size: u64, parts: &[(u64, u64, Live)]) -> Vec<Gap> {
    let mut borders: Vec<u32> = parts.iter().flat_map(|(.., live)| [live.start, live.end]).collect();
    borders.sort_unstable();
    borders.dedup();
    let mut found: Vec<Gap> = Vec::new();
    for pair in borders.windows(2) {
        let live = Live::new(pair[0], pair[1]);
        let alive = || parts.iter().filter(|(.., own)| own.meets(live));
        let low = alive().map(|(low, ..)| *low).min();
        let window = low.zip(alive().map(|(_, high, _)| *high).max());
        match found.last_mut() {
            _ if window == Some((0, size)) => {}
            Some(last) if last.live.end == live.start && last.window == window => last.live.end = live.end,
            _ => found.push(Gap { live, window }),
        }
    }
    found
}
