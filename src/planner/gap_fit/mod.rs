//! Places buffers one after the other in an order of its own, each between those already placed that are alive at the same
//! time: the loop of all planners in this folder, which differ in order and in the choice among the gaps.
//!
//! **Rule**: the buffers already placed whose lives meet the new one's are walked in order of address. Before each there may
//! be a gap, from the highest end so far, rounded up to the alignment. [`Fit`] says which gap is taken; when none is large
//! enough the buffer goes above the last of them. Size 0 takes offset 0 and is in nobody's way.
//! **Cost**: `O((n + m) log n)` with `m` pairs of buffers alive at the same time, found by a tree over their lives. Every
//! pair is looked at because any neighbour may bound the gap: a hundred thousand buffers take a second when tens are alive
//! at once, and far longer when thousands are. With `branch_safe` all pairs are looked at: `O(n^2)`.

mod greedy_by_breadth;
mod greedy_by_size;
#[cfg(test)]
mod tests;
mod tflite_arena;
mod tflite_lives;
mod tflm_greedy;
mod usmp_greedy;
mod xla_packing;

use std::ops::ControlFlow;

use super::arenas::Arenas;
use super::live_index::LiveIndex;
use super::{Input, OptionKind, OptionSpec, Options, PlanError};
use crate::base::{IdVec, align_up};
use crate::plan::Plan;
use crate::problem::{Branches, BufferId, Problem};
use crate::trace::{Event, Outcome, Probe, Verdict, in_the_way};

pub use greedy_by_breadth::GreedyByBreadth;
pub use greedy_by_size::GreedyBySize;
pub use tflite_arena::TfliteArena;
pub use tflm_greedy::TflmGreedy;
pub use usmp_greedy::{UsmpGreedyByConflicts, UsmpGreedyBySize};
pub use xla_packing::XlaPackingSearch;

/// Whether positions that the input states are kept: these buffers come first, in order of the input.
const FIXED: OptionSpec = OptionSpec { key: "fixed", original: "fixed", kind: OptionKind::Flag, default: "false" };

/// Which of the gaps that are large enough is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Fit {
    /// The first in order of address.
    #[default]
    Lowest,
    /// The smallest, measured from its aligned start; the lowest of equals.
    Tightest,
    /// As `Tightest`, but a gap's aligned length is compared with the best one's length before alignment, as TFLite does.
    TightestTflite,
    /// None: above everything that is in the way.
    Above,
}

/// What a planner of this folder does differently from the others.
pub(super) struct Style {
    pub fit: Fit,
    /// Offsets are multiples of this and of the buffer's own alignment, in bytes.
    pub align: u64,
    /// Whether a buffer takes room up to the next multiple of its alignment.
    pub pads: bool,
    /// `(taker, giver)` where a buffer lies on another one's bytes rather than in a gap; givers come before their takers.
    pub shared: Vec<(BufferId, BufferId)>,
}

/// Free bytes between neighbours; those above the last one have no end.
#[derive(Clone, Copy)]
struct Gap {
    start: u64,
    end: Option<u64>,
}

/// Bytes in the way, and whether that is only to keep branches parallel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Neighbour {
    start: u64,
    end: u64,
    is_parallel: bool,
    buffer: BufferId,
}

/// What a buffer asks for, in bytes.
#[derive(Clone, Copy)]
struct Ask {
    size: u64,
    align: u64,
}

impl Ask {
    /// Where a buffer lies in a gap that is large enough for it.
    fn fits(self, gap: Gap) -> Option<u64> {
        let offset = align_up(gap.start, self.align);
        gap.end.is_none_or(|end| offset + self.size <= end).then_some(offset)
    }
}

/// Runs the loop over `order`.
pub(super) fn plan(
    input: Input,
    options: &Options,
    order: Vec<BufferId>,
    style: &Style,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    plan_told(input, options, order, style, |_| None, probe)
}

/// The same with a note of what decided the place of each buffer in the order.
pub(super) fn plan_told(
    input: Input,
    options: &Options,
    order: Vec<BufferId>,
    style: &Style,
    key: impl Fn(BufferId) -> Option<Event>,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let branches = super::branches(input, options)?;
    let problem = input.problem;
    let fixed = |id: BufferId| problem.buffers[id].fixed.filter(|_| options.flag(FIXED.key));
    let mut order = order;
    order.sort_by_key(|&id| if fixed(id).is_some() { (0, id) } else { (1, BufferId(0)) });
    let mut taken = IdVec::from_elem(false, problem.buffers.len());
    style.shared.iter().for_each(|&(taker, _)| taken[taker] = true);
    order.retain(|&id| !taken[id]);
    let total = order.len() as u64;
    let mut filler = Filler {
        problem,
        branches: &branches,
        style,
        placed: LiveIndex::new(problem),
        done: Vec::new(),
        offsets: IdVec::from_elem(0, problem.buffers.len()),
        arenas: Arenas::new(problem),
    };
    for (decision, id) in order.into_iter().enumerate() {
        if probe.pulse(decision as u64, total) == ControlFlow::Break(()) {
            return Err(PlanError::Cancelled);
        }
        probe.event(Event::Begin { buffer: id });
        key(id).into_iter().for_each(|note| probe.event(note));
        filler.decide(decision as u32, id, fixed(id), probe);
    }
    for &(taker, giver) in &style.shared {
        probe.event(Event::Begin { buffer: taker });
        filler.offsets[taker] = filler.offsets[giver];
        filler.arenas.place(taker, filler.offsets[giver], Outcome::InPlace, probe);
    }
    Ok(Plan { shared: style.shared.clone(), ..filler.arenas.into_plan() })
}

