//! Live ranges as ExecuTorch's memory planner counts them.
//!
//! Its steps are the nodes of the lowered graph: one for each input and weight, one for each
//! allocation, directly before the operator that writes it, and a last one that returns the
//! outputs. A graph that has no allocations is laid out that way here; one that has them keeps its
//! steps, and a result is there from its allocation on.

use std::collections::BTreeMap;

use memplan_core::base::IdVec;
use memplan_core::graph::{Attr, Graph, Kind, Node, TensorId};
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Buffer, BufferId, Gap, Live, Problem};

/// The op of a node that allocates what a later one writes.
const ALLOC: &str = "memory.alloc";

/// Returns a problem with the steps and live ranges that ExecuTorch counts: what a placeholder
/// holds is there from step 0, and a buffer that the program changes through the whole run. A plan
/// that gives bytes of these to others keeps its own live ranges.
pub fn lowered(problem: &Problem, plan: Option<&Plan>, graph: &Graph) -> Problem {
    let holds = |problem: &Problem| {
        plan.is_none_or(|plan| check(problem, plan).iter().all(|violation| violation.is_quirk_of(plan)))
    };
    let has_allocs = graph.nodes.iter().any(|node| node.op == ALLOC);
    let places = if has_allocs { Layout::as_it_stands(graph, problem) } else { Layout::of(graph, problem) };
    let mut longer = problem.clone();
    longer.steps = places.steps;
    for (id, buffer) in problem.buffers.enumerate() {
        let own = &mut longer.buffers[id];
        own.live = places.live(buffer, id);
        own.gaps.iter_mut().for_each(|gap| gap.live = places.span(gap));
    }
    let plain = longer.clone();
    for node in graph.nodes.iter().filter(|node| node.is_placeholder()) {
        for id in node.outputs.iter().filter_map(|&tensor| places.buffer_of[tensor]) {
            let end = if node.is_mutable_buffer() { longer.steps } else { longer.buffers[id].live.end };
            longer.buffers[id].live = Live::new(0, end);
        }
    }
    [longer, plain].into_iter().find(holds).unwrap_or_else(|| problem.clone())
}

/// The steps of the nodes of a graph.
struct Layout {
    /// The step of each node, and that after the last one.
    step_of: Vec<u32>,
    /// The step at which each buffer comes to be, if the node that makes it runs at another one.
    start: BTreeMap<BufferId, u32>,
    /// Buffers that the program returns or keeps.
    stays: IdVec<BufferId, bool>,
    buffer_of: IdVec<TensorId, Option<BufferId>>,
    steps: u32,
}

impl Layout {
    fn as_it_stands(graph: &Graph, problem: &Problem) -> Layout {
        let buffer_of = buffers(graph, problem);
        let names: BTreeMap<&str, TensorId> =
            graph.tensors.enumerate().map(|(id, tensor)| (tensor.name.as_str(), id)).collect();
        let mut start = BTreeMap::new();
        for (step, node) in graph.nodes.enumerate().filter(|(_, node)| node.op == ALLOC) {
            let Some(Attr::Text(allocated)) = node.attrs.get("allocates") else { continue };
            let tensors = allocated.split(',').filter_map(|name| names.get(name.trim()));
            for id in tensors.filter_map(|&tensor| buffer_of[tensor]) {
                start.entry(id).or_insert(step.0);
            }
        }
        start.retain(|&id, step| *step < problem.buffers[id].live.start);
        let (step_of, stays) = ((0..=problem.steps).collect(), IdVec::from_elem(false, problem.buffers.len()));
        Layout { step_of, start, stays, buffer_of, steps: problem.steps }
    }

