//! What a memory holds, step by step, tried in all ways: independent of the rooms that plan.

use std::collections::BTreeSet;

use memplan::graph::{Graph, Kind, Node, TensorId};

use super::execute::extents;

fn bytes(graph: &Graph, tensors: impl IntoIterator<Item = TensorId>) -> u64 {
    let distinct: BTreeSet<TensorId> = tensors.into_iter().collect();
    let activations = distinct.into_iter().filter(|&tensor| graph.tensors[tensor].kind != Kind::Weight);
    activations.map(|tensor| extents(graph, tensor).iter().product::<usize>() as u64).sum()
}

/// The most that one operator reads and makes, with an output on the bytes of an input where the graph permits it: what no spilling
/// avoids, and enough where everything else may be away.
pub fn most_of_an_operator(graph: &Graph) -> u64 {
    let need = |node: &Node| {
        let is_over = |&(input, _): &(u32, u32)| graph.tensors[node.inputs[input as usize]].kind == Kind::Intermediate;
        let made = if node.inplace.iter().any(is_over) { Vec::new() } else { node.outputs.clone() };
        bytes(graph, node.inputs.iter().copied().chain(made))
    };
    graph.nodes.iter().map(need).max().unwrap_or(0)
}

/// Whether the graph runs within a capacity in its order, if any result may be dropped and made again, an input not.
pub fn runs_with_recomputing(graph: &Graph, capacity: u64) -> bool {
    let nodes: Vec<&Node> = graph.nodes.iter().collect();
    let begins: BTreeSet<TensorId> =
        graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == Kind::Input).map(|(id, _)| id).collect();
    let mut seen = BTreeSet::new();
    // Operators that have run, and what is there.
    let mut open = vec![(0, begins)];
    while let Some((done, here)) = open.pop() {
        if done == nodes.len() {
            return true;
        }
        if bytes(graph, here.iter().copied()) > capacity || !seen.insert((done, here.clone())) {
            continue;
        }
        for (at, node) in nodes.iter().enumerate().take(done + 1) {
            let reads = node.inputs.iter().filter(|&&input| graph.tensors[input].kind != Kind::Weight);
            let can_run = reads.clone().all(|input| here.contains(input));
            let with: BTreeSet<TensorId> = here.iter().copied().chain(node.outputs.iter().copied()).collect();
            if can_run && bytes(graph, with.iter().copied()) <= capacity {
                open.push((done.max(at + 1), with));
            }
        }
        for gone in here.iter().filter(|&&tensor| graph.tensors[tensor].kind != Kind::Output) {
            let mut less = here.clone();
            less.remove(gone);
            open.push((done, less));
        }
    }
    false
}
