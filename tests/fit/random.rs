//! Graphs by chance, the same in every run.

use memplan::graph::Graph;

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
    let mut tensors = Vec::new();
    let mut nodes = Vec::new();
    let tensor = |name: &str, shape: [u64; 4], kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"int8","shape":{shape:?},"kind":"{kind}"}}"#)
    };
    // Name, channels and rows of what was made.
    let mut made = vec![("x".to_string(), 1 + numbers.below(3), 6 + numbers.below(4))];
    tensors.push(tensor("x", [1, made[0].1, made[0].2, 1], "input"));
    let count = 3 + numbers.below(6);
    for index in 0..count {
        let name = format!("t{index}");
        let recent = made.len().saturating_sub(1 + numbers.below(2).min(made.len() as u64 - 1) as usize);
        let (input, channels, rows) = made[recent].clone();
        let kind = if index + 1 == count { "output" } else { "intermediate" };
        let mates: Vec<_> =
            made.iter().filter(|other| other.0 != input && (other.1, other.2) == (channels, rows)).cloned().collect();
        let beside: Vec<_> = made.iter().filter(|other| other.0 != input && other.2 == rows).cloned().collect();
        let (channels, rows) = match numbers.below(9) {
            0..=2 => {
                let (out, kernel) = (1 + numbers.below(4), [1, 3][numbers.below(2) as usize]);
                let stride = if kernel == 3 && rows >= 6 { 1 + numbers.below(2) } else { 1 };
                let pad = kernel / 2;
                tensors.push(tensor(&format!("w{index}"), [out, channels, kernel, 1], "weight"));
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"conv2d","inputs":["{input}","w{index}"],"outputs":["{name}"],"attrs":{{"stride":[{stride},1],"padding":[{pad},0]}}}}"#
                ));
                (out, (rows + 2 * pad - kernel) / stride + 1)
            }
            3 if rows >= 4 => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"max_pool2d","inputs":["{input}"],"outputs":["{name}"],"attrs":{{"kernel":[2,1],"stride":[2,1],"padding":[0,0]}}}}"#
                ));
                (channels, (rows - 2) / 2 + 1)
            }
            4 if !mates.is_empty() => {
                let other = &mates[numbers.below(mates.len() as u64) as usize].0;
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"add","inputs":["{input}","{other}"],"outputs":["{name}"],"inplace":[[0,0],[1,0]]}}"#
                ));
                (channels, rows)
            }
            7 | 8 if !beside.is_empty() => {
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
            5 if rows <= 5 => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"upsample_nearest2d","inputs":["{input}"],"outputs":["{name}"]}}"#
                ));
                (channels, 2 * rows)
            }
            // The last row comes first: no rule says which rows of it need which.
            6 => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"upside_down","inputs":["{input}"],"outputs":["{name}"]}}"#
                ));
                (channels, rows)
            }
            _ => {
                nodes.push(format!(
                    r#"{{"name":"n{index}","op":"relu","inputs":["{input}"],"outputs":["{name}"],"inplace":[[0,0]]}}"#
                ));
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
