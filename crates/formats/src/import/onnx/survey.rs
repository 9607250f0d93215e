//! What the nodes of a graph are to one another before any shape is known: the order in which they
//! run, and which of them compute from weights alone.

use std::collections::HashSet;

use super::model::{Net, Weight};
use super::node::{Node, is_own, text_of};
use crate::import::protobuf::{Fields, Payload};
use memplan_core::base::{Message, Names};
use memplan_core::graph::Fault;

/// Most graphs inside each other.
pub const MAX_DEPTH: usize = 16;

/// Operators that draw random numbers.
const RANDOM: [&str; 6] =
    ["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"];

/// Operators that make sequences or optional values, which are no weights.
const NO_TENSORS: [&str; 7] = [
    "Optional",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SequenceMap",
    "SplitToSequence",
];

#[derive(Default)]
pub struct Survey<'a> {
    /// Positions in the file of the nodes in the order in which they run; none = the order of the
    /// file.
    pub order: Option<Vec<usize>>,
    /// By position in the file: whether the node computes from weights alone and is no step.
    pub folded: Vec<bool>,
    /// Whether a node takes a tensor out of a sequence.
    pub erases: bool,
    /// Names of all that is known before a run.
    pub fixed: HashSet<&'a str>,
    /// Weights, and what was computed from weights, that only folded nodes read.
    pub absorbed: HashSet<&'a str>,
}

/// Looks at all nodes of a graph. `is_fixed` is true of names outside that are weights;
/// `is_changeable` is true of weights that a caller may replace, as inputs with a default.
///
/// # Errors
/// Nodes that read one another's results in a circle, or graphs inside each other too deep.
pub fn survey<'a>(
    net: &'a Net<'a>,
    fold: bool,
    is_fixed: &dyn Fn(&str) -> bool,
    is_changeable: &dyn Fn(&str) -> bool,
) -> Result<Survey<'a>, Fault> {
    let mut survey = Survey::default();
    survey.order = order(net, &mut survey.erases)?;
    if fold {
        survey.fold(net, is_fixed, is_changeable);
    } else {
        survey.folded = vec![false; net.nodes.len()];
    }
    Ok(survey)
}

/// Names of initializers.
fn weights<'a>(net: &'a Net<'a>) -> impl Iterator<Item = &'a str> {
    let sparse = net.sparse.iter().filter_map(|sparse| Some(&*sparse.values.as_ref()?.name));
    net.weights.iter().map(Weight::name).chain(sparse)
}

/// The node at a position, if it can be read; a damaged one is reported later.
fn node_at<'a>(net: &Net<'a>, index: usize) -> Node<'a> {
    net.nodes.get(index).and_then(|bytes| Node::read(bytes).ok()).unwrap_or_default()
}

impl<'a> Survey<'a> {
    fn fold(&mut self, net: &'a Net<'a>, is_fixed: &dyn Fn(&str) -> bool, is_changeable: &dyn Fn(&str) -> bool) {
        self.fixed = weights(net).filter(|name| !is_changeable(name)).collect();
        self.folded = vec![false; net.nodes.len()];
        let all = 0..net.nodes.len();
        let order: Vec<usize> = self.order.clone().unwrap_or_else(|| all.collect());
        let mut any = false;
        for &at in &order {
            let node = node_at(net, at);
            let is_known = |name: &&str| self.fixed.contains(*name) || is_fixed(name);
            let is_constant = node.is("Constant");
            let folds = || may_fold(&node) && node.input.iter().filter(|name| !name.is_empty()).all(is_known);
            if !is_constant && !folds() {
                continue;
            }
            self.fixed.extend(node.output.iter().filter(|name| !name.is_empty()));
            self.folded[at] = !is_constant;
            any |= self.folded[at];
        }
        if any {
            self.absorb(net);
        }
    }

    fn absorb(&mut self, net: &'a Net<'a>) {
        let mut needed: HashSet<&str> = net.graph.output.iter().map(|info| &*info.name).collect();
        for (at, is_folded) in self.folded.iter().enumerate() {
            let node = node_at(net, at);
            if *is_folded {
                // What belongs to quantised weights stays beside them.
                let count = if node.op_type == "DequantizeLinear" { 1 } else { node.input.len() };
                self.absorbed.extend(node.input.iter().take(count));
            } else {
                needed.extend(captured(&node, 0).unwrap_or_default());
                needed.extend(&node.input);
            }
        }
        self.absorbed.retain(|name| !needed.contains(name));
    }
}

/// Whether the results of a node follow from its operands alone, all of which are tensors.
fn may_fold(node: &Node) -> bool {
    let is_common = is_own(node.domain) || matches!(node.domain, "ai.onnx.ml" | "com.microsoft");
    let trains = node.op_type == "Dropout" && node.input.len() > 2;
    is_common
        && !trains
        && node.input.iter().any(|name| !name.is_empty())
        && !RANDOM.contains(&node.op_type)
        && !NO_TENSORS.contains(&node.op_type)
        && node.bodies().is_empty()
}

