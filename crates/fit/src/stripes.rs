//! Stripes on their own: the cheapest way from the first operator to the last over ranges that fit,
//! and the least budget that any way needs.
//!
//! * A *stripe* is some of the rows that a range of operators makes. A range in stripes runs once
//!   for each stripe.
//! * A [`Block`] is a range in stripes of one height, with its peak and its price.
//! * A *position* is the number of operators that have run: 0 before the first one.
//! * A [`Way`] leads from position 0 to the last: each operator runs either by itself or in a
//!   block.

use std::collections::{BTreeMap, HashMap};

use crate::transform::{Block, LONGEST, Likeness, Merged, Net, Price, StripeRange, heights};

/// Ranges of operators with their blocks, each computed once.
pub struct Ranges<'a> {
    net: &'a Net,
    merged: &'a Merged,
    /// Storages alive at each step; a range reads only the list of its first step.
    alive: Vec<Vec<usize>>,
    known: BTreeMap<(usize, usize), Vec<Block>>,
    /// Blocks of ranges that are alike. Their operators are those of the range computed first, and
    /// their peaks lack the storages that stay through the whole range.
    alike: HashMap<Likeness, Vec<Block>>,
}

/// How prices with a number of changes are compared.
type Compare<'f> = dyn Fn(&Price, u64) -> (u64, u64, u64, u64) + 'f;

/// How a position is reached most cheaply: the price, the number of changes, the position before
/// and the block between.
type Reached = (Price, u64, usize, Option<Block>);

/// A way over all operators: those outside the blocks run by themselves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Way {
    /// Ranges in stripes, in order.
    pub blocks: Vec<Block>,
    /// What they cost together.
    pub price: Price,
}

impl Way {
    /// Largest load on this way, of operators with these loads.
    pub fn peak(&self, load: &[u64]) -> u64 {
        let mut load = load.to_vec();
        for block in &self.blocks {
            load[block.first..=block.last].iter_mut().for_each(|load| *load = block.peak);
        }
        load.into_iter().max().unwrap_or(0)
    }
}

