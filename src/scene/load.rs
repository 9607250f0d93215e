//! Bytes alive over time, stored where they change: a run of 200 000 steps and many pools stays small.

use crate::base::Arrange;
use crate::problem::{BufferId, Problem};

/// A step curve.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// `(step, bytes from this step on)`, steps rising; before the first 0 bytes.
    changes: Vec<(u32, u64)>,
}

impl Load {
    /// The load of some buffers.
    pub fn of(problem: &Problem, buffers: impl Iterator<Item = BufferId>) -> Load {
        let mut edges: Vec<(u32, i64)> = Vec::new();
        for buffer in buffers.map(|id| &problem.buffers[id]).filter(|buffer| buffer.size > 0) {
            edges.push((buffer.live.start, buffer.size as i64));
            edges.push((buffer.live.end, -(buffer.size as i64)));
        }
        edges.arrange_by_key(|&(step, _)| step);
        let mut changes: Vec<(u32, u64)> = Vec::new();
        let mut bytes = 0i64;
        for (step, change) in edges {
            bytes += change;
            match changes.last_mut() {
                Some(last) if last.0 == step => last.1 = bytes as u64,
                _ => changes.push((step, bytes as u64)),
            }
        }
        changes.dedup_by_key(|&mut (_, bytes)| bytes);
        Load { changes }
    }

    /// Bytes alive at a step.
    pub fn at(&self, step: u32) -> u64 {
        let after = self.changes.partition_point(|&(from, _)| from <= step);
        if after == 0 { 0 } else { self.changes[after - 1].1 }
    }

    /// The largest load: no plan of these buffers is lower.
    pub fn max(&self) -> u64 {
        self.changes.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }

    /// The first step of the largest load.
    pub fn peak_step(&self) -> u32 {
        let max = self.max();
        self.changes.iter().find(|&&(_, bytes)| bytes == max).map_or(0, |&(step, _)| step)
    }

    /// The stretches of equal load that meet `from..to`, cut to it: `(first step, step after, bytes)`.
    pub fn stretches(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        let before = self.changes.partition_point(|&(step, _)| step <= from);
        let first = if before == 0 { 0 } else { self.changes[before - 1].1 };
        let inside = self.changes[before..].iter().copied().take_while(move |&(step, _)| step < to);
        let starts = std::iter::once((from, first)).chain(inside);
        let ends = self.changes[before..].iter().map(|&(step, _)| step).chain(std::iter::once(to));
        starts
            .zip(ends)
            .map(move |((start, bytes), end)| (start, end.min(to), bytes))
            .filter(|(start, end, _)| start < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_the_window_without_gap() {
        let load = Load { changes: vec![(2, 5), (4, 9), (8, 0)] };
        let all: Vec<_> = load.stretches(0, 10).collect();
        assert_eq!(all, [(0, 2, 0), (2, 4, 5), (4, 8, 9), (8, 10, 0)]);
        assert_eq!(load.stretches(5, 6).collect::<Vec<_>>(), [(5, 6, 9)]);
        assert_eq!(load.stretches(4, 9).collect::<Vec<_>>(), [(4, 8, 9), (8, 9, 0)]);
        assert_eq!((load.at(1), load.at(2), load.at(7), load.max(), load.peak_step()), (0, 5, 9, 9, 4));
    }
}
