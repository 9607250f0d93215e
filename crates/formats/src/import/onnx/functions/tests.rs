//! Models built field by field.

use super::*;
use crate::import::{Answers, Document, read};
use memplan_core::graph::Graph;

/// A message: fields in order, each its tag and bytes.
fn message_of(fields: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (tag, field) in fields {
        // Tags above 15 take two bytes.
        if *tag > 15 {
            bytes.extend([(tag << 3 | 2) as u8 | 0x80, (tag >> 4) as u8]);
            let mut tail = Vec::new();
            put(&mut tail, 1, field);
            bytes.extend(&tail[1..]);
        } else {
            put(&mut bytes, *tag, field);
        }
    }
    bytes
}

fn int(name: &str, value: u8) -> Vec<u8> {
    [message_of(&[(1, name.as_bytes())]), vec![3 << 3, value]].concat()
}

fn reference(name: &str, to: &str) -> Vec<u8> {
    message_of(&[(1, name.as_bytes()), (REFERENCE, to.as_bytes())])
}

/// `label: outputs = domain.op(inputs)`; an operator with a dot is one of the file.
fn node(label: &str, outputs: &[&str], op: &str, inputs: &[&str], attributes: &[Vec<u8>]) -> Vec<u8> {
    let (domain, op) = op.split_once('.').unwrap_or(("", op));
    let mut fields: Vec<(u32, &[u8])> = Vec::new();
    fields.extend(inputs.iter().map(|name| (1, name.as_bytes())));
    fields.extend(outputs.iter().map(|name| (2, name.as_bytes())));
    fields.extend([(3, label.as_bytes()), (4, op.as_bytes()), (7, domain.as_bytes())]);
    fields.extend(attributes.iter().map(|attribute| (5, &attribute[..])));
    message_of(&fields)
}

fn function(name: &str, inputs: &[&str], outputs: &[&str], nodes: &[Vec<u8>], defaults: &[Vec<u8>]) -> Vec<u8> {
    let mut fields: Vec<(u32, &[u8])> = vec![(1, name.as_bytes()), (10, b"f")];
    fields.extend(inputs.iter().map(|name| (4, name.as_bytes())));
    fields.extend(outputs.iter().map(|name| (5, name.as_bytes())));
    fields.extend(nodes.iter().map(|node| (7, &node[..])));
    fields.extend(defaults.iter().map(|attribute| (11, &attribute[..])));
    message_of(&fields)
}

/// A model over `x`, float32 of 2 × 3, that gives `y`.
fn model(nodes: &[Vec<u8>], functions: &[Vec<u8>]) -> Vec<u8> {
    let extent = |extent: u8| message_of(&[(1, &[1 << 3, extent])]);
    let shape = [extent(2), extent(3)].concat();
    let tensor = [&[1 << 3, 1][..], &message_of(&[(2, &shape)])].concat();
    let x = message_of(&[(1, b"x"), (2, &message_of(&[(1, &tensor)]))]);
    let mut graph: Vec<(u32, &[u8])> = nodes.iter().map(|node| (1, &node[..])).collect();
    let y = message_of(&[(1, b"y")]);
    graph.extend([(2, &b"g"[..]), (11, &x), (12, &y)]);
    let graph = message_of(&graph);
    let opset = [&message_of(&[(1, b"")])[..], &[2 << 3, 17]].concat();
    let mut fields: Vec<(u32, &[u8])> = vec![(7, &graph), (8, &opset)];
    fields.extend(functions.iter().map(|function| (25, &function[..])));
    [vec![1 << 3, 10], message_of(&fields)].concat()
}

