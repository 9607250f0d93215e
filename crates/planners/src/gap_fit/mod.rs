//! Places buffers one after the other in an order of its own, each between those already placed
//! that are alive at the same time: the loop of all planners in this folder, which differ in order
//! and in the choice among the gaps.
//!
//! **Rule**: the buffers already placed whose lives meet the new one's are walked in order of
//! address. Before each there may be a gap, from the highest end so far, rounded up to the
//! alignment. `Fit` selects the gap; when none is large enough the buffer goes above the last of
//! them. Size 0 takes offset 0 and is in nobody's way.
//! **Cost**: `O((n + m) log n)` with `m` pairs of buffers alive at the same time, found by a tree
//! over their lives. Every pair is looked at because any neighbour may bound the gap: a hundred
//! thousand buffers take a second when tens are alive at once, and far longer when thousands are.
//! With `branch_safe` all pairs are looked at: `O(n^2)`.

mod greedy_by_breadth;
mod greedy_by_size;
#[cfg(test)]
mod tests;
mod tflite_arena;
mod tflite_lives;
mod tflm_greedy;
mod usmp_greedy;
pub mod xla_heap;
mod xla_packing;

use std::ops::ControlFlow;

use super::arenas::Arenas;
use super::in_place::Pairs;
use super::live_index::LiveIndex;
use super::{FIXED, Input, Options, PlanError};
use memplan_core::base::{IdVec, align_up};
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, BufferId, MemoryId, Problem};
use memplan_core::trace::{Event, Outcome, Probe, Verdict, in_the_way};

pub use greedy_by_breadth::GreedyByBreadth;
pub use greedy_by_size::{GreedyBySize, ID as GREEDY_BY_SIZE_ID};
pub use tflite_arena::TfliteArena;
pub use tflm_greedy::TflmGreedy;
pub use usmp_greedy::{UsmpGreedyByConflicts, UsmpGreedyBySize};
pub use xla_heap::XlaHeap;
pub use xla_packing::XlaPackingSearch;

/// Which of the gaps that are large enough is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Fit {
    /// The first in order of address.
    #[default]
    Lowest,
    /// The smallest, measured from its aligned start; the lowest of equals.
    Tightest,
    /// As `Tightest`, but a gap's aligned length is compared with the best one's length before
    /// alignment, as TFLite does.
    TightestTflite,
    /// None: above everything that is in the way.
    Above,
}

/// What a planner of this folder does differently from the others.
pub(super) struct Style {
    /// Which gap is taken.
    pub fit: Fit,
    /// Offsets are multiples of this and of the buffer's own alignment, in bytes.
    pub align: u64,
    /// Whether a buffer takes room up to the next multiple of its alignment.
    pub pads: bool,
    /// Buffers that lie on another one's bytes rather than in a gap; donors come before their
    /// takers.
    pub pairs: Option<Pairs>,
}

/// Free bytes between neighbours; those above the last one have no end.
#[derive(Clone, Copy)]
struct Gap {
    start: u64,
    end: Option<u64>,
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
    plan_with_notes(input, options, order, style, |_| None, probe)
}

