//! A stretch of free bytes.

use memplan_core::base::align_up;

/// Free bytes `[start, end)`. The block above the highest live buffer has no end: `u64::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// First byte, from the base of the arena.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
}

impl Block {
    /// Returns the unbounded block from `start` on.
    pub fn above(start: u64) -> Block {
        Block { start, end: u64::MAX }
    }

    /// Whether it is the unbounded block.
    pub fn is_top(self) -> bool {
        self.end == u64::MAX
    }

    /// Returns its length in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// The lowest multiple of `align` inside at which `size` bytes fit.
    pub fn low_end(self, size: u64, align: u64) -> Option<u64> {
        let offset = align_up(self.start, align);
        (offset + size <= self.end).then_some(offset)
    }
}
