//! How much an operator computes.

use super::rows::{CONVOLUTIONS, Layout, TRANSPOSED, extent, filter_of, is_set, kernel_name, rows_of, stated_rows};
use memplan_core::graph::{Dim, Graph, Kind, Node, TensorId};

const LINEAR: [&str; 10] =
    ["linear", "fullyconnected", "matmul", "bmm", "mm", "gemm", "batchmatmul", "addmm", "baddbmm", "dense"];

/// Multiplications with addition of a node; 0 where the tables count bytes instead.
pub fn macs(graph: &Graph, node: &Node, layout: Layout) -> u64 {
    let op = kernel_name(&node.op);
    let is = |list: &[&str]| list.contains(&op.as_str());
    let elements = |tensor: TensorId| -> u64 {
        let shape = &graph.tensors[tensor].shape;
        let extents = shape.iter().map(|dim| if let Dim::Fixed(extent) = dim { *extent } else { 1 });
        extents.fold(1, u64::saturating_mul)
    };
    let (Some(&output), Some(&first)) = (node.outputs.first(), node.inputs.first()) else { return 0 };
    // TFLite's transposed convolution reads the shape of its result first, then the weight, then
    // the image.
    let is_image = |input: &&TensorId| op == "transposeconv" && graph.tensors[**input].kind != Kind::Weight;
    let input = node.inputs.iter().rev().find(is_image).copied().unwrap_or(first);
    let weight = filter_of(graph, node);
    // Extents of the weight but that of an axis, multiplied.
    let product = |skip: usize| {
        let shape = weight.map(|weight| graph.tensors[weight].shape.iter().enumerate());
        shape.map_or(0, |shape| {
            let extents = shape.filter(|(axis, _)| *axis != skip);
            extents.map(|(_, dim)| if let Dim::Fixed(extent) = dim { *extent } else { 1 }).fold(1, u64::saturating_mul)
        })
    };
    // A stripe writes some rows of a whole output.
    let made = match (stated_rows(node), rows_of(graph, output, layout)) {
        (Some((a, b)), Some(rows)) if rows > 0 => {
            (u128::from(elements(output)) * u128::from(b - a) / u128::from(rows)) as u64
        }
        _ => elements(output),
    };
    if op == "depthwiseconv2d" {
        let extents = |axis| weight.and_then(|weight| extent(graph, weight, axis)).unwrap_or(1);
        made.saturating_mul(extents(1)).saturating_mul(extents(2))
    } else if is(&CONVOLUTIONS) && !is_set(node, "transposed") {
        made.saturating_mul(product(0))
    } else if is(&TRANSPOSED) || is(&CONVOLUTIONS) {
        // Rows of it are made only where the kernel is as long as the stride: then every output
        // reads each channel once.
        let channels = extent(graph, input, if layout == Layout::ChannelsLast { 3 } else { 1 });
        match (stated_rows(node), channels) {
            (Some(_), Some(channels)) => made.saturating_mul(channels),
            // Channels last, the weight is output by rows by columns by input.
            _ => elements(input).saturating_mul(product(if layout == Layout::ChannelsLast { 3 } else { 0 })),
        }
    } else if is(&LINEAR) {
        made.saturating_mul(inner_size(graph, node, &op).unwrap_or(1))
    } else {
        0
    }
}

/// Products that each element of a matrix product adds up: the extent that the left operand has and
/// the result has not. The first operand of `addmm` is added.
fn inner_size(graph: &Graph, node: &Node, op: &str) -> Option<u64> {
    let left = *node.inputs.get(usize::from(op == "addmm" || op == "baddbmm"))?;
    let rank = graph.tensors[left].shape.len();
    if op == "gemm" && is_set(node, "transA") || op == "batchmatmul" && is_set(node, "adj_x") {
        return extent(graph, left, rank.checked_sub(2)?);
    }
    // A fully connected layer flattens its input: the weight, output by input, has the inner size.
    let weight = node.inputs.iter().copied().find(|&input| graph.tensors[input].kind == Kind::Weight);
    let weight = weight.filter(|&weight| graph.tensors[weight].shape.len() == 2);
    match (op, weight) {
        ("linear" | "fullyconnected" | "dense", Some(weight)) => extent(graph, weight, 1),
        _ => extent(graph, left, rank.checked_sub(1)?),
    }
}
