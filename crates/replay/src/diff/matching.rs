//! Matches the buffers, tensors and nodes of two sides: by name, else by operator, shape and
//! neighbourhood.

use std::collections::BTreeMap;

use super::sequence::{common, rising};
use super::{Side, holders};
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, NodeId, TensorId};
use memplan_core::problem::{BufferId, Problem};

/// Why two tensors, nodes or buffers are matched, in the order in which the rules are first tried.
/// Buffers have the rules of their tensors; those of a list have names, sizes and an order only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// Equal name, operator, shape and element type; for buffers matched without their tensors,
    /// equal name and size.
    Name,
    /// Another name. Equal operator, shapes and element types, and operands that are matched or
    /// alike in the same way; of several such nodes, those in the same order.
    Structure,
    /// Equal name and operator; another shape or element type. If the name ends in a number, the
    /// nodes that make the tensors must read matched tensors at the same position. For buffers
    /// matched without their tensors, equal name and another size.
    NameOnly,
    /// Equal operator, between the same neighbours in the order of execution; without a graph,
    /// equal size and kind, between the same neighbours in the order of birth.
    Sequence,
    /// The same operand of matched nodes.
    Operand,
}

/// How sure a match is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// Everything that is compared is equal.
    Certain,
    /// The name differs, or the shape, the element type or the size.
    Likely,
    /// Only the position is a reason.
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

/// The other half of a matched pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<I> {
    /// The counterpart on the other side.
    pub id: I,
    /// Why the two are matched.
    pub rule: Rule,
}

/// The matched pairs of buffers, of tensors or of nodes, listed from both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Pairing<I> {
    /// For each id of the old side, its counterpart on the new side.
    pub old: IdVec<I, Option<Pair<I>>>,
    /// For each id of the new side, its counterpart on the old side.
    pub new: IdVec<I, Option<Pair<I>>>,
}

impl<I: Id> Pairing<I> {
    fn new(old: usize, new: usize) -> Pairing<I> {
        Pairing { old: IdVec::from_elem(None, old), new: IdVec::from_elem(None, new) }
    }

    /// Pairs two ids unless one of them is matched already; returns true if it does.
    fn pair(&mut self, old: I, new: I, rule: Rule) -> bool {
        let is_free = self.old[old].is_none() && self.new[new].is_none();
        if is_free {
            self.old[old] = Some(Pair { id: new, rule });
            self.new[new] = Some(Pair { id: old, rule });
        }
        is_free
    }

    fn reversed(&self) -> Pairing<I> {
        Pairing { old: self.new.clone(), new: self.old.clone() }
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
    pub buffers: Pairing<BufferId>,
    /// Tensors; empty unless both sides have a graph.
    pub tensors: Pairing<TensorId>,
    /// Nodes; empty unless both sides have a graph.
    pub nodes: Pairing<NodeId>,
}

impl Matches {
    /// Returns the same matches with the old and the new side exchanged.
    pub fn reversed(&self) -> Matches {
        Matches { buffers: self.buffers.reversed(), tensors: self.tensors.reversed(), nodes: self.nodes.reversed() }
    }

    /// Returns the number of buffers matched with this confidence.
    pub fn count(&self, confidence: Confidence) -> u64 {
        let pairs = self.buffers.old.iter().flatten();
        pairs.filter(|pair| pair.rule.confidence() == confidence).count() as u64
    }

    /// Returns true if the sides have little in common: certain and likely matches cover less than
    /// a fifth of the smaller side's buffers, and all matches less than half of the larger side's.
    pub(super) fn is_unrelated(&self) -> bool {
        let (old, new) = (self.buffers.old.len() as u64, self.buffers.new.len() as u64);
        let guesses = self.count(Confidence::Guess);
        let sure = self.count(Confidence::Certain) + self.count(Confidence::Likely);
        old.min(new) > 0 && sure * 5 < old.min(new) && (sure + guesses) * 2 < old.max(new)
    }

    /// Returns matched steps `(old, new)` that are in the same order on both sides, as many as
    /// possible.
    pub(super) fn steps(&self) -> Vec<(u32, u32)> {
        rising(&self.nodes.pairs())
    }

