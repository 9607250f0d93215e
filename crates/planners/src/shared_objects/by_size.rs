//! Shared objects, greedy by size: large buffers first, each into the smallest object that is free
//! for its life.
//!
//! **From**: Pisarchyk and Lee, *Efficient Memory Management for Deep Neural Net Inference*, arXiv
//! 2001.03288, shared objects.
//! **Rule**: large before small, equal sizes by start of life, then position in the input. The
//! smallest free object, the oldest of equals; since sizes only fall, every object is large enough.
//! None is free: a new one.
//! **Time, cost, does badly**: see the folder. By itself it is also blind to time: it fills an
//! object with whatever is large, and leaves gaps between lives that no later buffer spans.
//! **Differs**: the paper leaves ties open.

use super::{Objects, pulse};
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, Options, PlanError, Planner, Source, orders,
};
use memplan_core::plan::Plan;
use memplan_core::trace::{Event, Explanation, Probe, StatePanel};

/// Shared objects by size.
pub struct BySize;

static INFO: Info = Info {
    id: "shared-objects-by-size",
    system: "Pisarchyk & Lee",
    name: "shared objects by size",
    source: Source { repository: "", version: "arXiv 2001.03288", file: "" },
    needs: Needs::Intervals,
    options: &[BRANCH_SAFE],
    complexity: Complexity::SortedObjects,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 15, best: 10 },
    evidence: Evidence::Stated("evidence.shared-objects"),
    explanation: Explanation { panels: &[StatePanel::SharedObjects], ..Explanation::USUAL },
    group: Group::Classic,
    storages: true,
    ..Info::BASE
};

impl BySize {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for BySize {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let mut objects = Objects::new(input, options)?;
        let order = orders::by_size_and_start(input.problem);
        for (decision, &id) in order.iter().enumerate() {
            pulse(decision, order.len(), probe)?;
            probe.event(Event::Begin { buffer: id });
            let detail = probe.wants_detail(decision as u32);
            objects.take(id, objects.smallest_that_fits(id), None, detail, probe);
        }
        Ok(objects.into_plan())
    }
}
