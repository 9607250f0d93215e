//! Which children of a temporal node a range of steps crosses, without asking each of them.
//!
//! Children take turns: their ranges are disjoint, but for empty ones, which lie where another begins. So one ordered set of all
//! their ranges answers, and the child is found by its start.

use std::collections::BTreeSet;

use crate::trace::TreeNodeId;

/// Children from which on a node has such a set.
pub const MANY: usize = 8;

/// The ranges `[begin, end)` of all children of a node, each with its child.
#[derive(Clone, Debug, Default)]
pub struct Crossings(BTreeSet<(u32, u32, TreeNodeId)>);

impl Crossings {
    /// Adds the ranges of a child.
    pub fn add(&mut self, child: TreeNodeId, ranges: &[(u32, u32)]) {
        self.0.extend(ranges.iter().map(|&(begin, end)| (begin, end, child)));
    }

    /// Puts a range of a child in place of those of the same child that it has merged with.
    pub fn merge(&mut self, child: TreeNodeId, (begin, end): (u32, u32)) {
        let first = (begin, 0, TreeNodeId(0));
        let last = (end, u32::MAX, TreeNodeId(u32::MAX));
        let merged: Vec<_> = self.0.range(first..=last).filter(|(.., of)| *of == child).copied().collect();
        merged.iter().for_each(|range| _ = self.0.remove(range));
        self.0.insert((begin, end, child));
    }

    /// How many children a block crosses in time, counted up to 2, and one of them. What crosses is as in
    /// [`overlap`](super::search::overlap).
    pub fn of(&self, (begin, end): (u32, u32)) -> (u32, Option<TreeNodeId>) {
        let mut crossed = None;
        // What begins before the block ends, the latest first.
        let before = if begin < end { (end, 0, TreeNodeId(0)) } else { (begin + 1, 0, TreeNodeId(0)) };
        for &(from, to, child) in self.0.range(..before).rev() {
            // Of what had begun when the block did, only the last range that is not empty can still go on.
            let is_last = from <= begin && from < to;
            if from > begin || is_last && to > begin {
                if crossed.is_some_and(|other| other != child) {
                    return (2, crossed);
                }
                crossed = Some(child);
            }
            if is_last {
                break;
            }
        }
        (crossed.is_some().into(), crossed)
    }
}
