//! The first placement: open slots, each an offset with a span of time, and the buffers that wait.
//!
//! A buffer may take a slot only if its life meets the span of no other open slot. Therefore it
//! lies in a gap that the spans of the others leave (`Cover`), and the first one of the order
//! that lies in such a gap is found by a tree over the buffers that wait (`Waiting`).

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::rounds::Parts;
use super::{Asked, Stopped};
use memplan_core::base::align_up;

/// An open slot: whatever lives within its steps may begin at its offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// First byte.
    pub offset: u64,
    /// First step.
    pub from: u32,
    /// Step after the last; `u32::MAX` if it has no end.
    pub until: u32,
}

/// What became of a slot, the lowest one, when its turn came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A buffer was placed, by its number, and other slots opened.
    Taken {
        /// Number of the buffer.
        buffer: u32,
        /// Where it lies.
        offset: u64,
        /// The slots that opened.
        opened: Vec<Slot>,
    },
    /// Every buffer that waits meets another open slot too: this one is dropped.
    Dropped,
    /// Those that would take it share a partition with their neighbours: it opens again at this
    /// offset.
    Moved(u64),
}

/// One turn of the first placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The slot.
    pub slot: Slot,
    /// What became of it.
    pub fate: Fate,
}

/// Open slots by offset, of equal ones the oldest first.
struct Open {
    slots: BTreeMap<(u64, u64), (u32, u32)>,
    number: u64,
    cover: Cover,
}

impl Open {
    fn insert(&mut self, slot: Slot) {
        self.slots.insert((slot.offset, self.number), (slot.from, slot.until));
        self.number += 1;
        self.cover.add(slot.from, slot.until, 1);
    }

    fn take(&mut self) -> Option<Slot> {
        let ((offset, _), (from, until)) = self.slots.pop_first()?;
        self.cover.add(from, until, -1);
        Some(Slot { offset, from, until })
    }
}

