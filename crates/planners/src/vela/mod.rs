//! Planners of Arm Vela, the compiler for Ethos-U NPUs: a hill climb over orders of placement, and
//! a greedy one in order of birth.
//!
//! **From**: pip package `ethos-u-vela` 5.2.0, `ethosu/vela/hillclimb_allocation.py`,
//! `greedy_allocation.py` and `tensor_allocation.py`, the Python code; the compiled core `regor`
//! has a hill climb of its own, which is not this one. The package also has `LinearAlloc`, which
//! shares nothing: that is the planner `naive` with an alignment of 16, so it is no planner here.
//! **Rule of the hill climb**: ranges by the largest load during their life, then longer life,
//! earlier start, larger size. Each goes to the lowest aligned address clear of its neighbours. An
//! attempt looks at the range that ends highest, the *bottleneck*, at its neighbours, and at what
//! each of them rests on, its *predecessors*. It draws two of their turns, swaps them in the order
//! and places all ranges anew, until the size is beyond the best. The first turn is drawn, in 30 of
//! 101 cases, from ranges that are not alive together with the bottleneck. After 50 attempts
//! without a gain a second swap is made, also with neighbours of these. A size that is not larger
//! is kept. The search ends at the largest load, or 500 attempts after the last gain, once the plan
//! fits the memory or `max_iterations` are made.
//! **Rule of greedy**: see [`greedy`].
//! **Quirks** kept: after a failed attempt only the order is taken back; ends, predecessors and
//! turns of the failed one are read by the next. An equal size replaces the plan, so the answer is
//! the last plan of the best size.
//! **Time and alignment**: the original counts the last time as part of the range; half-open steps
//! end one later. Addresses are multiples of 16 (option `align`) or of the range's own alignment;
//! sizes are not rounded up. Random numbers are those of Python from seed 1, for each memory anew.
//! **Cost**: an attempt looks at the neighbours of every range, a few times each: at least 500
//! passes over all pairs unless the largest load is reached. That is the original's own cost; 100
//! 000 buffers with 40 alive together take a minute. A limit of work, counted in neighbours looked
//! at, ends the search early there.
//! **Does badly**: only orders are searched, and the bytes lost to alignment are not part of the
//! largest load, so the search goes on although nothing can be gained. Ranges of 300, 100, 250 and
//! 500 bytes live [0,2), [0,10), [8,11), [9,13): it finds 868 of 850.
//! **Differs**: where only one turn could be swapped, the original stops with an error and here the
//! search ends. Ranges that a graph keeps parallel (`branch_safe`) count as neighbours.

pub mod climb;
pub mod greedy;
mod random;
#[cfg(test)]
mod tests;

use self::climb::{Attempt, End, Field, Found, Range, Request, climb};
use super::gap_fit::{self, Fit, Style};
use super::{
    BRANCH_SAFE, Case, Complexity, Effort, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner,
    Source, arenas::Arenas,
};
use memplan_core::base::MAX_SAFE;
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Problem, lower_bound};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Verdict};

pub use greedy::VelaGreedy;

/// Vela's hill climb.
pub struct VelaHillClimb;

const ALIGN: OptionSpec =
    OptionSpec { key: "align", original: "alignment", kind: OptionKind::Choice(&["1", "4", "16"]), default: "16" };

/// Most attempts and ranges reported one by one.
const MOST_REPORTED: u64 = 2_000;

const fn source(file: &'static str) -> Source {
    Source { repository: "", version: "ethos-u-vela 5.2.0", file }
}

