//! What is the same on both sides: by name, else by operator, shape and neighbourhood.

use std::collections::BTreeMap;

use super::sequence::{common, rising};
use super::{Side, holders};
use crate::base::{Id, IdVec};
use crate::graph::{Graph, NodeId, TensorId};
use crate::problem::{BufferId, Problem};

/// Why two tensors, operators or buffers are taken for the same. In the order in which the rules
/// are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// Equal name, operator, shape and element type; without a graph, equal name and size.
    Name,
    /// Another name; equal operator, shape, element type and matched operands, in the same order.
    Structure,
    /// Equal name and operator; another shape or element type. A name that ends in a number counts
    /// only for an operator that reads a matched tensor at the same position. Without a graph,
    /// equal name and another size.
    NameOnly,
    /// Between the same neighbours in the order of execution, with an equal operator; without a
    /// graph, in the order of birth with an equal size.
    Sequence,
    /// The same operand of matched operators.
    Operand,
}

/// How sure a match is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// Nothing speaks against it.
    Certain,
    /// One thing differs.
    Likely,
    /// Only the place speaks for it.
    Guess,
}

impl Rule {
    /// How sure its matches are.
    pub const fn confidence(self) -> Confidence {
        match self {
            Rule::Name => Confidence::Certain,
            Rule::Structure | Rule::NameOnly => Confidence::Likely,
            Rule::Sequence | Rule::Operand => Confidence::Guess,
        }
    }

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Name => "name",
            Rule::Structure => "structure",
            Rule::NameOnly => "name_only",
            Rule::Sequence => "sequence",
            Rule::Operand => "operand",
        }
    }
}

impl Confidence {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
            Confidence::Guess => "guess",
        }
    }
}

/// Two that are taken for the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<I> {
    /// The one of the other side.
    pub id: I,
    /// Why.
    pub rule: Rule,
}

/// One kind of thing, matched in both directions.
#[derive(Clone, PartialEq, Debug)]
pub struct Both<I> {
    /// For each one of the old side.
    pub old: IdVec<I, Option<Pair<I>>>,
    /// For each one of the new side.
    pub new: IdVec<I, Option<Pair<I>>>,
}

impl<I: Id> Both<I> {
    fn new(old: usize, new: usize) -> Both<I> {
        Both { old: IdVec::from_elem(None, old), new: IdVec::from_elem(None, new) }
    }

    /// Takes two for the same unless one of them is taken already.
    fn link(&mut self, old: I, new: I, rule: Rule) -> bool {
        let is_free = self.old[old].is_none() && self.new[new].is_none();
        if is_free {
            self.old[old] = Some(Pair { id: new, rule });
            self.new[new] = Some(Pair { id: old, rule });
        }
        is_free
    }

    fn turned(&self) -> Both<I> {
        Both { old: self.new.clone(), new: self.old.clone() }
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        let pairs =
            self.old.enumerate().filter_map(|(old, pair)| Some((old.index() as u32, (*pair)?.id.index() as u32)));
        pairs.collect()
    }
}

/// What was matched with what.
#[derive(Clone, PartialEq, Debug)]
pub struct Matches {
    /// Buffers.
    pub buffers: Both<BufferId>,
    /// Tensors; empty unless both sides have a graph.
    pub tensors: Both<TensorId>,
    /// Nodes; empty unless both sides have a graph.
    pub nodes: Both<NodeId>,
}

impl Matches {
    /// The same, seen from the other side.
    pub fn turned(&self) -> Matches {
        Matches { buffers: self.buffers.turned(), tensors: self.tensors.turned(), nodes: self.nodes.turned() }
    }

    /// Number of buffers matched by rules of this confidence.
    pub fn count(&self, confidence: Confidence) -> u64 {
        let pairs = self.buffers.old.iter().flatten();
        pairs.filter(|pair| pair.rule.confidence() == confidence).count() as u64
    }

    /// The sides have little in common: less than a fifth of the smaller one's buffers is matched
    /// by more than its place, and less than half of the larger one's at all.
    pub(super) fn is_unrelated(&self) -> bool {
        let (old, new) = (self.buffers.old.len() as u64, self.buffers.new.len() as u64);
        let guesses = self.count(Confidence::Guess);
        let sure = self.count(Confidence::Certain) + self.count(Confidence::Likely);
        old.min(new) > 0 && sure * 5 < old.min(new) && (sure + guesses) * 2 < old.max(new)
    }

