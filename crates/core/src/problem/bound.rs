//! Load over time and the lower bound: the most bytes alive at one step, for each memory the graph
//! fixes.

use super::{BufferId, Load, MemoryId, Problem, loads};
use crate::base::{Id, IdVec};

/// Largest load, unpadded, summed over the memories. No plan that keeps this order and shares only
/// dead bytes is smaller. Rounded-up sizes would not be a bound: the topmost buffer needs no
/// padding.
pub fn lower_bound(problem: &Problem) -> u64 {
    lower_bound_of(problem, |_| true)
}

/// The bound of some of the buffers.
pub fn lower_bound_of(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> u64 {
    lower_bounds(problem, wanted).iter().copied().fold(0, u64::saturating_add)
}

/// The bound of some of the buffers in each memory.
pub fn lower_bounds(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> IdVec<MemoryId, u64> {
    let mut bounds: Vec<u64> = loads(problem, &wanted).iter().map(Load::max).collect();
    // With gaps a buffer may be larger than any load.
    let holed = problem.buffers.enumerate().filter(|(id, buffer)| !buffer.gaps.is_empty() && wanted(*id));
    for (_, buffer) in holed {
        if let Some(bound) = bounds.get_mut(buffer.memory.index()) {
            *bound = buffer.size.max(*bound);
        }
    }
    bounds.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::problem::{Buffer, Gap, Live, Memory, load};

    fn buffer(size: u64, start: u32, end: u32, memory: u32) -> Buffer {
        Buffer { memory: MemoryId(memory), ..Buffer::of(format!("b{size}"), size, Live::new(start, end)) }
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
        assert_eq!(load(&problem, |_| true).by_step(3), [4, 7, 12]);
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
        assert_eq!((load(&problem, |_| true).by_step(3), lower_bound(&problem)), (vec![10, 6, 10], 10));
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(0, 3), window: None }];
        assert_eq!((load(&problem, |_| true).by_step(3), lower_bound(&problem)), (vec![0, 4, 0], 10));
    }
}
