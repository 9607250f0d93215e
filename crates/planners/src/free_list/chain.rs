//! The address space of one arena: free blocks between live buffers, and the unbounded one above
//! them all.
//!
//! First fit with the five buffers of [`memplan_core::problem`], in KiB. `.` is free; the last
//! block has no end:
//!
//! ```text
//!                0   1   2   3   4   5   6
//! take a         |   a   |   .   .   .   .    [2, …)
//! take b         |   a   | b |   .   .   .    [3, …)
//! release a      |   .   | b |   .   .   .    [0, 2) [3, …)
//! take c         |   .   | b |     c     |    [0, 2) [6, …)   c does not fit below b
//! take d         | d | . | b |     c     |    [1, 2) [6, …)
//! release d      |   .   | b |     c     |    [0, 2) [6, …)   joins the free block above
//! release b      |     .     |     c     |    [0, 3) [6, …)   joins the free block below
//! release c      |   .   .   .   .   .   .    [0, …)          joins both sides
//! take e         |       e       |   .   .    [4, …)
//! ```
//!
//! The plan. Its peak is 6 KiB where 5 are enough: `b` goes on top of `a` at step 1, and the 2 KiB
//! that `a` gives back at step 2 are too few for `c`.
//!
//! ```text
//!    5 |   .   .   c   c   .   .
//!    4 |   .   .   c   c   .   .
//!    3 |   .   .   c   c   e   e
//!    2 |   .   b   b   b   e   e
//!    1 |   a   a   .   .   e   e
//!    0 |   a   a   d   .   e   e
//!      +------------------------
//! step    0   1   2   3   4   5
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Fit;
use super::block::Block;
use super::length_tree::LengthTree;

/// What a policy searches in.
enum Index {
    First(LengthTree),
    /// Length, address.
    Best(BTreeSet<(u64, u64)>),
    /// Length, longest first, then address.
    Worst(BTreeSet<(Reverse<u64>, u64)>),
}

/// The free blocks of an arena; no two of them touch.
pub struct Chain {
    /// End of each bounded free block by its start.
    ends: BTreeMap<u64, u64>,
    /// End of the highest live buffer.
    top: u64,
    index: Index,
}

impl Chain {
    /// Returns a chain in which everything is free.
    pub fn new(fit: Fit) -> Chain {
        let index = match fit {
            Fit::First => Index::First(LengthTree::default()),
            Fit::Best => Index::Best(BTreeSet::new()),
            Fit::Worst => Index::Worst(BTreeSet::new()),
        };
        Chain { ends: BTreeMap::new(), top: 0, index }
    }

    /// All free blocks in address order, the unbounded one last.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        let bounded = self.ends.iter().map(|(&start, &end)| Block { start, end });
        bounded.chain([Block::above(self.top)])
    }

    /// End of the highest live buffer.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// The bounded block that the policy takes.
    pub fn find(&self, size: u64, align: u64) -> Option<Block> {
        let block = |start: u64, len: u64| Block { start, end: start + len };
        // A block that is long enough may still be too short once its start is aligned.
        let fits = |block: &Block| block.low_end(size, align).is_some();
        match &self.index {
            Index::First(tree) => {
                let mut from = 0;
                loop {
                    let found = tree.first(from, size)?;
                    if fits(&found) {
                        return Some(found);
                    }
                    from = found.end;
                }
            }
            Index::Best(lengths) => {
                lengths.range((size, 0)..).map(|&(len, start)| block(start, len)).find(|block| fits(block))
            }
            Index::Worst(lengths) => {
                let long_enough = lengths.iter().take_while(|(len, _)| len.0 >= size);
                long_enough.map(|&(len, start)| block(start, len.0)).find(|block| fits(block))
            }
        }
    }

    /// Takes `[start, end)`, which lies inside one free block, out of it.
    pub fn take(&mut self, start: u64, end: u64) {
        if start >= self.top {
            if self.top < start {
                self.insert(self.top, start);
            }
            self.top = end;
            return;
        }
        let Some((&from, &to)) = self.ends.range(..=start).next_back() else { return };
        debug_assert!(end <= to, "taken bytes are free");
        self.remove(from, to);
        if from < start {
            self.insert(from, start);
        }
        if end < to {
            self.insert(end, to);
        }
    }

    /// Gives `[start, end)` back and joins it with free neighbours.
    pub fn release(&mut self, mut start: u64, mut end: u64) {
        if let Some((&from, &to)) = self.ends.range(..start).next_back()
            && to == start
        {
            self.remove(from, to);
            start = from;
        }
        if end == self.top {
            self.top = start;
            return;
        }
        if let Some(&to) = self.ends.get(&end) {
            self.remove(end, to);
            end = to;
        }
        self.insert(start, end);
    }

    fn insert(&mut self, start: u64, end: u64) {
        self.ends.insert(start, end);
        match &mut self.index {
            Index::First(tree) => tree.insert(Block { start, end }),
            Index::Best(lengths) => _ = lengths.insert((end - start, start)),
            Index::Worst(lengths) => _ = lengths.insert((Reverse(end - start), start)),
        }
    }

    fn remove(&mut self, start: u64, end: u64) {
        self.ends.remove(&start);
        match &mut self.index {
            Index::First(tree) => tree.remove(start),
            Index::Best(lengths) => _ = lengths.remove(&(end - start, start)),
            Index::Worst(lengths) => _ = lengths.remove(&(Reverse(end - start), start)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(chain: &Chain) -> Vec<(u64, u64)> {
        chain.blocks().map(|block| (block.start, block.end)).collect()
    }

    #[test]
    fn released_bytes_join_both_neighbours_and_the_top() {
        for fit in [Fit::First, Fit::Best, Fit::Worst] {
            let mut chain = Chain::new(fit);
            chain.take(0, 4);
            chain.take(4, 8);
            chain.take(8, 12);
            chain.take(12, 16);
            chain.release(0, 4);
            chain.release(8, 12);
            assert_eq!(blocks(&chain), [(0, 4), (8, 12), (16, u64::MAX)]);
            chain.release(4, 8);
            assert_eq!(blocks(&chain), [(0, 12), (16, u64::MAX)]);
            chain.take(2, 5);
            assert_eq!(blocks(&chain), [(0, 2), (5, 12), (16, u64::MAX)]);
            chain.release(12, 16);
            assert_eq!(blocks(&chain), [(0, 2), (5, u64::MAX)]);
            chain.release(2, 5);
            assert_eq!(blocks(&chain), [(0, u64::MAX)]);
        }
    }

    #[test]
    fn bytes_skipped_for_alignment_stay_free() {
        let mut chain = Chain::new(Fit::First);
        chain.take(0, 3);
        chain.take(8, 16);
        assert_eq!(blocks(&chain), [(3, 8), (16, u64::MAX)]);
        assert_eq!(chain.find(4, 4), Some(Block { start: 3, end: 8 }));
        assert_eq!(chain.find(5, 4), None);
    }
}
