//! What the allocator needs of a graph: tensors, views with their roots, leafs, and nodes with what
//! they read.

use std::collections::BTreeMap;

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{self, Attr, Graph, Kind, Node, TensorId};
use memplan_core::problem::{Buffer, BufferId, Problem};

/// A tensor of the graph; of a list of buffers, a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// Its bytes; none for what has its data elsewhere, such as weights.
    pub buffer: Option<BufferId>,
    /// The tensor whose bytes it is a name of. Roots are never views.
    pub root: Option<usize>,
    /// The INPUT flag: it gets its place while reads are still being counted.
    pub is_input: bool,
    /// The OUTPUT flag: it keeps its place to the end, and nothing takes it over.
    pub is_output: bool,
}

/// A node of the graph; of a list of buffers, a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Index of the node, or of the step.
    pub node: u32,
    /// Tensors made.
    pub outputs: Vec<usize>,
    /// Tensors read, each as often as it is named.
    pub sources: Vec<usize>,
    /// Sources `(index, output)` that the output may take over, in the order in which they are
    /// tried.
    pub candidates: Vec<(usize, usize)>,
}

/// Tensors and nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// By their index in the graph, or by buffer.
    pub tensors: Vec<Tensor>,
    /// Tensors that no node makes and that need a place, in order.
    pub leafs: Vec<usize>,
    /// The nodes in the order in which they run.
    pub steps: Vec<Operation>,
}

/// Which sources an output may take over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InPlace {
    /// None.
    Off,
    /// Those that the graph states.
    Stated,
    /// The same; where the graph states none at all, those of equal type and shape of operators
    /// that ggml runs in place.
    Operators,
}

/// Operators of ONNX and PyTorch whose counterparts ggml runs in place, without `_` and in lower
/// case.
const OPERATORS: [&str; 24] = [
    "abs",
    "add",
    "ceil",
    "div",
    "elu",
    "exp",
    "floor",
    "gelu",
    "hardsigmoid",
    "hardswish",
    "log",
    "mul",
    "neg",
    "relu",
    "rmsnorm",
    "rmsnormalization",
    "rope",
    "rotaryembedding",
    "sigmoid",
    "silu",
    "softmax",
    "sqrt",
    "sub",
    "tanh",
];

impl Network {
    /// The network of a graph, or of buffers alone: then a buffer is made at its first step and
    /// read once, at its last.
    pub fn of(problem: &Problem, graph: Option<&Graph>, in_place: InPlace) -> Network {
        let owned = |buffer: &Buffer| !buffer.tensors.is_empty();
        match graph.filter(|_| problem.buffers.iter().all(owned)) {
            Some(graph) => of_graph(problem, graph, in_place),
            None => of_buffers(problem, in_place),
        }
    }

    /// Reads and views of each tensor over the whole graph.
    pub fn counts(&self) -> Vec<(u32, u32)> {
        let mut counts = vec![(0, 0); self.tensors.len()];
        for step in &self.steps {
            step.sources.iter().for_each(|&source| counts[source].0 += 1);
            let roots = step.outputs.iter().filter_map(|&output| self.tensors[output].root);
            roots.for_each(|root| counts[root].1 += 1);
        }
        counts
    }
}

