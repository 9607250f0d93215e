//! The search itself, for the buffers of one memory: states, their successors, and which of them
//! are kept.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use memplan_core::base::align_up;
use memplan_core::problem::{Branches, Buffer, BufferId, Problem};
use memplan_core::trace::Fate;

/// Bytes that a state has given to a buffer which later ones may meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Spot {
    start: u64,
    /// With the size rounded up to the alignment.
    end: u64,
    /// First step after its life.
    death: u32,
    /// Told only where branches matter: otherwise two states whose equal spots belong to different
    /// buffers have the same future.
    owner: Option<BufferId>,
}

impl Spot {
    fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// A plan for the buffers so far, as far as it matters for those to come.
#[derive(Clone, Debug, Default)]
struct PartialPlan {
    /// In address order.
    spots: Vec<Spot>,
    /// Sum of the hashes of all spots: differs where the spots do, but for rare accidents.
    mark: u64,
    /// Highest end so far.
    peak: u64,
}

/// A state with one more buffer; the order of the fields is the order in which successors are
/// preferred.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Successor {
    /// The peak so far.
    pub score: u64,
    /// End of the highest live buffer.
    pub top: u64,
    /// Rank of the state it continues.
    pub parent: u32,
    pub offset: u64,
}

/// Free bytes of a state; the unbounded ones above all have no end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    pub start: u64,
    pub end: Option<u64>,
}

impl Room {
    /// Where a buffer lies that takes the low end.
    pub fn low_end(self, size: u64, align: u64) -> Option<u64> {
        let offset = align_up(self.start, align);
        self.end.is_none_or(|end| offset + size <= end).then_some(offset)
    }
}

/// One step of the search.
pub struct Generation {
    /// Best first.
    pub successors: Vec<Successor>,
    /// What became of the first of them, with the rank it got or the rank of its equal; all others
    /// are cut.
    pub fates: Vec<(Fate, u32)>,
}

pub struct Search<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    width: usize,
    /// Best first.
    beam: Vec<PartialPlan>,
}

/// The size that a buffer takes from the free bytes.
pub fn padded(buffer: &Buffer) -> u64 {
    align_up(buffer.size, buffer.align)
}

impl<'a> Search<'a> {
    /// Keeps up to `width` states.
    pub fn new(problem: &'a Problem, branches: &'a Branches, width: usize) -> Search<'a> {
        Search { problem, branches, width, beam: vec![PartialPlan::default()] }
    }

    /// Forgets what is dead when `id` is born. Buffers come in order of birth.
    pub fn release_for(&mut self, id: BufferId) {
        // With branches to keep parallel, the dead stay in the way of buffers that may run beside
        // them.
        if !self.branches.is_on() {
            let now = self.problem.buffers[id].live.start;
            for state in &mut self.beam {
                let mark = &mut state.mark;
                state.spots.retain(|spot| {
                    let lives = spot.death > now;
                    *mark = if lives { *mark } else { mark.wrapping_sub(spot.mark()) };
                    lives
                });
            }
        }
    }

    /// Free bytes that the state of this rank offers to `id`, in address order, the unbounded ones
    /// last.
    pub fn rooms(&self, rank: usize, id: BufferId) -> Vec<Room> {
        let now = self.problem.buffers[id].live.start;
        let blocks = |spot: &&Spot| spot.death > now || spot.owner.is_some_and(|owner| !self.branches.allow(owner, id));
        let mut rooms = Vec::new();
        let mut top = 0;
        for spot in self.beam[rank].spots.iter().filter(blocks) {
            if spot.start > top {
                rooms.push(Room { start: top, end: Some(spot.start) });
            }
            top = top.max(spot.end);
        }
        rooms.push(Room { start: top, end: None });
        rooms
    }

    /// The dead buffers of a state that `id` must not follow, with their bytes `[start, end)`.
    pub fn parallel(&self, rank: usize, id: BufferId) -> impl Iterator<Item = (BufferId, u64, u64)> {
        let now = self.problem.buffers[id].live.start;
        let spots = self.beam[rank].spots.iter().filter(move |spot| spot.death <= now);
        let refused = move |owner: &BufferId| !self.branches.allow(*owner, id);
        spots.filter_map(move |spot| Some((spot.owner.filter(refused)?, spot.start, spot.end)))
    }

    /// Places `id` in every way in every state and keeps the best.
    pub fn advance(&mut self, id: BufferId) -> Generation {
        let mut successors = Vec::new();
        for rank in 0..self.beam.len() {
            self.successors(rank, id, &mut successors);
        }
        successors.sort_unstable();
        let mut next: Vec<PartialPlan> = Vec::new();
        let mut alike: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut fates = Vec::new();
        for successor in &successors {
            if next.len() == self.width {
                break;
            }
            let state = self.follow(successor, id);
            let ranks = alike.entry(state.mark).or_default();
            match ranks.iter().find(|&&rank| next[rank as usize].spots == state.spots) {
                Some(&rank) => fates.push((Fate::Duplicate, rank)),
                None => {
                    let rank = next.len() as u32;
                    ranks.push(rank);
                    fates.push((Fate::Kept, rank));
                    next.push(state);
                }
            }
        }
        self.beam = next;
        Generation { successors, fates }
    }

    fn successors(&self, rank: usize, id: BufferId, found: &mut Vec<Successor>) {
        let buffer = &self.problem.buffers[id];
        let size = padded(buffer);
        let rooms = self.rooms(rank, id);
        let top = rooms.last().map_or(0, |room| room.start);
        let offsets = rooms.iter().filter_map(|room| room.low_end(size, buffer.align));
        found.extend(offsets.map(|offset| Successor {
            score: self.beam[rank].peak.max(offset + buffer.size),
            top: top.max(offset + size),
            parent: rank as u32,
            offset,
        }));
    }

    fn follow(&self, successor: &Successor, id: BufferId) -> PartialPlan {
        let buffer = &self.problem.buffers[id];
        let mut state = self.beam[successor.parent as usize].clone();
        let spot = Spot {
            start: successor.offset,
            end: successor.offset + padded(buffer),
            death: buffer.live.end,
            owner: self.branches.is_on().then_some(id),
        };
        let at = state.spots.partition_point(|other| *other < spot);
        state.spots.insert(at, spot);
        state.mark = state.mark.wrapping_add(spot.mark());
        state.peak = successor.score;
        state
    }

    /// Rank of the state with the smallest peak, the first of equals.
    pub fn best(&self) -> usize {
        let peaks = self.beam.iter().enumerate().map(|(rank, state)| (state.peak, rank));
        peaks.min().map_or(0, |(_, rank)| rank)
    }
}
