//! Glow's memory allocator: buffers out of the largest load first, each at the lowest free address,
//! in up to three orders.
//!
//! **From**: pytorch/glow 05dd99b, `lib/CodeGen/MemoryAllocator.cpp`, `allocateAll`.
//! **Rule**: three strategies are tried in turn. *size* looks for the time of the largest load of
//! all that wait, the first of equals, and takes the largest buffer that is live there, of equal
//! ones the one that lives longer; *time* takes the one that lives longest, of equal ones the
//! larger; *order* takes buffers in order of allocation. Each buffer goes to the lowest address at
//! which it meets nobody that is live together with it. The first strategy that uses no more than
//! the largest load ends the search; else the best one counts, the first of equals. If one does not
//! fit into the memory, there is no plan.
//! **Time and alignment**: the original's clock counts allocations and frees; [`ops`] makes its
//! list from the graph. A buffer lives from its allocation to before its free, which overlaps as
//! half-open steps do. Sizes are rounded up to 64, option `align`, or to the largest alignment of a
//! buffer.
//! **Cost**: O((n + m) log n) for `m` pairs that live together. The original looks at all times for
//! every buffer and at all pairs of those placed: O(n³).
//! **Does badly**: what lies in the largest load is stacked first, and smaller loads inherit its
//! addresses as obstacles. Under a limit, a first strategy that does not fit hides that a later one
//! would.
//! **Differs**: each memory is planned by itself. With `branch_safe`, a buffer that no path of the
//! graph orders before the new one counts as if it still lived. The online `allocate` and
//! `deallocate` of the same class are first fit.

pub mod allocate;
pub mod ops;
#[cfg(test)]
mod tests;

use super::gap_fit::{self, Fit, Style};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner,
    Source, way,
};
use allocate::{Found, Range, allocate_all};
use memplan_core::base::{IdVec, MAX_SAFE, align_up};
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Decides, Event, Explanation, Note, Probe, StatePanel};
use ops::Ops;

/// Glow's memory allocator.
pub struct Glow;

/// The original takes any power of two: here up to a large page of an Arm.
const ALIGNMENTS: &[&str] = &[
    "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "4096", "8192", "16384", "32768",
    "65536",
];

const ALIGN: OptionSpec =
    OptionSpec { key: "align", original: "alignment", kind: OptionKind::Choice(ALIGNMENTS), default: "64" };
const LIMIT: OptionSpec = OptionSpec {
    key: "memory_limit",
    original: "memorySize",
    kind: OptionKind::Whole { min: 0, max: MAX_SAFE },
    default: "0",
};

static INFO: Info = Info {
    id: "glow",
    system: "Glow",
    name: "MemoryAllocator",
    source: Source {
        repository: "pytorch/glow",
        version: "05dd99b971dc5eeeb2b86a80c74dca800653d548",
        file: "lib/CodeGen/MemoryAllocator.cpp",
    },
    options: &[ALIGN, LIMIT, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    align: 64,
    example: "unet_512",
    group: Group::Historical,
    case: Case { options: &[], peak: 384, best: 320 },
    evidence: Evidence::Golden { system: "glow", planners: &["allocate_all"] },
    explanation: Explanation {
        functions: &[(Decides::Everything, "MemoryAllocator::allocateAll")],
        panels: &[StatePanel::WaitingLoad],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl Glow {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Glow {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let problem = input.problem;
        let asked = options.get(ALIGN.key).parse().unwrap_or(1);
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(asked, u64::max);
        let room = [Some(options.whole(LIMIT.key)).filter(|&limit| limit > 0), problem.capacity];
        let room = room.into_iter().flatten().min().unwrap_or(u64::MAX);
        let ops = Ops::of(input);
        let total = 4 * problem.buffers.len() as u64;
        let mut order: Vec<BufferId> = Vec::with_capacity(problem.buffers.len());
        let mut peaks: IdVec<BufferId, Option<Event>> = IdVec::from_elem(None, problem.buffers.len());
        if !problem.buffers.is_empty() {
            probe.event(Event::Note { note: Note::Rounds, subject: 0, a: align, b: 0 });
        }
        for memory in problem.memories.ids() {
            let (ids, ranges, steps) = ranges(input, &ops, memory, align);
            let bars = |placed: u32, new: u32| {
                let (placed, new) = (ids[placed as usize], ids[new as usize]);
                !problem.buffers[placed].live.meets(problem.buffers[new].live) && !branches.allow(placed, new)
            };
            let bars: Option<allocate::Bars> = if branches.is_on() { Some(&bars) } else { None };
            let done = order.len() as u64;
            let found = allocate_all(&ranges, room, bars, &mut |placed| probe.pulse(done + placed, total));
            let found = found.map_err(|_| PlanError::Cancelled)?;
            let Some(kept) = found.kept else { return Err(over(&found, room)) };
            if ids.is_empty() {
                continue;
            }
            report(&found, kept, probe);
            for turn in &found.tried[kept].turns {
                let id = ids[turn.range as usize];
                peaks[id] = turn.peak.map(|(time, load)| {
                    let step = steps[time as usize];
                    Event::Note { note: Note::WaitingPeak, subject: step, a: load, b: 0 }
                });
                order.push(id);
            }
        }
        let style = Style { fit: Fit::Lowest, align, pads: true, pairs: None };
        gap_fit::plan_with_notes(input, options, order, &style, |id| peaks[id], probe)
    }
}

/// The buffers of a memory in order of allocation, their ranges, and the step of each time.
fn ranges(input: Input, ops: &Ops, memory: MemoryId, align: u64) -> (Vec<BufferId>, Vec<Range>, Vec<u32>) {
    let buffers = &input.problem.buffers;
    let mut number: IdVec<BufferId, usize> = IdVec::from_elem(0, buffers.len());
    let (mut ids, mut ranges, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for &(id, begins) in ops.list.iter().filter(|(id, _)| buffers[*id].memory == memory) {
        let time = steps.len() as u32;
        if begins {
            number[id] = ids.len();
            ids.push(id);
            ranges.push(Range { start: time, end: 0, size: align_up(buffers[id].size, align) });
            steps.push(buffers[id].live.start);
        } else {
            ranges[number[id]].end = time;
            steps.push(buffers[id].live.end - 1);
        }
    }
    (ids, ranges, steps)
}

/// The strategies tried, the one kept, and how far it is from the bound.
fn report(found: &Found, kept: usize, probe: &mut dyn Probe) {
    let mut note = |note, subject, a, b| probe.event(Event::Note { note, subject, a, b });
    for tried in &found.tried {
        note(Note::TryWay, way(tried.strategy.name()), tried.used, 0);
    }
    let best = &found.tried[kept];
    note(Note::KeepWay, way(best.strategy.name()), best.used, 0);
    if best.used == found.bound {
        note(Note::AtBound, 0, best.used, 0)
    } else {
        note(Note::AboveBound, 0, best.used, found.bound)
    }
}

/// The refusal: what the last strategy needs, or the largest load if none was tried.
fn over(found: &Found, room: u64) -> PlanError {
    PlanError::OverCapacity { need: found.tried.last().map_or(found.bound, |tried| tried.used), have: room }
}