    /// Matched steps that are in the same order on both sides.
    pub(super) fn steps(&self) -> Vec<(u32, u32)> {
        rising(&self.nodes.pairs())
    }

    /// Nodes without a counterpart: new ones, old ones.
    pub(super) fn alone(&self) -> (Vec<u32>, Vec<u32>) {
        let alone = |side: &IdVec<NodeId, Option<Pair<NodeId>>>| {
            let alone = side.enumerate().filter(|(_, pair)| pair.is_none());
            alone.map(|(id, _)| id.index() as u32).collect()
        };
        (alone(&self.nodes.new), alone(&self.nodes.old))
    }

    /// Matched nodes that are not among `steps`.
    pub(super) fn moved(&self, steps: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let stays = |old: u32| steps.binary_search_by_key(&old, |&(old, _)| old).is_ok();
        self.nodes.pairs().into_iter().filter(|&(old, _)| !stays(old)).collect()
    }
}

/// Matches two sides.
pub(super) fn matches(old: Side, new: Side) -> Matches {
    let mut buffers = Both::new(old.problem.buffers.len(), new.problem.buffers.len());
    let (mut tensors, mut nodes) = (Both::new(0, 0), Both::new(0, 0));
    let graphs = old.graph.zip(new.graph);
    if let Some((a, b)) = graphs {
        let found = Found {
            a,
            b,
            tensors: Both::new(a.tensors.len(), b.tensors.len()),
            nodes: Both::new(a.nodes.len(), b.nodes.len()),
            makers: [makers(a), makers(b)],
        };
        (tensors, nodes) = found.search();
        by_tensors(&mut buffers, (old.problem, a), (new.problem, b), &tensors);
    }
    by_name(&mut buffers, old.problem, new.problem);
    if graphs.is_none() {
        by_birth(&mut buffers, old.problem, new.problem);
    }
    Matches { buffers, tensors, nodes }
}

/// The node that makes each tensor, and the position among its outputs.
fn makers(graph: &Graph) -> IdVec<TensorId, Option<(NodeId, usize)>> {
    let mut makers = IdVec::from_elem(None, graph.tensors.len());
    for (node, made) in graph.nodes.enumerate() {
        made.outputs.iter().enumerate().for_each(|(at, &tensor)| makers[tensor] = Some((node, at)));
    }
    makers
}

/// Two graphs while they are matched.
struct Found<'a> {
    a: &'a Graph,
    b: &'a Graph,
    tensors: Both<TensorId>,
    nodes: Both<NodeId>,
    makers: [IdVec<TensorId, Option<(NodeId, usize)>>; 2],
}

