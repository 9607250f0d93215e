//! Vela's greedy planner: in order of birth, each range in the tightest gap between those alive.
//!
//! **From**: pip package `ethos-u-vela` 5.2.0, `ethosu/vela/greedy_allocation.py`.
//! **Rule**: ranges by start, then later end, then smaller size, then name. Ranges that ended
//! before the start are dropped. Between those left, by address, the gap whose end is nearest to
//! its aligned start is taken if the size, rounded up to the alignment, fits; the lowest of equal
//! ones. Else the range goes above the highest end.
//! **Time and alignment**: the original counts the last time as part of the range; half-open steps
//! end one later. Addresses are multiples of 16 (option `align`) or of the range's own alignment.
//! **Cost**: `O(n l)`, each range against those alive; with `branch_safe` against all that were
//! placed before.
//! **Does badly**: what is born first lies lowest and is never moved. Sizes 48, 16, 64 live [0,2),
//! [1,4), [2,4): 16 goes on top of 48, and 64, for which the 48 bytes below are too few, on top of
//! both: 128 bytes instead of 80.
//! **Differs**: ranges of equal names, which the original orders at random, keep the order of the
//! input. After a range without bytes the original may put the next one on live bytes; so does the
//! planner if `guard_empty` is off. With `branch_safe`, a range that no path of the graph orders
//! before the new one counts as if it still lived.

use super::{ALIGN, ranges, source};
use crate::arenas::Arenas;
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner,
};
use memplan_core::base::{IdVec, align_up};
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Decides, Event, Explanation, Outcome, Probe, Verdict};
use std::cmp::Reverse;

/// Vela's greedy planner.
pub struct VelaGreedy;

/// Whether a range without bytes lets later ones begin below the end of another that is alive.
const GUARD: OptionSpec =
    OptionSpec { key: "guard_empty", original: "guard_empty", kind: OptionKind::Flag, default: "true" };

static INFO: Info = Info {
    id: "vela-greedy",
    system: "Arm Vela",
    name: "Greedy",
    source: source("ethosu/vela/greedy_allocation.py"),
    options: &[ALIGN, GUARD, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    align: 16,
    sweeps: true,
    example: "diamond",
    case: Case { options: &[], peak: 128, best: 80 },
    evidence: Evidence::Golden { system: "vela", planners: &["greedy"] },
    explanation: Explanation { functions: &[(Decides::Everything, "GreedyAllocator.alloc")], ..Explanation::USUAL },
    ..Info::BASE
};

impl VelaGreedy {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// A range that has its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    address: u64,
    /// Its turn among all, which decides between equal addresses as start, end, size and name do.
    turn: (u32, u32, u64),
    end: u64,
    id: BufferId,
}

/// A free place: where the range would begin, where it ends; the end of the one above all is
/// `u64::MAX`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Gap {
    start: u64,
    address: u64,
    end: u64,
}

impl Planner for VelaGreedy {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = crate::branches(input, options)?;
        let problem = input.problem;
        let order = order(input);
        let guards = options.flag(GUARD.key);
        let all: Vec<BufferId> = problem.buffers.ids().collect();
        let ranges = ranges(problem, &all, options);
        let mut live: IdVec<MemoryId, Vec<Placed>> = IdVec::from_elem(Vec::new(), problem.memories.len());
        let mut arenas = Arenas::new(problem);
        for (decision, &id) in order.iter().enumerate() {
            if probe.pulse(decision as u64, order.len() as u64).is_break() {
                return Err(PlanError::Cancelled);
            }
            probe.event(Event::Begin { buffer: id });
            let range = &ranges[id.0 as usize];
            let live = &mut live[problem.buffers[id].memory];
            let ends = |placed: &Placed| ranges[placed.id.0 as usize].end < range.start;
            live.retain(|placed| {
                let is_kept = !ends(placed) || branches.is_on();
                if !is_kept {
                    probe.event(Event::Release { buffer: placed.id });
                }
                is_kept
            });
            let is_in_the_way = |placed: &&Placed| !ends(placed) || !branches.allow(placed.id, id);
            let near: Vec<Placed> = live.iter().filter(is_in_the_way).copied().collect();
            let gaps = gaps(&near, range.align, guards);
            let size = align_up(range.size, range.align);
            let fits = |gap: &&Gap| gap.end != u64::MAX && gap.address + size <= gap.end;
            let tightest = gaps.iter().filter(fits).min_by_key(|gap| (gap.end - gap.address, gap.address));
            let top = gaps[gaps.len() - 1];
            let chosen = tightest.copied().unwrap_or(top);
            if probe.wants_detail(decision as u32) {
                for gap in gaps.iter().filter(|gap| gap.start < gap.end || **gap == chosen) {
                    let is_fit = fits(&gap);
                    let verdict = if *gap == chosen {
                        Verdict::Chosen
                    } else if is_fit || gap.end == u64::MAX {
                        Verdict::Fits
                    } else {
                        Verdict::TooSmall
                    };
                    let room = if gap.end == u64::MAX { u64::MAX } else { gap.end - gap.start };
                    probe.event(Event::Block { verdict, offset: gap.start, room });
                }
            }
            let outcome = if chosen == top { Outcome::AtEnd } else { Outcome::Gap };
            arenas.place(id, chosen.address, outcome, probe);
            let turn = (range.start, range.end, range.size);
            live.push(Placed { address: chosen.address, turn, end: chosen.address + range.size, id });
            live.sort_unstable();
        }
        Ok(arenas.into_plan())
    }
}

/// Buffers by start, later end, smaller size, name.
fn order(input: Input) -> Vec<BufferId> {
    let buffers = &input.problem.buffers;
    let mut order: Vec<BufferId> = buffers.ids().collect();
    order.sort_by(|&a, &b| {
        let key = |id: BufferId| {
            let buffer = &buffers[id];
            (buffer.live.start, Reverse(buffer.live.end), buffer.size, &buffer.name, id)
        };
        key(a).cmp(&key(b))
    });
    order
}

/// The gaps between ranges by address, the unbounded one last. The original takes the end of the
/// range passed last for the highest one so far, which is lower after a range without bytes that
/// lies at the start of another: with `guards` it never falls.
fn gaps(near: &[Placed], align: u64, guards: bool) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut top = 0;
    for placed in near {
        let address = align_up(top, align);
        if address <= placed.address {
            gaps.push(Gap { start: top, address, end: placed.address });
        }
        top = if guards { top.max(placed.end) } else { placed.end };
    }
    let top = near.iter().map(|placed| placed.end).max().unwrap_or(0);
    gaps.push(Gap { start: top, address: align_up(top, align), end: u64::MAX });
    gaps
}
