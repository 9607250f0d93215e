//! Orders that several planners share.

use std::cmp::Reverse;

use super::live_index::LiveIndex;
use crate::problem::{BufferId, Live, MemoryId, Problem, load};

/// Large before small, equal ones by position in the input.
pub fn by_size(problem: &Problem) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| (Reverse(problem.buffers[id].size), id));
    order
}

/// Large before small, equal ones by start of life, then by position in the input.
pub fn by_size_and_start(problem: &Problem) -> Vec<BufferId> {
    let mut order = by_size(problem);
    order.sort_by_key(|&id| (Reverse(problem.buffers[id].size), problem.buffers[id].live.start));
    order
}

/// One memory after the other: the steps by breadth, the sum of the sizes alive, broad before narrow, equal ones earlier
/// first; inside a step large before small, equal ones by position in the input. Each buffer comes at the first of its steps.
pub fn by_breadth(problem: &Problem) -> Vec<BufferId> {
    let mut order = Vec::with_capacity(problem.buffers.len());
    let mut waiting = LiveIndex::new(problem);
    for memory in problem.memories.ids() {
        let of_memory = |id: BufferId| problem.buffers[id].memory == memory;
        problem.buffers.ids().filter(|&id| of_memory(id)).for_each(|id| waiting.insert(id));
        for step in steps_by_breadth(problem, memory) {
            let mut here = waiting.meeting(Live::new(step, step + 1));
            here.sort_by_key(|&id| (Reverse(problem.buffers[id].size), id));
            here.iter().for_each(|&id| waiting.remove(id));
            order.extend(here);
        }
    }
    order
}

/// Only steps at which something is born: what is alive at any other step was alive at the last of these, too.
fn steps_by_breadth(problem: &Problem, memory: MemoryId) -> Vec<u32> {
    let breadth = load(problem, |id| problem.buffers[id].memory == memory);
    let mut steps = births(problem, memory);
    steps.sort_by_key(|&step| (Reverse(breadth[step as usize]), step));
    steps
}

/// The steps at which a buffer of a memory is born, ascending.
pub fn births(problem: &Problem, memory: MemoryId) -> Vec<u32> {
    let of_memory = problem.buffers.iter().filter(|buffer| buffer.memory == memory);
    let mut steps: Vec<u32> = of_memory.map(|buffer| buffer.live.start).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}
