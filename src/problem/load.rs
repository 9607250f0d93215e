//! Bytes alive over time, stored where they change: a run of 200 000 steps and many pools stays small.

use super::{Buffer, BufferId, MemoryId, Problem};
use crate::base::{Arrange, IdVec};

/// A step curve.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// `(step, bytes from this step on)`, steps rising; before the first 0 bytes.
    changes: Vec<(u32, u64)>,
}

impl Load {
    /// The load of some buffers, each with all its bytes through all of its life, whatever its gaps.
    pub fn of(problem: &Problem, buffers: impl Iterator<Item = BufferId>) -> Load {
        let mut edges = Vec::new();
        for buffer in buffers.map(|id| &problem.buffers[id]) {
            Edge::push(&mut edges, buffer.live.start, buffer.live.end, buffer.size);
        }
        Load::from_edges(edges)
    }

    fn from_edges(mut edges: Vec<Edge>) -> Load {
        edges.arrange_by_key(|edge| edge.step);
        let mut changes: Vec<(u32, u64)> = Vec::new();
        let mut bytes = 0i128;
        for Edge { step, begins, size } in edges {
            bytes += if begins { i128::from(size) } else { -i128::from(size) };
            let held = u64::try_from(bytes.max(0)).unwrap_or(u64::MAX);
            match changes.last_mut() {
                Some(last) if last.0 == step => last.1 = held,
                _ => changes.push((step, held)),
            }
        }
        changes.dedup_by_key(|&mut (_, bytes)| bytes);
        Load { changes }
    }

    /// Bytes at each of the first `steps` steps. For runs whose steps are nodes of a graph: a list of buffers may have thousands
    /// of millions of steps.
    pub fn by_step(&self, steps: u32) -> Vec<u64> {
        self.stretches(0, steps).flat_map(|(start, end, bytes)| (start..end).map(move |_| bytes)).collect()
    }

    /// Where the curve changes: `(step, bytes from this step on)`, steps rising.
    pub(super) fn changes(&self) -> &[(u32, u64)] {
        &self.changes
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

/// A buffer, or a part of one, that begins or ends to be in use.
struct Edge {
    step: u32,
    begins: bool,
    size: u64,
}

impl Edge {
    fn push(edges: &mut Vec<Edge>, start: u32, end: u32, size: u64) {
        if size > 0 && start < end {
            edges.push(Edge { step: start, begins: true, size });
            edges.push(Edge { step: end, begins: false, size });
        }
    }

    /// What of a buffer is in use, without its gaps.
    fn push_used(edges: &mut Vec<Edge>, buffer: &Buffer) {
        if buffer.gaps.is_empty() {
            return Edge::push(edges, buffer.live.start, buffer.live.end, buffer.size);
        }
        for span in buffer.spans() {
            Edge::push(edges, span.live.start, span.live.end, span.high - span.low);
        }
    }
}

/// Bytes in use over time of the buffers that `wanted` picks, all memories together.
pub fn load(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> Load {
    let mut edges = Vec::new();
    for (_, buffer) in problem.buffers.enumerate().filter(|(id, _)| wanted(*id)) {
        Edge::push_used(&mut edges, buffer);
    }
    Load::from_edges(edges)
}

/// The same for each memory.
pub fn loads(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> IdVec<MemoryId, Load> {
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    edges.resize_with(problem.memories.len(), Vec::new);
    for (_, buffer) in problem.buffers.enumerate().filter(|(id, _)| wanted(*id)) {
        if let Some(edges) = edges.get_mut(buffer.memory.0 as usize) {
            Edge::push_used(edges, buffer);
        }
    }
    edges.into_iter().map(Load::from_edges).collect()
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
        assert_eq!(load.by_step(9), [0, 0, 5, 5, 9, 9, 9, 9, 0]);
        assert_eq!((load.at(1), load.at(2), load.at(7), load.max(), load.peak_step()), (0, 5, 9, 9, 4));
    }
}
