//! Bytes alive over time, stored where they change: a run of 200 000 steps and many pools stays
//! small.

use super::{Buffer, BufferId, MemoryId, Problem};
use crate::base::IdVec;

/// A step curve.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// `(step, bytes from this step on)`, steps rising; before the first 0 bytes.
    changes: Vec<(u32, u64)>,
    /// The most bytes of each [`BLOCK`] of them: a long curve is drawn without going through all of
    /// it.
    most: Vec<u64>,
}

/// Changes that have their largest load noted.
const BLOCK: usize = 128;

/// The most bytes of some changes.
fn most(changes: &[(u32, u64)]) -> u64 {
    changes.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
}

impl Load {
    /// The load of some buffers: the bytes that they use.
    pub fn of(problem: &Problem, buffers: impl Iterator<Item = BufferId>) -> Load {
        let mut edges = Vec::with_capacity(2 * buffers.size_hint().0);
        for buffer in buffers.map(|id| &problem.buffers[id]) {
            Edge::push_used(&mut edges, buffer);
        }
        Load::from_edges(edges)
    }

    /// The load of stretches of time, each with its first step, the step after it, and its bytes.
    pub fn of_spans(spans: impl Iterator<Item = (u32, u32, u64)>) -> Load {
        let mut edges = Vec::with_capacity(2 * spans.size_hint().0);
        spans.for_each(|(start, end, bytes)| Edge::push(&mut edges, start, end, bytes));
        Load::from_edges(edges)
    }

    fn from_edges(edges: Vec<Edge>) -> Load {
        let mut bytes = 0i128;
        let mut changes: Vec<(u32, u64)> = Vec::new();
        for (step, more) in by_step(edges) {
            bytes += more;
            changes.push((step, u64::try_from(bytes.max(0)).unwrap_or(u64::MAX)));
        }
        changes.dedup_by_key(|&mut (_, bytes)| bytes);
        Load::of_changes(changes)
    }

    fn of_changes(changes: Vec<(u32, u64)>) -> Load {
        Load { most: changes.chunks(BLOCK).map(most).collect(), changes }
    }

    /// Bytes at each of the first `steps` steps. For runs whose steps are nodes of a graph: a list
    /// of buffers may have thousands of millions of steps.
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
        self.most.iter().copied().max().unwrap_or(0)
    }

    /// The most bytes after any of these changes.
    fn most_of(&self, from: usize, to: usize) -> u64 {
        let (first, last) = (from.next_multiple_of(BLOCK), to / BLOCK * BLOCK);
        if first >= last {
            return most(&self.changes[from..to]);
        }
        let blocks = self.most[first / BLOCK..last / BLOCK].iter().copied().max().unwrap_or(0);
        blocks.max(most(&self.changes[from..first])).max(most(&self.changes[last..to]))
    }

    /// The first step of the largest load.
    pub fn peak_step(&self) -> u32 {
        let max = self.max();
        let from = self.most.iter().position(|&most| most == max).map_or(0, |block| block * BLOCK);
        self.changes[from..].iter().find(|&&(_, bytes)| bytes == max).map_or(0, |&(step, _)| step)
    }

    /// The stretches that meet `from..to`, as many together as `are_one` takes for one by their
    /// first step and the step after them, each with its most bytes: `(first step, step after,
    /// bytes)`. What is one up to a step must be one up to all steps before it. Of a million
    /// stretches only the edges of those are looked at.
    pub fn summits(
        &self,
        from: u32,
        to: u32,
        are_one: impl Fn(u32, u32) -> bool,
    ) -> impl Iterator<Item = (u32, u32, u64)> {
        let before = self.changes.partition_point(|&(step, _)| step <= from);
        let after = before.max(self.changes.partition_point(|&(step, _)| step < to));
        let mut next = (from < to).then_some((from, before));
        // A stretch that begins at a step ends at the change of this number, or with the window.
        std::iter::from_fn(move || {
            let (start, number) = next?;
            let later = self.changes.get(number + 1..after).unwrap_or_default();
            let joined = later.partition_point(|&(end, _)| are_one(start, end));
            let last =
                if number < after && joined == later.len() && are_one(start, to) { after } else { number + joined };
            let bytes = self.most_of(number.saturating_sub(1), last);
            let end = if last < after { self.changes[last].0 } else { to };
            next = (last < after).then_some((end, last + 1));
            Some((start, end, bytes))
        })
    }

    /// The stretches of equal load that meet `from..to`, cut to it:
    /// `(first step, step after, bytes)`.
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

/// Most steps for each edge for which an array of all steps is quicker than sorting the edges.
const STEPS_PER_EDGE: usize = 4;

