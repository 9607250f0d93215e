//! Shared objects, greedy by breadth: the buffers of the busiest step first, each into the object
//! that wastes least.
//!
//! **From**: tensorflow/tensorflow 342e577,
//! `tensorflow/lite/delegates/gpu/common/memory_management/ greedy_by_breadth_assignment.cc`,
//! `GreedyByBreadthAssignment`.
//! **Rule**: steps by breadth, the sum of the sizes alive, broad before narrow, equal ones earlier
//! first; inside a step large before small, equal sizes by position in the input; each buffer at
//! the first of its steps. Of the objects free for its whole life the smallest that is large
//! enough; if all are too small, the largest of them, which is enlarged; the oldest of equals. None
//! is free: a new one.
//! **Time, cost, does badly**: see the folder. Objects made for the busiest step are enlarged later
//! by wider but lonelier buffers, and each enlargement adds to the total for the whole run.
//! **Differs**: the original leaves the order of equal breadths and equal sizes to an unstable
//! sort.

use super::{Objects, pulse};
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, Options, PlanError, Planner, Source, orders,
};
use memplan_core::plan::Plan;
use memplan_core::trace::{Decides, Event, Explanation, Probe, StatePanel};

/// Shared objects by breadth.
pub struct ByBreadth;

static INFO: Info = Info {
    id: "shared-objects-by-breadth",
    system: "TFLite GPU",
    name: "GreedyByBreadthAssignment",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "342e577",
        file: "tensorflow/lite/delegates/gpu/common/memory_management/greedy_by_breadth_assignment.cc",
    },
    needs: Needs::Intervals,
    options: &[BRANCH_SAFE],
    complexity: Complexity::SortedObjects,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 5, best: 4 },
    evidence: Evidence::Stated("evidence.shared-objects"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "GreedyByBreadthAssignment")],
        panels: &[StatePanel::SharedObjects],
        ..Explanation::USUAL
    },
    group: Group::Classic,
    storages: true,
    ..Info::BASE
};

impl ByBreadth {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for ByBreadth {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let mut objects = Objects::new(input, options)?;
        let order = orders::by_breadth_with_notes(input.problem);
        for (decision, &(id, note)) in order.iter().enumerate() {
            pulse(decision, order.len(), probe)?;
            probe.event(Event::Begin { buffer: id });
            probe.event(note);
            let chosen = objects.smallest_that_fits(id).or_else(|| objects.largest_that_is_too_small(id));
            let detail = probe.wants_detail(decision as u32);
            objects.take(id, chosen, None, detail, probe);
        }
        Ok(objects.into_plan())
    }
}
