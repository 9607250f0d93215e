//! Which buffers of a set are alive together with a range of steps, in `O(k log n)` for `k` answers: a tree over the starts
//! of all buffers that knows the latest end beneath each node.

use crate::base::IdVec;
use crate::problem::{BufferId, Live, Problem};

pub struct LiveIndex<'a> {
    problem: &'a Problem,
    /// Buffers by start of life.
    by_start: Vec<BufferId>,
    /// Position of each buffer in `by_start`.
    rank: IdVec<BufferId, usize>,
    /// Latest end of a buffer of the set beneath each node of a binary tree whose root is 1; 0 if there is none.
    latest: Vec<u32>,
    leaves: usize,
}

impl<'a> LiveIndex<'a> {
    /// The empty set.
    pub fn new(problem: &'a Problem) -> LiveIndex<'a> {
        let mut by_start: Vec<BufferId> = problem.buffers.ids().collect();
        by_start.sort_by_key(|&id| (problem.buffers[id].live.start, id));
        let mut rank = IdVec::from_elem(0, by_start.len());
        by_start.iter().enumerate().for_each(|(at, &id)| rank[id] = at);
        let leaves = by_start.len().next_power_of_two();
        LiveIndex { problem, by_start, rank, latest: vec![0; 2 * leaves], leaves }
    }

    pub fn insert(&mut self, id: BufferId) {
        self.set(id, self.problem.buffers[id].live.end);
    }

    pub fn remove(&mut self, id: BufferId) {
        self.set(id, 0);
    }

    fn set(&mut self, id: BufferId, end: u32) {
        let mut node = self.leaves + self.rank[id];
        self.latest[node] = end;
        while node > 1 {
            node /= 2;
            self.latest[node] = self.latest[2 * node].max(self.latest[2 * node + 1]);
        }
    }

    /// The buffers of the set whose lives meet `live`, by start.
    pub fn meeting(&self, live: Live) -> Vec<BufferId> {
        // Only those that start before `live` ends; of these, whole subtrees that end too early are skipped.
        let born = self.by_start.partition_point(|&id| self.problem.buffers[id].live.start < live.end);
        let mut found = Vec::new();
        let mut stack = vec![(1, 0, self.leaves)];
        while let Some((node, from, width)) = stack.pop() {
            if from >= born || self.latest[node] <= live.start {
                continue;
            }
            if width == 1 {
                found.push(self.by_start[from]);
                continue;
            }
            let half = width / 2;
            stack.push((2 * node + 1, from + half, half));
            stack.push((2 * node, from, half));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;
    use crate::problem::sample;

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
