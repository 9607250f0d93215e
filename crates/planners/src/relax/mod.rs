//! TVM Relax's memory planner: storages that later tensors of the same type take over, as long as
//! their sizes are alike.
//!
//! **From**: apache/tvm 0.27.0.post1 (7b5acb32b),
//! `src/relax/transform/static_plan_block_memory.cc`, the heir of Relay's planner.
//! **Rule**: first every tensor is counted: how often calls are given it, the call that writes it
//! included. Left out are results of the function, what an operator that is no kernel reads, and
//! what is read in another block than its own. Then, in the order of the program, a tensor takes a
//! free storage of the same memory scope and element type within 16 times its size: the smallest
//! that is large enough, of equals the one released first; else the largest that is smaller, of
//! equals the one released last, which grows. Else a storage is made. A size with symbols takes
//! only a storage of provably equal size. A call counts its arguments down, in order; at 0 a
//! storage is free.
//! **Time and alignment**: no live ranges, only counts, in the order of the nodes. Storages have no
//! addresses and sizes are not rounded; a type of less than a byte takes a byte.
//! **Cost**: `O(n log n)`; storages of symbolic size, and with `branch_safe` those of parallel
//! branches, are passed over one by one.
//! **Does badly**: other types and sizes beyond the range never share, nothing is overwritten, and
//! results come on top.
//! **Differs**: tensors of different memories never share; the original does not compare devices.
//! A graph has one block. A view counts nothing, so a storage may be taken over before a view that
//! nobody reads is made: the plan reports that.

mod graph;
pub mod pool;
pub mod program;
pub mod run;
pub mod size;
#[cfg(test)]
mod tests;

use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, Needs, NotApplicable, Options, PlanError, Planner, Source,
};
use memplan_core::base::Message;
use memplan_core::graph::{Graph, Kind};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned, Violation, check};
use memplan_core::problem::{Problem, Scope};
use memplan_core::trace::{Decides, Explanation, Probe, Sentences, StatePanel};
use run::Stopped;

/// TVM Relax's planner.
pub struct Relax;

static INFO: Info = Info {
    id: "relax",
    system: "TVM Relax",
    name: "StaticPlanBlockMemory",
    source: Source {
        repository: "apache/tvm",
        version: "0.27.0.post1 (7b5acb32b)",
        file: "src/relax/transform/static_plan_block_memory.cc",
    },
    needs: Needs::Graph,
    options: &[BRANCH_SAFE],
    complexity: Complexity::Sorting,
    sweeps: true,
    example: "resnet18",
    case: Case { options: &[], peak: 800, best: 400 },
    evidence: Evidence::Golden { system: "relax", planners: &["relax_block_memory"] },
    explanation: Explanation {
        functions: &[(Decides::Everything, "TokenAllocatorMixed::RequestReuse")],
        sentences: Sentences::Types,
        panels: &[StatePanel::StorageTokens],
        ..Explanation::USUAL
    },
    storages: true,
    ..Info::BASE
};

impl Relax {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Relax {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    /// Gives buffers the bytes that the pass counts, which bounds of symbols decide.
    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        _: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        if let Some(graph) = graph {
            graph::resize(problem, graph, scope);
        }
        Ok(None)
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        let problem = input.problem;
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let function = graph::function(problem, graph);
        let memory_of = |buffer| problem.buffers[buffer].memory.0;
        let planned = run::run(&function, &branches, &memory_of, probe).map_err(|stopped| match stopped {
            Stopped::Cancelled => PlanError::Cancelled,
            check => PlanError::Refused(Message::new("fault.relax-check").text("check", check.check())),
        })?;
        let mut plan = Plan::empty(problem);
        for (number, storage) in planned.storages.iter().enumerate() {
            plan.pools.push(Pool {
                name: format!("storage {number}"),
                size: storage.bytes,
                device: problem.memories[problem.buffers[storage.first].memory].device.clone(),
                role: PoolRole::Storage,
            });
        }
        for (buffer, placed) in planned.tensors {
            plan.places[buffer] = placed.storage.map(|storage| Place { pool: PoolId(storage), offset: 0 });
        }
        let outside = problem.buffers.enumerate().filter(|(id, _)| plan.places[*id].is_none());
        plan.unplanned = outside
            .map(|(id, buffer)| match buffer.kind {
                Kind::Input => (id, Unplanned::InputOfCaller),
                Kind::Weight => (id, Unplanned::WeightIsConstant),
                Kind::Output | Kind::Intermediate => (id, Unplanned::OutputOfCaller),
            })
            .collect();
        if graph.nodes.iter().any(|node| node.aliases().next().is_some()) {
            plan.quirks = quirks(problem, &plan);
        }
        Ok(plan)
    }
}

/// Pairs in one storage of which the one is only named, not read, while the other is there.
fn quirks(problem: &Problem, plan: &Plan) -> Vec<Quirk> {
    let quirk = |violation: Violation| match violation {
        Violation::Overlap { a, b, .. } => Some(Quirk { kind: QuirkKind::UncountedAlias, a, b }),
        _ => None,
    };
    check(problem, plan).into_iter().filter_map(quirk).collect()
}
