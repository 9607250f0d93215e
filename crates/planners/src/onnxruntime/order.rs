//! The order in which ONNX Runtime's sequential executor runs the nodes of a file.

use std::collections::BTreeSet;

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, NodeId, TensorId};

/// Returns the nodes in the order in which they run: depth first, backwards from the nodes without
/// followers. Of several of these, and of several makers of operands, the one with the highest
/// number comes first. `makers`: for each node the nodes that make its operands.
pub fn runtime_order(makers: &[BTreeSet<u32>]) -> Vec<u32> {
    let mut feeds = vec![false; makers.len()];
    makers.iter().flatten().for_each(|&maker| feeds[maker as usize] = true);
    let ends = (0..makers.len() as u32).filter(|&node| !feeds[node as usize]);
    let mut stack: Vec<(u32, bool)> = ends.map(|node| (node, false)).collect();
    let mut is_seen = vec![false; makers.len()];
    let mut order = Vec::with_capacity(makers.len());
    while let Some((node, leaves)) = stack.pop() {
        if leaves {
            order.push(node);
        } else if !std::mem::replace(&mut is_seen[node as usize], true) {
            stack.push((node, true));
            let waiting = makers[node as usize].iter().filter(|&&maker| !is_seen[maker as usize]);
            stack.extend(waiting.map(|&maker| (maker, false)));
        }
    }
    order
}

/// Returns the order of a graph. Placeholders, which the original does not have, come first.
pub fn of_graph(graph: &Graph) -> Vec<NodeId> {
    let mut maker: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
    let mut order: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut numbered: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.nodes.enumerate() {
        if node.is_placeholder() {
            order.push(id);
            continue;
        }
        node.outputs.iter().for_each(|&output| maker[output] = Some(numbered.len() as u32));
        numbered.push(id);
    }
    let makers: Vec<BTreeSet<u32>> = numbered
        .iter()
        .enumerate()
        .map(|(own, &id)| {
            let made = graph.nodes[id].inputs.iter().filter_map(|&input| maker[input]);
            made.filter(|&other| other as usize != own).collect()
        })
        .collect();
    order.extend(runtime_order(&makers).into_iter().map(|number| numbered[number as usize]));
    debug_assert_eq!(order.len(), graph.nodes.len());
    order
}

/// Whether an order is that of the file.
pub fn is_listed(order: &[NodeId]) -> bool {
    order.iter().enumerate().all(|(at, node)| node.index() == at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(makers: &[&[u32]]) -> Vec<u32> {
        let makers: Vec<BTreeSet<u32>> = makers.iter().map(|makers| makers.iter().copied().collect()).collect();
        runtime_order(&makers)
    }

    #[test]
    fn of_several_results_and_makers_the_last_in_the_file_runs_first() {
        // 0 and 1 make what 2 reads; 3 reads 0 and leads to a result of its own.
        assert_eq!(order(&[&[], &[], &[0, 1], &[0]]), [0, 3, 1, 2]);
        assert_eq!(order(&[&[], &[], &[0, 1]]), [1, 0, 2]);
    }

    #[test]
    fn nodes_that_lead_nowhere_run_and_a_file_need_not_be_in_order() {
        assert_eq!(order(&[&[2], &[], &[1], &[0]]), [1, 2, 0, 3]);
        assert_eq!(order(&[&[], &[]]), [1, 0]);
        assert_eq!(order(&[]), Vec::<u32>::new());
    }
}
