//! onnxsim's plan for the activations of a model: values that operators may overwrite are joined,
//! then large before small, each in the smallest gap.
//!
//! **From**: onnxsim 0.8.1 (PyPI), `onnxsim/memory_planning.cpp` (`ComputeActivationMemoryPlan`),
//! `model_metrics.cpp` and `model_info.cpp`.
//! **Rule**: a value is joined to the result of a node if the operator may overwrite it, the node
//! is the only one that names it, it is no input, weight or result, and both have as many bytes. A
//! group lives from its first value to its last. Groups by size falling, equal ones by the name of
//! their last value in order of bytes. The smallest gap between groups that live at some common
//! time, the lowest of equals; none: behind all of them.
//! **Time and alignment**: nodes in the order of the file, both ends of a life included, so that an
//! operand and a result overlap unless they are joined. What nobody reads stays to the end. No
//! alignment. Inputs and results lie in the arena, weights do not.
//! **Cost**: `O((n + m) log n)` for `m` pairs that live together; with `branch_safe` all pairs are
//! looked at. The original looks at all pairs.
//! **Does badly**: values that nobody reads stay, and names decide between equals.
//! **Differs**: each memory is planned by itself, and a buffer may ask for an alignment. Views are
//! values of their own, as in the original. A scalar is left out, as there; symbolic sizes are
//! planned at the values chosen unless `symbolic=left-out`. The graphs of a node need the bytes
//! that the reader states for them.

pub mod model;
pub mod plan;
#[cfg(test)]
mod tests;

use super::arenas::Arenas;
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source,
};
use memplan_core::base::{IdVec, align_up};
use memplan_core::graph::{Dim, Dtype, Graph, Kind, Tensor, TensorId};
use memplan_core::plan::{Plan, Unplanned};
use memplan_core::problem::{Branches, BufferId, Problem, Scope, Views, first_joined, lifetimes};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Verdict, in_the_way};
use model::{Model, Node, Value};
use plan::{Found, Group, Join, Placer, group};

/// onnxsim's planner.
pub struct Onnxsim;

/// Operators that hold graphs, for which the original reserves bytes.
const WITH_BODIES: [&str; 3] = ["If", "Loop", "Scan"];

const IN_PLACE: OptionSpec = OptionSpec {
    key: "inplace",
    original: "in_place_ops",
    kind: OptionKind::Choice(&["off", "stated", "operators"]),
    default: "operators",
};
const SYMBOLIC: OptionSpec = OptionSpec {
    key: "symbolic",
    original: "unplanned",
    kind: OptionKind::Choice(&["planned", "left-out"]),
    default: "planned",
};

