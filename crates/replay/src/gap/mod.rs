//! The distance between a plan and its lower bound, decision by decision: which ones raised the
//! peak past the bound, by how many bytes, and what stood in the way of a lower place.

mod look;
mod pushed;
mod sentences;

use super::Run;
use look::look;
use memplan_core::base::IdVec;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Outcome, Verdict};

pub use sentences::{gap_sentences, left_out, reason};

/// The peak of a plan, its bound, and the decisions between the two. Sizes in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The peak of the plan.
    pub peak: u64,
    /// The largest load of everything asked for; of what was placed if the peak is below that.
    pub bound: u64,
    /// The largest load of what was placed: smaller for a plan that leaves buffers out.
    pub placed_bound: u64,
    /// The decisions that raised the peak past the bound, in their order. What they add sums to the
    /// peak minus the bound, or to 0 for a plan that is not above it.
    pub growths: Vec<Growth>,
}

/// A decision that raised the peak past the bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// Index of the decision.
    pub decision: usize,
    /// The buffer that it places.
    pub buffer: BufferId,
    /// Bytes that the peak rose above the bound: what lies below the bound does not count.
    pub adds: u64,
    /// The pool that the buffer went to.
    pub pool: PoolId,
    /// Where the buffer went, in bytes from the base of the pool.
    pub offset: u64,
    /// How the place came about.
    pub outcome: Outcome,
    /// Why no lower place was taken; none for decisions beyond the work that was allowed.
    pub reason: Option<Reason>,
}

/// Why a buffer went to the top, by the first case that holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Case {
    /// A hole, or a storage, was large enough and free during the whole life, but the planner's
    /// rule did not take it.
    Missed,
    /// There were enough free bytes, but in several pieces, or in one that did not reach the top.
    Cut,
    /// Another pool of the same device had enough free bytes.
    Pool,
    /// Without alignment there would have been room.
    Rounding,
    /// Buffers that are alive at the same time left too few bytes.
    Full,
    /// The buffer was there when a recording began: what decided on its place is not recorded.
    Recorded,
    /// It overlapped others that had been placed, and was pushed up above them.
    Pushed,
}

impl Case {
    /// All cases, in the order in which they are tried.
    pub const ALL: [Case; 7] =
        [Case::Missed, Case::Cut, Case::Pool, Case::Rounding, Case::Full, Case::Recorded, Case::Pushed];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Case::Missed => "missed",
            Case::Cut => "cut",
            Case::Pool => "pool",
            Case::Rounding => "rounding",
            Case::Full => "full",
            Case::Recorded => "recorded",
            Case::Pushed => "pushed",
        }
    }
}

/// What was free and what was in the way when a decision raised the peak past the bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The first case that holds.
    pub case: Case,
    /// Whether the pool is a storage, which is taken as a whole.
    pub storage: bool,
    /// The pool whose free bytes are counted: another one than the buffer's in [`Case::Pool`] and
    /// where storages are looked at.
    pub pool: PoolId,
    /// The free range that would have done, `[from, to)`.
    pub hole: Option<(u64, u64)>,
    /// Bytes that were free during the whole life, below the top, as the planner counts sizes.
    pub free: u64,
    /// Whether the planner counts some of them as taken, because it rounds sizes up.
    pub rounded: bool,
    /// Free ranges, or free storages.
    pub pieces: u32,
    /// The two largest of them in bytes, the lower one first. Storages: the larger one first.
    pub largest: (u64, u64),
    /// What lies between the two largest pieces, or between the only one and the top
    /// ([`Case::Cut`]), by address; otherwise what was in the way, the largest first.
    pub blockers: Vec<Blocker>,
    /// Buffers that were in the way beside these.
    pub others: u32,
    /// Whether the planner refused a place only because no path of the graph orders the buffers.
    pub parallel: bool,
    /// Whether a temporal node of the tree refused because several of its children overlap.
    pub overlaps: bool,
    /// A buffer whose bytes in the hole the planner still held, although it was over.
    pub held: Option<BufferId>,
    /// Bytes below the buffer that only its own alignment leaves free.
    pub skipped: u64,
}

