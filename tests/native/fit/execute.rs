//! Runs a changed graph from the graph, its attributes and its plan alone.

use std::collections::BTreeMap;

use memplan_core::base::Id;
use memplan_core::graph::{Attr, Dim, Graph, Kind, Node, TensorId};
use memplan_core::problem::{Problem, stated_parts};
use memplan_fit::transform::{Layout, stated_rows};

use super::random::{Numbers, is_impure};

pub fn extents(graph: &Graph, tensor: TensorId) -> Vec<usize> {
    let number = |dim: &Dim| if let Dim::Fixed(extent) = dim { *extent as usize } else { panic!("open") };
    graph.tensors[tensor].shape.iter().map(number).collect()
}

pub fn numbers_of(node: &Node, name: &str) -> usize {
    let Some(Attr::Json(text) | Attr::Text(text)) = node.attrs.get(name) else { return 1 };
    text.trim_matches(['[', ']']).split(',').next().and_then(|first| first.trim().parse().ok()).expect("a number")
}

/// Channels and rows of an image of one column, or of a stripe of it.
pub fn image(graph: &Graph, tensor: TensorId, layout: Layout) -> (usize, usize) {
    let shape = extents(graph, tensor);
    match layout {
        Layout::ChannelsFirst => (shape[1], shape[2]),
        Layout::ChannelsLast => (shape[3], shape[1]),
    }
}

/// Where an element of such an image lies in it.
fn element(layout: Layout, (channels, rows): (usize, usize), channel: usize, row: usize) -> usize {
    match layout {
        Layout::ChannelsFirst => channel * rows + row,
        Layout::ChannelsLast => row * channels + channel,
    }
}

/// Stride, rows of padding before the first, and dilation of a window of so many rows over an image
/// of `rows`.
fn window(node: &Node, kernel: usize, rows: usize) -> (usize, usize, usize) {
    let of = |one: &str, other: &str| numbers_of(node, if node.attrs.contains_key(one) { one } else { other });
    let (stride, dilation) = (of("stride", "strides"), of("dilation", "dilations"));
    let pad = match node.attrs.get("padding") {
        Some(Attr::Text(text)) if text == "VALID" => 0,
        Some(Attr::Text(text)) if text == "SAME" => {
            let span = (kernel - 1) * dilation + 1;
            ((rows.div_ceil(stride) - 1) * stride + span).saturating_sub(rows) / 2
        }
        _ => numbers_of(node, "padding"),
    };
    (stride, pad, dilation)
}

/// Whether the inputs of a concatenation lie in its output. The attribute alone does not say so: it
/// is followed only where that is safe, and a result that nobody reads may have to give way to one
/// that the caller gets.
fn is_joined(graph: &Graph, problem: &Problem, node: &Node) -> bool {
    let buffer = problem.buffer_of(node.outputs[0]);
    let is_in = |input: &TensorId| problem.buffer_of(*input) == buffer;
    let is_followed = stated_parts(node).is_some() && node.inputs.iter().all(is_in);
    let is_read = graph.nodes.iter().any(|reader| reader.inputs.contains(&node.outputs[0]));
    assert!(is_followed || stated_parts(node).is_none() || !is_read, "{}", node.name);
    is_followed
}

/// First byte of every tensor in the storage that holds it: a part of a concatenation begins at its
/// range.
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

