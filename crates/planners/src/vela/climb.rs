//! The search: an order of placement, two swaps at most, placed anew. Nothing but the order is
//! taken back after a failure, as in the original: ends, predecessors and turns of the failed
//! attempt are read by the next one.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::random::Random;
use crate::PlanError;
use memplan_core::base::align_up;

/// Attempts without a gain after which the search ends.
pub const PATIENCE: u64 = 500;
/// Attempts without a gain after which a second swap is made.
const STUCK: u64 = 50;
/// Of the numbers 0 to 100, those below this prefer buffers that are not alive with the bottleneck.
const PREFER_FAR: u32 = 30;
/// Neighbours for which there is memory on a small machine, counted from both sides: 64 MB.
const MAX_NEIGHBOURS: usize = 16_000_000;
/// Most buffers of a chain that are reported.
const MAX_CHAIN: usize = 8;

/// A live range to place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// First time.
    pub start: u32,
    /// Last time.
    pub end: u32,
    /// Bytes.
    pub size: u64,
    /// The address is a multiple of it.
    pub align: u64,
}

impl Range {
    fn meets(&self, other: &Range) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// What is asked of a search.
#[derive(Clone, Copy)]
pub struct Request {
    /// Attempts while the memory is too small.
    pub max_iterations: u64,
    /// Bytes of the memory.
    pub memory_limit: u64,
    /// Neighbours that may be looked at.
    pub work: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The size is the largest load: no plan is smaller.
    Optimal,
    /// So many attempts brought no gain, and the plan fits or the attempts are used up.
    NoGain,
    /// Only one turn could be swapped, at which the original stops with an error.
    NothingToSwap,
    /// The work allowed was used up.
    Work,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Largest load.
    pub min_required: u64,
    /// Ranges in the order of the first placement.
    pub initial_order: Vec<u32>,
    /// Addresses after it.
    pub initial_addresses: Vec<u64>,
    /// Bytes that it takes.
    pub initial_size: u64,
    /// Ranges in the order of the best placement.
    pub order: Vec<u32>,
    /// Addresses after it.
    pub addresses: Vec<u64>,
    /// Bytes that it takes.
    pub size: u64,
    /// Number of attempts.
    pub attempts: u64,
    /// Why it ended.
    pub end: End,
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Its number, from 0.
    pub number: u64,
    /// Attempts since the last gain.
    pub stuck: u64,
    /// The range that ended highest before it, and those that it rests on, downwards; the first
    /// few.
    pub chain: Vec<u32>,
    /// End of the bottleneck.
    pub top: u64,
    /// Turns that affect the bottleneck.
    pub turns: u32,
    /// Those of them whose ranges are not alive together with it.
    pub far: u32,
    /// Random numbers drawn.
    pub draws: Vec<u32>,
    /// Turns swapped.
    pub swaps: Vec<(u32, u32)>,
    /// Ranges swapped.
    pub swapped: Vec<(u32, u32)>,
    /// Best size before.
    pub before: u64,
    /// Bytes that it takes, or took when it was stopped.
    pub size: u64,
    /// The turn at which it was stopped because it was already worse.
    pub stopped: Option<u32>,
}

impl Attempt {
    /// Whether the first turn was drawn from those that are not alive together with the bottleneck.
    pub fn prefers_far(&self) -> bool {
        self.far > 0 && self.draws.first().is_some_and(|&drawn| drawn < PREFER_FAR)
    }
}

/// The ranges with what is known of each.
pub struct Field {
    /// The ranges.
    pub ranges: Vec<Range>,
    /// Where the neighbours of each begin in `others`; one more at the end.
    begins: Vec<usize>,
    others: Vec<u32>,
    /// Largest load during each life.
    pub urgency: Vec<u64>,
    /// Largest load.
    pub min_required: u64,
}

impl Field {
    /// Finds loads and neighbours; `parallel` adds pairs that must not share bytes though they
    /// never meet. Neighbours are those alive at the first time by number, then those that begin
    /// later by time and number. None if there are too many.
    pub fn new(ranges: Vec<Range>, work: u64, parallel: Option<&dyn Fn(u32, u32) -> bool>) -> Option<Field> {
        let limit = MAX_NEIGHBOURS.min(usize::try_from(work).unwrap_or(MAX_NEIGHBOURS));
        let mut by_start: Vec<u32> = (0..ranges.len() as u32).collect();
        by_start.sort_by_key(|&id| (ranges[id as usize].start, id));
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); ranges.len()];
        let mut alive: BTreeSet<u32> = BTreeSet::new();
        let mut ends: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut count = 0;
        let mut at = 0;
        while let Some(&first) = by_start.get(at) {
            let start = ranges[first as usize].start;
            while let Some(&(end, id)) = ends.first().filter(|(end, _)| *end < start) {
                ends.remove(&(end, id));
                alive.remove(&id);
            }
            let born: Vec<u32> =
                by_start[at..].iter().copied().take_while(|&id| ranges[id as usize].start == start).collect();
            at += born.len();
            // Those alive before have the new ones as later neighbours.
            alive.iter().for_each(|&id| lists[id as usize].extend(&born));
            count += alive.len() * born.len();
            alive.extend(&born);
            ends.extend(born.iter().map(|&id| (ranges[id as usize].end, id)));
            count += born.len() * alive.len();
            if count > limit {
                return None;
            }
            for &id in &born {
                lists[id as usize] = alive.iter().copied().filter(|&other| other != id).collect();
            }
        }
        if let Some(parallel) = parallel {
            for id in 0..ranges.len() as u32 {
                let range = &ranges[id as usize];
                let is_apart = |&other: &u32| !range.meets(&ranges[other as usize]) && parallel(id, other);
                let apart = (0..ranges.len() as u32).filter(is_apart);
                lists[id as usize].extend(apart);
            }
        }
        let mut begins = vec![0];
        for list in &lists {
            begins.push(begins[begins.len() - 1] + list.len());
        }
        let (urgency, min_required) = loads(&ranges);
        Some(Field { ranges, begins, others: lists.concat(), urgency, min_required })
    }

    /// Ranges that may share no byte with this one.
    pub fn neighbours(&self, of: u32) -> &[u32] {
        &self.others[self.begins[of as usize]..self.begins[of as usize + 1]]
    }
}