/// How many bytes more are in use from each step on at which something begins or ends, steps
/// rising.
fn by_step(mut edges: Vec<Edge>) -> Vec<(u32, i128)> {
    let first = edges.iter().map(|edge| edge.step).min().unwrap_or(0);
    let last = edges.iter().map(|edge| edge.step).max().unwrap_or(0);
    if ((last - first) as usize) < edges.len().saturating_mul(STEPS_PER_EDGE) {
        let mut more = vec![0i128; (last - first) as usize + 1];
        edges.iter().for_each(|edge| more[(edge.step - first) as usize] += edge.more());
        return (first..).zip(more).filter(|(_, more)| *more != 0).collect();
    }
    edges.sort_by_key(|edge| edge.step);
    let mut found: Vec<(u32, i128)> = Vec::new();
    for edge in edges {
        match found.last_mut() {
            Some(last) if last.0 == edge.step => last.1 += edge.more(),
            _ => found.push((edge.step, edge.more())),
        }
    }
    found
}

/// A buffer, or a part of one, that begins or ends to be in use.
struct Edge {
    step: u32,
    begins: bool,
    size: u64,
}

impl Edge {
    /// Bytes more in use behind it.
    fn more(&self) -> i128 {
        if self.begins { i128::from(self.size) } else { -i128::from(self.size) }
    }

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
    fn far_steps_give_the_same_curve_as_near_ones() {
        let lives = [(3, 5, 10), (3, 9, 7), (5, 6, 10), (6, 9, 4), (8, 12, 1), (0, 2, 0)];
        let curve = |times: u32| {
            let mut edges = Vec::new();
            lives.iter().for_each(|&(start, end, size)| Edge::push(&mut edges, start * times, end * times, size));
            Load::from_edges(edges).changes
        };
        let near = [(3, 17), (6, 11), (8, 12), (9, 1), (12, 0)];
        assert_eq!(curve(1), near);
        assert_eq!(curve(1_000_000), near.map(|(step, bytes)| (step * 1_000_000, bytes)));
        assert_eq!(Load::from_edges(Vec::new()), Load::default());
    }

    #[test]
    fn stretches_cover_the_window_without_gap() {
        let load = Load::of_changes(vec![(2, 5), (4, 9), (8, 0)]);
        let all: Vec<_> = load.stretches(0, 10).collect();
        assert_eq!(all, [(0, 2, 0), (2, 4, 5), (4, 8, 9), (8, 10, 0)]);
        assert_eq!(load.stretches(5, 6).collect::<Vec<_>>(), [(5, 6, 9)]);
        assert_eq!(load.stretches(4, 9).collect::<Vec<_>>(), [(4, 8, 9), (8, 9, 0)]);
        assert_eq!(load.by_step(9), [0, 0, 5, 5, 9, 9, 9, 9, 0]);
        assert_eq!((load.at(1), load.at(2), load.at(7), load.max(), load.peak_step()), (0, 5, 9, 9, 4));
    }
    /// What [`Load::summits`] gives, one stretch after the other.
    fn plain_summits(load: &Load, from: u32, to: u32, are_one: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32, u64)> {
        let mut found: Vec<(u32, u32, u64)> = Vec::new();
        for (start, end, bytes) in load.stretches(from, to) {
            match found.last_mut() {
                Some(last) if are_one(last.0, end) => (last.1, last.2) = (end, last.2.max(bytes)),
                _ => found.push((start, end, bytes)),
            }
        }
        found
    }

    #[test]
    fn summits_are_the_stretches_put_together() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for changes in [0, 1, 3, BLOCK as u64, 5 * BLOCK as u64 + 7] {
            let mut step = 0;
            let mut change = |_| {
                step += 1 + random(9) as u32;
                (step, 1 + random(1000))
            };
            let load = Load::of_changes((0..changes).map(&mut change).collect());
            assert_eq!(load.max(), most(&load.changes));
            let peak = load.changes.iter().find(|change| change.1 == load.max()).map_or(0, |change| change.0);
            assert_eq!(load.peak_step(), peak);
            for (from, to) in [(0, step + 20), (0, 1), (step / 3, step / 2), (step / 2, step / 2), (step, step + 1)] {
                for width in [0, 1, 4, 50, 10_000] {
                    let are_one = |start: u32, end: u32| end - start < width;
                    let all: Vec<_> = load.summits(from, to, are_one).collect();
                    assert_eq!(all, plain_summits(&load, from, to, are_one), "{changes} {from}..{to} {width}");
                }
            }
        }
    }
}
