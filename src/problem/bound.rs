//! Load over time and the lower bound: the most bytes alive at one step, for each memory the graph fixes.

use super::{BufferId, MemoryId, Problem};
use crate::base::Id;

/// Bytes alive at each step.
pub type Load = Vec<u64>;

/// Bytes alive at each step of the buffers that `wanted` picks, all memories together.
pub fn load(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> Load {
    let mut change = vec![0i64; problem.steps as usize + 1];
    for (id, buffer) in problem.buffers.enumerate() {
        if wanted(id) {
            change[buffer.live.start as usize] += buffer.size as i64;
            change[buffer.live.end as usize] -= buffer.size as i64;
        }
    }
    let mut live = 0;
    let sum = |change: &i64| {
        live += change;
        live as u64
    };
    change[..problem.steps as usize].iter().map(sum).collect()
}

/// Largest load, unpadded, summed over the memories. No plan that keeps this order and shares only dead bytes is
/// smaller. Rounded-up sizes would not be a bound: the topmost buffer needs no padding.
pub fn lower_bound(problem: &Problem) -> u64 {
    lower_bound_of(problem, |_| true)
}

/// The bound of some of the buffers.
pub fn lower_bound_of(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> u64 {
    let of_memory = |memory: MemoryId| {
        load(problem, |id| problem.buffers[id].memory == memory && wanted(id)).into_iter().max().unwrap_or(0)
    };
    (0..problem.memories.len()).map(MemoryId::from_index).map(of_memory).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Kind;
    use crate::problem::{Buffer, Live, Memory};

    fn buffer(size: u64, start: u32, end: u32, memory: u32) -> Buffer {
        Buffer {
            name: format!("b{size}"),
            size,
            live: Live::new(start, end),
            align: 1,
            memory: MemoryId(memory),
            kind: Kind::Intermediate,
            fixed: None,
            tensors: vec![],
        }
    }

    #[test]
    fn the_bound_is_summed_over_memories_that_peak_at_different_steps() {
        let memory = |device: &str| Memory { device: device.into(), mem_id: None };
        let problem = Problem {
            buffers: vec![buffer(4, 0, 2, 0), buffer(3, 1, 3, 0), buffer(9, 2, 3, 1)].into(),
            memories: vec![memory("cpu"), memory("gpu")].into(),
            steps: 3,
            ..Problem::default()
        };
        assert_eq!(load(&problem, |_| true), [4, 7, 12]);
        assert_eq!(lower_bound(&problem), 7 + 9);
    }
}
