//! Greedy by breadth: the buffers of the busiest step first, each into the tightest gap.
//!
//! **From**: Pisarchyk and Lee, *Efficient Memory Management for Deep Neural Net Inference*, arXiv
//! 2001.03288, offset calculation.
//! **Rule**: steps by breadth, the sum of the sizes alive, broad before narrow, equal ones earlier
//! first. Inside a step large before small, equal sizes by position in the input; each buffer at
//! the first of its steps. The smallest gap that is large enough, the lowest of equals; none: above
//! the highest neighbour.
//! **Time and alignment**: half-open steps of the graph. Offsets are multiples of the buffer's own
//! alignment. Every memory has breadths of its own.
//! **Cost**: see the folder; the order itself takes `O((n + steps) log n)`.
//! **Does badly**: away from the busiest step large buffers meet a field of small ones that it left
//! behind. Where sizes are mixed it reaches 1.5 to 1.7 times the bound on the hard set of
//! MiniMalloc, where size order reaches 1.3 to 1.4.
//! **Differs**: the paper leaves ties open.

use super::{Fit, Style};
use crate::{
    BRANCH_SAFE, Case, Complexity, Contender, Evidence, FIXED, Group, Info, Input, Needs, Options, PlanError, Planner,
    Source, Work, orders,
};
use memplan_core::base::IdVec;
use memplan_core::plan::Plan;
use memplan_core::trace::Probe;

/// Greedy by breadth, with offsets.
pub struct GreedyByBreadth;

static INFO: Info = Info {
    id: "greedy-by-breadth",
    system: "Pisarchyk & Lee",
    name: "greedy by breadth",
    source: Source { repository: "", version: "arXiv 2001.03288", file: "" },
    needs: Needs::Intervals,
    options: &[FIXED, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "diamond",
    case: Case { options: &[], peak: 12, best: 7 },
    evidence: Evidence::Stated("evidence.gap-fit"),
    contender: Some(Contender { turn: 4, work: Work::Passes(1) }),
    group: Group::Classic,
    ..Info::BASE
};

impl GreedyByBreadth {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for GreedyByBreadth {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let style = Style { fit: Fit::Tightest, align: 1, pads: false, pairs: None };
        let emitted = orders::by_breadth_with_notes(input.problem);
        let mut notes = IdVec::from_elem(None, input.problem.buffers.len());
        emitted.iter().for_each(|&(id, note)| notes[id] = Some(note));
        let order = emitted.into_iter().map(|(id, _)| id).collect();
        super::plan_with_notes(input, options, order, &style, |id| notes[id], probe)
    }
}