/// Returns the largest load during each life, and that of all.
pub fn loads(ranges: &[Range]) -> (Vec<u64>, u64) {
    let mut times: Vec<u32> = ranges.iter().flat_map(|range| [range.start, range.end + 1]).collect();
    times.sort_unstable();
    times.dedup();
    let index = |time: u32| times.partition_point(|&known| known < time);
    let mut changes: Vec<i128> = vec![0; times.len() + 1];
    for range in ranges {
        changes[index(range.start)] += i128::from(range.size);
        changes[index(range.end + 1)] -= i128::from(range.size);
    }
    let running = changes.iter().scan(0i128, |load, &change| {
        *load += change;
        Some(*load as u64)
    });
    // Maxima of 1, 2, 4, … loads from each time on.
    let mut maxima: Vec<Vec<u64>> = vec![running.collect()];
    for level in 0..times.len().max(1).ilog2() {
        let (last, width) = (&maxima[level as usize], 1usize << level);
        let next = (0..last.len().saturating_sub(width)).map(|at| last[at].max(last[at + width])).collect();
        maxima.push(next);
    }
    let during = |range: &Range| {
        let (from, to) = (index(range.start), index(range.end + 1));
        let level = (to - from).ilog2() as usize;
        maxima[level][from].max(maxima[level][to - (1 << level)])
    };
    let urgency: Vec<u64> = ranges.iter().map(during).collect();
    let largest = urgency.iter().copied().max().unwrap_or(0);
    (urgency, largest)
}

