//! Runs a changed graph from the graph, its attributes and its plan alone.

use std::collections::BTreeMap;

use memplan::base::Id;
use memplan::graph::{Attr, Dim, Graph, Kind, Node, TensorId};
use memplan::problem::{Problem, stated_parts};
use memplan::transform::stated_rows;

use super::random::{Numbers, is_impure};

pub fn extents(graph: &Graph, tensor: TensorId) -> Vec<usize> {
    let number = |dim: &Dim| if let Dim::Fixed(extent) = dim { *extent as usize } else { panic!("open") };
    graph.tensors[tensor].shape.iter().map(number).collect()
}

pub fn numbers_of(node: &Node, name: &str) -> usize {
    let Some(Attr::Json(text) | Attr::Text(text)) = node.attrs.get(name) else { return 1 };
    text.trim_matches(['[', ']']).split(',').next().and_then(|first| first.trim().parse().ok()).expect("a number")
}

/// Whether the inputs of a concatenation lie in its output. The attribute alone does not say so: it is followed only where that is
/// safe, and a result that nobody reads may have to give way to one that the caller gets.
fn is_joined(graph: &Graph, problem: &Problem, node: &Node) -> bool {
    let buffer = problem.buffer_of(node.outputs[0]);
    let is_in = |input: &TensorId| problem.buffer_of(*input) == buffer;
    let is_followed = stated_parts(node).is_some() && node.inputs.iter().all(is_in);
    let is_read = graph.nodes.iter().any(|reader| reader.inputs.contains(&node.outputs[0]));
    assert!(is_followed || stated_parts(node).is_none() || !is_read, "{}", node.name);
    is_followed
}

/// First byte of every tensor in the storage that holds it: a part of a concatenation begins at its range.
fn first_bytes(graph: &Graph, problem: &Problem) -> BTreeMap<TensorId, usize> {
    let mut root: BTreeMap<TensorId, TensorId> = graph.tensors.ids().map(|id| (id, id)).collect();
    for (input, output) in graph.nodes.iter().flat_map(|node| node.aliases().collect::<Vec<_>>()) {
        root.insert(output, root[&input]);
    }
    let mut start = BTreeMap::new();
    let joins = graph.nodes.iter().filter(|node| is_joined(graph, problem, node));
    for (node, ranges) in joins.filter_map(|node| Some((node, stated_parts(node)?))) {
        let channel: usize = extents(graph, node.outputs[0])[2..].iter().product();
        start.extend(node.inputs.iter().zip(ranges).map(|(input, (from, _))| (root[input], from as usize * channel)));
    }
    root.iter().map(|(&tensor, root)| (tensor, start.get(root).copied().unwrap_or(0))).collect()
}