    fn of(graph: &Graph, problem: &Problem) -> Layout {
        let buffer_of = buffers(graph, problem);
        let mut is_made: IdVec<TensorId, bool> = IdVec::from_elem(false, graph.tensors.len());
        graph.nodes.iter().flat_map(|node| &node.outputs).for_each(|&tensor| is_made[tensor] = true);
        let is_given = |&id: &TensorId| matches!(graph.tensors[id].kind, Kind::Input | Kind::Weight) && !is_made[id];
        let mut step = graph.tensors.ids().filter(is_given).count() as u32;
        let (mut step_of, mut start) = (Vec::with_capacity(graph.nodes.len() + 1), BTreeMap::new());
        let mut stays: IdVec<BufferId, bool> = IdVec::from_elem(false, problem.buffers.len());
        let mut last_use: IdVec<BufferId, u32> = IdVec::from_elem(0, problem.buffers.len());
        for (number, node) in graph.nodes.enumerate() {
            // What is only another name has no storage of its own.
            let is_first = |id: BufferId, tensor: TensorId| problem.buffers[id].tensors.first() == Some(&tensor);
            for &tensor in node.outputs.iter().filter(|_| !node.is_placeholder()) {
                if let Some(id) = buffer_of[tensor].filter(|&id| is_first(id, tensor)) {
                    start.entry(id).or_insert(step);
                    step = step.saturating_add(1);
                }
            }
            step_of.push(step);
            step = step.saturating_add(1);
            let used = node.inputs.iter().chain(&node.outputs);
            used.filter_map(|&tensor| buffer_of[tensor]).for_each(|id| last_use[id] = number.0 + 1);
            changed(node).and_then(|tensor| buffer_of[tensor]).into_iter().for_each(|id| {
                stays[id] = problem.buffers[id].kind == Kind::Input && problem.buffers[id].live.end == problem.steps;
            });
        }
        step_of.push(step);
        // The step that returns the outputs.
        let steps = step.saturating_add(u32::from(!graph.nodes.iter().any(|node| node.op == "output")));
        for (id, buffer) in problem.buffers.enumerate() {
            let is_returned = |&tensor: &TensorId| matches!(graph.tensors[tensor].kind, Kind::Output | Kind::Weight);
            stays[id] |= buffer.live.end == problem.steps
                && (buffer.tensors.iter().any(is_returned) || last_use[id] < problem.steps);
        }
        Layout { step_of, start, stays, buffer_of, steps }
    }

    fn live(&self, buffer: &Buffer, id: BufferId) -> Live {
        let plain = self.step(buffer.live.start);
        // What is there before the first node runs is there from the first step.
        let is_given = buffer.kind == Kind::Input || buffer.kind == Kind::Weight;
        let start = if buffer.live.start == 0 && is_given { 0 } else { self.start.get(&id).copied().unwrap_or(plain) };
        let end = if self.stays[id] { self.steps } else { self.end(buffer.live.end) };
        Live::new(start, end.max(start + 1))
    }

    fn span(&self, gap: &Gap) -> Live {
        let (start, end) = (self.end(gap.live.start), self.end(gap.live.end));
        Live::new(start, end.max(start + 1))
    }

    fn step(&self, node: u32) -> u32 {
        self.step_of.get(node as usize).copied().unwrap_or(node)
    }

    /// The step after that of the node before this one.
    fn end(&self, node: u32) -> u32 {
        node.checked_sub(1).map_or(0, |last| self.step(last).saturating_add(1))
    }
}

/// The tensor that a node changes in place by ATen's rule: its name ends with an underscore, and
/// that is its first operand.
fn changed(node: &Node) -> Option<TensorId> {
    let base = node.op.split_once('.').map_or(node.op.as_str(), |(base, _)| base);
    node.inputs.first().copied().filter(|_| base.ends_with('_'))
}

fn buffers(graph: &Graph, problem: &Problem) -> IdVec<TensorId, Option<BufferId>> {
    let mut buffer_of = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().filter(|tensor| (tensor.0 as usize) < graph.tensors.len()).for_each(|&tensor| {
            buffer_of[tensor] = Some(id);
        });
    }
    buffer_of
}
