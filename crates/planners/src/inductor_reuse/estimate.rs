//! The peak that Inductor expects before any storage is reused, node by node, and how it changes
//! with each reuse.
//!
//! From `EfficientPeakEstimate` in `torch/_inductor/codegen/wrapper.py`, `estimate_peak_memory` in
//! `torch/_inductor/memory.py` and `SegmentedTree` in `torch/_inductor/codegen/segmented_tree.py`.

use std::ops::Range;

/// Bytes that are alive from a node on, up to another one if they ever die.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Bytes that it needs.
    pub bytes: u64,
    /// First step at which it is alive.
    pub from: usize,
    /// Excluded; none for what outlives the graph.
    pub until: Option<usize>,
}

/// Maximum over a range of nodes and addition to a range, each in O(log n): a segment tree whose
/// nodes keep what was added to all beneath them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PeakEstimate {
    peak: u64,
    by_node: Vec<u64>,
    /// Leaves of the tree, a power of two; none without nodes.
    leaves: usize,
    /// Highest value beneath, with what was added here and below; index 1 is the root.
    highest: Vec<u64>,
    added: Vec<u64>,
}

impl PeakEstimate {
    /// The estimate for `nodes` nodes: `nodes + 1` values, the last one for the time after them.
    pub fn of(nodes: usize, spans: impl IntoIterator<Item = Span>) -> PeakEstimate {
        let mut changes = vec![0i128; nodes + 1];
        for Span { bytes, from, until } in spans {
            for (at, change) in [(Some(from), bytes as i128), (until, -(bytes as i128))] {
                if let Some(there) = at.and_then(|at| changes.get_mut(at)) {
                    *there += change;
                }
            }
        }
        let mut now = 0i128;
        let running = changes.into_iter().map(|change| {
            now += change;
            u64::try_from(now.max(0)).unwrap_or(u64::MAX)
        });
        PeakEstimate::from_values(running.collect())
    }

    /// An estimate that is already known, value by value.
    pub fn from_values(by_node: Vec<u64>) -> PeakEstimate {
        let peak = by_node.iter().copied().max().unwrap_or(0);
        let leaves = if by_node.is_empty() { 0 } else { by_node.len().next_power_of_two() };
        let mut highest = vec![0; 2 * leaves];
        highest[leaves..leaves + by_node.len()].copy_from_slice(&by_node);
        for node in (1..leaves).rev() {
            highest[node] = highest[2 * node].max(highest[2 * node + 1]);
        }
        PeakEstimate { peak, by_node, leaves, added: vec![0; highest.len()], highest }
    }

    /// The peak before any reuse. It is never changed.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// The values before any reuse.
    pub fn by_node(&self) -> &[u64] {
        &self.by_node
    }

    /// The first node at which the estimate reaches its peak.
    pub fn peak_node(&self) -> usize {
        self.by_node.iter().position(|&value| value == self.peak).unwrap_or(0)
    }

    /// The highest value in a range, with all that was added; 0 for none.
    pub fn highest_in(&self, range: Range<usize>) -> u64 {
        if self.leaves == 0 || range.is_empty() { 0 } else { self.ask(1, 0..self.leaves, &range) }
    }

    /// Adds bytes to every value of a range.
    pub fn add(&mut self, range: Range<usize>, bytes: u64) {
        if self.leaves > 0 {
            self.raise(1, 0..self.leaves, &range, bytes);
        }
    }

    fn ask(&self, node: usize, own: Range<usize>, range: &Range<usize>) -> u64 {
        if own.end <= range.start || range.end <= own.start {
            return 0;
        }
        if range.start <= own.start && own.end <= range.end {
            return self.highest[node];
        }
        let middle = own.start + own.len() / 2;
        let low = self.ask(2 * node, own.start..middle, range);
        let high = self.ask(2 * node + 1, middle..own.end, range);
        low.max(high).saturating_add(self.added[node])
    }

    fn raise(&mut self, node: usize, own: Range<usize>, range: &Range<usize>, bytes: u64) {
        if own.end <= range.start || range.end <= own.start {
            return;
        }
        if range.start <= own.start && own.end <= range.end {
            self.highest[node] = self.highest[node].saturating_add(bytes);
            self.added[node] = self.added[node].saturating_add(bytes);
            return;
        }
        let middle = own.start + own.len() / 2;
        self.raise(2 * node, own.start..middle, range, bytes);
        self.raise(2 * node + 1, middle..own.end, range, bytes);
        let below = self.highest[2 * node].max(self.highest[2 * node + 1]);
        self.highest[node] = below.saturating_add(self.added[node]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn outputs_stay_and_the_rest_dies_after_its_last_reader() {
        let span = |bytes, from, until| Span { bytes, from, until };
        let estimate = PeakEstimate::of(3, [span(10, 0, Some(2)), span(20, 1, None), span(5, 2, Some(3))]);
        assert_eq!(estimate.by_node(), [10, 30, 25, 20]);
        assert_eq!((estimate.peak(), estimate.peak_node()), (30, 1));
        assert_eq!(PeakEstimate::default().highest_in(0..4), 0);
    }

    proptest! {
        #[test]
        fn ranges_answer_as_a_plain_array_does(
            values in prop::collection::vec(0u64..100, 1..40),
            steps in prop::collection::vec((0usize..40, 0usize..40, 0u64..50), 0..30),
        ) {
            let mut plain = values.clone();
            let mut estimate = PeakEstimate::from_values(values);
            for (from, to, bytes) in steps {
                let (from, to) = (from.min(plain.len()), to.min(plain.len()));
                let range = from.min(to)..from.max(to);
                prop_assert_eq!(estimate.highest_in(range.clone()), plain[range.clone()].iter().copied().max().unwrap_or(0));
                plain[range.clone()].iter_mut().for_each(|value| *value += bytes);
                estimate.add(range, bytes);
            }
        }
    }
}