    /// Returns the nodes without a counterpart: those of the new side, those of the old side.
    pub(super) fn unmatched(&self) -> (Vec<u32>, Vec<u32>) {
        let unmatched = |side: &IdVec<NodeId, Option<Pair<NodeId>>>| {
            let unmatched = side.enumerate().filter(|(_, pair)| pair.is_none());
            unmatched.map(|(id, _)| id.index() as u32).collect()
        };
        (unmatched(&self.nodes.new), unmatched(&self.nodes.old))
    }

    /// Returns the matched nodes `(old, new)` that are not among `steps`.
    pub(super) fn moved(&self, steps: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let stays = |old: u32| steps.binary_search_by_key(&old, |&(old, _)| old).is_ok();
        self.nodes.pairs().into_iter().filter(|&(old, _)| !stays(old)).collect()
    }
}

/// Returns the matches of two sides.
pub(super) fn matches(old: Side, new: Side) -> Matches {
    let mut buffers = Pairing::new(old.problem.buffers.len(), new.problem.buffers.len());
    let (mut tensors, mut nodes) = (Pairing::new(0, 0), Pairing::new(0, 0));
    let graphs = old.graph.zip(new.graph);
    if let Some((a, b)) = graphs {
        let found = Matcher {
            a,
            b,
            tensors: Pairing::new(a.tensors.len(), b.tensors.len()),
            nodes: Pairing::new(a.nodes.len(), b.nodes.len()),
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

/// Returns the node that makes each tensor, and the position of the tensor among its outputs.
fn makers(graph: &Graph) -> IdVec<TensorId, Option<(NodeId, usize)>> {
    let mut makers = IdVec::from_elem(None, graph.tensors.len());
    for (node, made) in graph.nodes.enumerate() {
        made.outputs.iter().enumerate().for_each(|(at, &tensor)| makers[tensor] = Some((node, at)));
    }
    makers
}

/// Two graphs while they are matched.
struct Matcher<'a> {
    a: &'a Graph,
    b: &'a Graph,
    tensors: Pairing<TensorId>,
    nodes: Pairing<NodeId>,
    /// [`makers`] of `a` and of `b`.
    makers: [IdVec<TensorId, Option<(NodeId, usize)>>; 2],
}

impl Matcher<'_> {
    /// Applies the rules. Each leaves alone what is matched already.
    fn search(mut self) -> (Pairing<TensorId>, Pairing<NodeId>) {
        self.by_name(Rule::Name);
        self.by_structure();
        self.by_name(Rule::NameOnly);
        self.by_sequence(true);
        // Names that end in a number need matched operands; the sequence has just added some.
        self.by_name(Rule::NameOnly);
        self.by_sequence(false);
        self.by_operand();
        (self.tensors, self.nodes)
    }

    fn pair_nodes(&mut self, a: NodeId, b: NodeId, rule: Rule) {
        if self.nodes.pair(a, b, rule) {
            let outputs = self.a.nodes[a].outputs.iter().zip(&self.b.nodes[b].outputs);
            outputs.for_each(|(&a, &b)| _ = self.tensors.pair(a, b, rule));
        }
    }

    /// Pairs equal names and operators; for [`Rule::Name`], only if shapes and element types are
    /// equal too.
    fn by_name(&mut self, rule: Rule) {
        let names: BTreeMap<&str, TensorId> =
            self.b.tensors.enumerate().map(|(id, tensor)| (&*tensor.name, id)).collect();
        for (a, tensor) in self.a.tensors.enumerate() {
            let Some(&b) = names.get(&*tensor.name) else { continue };
            let is_alike = rule == Rule::NameOnly || type_and_shape(self.a, a) == type_and_shape(self.b, b);
            let op =
                |graph: &Graph, maker: Option<(NodeId, usize)>| maker.map(|(node, _)| graph.nodes[node].op.clone());
            let (maker_a, maker_b) = (self.makers[0][a], self.makers[1][b]);
            let is_confirmed = || maker_a.zip(maker_b).is_none_or(|((a, _), (b, _))| self.share_operand(a, b));
            if rule == Rule::NameOnly && is_numbered(&tensor.name) && !is_confirmed() {
                continue;
            }
            if !is_alike || op(self.a, maker_a) != op(self.b, maker_b) || !self.tensors.pair(a, b, rule) {
                continue;
            }
            if let (Some((a, _)), Some((b, _))) = (maker_a, maker_b) {
                self.nodes.pair(a, b, rule);
            }
        }
        // A node that makes no tensor is matched by its own name.
        let names: BTreeMap<&str, NodeId> = self.b.nodes.enumerate().map(|(id, node)| (&*node.name, id)).collect();
        for (a, node) in self.a.nodes.enumerate().filter(|(_, node)| node.outputs.is_empty()) {
            let same = names.get(&*node.name).filter(|&&b| self.b.nodes[b].op == node.op);
            if let Some(&b) = same.filter(|&&b| self.b.nodes[b].outputs.is_empty()) {
                self.nodes.pair(a, b, rule);
            }
        }
    }

    /// Returns true if two nodes read matched tensors at the same position.
    fn share_operand(&self, a: NodeId, b: NodeId) -> bool {
        let mut operands = self.a.nodes[a].inputs.iter().zip(&self.b.nodes[b].inputs);
        operands.any(|(&a, &b)| self.tensors.old[a].is_some_and(|pair| pair.id == b))
    }

    /// Pairs nodes of equal color, in their order.
    fn by_structure(&mut self) {
        let mut numbers: BTreeMap<Signature, u64> = BTreeMap::new();
        let colors = [0, 1].map(|side| self.colors(side, &mut numbers));
        let mut waiting: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
        for (b, &color) in colors[1].enumerate().filter(|&(b, _)| self.nodes.new[b].is_none()) {
            waiting.entry(color).or_default().push(b);
        }
        waiting.values_mut().for_each(|list| list.reverse());
        let free: Vec<NodeId> = self.a.nodes.ids().filter(|&a| self.nodes.old[a].is_none()).collect();
        for a in free {
            if let Some(b) = waiting.get_mut(&colors[0][a]).and_then(Vec::pop) {
                self.pair_nodes(a, b, Rule::Structure);
            }
        }
    }

    /// Returns a number for each node of a side, 0 or 1: equal for nodes of both sides with equal
    /// operator, results and operands. `numbers` is shared by both sides.
    fn colors(&self, side: usize, numbers: &mut BTreeMap<Signature, u64>) -> IdVec<NodeId, u64> {
        let graph = [self.a, self.b][side];
        let mut number = |signature: Signature| {
            let next = numbers.len() as u64;
            *numbers.entry(signature).or_insert(next)
        };
        let matched = |tensor: TensorId| match side {
            0 => self.tensors.old[tensor].map(|_| tensor),
            _ => self.tensors.new[tensor].map(|pair| pair.id),
        };
        let source = |tensor: TensorId| match matched(tensor) {
            Some(old) => Signature { op: "matched".into(), results: Vec::new(), operands: vec![old.index() as u64] },
            None => Signature {
                op: graph.tensors[tensor].kind.name().into(),
                results: vec![type_and_shape(graph, tensor)],
                operands: Vec::new(),
            },
        };
        let mut values: IdVec<TensorId, u64> = graph.tensors.ids().map(|tensor| number(source(tensor))).collect();
        let mut colors = IdVec::from_elem(0, graph.nodes.len());
        for (id, node) in graph.nodes.enumerate() {
            let operands = node.inputs.iter().map(|&tensor| values[tensor]).collect();
            let results = types_and_shapes(graph, id);
            let color = number(Signature { op: node.op.clone(), results, operands });
            colors[id] = color;
            for (at, &tensor) in node.outputs.iter().enumerate() {
                if matched(tensor).is_none() {
                    let operands = vec![color, at as u64];
                    values[tensor] = number(Signature { op: "output".into(), results: Vec::new(), operands });
                }
            }
        }
        colors
    }

    /// Pairs nodes of equal operator that lie between the same matched nodes in the order of
    /// execution; `with_shapes`: only if their results have equal shapes and element types.
    fn by_sequence(&mut self, with_shapes: bool) {
        let mut anchors = rising(&self.nodes.pairs());
        anchors.push((self.a.nodes.len() as u32, self.b.nodes.len() as u32));
        let mut from = (0, 0);
        for (to_a, to_b) in anchors {
            let free_a: Vec<NodeId> = (from.0..to_a).map(NodeId).filter(|&a| self.nodes.old[a].is_none()).collect();
            let free_b: Vec<NodeId> = (from.1..to_b).map(NodeId).filter(|&b| self.nodes.new[b].is_none()).collect();
            let key = |graph: &Graph, id: NodeId| {
                (graph.nodes[id].op.clone(), if with_shapes { types_and_shapes(graph, id) } else { Vec::new() })
            };
            let keys_a: Vec<_> = free_a.iter().map(|&a| key(self.a, a)).collect();
            let keys_b: Vec<_> = free_b.iter().map(|&b| key(self.b, b)).collect();
            for (a, b) in common(&keys_a, &keys_b) {
                self.pair_nodes(free_a[a], free_b[b], Rule::Sequence);
            }
            from = (to_a + 1, to_b + 1);
        }
    }

    /// Pairs the tensors that matched nodes read at the same position.
    fn by_operand(&mut self) {
        for (old, new) in self.nodes.pairs() {
            let (old, new) = (&self.a.nodes[NodeId(old)], &self.b.nodes[NodeId(new)]);
            for (&a, &b) in old.inputs.iter().zip(&new.inputs) {
                // A tensor that a node makes is matched together with the node.
                if self.makers[0][a].is_none() && self.makers[1][b].is_none() {
                    self.tensors.pair(a, b, Rule::Operand);
                }
            }
        }
    }
}

/// Returns true if a name ends in a dot or an underscore and a number. Compilers count such numbers
/// up, so that an operator added before changes the names of those behind it.
fn is_numbered(name: &str) -> bool {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    digits > 0 && name[..name.len() - digits].ends_with(['.', '_'])
}

/// What nodes must have in common to get the same color. Tensors are numbered in the same way:
/// their `op` is the kind of their source.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    op: String,
    results: Vec<String>,
    operands: Vec<u64>,
}

/// Returns element type, shape and stated size of a tensor, as a text to compare.
fn type_and_shape(graph: &Graph, tensor: TensorId) -> String {
    let tensor = &graph.tensors[tensor];
    format!("{:?} {:?} {:?}", tensor.dtype, tensor.shape, tensor.bytes)
}

/// Returns [`type_and_shape`] of every output of a node.
fn types_and_shapes(graph: &Graph, node: NodeId) -> Vec<String> {
    graph.nodes[node].outputs.iter().map(|&tensor| type_and_shape(graph, tensor)).collect()
}

/// Pairs the buffers of matched tensors: first by the tensors that own the storage, then by any.
fn by_tensors(
    buffers: &mut Pairing<BufferId>,
    (old, a): (&Problem, &Graph),
    (new, b): (&Problem, &Graph),
    tensors: &Pairing<TensorId>,
) {
    let held = holders(new, b);
    for owners_only in [true, false] {
        for (id, buffer) in old.buffers.enumerate() {
            let count = if owners_only { 1 } else { buffer.tensors.len() };
            for &tensor in buffer.tensors.iter().take(count).filter(|tensor| tensor.index() < a.tensors.len()) {
                let other = tensors.old[tensor].and_then(|pair| Some((held[pair.id]?, pair.rule)));
                if let Some((other, rule)) = other {
                    buffers.pair(id, other, rule);
                }
            }
        }
    }
}

/// Pairs buffers of equal name.
fn by_name(buffers: &mut Pairing<BufferId>, old: &Problem, new: &Problem) {
    let names: BTreeMap<&str, BufferId> = new.buffers.enumerate().map(|(id, buffer)| (&*buffer.name, id)).collect();
    for (id, buffer) in old.buffers.enumerate() {
        if let Some(&other) = names.get(&*buffer.name) {
            let is_alike = new.buffers[other].size == buffer.size;
            buffers.pair(id, other, if is_alike { Rule::Name } else { Rule::NameOnly });
        }
    }
}

/// Pairs buffers of equal size and kind that lie between the same matched buffers in the order of
/// birth.
fn by_birth(buffers: &mut Pairing<BufferId>, old: &Problem, new: &Problem) {
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
            buffers.pair(free_a[a], free_b[b], Rule::Sequence);
        }
        from = (to_a + 1, to_b + 1);
    }
}