/// A buffer in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocker {
    /// The buffer.
    pub buffer: BufferId,
    /// Index of the decision that placed it.
    pub decision: Option<usize>,
    /// First byte, from the base of the pool.
    pub from: u64,
    /// Byte after the last.
    pub to: u64,
}

impl Gap {
    /// Bytes above the bound: what the growths sum to. The waste of a plan that leaves buffers out
    /// is larger by what lies between its two bounds.
    pub fn above(&self) -> u64 {
        self.peak.saturating_sub(self.bound)
    }
}

/// Returns what raised the peak of a run past its bound. `work` limits how many buffers are looked
/// at for reasons, over all decisions: the sums are exact whatever it is.
pub fn gap(run: &Run, work: u64) -> Gap {
    let (peak, placed_bound) = (run.metrics.need(), run.metrics.bound());
    let asked = run.metrics.lower_bound;
    // What a plan leaves out to the caller takes room as well. Only a plan below that bound is
    // measured against its own.
    let bound = if peak > asked { asked } else { placed_bound };
    let mut gap = Gap { peak, bound, placed_bound, growths: Vec::new() };
    // Where storages go back to an allocator, no decision raises what is held: storages that wait
    // to be reused do.
    if run.metrics.held.is_some() {
        return gap;
    }
    let timeline = &run.timeline;
    let mut state = timeline.state(0);
    let mut decision_of = IdVec::from_elem(None, run.problem.buffers.len());
    timeline.decisions.iter().enumerate().for_each(|(index, decision)| decision_of[decision.buffer] = Some(index));
    let (mut at, mut left, mut before) = (0, work, 0);
    for (index, decision) in timeline.decisions.iter().enumerate() {
        let floor = gap.bound.max(before);
        before = decision.peak;
        if decision.peak <= floor {
            continue;
        }
        let events = &timeline.events[decision.begin as usize..decision.end as usize];
        // What is pushed up in the end stands behind the last decision.
        let pushed = pushed::growths(run, index, events, floor);
        let raised: u64 = pushed.iter().map(|growth| growth.adds).sum();
        if decision.peak - raised <= floor {
            gap.growths.extend(pushed);
            continue;
        }
        let placed = events.iter().find_map(|event| match *event {
            Event::Place { pool, offset, .. } => Some((PoolId(pool), offset)),
            _ => None,
        });
        let (pool, offset) = placed.unwrap_or((decision.pool, 0));
        let mut growth = Growth {
            decision: index,
            buffer: decision.buffer,
            adds: decision.peak - raised - floor,
            pool,
            offset,
            outcome: decision.outcome,
            reason: None,
        };
        let cost = run.problem.buffers.len() as u64 + 4 * state.tree.nodes.len() as u64;
        if cost <= left {
            left -= cost;
            timeline.seek(&mut state, at, decision.begin);
            at = decision.begin;
            let gap_sentences = |wanted: Verdict| {
                events.iter().any(|event| match event {
                    Event::Block { verdict, .. }
                    | Event::AskTemporal { verdict, .. }
                    | Event::AskStorage { verdict, .. } => *verdict == wanted,
                    _ => false,
                })
            };
            let (parallel, overlaps) = (gap_sentences(Verdict::Parallel), gap_sentences(Verdict::ManyOverlaps));
            let mut reason = Reason { parallel, overlaps, ..look(run, &state, floor, &growth) };
            reason.blockers.iter_mut().for_each(|blocker| blocker.decision = decision_of[blocker.buffer]);
            growth.reason = Some(reason);
        } else {
            left = 0;
        }
        gap.growths.push(growth);
        gap.growths.extend(pushed);
    }
    gap
}