fn of_graph(problem: &Problem, graph: &Graph, in_place: InPlace) -> Network {
    let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
    }
    let mut is_output: IdVec<BufferId, bool> =
        problem.buffers.iter().map(|buffer| matches!(buffer.kind, Kind::Output | Kind::Weight)).collect();
    for (id, tensor) in graph.tensors.enumerate() {
        if let Some(buffer) = buffer_of[id].filter(|_| tensor.kind == Kind::Output) {
            is_output[buffer] = true;
        }
    }
    for buffer in graph.stated.kept.iter().filter_map(|&tensor| buffer_of[tensor]) {
        is_output[buffer] = true;
    }
    // The first tensor of each storage that is handed over, which the others are as views of.
    let mut first: IdVec<TensorId, Option<TensorId>> = IdVec::from_elem(None, graph.tensors.len());
    for tensor in graph.stated.handed.iter().flat_map(|handed| [handed.donor, handed.acceptor]) {
        first[tensor] = buffer_of[tensor].and_then(|buffer| problem.buffers[buffer].tensors.first().copied());
    }
    let tensor = |(id, tensor): (TensorId, &graph::Tensor)| Tensor {
        buffer: buffer_of[id],
        root: None,
        is_input: tensor.kind == Kind::Input,
        is_output: buffer_of[id].is_some_and(|buffer| is_output[buffer]),
    };
    let mut network = Network { tensors: graph.tensors.enumerate().map(tensor).collect(), ..Network::default() };
    let states = |node: &Node| node.op != "memory.view" && !node.inplace.is_empty();
    let by_operator = in_place == InPlace::Operators && !graph.nodes.iter().any(states);
    let mut is_made = vec![false; graph.tensors.len()];
    for (id, node) in graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder()) {
        node.outputs.iter().for_each(|output| is_made[output.index()] = true);
        for (input, output) in node.aliases().filter(|&(input, output)| buffer_of[input] == buffer_of[output]) {
            let root = network.tensors[input.index()].root.unwrap_or(input.index());
            network.tensors[output.index()].root = Some(root);
        }
        for (output, root) in node.outputs.iter().filter_map(|&output| Some((output, first[output]?))) {
            network.tensors[output.index()].root = (root != output).then(|| root.index());
        }
        if has(node, "ggml_input") {
            node.outputs.iter().for_each(|output| network.tensors[output.index()].is_input = true);
        }
        let itself = node.outputs.iter().filter(|_| has(node, "ggml_self_read"));
        let candidates = match in_place {
            InPlace::Off => Vec::new(),
            _ if by_operator => alike(graph, node),
            _ if states(node) => {
                node.inplace.iter().map(|&(input, output)| (input as usize, output as usize)).collect()
            }
            _ => Vec::new(),
        };
        network.steps.push(Operation {
            node: id.0,
            outputs: node.outputs.iter().map(|output| output.index()).collect(),
            sources: node.inputs.iter().chain(itself).map(|source| source.index()).collect(),
            candidates: candidates.into_iter().map(|(input, output)| (input, node.outputs[output].index())).collect(),
        });
    }
    let needs_place = |&tensor: &usize| !is_made[tensor] && network.tensors[tensor].buffer.is_some();
    network.leafs = (0..graph.tensors.len()).filter(needs_place).collect();
    network
}

/// Whether an attribute of a node is `1` or `true`.
fn has(node: &Node, attr: &str) -> bool {
    node.attrs.get(attr).is_some_and(|(Attr::Text(value) | Attr::Json(value))| value == "1" || value == "true")
}

/// The inputs of type and shape of the first output, if the operator is one that ggml runs in
/// place.
fn alike(graph: &Graph, node: &Node) -> Vec<(usize, usize)> {
    let operator: String = node.op.chars().filter(|&letter| letter != '_').flat_map(char::to_lowercase).collect();
    let Some(&output) = node.outputs.first().filter(|_| OPERATORS.contains(&operator.as_str())) else {
        return Vec::new();
    };
    let layout = |id: TensorId| {
        let tensor = &graph.tensors[id];
        (tensor.dtype, &tensor.shape, tensor.bytes)
    };
    let inputs = node.inputs.iter().enumerate().filter(|&(_, &input)| layout(input) == layout(output));
    inputs.map(|(slot, _)| (slot, 0)).collect()
}

fn of_buffers(problem: &Problem, in_place: InPlace) -> Network {
    let tensor = |id: BufferId| Tensor { buffer: Some(id), root: None, is_input: false, is_output: false };
    let blank = |node: u32| Operation { node, outputs: Vec::new(), sources: Vec::new(), candidates: Vec::new() };
    // Only steps at which something begins or ends: a list of buffers may have thousands of
    // millions of steps.
    let mut steps: BTreeMap<u32, Operation> = BTreeMap::new();
    for (id, buffer) in problem.buffers.enumerate() {
        let (first, last) = (buffer.live.start, buffer.live.end - 1);
        steps.entry(first).or_insert_with(|| blank(first)).outputs.push(id.index());
        steps.entry(last).or_insert_with(|| blank(last)).sources.push(id.index());
    }
    for permission in problem.inplace.iter().filter(|_| in_place != InPlace::Off) {
        let Some(step) = steps.get_mut(&permission.node.0) else { continue };
        let slot = step.sources.iter().position(|&source| source == permission.input.index());
        let output = permission.output.index();
        let pair = slot.map(|slot| (slot, output)).filter(|_| step.outputs.contains(&output));
        step.candidates.extend(pair);
    }
    let tensors = problem.buffers.ids().map(tensor).collect();
    Network { tensors, leafs: Vec::new(), steps: steps.into_values().collect() }
}
