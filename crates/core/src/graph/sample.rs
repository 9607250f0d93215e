//! Made-up graphs of any size for benchmarks: the same for the same arguments on every machine.

use super::{DeviceId, Dim, Dtype, Graph, Kind, Node, NodeId, Tensor, TensorId};
use crate::base::{Id, IdVec};

/// `count` nodes with one output each: 1 to 256 units of 64 bytes, last read within 40 steps, one
/// in fifty ten times as late.
pub fn sample(count: u32, seed: u64) -> Graph {
    let mut random = seed.wrapping_mul(2).wrapping_add(1);
    let mut draw = move |below: u64| {
        // xorshift64*: good enough to look irregular.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below
    };
    let mut graph = Graph { name: format!("sample{count}"), ..Graph::default() };
    graph.devices.push("cpu".into());
    let mut reads: IdVec<NodeId, Vec<TensorId>> = IdVec::from_elem(Vec::new(), count as usize);
    for index in 0..count {
        let long = if draw(50) == 0 { 10 } else { 1 };
        let length = (1 + draw(40) * long) as u32;
        let last = (index + length - 1).min(count - 1);
        let tensor = graph.tensors.push(Tensor {
            name: format!("b{index}"),
            dtype: Dtype::Float32,
            shape: vec![Dim::Fixed(16 * (1 + draw(256)))],
            kind: Kind::Intermediate,
            bytes: None,
            device: DeviceId(0),
            own_device: false,
            align: None,
            mem_id: None,
            role: None,
        });
        if last > index {
            reads[NodeId(last)].push(tensor);
        }
    }
    for (id, inputs) in reads.enumerate() {
        graph.nodes.push(Node {
            name: format!("n{}", id.index()),
            op: "add".into(),
            inputs: inputs.clone(),
            outputs: vec![TensorId(id.0)],
            device: None,
            inplace: Vec::new(),
            ignore_inputs: Vec::new(),
            attrs: Default::default(),
        });
    }
    graph
}
