//! Lanes: rows in which spans do not overlap, as few as there are spans at once.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use memplan_core::problem::Live;

/// A lane for each span, in the order given: spans in order of start take the lowest free one.
pub fn lanes(spans: &[Live]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&index| (spans[index].start, index));
    let mut lanes = vec![0; spans.len()];
    let mut free = BTreeSet::new();
    let mut taken: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut opened = 0;
    for index in order {
        while let Some(&Reverse((_, lane))) = taken.peek().filter(|Reverse((end, _))| *end <= spans[index].start) {
            taken.pop();
            free.insert(lane);
        }
        let lane = free.pop_first().unwrap_or_else(|| {
            opened += 1;
            opened - 1
        });
        lanes[index] = lane;
        taken.push(Reverse((spans[index].end, lane)));
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_takes_the_lowest_lane_that_is_free() {
        let spans = [(0, 4), (0, 2), (2, 3), (1, 6), (4, 5)].map(|(start, end)| Live::new(start, end));
        assert_eq!(lanes(&spans), [0, 1, 1, 2, 0]);
        assert!(lanes(&[]).is_empty());
    }
}