/// Places all buffers by slots and returns the turns, and the offsets by number. `order`: the
/// numbers of the buffers, the largest first.
pub fn first_placement(
    buffers: &[Asked],
    order: &[u32],
    parts: &Parts,
    pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(Vec<Turn>, Vec<u64>), Stopped> {
    let mut waiting = Waiting::new(buffers, order);
    let mut open = Open { slots: BTreeMap::new(), number: 0, cover: Cover::new(buffers) };
    open.insert(Slot { offset: 0, from: 0, until: u32::MAX });
    let mut offsets = vec![0; buffers.len()];
    let mut placed = vec![false; buffers.len()];
    let mut turns: Vec<Turn> = Vec::new();
    let mut left = buffers.len();
    while left > 0 {
        if pulse((buffers.len() - left) as u64).is_break() {
            return Err(Stopped);
        }
        // Whatever waits meets an open slot: one that met a dropped slot alone would have taken it.
        let Some(slot) = open.take() else { break };
        let gaps = open.cover.gaps(slot.from, slot.until);
        let rank = if parts.size == 0 {
            gaps.iter().filter_map(|&(from, until)| waiting.first_in(from, until)).min()
        } else {
            let mut ranks: Vec<u32> = Vec::new();
            gaps.iter().for_each(|&(from, until)| waiting.all_in(from, until, &mut ranks));
            ranks.sort_unstable();
            let numbers = ranks.iter().map(|&rank| order[rank as usize]);
            let clear = |number: u32| {
                let offset = align_up(slot.offset, buffers[number as usize].align);
                parts.is_clear(number, offset, &offsets, &placed)
            };
            let found = ranks.iter().copied().find(|&rank| clear(order[rank as usize]));
            let above = numbers.map(|number| parts.above_neighbours(number, &offsets, &placed)).min();
            if let (None, Some(offset)) = (found, above) {
                open.insert(Slot { offset, ..slot });
                turns.push(Turn { slot, fate: Fate::Moved(offset) });
                continue;
            }
            found
        };
        let Some(rank) = rank else {
            turns.push(Turn { slot, fate: Fate::Dropped });
            continue;
        };
        let number = order[rank as usize];
        let buffer = &buffers[number as usize];
        let offset = align_up(slot.offset, buffer.align);
        let above =
            Slot { offset: offset + buffer.size, from: slot.from.max(buffer.start), until: slot.until.min(buffer.end) };
        // Both sides reach into the life of the buffer itself, as those of the original do.
        let before = (slot.from < buffer.start).then_some(Slot { until: buffer.end, ..slot });
        let after = (buffer.end < slot.until).then_some(Slot { from: buffer.start, ..slot });
        let opened: Vec<Slot> = [Some(above), before, after].into_iter().flatten().collect();
        opened.iter().for_each(|&slot| open.insert(slot));
        turns.push(Turn { slot, fate: Fate::Taken { buffer: number, offset, opened } });
        waiting.remove(rank);
        (offsets[number as usize], placed[number as usize]) = (offset, true);
        left -= 1;
    }
    Ok((turns, offsets))
}

/// Buffers that wait, in a binary tree over their starts.
struct Waiting {
    starts: Vec<u32>,
    /// Position in that order, by rank in the order of placement.
    position: Vec<usize>,
    leaves: usize,
    nodes: Vec<Beneath>,
}

/// What waits beneath a node.
#[derive(Clone, Copy)]
struct Beneath {
    earliest_end: u32,
    latest_end: u32,
    first_rank: u32,
}

const NOBODY: Beneath = Beneath { earliest_end: u32::MAX, latest_end: 0, first_rank: u32::MAX };

impl Beneath {
    fn with(self, other: Beneath) -> Beneath {
        Beneath {
            earliest_end: self.earliest_end.min(other.earliest_end),
            latest_end: self.latest_end.max(other.latest_end),
            first_rank: self.first_rank.min(other.first_rank),
        }
    }
}

impl Waiting {
    fn new(buffers: &[Asked], order: &[u32]) -> Waiting {
        let start = |rank: u32| buffers[order[rank as usize] as usize].start;
        let mut ranks: Vec<u32> = (0..order.len() as u32).collect();
        ranks.sort_by_key(|&rank| (start(rank), rank));
        let leaves = ranks.len().next_power_of_two();
        let mut nodes = vec![NOBODY; 2 * leaves];
        let mut position = vec![0; ranks.len()];
        for (at, &rank) in ranks.iter().enumerate() {
            position[rank as usize] = at;
            let end = buffers[order[rank as usize] as usize].end;
            nodes[leaves + at] = Beneath { earliest_end: end, latest_end: end, first_rank: rank };
        }
        (1..leaves).rev().for_each(|node| nodes[node] = nodes[2 * node].with(nodes[2 * node + 1]));
        Waiting { starts: ranks.iter().map(|&rank| start(rank)).collect(), position, leaves, nodes }
    }

    fn remove(&mut self, rank: u32) {
        let mut node = self.leaves + self.position[rank as usize];
        self.nodes[node] = NOBODY;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].with(self.nodes[2 * node + 1]);
        }
    }

    /// Positions of the starts in `from..until`.
    fn range(&self, from: u32, until: u32) -> (usize, usize) {
        let at = |step: u32| self.starts.partition_point(|&start| start < step);
        (at(from), at(until))
    }

    /// The first rank that waits and lives within these steps.
    fn first_in(&self, from: u32, until: u32) -> Option<u32> {
        let mut best = u32::MAX;
        self.search(1, (0, self.leaves), self.range(from, until), until, &mut best);
        (best < u32::MAX).then_some(best)
    }

    fn search(&self, node: usize, (low, high): (usize, usize), range: (usize, usize), until: u32, best: &mut u32) {
        let beneath = self.nodes[node];
        if low >= range.1 || high <= range.0 || beneath.first_rank >= *best || beneath.earliest_end > until {
            return;
        }
        if range.0 <= low && high <= range.1 && beneath.latest_end <= until {
            *best = beneath.first_rank;
            return;
        }
        let middle = (low + high) / 2;
        let (left, right) = ((2 * node, (low, middle)), (2 * node + 1, (middle, high)));
        // The better half first: it may spare the other.
        let is_left_first = self.nodes[2 * node].first_rank <= self.nodes[2 * node + 1].first_rank;
        for (child, span) in if is_left_first { [left, right] } else { [right, left] } {
            self.search(child, span, range, until, best);
        }
    }

    /// Adds every rank that waits and lives within these steps.
    fn all_in(&self, from: u32, until: u32, found: &mut Vec<u32>) {
        let (low, high) = self.range(from, until);
        let leaves = &self.nodes[self.leaves + low..self.leaves + high.max(low)];
        found.extend(
            leaves
                .iter()
                .filter(|leaf| leaf.latest_end <= until && leaf.first_rank < u32::MAX)
                .map(|leaf| leaf.first_rank),
        );
    }
}