impl Found<'_> {
    fn search(mut self) -> (Both<TensorId>, Both<NodeId>) {
        self.by_name(Rule::Name);
        self.by_structure();
        self.by_name(Rule::NameOnly);
        self.by_sequence(true);
        // What was matched by its place gives more operands to go by.
        self.by_name(Rule::NameOnly);
        self.by_sequence(false);
        self.by_operand();
        (self.tensors, self.nodes)
    }

    fn link_nodes(&mut self, a: NodeId, b: NodeId, rule: Rule) {
        if self.nodes.link(a, b, rule) {
            let outputs = self.a.nodes[a].outputs.iter().zip(&self.b.nodes[b].outputs);
            outputs.for_each(|(&a, &b)| _ = self.tensors.link(a, b, rule));
        }
    }

    /// Equal names and operators, with or without equal shapes and element types.
    fn by_name(&mut self, rule: Rule) {
        let names: BTreeMap<&str, TensorId> =
            self.b.tensors.enumerate().map(|(id, tensor)| (&*tensor.name, id)).collect();
        for (a, tensor) in self.a.tensors.enumerate() {
            let Some(&b) = names.get(&*tensor.name) else { continue };
            let is_alike = rule == Rule::NameOnly || alike(self.a, a) == alike(self.b, b);
            let op =
                |graph: &Graph, maker: Option<(NodeId, usize)>| maker.map(|(node, _)| graph.nodes[node].op.clone());
            let (maker_a, maker_b) = (self.makers[0][a], self.makers[1][b]);
            let is_in_place = || maker_a.zip(maker_b).is_none_or(|((a, _), (b, _))| self.reads_alike(a, b));
            if rule == Rule::NameOnly && is_numbered(&tensor.name) && !is_in_place() {
                continue;
            }
            if !is_alike || op(self.a, maker_a) != op(self.b, maker_b) || !self.tensors.link(a, b, rule) {
                continue;
            }
            if let (Some((a, _)), Some((b, _))) = (maker_a, maker_b) {
                self.nodes.link(a, b, rule);
            }
        }
        // Nodes that make nothing.
        let names: BTreeMap<&str, NodeId> = self.b.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
        for (a, node) in self.a.nodes.enumerate().filter(|(_, node)| node.outputs.is_empty()) {
            let same = names.get(&*node.name).filter(|&&b| self.b.nodes[b].op == node.op);
            if let Some(&b) = same.filter(|&&b| self.b.nodes[b].outputs.is_empty()) {
                self.nodes.link(a, b, rule);
            }
        }
    }

    /// Whether two nodes read matched tensors at the same position.
    fn reads_alike(&self, a: NodeId, b: NodeId) -> bool {
        let mut operands = self.a.nodes[a].inputs.iter().zip(&self.b.nodes[b].inputs);
        operands.any(|(&a, &b)| self.tensors.old[a].is_some_and(|pair| pair.id == b))
    }

    /// Equal operator, shapes, element types and operands; equal ones in their order.
    fn by_structure(&mut self) {
        let mut numbers: BTreeMap<Shape, u64> = BTreeMap::new();
        let colors = [0, 1].map(|side| self.colors(side, &mut numbers));
        let mut waiting: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
        for (b, &color) in colors[1].enumerate().filter(|&(b, _)| self.nodes.new[b].is_none()) {
            waiting.entry(color).or_default().push(b);
        }
        waiting.values_mut().for_each(|list| list.reverse());
        let free: Vec<NodeId> = self.a.nodes.ids().filter(|&a| self.nodes.old[a].is_none()).collect();
        for a in free {
            if let Some(b) = waiting.get_mut(&colors[0][a]).and_then(Vec::pop) {
                self.link_nodes(a, b, Rule::Structure);
            }
        }
    }

    /// A number for each node: equal for nodes of both sides with equal operator, results and
    /// operands.
    fn colors(&self, side: usize, numbers: &mut BTreeMap<Shape, u64>) -> IdVec<NodeId, u64> {
        let graph = [self.a, self.b][side];
        let mut number = |shape: Shape| {
            let next = numbers.len() as u64;
            *numbers.entry(shape).or_insert(next)
        };
        let matched = |tensor: TensorId| match side {
            0 => self.tensors.old[tensor].map(|_| tensor),
            _ => self.tensors.new[tensor].map(|pair| pair.id),
        };
        let outer = |tensor: TensorId| match matched(tensor) {
            Some(old) => Shape { op: "matched".into(), made: Vec::new(), read: vec![old.index() as u64] },
            None => Shape {
                op: graph.tensors[tensor].kind.name().into(),
                made: vec![alike(graph, tensor)],
                read: Vec::new(),
            },
        };
        let mut values: IdVec<TensorId, u64> = graph.tensors.ids().map(|tensor| number(outer(tensor))).collect();
        let mut colors = IdVec::from_elem(0, graph.nodes.len());
        for (id, node) in graph.nodes.enumerate() {
            let read = node.inputs.iter().map(|&tensor| values[tensor]).collect();
            let color = number(Shape { op: node.op.clone(), made: made(graph, id), read });
            colors[id] = color;
            for (at, &tensor) in node.outputs.iter().enumerate() {
                if matched(tensor).is_none() {
                    values[tensor] =
                        number(Shape { op: "output".into(), made: Vec::new(), read: vec![color, at as u64] });
                }
            }
        }
        colors
    }

    /// Equal operators between the same neighbours in the order of execution.
    fn by_sequence(&mut self, with_shapes: bool) {
        let mut anchors = rising(&self.nodes.pairs());
        anchors.push((self.a.nodes.len() as u32, self.b.nodes.len() as u32));
        let mut from = (0, 0);
        for (to_a, to_b) in anchors {
            let free_a: Vec<NodeId> = (from.0..to_a).map(NodeId).filter(|&a| self.nodes.old[a].is_none()).collect();
            let free_b: Vec<NodeId> = (from.1..to_b).map(NodeId).filter(|&b| self.nodes.new[b].is_none()).collect();
            let key = |graph: &Graph, id: NodeId| {
                (graph.nodes[id].op.clone(), if with_shapes { made(graph, id) } else { Vec::new() })
            };
            let keys_a: Vec<_> = free_a.iter().map(|&a| key(self.a, a)).collect();
            let keys_b: Vec<_> = free_b.iter().map(|&b| key(self.b, b)).collect();
            for (a, b) in common(&keys_a, &keys_b) {
                self.link_nodes(free_a[a], free_b[b], Rule::Sequence);
            }
            from = (to_a + 1, to_b + 1);
        }
    }

    /// What matched operators read at the same position.
    fn by_operand(&mut self) {
        for (old, new) in self.nodes.pairs() {
            let (old, new) = (&self.a.nodes[NodeId(old)], &self.b.nodes[NodeId(new)]);
            for (&a, &b) in old.inputs.iter().zip(&new.inputs) {
                // What an operator makes is matched with it.
                if self.makers[0][a].is_none() && self.makers[1][b].is_none() {
                    self.tensors.link(a, b, Rule::Operand);
                }
            }
        }
    }
}

