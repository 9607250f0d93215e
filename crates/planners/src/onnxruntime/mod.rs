//! ONNX Runtime's memory for the values of a graph: first a plan of who takes over whose buffer,
//! then one block with a place for each buffer.
//!
//! **From**: microsoft/onnxruntime 1.32.0 (fab30a4), CPU provider, sequential executor:
//! `allocation_planner.cc` (`ComputeSingleStreamReusePlan`, `GenerateDeallocationPlan`),
//! `mem_pattern_planner.h` (`MemPatternPlanner`), `execution_frame.cc`, and `GraphViewer` for the
//! order of the nodes ([`order`]).
//! **Rule**: node by node, result by result. A kernel that must alias an operand does. Else the
//! first operand that the kernel may overwrite is taken over if this is the last use of its buffer
//! and shape and element size are equal. Else the newest buffer of the free list with that shape
//! and element size. Else a buffer of its own. A buffer enters the free list when its uses are
//! over. Then allocations and frees are laid into one block: the smallest free place that is large
//! enough, the lowest of equals; else above the last live buffer. Graph inputs, weights and results
//! lie outside.
//! **Time and alignment**: a node is a step. Sizes are rounded up to 256 bytes. A buffer is held
//! from its first value to the last read of its last one, also in between.
//! **Cost**: `O(n log n)`; with `branch_safe` all pairs are looked at.
//! **Does badly**: shapes, not bytes, decide on handing on, and a buffer that was handed on stays
//! held while it holds nothing. A result that nobody reads is held to the end.
//! **Differs**: the original knows the kernels, and here the graph or the names of the operators
//! state what they permit. A result that is a view is a copy there. Buffers of different memories
//! are never shared, and each memory has a block. A graph whose nodes write into what others read,
//! or that states storages, keeps its order.

mod network;
pub mod order;
pub mod pattern;
mod sharing;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::BTreeMap;

pub use network::{Extent, InPlace, Kernel, Network, Role, Value};
pub use sharing::{Decision, Setting, Way};
pub use walk::{Planned, run};

use super::reorder::writes;
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source,
};
use memplan_core::graph::{Attr, Graph, Kind, Node, NodeId, TensorId};
use memplan_core::plan::{Plan, Unplanned};
use memplan_core::problem::{Order, Problem, Scope, Views, first_joined, give_way, lifetimes};
use memplan_core::trace::{Decides, Explanation, Outcome, Probe, Sentences, Silent, StatePanel};

/// ONNX Runtime's planner.
pub struct OnnxRuntime;

/// Sizes in the block are rounded up to this many bytes, `kAllocAlignment` of the original.
pub const ALIGN: u64 = 256;

const REUSE: OptionSpec =
    OptionSpec { key: "enable_mem_reuse", original: "enable_mem_reuse", kind: OptionKind::Flag, default: "true" };
const IN_PLACE: OptionSpec = OptionSpec {
    key: "inplace",
    original: "MayInplace",
    kind: OptionKind::Choice(&["off", "stated", "operators"]),
    default: "operators",
};
const ORDER: OptionSpec = OptionSpec {
    key: "order",
    original: "GraphViewer",
    kind: OptionKind::Choice(&["runtime", "listed"]),
    default: "runtime",
};