/// Runs a graph in the memory of its plan, a byte an element, and returns what the graph outputs hold at the end.
pub fn execute(graph: &Graph, problem: &Problem, plan: &memplan::plan::Plan) -> BTreeMap<String, Vec<i8>> {
    let mut pools: Vec<Vec<i8>> = plan.pools.iter().map(|pool| vec![77; pool.size as usize]).collect();
    let (mut place, start) = (BTreeMap::new(), first_bytes(graph, problem));
    for (id, buffer) in problem.buffers.enumerate() {
        let at = plan.places[id].expect("placed");
        let own = |&tensor: &TensorId| (tensor, (at.pool.index(), at.offset as usize + start[&tensor]));
        place.extend(buffer.tensors.iter().map(own));
    }
    // First row of what a tensor holds.
    let mut first: BTreeMap<TensorId, usize> = BTreeMap::new();
    let value = |name: &str, index: usize| {
        let seed = name.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Numbers(seed ^ (index as u64) << 20).below(251) as i8
    };
    for (id, tensor) in graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == Kind::Input) {
        let (pool, offset) = place[&id];
        let count = extents(graph, id).iter().product();
        (0..count).for_each(|index| pools[pool][offset + index] = value(&tensor.name, index));
    }
    // How often an operator ran that is not pure: its result depends on it.
    let mut turn = 0i8;
    for node in graph.nodes.iter() {
        let output = node.outputs[0];
        turn = turn.wrapping_add(i8::from(is_impure(node)));
        if is_joined(graph, problem, node) {
            // Nothing runs.
            continue;
        }
        let shape = extents(graph, output);
        let (a, b) = stated_rows(node).map_or((0, shape[2]), |(a, b)| (a as usize, b as usize));
        let base = if shape[2] == b - a { a } else { 0 };
        first.insert(output, base);
        let read = |pools: &[Vec<i8>], input: usize, channel: usize, row: usize| {
            let tensor = node.inputs[input];
            let (pool, offset) = place[&tensor];
            let shape = extents(graph, tensor);
            let local = row - first.get(&tensor).copied().unwrap_or(0);
            assert!(local < shape[2], "{} reads a row that is not there", node.name);
            pools[pool][offset + channel * shape[2] + local]
        };
        let channels = |input: usize| extents(graph, node.inputs[input])[1];
        // Rows of the whole input, where the window meets padding.
        let (mut made, mut second) = (Vec::new(), Vec::new());
        for channel in 0..shape[1] {
            for row in a..b {
                let result = match node.op.as_str() {
                    "conv2d" => {
                        let weight = node.inputs[1];
                        let (name, kernel) = (&graph.tensors[weight].name, extents(graph, weight)[2]);
                        let (stride, pad) = (numbers_of(node, "stride"), numbers_of(node, "padding"));
                        let rows = numbers_of(node, "whole");
                        let mut sum = 0i8;
                        for input in 0..channels(0) {
                            for tap in 0..kernel {
                                let at = row * stride + tap;
                                if at >= pad && at - pad < rows {
                                    let index = (channel * channels(0) + input) * kernel + tap;
                                    let term = value(name, index).wrapping_mul(read(&pools, 0, input, at - pad));
                                    sum = sum.wrapping_add(term);
                                }
                            }
                        }
                        sum
                    }
                    "max_pool2d" => read(&pools, 0, channel, 2 * row).max(read(&pools, 0, channel, 2 * row + 1)),
                    "upsample_nearest2d" => read(&pools, 0, channel, row / 2),
                    "add" => read(&pools, 0, channel, row).wrapping_add(read(&pools, 1, channel, row)),
                    "cat" => {
                        let mut own = (0, channel);
                        while own.1 >= channels(own.0) {
                            own = (own.0 + 1, own.1 - channels(own.0));
                        }
                        read(&pools, own.0, own.1, row)
                    }
                    "max_pool2d_with_indices" => {
                        let pair = [2 * row, 2 * row + 1].map(|row| read(&pools, 0, channel, row));
                        second.push((channel * shape[2] + row, i8::from(pair[1] > pair[0])));
                        pair[0].max(pair[1])
                    }
                    "sum_rows" => {
                        let rows = extents(graph, node.inputs[0])[2];
                        (0..rows).fold(0i8, |sum, row| sum.wrapping_add(read(&pools, 0, channel, row)))
                    }
                    "custom.count" => read(&pools, 0, channel, row).wrapping_add(turn),
                    "while" => read(&pools, 0, channel, row).wrapping_mul(turn),
                    "upside_down" => read(&pools, 0, channel, shape[2] - 1 - row),
                    "relu" => read(&pools, 0, channel, row).max(0),
                    _ => read(&pools, 0, channel, row),
                };
                made.push((channel * shape[2] + row - base, result));
            }
        }
        for (output, made) in node.outputs.iter().zip([made, second]) {
            let (pool, offset) = place[output];
            made.into_iter().for_each(|(index, result)| pools[pool][offset + index] = result);
        }
        if node.op.starts_with("memplan.") {
            first.insert(output, first.get(&node.inputs[0]).copied().unwrap_or(0));
        }
    }
    let outputs = graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == Kind::Output);
    let bytes = outputs.map(|(id, tensor)| {
        let (pool, offset) = place[&id];
        let count: usize = extents(graph, id).iter().product();
        (tensor.name.clone(), pools[pool][offset..offset + count].to_vec())
    });
    bytes.collect()
}

/// The graph with the rows of the whole input at every convolution, which a stripe cannot see from its own input.
pub fn with_rows(mut graph: Graph) -> Graph {
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let rows = extents(&graph, graph.nodes[id].inputs[0])[2];
        graph.nodes[id].attrs_mut().insert("whole".into(), Attr::Json(rows.to_string()));
    }
    graph
}
