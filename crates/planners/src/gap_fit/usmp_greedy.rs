//! TVM's unified static memory planner, its two greedy algorithms: by size, and by how many others
//! are alive at the same time. Neither fills gaps.
//!
//! **From**: apache/tvm 08c3cb1, `src/tir/usmp/algo/greedy.cc`, `GreedySize` and `GreedyConflicts`
//! over `GreedyBase::PostSortAllocation`.
//! **Rule**: by size: large before small, equal ones with more conflicts first. By conflicts: more
//! conflicts first, equal ones larger first. What is still equal goes by name, the last in order of
//! bytes first. A buffer goes above the highest of those already placed that conflict with it, even
//! if there is room below.
//! **Time and alignment**: a conflict is another buffer of the same memory alive at some common
//! step. An offset is the neighbour's end rounded up to the neighbour's own alignment.
//! **Cost**: see the folder; conflicts are counted in `O(n log n)`. The original's lists of
//! conflicts take `O(n^2)`.
//! **Does badly**: gaps stay empty. Sizes 4, 3, 2 live [0,1), [0,2), [1,2): 4 goes to 0, 3 to 4,
//! and 2 above it to 7: the peak is 9 although the 4 bytes at 0 are free again; the bound is 7. By
//! conflicts the 3 comes first and the peak is 7, yet on the hard set of MiniMalloc that order is
//! the worst of all, up to 3.2 times the bound.
//! **Differs**: one arena a memory, without the size hints that can refuse a pool. Where alignments
//! differ, the offset is rounded up to the buffer's own as well, which the original forgets. Size 0
//! is in nobody's way.

use std::cmp::Reverse;

use super::{Fit, Style};
use crate::{
    BRANCH_SAFE, Case, Complexity, Contender, Evidence, FIXED, Group, Info, Input, Needs, Options, PlanError, Planner,
    Source, Work, orders,
};
use memplan_core::base::IdVec;
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Decides, Explanation, Outcome, Probe, Sentences};

/// TVM USMP: greedy by size.
pub struct UsmpGreedyBySize;
/// TVM USMP: greedy by conflicts.
pub struct UsmpGreedyByConflicts;

const fn info(id: &'static str, name: &'static str, turn: u8, (peak, best): (u64, u64)) -> Info {
    Info {
        id,
        system: "TVM USMP",
        name,
        source: Source { repository: "apache/tvm", version: "08c3cb1", file: "src/tir/usmp/algo/greedy.cc" },
        needs: Needs::Intervals,
        options: &[FIXED, BRANCH_SAFE],
        complexity: Complexity::Pairs,
        align: 1,
        sweeps: false,
        ranked: true,
        example: "mobilenet_v2",
        case: Case { options: &[], peak, best },
        evidence: Evidence::Stated("evidence.gap-fit"),
        contender: Some(Contender { turn, work: Work::Passes(1) }),
        explanation: Explanation {
            functions: &[(Decides::Everything, "GreedyBase::PostSortAllocation")],
            sentences: Sentences::Stacked,
            headlines: &[Outcome::AtEnd],
            ..Explanation::USUAL
        },
        group: Group::Historical,
        ..Info::BASE
    }
}

static BY_SIZE: Info = info("usmp-greedy-by-size", "greedy_by_size", 6, (6, 5));
static BY_CONFLICTS: Info = info("usmp-greedy-by-conflicts", "greedy_by_conflicts", 7, (6, 4));

impl UsmpGreedyBySize {
    /// Its data sheet.
    pub const INFO: &'static Info = &BY_SIZE;
}

impl UsmpGreedyByConflicts {
    /// Its data sheet.
    pub const INFO: &'static Info = &BY_CONFLICTS;
}

impl Planner for UsmpGreedyBySize {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let conflicts = orders::conflicts(input.problem);
        let order = orders::by_size_and_conflicts(input.problem, &conflicts);
        let key = |id| Some(orders::conflicts_note(&conflicts, id));
        super::plan_with_notes(input, options, order, &STYLE, key, probe)
    }
}

impl Planner for UsmpGreedyByConflicts {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let conflicts = orders::conflicts(input.problem);
        let key = |id| Some(orders::conflicts_note(&conflicts, id));
        super::plan_with_notes(input, options, by_conflicts(input.problem, &conflicts), &STYLE, key, probe)
    }
}

static STYLE: Style = Style { fit: Fit::Above, align: 1, pads: true, pairs: None };

fn by_conflicts(problem: &Problem, conflicts: &IdVec<BufferId, u32>) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| {
        let buffer = &problem.buffers[id];
        (Reverse(conflicts[id]), Reverse(buffer.size), Reverse(buffer.name.as_str()), id)
    });
    order
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan_of;
    use super::*;
    use crate::testing::{buffer, problem};
    use memplan_core::problem::sample;

    #[test]
    fn gaps_stay_empty() {
        let problem = problem(vec![buffer("four", 4, 0, 1), buffer("three", 3, 0, 2), buffer("two", 2, 1, 2)]);
        assert_eq!(plan_of("usmp-greedy-by-size", &problem, &[]).0, [0, 4, 7]);
        assert_eq!(plan_of("usmp-greedy-by-conflicts", &problem, &[]), (vec![3, 0, 3], vec!["three", "four", "two"]));
    }

    #[test]
    fn ties_go_to_more_conflicts_then_to_the_later_name() {
        let problem = problem(vec![
            buffer("a", 4, 0, 1),
            buffer("c", 4, 0, 1),
            buffer("b", 4, 0, 1),
            buffer("wide", 4, 0, 2),
            buffer("x", 1, 1, 2),
        ]);
        assert_eq!(plan_of("usmp-greedy-by-size", &problem, &[]).1, ["wide", "c", "b", "a", "x"]);
        assert_eq!(plan_of("usmp-greedy-by-conflicts", &problem, &[]).1, ["wide", "c", "b", "a", "x"]);
    }

    #[test]
    fn the_end_of_a_neighbour_is_rounded_up_to_its_own_alignment() {
        let mut wide = buffer("wide", 10, 0, 1);
        wide.align = 8;
        let problem = problem(vec![wide, buffer("small", 4, 0, 1)]);
        assert_eq!(plan_of("usmp-greedy-by-size", &problem, &[]).0, [0, 16]);
    }

    #[test]
    fn conflicts_are_those_that_a_walk_over_all_counts() {
        let problem = sample(200, 5);
        let counted = orders::conflicts(&problem);
        for (id, buffer) in problem.buffers.enumerate() {
            let others =
                problem.buffers.enumerate().filter(|(other, there)| *other != id && there.live.meets(buffer.live));
            assert_eq!(counted[id] as usize, others.count());
        }
    }
}
