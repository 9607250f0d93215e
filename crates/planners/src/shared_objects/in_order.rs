//! Shared objects in order of birth: each buffer takes the free object whose size differs least
//! from its own.
//!
//! **From**: tensorflow/tensorflow 637eae5,
//! `tensorflow/lite/delegates/gpu/common/memory_management/ greedy_in_order_assignment.h`,
//! `GreedyInOrderAssignment` without a graph of reallocations.
//! **Rule**: start of life, ties by position in the input. Of the objects that stand free: the
//! smallest that is large enough, or the largest that is too small, whichever differs less from the
//! size asked for; the large enough one wins a tie. Among objects of one size the oldest large
//! enough one, the youngest too small one. A too small one is enlarged. None is free: a new one.
//! **Time and alignment**: see the folder. An object stands free once its last member is dead.
//! **Cost**: `O(n log n)`, by an ordered set of the free objects; with `branch_safe` the free ones
//! are walked.
//! **Does badly**: it cannot wait. A of 10 [0,1), B of 1 [1,2), C of 10 [1,2): B takes A's object,
//! since no other is free, and C opens one of 10: 20 in all. With C before B it is 11.
//! **Differs**: the original takes the order of its input for the order of birth.

use std::collections::BTreeSet;

use super::{Objects, pulse};
use crate::free_list::births;
use crate::{BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, Options, PlanError, Planner, Source};
use memplan_core::base::IdVec;
use memplan_core::plan::{Plan, PoolId};
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Decides, Event, Explanation, Probe, StatePanel, Verdict};

/// Shared objects in order of execution.
pub struct InOrder;

static INFO: Info = Info {
    id: "shared-objects-in-order",
    system: "TFLite GPU",
    name: "GreedyInOrderAssignment",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "637eae5",
        file: "tensorflow/lite/delegates/gpu/common/memory_management/greedy_in_order_assignment.h",
    },
    needs: Needs::Intervals,
    options: &[BRANCH_SAFE],
    complexity: Complexity::Sorting,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 20, best: 11 },
    evidence: Evidence::Stated("evidence.shared-objects"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "GreedyInOrderAssignment")],
        panels: &[StatePanel::SharedObjects],
        ..Explanation::USUAL
    },
    group: Group::Classic,
    storages: true,
    ..Info::BASE
};

impl InOrder {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for InOrder {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let mut objects = Objects::new(input, options)?;
        let mut deaths: Vec<BufferId> = problem.buffers.ids().collect();
        deaths.sort_by_key(|&id| (problem.buffers[id].live.end, id));
        let mut deaths = deaths.into_iter().peekable();
        let mut free: IdVec<MemoryId, BTreeSet<(u64, PoolId)>> =
            IdVec::from_elem(BTreeSet::new(), problem.memories.len());
        let order = births(problem, "index");
        for (decision, &id) in order.iter().enumerate() {
            pulse(decision, order.len(), probe)?;
            probe.event(Event::Begin { buffer: id });
            let buffer = &problem.buffers[id];
            while let Some(dead) = deaths.next_if(|&dead| problem.buffers[dead].live.end <= buffer.live.start) {
                probe.event(Event::Release { buffer: dead });
                if let Some(place) = objects.places[dead] {
                    free[problem.buffers[dead].memory].insert((objects.all[place.pool].size, place.pool));
                }
            }
            let free = &mut free[buffer.memory];
            let chosen = nearest(free, &objects, id);
            if let Some(object) = chosen {
                free.remove(&(objects.all[object].size, object));
            }
            let detail = probe.wants_detail(decision as u32);
            objects.take(id, chosen, Some(Verdict::Farther), detail, probe);
        }
        Ok(objects.into_plan())
    }
}

/// The free object whose size differs least.
fn nearest(free: &BTreeSet<(u64, PoolId)>, objects: &Objects, id: BufferId) -> Option<PoolId> {
    let size = objects.problem.buffers[id].size;
    let open = |candidate: &&(u64, PoolId)| objects.is_free(candidate.1, id);
    let enough = free.range((size, PoolId(0))..).find(open);
    let small = free.range(..(size, PoolId(0))).rev().find(open);
    match (enough, small) {
        (Some(enough), Some(small)) if size - small.0 < enough.0 - size => Some(small.1),
        (enough, small) => enough.or(small).map(|candidate| candidate.1),
    }
}
