//! The buffers that have their place, and which of them are in the way of a new one.

use super::live_index::LiveIndex;
use memplan_core::base::IdVec;
use memplan_core::problem::{Branches, BufferId, MemoryId, Problem};

/// A placed buffer in the way of a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// First byte that it takes.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// Its turn in the order of placement.
    pub turn: u32,
    /// The buffer.
    pub buffer: BufferId,
    /// Whether it is in the way only to keep branches parallel.
    pub is_parallel: bool,
}

/// Buffers that have their place, those without bytes among them.
pub struct Neighbours<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    index: LiveIndex,
    /// Copied from the buffers: a walk over neighbours reads nothing else of them.
    memories: IdVec<BufferId, MemoryId>,
    spans: IdVec<BufferId, (u64, u64, u32)>,
    /// In order of placement; kept only if branches matter.
    placed: Vec<BufferId>,
    turns: u32,
}

impl<'a> Neighbours<'a> {
    pub fn new(problem: &'a Problem, branches: &'a Branches) -> Neighbours<'a> {
        Neighbours {
            problem,
            branches,
            index: LiveIndex::new(problem),
            memories: problem.buffers.iter().map(|buffer| buffer.memory).collect(),
            spans: IdVec::from_elem((0, 0, 0), problem.buffers.len()),
            placed: Vec::new(),
            turns: 0,
        }
    }

    /// Notes that a buffer takes the bytes from `start` to before `end`.
    pub fn insert(&mut self, id: BufferId, (start, end): (u64, u64)) {
        self.spans[id] = (start, end, self.turns);
        self.turns += 1;
        self.index.insert(id);
        if self.branches.is_on() {
            self.placed.push(id);
        }
    }

    /// Fills `found` with the buffers of the same memory that are alive together with a new one, or
    /// that branches keep apart from it, by address; of equal ones the latest placed comes first.
    pub fn of(&self, id: BufferId, found: &mut Vec<Neighbour>) {
        found.clear();
        let (memory, live) = (self.memories[id], self.problem.buffers[id].live);
        let mut add = |other: BufferId, is_parallel| {
            let (start, end, turn) = self.spans[other];
            found.push(Neighbour { start, end, turn, buffer: other, is_parallel });
        };
        self.index.each_meeting(live, |other| {
            if self.memories[other] == memory {
                add(other, false);
            }
        });
        for &other in &self.placed {
            let is_apart = self.memories[other] == memory && !self.problem.buffers[other].live.meets(live);
            if is_apart && !self.branches.allow(other, id) {
                add(other, true);
            }
        }
        found.sort_unstable_by_key(|neighbour| (neighbour.start, std::cmp::Reverse(neighbour.turn)));
    }
}
