//! Places buffers in the order in which they are born, each in a free block of an arena, and never
//! moves one. First fit takes the lowest block that is large enough, best fit the smallest, worst
//! fit the largest.
//!
//! **From**: the classic policies of dynamic storage allocation (Knuth, *The Art of Computer
//! Programming* 1, section 2.5), applied to live ranges known beforehand.
//! **Rule**: order: start of life; ties by option `tie`: position in the input, larger size first,
//! or longer life first. Fit: blocks are joined as soon as neighbours are free. Of the blocks
//! between buffers the policy picks one that is large enough, equal ones by lowest address, and the
//! buffer takes its low end; the rest stays free. The unbounded block above the highest live buffer
//! is the last resort and is never compared by length: under worst fit it would always win, under
//! best fit always lose. Option `tail = bounded` lets the part of it below the highest address
//! reached so far take part. Size 0 takes no block. With `fixed`, positions that the input states
//! are kept, and nobody else is put on those bytes while their owner lives. With `branch_safe`, a
//! dead buffer that no path of the graph orders before the new one counts as if it still lived.
//! **Time and alignment**: half-open steps: a buffer that ends at a step is free for one that
//! starts there. A size is rounded up to the buffer's own alignment and its offset is a multiple of
//! it; bytes skipped to reach one stay free.
//! **Cost**: `O(n log n)`, by a tree of longest blocks over addresses (first fit) or an ordered set
//! of lengths (best, worst). Each stated position that a buffer must avoid costs a walk over the
//! free blocks; with `branch_safe` each buffer costs one over all bytes used so far.
//! **Does badly**: a small buffer that outlives its neighbours splits the arena. Sizes 4, 1, 4 are
//! born together at 0, 4, 5; both 4s die and 8 is born. Below the 1 there are only 4 bytes, so 8
//! goes to 5 and the peak is 13. With the 1 at address 0 it would be 9, the lower bound.

mod arena;
mod block;
mod chain;
mod length_tree;
mod obstacles;
mod parallel;
mod run;
#[cfg(test)]
mod tests;

use super::{
    BRANCH_SAFE, Case, Complexity, Contender, Evidence, FIXED, Group, Info, Input, Needs, OptionKind, OptionSpec,
    Options, PlanError, Planner, Source, Work,
};
use memplan_core::plan::Plan;
use memplan_core::trace::Probe;

pub(super) use run::births;

/// Which of the blocks that are large enough is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    First,
    Best,
    Worst,
}

/// First fit: the lowest free block that is large enough.
pub struct FirstFit;
/// Best fit: the smallest free block that is large enough.
pub struct BestFit;
/// Worst fit: the largest free block.
pub struct WorstFit;

static OPTIONS: &[OptionSpec] = &[
    OptionSpec { key: "tie", original: "tie", kind: OptionKind::Choice(&["index", "size", "long"]), default: "index" },
    OptionSpec { key: "tail", original: "tail", kind: OptionKind::Choice(&["top", "bounded"]), default: "top" },
    FIXED,
    BRANCH_SAFE,
];

const fn info(id: &'static str, name: &'static str, turn: u8, example: &'static str, (peak, best): (u64, u64)) -> Info {
    Info {
        id,
        system: "free list",
        name,
        source: Source { repository: "", version: "", file: "" },
        needs: Needs::Intervals,
        options: OPTIONS,
        complexity: Complexity::Sorting,
        align: 1,
        sweeps: true,
        ranked: true,
        example,
        case: Case { options: &[], peak, best },
        evidence: Evidence::Stated("evidence.textbook"),
        contender: Some(Contender { turn, work: Work::Passes(0) }),
        group: Group::Classic,
        ..Info::BASE
    }
}

/// Name of first fit in links, files and on the command line.
pub const FIRST_FIT_ID: &str = "first-fit";

static FIRST_FIT: Info = info(FIRST_FIT_ID, "first fit", 2, "diamond", (13, 9));
static BEST_FIT: Info = info("best-fit", "best fit", 1, "resnet18", (13, 9));
static WORST_FIT: Info = info("worst-fit", "worst fit", 3, "resnet18_train_b8", (17, 11));

impl FirstFit {
    /// Its data sheet.
    pub const INFO: &'static Info = &FIRST_FIT;
}

impl Planner for FirstFit {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        run::plan(input, Fit::First, options, probe)
    }
}

impl BestFit {
    /// Its data sheet.
    pub const INFO: &'static Info = &BEST_FIT;
}

impl Planner for BestFit {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        run::plan(input, Fit::Best, options, probe)
    }
}

impl WorstFit {
    /// Its data sheet.
    pub const INFO: &'static Info = &WORST_FIT;
}

impl Planner for WorstFit {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        run::plan(input, Fit::Worst, options, probe)
    }
}
