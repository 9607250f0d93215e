//! Load over time and the lower bound: the most bytes alive at one step, for each memory the graph fixes.

use super::{BufferId, Live, MemoryId, Problem};
use crate::base::Id;

/// Bytes alive at each step.
pub type Load = Vec<u64>;

/// Bytes in use at each step of the buffers that `wanted` picks, all memories together.
pub fn load(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> Load {
    let mut change = vec![0i64; problem.steps as usize + 1];
    for (id, buffer) in problem.buffers.enumerate() {
        if wanted(id) {
            let mut add = |live: Live, bytes: u64| {
                change[live.start as usize] += bytes as i64;
                change[live.end as usize] -= bytes as i64;
            };
            match buffer.gaps.as_slice() {
                [] => add(buffer.live, buffer.size),
                _ => buffer.spans().into_iter().for_each(|span| add(span.live, span.high - span.low)),
            }
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
        let wanted = |id| problem.buffers[id].memory == memory && wanted(id);
        // With gaps a buffer may be larger than any load.
        let holed = problem.buffers.enumerate().filter(|(id, buffer)| !buffer.gaps.is_empty() && wanted(*id));
        let largest = holed.map(|(_, buffer)| buffer.size).max();
        load(problem, wanted).into_iter().max().max(largest).unwrap_or(0)
    };
    (0..problem.memories.len()).map(MemoryId::from_index).map(of_memory).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Kind;
    use crate::problem::{Buffer, Gap, Live, Memory};

    fn buffer(size: u64, start: u32, end: u32, memory: u32) -> Buffer {
        Buffer {
            name: format!("b{size}"),
            size,
            live: Live::new(start, end),
            align: 1,
            memory: MemoryId(memory),
            kind: Kind::Intermediate,
            fixed: None,
            gaps: vec![],
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

    #[test]
    fn a_gap_takes_its_bytes_out_of_the_load_but_not_out_of_the_arena() {
        let mut problem = Problem {
            buffers: vec![buffer(10, 0, 3, 0), buffer(4, 1, 2, 0)].into(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: 3,
            ..Problem::default()
        };
        assert_eq!(lower_bound(&problem), 14);
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(1, 2), window: Some((8, 10)) }];
        assert_eq!((load(&problem, |_| true), lower_bound(&problem)), (vec![10, 6, 10], 10));
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(0, 3), window: None }];
        assert_eq!((load(&problem, |_| true), lower_bound(&problem)), (vec![0, 4, 0], 10));
    }
}
