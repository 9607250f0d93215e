//! Copies that may be names of their input. Mostly that is better; where it may not be, the search
//! has both, and proofs hold for both.

use std::collections::BTreeSet;

use super::finish::read;
use super::instance::{Lever, Request};
use super::single::may_lie_in;
use crate::transform::{Net, in_parts, may_part, views, views_but};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Graph, NodeId, TensorId};

/// A graph with names in place of copies.
pub struct Viewed {
    /// The graph.
    pub graph: Graph,
    /// Outputs that may lie on a copy, but not on the graph input that it would be a name of: of
    /// the widest choice.
    pub loose: BTreeSet<usize>,
    /// Results of concatenations that could be made in parts if a copy that they read were no name:
    /// of the widest choice.
    pub joins: BTreeSet<usize>,
    /// Whether some copy is a name here: the two are one storage, which moves as a whole.
    pub has_names: bool,
}

impl Viewed {
    fn of(graph: Graph) -> Viewed {
        Viewed { graph, loose: BTreeSet::new(), joins: BTreeSet::new(), has_names: false }
    }

    /// Whether inputs of concatenations may lie in their output.
    pub fn may_part(&self, request: &Request) -> bool {
        request.has(Lever::Views) && may_part(&self.graph, request.scope.align)
    }
}

/// The choices of views that are searched.
pub struct Choices {
    /// All views that are allowed. What is proved is proved of it.
    pub all: Viewed,
    /// The same without those that may be worse than copies, if there are any.
    pub fewer: Option<Viewed>,
}

impl Choices {
    /// All choices, the one with all views first.
    pub fn each(&self) -> impl Iterator<Item = &Viewed> {
        [&self.all].into_iter().chain(&self.fewer)
    }
}

/// The choices of views of a graph.
///
/// # Errors
/// A graph without sizes.
pub fn choices(original: &Graph, request: &Request) -> Result<Choices, Message> {
    if !request.has(Lever::Views) {
        return Ok(Choices { all: Viewed::of(original.clone()), fewer: None });
    }
    let mut all = Viewed::of(views(original));
    let copies = Copies::of(original, &all.graph);
    if copies.made.is_empty() {
        return Ok(Choices { all, fewer: None });
    }
    let (apart, named) = (read(original, request)?.0, read(&all.graph, request)?.0);
    all.has_names = true;
    let mut stay = copies.overwritten(&apart, &named, request, &mut all.loose);
    stay.extend(copies.joined(&all.graph, request, &mut all.joins));
    stay.extend(copies.elsewhere(&apart, request));
    let fewer = || Viewed { has_names: true, ..Viewed::of(views_but(original, &stay)) };
    let fewer = (!stay.is_empty()).then(fewer);
    Ok(Choices { all, fewer })
}

/// The copies of a graph that are names in another.
struct Copies<'a> {
    original: &'a Graph,
    /// The operators that copy.
    nodes: Vec<NodeId>,
    /// What they make.
    made: BTreeSet<TensorId>,
}

impl Copies<'_> {
    fn of<'a>(original: &'a Graph, named: &Graph) -> Copies<'a> {
        let is_named = |&id: &NodeId| original.nodes[id].attrs != named.nodes[id].attrs;
        let nodes: Vec<NodeId> = original.nodes.ids().filter(is_named).collect();
        let made = nodes.iter().flat_map(|&id| original.nodes[id].results()).copied().collect();
        Copies { original, nodes, made }
    }

    /// Copies of graph inputs that an output may lie on, and these outputs.
    fn overwritten(
        &self,
        apart: &Net,
        named: &Net,
        request: &Request,
        outputs: &mut BTreeSet<usize>,
    ) -> BTreeSet<TensorId> {
        let mut found = BTreeSet::new();
        let pairs = apart.ops.iter().flat_map(|op| &op.pairs).filter(|_| request.has(Lever::InPlace));
        for &(input, output) in pairs {
            let copy = TensorId::from_index(input);
            if self.made.contains(&copy) && named.input[named.root[input]] {
                found.insert(copy);
                outputs.insert(output);
            }
        }
        found
    }

    /// Copies that could be made in a concatenation, and the results of these.
    fn joined(&self, named: &Graph, request: &Request, results: &mut BTreeSet<usize>) -> BTreeSet<TensorId> {
        let align = request.scope.align;
        let (with, without) = (in_parts(self.original, align), in_parts(named, align));
        let is_lost = |id: &NodeId| {
            let has_parts = |graph: &Graph| graph.nodes[*id].attrs.contains_key("parts");
            has_parts(&with) && !has_parts(&without)
        };
        let mut found = BTreeSet::new();
        for node in self.original.nodes.ids().filter(is_lost).map(|id| &self.original.nodes[id]) {
            results.extend(node.results().iter().map(|result| result.index()));
            found.extend(node.inputs.iter().filter(|input| self.made.contains(input)).copied());
        }
        found
    }

    /// Copies that may lie in other memories than what they copy.
    fn elsewhere(&self, apart: &Net, request: &Request) -> BTreeSet<TensorId> {
        let slower = request.budget.memories.iter().skip(1).filter(|_| request.has(Lever::Bank));
        let names: Vec<&str> = slower.map(|memory| memory.name.as_str()).collect();
        if names.is_empty() {
            return BTreeSet::new();
        }
        let uses = apart.uses(&apart.plain());
        let lies = |tensor: TensorId, name: &str| may_lie_in(self.original, &uses[apart.root[tensor.index()]], name);
        let pairs = self.nodes.iter().filter_map(|&id| {
            let node = &self.original.nodes[id];
            node.inputs.first().copied().zip(node.results().first().copied())
        });
        let differs = |&(from, to): &(TensorId, TensorId)| names.iter().any(|name| lies(from, name) != lies(to, name));
        pairs.filter(differs).map(|(_, to)| to).collect()
    }
}
