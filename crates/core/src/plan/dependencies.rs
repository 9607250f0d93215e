//! Orders that a plan adds to a graph: a node that writes bytes must wait for those that used them
//! before, even where no tensor leads from the one to the other. On one stream nothing is lost;
//! where branches could run at the same time, each such order takes some of that away.

use std::collections::BTreeMap;

use super::{Plan, PoolId};
use crate::base::{Id, IdVec, Owners};
use crate::graph::{Graph, MAX_NODES, NodeId};
use crate::problem::{BufferId, Problem, first_joined};

/// What a plan adds to the order of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependencies {
    /// In order of the waiting node, then of the one waited for. None follows from others and the
    /// graph's own paths.
    pub list: Vec<Dependency>,
    /// Nodes on the longest path of the graph.
    pub longest_before: u32,
    /// The same with the dependencies added: fewer nodes can run at the same time if it is longer.
    pub longest_after: u32,
}

/// One order that exists only because buffers share bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The last user of the old buffers.
    pub first: NodeId,
    /// The node that makes the new ones.
    pub then: NodeId,
    /// The buffers that cause it.
    pub reuses: Vec<Reuse>,
}

/// Bytes that go from one buffer to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reuse {
    /// The buffer that used the bytes before.
    pub old: BufferId,
    /// The buffer that uses them next.
    pub new: BufferId,
    /// Bytes of the new buffer on which the old one was the last before it.
    pub bytes: u64,
}

/// Lists what `plan` adds to the order of `graph`; none for a graph of more than [`MAX_NODES`]
/// nodes, and for one with concatenations whose inputs lie in their output: their bytes come to be
/// by several nodes.
///
/// Every path is looked for with 64 targets at a time, in one pass over the graph:
/// `O(n · (n + edges) / 64)` steps and `O(n)` memory.
pub fn dependencies(graph: &Graph, problem: &Problem, plan: &Plan) -> Option<Dependencies> {
    if graph.nodes.len() > MAX_NODES || first_joined(graph, problem).is_some() {
        return None;
    }
    let mut next = successors(graph);
    let longest_before = longest_path(&next);
    let users = users(graph, problem);
    let maker = makers(graph, problem);

    let mut causes: BTreeMap<(NodeId, NodeId), Vec<Reuse>> = BTreeMap::new();
    for reuse in reuses(problem, plan) {
        // What is there from the start is written before any node runs.
        let Some(then) = maker[reuse.new] else { continue };
        // A plan that overwrites what is still to be read asks for an order that the run does not
        // have: only earlier users.
        let earlier = &users[reuse.old][..users[reuse.old].partition_point(|&user| user < then)];
        for &first in earlier {
            // What follows from a later user's wait is left out here where it is easy to see, else
            // by the reduction.
            if !next[first].iter().any(|reader| earlier.binary_search(reader).is_ok()) {
                causes.entry((then, first)).or_default().push(reuse);
            }
        }
    }
    let pairs: Vec<(NodeId, NodeId)> = causes.keys().map(|&(then, first)| (first, then)).collect();
    let ordered = paths(&next, &pairs, false);
    let added: Vec<(NodeId, NodeId)> =
        pairs.into_iter().zip(ordered).filter(|(_, ordered)| !ordered).map(|(pair, _)| pair).collect();
    added.iter().for_each(|&(first, then)| next[first].push(then));
    let longest_after = longest_path(&next);
    let implied = paths(&next, &added, true);
    let kept = added.into_iter().zip(implied).filter(|(_, implied)| !implied);
    let list = kept.map(|((first, then), _)| {
        let reuses = causes.remove(&(then, first)).unwrap_or_default();
        Dependency { first, then, reuses }
    });
    Some(Dependencies { list: list.collect(), longest_before, longest_after })
}

type Edges = IdVec<NodeId, Vec<NodeId>>;

/// For every node, those that read what it makes.
pub(super) fn successors(graph: &Graph) -> Edges {
    let mut next: Edges = IdVec::from_elem(Vec::new(), graph.nodes.len());
    let mut maker: IdVec<_, Option<NodeId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, node) in graph.nodes.enumerate() {
        for from in node.inputs.iter().filter_map(|&input| maker[input]) {
            if next[from].last() != Some(&id) {
                next[from].push(id);
            }
        }
        node.outputs.iter().for_each(|&output| maker[output] = Some(id));
    }
    next
}