static INFO: Info = Info {
    id: "onnxruntime",
    system: "ONNX Runtime",
    name: "allocation plan",
    source: Source {
        repository: "microsoft/onnxruntime",
        version: "1.32.0 (fab30a4)",
        file: "onnxruntime/core/framework/allocation_planner.cc",
    },
    needs: Needs::Graph,
    options: &[REUSE, IN_PLACE, ORDER, BRANCH_SAFE],
    complexity: Complexity::Sorting,
    align: ALIGN,
    sweeps: true,
    example: "resnet18",
    case: Case { options: &[], peak: 1280, best: 1024 },
    evidence: Evidence::Golden { system: "onnxruntime", planners: &["onnxruntime"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "PlannerImpl::FindReusableInput"),
            (Decides::Outcome(Outcome::Reuse), "PlannerImpl::FindReusableTensor"),
            (Decides::Everything, "MemPatternPlanner::TraceAllocation"),
        ],
        sentences: Sentences::Shapes,
        headlines: &[Outcome::Reuse],
        panels: &[StatePanel::FreeBuffers],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl OnnxRuntime {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for OnnxRuntime {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    /// Puts the nodes into the order of the original, and gives results that are views storages of
    /// their own. Bytes of an input that a kernel overwrites count once then.
    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        options: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        let other = self.ordered(problem, graph, scope, options)?;
        if let Some(graph) = other.as_ref().or(graph)
            && in_place_of(options) != InPlace::Off
        {
            // A plan that cannot be made has nothing to count; planning tells why.
            let plan = self.plan(Input { problem, graph: Some(graph) }, options, &mut Silent);
            give_way(problem, plan.map_or_else(|_| Vec::new(), |plan| plan.shared));
        }
        Ok(other)
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        let problem = input.problem;
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let network = Network::of(problem, graph, in_place_of(options));
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(ALIGN, u64::max);
        let setting = Setting { reuse: options.flag(REUSE.key), align, branches: &branches };
        let mut plan = run(problem, &network, setting, probe).ok_or(PlanError::Cancelled)?.plan;
        let outside = problem.buffers.enumerate().filter(|(id, _)| plan.places[*id].is_none());
        plan.unplanned = outside
            .map(|(id, buffer)| match buffer.kind {
                Kind::Weight => (id, Unplanned::WeightIsConstant),
                Kind::Output => (id, Unplanned::OutputOfCaller),
                Kind::Input | Kind::Intermediate => (id, Unplanned::InputOfCaller),
            })
            .collect();
        Ok(plan)
    }
}

fn in_place_of(options: &Options) -> InPlace {
    match options.get(IN_PLACE.key) {
        "off" => InPlace::Off,
        "stated" => InPlace::Stated,
        _ => InPlace::Operators,
    }
}

impl OnnxRuntime {
    /// Makes the problem that of the graph in the original's order, and returns the graph if it
    /// changes.
    fn ordered(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        options: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        let fixed = |graph: &Graph| !graph.stated.is_empty() || first_joined(graph, problem).is_some();
        let Some(graph) = graph.filter(|graph| !fixed(graph)) else { return Ok(None) };
        let reorders = options.get(ORDER.key) == "runtime" && !graph.nodes.iter().any(writes);
        let order = if reorders { order::of_graph(graph) } else { graph.nodes.ids().collect() };
        let is_result = |tensor: TensorId| graph.tensors[tensor].kind == Kind::Output;
        let copies = |node: &Node| scope.views == Views::Share && node.aliases().any(|(_, output)| is_result(output));
        let is_listed = order::is_listed(&order);
        if is_listed && !graph.nodes.iter().any(copies) {
            return Ok(None);
        }
        let node = |&id: &NodeId| match &graph.nodes[id] {
            node if copies(node) => without_views(node, &is_result),
            node => node.clone(),
        };
        let other = Graph { nodes: order.iter().map(node).collect(), ..graph.clone() };
        let planned = lifetimes(&other, scope).map_err(|error| PlanError::Refused(error.message(graph)))?;
        *problem = Problem { capacity: problem.capacity, ..planned };
        if !is_listed {
            let nodes = other.nodes.iter().map(|node| node.name.clone()).collect();
            problem.order = Some(Order { nodes, search: None });
        }
        Ok(Some(other))
    }
}

/// A node whose results that the graph gives back are no views.
fn without_views(node: &Node, is_result: &dyn Fn(TensorId) -> bool) -> Node {
    let kept: Vec<(TensorId, TensorId)> = node.aliases().filter(|&(_, output)| !is_result(output)).collect();
    let mut node = node.clone();
    let outputs = node.outputs.clone();
    if node.op == "memory.view" {
        node.inplace.retain(|&(_, output)| !is_result(outputs[output as usize]));
    }
    let slot = |list: &[TensorId], tensor: TensorId| list.iter().position(|&other| other == tensor);
    let pairs = kept.iter().filter_map(|&(input, output)| Some((slot(&node.inputs, input)?, slot(&outputs, output)?)));
    let listed: Vec<String> = pairs.map(|(input, output)| format!("[{input},{output}]")).collect();
    let mut attrs: BTreeMap<String, Attr> =
        node.attrs.iter().map(|(key, value)| (key.clone(), value.clone())).filter(|(key, _)| key != "alias").collect();
    if !listed.is_empty() && node.op != "memory.view" {
        attrs.insert("alias".to_string(), Attr::Json(format!("[{}]", listed.join(","))));
    }
    node.attrs = memplan_core::graph::attrs(attrs);
    node
}