/// The same with a note of what decided the place of each buffer in the order.
pub(super) fn plan_with_notes(
    input: Input,
    options: &Options,
    order: Vec<BufferId>,
    style: &Style,
    key: impl Fn(BufferId) -> Option<Event>,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let branches = super::branches(input, options)?;
    let problem = input.problem;
    let keeps_stated = options.flag(FIXED.key);
    let fixed = |id: BufferId| problem.buffers[id].fixed.filter(|_| keeps_stated);
    let mut order = order;
    if keeps_stated {
        order.sort_by_key(|&id| if fixed(id).is_some() { (0, id) } else { (1, BufferId(0)) });
    }
    let pairs = style.pairs.as_ref();
    order.retain(|&id| !pairs.is_some_and(|pairs| pairs.is_acceptor(id)));
    let total = order.len() as u64;
    let mut filler = Filler {
        problem,
        branches: &branches,
        style,
        placed: LiveIndex::new(problem),
        done: Vec::new(),
        memories: problem.buffers.iter().map(|buffer| buffer.memory).collect(),
        spans: IdVec::from_elem((0, 0), problem.buffers.len()),
        near: Vec::new(),
        arenas: Arenas::new(problem),
    };
    for (decision, id) in order.into_iter().enumerate() {
        if probe.pulse(decision as u64, total) == ControlFlow::Break(()) {
            return Err(PlanError::Cancelled);
        }
        probe.event(Event::Begin { buffer: id });
        key(id).into_iter().for_each(|note| probe.event(note));
        pairs.into_iter().for_each(|pairs| pairs.report(id, probe));
        filler.decide(decision as u32, id, fixed(id), probe);
    }
    let shared = pairs.map_or_else(Vec::new, |pairs| pairs.shared.clone());
    for &(acceptor, donor) in &shared {
        probe.event(Event::Begin { buffer: acceptor });
        pairs.into_iter().for_each(|pairs| pairs.report(acceptor, probe));
        filler.spans[acceptor] = filler.spans[donor];
        filler.arenas.place(acceptor, filler.spans[donor].0, Outcome::InPlace, probe);
    }
    Ok(Plan { shared, ..filler.arenas.into_plan() })
}

struct Filler<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    style: &'a Style,
    /// Buffers with bytes that have their place.
    placed: LiveIndex,
    /// The same as a list, which only branches need.
    done: Vec<BufferId>,
    /// Copied from the buffers: a walk over neighbours reads nothing else of them.
    memories: IdVec<BufferId, MemoryId>,
    /// First byte that each one takes, and the first one after it.
    spans: IdVec<BufferId, (u64, u64)>,
    /// Spans in the way of the buffer at hand, kept for their room.
    near: Vec<(u64, u64)>,
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
        self.spans[id] = (offset, offset + self.ask(id).size);
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

    fn choose(&mut self, id: BufferId, detail: bool, probe: &mut dyn Probe) -> (u64, Outcome) {
        let ask = self.ask(id);
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        let (memory, live) = (self.memories[id], self.problem.buffers[id].live);
        self.placed.each_meeting(live, |other| {
            if self.memories[other] == memory {
                near.push(self.spans[other]);
            }
        });
        let parallel = self.parallel(id);
        near.extend(parallel.iter().map(|&(span, _)| span));
        near.sort_unstable();
        let gaps = gaps(&near);
        self.near = near;
        let chosen = choose(&gaps, ask, self.style.fit);
        if detail {
            for &((offset, end), buffer) in &parallel {
                in_the_way(probe, [buffer]);
                probe.event(Event::Block { verdict: Verdict::Parallel, offset, room: end - offset });
            }
            show(&gaps, chosen, ask, self.style.fit, probe);
        }
        let outcome = if gaps[chosen].end.is_some() { Outcome::Gap } else { Outcome::AtEnd };
        (align_up(gaps[chosen].start, ask.align), outcome)
    }

    /// What is in the way of a buffer only to keep branches parallel, in order of address.
    fn parallel(&self, id: BufferId) -> Vec<((u64, u64), BufferId)> {
        let live = self.problem.buffers[id].live;
        let bars = |other: &BufferId| {
            self.memories[*other] == self.memories[id]
                && !self.problem.buffers[*other].live.meets(live)
                && !self.branches.allow(*other, id)
        };
        let barring = self.done.iter().copied().filter(bars);
        let mut found: Vec<_> = barring.map(|other| (self.spans[other], other)).collect();
        found.sort_unstable();
        found
    }
}

/// The gaps between neighbours in order of address; the unbounded one comes last.
fn gaps(neighbours: &[(u64, u64)]) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for &(from, to) in neighbours {
        if from > end {
            gaps.push(Gap { start: end, end: Some(from) });
        }
        end = end.max(to);
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

/// Reports the gaps looked at: the lowest fit looks no further than its choice, and above
/// everything there is one only.
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
