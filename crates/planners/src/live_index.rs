//! Which buffers of a set are alive together with a range of steps, in `O(k log n)` for `k`
//! answers: a tree over the starts of all buffers that knows the latest end beneath each node.

use memplan_core::base::{Id, IdVec};
use memplan_core::problem::{BufferId, Live, Problem};

/// Buffers, or other intervals, by the steps at which they live.
pub struct LiveIndex<I = BufferId> {
    /// Ends of all lives.
    ends: IdVec<I, u32>,
    /// Intervals by start of life.
    by_start: Vec<I>,
    /// Their starts in that order, side by side for a search in them.
    starts: Vec<u32>,
    /// Position of each interval in `by_start`.
    rank: IdVec<I, usize>,
    /// Latest end of a buffer of the set beneath each node of a binary tree whose root is 1; 0 if
    /// there is none.
    latest: Vec<u32>,
    leaves: usize,
}

/// Leaves that are looked at one after the other: they lie side by side, and a few comparisons take
/// less than a few calls.
const BLOCK: usize = 16;

impl LiveIndex {
    /// The empty set of buffers.
    pub fn new(problem: &Problem) -> LiveIndex {
        LiveIndex::over(&problem.buffers.iter().map(|buffer| buffer.live).collect())
    }
}

impl<I: Id> LiveIndex<I> {
    /// The empty set of intervals with these lives.
    pub fn over(lives: &IdVec<I, Live>) -> LiveIndex<I> {
        let mut by_start: Vec<I> = lives.ids().collect();
        by_start.sort_by_key(|&id| (lives[id].start, id));
        let mut rank = IdVec::from_elem(0, by_start.len());
        by_start.iter().enumerate().for_each(|(at, &id)| rank[id] = at);
        let leaves = by_start.len().next_power_of_two();
        let starts = by_start.iter().map(|&id| lives[id].start).collect();
        let ends = lives.iter().map(|live| live.end).collect();
        LiveIndex { ends, by_start, starts, rank, latest: vec![0; 2 * leaves], leaves }
    }

    /// Adds an interval.
    pub fn insert(&mut self, id: I) {
        self.set(id, self.ends[id]);
    }

    /// Takes an interval out.
    pub fn remove(&mut self, id: I) {
        self.set(id, 0);
    }

    fn set(&mut self, id: I, end: u32) {
        let mut node = self.leaves + self.rank[id];
        self.latest[node] = end;
        while node > 1 {
            node /= 2;
            let latest = self.latest[2 * node].max(self.latest[2 * node + 1]);
            // Then nothing changes further up either.
            if self.latest[node] == latest {
                return;
            }
            self.latest[node] = latest;
        }
    }

    /// The intervals of the set whose lives meet `live`, by start.
    pub fn meeting(&self, live: Live) -> Vec<I> {
        let mut found = Vec::new();
        self.each_meeting(live, |id| found.push(id));
        found
    }

    /// Visits them in that order.
    pub fn each_meeting(&self, live: Live, mut visit: impl FnMut(I)) {
        // Only those that start before `live` ends; of these, whole subtrees that end too early are
        // skipped.
        let born = self.starts.partition_point(|&start| start < live.end);
        self.walk(1, 0, self.leaves, (live.start, born), &mut visit);
    }

    /// The leaves beneath a node, which begin at `from`, that lie before `born` and end after
    /// `start`.
    fn walk(&self, node: usize, from: usize, width: usize, (start, born): (u32, usize), visit: &mut impl FnMut(I)) {
        if from >= born || self.latest[node] <= start {
            return;
        }
        if width <= BLOCK {
            let leaves = from..(from + width).min(born);
            let latest = &self.latest[self.leaves + leaves.start..self.leaves + leaves.end];
            let alive = latest.iter().zip(leaves).filter(|(latest, _)| **latest > start);
            return alive.for_each(|(_, leaf)| visit(self.by_start[leaf]));
        }
        let half = width / 2;
        self.walk(2 * node, from, half, (start, born), visit);
        self.walk(2 * node + 1, from + half, half, (start, born), visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::sample;

    #[test]
    fn it_finds_what_a_walk_over_all_finds() {
        let problem = sample(300, 7);
        let mut index = LiveIndex::new(&problem);
        let mut set = Vec::new();
        for (id, buffer) in problem.buffers.enumerate() {
            let mut expected: Vec<BufferId> = set
                .iter()
                .copied()
                .filter(|&other: &BufferId| problem.buffers[other].live.meets(buffer.live))
                .collect();
            let mut found = index.meeting(buffer.live);
            expected.sort();
            found.sort();
            assert_eq!(found, expected);
            index.insert(id);
            set.push(id);
            if id.index() % 3 == 0 {
                let gone = set.remove(id.index() / 3 % set.len());
                index.remove(gone);
            }
        }
        assert!(!set.is_empty());
    }

    #[test]
    fn an_empty_problem_has_no_answers() {
        let problem = Problem::default();
        assert_eq!(LiveIndex::new(&problem).meeting(Live::new(0, 1)), []);
    }
}
