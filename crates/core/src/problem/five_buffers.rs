//! The five buffers that the pictures in comments show, and the check that a picture is as the
//! program draws it.

use super::{Problem, Scope, lifetimes};
use crate::graph::{Dtype, Graph, Kind, RawDim, RawGraph, RawNode, RawTensor, check};

/// Bytes of a row of a picture.
pub const KIB: u64 = 1024;

/// A node with its name, the tensors that it reads and those that it makes.
type Step = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The nodes in the order in which they run.
const NODES: [Step; 6] = [
    ("make_a", &[], &["a"]),
    ("make_b", &["a"], &["b"]),
    ("make_c", &["b"], &["c", "d"]),
    ("use_c", &["b", "c"], &[]),
    ("make_e", &[], &["e"]),
    ("use_e", &["e"], &[]),
];

/// The graph that makes and reads them.
pub fn graph() -> Graph {
    let tensor = |(name, kib): (&str, u64)| RawTensor {
        name: Some(name.into()),
        dtype: Some(Dtype::UInt8),
        shape: Some(vec![RawDim::Fixed(kib * KIB)]),
        kind: Some(Kind::Intermediate),
        ..RawTensor::default()
    };
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let node = |(name, inputs, outputs): Step| RawNode {
        name: Some(name.into()),
        op: Some("f".into()),
        inputs: names(inputs),
        outputs: names(outputs),
        ..RawNode::default()
    };
    let raw = RawGraph {
        name: "five buffers".into(),
        tensors: [("a", 2), ("b", 1), ("c", 3), ("d", 1), ("e", 4)].map(tensor).into(),
        nodes: NODES.map(node).into(),
        ..RawGraph::default()
    };
    check(raw).expect("the example is a graph").0
}

/// Its buffers: a, b, c, d and e.
pub fn problem() -> Problem {
    lifetimes(&graph(), &Scope::default()).expect("sizes are known")
}

/// Draws the buffers at these offsets in KiB: a row for each KiB, from the top, with the name of
/// its buffer at each step.
pub fn drawn(offsets: &[u64]) -> Vec<String> {
    let problem = problem();
    let placed: Vec<_> = problem.buffers.iter().zip(offsets).collect();
    let top = placed.iter().map(|(buffer, offset)| *offset + buffer.size / KIB).max().unwrap_or(0);
    let name = |row: u64, step: u32| {
        let is_here = |buffer: &super::Buffer, offset: u64| {
            buffer.live.contains(step) && offset <= row && row < offset + buffer.size / KIB
        };
        placed.iter().find(|(buffer, offset)| is_here(buffer, **offset)).map_or(".", |(buffer, _)| &buffer.name)
    };
    let row = |row: u64| {
        let cells: String = (0..problem.steps).map(|step| format!("   {}", name(row, step))).collect();
        format!("{row} |{cells}")
    };
    (0..top).rev().map(row).collect()
}

/// Checks that the comments of a source file hold these lines, one below the other.
pub fn assert_in_comments(source: &str, lines: &[impl AsRef<str>]) {
    let comments: Vec<&str> = source.lines().filter(|line| line.trim_start().starts_with("//")).collect();
    let holds = |part: &[&str]| part.iter().zip(lines).all(|(comment, line)| comment.contains(line.as_ref()));
    let wanted: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
    assert!(comments.windows(lines.len()).any(holds), "no comment holds\n{}", wanted.join("\n"));
}

#[test]
fn the_picture_of_the_example_is_true() {
    let problem = problem();
    let buffers: Vec<String> = problem
        .buffers
        .iter()
        .map(|buffer| {
            format!("{}       {} KiB   [{}, {})", buffer.name, buffer.size / KIB, buffer.live.start, buffer.live.end)
        })
        .collect();
    let rows = drawn(&[1, 0, 1, 4, 0]);
    let beside: Vec<String> = rows.iter().zip(&buffers).map(|(row, buffer)| format!("{row}        {buffer}")).collect();
    assert_in_comments(include_str!("mod.rs"), &beside);
    assert_eq!(super::lower_bound(&problem), 5 * KIB);
}

#[test]
#[should_panic(expected = "no comment holds")]
fn a_wrong_picture_is_caught() {
    assert_in_comments("// 0 | a b\nlet row = \"1 | b a\";", &["1 | b a"]);
}
