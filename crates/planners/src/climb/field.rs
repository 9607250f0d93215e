//! Who is in whose way: the buffers with bytes as plain numbers, each with the list of its
//! neighbours.

use memplan_core::base::align_up;
use memplan_core::problem::{Branches, BufferId, Problem, lower_bounds};

/// Everything about the buffers that a climb looks at, by position in the input without the empty
/// ones.
pub struct Field {
    pub ids: Vec<BufferId>,
    pub sizes: Vec<u64>,
    /// Sizes rounded up to the buffer's own alignment, in bytes.
    pub rooms: Vec<u64>,
    pub aligns: Vec<u64>,
    /// Index of the memory.
    pub memories: Vec<usize>,
    /// Lower bound of each memory in bytes.
    pub bounds: Vec<u64>,
    /// Where the neighbours of each begin in `others`; one more at the end.
    begins: Vec<usize>,
    others: Vec<u32>,
}

impl Field {
    /// Finds the neighbours; none if there are more than `limit` pairs.
    pub fn new(problem: &Problem, branches: &Branches, limit: usize) -> Option<Field> {
        let ids: Vec<BufferId> = problem.buffers.ids().filter(|&id| problem.buffers[id].size > 0).collect();
        let pairs = pairs(problem, branches, &ids, limit)?;
        let mut begins = vec![0; ids.len() + 1];
        for &(a, b) in &pairs {
            begins[a as usize + 1] += 1;
            begins[b as usize + 1] += 1;
        }
        for index in 1..begins.len() {
            begins[index] += begins[index - 1];
        }
        let mut ends = begins.clone();
        let mut others = vec![0; 2 * pairs.len()];
        for &(a, b) in &pairs {
            for (of, other) in [(a, b), (b, a)] {
                let end = &mut ends[of as usize];
                others[*end] = other;
                *end += 1;
            }
        }
        let buffers = || ids.iter().map(|&id| &problem.buffers[id]);
        Some(Field {
            sizes: buffers().map(|buffer| buffer.size).collect(),
            rooms: buffers().map(|buffer| align_up(buffer.size, buffer.align)).collect(),
            aligns: buffers().map(|buffer| buffer.align).collect(),
            memories: buffers().map(|buffer| buffer.memory.0 as usize).collect(),
            bounds: lower_bounds(problem, |_| true).as_slice().to_vec(),
            ids,
            begins,
            others,
        })
    }

    /// Those that may share no byte with this one.
    pub fn neighbours(&self, of: u32) -> &[u32] {
        &self.others[self.begins[of as usize]..self.begins[of as usize + 1]]
    }

    /// Sum of the lower bounds in bytes.
    pub fn bound(&self) -> u64 {
        self.bounds.iter().sum()
    }
}

/// Pairs of positions in `ids`, of one memory, that are alive together or must be kept parallel.
fn pairs(problem: &Problem, branches: &Branches, ids: &[BufferId], limit: usize) -> Option<Vec<(u32, u32)>> {
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    let buffer = |at: u32| &problem.buffers[ids[at as usize]];
    order.sort_by_key(|&at| (buffer(at).live.start, at));
    let mut pairs = Vec::new();
    let mut before: Vec<u32> = Vec::new();
    for at in order {
        let here = buffer(at);
        if !branches.is_on() {
            before.retain(|&other| buffer(other).live.end > here.live.start);
        }
        let id = ids[at as usize];
        let in_the_way = |other: u32| {
            let there = buffer(other);
            there.memory == here.memory && (there.live.meets(here.live) || !branches.allow(ids[other as usize], id))
        };
        pairs.extend(before.iter().filter(|&&other| in_the_way(other)).map(|&other| (other, at)));
        if pairs.len() > limit {
            return None;
        }
        before.push(at);
    }
    Some(pairs)
}
