//! Greedy by size: large buffers first, each into the tightest gap.
//!
//! **From**: tensorflow/tensorflow 25227c9,
//! `tensorflow/lite/delegates/gpu/common/memory_management/ greedy_by_size_assignment.cc`,
//! `GreedyBySizeAssignment`; described by Pisarchyk and Lee, arXiv 2001.03288.
//! **Rule**: large before small, equal sizes by position in the input. The smallest gap that is
//! large enough, the lowest of equals; none: above the highest neighbour.
//! **Time and alignment**: a buffer lives from its maker to its last reader, both included; the
//! graph's steps mean the same with half-open ranges. Offsets are multiples of the buffer's own
//! alignment.
//! **Cost**: see the folder; the original walks all placed buffers for each, `O(n^2)`.
//! **Does badly**: size ignores time. Sizes 3, 2, 2, 1, 3 live [0,1), [0,2), [1,3), [2,3), [2,3):
//! both 3s go to 0, the first 2 on one of them to 3, the second 2 above it to 5, and the peak is 7.
//! With the first 2 at 0 it would be 6.
//! **Differs**: the original leaves the order of equal sizes to an unstable sort, and rounds the
//! ends of neighbours up to one alignment for all.

use super::{Fit, Style};
use crate::{
    BRANCH_SAFE, Case, Complexity, Contender, Evidence, FIXED, Group, Info, Input, Needs, Options, PlanError, Planner,
    Source, Work, orders,
};
use memplan_core::plan::Plan;
use memplan_core::trace::{Decides, Explanation, Probe};

/// TFLite GPU: greedy by size, with offsets.
pub struct GreedyBySize;

/// Name in links, files and on the command line.
pub const ID: &str = "greedy-by-size";

static INFO: Info = Info {
    id: ID,
    system: "TFLite GPU",
    name: "GreedyBySizeAssignment",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "25227c9",
        file: "tensorflow/lite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc",
    },
    needs: Needs::Intervals,
    options: &[FIXED, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "mobilenet_v2",
    case: Case { options: &[], peak: 11, best: 9 },
    evidence: Evidence::Stated("evidence.gap-fit"),
    contender: Some(Contender { turn: 0, work: Work::Passes(1) }),
    explanation: Explanation { functions: &[(Decides::Everything, "GreedyBySizeAssignment")], ..Explanation::USUAL },
    group: Group::Classic,
    ..Info::BASE
};

impl GreedyBySize {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for GreedyBySize {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let style = Style { fit: Fit::Tightest, align: 1, pads: false, pairs: None };
        super::plan(input, options, orders::by_size(input.problem), &style, probe)
    }
}