/// Nodes on the longest path. All edges lead forward.
fn longest_path(next: &Edges) -> u32 {
    let mut length: IdVec<NodeId, u32> = IdVec::from_elem(1, next.len());
    for (id, targets) in next.enumerate() {
        for &target in targets {
            length[target] = length[target].max(length[id] + 1);
        }
    }
    length.iter().copied().max().unwrap_or(0)
}

/// Whether a path leads from the first node of each pair to the second; with `detour`, one of two
/// steps or more. Pairs of one target stand together.
fn paths(next: &Edges, pairs: &[(NodeId, NodeId)], detour: bool) -> Vec<bool> {
    let mut found = Vec::with_capacity(pairs.len());
    let mut rest = pairs;
    let mut reach: IdVec<NodeId, u64> = IdVec::from_elem(0, next.len());
    while !rest.is_empty() {
        // The pairs of up to 64 targets, each a bit.
        let mut targets: Vec<NodeId> = Vec::new();
        let mut lowest = u32::MAX;
        let taken = rest.iter().take_while(|(from, to)| {
            if targets.last() != Some(to) {
                if targets.len() == 64 {
                    return false;
                }
                targets.push(*to);
            }
            lowest = lowest.min(from.0);
            true
        });
        let (now, later) = rest.split_at(taken.count());
        rest = later;
        reach.iter_mut().for_each(|bits| *bits = 0);
        targets.iter().enumerate().for_each(|(bit, &target)| reach[target] = 1 << bit);
        // A node's bits: the targets that it is or leads to.
        let highest = targets.iter().map(|target| target.0).max().unwrap_or(0);
        for id in (lowest..=highest).rev().map(NodeId) {
            reach[id] |= next[id].iter().fold(0, |bits, &target| bits | reach[target]);
        }
        let mut bit = 0;
        for &(from, to) in now {
            if targets[bit] != to {
                bit += 1;
            }
            let leads = |&&step: &&NodeId| !(detour && step == to) && reach[step] >> bit & 1 == 1;
            found.push(next[from].iter().find(leads).is_some());
        }
    }
    found
}

/// The node that first makes each buffer; none for one that is there from the start.
fn makers(graph: &Graph, problem: &Problem) -> IdVec<BufferId, Option<NodeId>> {
    let holder = holders(graph, problem);
    let mut maker = IdVec::from_elem(None, problem.buffers.len());
    for (id, node) in graph.nodes.enumerate() {
        for buffer in node.outputs.iter().filter_map(|&output| holder[output]) {
            maker[buffer] = maker[buffer].or(Some(id));
        }
    }
    maker
}

/// The nodes that make, read or write each buffer, in order.
fn users(graph: &Graph, problem: &Problem) -> IdVec<BufferId, Vec<NodeId>> {
    let holder = holders(graph, problem);
    let mut users: IdVec<BufferId, Vec<NodeId>> = IdVec::from_elem(Vec::new(), problem.buffers.len());
    for (id, node) in graph.nodes.enumerate() {
        for buffer in node.inputs.iter().chain(&node.outputs).filter_map(|&tensor| holder[tensor]) {
            if users[buffer].last() != Some(&id) {
                users[buffer].push(id);
            }
        }
    }
    users
}

/// The buffer that holds each tensor.
fn holders(graph: &Graph, problem: &Problem) -> IdVec<crate::graph::TensorId, Option<BufferId>> {
    let mut holder = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id));
    }
    holder
}

/// Pairs of buffers that follow one another on some bytes, by start of the new one: a sweep over
/// starts that keeps which buffer was the last on every byte.
pub(super) fn reuses(problem: &Problem, plan: &Plan) -> Vec<Reuse> {
    let mut order: Vec<BufferId> =
        problem.buffers.ids().filter(|&id| plan.places[id].is_some() && problem.buffers[id].size > 0).collect();
    order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut owners: IdVec<PoolId, Owners<BufferId>> = IdVec::from_elem(Owners::default(), plan.pools.len());
    let mut found = Vec::new();
    for new in order {
        let Some(place) = plan.places[new].filter(|place| place.pool.index() < plan.pools.len()) else { continue };
        let mut bytes: BTreeMap<BufferId, u64> = BTreeMap::new();
        for had in owners[place.pool].take(place.offset, place.offset.saturating_add(problem.buffers[new].size), new) {
            *bytes.entry(had.owner).or_insert(0) += had.end - had.start;
        }
        found.extend(bytes.into_iter().map(|(old, bytes)| Reuse { old, new, bytes }));
    }
    found
}

#[cfg(test)]
mod tests;