/// How many open slots span each stretch of time.
struct Cover {
    /// Steps at which a stretch begins, ascending; the last one ends at `u32::MAX`.
    times: Vec<u32>,
    leaves: usize,
    /// Least and most slots beneath each node, without what `added` has at it and above.
    least: Vec<i32>,
    most: Vec<i32>,
    added: Vec<i32>,
}

impl Cover {
    fn new(buffers: &[Asked]) -> Cover {
        let mut times: Vec<u32> = buffers.iter().flat_map(|buffer| [buffer.start, buffer.end]).chain([0]).collect();
        times.retain(|&time| time < u32::MAX);
        times.sort_unstable();
        times.dedup();
        let leaves = times.len().next_power_of_two();
        Cover { times, leaves, least: vec![0; 2 * leaves], most: vec![0; 2 * leaves], added: vec![0; 2 * leaves] }
    }

    /// Index of the stretch that begins at a step; behind the last one for `u32::MAX`.
    fn at(&self, step: u32) -> usize {
        self.times.partition_point(|&time| time < step)
    }

    fn step(&self, at: usize) -> u32 {
        self.times.get(at).copied().unwrap_or(u32::MAX)
    }

    fn add(&mut self, from: u32, until: u32, slots: i32) {
        let range = (self.at(from), self.at(until));
        self.add_at(1, (0, self.leaves), range, slots);
    }

    fn add_at(&mut self, node: usize, (low, high): (usize, usize), range: (usize, usize), slots: i32) {
        if low >= range.1 || high <= range.0 {
            return;
        }
        if range.0 <= low && high <= range.1 {
            self.added[node] += slots;
        } else {
            let middle = (low + high) / 2;
            self.add_at(2 * node, (low, middle), range, slots);
            self.add_at(2 * node + 1, (middle, high), range, slots);
            let both = [2 * node, 2 * node + 1];
            let [left, right] =
                both.map(|child| (self.least[child] + self.added[child], self.most[child] + self.added[child]));
            (self.least[node], self.most[node]) = (left.0.min(right.0), left.1.max(right.1));
        }
    }

    /// The first stretch at or after one that is covered, or that is not; behind the last if there
    /// is none.
    fn next(&self, from: usize, covered: bool) -> usize {
        let found = self.next_at(1, (0, self.leaves), 0, from, covered);
        found.unwrap_or(self.times.len()).min(self.times.len())
    }

    fn next_at(
        &self,
        node: usize,
        (low, high): (usize, usize),
        above: i32,
        from: usize,
        covered: bool,
    ) -> Option<usize> {
        let above = above + self.added[node];
        let has = if covered { self.most[node] + above > 0 } else { self.least[node] + above == 0 };
        if high <= from || !has {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let middle = (low + high) / 2;
        let left = self.next_at(2 * node, (low, middle), above, from, covered);
        left.or_else(|| self.next_at(2 * node + 1, (middle, high), above, from, covered))
    }

    /// The last covered stretch before one.
    fn last_covered(&self, node: usize, (low, high): (usize, usize), above: i32, before: usize) -> Option<usize> {
        let above = above + self.added[node];
        if low >= before || self.most[node] + above == 0 {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let middle = (low + high) / 2;
        let right = self.last_covered(2 * node + 1, (middle, high), above, before);
        right.or_else(|| self.last_covered(2 * node, (low, middle), above, before))
    }

    /// The stretches without a slot that meet `from..until`, as long as they are.
    fn gaps(&self, from: u32, until: u32) -> Vec<(u32, u32)> {
        let mut gaps = Vec::new();
        let mut at = self.next(self.at(from), false);
        while at < self.at(until) && at < self.times.len() {
            let before = self.last_covered(1, (0, self.leaves), 0, at).map_or(0, |last| last + 1);
            let end = self.next(at, true);
            gaps.push((self.step(before), self.step(end)));
            at = self.next(end, false);
        }
        gaps
    }
}
