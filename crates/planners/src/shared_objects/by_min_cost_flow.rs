//! Shared objects by a flow of minimum cost: who takes over from whom is chosen for all buffers
//! together.
//!
//! **From**: tensorflow/tensorflow 25227c9,
//! `tensorflow/lite/delegates/gpu/common/memory_management/ min_cost_flow_assignment.cc`,
//! `MinCostFlowAssignment`.
//! **Rule**: a new object costs the size of the buffer that begins it; to take over from a buffer
//! that is dead by then costs the bytes by which the taker is larger. Every buffer gives to one
//! taker at most. Of all ways to choose takers, one with the least cost in all. Chains of buffers
//! that take over from each other are the objects, each as large as its largest member.
//! **Time and alignment**: see the folder. Every memory has a flow of its own.
//! **Cost**: at worst `O(n^3)`: every buffer that comes may make all earlier ones change, and each
//! of these looks at all donors. So it is run for up to [`MOST_BUFFERS`] buffers.
//! **Does badly**: its cost only approximates the memory. A chain that falls and rises again pays
//! for the rise again: 10, 1 and 10 one after the other cost 19 in one object of 10, so the 1 gets
//! an object of its own: 11.
//! **Differs**: of several ways of the same cost the original takes the one that its queue of
//! vertices meets; here takers come in order of birth, a path to a donor is preferred to a new
//! object, a free donor to one that is taken, a small one to a large one. The original has no
//! limit, and its costs overflow at 2 GiB.

use super::flow::Flow;
use super::{Objects, pulse};
use crate::free_list::births;
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, NotApplicable, Options, PlanError, Planner,
    Source,
};
use memplan_core::base::IdVec;
use memplan_core::plan::{Plan, PoolId};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Decides, Event, Explanation, Note, Probe, Sentences, StatePanel, Verdict};

/// Most buffers that it is run for.
pub const MOST_BUFFERS: usize = 5_000;

/// Shared objects by a flow of minimum cost.
pub struct ByMinCostFlow;

static INFO: Info = Info {
    id: "shared-objects-by-min-cost-flow",
    system: "TFLite GPU",
    name: "MinCostFlowAssignment",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "25227c9",
        file: "tensorflow/lite/delegates/gpu/common/memory_management/min_cost_flow_assignment.cc",
    },
    needs: Needs::Intervals,
    options: &[BRANCH_SAFE],
    complexity: Complexity::Cubic,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 11, best: 10 },
    evidence: Evidence::Stated("evidence.min-cost-flow"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "MinCostFlowAssignment")],
        sentences: Sentences::Flow,
        panels: &[StatePanel::SharedObjects],
        ..Explanation::USUAL
    },
    group: Group::Classic,
    storages: true,
    ..Info::BASE
};

impl ByMinCostFlow {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for ByMinCostFlow {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let count = problem.buffers.len();
        if count > MOST_BUFFERS {
            let limit = MOST_BUFFERS as u64;
            return Err(PlanError::NotApplicable(NotApplicable::TooManyBuffers { limit }));
        }
        let mut objects = Objects::new(input, options)?;
        let order = births(problem, "index");
        let donors = donors(&objects, &order, probe)?;
        for (decision, &id) in order.iter().enumerate() {
            pulse(count + decision, 2 * count, probe)?;
            probe.event(Event::Begin { buffer: id });
            let size = problem.buffers[id].size;
            let chosen: Option<PoolId> = donors[id].and_then(|donor| {
                let rise = size.saturating_sub(problem.buffers[donor].size);
                probe.event(Event::Note { note: Note::FlowFrom, subject: id.0, a: donor.0.into(), b: rise });
                objects.places[donor].map(|place| place.pool)
            });
            if chosen.is_none() {
                probe.event(Event::Note { note: Note::FlowNew, subject: id.0, a: size, b: 0 });
            }
            let detail = probe.wants_detail(decision as u32);
            objects.take(id, chosen, Some(Verdict::Fits), detail, probe);
        }
        Ok(objects.into_plan())
    }
}

/// Returns the buffer that each one takes over from, and reports the steps of the flow.
fn donors(
    objects: &Objects,
    order: &[BufferId],
    probe: &mut dyn Probe,
) -> Result<IdVec<BufferId, Option<BufferId>>, PlanError> {
    let problem = objects.problem;
    let mut donors = IdVec::from_elem(None, problem.buffers.len());
    let mut done = 0;
    let mut total = 0u64;
    for memory in problem.memories.ids() {
        let here: Vec<BufferId> = order.iter().copied().filter(|&id| problem.buffers[id].memory == memory).collect();
        let mut flow = Flow::new(problem, &objects.branches, here.iter().copied());
        for &id in &here {
            pulse(done, 2 * order.len(), probe)?;
            done += 1;
            let path = flow.add(id);
            total = total.saturating_add(path.cost);
            if path.changed > 0 {
                probe.event(Event::Note { note: Note::FlowPath, subject: id.0, a: path.cost, b: path.changed.into() });
            }
        }
        here.iter().for_each(|&id| donors[id] = flow.donor(id));
    }
    let reused = donors.iter().flatten().count() as u64;
    probe.event(Event::Note { note: Note::FlowCost, subject: 0, a: total, b: reused });
    Ok(donors)
}
