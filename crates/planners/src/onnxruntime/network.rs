//! What the allocation plan reads of a graph: values with their shapes, and nodes with the
//! permissions of their kernels.

use std::collections::BTreeMap;

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{self, Dim, Graph, Kind, Node, TensorId};
use memplan_core::problem::{BufferId, Problem};

/// What a value is to the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Graph input or weight: there before the first node.
    Outside,
    /// Graph result: allocated by itself, outside the block.
    Output,
    /// Made by a node for other nodes.
    Made,
}

/// An extent as the plan compares it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Extent {
    /// A number.
    Number(u64),
    /// A symbol or an expression: equal to the same text only.
    Name(String),
    /// Not known: equal to nothing.
    Unknown,
}

/// One value of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its bytes; none for what is not planned.
    pub buffer: Option<BufferId>,
    /// What it is to the plan.
    pub role: Role,
    /// Bits of an element.
    pub bits: u64,
    /// Its extents; none if the file gives no shape.
    pub shape: Option<Vec<Extent>>,
    /// Size in bytes that the file states instead of a shape.
    pub stated: Option<u64>,
    /// Bytes of its buffer.
    pub size: u64,
    /// Index of its memory.
    pub memory: u32,
    /// Whether the caller keeps its bytes to the end, although it is no result.
    pub is_kept: bool,
}

/// One kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    /// Index of the node.
    pub node: u32,
    /// Values read, each as often as it is named.
    pub inputs: Vec<u32>,
    /// Values made.
    pub outputs: Vec<u32>,
    /// `(operand, result)`: the result must be another name of the operand (`Alias`).
    pub views: Vec<(u32, u32)>,
    /// `(operand, result)`: the result may overwrite the operand (`MayInplace`), in the order in
    /// which they are tried.
    pub pairs: Vec<(u32, u32)>,
}

/// Values and kernels in the order in which they run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// The values.
    pub values: Vec<Value>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// For each value the number of its shape and element size: values of one number may lie in one
    /// buffer. None if it fits no other.
    pub classes: Vec<Option<u32>>,
}

/// Which operands a result may overwrite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InPlace {
    /// None.
    Off,
    /// Those that the graph states.
    Stated,
    /// The same; where the graph states none at all, those of ONNX Runtime's kernels.
    Operators,
}

/// Operators whose CPU kernels may overwrite their first operand, as measured with 1.32.
const OVERWRITES: [&str; 17] = [
    "Cast",
    "Celu",
    "Clip",
    "Elu",
    "HardSigmoid",
    "LeakyRelu",
    "LogSoftmax",
    "Relu",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "ThresholdedRelu",
    "Trilu",
];

impl Network {
    /// Returns the network of values and kernels.
    pub fn new(values: Vec<Value>, kernels: Vec<Kernel>) -> Network {
        let mut numbers = BTreeMap::new();
        let class = |value: &Value| {
            let shape = value.shape.as_ref().filter(|shape| !shape.contains(&Extent::Unknown))?;
            let next = numbers.len() as u32;
            Some(*numbers.entry((value.bits, value.memory, value.stated, shape.clone())).or_insert(next))
        };
        let classes = values.iter().map(class).collect();
        Network { values, kernels, classes }
    }

    /// Returns the network of a graph in the order of its nodes.
    pub fn of(problem: &Problem, graph: &Graph, in_place: InPlace) -> Network {
        let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
        }
        let mut values: Vec<Value> =
            graph.tensors.enumerate().map(|(id, tensor)| value(problem, tensor, buffer_of[id])).collect();
        graph.stated.kept.iter().for_each(|tensor| values[tensor.index()].is_kept = true);
        // The value that each buffer holds first; another one in it is a name of that.
        let mut first: IdVec<BufferId, Option<u32>> = IdVec::from_elem(None, problem.buffers.len());
        for (number, value) in (0..).zip(&values).filter(|(_, value)| value.role == Role::Outside) {
            if let Some(buffer) = value.buffer {
                first[buffer].get_or_insert(number);
            }
        }
        let states = |node: &Node| node.op != "memory.view" && !node.inplace.is_empty();
        let by_operator = in_place == InPlace::Operators && !graph.nodes.iter().any(states);
        let mut kernels = Vec::with_capacity(graph.nodes.len() + 1);
        let mut is_made = vec![false; values.len()];
        for (id, node) in graph.nodes.enumerate() {
            let mut kernel = Kernel {
                node: id.0,
                inputs: node.inputs.iter().map(|&TensorId(input)| input).collect(),
                outputs: node.outputs.iter().map(|&TensorId(output)| output).collect(),
                ..Kernel::default()
            };
            // A view that is a copy has bytes of its own.
            let views = node.aliases().filter(|&(input, output)| buffer_of[input] == buffer_of[output]);
            kernel.views = views.map(|(TensorId(input), TensorId(output))| (input, output)).collect();
            for output in node.outputs.iter().map(|&TensorId(output)| output) {
                is_made[output as usize] = true;
                let Some(buffer) = values[output as usize].buffer else { continue };
                let holder = *first[buffer].get_or_insert(output);
                if holder != output && !kernel.views.iter().any(|&(_, view)| view == output) {
                    kernel.views.push((holder, output));
                    kernel.inputs.push(holder);
                }
            }
            kernel.pairs = match in_place {
                InPlace::Off => Vec::new(),
                _ if by_operator => overwritten(node).into_iter().collect(),
                _ if states(node) => {
                    let pair = |&(input, output): &(u32, u32)| {
                        (node.inputs[input as usize].0, node.outputs[output as usize].0)
                    };
                    node.inplace.iter().map(pair).collect()
                }
                _ => Vec::new(),
            };
            kernels.push(kernel);
        }
        // What no node makes and nobody gives is there from the first step on.
        let orphan = |number: &u32| {
            let at = *number as usize;
            !is_made[at] && values[at].role != Role::Outside && values[at].buffer.is_some()
        };
        let orphans: Vec<u32> = (0..values.len() as u32).filter(orphan).collect();
        if !orphans.is_empty() {
            kernels.insert(0, Kernel { outputs: orphans, ..Kernel::default() });
        }
        Network::new(values, kernels)
    }
}

/// A tensor as a value.
fn value(problem: &Problem, tensor: &graph::Tensor, buffer: Option<BufferId>) -> Value {
    let of_buffer = buffer.map(|id| problem.buffers[id].kind);
    let role = match (tensor.kind, of_buffer) {
        (Kind::Input | Kind::Weight, _) => Role::Outside,
        // A storage that an output is a view of is the caller's as a whole.
        (Kind::Output, _) | (_, Some(Kind::Output)) => Role::Output,
        _ => Role::Made,
    };
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Extent::Number(*extent),
        Dim::Expr(expr) => Extent::Name(expr.source().to_string()),
        Dim::Unknown => Extent::Unknown,
    };
    Value {
        buffer,
        role,
        bits: tensor.dtype.bits(),
        shape: Some(tensor.shape.iter().map(extent).collect()),
        stated: tensor.bytes,
        size: buffer.map_or(0, |id| problem.buffers[id].size),
        memory: buffer.map_or(u32::MAX, |id| problem.buffers[id].memory.0),
        is_kept: false,
    }
}

/// The operand that the kernel of a node may overwrite, with its first result.
fn overwritten(node: &Node) -> Option<(u32, u32)> {
    let (&input, &output) = node.inputs.first().zip(node.outputs.first())?;
    let is_own = !node.attrs.contains_key("custom");
    (is_own && OVERWRITES.contains(&node.op.as_str())).then_some((input.0, output.0))
}
