//! Every kind of kernel that has rows, in both layouts: groups, dilations, paddings and strides. A
//! changed graph computes the same.

use memplan_core::graph::Graph;

use super::execute::{execute, with_rows};
use super::random::Numbers;
use super::{graph_of, request, solve};

/// What a chain of random operators is made of.
struct Chain<'n> {
    numbers: &'n mut Numbers,
    is_last: bool,
    tensors: Vec<String>,
    nodes: Vec<String>,
    /// Name, channels and rows of what was made.
    made: Vec<(String, u64, u64)>,
}

impl Chain<'_> {
    fn tensor(&mut self, name: &str, shape: &[u64], kind: &str) {
        self.tensors.push(format!(r#"{{"name":"{name}","dtype":"int8","shape":{shape:?},"kind":"{kind}"}}"#));
    }

    fn image(&mut self, name: &str, (channels, rows): (u64, u64), kind: &str) {
        let shape = if self.is_last { [1, rows, 1, channels] } else { [1, channels, rows, 1] };
        self.tensor(name, &shape, kind);
        self.made.push((name.to_string(), channels, rows));
    }

    fn node(&mut self, op: &str, inputs: &[&str], output: &str, rest: &str) {
        let name = format!("n{}", self.nodes.len());
        self.nodes.push(format!(r#"{{"name":"{name}","op":"{op}","inputs":{inputs:?},"outputs":["{output}"]{rest}}}"#));
    }

    /// Adds an operator that reads what was made last.
    fn step(&mut self, kind: &str) {
        let number = self.nodes.len();
        let (name, weight) = (format!("t{number}"), format!("w{number}"));
        let (input, channels, rows) = self.made.last().cloned().expect("an input");
        let pick = |numbers: &mut Numbers, all: &[u64]| all[numbers.below(all.len() as u64) as usize];
        let is_last = self.is_last;
        let op = |first: &'static str, last: &'static str| if is_last { last } else { first };
        let made = match self.numbers.below(10) {
            0..=2 => {
                let (kernel, dilation) = (pick(self.numbers, &[1, 2, 3]), pick(self.numbers, &[1, 2]));
                let stride = if rows >= 6 { pick(self.numbers, &[1, 2]) } else { 1 };
                let span = (kernel - 1) * dilation + 1;
                let is_deep = self.numbers.below(3) == 0;
                let (groups, out) = match self.numbers.below(2) {
                    _ if is_deep => (channels, channels),
                    0 if channels.is_multiple_of(2) => (2, 4),
                    _ => (1, pick(self.numbers, &[2, 3, 4])),
                };
                let (attrs, ho) = if is_last {
                    let padding = if span > rows || self.numbers.below(2) == 0 { "SAME" } else { "VALID" };
                    let ho = if padding == "SAME" { rows.div_ceil(stride) } else { (rows - span) / stride + 1 };
                    let attrs = format!(r#""strides":[{stride},1],"dilations":[{dilation},1],"padding":"{padding}""#);
                    (attrs, ho)
                } else {
                    let pad = span / 2;
                    let attrs = format!(
                        r#""stride":[{stride},1],"dilation":[{dilation},1],"padding":[{pad},0],"groups":{groups}"#
                    );
                    (attrs, (rows + 2 * pad - span) / stride + 1)
                };
                let shape = match (is_last, is_deep) {
                    (true, true) => [1, kernel, 1, channels],
                    (true, false) => [out, kernel, 1, channels],
                    (false, _) => [out, channels / groups, kernel, 1],
                };
                self.tensor(&weight, &shape, "weight");
                let op = if is_deep { op("conv2d", "DEPTHWISE_CONV_2D") } else { op("conv2d", "CONV_2D") };
                self.node(op, &[&input, &weight], &name, &format!(r#","attrs":{{{attrs}}}"#));
                (out, ho)
            }
            3 if rows >= 4 => {
                let (op, kernel) = (op("avg_pool2d", "AVERAGE_POOL_2D"), pick(self.numbers, &[2, 3]));
                let (attrs, ho) = if is_last {
                    (r#""padding":"SAME","strides":[2,1]"#, rows.div_ceil(2))
                } else {
                    (r#""padding":[0,0],"stride":[2,1]"#, (rows - kernel) / 2 + 1)
                };
                self.node(op, &[&input], &name, &format!(r#","attrs":{{{attrs},"kernel":[{kernel},1]}}"#));
                (channels, ho)
            }
            4 if rows <= 6 => {
                self.node(op("upsample_nearest2d", "RESIZE_NEAREST_NEIGHBOR"), &[&input], &name, "");
                (channels, 2 * rows)
            }
            7 if rows <= 6 => {
                let out = pick(self.numbers, &[1, 2, 3]);
                let is_either = self.numbers.below(2) == 0;
                let (shape, op, attrs) = match (is_last, is_either) {
                    (true, _) => ([out, 2, 1, channels], "TRANSPOSE_CONV", r#""strides":[2,1],"padding":"VALID""#),
                    (_, true) => {
                        ([channels, out, 2, 1], "convolution", r#""transposed":true,"stride":[2,1],"padding":[0,0]"#)
                    }
                    (_, false) => ([channels, out, 2, 1], "conv_transpose2d", r#""stride":[2,1],"padding":[0,0]"#),
                };
                self.tensor(&weight, &shape, "weight");
                self.node(op, &[&input, &weight], &name, &format!(r#","attrs":{{{attrs}}}"#));
                (out, 2 * rows)
            }
            5 => {
                let shape: &[u64] = if is_last { &[channels, channels] } else { &[1, 1] };
                self.tensor(&weight, shape, "weight");
                self.node(op("matmul", "FULLY_CONNECTED"), &[&input, &weight], &name, "");
                (channels, rows)
            }
            6 => {
                let mate = self.made.iter().rev().skip(1).find(|other| (other.1, other.2) == (channels, rows));
                let mate = mate.map_or(input.clone(), |mate| mate.0.clone());
                self.node(op("add", "ADD"), &[&input, &mate], &name, r#","inplace":[[0,0]]"#);
                (channels, rows)
            }
            9 if is_last && rows <= 9 => {
                let (before, behind) = (self.numbers.below(4), self.numbers.below(4));
                let attrs = format!(r#","attrs":{{"paddings":[0,0,{before},{behind},0,0,0,0]}}"#);
                self.node("PAD", &[&input], &name, &attrs);
                (channels, before + rows + behind)
            }
            _ => {
                self.node(op("relu", "RELU"), &[&input], &name, r#","inplace":[[0,0]]"#);
                (channels, rows)
            }
        };
        self.image(&name, made, kind);
    }
}

fn chain(numbers: &mut Numbers, is_last: bool) -> Graph {
    let (rows, count) = (8 + numbers.below(5), 4 + numbers.below(4));
    let mut chain = Chain { numbers, is_last, tensors: Vec::new(), nodes: Vec::new(), made: Vec::new() };
    chain.image("x", (2, rows), "input");
    // The first one says what layout it is.
    chain.tensor("w", if is_last { &[4, 3, 1, 2] } else { &[4, 2, 3, 1] }, "weight");
    let attrs = if is_last { r#""strides":[1,1],"padding":"SAME""# } else { r#""stride":[1,1],"padding":[1,0]"# };
    let op = if is_last { "CONV_2D" } else { "conv2d" };
    chain.node(op, &["x", "w"], "t0", &format!(r#","attrs":{{{attrs}}}"#));
    chain.image("t0", (4, rows), "intermediate");
    for at in 0..count {
        chain.step(if at + 1 == count { "output" } else { "intermediate" });
    }
    graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"chain","tensors":[{}],"nodes":[{}]}}"#,
        chain.tensors.join(","),
        chain.nodes.join(",")
    ))
}

#[test]
fn kernels_of_both_layouts_compute_the_same_after_every_change() {
    for is_last in [false, true] {
        let (mut numbers, mut striped, mut others) = (Numbers(31), 0, 0);
        for round in 0..80 {
            let graph = with_rows(chain(&mut numbers, is_last));
            let vast = solve(&graph, &request(1 << 30, "planner")).finished.expect("a plan");
            let expected = execute(&vast.graph, &vast.problem, &vast.plan);
            for (allow, share) in
                [("planner,stripes", 7), ("planner,inplace,stripes", 5), ("all", 6), ("planner,spill", 8)]
            {
                let answer = solve(&graph, &request((vast.peak * share / 10).max(1), allow));
                let Some(finished) = answer.finished else { continue };
                let has = |lever: &str| answer.record.moves.iter().any(|one| one.lever == lever);
                striped += u32::from(has("stripes"));
                others += u32::from(has("spill") || has("recompute") || has("bank"));
                let found = execute(&finished.graph, &finished.problem, &finished.plan);
                assert_eq!(found, expected, "{is_last} {round} {allow} {:?}", answer.record.moves);
            }
        }
        assert!(striped > 30 && others > 20, "{is_last}: {striped} {others}");
    }
}
