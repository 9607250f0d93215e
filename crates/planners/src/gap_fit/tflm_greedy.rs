//! TensorFlow Lite for Microcontrollers: large before small, each into the lowest gap.
//!
//! **From**: tensorflow/tflite-micro 17bebc0,
//! `tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc`, `CalculateOffsetsIfNeeded`.
//! **Rule**: large before small; the original sorts a list that it filled from the back, and its
//! sort is stable, so equal sizes come in reverse order of the input. The first gap in order of
//! address that is large enough; none: above the highest neighbour. With `fixed`, buffers with a
//! stated position (an offline plan) come before all others and stay there.
//! **Time and alignment**: the original counts times of use, both ends included; the graph's
//! half-open steps mean the same. Its caller rounds every size up to option `align` (16 bytes
//! unless changed) before it is sorted, so offsets are multiples.
//! **Cost**: see the folder; the original's sort and walks are `O(n^2)` each.
//! **Does badly**: as greedy by size, and it cuts a large low gap although a snug one lies above.
//! With gaps of 8 at 0 and of 5 at 12, a buffer of 5 goes to 0, and of the two buffers of 4 after
//! it one goes on top; in the snug gap it would leave room for both.
//! **Differs**: buffers of 0 bytes get offset 0.

use std::cmp::Reverse;

use super::{Fit, Style};
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, FIXED, Info, Input, Needs, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source,
};
use memplan_core::base::align_up;
use memplan_core::plan::Plan;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Decides, Explanation, Probe};

/// TFLM's greedy planner.
pub struct TflmGreedy;

/// `MicroArenaBufferAlignment` of the original.
const ALIGN: u64 = 16;

static INFO: Info = Info {
    id: "tflm-greedy",
    system: "TFLM",
    name: "GreedyMemoryPlanner",
    source: Source {
        repository: "tensorflow/tflite-micro",
        version: "17bebc0",
        file: "tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc",
    },
    needs: Needs::Intervals,
    options: &[
        OptionSpec {
            key: "align",
            original: "MicroArenaBufferAlignment",
            kind: OptionKind::Choice(&["1", "4", "16"]),
            default: "16",
        },
        FIXED,
        BRANCH_SAFE,
    ],
    complexity: Complexity::Pairs,
    align: ALIGN,
    sweeps: false,
    ranked: true,
    example: "mobilenet_v2",
    case: Case { options: &[], peak: 176, best: 144 },
    evidence: Evidence::Stated("evidence.gap-fit"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "GreedyMemoryPlanner::CalculateOffsetsIfNeeded")],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl TflmGreedy {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for TflmGreedy {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let align = options.whole("align").max(1);
        let mut order: Vec<BufferId> = input.problem.buffers.ids().collect();
        order.sort_by_key(|&id| {
            let buffer = &input.problem.buffers[id];
            (Reverse(align_up(buffer.size, buffer.align.max(align))), Reverse(id))
        });
        super::plan(input, options, order, &Style { fit: Fit::Lowest, align, pads: true, pairs: None }, probe)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan_of;
    use crate::testing::{buffer, problem};

    #[test]
    fn equal_sizes_come_in_reverse_order() {
        let problem = problem(vec![buffer("a", 16, 0, 2), buffer("b", 16, 0, 2), buffer("c", 32, 0, 2)]);
        let (plan, order) = plan_of("tflm-greedy", &problem, &[]);
        assert_eq!((order, plan), (vec!["c", "b", "a"], vec![48, 32, 0]));
    }

    #[test]
    fn sizes_are_rounded_up_before_they_are_compared() {
        let problem = problem(vec![buffer("a", 10, 0, 2), buffer("b", 16, 0, 2)]);
        assert_eq!(plan_of("tflm-greedy", &problem, &[]), (vec![16, 0], vec!["b", "a"]));
        // As they are, 16 is larger than 10 as well; but 9 comes before 10 when both are rounded to
        // 16.
        let problem = crate::testing::problem(vec![buffer("ten", 10, 0, 2), buffer("nine", 9, 0, 2)]);
        assert_eq!(plan_of("tflm-greedy", &problem, &[]), (vec![16, 0], vec!["nine", "ten"]));
        assert_eq!(plan_of("tflm-greedy", &problem, &[("align", "1")]), (vec![0, 10], vec!["ten", "nine"]));
    }

    #[test]
    fn an_offline_plan_comes_first_and_stays() {
        let mut offline = buffer("offline", 16, 0, 2);
        offline.fixed = Some(32);
        let problem = problem(vec![buffer("large", 48, 0, 2), buffer("small", 16, 0, 2), offline]);
        let (plan, order) = plan_of("tflm-greedy", &problem, &[("fixed", "true")]);
        assert_eq!((order, plan), (vec!["offline", "large", "small"], vec![48, 0, 32]));
        assert_eq!(plan_of("tflm-greedy", &problem, &[]).1, ["large", "offline", "small"]);
    }
}
