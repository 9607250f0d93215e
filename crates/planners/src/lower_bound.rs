//! The lower bound as an entry of the registry: a peak without places.
//!
//! **From**: interval arithmetic. No plan for the same order that shares only dead bytes is
//! smaller.
//! **Rule**: the largest sum of unpadded sizes alive at one step, for each memory the graph fixes;
//! the sum of these.
//! **Time and alignment**: the graph's steps; alignment is ignored, because the topmost buffer
//! needs no padding.
//! **Cost**: O(n + steps).
//! **Does badly**: it may be out of reach for every plan; then the gap is nobody's fault.

use super::{Case, Complexity, Evidence, Group, Info, Input, Needs, Options, PlanError, Planner, Source};
use memplan_core::plan::{Plan, Pool, PoolRole, Unplanned};
use memplan_core::problem::{BufferId, MemoryId, lower_bound_of};
use memplan_core::trace::{Event, Probe};

/// The largest load, without places.
pub struct LowerBound;

static INFO: Info = Info {
    id: "lower-bound",
    system: "lower bound",
    name: "largest load",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: &[],
    complexity: Complexity::LinearWithSteps,
    align: 1,
    sweeps: false,
    ranked: false,
    example: "teaching",
    case: Case { options: &[], peak: 4, best: 5 },
    evidence: Evidence::Stated("evidence.arithmetic"),
    group: Group::Reference,
    ..Info::BASE
};

impl LowerBound {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for LowerBound {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, _: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        probe.event(Event::Finalize);
        let mut plan = Plan::empty(problem);
        for memory in problem.memories.ids() {
            let of_memory = |id: BufferId| problem.buffers[id].memory == memory;
            let MemoryId(index) = memory;
            plan.pools.push(Pool {
                name: format!("memory{index}"),
                size: lower_bound_of(problem, of_memory),
                device: problem.memories[memory].device.clone(),
                role: PoolRole::Figure,
            });
        }
        plan.unplanned = problem.buffers.ids().map(|id| (id, Unplanned::NoPlaces)).collect();
        Ok(plan)
    }
}