/// Returns the ranges by urgency, then longer life, earlier start, larger size, number.
pub fn initial_order(ranges: &[Range], urgency: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
    order.sort_by_key(|&id| {
        let range = &ranges[id as usize];
        (Reverse(urgency[id as usize]), Reverse(range.end - range.start), range.start, Reverse(range.size), id)
    });
    order
}

/// What is kept of every range through all attempts.
struct HillClimbAllocator<'a> {
    field: &'a Field,
    address: Vec<Option<u64>>,
    end: Vec<u64>,
    predecessor: Vec<Option<u32>>,
    turn: Vec<u32>,
    random: Random,
    work: u64,
}

impl HillClimbAllocator<'_> {
    /// Places the ranges in this order until all are placed or the size is beyond `best`: the size,
    /// and the turn that was the last.
    fn allocate(&mut self, order: &[u32], best: u64) -> (u64, Option<u32>) {
        self.address.fill(None);
        let mut size = 0;
        for (&id, turn) in order.iter().zip(0..) {
            let (address, predecessor) = self.lowest(id);
            let index = id as usize;
            self.address[index] = Some(address);
            self.end[index] = address + self.field.ranges[index].size;
            self.predecessor[index] = predecessor;
            self.turn[index] = turn;
            size = size.max(self.end[index]);
            if size > best {
                return (size, Some(turn));
            }
        }
        (size, None)
    }

    /// The lowest aligned address clear of the neighbours placed, and the one whose end pushed it
    /// there.
    fn lowest(&mut self, id: u32) -> (u64, Option<u32>) {
        let range = &self.field.ranges[id as usize];
        let (mut address, mut predecessor) = (0, None);
        loop {
            let before = predecessor;
            let from = address;
            self.work += self.field.neighbours(id).len() as u64;
            for &other in self.field.neighbours(id) {
                let Some(there) = self.address[other as usize] else { continue };
                let end = self.end[other as usize];
                if end > address && there < address + range.size {
                    address = align_up(end, range.align);
                    predecessor = Some(other);
                }
            }
            if (address, predecessor) == (from, before) {
                return (address, predecessor);
            }
        }
    }

    fn addresses(&self) -> Vec<u64> {
        self.address.iter().map(|address| address.unwrap_or(0)).collect()
    }

    /// Appends the turns of a range and of all that it rests on.
    fn add_turns(&self, from: u32, turns: &mut Turns) {
        let mut next = Some(from);
        while let Some(id) = next {
            turns.add(self.turn[id as usize]);
            next = self.predecessor[id as usize];
        }
    }

    fn draw(&mut self, count: usize, draws: &mut Vec<u32>) -> Option<usize> {
        let drawn = self.random.below(count as u32)?;
        draws.push(drawn);
        Some(drawn as usize)
    }

    /// Swaps two turns that affect the bottleneck, and two more when stuck; none if there is only
    /// one.
    fn swap(&mut self, order: &mut [u32], number: u64, stuck: u64, best: u64) -> Option<Attempt> {
        let top = self.end.iter().copied().max().unwrap_or(0);
        let bottleneck = self.end.iter().position(|&end| end == top)? as u32;
        let mut turns = Turns::new(order.len());
        self.add_turns(bottleneck, &mut turns);
        for &near in self.field.neighbours(bottleneck) {
            self.add_turns(near, &mut turns);
        }
        let range = &self.field.ranges[bottleneck as usize];
        let is_far = |&&turn: &&u32| !range.meets(&self.field.ranges[order[turn as usize] as usize]);
        let far: Vec<u32> = turns.list.iter().filter(is_far).copied().collect();
        let (turn_count, far_count) = (turns.list.len() as u32, far.len() as u32);
        let rests_on = |&id: &u32| self.predecessor[id as usize];
        let chain: Vec<u32> = std::iter::successors(Some(bottleneck), rests_on).take(MAX_CHAIN).collect();
        let mut draws = Vec::new();
        let is_preferred = self.draw(101, &mut draws)? < PREFER_FAR as usize && !far.is_empty();
        let first = if is_preferred {
            far[self.draw(far.len(), &mut draws)?]
        } else {
            turns.list[self.draw(turns.list.len(), &mut draws)?]
        };
        let mut second = turns.list[self.draw(turns.list.len() - 1, &mut draws)?];
        if first == second {
            second = turns.list[turns.list.len() - 1];
        }
        let mut swaps = vec![(first, second)];
        let mut swapped = vec![(order[first as usize], order[second as usize])];
        order.swap(first as usize, second as usize);
        if stuck > STUCK {
            for &turn in &far {
                for &near in self.field.neighbours(order[turn as usize]) {
                    turns.add(self.turn[near as usize]);
                }
            }
            let one = turns.list[self.draw(turns.list.len(), &mut draws)?];
            let other = turns.list[self.draw(turns.list.len(), &mut draws)?];
            swaps.push((one, other));
            swapped.push((order[one as usize], order[other as usize]));
            order.swap(one as usize, other as usize);
        }
        Some(Attempt {
            number,
            stuck,
            chain,
            top,
            turns: turn_count,
            far: far_count,
            draws,
            swaps,
            swapped,
            before: best,
            size: 0,
            stopped: None,
        })
    }
}

