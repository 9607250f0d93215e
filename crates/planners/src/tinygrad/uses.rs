//! From when to when each buffer is held: the first and last call that names it, and for buffers of
//! copies as long again.

use crate::PlanError;
use memplan_core::base::{IdVec, Message};
use memplan_core::graph::{Attr, Graph, Kind, Node, TensorId};
use memplan_core::problem::{BufferId, Problem};

/// Devices without views of buffers, by the beginning of their names.
const LEFT_OUT: [&str; 4] = ["DISK", "TINYFS", "CL", "WEBGPU"];

/// The operator that copies between devices.
const COPY: &str = "device_copy";

/// A buffer that is planned, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The buffer.
    pub buffer: BufferId,
    /// Number of the first call that names it.
    pub first: u32,
    /// Number of the last call that names it.
    pub last: u32,
    /// Whether a copy names it.
    pub copied: bool,
}

impl Use {
    /// Returns the time at which it is closed: after its last call, for a buffer of a copy its
    /// whole life later.
    pub fn close(self) -> u64 {
        let (first, last) = (u64::from(self.first), u64::from(self.last));
        last + 1 + if self.copied { last - first + 1 } else { 0 }
    }
}

/// Whether views of buffers are possible on a device, or on all of several joined by `+`.
pub fn has_views(device: &str) -> bool {
    !device.split('+').any(|name| LEFT_OUT.iter().any(|left_out| name.starts_with(left_out)))
}

/// What is asked of [`uses`].
#[derive(Clone, Copy)]
pub struct Settings {
    /// Whether inputs, weights and outputs stay with the caller.
    pub held: bool,
    /// Whether buffers of copies are held longer.
    pub copy_lanes: bool,
}

/// Returns the buffers to plan, in the order in which calls first name them; those that no call
/// names come last.
///
/// # Errors
/// [`PlanError::Refused`] when `tinygrad_args` of a node names no tensor.
pub fn uses(problem: &Problem, graph: Option<&Graph>, settings: Settings) -> Result<Vec<Use>, PlanError> {
    let is_planned = |id: BufferId| {
        let buffer = &problem.buffers[id];
        let is_held = settings.held && buffer.kind != Kind::Intermediate;
        !is_held && has_views(&problem.memories[buffer.memory].device)
    };
    let mut uses: Vec<Use> = Vec::new();
    let mut place: IdVec<BufferId, Option<usize>> = IdVec::from_elem(None, problem.buffers.len());
    let mut name = |id: BufferId, first: u32, last: u32, copied: bool| {
        let at = *place[id].get_or_insert(uses.len());
        if at == uses.len() {
            uses.push(Use { buffer: id, first, last, copied });
        }
        let found = &mut uses[at];
        found.first = found.first.min(first);
        found.last = found.last.max(last);
        found.copied |= copied;
    };
    if let Some(graph) = graph {
        let mut holder: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
        for (id, buffer) in problem.buffers.enumerate().filter(|(id, _)| is_planned(*id)) {
            buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id));
        }
        let mut names = Names::default();
        for (step, node) in graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder()) {
            let copied = settings.copy_lanes && node.op == COPY;
            for tensor in names.arguments(graph, node)? {
                if let Some(buffer) = holder[tensor] {
                    name(buffer, step.0, step.0, copied);
                }
            }
        }
    }
    // What an output or an input needs beyond its calls, and all of a list without calls.
    let mut births: Vec<BufferId> = problem.buffers.ids().filter(|&id| is_planned(id)).collect();
    births.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    for id in births {
        let live = problem.buffers[id].live;
        name(id, live.start, live.end - 1, false);
    }
    Ok(uses)
}

/// Tensors by name, listed when a node first asks for one.
#[derive(Default)]
struct Names<'a>(std::collections::BTreeMap<&'a str, TensorId>);

impl<'a> Names<'a> {
    /// Returns what a call names, in order: as the node states it, or its outputs, then its inputs.
    fn arguments(&mut self, graph: &'a Graph, node: &Node) -> Result<Vec<TensorId>, PlanError> {
        let Some(Attr::Text(stated)) = node.attrs.get("tinygrad_args") else {
            return Ok(node.outputs.iter().chain(&node.inputs).copied().collect());
        };
        if self.0.is_empty() {
            self.0 = graph.tensors.enumerate().map(|(id, tensor)| (tensor.name.as_str(), id)).collect();
        }
        let tensor = |name: &str| {
            let fault = || Message::new("fault.tinygrad-args").name("node", node.name.clone()).text("name", name);
            self.0.get(name).copied().ok_or_else(|| PlanError::Refused(fault()))
        };
        stated.split(',').filter(|name| !name.is_empty()).map(tensor).collect()
    }
}
