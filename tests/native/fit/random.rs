//! Graphs by chance, the same in every run.

use std::collections::BTreeMap;

use memplan_core::graph::{Graph, Kind, Node, TensorId};

use super::execute::extents;
use super::graph_of;

/// Numbers that repeat: a linear congruential generator.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A graph of up to eight operators with images of one column; a byte an element.
pub fn random_graph(numbers: &mut Numbers) -> Graph {
    let (rows, count) = (6 + numbers.below(4), 3 + numbers.below(6));
    random_graph_of(numbers, rows, count)
}

/// The same with so many rows of the input, and so many operators.
///
/// Of every kind of operator that stripes hold whole there is one: `upside_down` is known to
/// nobody; `custom.count` and `while` are not pure; `max_pool2d_with_indices` has two results;
/// `sum_rows` makes one row, which the operators after it cannot divide.
pub fn random_graph_of(numbers: &mut Numbers, rows: u64, count: u64) -> Graph {
    let mut tensors = Vec::new();
    let mut nodes = Vec::new();
    let tensor = |name: &str, shape: [u64; 4], kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"int8","shape":{shape:?},"kind":"{kind}"}}"#)
    };
    // Name, channels and rows of what was made.
    let mut made = vec![("x".to_string(), 1 + numbers.below(3), rows)];
    tensors.push(tensor("x", [1, made[0].1, made[0].2, 1], "input"));
    for index in 0..count {
        let name = format!("t{index}");
        let recent = made.len().saturating_sub(1 + numbers.below(2).min(made.len() as u64 - 1) as usize);
        // The input is read late now and then, too.
        let recent = if numbers.below(8) == 0 { 0 } else { recent };
        let (input, channels, rows) = made[recent].clone();
        let is_output = index + 1 == count || numbers.below(12) == 0;
        let kind = if is_output { "output" } else { "intermediate" };
        let mates: Vec<_> =
            made.iter().filter(|other| other.0 != input && (other.1, other.2) == (channels, rows)).cloned().collect();
        let beside: Vec<_> = made.iter().filter(|other| other.0 != input && other.2 == rows).cloned().collect();
        let plain = |op: &str, rest: &str| {
            format!(r#"{{"name":"n{index}","op":"{op}","inputs":["{input}"],"outputs":["{name}"]{rest}}}"#)
        };
        let (channels, rows) = match numbers.below(16) {
            0..=3 => {
                let (out, kernel) = (1 + numbers.below(4), [1, 3][numbers.below(2) as usize]);
                let stride = if kernel == 3 && rows >= 6 { 1 + numbers.below(2) } else { 1 };
                let pad = kernel / 2;
                tensors.push(tensor(&format!("w{index}"), [out, channels, kernel, 1], "weight"));
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"conv2d","inputs":["{input}","w{index}"],"outputs":["{name}"],"attrs":{{"stride":[{stride},1],"padding":[{pad},0]}}}}"#
                ));
                (out, (rows + 2 * pad - kernel) / stride + 1)
            }
            4 if rows >= 4 => {
                let attrs = r#","attrs":{"kernel":[2,1],"stride":[2,1],"padding":[0,0]}"#;
                nodes.push(plain("max_pool2d", attrs));
                (channels, (rows - 2) / 2 + 1)
            }
            5 if !mates.is_empty() => {
                let other = &mates[numbers.below(mates.len() as u64) as usize].0;
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"add","inputs":["{input}","{other}"],"outputs":["{name}"],"inplace":[[0,0],[1,0]]}}"#
                ));
                (channels, rows)
            }
            6 if rows <= 5 => {
                nodes.push(plain("upsample_nearest2d", ""));
                (channels, 2 * rows)
            }
            7..=9 if !beside.is_empty() => {
                let mut inputs = vec![(input.clone(), channels)];
                for _ in 0..1 + numbers.below(2) {
                    let (other, channels, _) = beside[numbers.below(beside.len() as u64) as usize].clone();
                    if !inputs.contains(&(other.clone(), channels)) {
                        inputs.push((other, channels));
                    }
                }
                if numbers.below(2) == 0 {
                    inputs.reverse();
                }
                let attrs = ["", r#","attrs":{"axis":1}"#, r#","attrs":{"dim":"-3"}"#][numbers.below(3) as usize];
                let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"cat","inputs":{names:?},"outputs":["{name}"]{attrs}}}"#
                ));
                (inputs.iter().map(|(_, channels)| channels).sum(), rows)
            }
            10 => {
                nodes.push(plain("upside_down", ""));
                (channels, rows)
            }
            11 => {
                nodes.push(plain("custom.count", ""));
                (channels, rows)
            }
            12 => {
                nodes.push(plain("while", r#","inplace":[[0,0]]"#));
                (channels, rows)
            }
            13 if rows >= 4 => {
                let (second, half) = (format!("t{index}i"), (rows - 2) / 2 + 1);
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"max_pool2d_with_indices","inputs":["{input}"],"outputs":["{name}","{second}"],"attrs":{{"kernel":[2,1],"stride":[2,1],"padding":[0,0]}}}}"#
                ));
                tensors.push(tensor(&second, [1, channels, half, 1], kind));
                made.push((second, channels, half));
                (channels, half)
            }
            14 => {
                nodes.push(plain("sum_rows", ""));
                (channels, 1)
            }
            _ => {
                nodes.push(plain("relu", r#","inplace":[[0,0]]"#));
                (channels, rows)
            }
        };
        tensors.push(tensor(&name, [1, channels, rows, 1], kind));
        made.push((name, channels, rows));
    }
    graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"random","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    ))
}

/// Bytes of kernels by operator. A concatenation has none: it may come to nothing.
pub fn scratch_by_chance(numbers: &mut Numbers, graph: &Graph) -> BTreeMap<String, u64> {
    let kernels = graph.nodes.iter().filter(|node| node.op != "cat").map(|node| node.name.clone());
    kernels
        .filter_map(|name| Some((name, numbers.below(3) * numbers.below(6))).filter(|(_, bytes)| *bytes > 0))
        .collect()
}

/// Whether an operator changes or reads something besides its operands, so that it runs once and in
/// its turn.
pub fn is_impure(node: &Node) -> bool {
    ["custom.count", "while"].contains(&node.op.as_str())
}

/// Whether an operator runs whole: nothing is known of its rows, it has several results, or there
/// is no more than one row.
pub fn is_whole(graph: &Graph, node: &Node) -> bool {
    let rows = |&tensor: &TensorId| extents(graph, tensor)[2];
    let images = node.inputs.iter().filter(|&&input| graph.tensors[input].kind != Kind::Weight);
    let is_divided = ["conv2d", "max_pool2d", "upsample_nearest2d", "add", "cat", "relu"].contains(&node.op.as_str());
    !is_divided || images.chain(&node.outputs).any(|tensor| rows(tensor) < 2)
}