/// Turns without duplicates, in the order in which they were added.
struct Turns {
    list: Vec<u32>,
    is_in: Vec<bool>,
}

impl Turns {
    fn new(count: usize) -> Turns {
        Turns { list: Vec::new(), is_in: vec![false; count] }
    }

    fn add(&mut self, turn: u32) {
        if !std::mem::replace(&mut self.is_in[turn as usize], true) {
            self.list.push(turn);
        }
    }
}

/// Searches for an order. `follow` gets every attempt and the best addresses so far; if it returns
/// `Break`, the search stops.
///
/// # Errors
/// [`PlanError::Cancelled`] when `follow` breaks.
pub fn climb(
    field: &Field,
    request: Request,
    follow: &mut dyn FnMut(&Attempt, &[u64]) -> ControlFlow<()>,
) -> Result<Found, PlanError> {
    let count = field.ranges.len();
    let mut state = HillClimbAllocator {
        field,
        address: vec![None; count],
        end: vec![0; count],
        predecessor: vec![None; count],
        turn: vec![0; count],
        random: Random::new(1),
        work: 0,
    };
    let mut order = initial_order(&field.ranges, &field.urgency);
    let initial_order = order.clone();
    let (initial_size, _) = state.allocate(&order, u64::MAX);
    let initial_addresses = state.addresses();
    let (mut size, mut addresses, mut best_order) = (initial_size, initial_addresses.clone(), order.clone());
    let (mut number, mut last) = (0, 0);
    let end = loop {
        if size <= field.min_required {
            break End::Optimal;
        }
        let is_over = size > request.memory_limit && number < request.max_iterations;
        if !is_over && number - last >= PATIENCE {
            break End::NoGain;
        }
        if state.work > request.work {
            break End::Work;
        }
        let Some(mut attempt) = state.swap(&mut order, number, number - last, size) else { break End::NothingToSwap };
        (attempt.size, attempt.stopped) = state.allocate(&order, size);
        if attempt.size <= size {
            if attempt.size < size {
                last = number;
            }
            size = attempt.size;
            best_order.clone_from(&order);
            addresses = state.addresses();
        } else {
            order.clone_from(&best_order);
        }
        if follow(&attempt, &addresses).is_break() {
            return Err(PlanError::Cancelled);
        }
        number += 1;
    };
    Ok(Found {
        min_required: field.min_required,
        initial_order,
        initial_addresses,
        initial_size,
        order: best_order,
        addresses,
        size,
        attempts: number,
        end,
    })
}