fn graph(model: &[u8]) -> Graph {
    match read(model, Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

/// `outputs = op(inputs)` of every node, with the shapes of the outputs.
fn lines(graph: &Graph) -> Vec<String> {
    let names = |ids: &[memplan_core::graph::TensorId]| {
        ids.iter().map(|&id| graph.tensors[id].name.clone()).collect::<Vec<_>>().join(" ")
    };
    let shape = |id: memplan_core::graph::TensorId| {
        let extents = graph.tensors[id].shape.iter().map(|dim| match dim {
            memplan_core::graph::Dim::Fixed(extent) => extent.to_string(),
            other => format!("{other:?}"),
        });
        extents.collect::<Vec<_>>().join("×")
    };
    let line = |node: &memplan_core::graph::Node| {
        format!("{} {} = {}({})", names(&node.outputs), shape(node.outputs[0]), node.op, names(&node.inputs))
    };
    graph.nodes.iter().map(line).collect()
}

fn fault(model: &[u8]) -> String {
    let faults = read(model, Answers::default()).expect_err("refused");
    faults[0].message.key.to_string()
}

#[test]
fn calls_become_nodes_with_names_and_attributes_of_their_own() {
    // Doubled along an axis that the call states, or 0.
    let double = function(
        "Double",
        &["a"],
        &["b"],
        &[
            node("", &["h"], "Concat", &["a", "a"], &[reference("axis", "along")]),
            node("last", &["b"], "Relu", &["h"], &[]),
        ],
        &[int("along", 0)],
    );
    // Its own attribute goes through to the first call inside.
    let twice = function(
        "Twice",
        &["a"],
        &["b"],
        &[
            node("one", &["h"], "f.Double", &["a"], &[reference("along", "axis")]),
            node("two", &["b"], "f.Double", &["h"], &[]),
        ],
        &[],
    );
    let read = graph(&model(
        &[
            node("call", &["call/h"], "f.Twice", &["x"], &[int("axis", 1)]),
            node("", &["y"], "f.Double", &["call/h"], &[]),
        ],
        &[double, twice],
    ));
    assert_eq!(
        lines(&read),
        [
            "call_2/one/h 2×6 = Concat(x x)",
            "call_2/h 2×6 = Relu(call_2/one/h)",
            "call_2/two/h 4×6 = Concat(call_2/h call_2/h)",
            "call/h 4×6 = Relu(call_2/two/h)",
            "y/h 8×6 = Concat(call/h call/h)",
            "y 8×6 = Relu(y/h)",
        ]
    );
}

#[test]
fn inputs_left_out_and_outputs_that_nobody_makes() {
    let through = function(
        "Through",
        &["a", "low", "high"],
        &["a", "c", "unused"],
        &[node("", &["c"], "Clip", &["a", "low", "high"], &[]), node("", &["unused"], "Neg", &["a"], &[])],
        &[],
    );
    let calls =
        [node("call", &["same", "c"], "f.Through", &["x", ""], &[]), node("sum", &["y"], "Add", &["same", "c"], &[])];
    let read = graph(&model(&calls, &[through]));
    assert_eq!(
        lines(&read),
        ["c 2×3 = Clip(x)", "call/unused 2×3 = Neg(x)", "same 2×3 = Identity(x)", "y 2×3 = Add(same c)",]
    );
}

/// Functions `f0` to `f<depth - 1>`, each calling the next `times` times; the last one calls `end`.
fn chain(depth: usize, times: usize, end: &str) -> Vec<u8> {
    let of = |index: usize| {
        let next = if index + 1 < depth { format!("f.f{}", index + 1) } else { end.to_string() };
        let names: Vec<String> = (0..times).map(|call| format!("b{call}")).collect();
        let calls: Vec<Vec<u8>> = names.iter().map(|name| node("", &[name], &next, &["a"], &[])).collect();
        function(&format!("f{index}"), &["a"], &["b0"], &calls, &[])
    };
    model(&[node("call", &["y"], "f.f0", &["x"], &[])], &(0..depth).map(of).collect::<Vec<_>>())
}

#[test]
fn functions_without_an_end_are_refused() {
    assert_eq!(lines(&graph(&chain(16, 1, "Relu"))), ["y 2×3 = Relu(x)"]);
    assert_eq!(fault(&chain(17, 1, "Relu")), "fault.onnx-depth");
    assert_eq!(fault(&chain(3, 1, "f.f1")), "fault.onnx-recursion");
    assert_eq!(fault(&chain(16, 20, "Relu")), "fault.onnx-functions-large");
    let damaged = model(&[node("", &["y"], "Relu", &["x"], &[])], &[vec![0xff, 0xff]]);
    assert_eq!(fault(&damaged), "fault.onnx-field");
}

/// A branch that makes `out` by these nodes.
fn branch(name: &str, nodes: &[Vec<u8>], out: &str) -> Vec<u8> {
    let output = message_of(&[(1, out.as_bytes())]);
    let mut fields: Vec<(u32, &[u8])> = nodes.iter().map(|node| (1, &node[..])).collect();
    fields.push((12, &output));
    message_of(&[(1, name.as_bytes()), (6, &message_of(&fields))])
}

#[test]
fn names_and_calls_inside_a_body_are_those_of_the_call() {
    let inner = node("in", &["r"], "f.Inner", &["a"], &[]);
    let then = branch("then_branch", &[inner, node("", &["t"], "Exp", &["r"], &[])], "t");
    let other = branch("else_branch", &[node("", &["e"], "Neg", &["k"], &[])], "e");
    let nodes = [node("", &["k"], "Abs", &["a"], &[]), node("choice", &["b"], "If", &["a"], &[then, other])];
    let pick = function("Pick", &["a"], &["b"], &nodes, &[]);
    let abs = function("Inner", &["q"], &["w"], &[node("", &["w"], "Relu", &["q"], &[])], &[]);
    let graph = graph(&model(&[node("call", &["y"], "f.Pick", &["x"], &[])], &[pick, abs]));
    // Inside, `r` of 2 × 3 is alive besides the operands and the result.
    assert_eq!(lines(&graph), ["call/k 2×3 = Abs(x)", "y call/choice/body 2×3 = If(x call/k)"]);
    let scratch = graph.nodes.iter().last().and_then(|node| node.scratch()).expect("scratch");
    assert_eq!(graph.bytes_of(scratch, &Default::default()), Ok(24));
}