impl<'a> Ranges<'a> {
    /// Ranges of a net with these merges.
    pub fn new(net: &'a Net, merged: &'a Merged) -> Ranges<'a> {
        let mut alive = vec![Vec::new(); net.ops.len()];
        for (at, &(start, end)) in net.life.iter().enumerate().filter(|(at, _)| net.bytes[*at] > 0) {
            alive[start..end.min(net.ops.len())].iter_mut().for_each(|list| list.push(at));
        }
        Ranges { net, merged, alive, known: BTreeMap::new(), alike: HashMap::new() }
    }

    /// Returns the range from operator `first` to `last`; none if an operator of it cannot run in
    /// stripes.
    pub fn range(&self, first: usize, last: usize) -> Option<StripeRange<'a>> {
        StripeRange::new(self.net, self.merged, &self.alive[first], first, last)
    }

    fn blocks(&mut self, first: usize, last: usize) -> &[Block] {
        if !self.known.contains_key(&(first, last)) {
            let range = self.range(first, last);
            let blocks = range.map_or_else(Vec::new, |range| self.shifted_blocks(&range, first, last));
            self.known.insert((first, last), blocks);
        }
        &self.known[&(first, last)]
    }

    /// Returns the blocks of a range. They are computed once for all ranges that are alike, then
    /// shifted to the operators of this one.
    fn shifted_blocks(&mut self, range: &StripeRange, first: usize, last: usize) -> Vec<Block> {
        let through = range.through();
        let blocks = self.alike.entry(range.likeness()).or_insert_with(|| {
            heights(range.rows()).into_iter().filter_map(|height| range.block_inside(height)).collect()
        });
        let shifted = |block: &Block| Block { first, last, peak: block.peak.saturating_add(through), ..*block };
        blocks.iter().map(shifted).collect()
    }

    /// Returns a range in so many stripes; none if it cannot run so.
    pub fn in_stripes(&mut self, first: usize, last: usize, stripes: u64) -> Option<Block> {
        let is_range = first < last && last < self.end_of_ranges(first);
        let mut blocks = if is_range { self.blocks(first, last) } else { &[] }.iter();
        blocks.find(|block| block.stripes == stripes).copied()
    }

    /// Returns the first operator that no range from `first` can include; `first` itself if it
    /// cannot run in stripes.
    fn end_of_ranges(&self, first: usize) -> usize {
        let is_open = |step: &usize| !matches!(self.net.ops[*step].rule, crate::transform::RowRule::Pinned(_));
        (first..self.net.ops.len().min(first + LONGEST)).take_while(is_open).last().map_or(first, |last| last + 1)
    }

    /// Returns the cheapest way that stays within `capacity`; none if there is none. `order`
    /// compares prices, `stop` ends the search without a way. Ranges without an operator above the
    /// capacity are left out: they run as they are, at no price.
    pub fn cheapest(&mut self, capacity: u64, order: &Compare, stop: &dyn Fn() -> bool) -> Option<Way> {
        let count = self.net.ops.len();
        let mut best: Vec<Option<Reached>> = vec![None; count + 1];
        best[0] = Some((Price::default(), 0, 0, None));
        let over: Vec<bool> = self.merged.load.iter().map(|&load| load > capacity).collect();
        for first in 0..count {
            let Some((price, moves, ..)) = best[first] else { continue };
            if stop() {
                return None;
            }
            let mut offer = |at: usize, price: Price, moves: u64, block: Option<Block>| {
                let is_better =
                    best[at].as_ref().is_none_or(|(old, many, ..)| order(&price, moves) < order(old, *many));
                if is_better {
                    best[at] = Some((price, moves, first, block));
                }
            };
            if !over[first] {
                offer(first + 1, price, moves, None);
            }
            let mut is_needed = over[first];
            let end = self.end_of_ranges(first);
            for (last, &is_over) in over.iter().enumerate().take(end).skip(first + 1) {
                is_needed |= is_over;
                if !is_needed {
                    continue;
                }
                for &block in self.blocks(first, last) {
                    if block.peak <= capacity {
                        offer(last + 1, price.plus(block.price), moves + 1, Some(block));
                    }
                }
            }
        }
        let (price, ..) = best[count]?;
        let mut way = Way { blocks: Vec::new(), price };
        let mut at = count;
        while at > 0 {
            let (_, _, from, block) = best[at]?;
            way.blocks.extend(block);
            at = from;
        }
        way.blocks.reverse();
        Some(way)
    }

    /// Returns the smallest capacity, in bytes, that some way stays within; none if `stop` ended
    /// the search.
    pub fn least(&mut self, stop: &dyn Fn() -> bool) -> Option<u64> {
        let count = self.net.ops.len();
        let mut best = vec![u64::MAX; count + 1];
        best[0] = 0;
        for first in 0..count {
            if stop() {
                return None;
            }
            let reached = best[first];
            best[first + 1] = best[first + 1].min(reached.max(self.merged.load[first]));
            for last in first + 1..self.end_of_ranges(first) {
                let peak = self.blocks(first, last).iter().map(|block| block.peak).min();
                if let Some(peak) = peak {
                    best[last + 1] = best[last + 1].min(reached.max(peak));
                }
            }
        }
        Some(best[count])
    }

    /// Returns the smallest capacity, in bytes, whose cheapest way has an affordable price; none if
    /// there is none, or if `stop` ended the search. A lower capacity is never cheaper.
    pub fn least_affordable(
        &mut self,
        order: &Compare,
        affords: &dyn Fn(&Price) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<u64> {
        let peaks = self.peaks(stop);
        let (mut low, mut high) = (0, peaks.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.cheapest(peaks[middle], order, stop).is_some_and(|way| affords(&way.price)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        peaks.get(low).copied().filter(|_| !stop())
    }

    /// Returns two lists:
    ///
    /// 1. the positions that are reachable from the first operator over operators and ranges with a
    ///    peak of at most `capacity`;
    /// 2. the ranges `(first, last, least peak)` that start at such a position and end at one that
    ///    is not reachable.
    pub fn reachable(&mut self, capacity: u64) -> (Vec<usize>, Vec<(usize, usize, u64)>) {
        let count = self.net.ops.len();
        let mut reached = vec![false; count + 1];
        reached[0] = true;
        let mut leaving = Vec::new();
        for first in 0..count {
            if !reached[first] {
                continue;
            }
            let mut ranges = vec![(first, self.merged.load[first])];
            for last in first + 1..self.end_of_ranges(first) {
                let peak = self.blocks(first, last).iter().map(|block| block.peak).min();
                ranges.extend(peak.map(|peak| (last, peak)));
            }
            for (last, peak) in ranges {
                if peak <= capacity {
                    reached[last + 1] = true;
                } else {
                    leaving.push((first, last, peak));
                }
            }
        }
        leaving.retain(|&(_, last, _)| !reached[last + 1]);
        ((0..=count).filter(|&at| reached[at]).collect(), leaving)
    }

    /// Returns the peaks of all ranges that were computed before `stop`, ascending: the capacities
    /// at which the cheapest way may change.
    pub fn peaks(&mut self, stop: &dyn Fn() -> bool) -> Vec<u64> {
        self.least(stop);
        let mut peaks: Vec<u64> = self.known.values().flatten().map(|block| block.peak).collect();
        peaks.extend(&self.merged.load);
        peaks.sort_unstable();
        peaks.dedup();
        peaks
    }
}
