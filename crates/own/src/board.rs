//! Buffers that have their place, and the gaps between them.

use memplan_core::base::{IdVec, MAX_SAFE, align_up};
use memplan_core::problem::{Branches, Buffer, BufferId, Live, MemoryId, Problem};
use memplan_planners::LiveIndex;

/// How gaps are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GapRules {
    /// Offsets are multiples of this and of the buffer's own alignment, in bytes.
    pub align: u64,
    /// Whether a buffer takes room up to the next multiple of its alignment.
    pub padded: bool,
}

/// Free bytes over the whole life of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// First free byte.
    pub from: u64,
    /// First aligned byte: where the buffer would lie. Not below `from`.
    pub start: u64,
    /// First byte after the gap; of the gap above everything, the largest number there is.
    pub end: u64,
    /// Whether nothing lies above it.
    pub is_open: bool,
}

impl Gap {
    /// Bytes from the aligned start; 0 if that lies behind the end.
    pub fn size(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// What the board knows of a buffer.
#[derive(Clone, Copy)]
struct Piece {
    live: Live,
    memory: MemoryId,
    /// Bytes that it takes.
    size: u64,
    align: u64,
}

/// Buffers that have their place. Those without bytes are in nobody's way.
pub struct Board {
    pieces: IdVec<BufferId, Piece>,
    placed: LiveIndex,
    /// Where each one lies that is placed: first byte and first byte after it.
    spans: IdVec<BufferId, Option<(u64, u64)>>,
    branches: Branches,
    /// Placed buffers in order, which only branches need.
    done: Vec<BufferId>,
}

impl Board {
    /// Nothing is placed yet.
    pub fn new(problem: &Problem, rules: GapRules, branches: Branches) -> Board {
        let piece = |buffer: &Buffer| {
            let align = buffer.align.max(rules.align);
            let size = if rules.padded { align_up(buffer.size, align) } else { buffer.size };
            Piece { live: buffer.live, memory: buffer.memory, size, align }
        };
        Board {
            pieces: problem.buffers.iter().map(piece).collect(),
            placed: LiveIndex::new(problem),
            spans: IdVec::from_elem(None, problem.buffers.len()),
            branches,
            done: Vec::new(),
        }
    }

    /// Whether a buffer has its place.
    pub fn is_placed(&self, id: BufferId) -> bool {
        self.spans[id].is_some()
    }

    /// Bytes that a buffer takes from a gap.
    pub fn size(&self, id: BufferId) -> u64 {
        self.pieces[id].size
    }

    /// Puts a buffer at an offset, whatever lies there.
    pub fn put(&mut self, id: BufferId, offset: u64) {
        let size = self.pieces[id].size;
        self.spans[id] = Some((offset, offset.saturating_add(size)));
        if size > 0 {
            self.placed.insert(id);
            self.done.push(id);
        }
    }

    /// Visits what a buffer must not meet, with its bytes.
    fn each_barrier(&self, id: BufferId, mut visit: impl FnMut(BufferId, (u64, u64))) {
        let Piece { live, memory, .. } = self.pieces[id];
        self.placed.each_meeting(live, |other| {
            if self.pieces[other].memory == memory && other != id {
                self.spans[other].into_iter().for_each(|span| visit(other, span));
            }
        });
        if !self.branches.is_on() {
            return;
        }
        for &other in &self.done {
            let piece = self.pieces[other];
            if piece.memory == memory && !piece.live.meets(live) && !self.branches.allow(other, id) {
                self.spans[other].into_iter().for_each(|span| visit(other, span));
            }
        }
    }

    /// Returns the gaps of a buffer from low to high; the last one is open.
    pub fn gaps(&self, id: BufferId) -> Vec<Gap> {
        let mut spans = Vec::new();
        self.each_barrier(id, |_, span| spans.push(span));
        spans.sort_unstable();
        let align = self.pieces[id].align;
        let gap = |from: u64, end: u64, is_open: bool| Gap { from, start: align_up(from, align), end, is_open };
        let (mut gaps, mut top) = (Vec::new(), 0);
        for (from, to) in spans {
            if from > top {
                gaps.push(gap(top, from, false));
            }
            top = top.max(to);
        }
        gaps.push(gap(top, MAX_SAFE, true));
        gaps
    }

    /// Returns what a buffer would meet at an offset, from low to high.
    pub fn in_the_way(&self, id: BufferId, offset: u64) -> Vec<BufferId> {
        let end = offset.saturating_add(self.pieces[id].size);
        let mut found = Vec::new();
        self.each_barrier(id, |other, (from, to)| {
            if from < end && offset < to {
                found.push((from, other));
            }
        });
        found.sort_unstable();
        found.into_iter().map(|(_, other)| other).collect()
    }
}
