//! Made-up ONNX files of any size for benchmarks, and for what a test needs of one.

use crate::import::protobuf::{put, put_varint};

/// A chain of convolutions of about `size` bytes, without any shapes but those of the input and the
/// weights: all others are worked out. `weight` is the bytes of each weight in the file; a symbolic
/// batch is one without a number.
pub fn sample(size: usize, weight: usize, symbolic: bool) -> Vec<u8> {
    let extent = |extent: u64| {
        let mut dim = vec![1 << 3];
        put_varint(&mut dim, extent);
        field(1, &dim)
    };
    let batch = if symbolic { field(2, b"batch") } else { vec![1 << 3, 1] };
    let dims = [field(1, &batch), extent(64), extent(56), extent(56)].concat();
    let tensor = field(1, &[vec![1 << 3, 1], field(2, &dims)].concat());
    let mut graph = field(11, &[field(1, b"t0"), field(2, &tensor)].concat());
    let mut layer = 0;
    while graph.len() < size {
        let name = |part: &str| format!("/features/layer.{layer}/{part}");
        let (before, after) = (format!("t{layer}"), format!("t{}", layer + 1));
        let options = [ints("kernel_shape", &[3, 3]), ints("pads", &[1, 1, 1, 1]), ints("strides", &[1, 1])];
        graph.extend(weights(&name("weight"), &[64, 64, 3, 3], weight));
        graph.extend(node("Conv", &[&before, &name("weight")], &name("Conv_output_0"), &options));
        graph.extend(node("Relu", &[&name("Conv_output_0")], &name("Relu_output_0"), &[]));
        graph.extend(node("Add", &[&name("Relu_output_0"), &before], &after, &[]));
        layer += 1;
    }
    graph.extend(field(12, &field(1, format!("t{layer}").as_bytes())));
    [vec![1 << 3, 8], field(7, &graph), field(8, &[2 << 3, 17])].concat()
}

/// A protobuf field with bytes in it.
fn field(tag: u32, bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::with_capacity(bytes.len() + 8);
    put(&mut field, tag, bytes);
    field
}

/// A list of whole numbers as an attribute of a node.
fn ints(name: &str, values: &[u64]) -> Vec<u8> {
    let mut packed = Vec::new();
    values.iter().for_each(|&value| put_varint(&mut packed, value));
    field(5, &[field(1, name.as_bytes()), field(8, &packed), vec![20 << 3 & 127 | 128, 1, 7]].concat())
}

fn node(op: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| field(1, name.as_bytes())).collect();
    let name = field(3, format!("node of {output}").as_bytes());
    field(1, &[inputs, field(2, output.as_bytes()), name, field(4, op.as_bytes()), attributes.concat()].concat())
}

fn weights(name: &str, dims: &[u64], bytes: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    dims.iter().for_each(|&extent| put_varint(&mut packed, extent));
    field(5, &[field(1, &packed), vec![2 << 3, 1], field(8, name.as_bytes()), field(9, &vec![1; bytes])].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{self, Answers};

    #[test]
    fn a_made_up_model_can_be_read() {
        for (weight, symbolic) in [(0, false), (0, true), (147_456, false)] {
            let bytes = sample(300_000, weight, symbolic);
            assert!((300_000..500_000).contains(&bytes.len()), "{}", bytes.len());
            let read = import::read(&bytes, Answers::default()).expect("a valid model");
            assert_eq!((read.format.name(), read.questions.len()), ("ONNX", 0));
            let graph = read.document.graph().expect("a graph");
            assert_eq!((graph.nodes.len() % 3, graph.symbols.len()), (0, symbolic as usize));
        }
    }
}