/// Whether a name ends in a number after a dot or an underscore, which compilers count up: it
/// changes when anything is added before.
fn is_numbered(name: &str) -> bool {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    digits > 0 && name[..name.len() - digits].ends_with(['.', '_'])
}

/// What makes nodes alike: the operator, what they make, and what they read.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    op: String,
    made: Vec<String>,
    read: Vec<u64>,
}

/// Element type and shape of a tensor, as a text to compare.
fn alike(graph: &Graph, tensor: TensorId) -> String {
    let tensor = &graph.tensors[tensor];
    format!("{:?} {:?} {:?}", tensor.dtype, tensor.shape, tensor.bytes)
}

fn made(graph: &Graph, node: NodeId) -> Vec<String> {
    graph.nodes[node].outputs.iter().map(|&tensor| alike(graph, tensor)).collect()
}

/// Buffers of matched tensors: by the tensor that owns the storage, then by any.
fn by_tensors(
    buffers: &mut Both<BufferId>,
    (old, a): (&Problem, &Graph),
    (new, b): (&Problem, &Graph),
    tensors: &Both<TensorId>,
) {
    let held = holders(new, b);
    for owners_only in [true, false] {
        for (id, buffer) in old.buffers.enumerate() {
            let count = if owners_only { 1 } else { buffer.tensors.len() };
            for &tensor in buffer.tensors.iter().take(count).filter(|tensor| tensor.index() < a.tensors.len()) {
                let other = tensors.old[tensor].and_then(|pair| Some((held[pair.id]?, pair.rule)));
                if let Some((other, rule)) = other {
                    buffers.link(id, other, rule);
                }
            }
        }
    }
}

fn by_name(buffers: &mut Both<BufferId>, old: &Problem, new: &Problem) {
    let names: BTreeMap<&str, BufferId> = new.buffers.enumerate().map(|(id, buffer)| (&*buffer.name, id)).collect();
    for (id, buffer) in old.buffers.enumerate() {
        if let Some(&other) = names.get(&*buffer.name) {
            let is_alike = new.buffers[other].size == buffer.size;
            buffers.link(id, other, if is_alike { Rule::Name } else { Rule::NameOnly });
        }
    }
}

/// Lists of buffers: equal sizes and kinds in the order of birth.
fn by_birth(buffers: &mut Both<BufferId>, old: &Problem, new: &Problem) {
    let mut anchors = rising(&buffers.pairs());
    anchors.push((old.buffers.len() as u32, new.buffers.len() as u32));
    let mut from = (0, 0);
    for (to_a, to_b) in anchors {
        let free_a: Vec<BufferId> = (from.0..to_a).map(BufferId).filter(|&a| buffers.old[a].is_none()).collect();
        let free_b: Vec<BufferId> = (from.1..to_b).map(BufferId).filter(|&b| buffers.new[b].is_none()).collect();
        let keys = |problem: &Problem, free: &[BufferId]| -> Vec<_> {
            free.iter().map(|&id| (problem.buffers[id].size, problem.buffers[id].kind)).collect()
        };
        for (a, b) in common(&keys(old, &free_a), &keys(new, &free_b)) {
            buffers.link(free_a[a], free_b[b], Rule::Sequence);
        }
        from = (to_a + 1, to_b + 1);
    }
}