struct Filler<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    style: &'a Style,
    /// Buffers with bytes that have their place.
    placed: LiveIndex<'a>,
    /// The same as a list, which only branches need.
    done: Vec<BufferId>,
    offsets: IdVec<BufferId, u64>,
    arenas: Arenas<'a>,
}

impl Filler<'_> {
    fn decide(&mut self, decision: u32, id: BufferId, fixed: Option<u64>, probe: &mut dyn Probe) {
        let memory = self.problem.buffers[id].memory;
        if self.problem.buffers[id].size == 0 {
            self.arenas.place(id, fixed.unwrap_or(0), Outcome::Nothing, probe);
            return;
        }
        let (offset, outcome) = match fixed {
            Some(offset) if offset >= self.arenas.peak(memory) => (offset, Outcome::AtEnd),
            Some(offset) => (offset, Outcome::Gap),
            None => self.choose(id, probe.wants_detail(decision), probe),
        };
        self.arenas.place(id, offset, outcome, probe);
        self.offsets[id] = offset;
        self.placed.insert(id);
        if self.branches.is_on() {
            self.done.push(id);
        }
    }

    fn ask(&self, id: BufferId) -> Ask {
        let buffer = &self.problem.buffers[id];
        let align = buffer.align.max(self.style.align);
        Ask { size: if self.style.pads { align_up(buffer.size, align) } else { buffer.size }, align }
    }

    fn choose(&self, id: BufferId, detail: bool, probe: &mut dyn Probe) -> (u64, Outcome) {
        let ask = self.ask(id);
        let neighbours = self.neighbours(id);
        let gaps = gaps(&neighbours);
        let chosen = choose(&gaps, ask, self.style.fit);
        if detail {
            for there in neighbours.iter().filter(|there| there.is_parallel) {
                let room = there.end - there.start;
                in_the_way(probe, [there.buffer]);
                probe.event(Event::Block { verdict: Verdict::Parallel, offset: there.start, room });
            }
            show(&gaps, chosen, ask, self.style.fit, probe);
        }
        let outcome = if gaps[chosen].end.is_some() { Outcome::Gap } else { Outcome::AtEnd };
        (align_up(gaps[chosen].start, ask.align), outcome)
    }

    /// What is in the way of a buffer, in order of address.
    fn neighbours(&self, id: BufferId) -> Vec<Neighbour> {
        let buffer = &self.problem.buffers[id];
        let bytes = |other: BufferId, is_parallel: bool| {
            let start = self.offsets[other];
            Neighbour { start, end: start + self.ask(other).size, is_parallel, buffer: other }
        };
        let same_memory = |other: &BufferId| self.problem.buffers[*other].memory == buffer.memory;
        let alive = self.placed.meeting(buffer.live).into_iter().filter(same_memory);
        let mut found: Vec<Neighbour> = alive.map(|other| bytes(other, false)).collect();
        let apart = |other: &BufferId| {
            !self.problem.buffers[*other].live.meets(buffer.live) && !self.branches.allow(*other, id)
        };
        let parallel = self.done.iter().copied().filter(same_memory).filter(apart);
        found.extend(parallel.map(|other| bytes(other, true)));
        found.sort_unstable();
        found
    }
}

/// The gaps between neighbours in order of address; the unbounded one comes last.
fn gaps(neighbours: &[Neighbour]) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for there in neighbours {
        if there.start > end {
            gaps.push(Gap { start: end, end: Some(there.start) });
        }
        end = end.max(there.end);
    }
    gaps.push(Gap { start: end, end: None });
    gaps
}

/// Index of the gap that is taken.
fn choose(gaps: &[Gap], ask: Ask, fit: Fit) -> usize {
    let mut best: Option<(usize, u64)> = None;
    let looked_at = if fit == Fit::Above { &gaps[gaps.len()..] } else { gaps };
    for (index, gap) in looked_at.iter().enumerate() {
        let (Some(offset), Some(end)) = (ask.fits(*gap), gap.end) else { continue };
        if best.is_none_or(|(_, length)| end - offset < length) {
            let kept = if fit == Fit::TightestTflite { end - gap.start } else { end - offset };
            best = Some((index, kept));
        }
        if fit == Fit::Lowest {
            break;
        }
    }
    best.map_or(gaps.len() - 1, |(index, _)| index)
}

/// Tells of the gaps looked at: the lowest fit looks no further than its choice, and above everything there is one only.
fn show(gaps: &[Gap], chosen: usize, ask: Ask, fit: Fit, probe: &mut dyn Probe) {
    let first = if fit == Fit::Above { chosen } else { 0 };
    for (index, gap) in gaps.iter().enumerate().skip(first) {
        let verdict = match ask.fits(*gap) {
            Some(_) if index == chosen => Verdict::Chosen,
            Some(_) => Verdict::Fits,
            None => Verdict::TooSmall,
        };
        let room = gap.end.map_or(u64::MAX, |end| end - gap.start);
        probe.event(Event::Block { verdict, offset: gap.start, room });
        if fit == Fit::Lowest && index == chosen {
            return;
        }
    }
}