static INFO: Info = Info {
    id: "onnxsim",
    system: "onnxsim",
    name: "activation memory plan",
    source: Source { repository: "", version: "0.8.1", file: "onnxsim/memory_planning.cpp" },
    needs: Needs::Graph,
    options: &[IN_PLACE, SYMBOLIC, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    sweeps: false,
    example: "mobilenet_v2",
    case: Case { options: &[], peak: 24, best: 16 },
    evidence: Evidence::Golden { system: "onnxsim", planners: &["onnxsim"] },
    explanation: Explanation {
        functions: &[(Decides::Everything, "ComputeActivationMemoryPlan")],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl Onnxsim {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Onnxsim {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    /// Gives views bytes of their own: the original joins them by its own rule.
    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        _: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        let has_views = |graph: &Graph| graph.nodes.iter().any(|node| node.aliases().next().is_some());
        let copies = scope.views == Views::Share;
        let fixed = |graph: &Graph| !graph.stated.is_empty() || first_joined(graph, problem).is_some();
        if let Some(graph) = graph.filter(|graph| copies && has_views(graph) && !fixed(graph)) {
            let own = Scope { views: Views::Copy, ..scope.clone() };
            let planned = lifetimes(graph, &own).map_err(|error| PlanError::Refused(error.message(graph)))?;
            *problem = Problem { capacity: problem.capacity, ..planned };
        }
        Ok(None)
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let model = of_graph(input.problem, graph, options);
        let grouped = group(&model);
        let total = input.problem.buffers.len() as u64;
        let mut walk =
            Placing { problem: input.problem, arenas: Arenas::new(input.problem), decisions: 0, total, probe };
        let members = |number: usize| grouped.groups[number].members.iter().map(|&member| BufferId(member));
        let bars = |a: usize, b: usize| members(a).any(|a| members(b).any(|b| !branches.allow(a, b)));
        let mut placer = Placer::new(&grouped.groups, if branches.is_on() { Some(&bars) } else { None });
        let mut joins: IdVec<BufferId, Vec<Join>> = IdVec::from_elem(Vec::new(), input.problem.buffers.len());
        for &join in &grouped.joins {
            joins[BufferId(join.result)].push(join);
        }
        let mut is_read = vec![false; model.values.len()];
        let read = model.nodes.iter().flat_map(|node| node.inputs.iter().flatten());
        read.for_each(|&value| is_read[value as usize] = true);
        let is_unread = |BufferId(value): BufferId| {
            let Value { is_output, scratch_of, .. } = &model.values[value as usize];
            !is_read[value as usize] && !is_output && scratch_of.is_none()
        };
        let mut shared = Vec::new();
        for (number, group) in grouped.groups.iter().enumerate() {
            let found = placer.place(number);
            let mut before = None;
            for member in members(number) {
                walk.begin(member, &joins[member])?;
                let scratch_of = model.values[member.0 as usize].scratch_of;
                let has_bodies = |&node: &u32| WITH_BODIES.contains(&&*model.nodes[node as usize].op);
                if let Some(node) = scratch_of.filter(has_bodies) {
                    let note = Event::Note { note: Note::BodyReserved, subject: member.0, a: node.into(), b: 0 };
                    walk.probe.event(note);
                }
                if is_unread(member) {
                    walk.probe.event(Event::Note { note: Note::HeldToEnd, subject: member.0, a: 0, b: 0 });
                }
                match before {
                    None => walk.first(member, (group, &grouped.groups), &found, (&placer, &branches)),
                    Some(donor) => {
                        shared.push((member, donor));
                        walk.put(member, found.offset, Outcome::InPlace);
                    }
                }
                before = Some(member);
            }
        }
        let mut plan = Plan { shared, ..walk.arenas.into_plan() };
        let outside = input.problem.buffers.enumerate().filter(|(id, _)| plan.places[*id].is_none());
        plan.unplanned = outside
            .map(|(id, buffer)| match buffer.kind {
                Kind::Weight => (id, Unplanned::WeightIsConstant),
                _ => (id, Unplanned::NoExtents),
            })
            .collect();
        Ok(plan)
    }
}

struct Placing<'a> {
    problem: &'a Problem,
    arenas: Arenas<'a>,
    decisions: u32,
    total: u64,
    probe: &'a mut dyn Probe,
}

impl Placing<'_> {
    fn begin(&mut self, buffer: BufferId, joins: &[Join]) -> Result<(), PlanError> {
        if self.probe.pulse(self.decisions.into(), self.total).is_break() {
            return Err(PlanError::Cancelled);
        }
        self.probe.event(Event::Begin { buffer });
        self.decisions += 1;
        for &Join { operand, note: (note, a, b), .. } in joins {
            self.probe.event(Event::Note { note, subject: operand, a, b });
        }
        Ok(())
    }

    fn put(&mut self, buffer: BufferId, offset: u64, outcome: Outcome) {
        let outcome = if self.problem.buffers[buffer].size == 0 { Outcome::Nothing } else { outcome };
        self.arenas.place(buffer, offset, outcome, self.probe);
    }

    /// The first value of a group, with the gaps that were looked at.
    fn first(
        &mut self,
        buffer: BufferId,
        (group, groups): (&Group, &[Group]),
        found: &Found,
        (placer, branches): (&Placer, &Branches),
    ) {
        if group.members.len() > 1
            && let Some(&last) = group.members.last()
        {
            let note = Event::Note { note: Note::JoinedTo, subject: buffer.0, a: last.into(), b: 0 };
            self.probe.event(note);
        }
        if self.probe.wants_detail(self.decisions - 1) && group.size > 0 {
            for &other in &found.barred {
                let (offset, end) = placer.span(other);
                let refuses =
                    |&member: &BufferId| group.members.iter().any(|&own| !branches.allow(member, BufferId(own)));
                let members = groups[other].members.iter().map(|&member| BufferId(member));
                in_the_way(self.probe, members.filter(refuses));
                self.probe.event(Event::Block { verdict: Verdict::Parallel, offset, room: end - offset });
            }
            for &(offset, room) in &found.gaps {
                let verdict = match () {
                    () if align_up(offset, group.align) + group.size > offset + room => Verdict::TooSmall,
                    () if found.is_gap && align_up(offset, group.align) == found.offset => Verdict::Chosen,
                    () => Verdict::Fits,
                };
                self.probe.event(Event::Block { verdict, offset, room });
            }
            let verdict = if found.is_gap { Verdict::Fits } else { Verdict::Chosen };
            self.probe.event(Event::Block { verdict, offset: found.end, room: u64::MAX });
        }
        self.put(buffer, found.offset, if found.is_gap { Outcome::Gap } else { Outcome::AtEnd });
    }
}

/// Whether the original knows how many bytes an element has.
pub fn has_bytes(dtype: Dtype) -> bool {
    dtype.bits() >= 8 && dtype != Dtype::Float8E8M0
}

/// A graph as a model whose values are the buffers of the problem.
fn of_graph(problem: &Problem, graph: &Graph, options: &Options) -> Model {
    let mut buffer_of: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id.0));
    }
    let left_out = options.get(SYMBOLIC.key) == "left-out";
    let is_planned = |tensor: &Tensor| {
        let is_symbolic = tensor.shape.iter().any(|dim| matches!(dim, Dim::Expr(_)));
        has_bytes(tensor.dtype) && (!tensor.shape.is_empty() || tensor.bytes.is_some()) && !(left_out && is_symbolic)
    };
    let mut values: Vec<Value> = Vec::with_capacity(problem.buffers.len());
    for buffer in problem.buffers.iter() {
        let tensor = buffer.tensors.first().map(|&root| &graph.tensors[root]);
        values.push(Value {
            name: buffer.name.clone(),
            size: tensor.filter(|tensor| is_planned(tensor)).map(|_| buffer.size),
            align: buffer.align,
            memory: buffer.memory.0,
            is_input: buffer.kind == Kind::Input,
            // What lives to the end is not overwritten, whatever keeps it.
            is_output: buffer.kind == Kind::Output,
            is_weight: buffer.kind == Kind::Weight,
            scratch_of: None,
        });
    }
    let mut is_made = vec![false; values.len()];
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.nodes.enumerate() {
        let of = |&tensor: &TensorId| buffer_of[tensor];
        if let Some(scratch) = node.scratch().and_then(|scratch| buffer_of[scratch]) {
            values[scratch as usize].scratch_of = Some(id.0);
        }
        let stated = match options.get(IN_PLACE.key) {
            "off" => Some(Vec::new()),
            "stated" if node.op == "memory.view" => Some(Vec::new()),
            "stated" => Some(node.inplace.clone()),
            _ => None,
        };
        // A buffer is made once, by the node that makes its first value.
        let first =
            |output: &TensorId| of(output).filter(|&value| !std::mem::replace(&mut is_made[value as usize], true));
        let outputs = node.outputs.iter().map(first).collect();
        nodes.push(Node {
            op: node.op.clone(),
            inputs: node.inputs.iter().map(of).collect(),
            outputs,
            stated,
            subgraphs: Vec::new(),
        });
    }
    // What is kept, or made by no node, is there for the whole run.
    let kept = graph.stated.kept.iter().filter_map(|&tensor| buffer_of[tensor]);
    kept.for_each(|value| values[value as usize].is_output = true);
    for (value, is_made) in values.iter_mut().zip(is_made) {
        value.is_input |= !is_made && !value.is_weight;
    }
    Model { values, nodes }
}