static INFO: Info = Info {
    id: "vela-hill-climb",
    system: "Arm Vela",
    name: "HillClimb",
    source: source("ethosu/vela/hillclimb_allocation.py"),
    options: &[
        ALIGN,
        OptionSpec {
            key: "max_iterations",
            original: "hillclimb_max_iterations",
            kind: OptionKind::Whole { min: 0, max: 10_000_000 },
            default: "99999",
        },
        OptionSpec {
            key: "memory_limit",
            original: "memory_limit",
            kind: OptionKind::Whole { min: 0, max: MAX_SAFE },
            default: "9007199254740991",
        },
        super::climb::WORK,
        BRANCH_SAFE,
    ],
    complexity: Complexity::Attempts,
    align: 16,
    example: "two_branches",
    case: Case { options: &[], peak: 868, best: 850 },
    evidence: Evidence::Golden { system: "vela", planners: &["hill_climb"] },
    effort: Effort::Search,
    explanation: Explanation {
        functions: &[(Decides::Everything, "HillClimbAllocator.allocate_lr")],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl VelaHillClimb {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for VelaHillClimb {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let problem = input.problem;
        let limit = options.whole("memory_limit").min(problem.capacity.unwrap_or(u64::MAX));
        let request = Request {
            max_iterations: options.whole("max_iterations"),
            memory_limit: limit,
            work: options.whole(super::climb::WORK.key).saturating_mul(1_000_000),
        };
        let mut parts = Vec::new();
        for memory in problem.memories.ids() {
            let ids: Vec<BufferId> = problem.buffers.ids().filter(|&id| problem.buffers[id].memory == memory).collect();
            let parallel = |a: u32, b: u32| !branches.allow(ids[a as usize], ids[b as usize]);
            let parallel: Option<&dyn Fn(u32, u32) -> bool> = branches.is_on().then_some(&parallel);
            let Some(field) = Field::new(ranges(problem, &ids, options), request.work, parallel) else {
                return without_search(input, options, probe);
            };
            let order = climb::initial_order(&field.ranges, &field.urgency);
            for (&at, turn) in order.iter().zip(0..MOST_REPORTED) {
                let (subject, a) = (ids[at as usize].0, field.urgency[at as usize]);
                probe.event(Event::Note { note: Note::Urgency, subject, a, b: turn });
            }
            // A plan that is offered has an offset for every buffer.
            let is_alone = ids.len() == problem.buffers.len();
            // The least size that somebody took; whoever follows the search takes one from time to
            // time only.
            let mut taken = u64::MAX;
            let found = climb(&field, request, &mut |attempt, addresses| {
                if attempt.number < MOST_REPORTED {
                    report(attempt, &ids, probe);
                }
                let size = attempt.size.min(attempt.before);
                if is_alone && size < taken && probe.best(size, field.min_required, &mut || addresses.to_vec()) {
                    taken = size;
                }
                probe.pulse(attempt.stuck.min(climb::PATIENCE), climb::PATIENCE)
            })?;
            let note = match found.end {
                End::Optimal => Note::ClimbEnd,
                End::NoGain => Note::ClimbIdle,
                End::NothingToSwap => Note::ClimbSingle,
                End::Work => Note::ClimbWork,
            };
            let subject = u32::try_from(found.attempts).unwrap_or(u32::MAX);
            probe.event(Event::Note { note, subject, a: 0, b: 0 });
            parts.push((ids, field, found));
        }
        let total = parts.iter().map(|(.., found)| found.size).sum();
        super::climb::report_bound(total, lower_bound(problem), probe);
        let mut arenas = Arenas::new(problem);
        let mut decision = 0;
        for (ids, field, found) in &parts {
            let mut is_placed = vec![false; ids.len()];
            for &at in &found.order {
                let id = ids[at as usize];
                if probe.pulse(decision.into(), problem.buffers.len() as u64).is_break() {
                    return Err(PlanError::Cancelled);
                }
                probe.event(Event::Begin { buffer: id });
                let address = found.addresses[at as usize];
                let near = field.neighbours(at).iter().copied().filter(|&other| is_placed[other as usize]);
                let mut taken: Vec<(u64, u64)> = near.map(|other| span(field, found, other)).collect();
                taken.sort_unstable();
                let is_gap = taken.iter().any(|&(start, _)| start > address);
                if probe.wants_detail(decision) {
                    show(&taken, address, probe);
                }
                arenas.place(id, address, if is_gap { Outcome::Gap } else { Outcome::AtEnd }, probe);
                is_placed[at as usize] = true;
                decision += 1;
            }
        }
        Ok(arenas.into_plan())
    }
}

/// First byte of a range, and the first one after it.
fn span(field: &Field, found: &Found, at: u32) -> (u64, u64) {
    let address = found.addresses[at as usize];
    (address, address + field.ranges[at as usize].size)
}

/// Reports the gaps between neighbours up to the one that is taken.
fn show(taken: &[(u64, u64)], address: u64, probe: &mut dyn Probe) {
    let mut top = 0;
    for &(start, end) in taken {
        if start > top {
            let verdict = if address < start { Verdict::Chosen } else { Verdict::TooSmall };
            probe.event(Event::Block { verdict, offset: top, room: start - top });
            if verdict == Verdict::Chosen {
                return;
            }
        }
        top = top.max(end);
    }
    probe.event(Event::Block { verdict: Verdict::Chosen, offset: top, room: u64::MAX });
}

/// Reports an attempt: the bottleneck and what it rests on, the draw, the swaps, and what came of
/// them.
fn report(attempt: &Attempt, ids: &[BufferId], probe: &mut dyn Probe) {
    let buffer = |at: u32| ids[at as usize].0;
    let number = attempt.number as u32;
    let mut note = |note, subject, a, b| probe.event(Event::Note { note, subject, a, b });
    note(Note::Bottleneck, buffer(attempt.chain[0]), attempt.top, attempt.number);
    for pair in attempt.chain.windows(2) {
        note(Note::RestsOn, buffer(pair[0]), buffer(pair[1]).into(), 0);
    }
    note(Note::Turns, attempt.turns, attempt.far.into(), attempt.stuck);
    let draw = if attempt.prefers_far() { Note::DrawFar } else { Note::DrawAny };
    note(draw, attempt.draws[0], 0, 0);
    for (kind, &(one, other)) in [Note::Swap, Note::SwapStuck].into_iter().zip(&attempt.swapped) {
        note(kind, buffer(one), buffer(other).into(), 0);
    }
    match attempt.stopped {
        Some(turn) => note(Note::SwapWorse, number, attempt.size, turn.into()),
        None if attempt.size < attempt.before => note(Note::SwapBetter, number, attempt.before, attempt.size),
        None => note(Note::SwapEqual, number, attempt.size, 0),
    }
}

/// Places all ranges in the first order only, where lists of neighbours are beyond the work
/// allowed.
fn without_search(input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let problem = input.problem;
    let ids: Vec<BufferId> = problem.buffers.ids().collect();
    let mut order = Vec::new();
    for memory in problem.memories.ids() {
        let ids: Vec<BufferId> = ids.iter().copied().filter(|&id| problem.buffers[id].memory == memory).collect();
        let ranges = ranges(problem, &ids, options);
        let first = climb::initial_order(&ranges, &climb::loads(&ranges).0);
        order.extend(first.into_iter().map(|at| ids[at as usize]));
    }
    probe.event(Event::Note { note: Note::ClimbWork, subject: 0, a: 0, b: 0 });
    let style = Style { fit: Fit::Lowest, align: options.whole(ALIGN.key), pads: false, pairs: None };
    gap_fit::plan(input, options, order, &style, probe)
}

/// The ranges of some buffers, with both times inclusive.
fn ranges(problem: &Problem, ids: &[BufferId], options: &Options) -> Vec<Range> {
    let range = |&id: &BufferId| {
        let buffer = &problem.buffers[id];
        let align = buffer.align.max(options.whole(ALIGN.key));
        Range { start: buffer.live.start, end: buffer.live.end - 1, size: buffer.size, align }
    };
    ids.iter().map(range).collect()
}
