//! Stripes on their own: the cheapest way from the first operator to the last over ranges that fit,
//! and the least budget that any way needs.

use std::collections::{BTreeMap, HashMap};

use crate::transform::{Block, Frame, LONGEST, Likeness, Merged, Net, Price, heights};

/// Ranges of operators with their blocks, each computed once.
pub struct Ranges<'a> {
    net: &'a Net,
    merged: &'a Merged,
    /// Storages alive at each step.
    alive: Vec<Vec<usize>>,
    known: BTreeMap<(usize, usize), Vec<Block>>,
    /// Blocks of ranges that are alike, as if they began at the first operator and nothing stayed
    /// through them.
    alike: HashMap<Likeness, Vec<Block>>,
}

/// How prices with a number of changes are compared.
type Compare<'f> = dyn Fn(&Price, u64) -> (u64, u64, u64, u64) + 'f;

/// How a position is reached most cheaply: the price, the number of changes, the position before
/// and the block between.
type Reached = (Price, u64, usize, Option<Block>);

/// A way over all operators.
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
            // Long lives are looked up by the ranges that begin in them.
            alive[start..end.min(net.ops.len())].iter_mut().for_each(|list| list.push(at));
        }
        Ranges { net, merged, alive, known: BTreeMap::new(), alike: HashMap::new() }
    }

    /// The range as it may run in stripes.
    pub fn frame(&self, first: usize, last: usize) -> Option<Frame<'a>> {
        Frame::new(self.net, self.merged, &self.alive[first], first, last)
    }

    fn blocks(&mut self, first: usize, last: usize) -> &[Block] {
        if !self.known.contains_key(&(first, last)) {
            let frame = self.frame(first, last);
            let blocks = frame.map_or_else(Vec::new, |frame| self.moved(&frame, first, last));
            self.known.insert((first, last), blocks);
        }
        &self.known[&(first, last)]
    }

    /// The blocks of a range, which are computed once for all ranges that are alike.
    fn moved(&mut self, frame: &Frame, first: usize, last: usize) -> Vec<Block> {
        let through = frame.through();
        let blocks = self.alike.entry(frame.likeness()).or_insert_with(|| {
            heights(frame.rows()).into_iter().filter_map(|height| frame.block_inside(height)).collect()
        });
        let moved = |block: &Block| Block { first, last, peak: block.peak.saturating_add(through), ..*block };
        blocks.iter().map(moved).collect()
    }

    /// A range in so many stripes; none if it cannot run so.
    pub fn in_stripes(&mut self, first: usize, last: usize, stripes: u64) -> Option<Block> {
        let is_range = first < last && last < self.ends(first);
        let mut blocks = if is_range { self.blocks(first, last) } else { &[] }.iter();
        blocks.find(|block| block.stripes == stripes).copied()
    }

    fn ends(&self, first: usize) -> usize {
        let is_open = |step: &usize| !matches!(self.net.ops[*step].rule, crate::transform::RowRule::Pinned(_));
        (first..self.net.ops.len().min(first + LONGEST)).take_while(is_open).last().map_or(first, |last| last + 1)
    }

    /// The cheapest way whose ranges stay within `capacity`; none if there is none. `order`
    /// compares prices, `stop` ends it without a way.
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
            let end = self.ends(first);
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
            for last in first + 1..self.ends(first) {
                let peak = self.blocks(first, last).iter().map(|block| block.peak).min();
                if let Some(peak) = peak {
                    best[last + 1] = best[last + 1].min(reached.max(peak));
                }
            }
        }
        Some(best[count])
    }

    /// The smallest capacity whose cheapest way costs what may be paid; none if there is none, or
    /// `stop` ended it. A lower capacity is never cheaper.
    pub fn least_at(
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

    /// Positions reachable by ranges of at most `capacity`, and of every range that leaves them its
    /// least peak.
    pub fn closed(&mut self, capacity: u64) -> (Vec<usize>, Vec<(usize, usize, u64)>) {
        let count = self.net.ops.len();
        let mut reached = vec![false; count + 1];
        reached[0] = true;
        let mut leaving = Vec::new();
        for first in 0..count {
            if !reached[first] {
                continue;
            }
            let mut ranges = vec![(first, self.merged.load[first])];
            for last in first + 1..self.ends(first) {
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

    /// Peaks of all ranges that were looked at before `stop`: the capacities at which the cheapest
    /// way may change.
    pub fn peaks(&mut self, stop: &dyn Fn() -> bool) -> Vec<u64> {
        self.least(stop);
        let mut peaks: Vec<u64> = self.known.values().flatten().map(|block| block.peak).collect();
        peaks.extend(&self.merged.load);
        peaks.sort_unstable();
        peaks.dedup();
        peaks
    }
}
