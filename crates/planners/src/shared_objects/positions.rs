//! Positional maxima: entry `p` is the largest `p`-th largest size over all steps. Their sum is a
//! lower bound on the total of any set of shared objects.
//!
//! Entry `p` is at least `s` exactly when some step has `p + 1` buffers of size `s` or more alive.
//! So, adding the buffers from large to small to a tree over the steps, the largest count so far is
//! one more than the position of each size.

use super::super::orders;
use memplan_core::base::IdVec;
use memplan_core::problem::{BufferId, MemoryId, Problem};

/// The last entry of the positional maxima of its memory that is not smaller than the buffer, for
/// each buffer.
pub fn positions(problem: &Problem) -> IdVec<BufferId, u32> {
    let mut positions = IdVec::from_elem(0, problem.buffers.len());
    let by_size = orders::by_size(problem);
    for memory in problem.memories.ids() {
        let of_memory: Vec<BufferId> = of(problem, &by_size, memory);
        // Most buffers are alive at some step at which one is born.
        let births = orders::births(problem, memory);
        let mut counts = Counts::new(births.len());
        let at = |step: u32| births.partition_point(|&birth| birth < step);
        for equal in of_memory.chunk_by(|&a, &b| problem.buffers[a].size == problem.buffers[b].size) {
            for &id in equal {
                let live = problem.buffers[id].live;
                counts.add(1, 0, counts.width, at(live.start), at(live.end));
            }
            equal.iter().for_each(|&id| positions[id] = counts.largest[1] - 1);
        }
    }
    positions
}

fn of(problem: &Problem, order: &[BufferId], memory: MemoryId) -> Vec<BufferId> {
    order.iter().copied().filter(|&id| problem.buffers[id].memory == memory).collect()
}

/// Buffers alive at each step in question, as a binary tree whose root is 1.
struct Counts {
    width: usize,
    /// Added to every step beneath a node.
    all: Vec<u32>,
    /// Largest count beneath a node, with what was added to it as a whole.
    largest: Vec<u32>,
}

impl Counts {
    fn new(steps: usize) -> Counts {
        let width = steps.next_power_of_two();
        Counts { width, all: vec![0; 2 * width], largest: vec![0; 2 * width] }
    }

    /// Adds one at the steps numbered `[start, end)` that lie in the `width` steps from `from` on,
    /// which `node` covers.
    fn add(&mut self, node: usize, from: usize, width: usize, start: usize, end: usize) {
        if end <= from || from + width <= start {
            return;
        }
        if start <= from && from + width <= end {
            self.all[node] += 1;
            self.largest[node] += 1;
            return;
        }
        let half = width / 2;
        self.add(2 * node, from, half, start, end);
        self.add(2 * node + 1, from + half, half, start, end);
        self.largest[node] = self.all[node] + self.largest[2 * node].max(self.largest[2 * node + 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::sample;

    #[test]
    fn they_are_those_of_the_definition() {
        for seed in 0..5 {
            let problem = sample(90, seed);
            let mut maxima: Vec<u64> = Vec::new();
            for step in 0..problem.steps {
                let alive = problem.buffers.iter().filter(|buffer| buffer.live.contains(step));
                let mut sizes: Vec<u64> = alive.map(|buffer| buffer.size).collect();
                sizes.sort_by_key(|&size| std::cmp::Reverse(size));
                maxima.resize(maxima.len().max(sizes.len()), 0);
                sizes.iter().enumerate().for_each(|(at, &size)| maxima[at] = maxima[at].max(size));
            }
            let found = positions(&problem);
            for (id, buffer) in problem.buffers.enumerate() {
                let expected = maxima.iter().filter(|&&maximum| maximum >= buffer.size).count() - 1;
                assert_eq!(found[id], expected as u32, "{}", buffer.name);
            }
        }
    }
}