/// Names that the graphs inside a node read from outside, each once.
///
/// # Errors
/// Graphs inside each other too deep.
pub fn captured<'a>(node: &Node<'a>, depth: usize) -> Result<Vec<&'a str>, Message> {
    let bodies = node.bodies();
    if !bodies.is_empty() && depth >= MAX_DEPTH {
        let message = Message::new("fault.onnx-body-depth").text("op", node.op_type).text("node", node.label());
        return Err(message.count("limit", MAX_DEPTH as u64));
    }
    let mut names = Vec::new();
    let mut listed = HashSet::new();
    for (_, body) in bodies {
        for name in free_names(body, depth)? {
            if listed.insert(name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// Names that a graph reads and does not make.
fn free_names(body: &[u8], depth: usize) -> Result<Vec<&str>, Message> {
    let (mut own, mut read) = (HashSet::new(), Vec::new());
    for field in (Fields { rest: body }).flatten() {
        match field {
            (1, Payload::Bytes(bytes)) => {
                let Ok(node) = Node::read(bytes) else { continue };
                read.extend(captured(&node, depth + 1)?);
                read.extend(&node.input);
                own.extend(node.output);
            }
            (5, Payload::Bytes(weight)) => _ = own.insert(text_of(weight, 8)),
            (11, Payload::Bytes(input)) => _ = own.insert(text_of(input, 1)),
            (12, Payload::Bytes(output)) => read.push(text_of(output, 1)),
            (15, Payload::Bytes(sparse)) => {
                let values = Fields { rest: sparse }.flatten().find_map(|field| match field {
                    (1, Payload::Bytes(values)) => Some(text_of(values, 8)),
                    _ => None,
                });
                own.extend(values);
            }
            _ => {}
        }
    }
    read.retain(|name| !name.is_empty() && !own.contains(name));
    Ok(read)
}

/// The order in which the nodes run, if it is not that of the file. `erases`: whether one of them
/// takes a tensor out of a sequence.
fn order(net: &Net, erases: &mut bool) -> Result<Option<Vec<usize>>, Fault> {
    let mut seen: HashSet<&str> = weights(net).chain(net.graph.input.iter().map(|info| &*info.name)).collect();
    let mut is_sorted = true;
    for at in 0..net.nodes.len() {
        let node = node_at(net, at);
        *erases |= node.is("SequenceErase");
        let inside = captured(&node, 0).map_err(|message| Fault::new(node.label(), message))?;
        is_sorted &= inside.iter().chain(&node.input).all(|name| name.is_empty() || seen.contains(name));
        seen.extend(node.output);
    }
    // What is missing may be made nowhere; reading it is a fault of its own.
    if is_sorted { Ok(None) } else { sorted(net) }
}

/// Sorts as ONNX Runtime does (`Graph::ReverseDFSFrom`): backwards from the nodes that nobody
/// reads, depth first, of several makers the last one in the file first.
fn sorted(net: &Net) -> Result<Option<Vec<usize>>, Fault> {
    let nodes: Vec<Node> = (0..net.nodes.len()).map(|at| node_at(net, at)).collect();
    let mut makers: Names<&str, usize> = Names::default();
    for (at, node) in nodes.iter().enumerate() {
        for &name in node.output.iter().filter(|name| !name.is_empty()) {
            makers.entry(name).or_insert(at);
        }
    }
    let mut is_read = vec![false; nodes.len()];
    let mut before: Vec<Vec<usize>> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let inside = captured(node, 0).unwrap_or_default();
        let mut from: Vec<usize> =
            inside.iter().chain(&node.input).filter_map(|name| makers.get(name).copied()).collect();
        from.sort_unstable();
        from.dedup();
        if from.contains(&at) {
            let name = node.input.iter().find(|name| makers.get(*name) == Some(&at)).copied().unwrap_or_default();
            let message = Message::new("fault.reads-own-output").text("node", node.label()).text("name", name);
            return Err(Fault::new(node.label(), message));
        }
        from.iter().for_each(|&maker| is_read[maker] = true);
        before.push(from);
    }
    if before.iter().enumerate().all(|(at, from)| from.last().is_none_or(|last| *last < at)) {
        return Ok(None);
    }
    let is_constant = |at: &usize| nodes[*at].is("Constant");
    let mut order: Vec<usize> = (0..nodes.len()).filter(is_constant).collect();
    let mut visited: Vec<bool> = (0..nodes.len()).map(|at| is_constant(&at)).collect();
    let mut stack: Vec<(usize, bool)> = (0..nodes.len()).filter(|&at| !is_read[at]).map(|at| (at, false)).collect();
    while let Some((at, is_left)) = stack.pop() {
        if is_left {
            order.push(at);
        } else if !std::mem::replace(&mut visited[at], true) {
            stack.push((at, true));
            stack.extend(before[at].iter().filter(|&&maker| !visited[maker]).map(|&maker| (maker, false)));
        }
    }
    let mut place = vec![usize::MAX; nodes.len()];
    order.iter().enumerate().for_each(|(step, &at)| place[at] = step);
    let in_circle = (0..nodes.len())
        .find(|&at| place[at] == usize::MAX || before[at].iter().any(|&maker| place[maker] > place[at]));
    match in_circle {
        Some(at) => {
            let label = nodes[at].label();
            Err(Fault::new(label, Message::new("fault.onnx-circle").text("node", label)))
        }
        None => Ok(Some(order)),
    }
}
