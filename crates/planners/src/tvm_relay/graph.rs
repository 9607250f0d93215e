//! An ordinary graph as a program of TVM Relay: one value a buffer of the problem, one call a node.

use std::collections::BTreeMap;

use super::Version;
use super::program::{Call, Operand, Program, Value, texture};
use memplan_core::base::IdVec;
use memplan_core::graph::{Attr, Dim, Graph, Kind, Node, NodeId, TensorId};
use memplan_core::problem::{BufferId, Problem};

/// The op that copies between devices.
const COPY: &str = "device_copy";

/// The program of a graph. With `constants`, weights that some node reads are constants instead of
/// parameters.
pub fn program(problem: &Problem, graph: &Graph, version: Version, constants: bool) -> Program {
    Builder::new(problem, graph).program(version, constants)
}

struct Builder<'a> {
    problem: &'a Problem,
    graph: &'a Graph,
    buffer_of: IdVec<TensorId, Option<BufferId>>,
    /// Index of the call that makes each tensor; none for what is there from the start.
    call_of: IdVec<TensorId, Option<usize>>,
    device_named: BTreeMap<&'a str, u32>,
}

impl<'a> Builder<'a> {
    fn new(problem: &'a Problem, graph: &'a Graph) -> Self {
        let mut buffer_of = IdVec::from_elem(None, graph.tensors.len());
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
        }
        let mut call_of = IdVec::from_elem(None, graph.tensors.len());
        for (call, (_, node)) in calls(graph).enumerate() {
            node.outputs.iter().for_each(|&output| call_of[output] = Some(call));
        }
        let device_named = graph.devices.enumerate().map(|(id, name)| (name.as_str(), id.0 + 1)).collect();
        Builder { problem, graph, buffer_of, call_of, device_named }
    }

    fn program(&self, version: Version, constants: bool) -> Program {
        let calls: Vec<Call> = calls(self.graph).map(|(id, node)| self.call(id, node)).collect();
        let mut is_read = IdVec::from_elem(false, self.problem.buffers.len());
        calls.iter().flat_map(|call| &call.reads).filter_map(|read| read.value).for_each(|value| is_read[value] = true);
        let mut made = IdVec::from_elem(false, self.problem.buffers.len());
        calls.iter().flat_map(|call| &call.outputs).for_each(|&value| made[value] = true);
        let constant = |id: BufferId| constants && is_read[id] && self.problem.buffers[id].kind == Kind::Weight;
        let parameters = self.problem.buffers.ids().filter(|&id| !made[id] && !constant(id)).collect();
        let is_output = |id: &TensorId| self.graph.tensors[*id].kind == Kind::Output;
        let results = self.graph.tensors.ids().filter(is_output).map(|tensor| self.operand(tensor)).collect();
        let values = self.problem.buffers.ids().map(|id| self.value(id, version)).collect();
        Program { values, calls, parameters, results }
    }

    fn value(&self, id: BufferId, version: Version) -> Value {
        let buffer = &self.problem.buffers[id];
        let tensor = buffer.tensors.first().map(|&root| &self.graph.tensors[root]);
        // A scope follows the device: `opencl:global.texture`.
        let scope = self.problem.memories[buffer.memory].device.rsplit_once(':').map_or("", |(_, scope)| scope);
        Value {
            size: buffer.size,
            device: tensor.map_or(0, |tensor| tensor.device.0 + 1),
            domain: buffer.memory.0,
            texture: tensor.filter(|_| version.has_textures()).and_then(|tensor| {
                // Sides of a symbolic shape are unknown: such a tensor is planned by its bytes.
                let extents: Option<Vec<u64>> = tensor.shape.iter().map(fixed).collect();
                texture(scope, &extents?, tensor.dtype)
            }),
        }
    }

    fn operand(&self, tensor: TensorId) -> Operand {
        Operand { value: self.buffer_of[tensor], call: self.call_of[tensor] }
    }

    fn call(&self, id: NodeId, node: &Node) -> Call {
        let root = |&tensor: &TensorId| {
            self.buffer_of[tensor].filter(|&buffer| self.problem.buffers[buffer].tensors.first() == Some(&tensor))
        };
        let outputs: Vec<BufferId> = node.outputs.iter().filter_map(root).collect();
        Call {
            node: id.0,
            reads: node.inputs.iter().map(|&input| self.operand(input)).collect(),
            copy: self.copy(node),
            reshape_only: text(node, "reshape_only") == Some("1") && self.may_share(node, &outputs),
            outputs,
        }
    }

    /// Source and destination of a copy: what its attributes name, else the devices of its tensors.
    fn copy(&self, node: &Node) -> Option<(u32, u32)> {
        let device = |key: &str, tensor: Option<&TensorId>| match text(node, key) {
            Some("0") => Some(0),
            name => {
                let named = name.and_then(|name| self.device_named.get(name).copied());
                named.or_else(|| tensor.map(|&tensor| self.graph.tensors[tensor].device.0 + 1))
            }
        };
        let from = device("src_dev_type", node.inputs.first())?;
        let to = device("dst_dev_type", node.outputs.first())?;
        (node.op == COPY).then_some((from, to))
    }

    /// A reshape shares storage if its argument is as large and in the same memory.
    fn may_share(&self, node: &Node, outputs: &[BufferId]) -> bool {
        let donor = node.inputs.first().and_then(|&input| self.buffer_of[input]);
        let (Some(donor), [acceptor]) = (donor, outputs) else { return false };
        let (from, to) = (&self.problem.buffers[donor], &self.problem.buffers[*acceptor]);
        from.size == to.size && from.memory == to.memory
    }
}

/// The nodes that compute something.
fn calls(graph: &Graph) -> impl Iterator<Item = (NodeId, &Node)> {
    graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder())
}

fn fixed(dim: &Dim) -> Option<u64> {
    match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Expr(_) | Dim::Unknown => None,
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match node.attrs.get(key)? {
        Attr::Text(text) | Attr::Json(text) => Some(text),
    }
}