/// Runs a graph in the memory of its plan, a byte an element, and returns what the graph outputs
/// hold at the end.
pub fn execute(graph: &Graph, problem: &Problem, plan: &memplan_core::plan::Plan) -> BTreeMap<String, Vec<i8>> {
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
        // What the caller gives in a slower memory as well has the same contents.
        let name = tensor.name.strip_suffix(".kept").unwrap_or(&tensor.name);
        (0..count).for_each(|index| pools[pool][offset + index] = value(name, index));
    }
    let layout = Layout::of(graph);
    // How often an operator ran that is not pure: its result depends on it.
    let mut turn = 0i8;
    for node in graph.nodes.iter() {
        let output = node.outputs[0];
        turn = turn.wrapping_add(i8::from(is_impure(node)));
        if is_joined(graph, problem, node) {
            // Nothing runs.
            continue;
        }
        // What a kernel writes into its scratch spoils whatever else lies there.
        if let Some(scratch) = node.scratch() {
            let (pool, offset) = place[&scratch];
            pools[pool][offset..offset + extents(graph, scratch)[0]].fill(55);
        }
        let made_of = image(graph, output, layout);
        let (a, b) = stated_rows(node).map_or((0, made_of.1), |(a, b)| (a as usize, b as usize));
        let base = if made_of.1 == b - a { a } else { 0 };
        first.insert(output, base);
        let read = |pools: &[Vec<i8>], input: usize, channel: usize, row: usize| {
            let tensor = node.inputs[input];
            let (pool, offset) = place[&tensor];
            let shape = image(graph, tensor, layout);
            if let (0, Some((from, to))) = (input, stated_input_rows(node)) {
                assert!(from <= row && row < to, "{} reads row {row}, and states {from} to {to}", node.name);
            }
            let local = row.checked_sub(first.get(&tensor).copied().unwrap_or(0)).expect("a row that is there");
            assert!(local < shape.1, "{} reads a row that is not there", node.name);
            pools[pool][offset + element(layout, shape, channel, local)]
        };
        let channels = |input: usize| image(graph, node.inputs[input], layout).0;
        let whole = numbers_of(node, "whole");
        // Rows of the whole input, where the window meets padding.
        let (mut made, mut second) = (Vec::new(), Vec::new());
        for channel in 0..made_of.0 {
            for row in a..b {
                let result = match node.op.as_str() {
                    "conv2d" | "CONV_2D" | "DEPTHWISE_CONV_2D" => {
                        let weight = node.inputs[1];
                        let (name, taps) = (&graph.tensors[weight].name, extents(graph, weight));
                        let kernel = if layout == Layout::ChannelsLast { taps[1] } else { taps[2] };
                        let (stride, pad, dilation) = window(node, kernel, whole);
                        let is_deep = node.op == "DEPTHWISE_CONV_2D";
                        let groups = if is_deep { channels(0) } else { numbers_of(node, "groups") };
                        let of_group = channels(0) / groups;
                        let group = channel * groups / made_of.0;
                        let mut sum = 0i8;
                        for input in 0..of_group {
                            for tap in 0..kernel {
                                let at = row * stride + tap * dilation;
                                if at >= pad && at - pad < whole {
                                    let index = (channel * of_group + input) * kernel + tap;
                                    let term = read(&pools, 0, group * of_group + input, at - pad);
                                    sum = sum.wrapping_add(value(name, index).wrapping_mul(term));
                                }
                            }
                        }
                        sum
                    }
                    // Two rows of the result to each row of the input.
                    "convolution" | "conv_transpose2d" | "TRANSPOSE_CONV" => {
                        let name = &graph.tensors[node.inputs[1]].name;
                        (0..channels(0)).fold(0i8, |sum, input| {
                            let index = (channel * channels(0) + input) * 2 + row % 2;
                            let term = read(&pools, 0, input, row / 2);
                            sum.wrapping_add(value(name, index).wrapping_mul(term))
                        })
                    }
                    "avg_pool2d" | "AVERAGE_POOL_2D" | "MAX_POOL_2D" => {
                        let kernel = numbers_of(node, "kernel");
                        let (stride, pad, _) = window(node, kernel, whole);
                        let rows = (row * stride..row * stride + kernel).filter(|at| *at >= pad && at - pad < whole);
                        let read = rows.map(|at| i32::from(read(&pools, 0, channel, at - pad)));
                        let (sum, count, most) = read
                            .fold((0, 0, i32::MIN), |(sum, count, most), one| (sum + one, count + 1, most.max(one)));
                        (if node.op == "MAX_POOL_2D" { most } else { sum.div_euclid(count) }) as i8
                    }
                    "matmul" | "FULLY_CONNECTED" => {
                        let weight = &graph.tensors[node.inputs[1]].name;
                        // Of two extents the last is the channels' where these come last, and one
                        // column elsewhere.
                        let inner = if layout == Layout::ChannelsLast { channels(0) } else { 1 };
                        (0..inner).fold(0i8, |sum, input| {
                            let term = read(&pools, 0, if inner > 1 { input } else { channel }, row);
                            let index = if layout == Layout::ChannelsLast { channel * inner + input } else { 0 };
                            sum.wrapping_add(value(weight, index).wrapping_mul(term))
                        })
                    }
                    "PAD" => {
                        let Some(Attr::Json(stated)) = node.attrs.get("paddings") else { panic!("paddings") };
                        let before: usize = stated.split(',').nth(2).and_then(|one| one.parse().ok()).expect("rows");
                        if row >= before && row - before < whole { read(&pools, 0, channel, row - before) } else { 0 }
                    }
                    "max_pool2d" => read(&pools, 0, channel, 2 * row).max(read(&pools, 0, channel, 2 * row + 1)),
                    "upsample_nearest2d" | "RESIZE_NEAREST_NEIGHBOR" => read(&pools, 0, channel, row / 2),
                    "add" | "ADD" => read(&pools, 0, channel, row).wrapping_add(read(&pools, 1, channel, row)),
                    "cat" | "CONCATENATION" => {
                        let mut own = (0, channel);
                        while own.1 >= channels(own.0) {
                            own = (own.0 + 1, own.1 - channels(own.0));
                        }
                        read(&pools, own.0, own.1, row)
                    }
                    "max_pool2d_with_indices" => {
                        let pair = [2 * row, 2 * row + 1].map(|row| read(&pools, 0, channel, row));
                        second.push((element(layout, made_of, channel, row), i8::from(pair[1] > pair[0])));
                        pair[0].max(pair[1])
                    }
                    "sum_rows" => {
                        let rows = image(graph, node.inputs[0], layout).1;
                        (0..rows).fold(0i8, |sum, row| sum.wrapping_add(read(&pools, 0, channel, row)))
                    }
                    "custom.count" => read(&pools, 0, channel, row).wrapping_add(turn),
                    "while" => read(&pools, 0, channel, row).wrapping_mul(turn),
                    "upside_down" => read(&pools, 0, channel, made_of.1 - 1 - row),
                    "relu" | "RELU" => read(&pools, 0, channel, row).max(0),
                    _ => read(&pools, 0, channel, row),
                };
                made.push((element(layout, made_of, channel, row - base), result));
            }
        }
        for (output, made) in node.results().iter().zip([made, second]) {
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

/// The rows that a stripe says its window reads.
fn stated_input_rows(node: &Node) -> Option<(usize, usize)> {
    let (Attr::Text(text) | Attr::Json(text)) = node.attrs.get("input_rows")?;
    let (from, to) = text.trim_matches(['[', ']']).split_once(',')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// The graph with the rows of the whole input at every convolution, which a stripe cannot see from
/// its own input.
pub fn with_rows(mut graph: Graph) -> Graph {
    let layout = Layout::of(&graph);
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let rows = image(&graph, graph.nodes[id].inputs[0], layout).1;
        graph.nodes[id].attrs_mut().insert("whole".into(), Attr::Json(rows.to_string()));
    }
    graph
}
