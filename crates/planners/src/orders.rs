//! Orders that several planners share.

use std::cmp::Reverse;

use super::live_index::LiveIndex;
use memplan_core::base::IdVec;
use memplan_core::problem::{Buffer, BufferId, Live, MemoryId, Problem, load};
use memplan_core::trace::{Event, Note};

/// Large before small, equal ones by position in the input.
pub fn by_size(problem: &Problem) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    // Reading the sizes of a million buffers again for each comparison would take longer than the
    // sort itself.
    order.sort_by_cached_key(|&id| Reverse(problem.buffers[id].size));
    order
}

/// Large before small, equal ones by start of life, then by position in the input.
pub fn by_size_and_start(problem: &Problem) -> Vec<BufferId> {
    let mut order = by_size(problem);
    order.sort_by_key(|&id| (Reverse(problem.buffers[id].size), problem.buffers[id].live.start));
    order
}

/// One memory after the other: the steps by breadth, the sum of the sizes alive, broad before
/// narrow, equal ones earlier first; inside a step large before small, equal ones by position in
/// the input. Each buffer comes at the first of its steps.
pub fn by_breadth(problem: &Problem) -> Vec<BufferId> {
    by_breadth_with_notes(problem).into_iter().map(|(id, _)| id).collect()
}

/// The same, each with the note of its step.
pub fn by_breadth_with_notes(problem: &Problem) -> Vec<(BufferId, Event)> {
    let mut order = Vec::with_capacity(problem.buffers.len());
    let mut waiting = LiveIndex::new(problem);
    for memory in problem.memories.ids() {
        let of_memory = |id: BufferId| problem.buffers[id].memory == memory;
        problem.buffers.ids().filter(|&id| of_memory(id)).for_each(|id| waiting.insert(id));
        for (step, breadth) in steps_by_breadth(problem, memory) {
            let mut here = waiting.meeting(Live::new(step, step + 1));
            here.sort_by_key(|&id| (Reverse(problem.buffers[id].size), id));
            here.iter().for_each(|&id| waiting.remove(id));
            let note = |id: BufferId| Event::Note { note: Note::Breadth, subject: id.0, a: step.into(), b: breadth };
            order.extend(here.into_iter().map(|id| (id, note(id))));
        }
    }
    order
}

/// Steps with their breadths, only those at which something is born: what is alive at any other
/// step was alive at the last of these, too.
fn steps_by_breadth(problem: &Problem, memory: MemoryId) -> Vec<(u32, u64)> {
    let breadth = load(problem, |id| problem.buffers[id].memory == memory);
    let mut steps = births(problem, memory);
    steps.sort_by_key(|&step| (Reverse(breadth.at(step)), step));
    steps.into_iter().map(|step| (step, breadth.at(step))).collect()
}

/// The steps at which a buffer of a memory is born, ascending.
pub fn births(problem: &Problem, memory: MemoryId) -> Vec<u32> {
    let of_memory = problem.buffers.iter().filter(|buffer| buffer.memory == memory);
    let mut steps: Vec<u32> = of_memory.map(|buffer| buffer.live.start).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// How many buffers of the same memory are alive at some step of each one's life.
pub fn conflicts(problem: &Problem) -> IdVec<BufferId, u32> {
    let mut starts: IdVec<MemoryId, Vec<u32>> = IdVec::from_elem(Vec::new(), problem.memories.len());
    let mut ends = starts.clone();
    for buffer in problem.buffers.iter() {
        starts[buffer.memory].push(buffer.live.start);
        ends[buffer.memory].push(buffer.live.end);
    }
    starts.iter_mut().chain(ends.iter_mut()).for_each(|times| times.sort_unstable());
    let count = |buffer: &Buffer| {
        let begun = starts[buffer.memory].partition_point(|&start| start < buffer.live.end);
        let over = ends[buffer.memory].partition_point(|&end| end <= buffer.live.start);
        // Itself began and is not over.
        (begun - over - 1) as u32
    };
    problem.buffers.iter().map(count).collect()
}

/// The note of the conflicts of a buffer.
pub fn conflicts_note(conflicts: &IdVec<BufferId, u32>, id: BufferId) -> Event {
    Event::Note { note: Note::Conflicts, subject: id.0, a: conflicts[id].into(), b: 0 }
}

/// Large before small, equal ones with more conflicts first, then the last by name.
pub fn by_size_and_conflicts(problem: &Problem, conflicts: &IdVec<BufferId, u32>) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| {
        let buffer = &problem.buffers[id];
        (Reverse(buffer.size), Reverse(conflicts[id]), Reverse(buffer.name.as_str()), id)
    });
    order
}
