//! `allocateAll` on a list of allocations and frees: three orders, each at the lowest free address,
//! and the best one kept.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::live_index::LiveIndex;
use memplan_core::base::IdVec;
use memplan_core::problem::{BufferId, Live};

/// What is allocated once and freed once. Times are positions in the list of all allocations and
/// frees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Position of its allocation.
    pub start: u32,
    /// Position of its free.
    pub end: u32,
    /// Bytes, rounded up to the alignment.
    pub size: u64,
}

/// An order in which ranges are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Of those live at the largest load left, the largest.
    Size,
    /// Of those live at the largest load left, the one that lives longest.
    Time,
    /// In order of allocation.
    Order,
}

impl Strategy {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Strategy; 3] = [Strategy::Size, Strategy::Time, Strategy::Order];

    /// Its name in events and files.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Size => "size",
            Strategy::Time => "time",
            Strategy::Order => "order",
        }
    }
}

/// A range that got its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Index of the range.
    pub range: u32,
    /// Time of the largest load of those that still waited, itself among them; none in order of
    /// allocation.
    pub peak: Option<(u32, u64)>,
    /// Its first byte.
    pub address: u64,
}

/// One order as far as it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Which order.
    pub strategy: Strategy,
    /// The ranges in this order, with their places.
    pub turns: Vec<Turn>,
    /// Bytes used.
    pub used: u64,
    /// Whether a range did not fit into the room, which ends the run.
    pub is_over: bool,
}

/// The outcome of all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The largest load: no order uses fewer bytes.
    pub bound: u64,
    /// What was tried, in order.
    pub tried: Vec<Tried>,
    /// Index of the one kept; none if the room is too small.
    pub kept: Option<usize>,
}

/// Looks at a range placed before that is not live together with another one: whether it is in the
/// way all the same.
pub type Bars<'a> = &'a dyn Fn(u32, u32) -> bool;

/// Places all ranges, which are in order of their allocations, within `room` bytes. `bars` is asked
/// only if it is given. `pulse` is called before every placement with the number done and may stop
/// the run.
///
/// # Errors
/// [`Stopped`] if `pulse` stops the run.
pub fn allocate_all(
    ranges: &[Range],
    room: u64,
    bars: Option<Bars>,
    pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Found, Stopped> {
    let loads = loads(ranges);
    let bound = loads.iter().copied().max().unwrap_or(0);
    let mut found = Found { bound, tried: Vec::new(), kept: None };
    if bound > room {
        return Ok(found);
    }
    for (number, strategy) in Strategy::ALL.into_iter().enumerate() {
        let done = (number * ranges.len()) as u64;
        let tried = place_all(strategy, ranges, &loads, room, bars, &mut |placed| pulse(done + placed))?;
        let (used, is_over) = (tried.used, tried.is_over);
        found.tried.push(tried);
        if is_over {
            found.kept = None;
            break;
        }
        if found.kept.is_none_or(|kept| used < found.tried[kept].used) {
            found.kept = Some(number);
        }
        if used == bound {
            break;
        }
    }
    Ok(found)
}

/// The run was stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// Bytes live after each allocation and free.
fn loads(ranges: &[Range]) -> Vec<u64> {
    let times = ranges.iter().map(|range| range.end as usize + 1).max().unwrap_or(0);
    let (mut added, mut freed) = (vec![0; times], vec![0; times]);
    for range in ranges {
        added[range.start as usize] += range.size;
        freed[range.end as usize] += range.size;
    }
    let mut load = 0;
    let change = added.into_iter().zip(freed);
    change
        .map(|(added, freed)| {
            load = load + added - freed;
            load
        })
        .collect()
}

fn place_all(
    strategy: Strategy,
    ranges: &[Range],
    loads: &[u64],
    room: u64,
    bars: Option<Bars>,
    pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Tried, Stopped> {
    let lives: IdVec<BufferId, Live> = ranges.iter().map(|range| Live::new(range.start, range.end)).collect();
    let mut placed = LiveIndex::over(&lives);
    let mut addresses = vec![0; ranges.len()];
    let mut tried = Tried { strategy, turns: Vec::with_capacity(ranges.len()), used: 0, is_over: false };
    let mut chooser = Chooser::new(strategy, ranges, loads);
    let mut near: Vec<(u64, u64)> = Vec::new();
    for number in 0..ranges.len() {
        if pulse(number as u64).is_break() {
            return Err(Stopped);
        }
        let (index, peak) = match strategy {
            Strategy::Order => (number as u32, None),
            Strategy::Size | Strategy::Time => chooser.choose(),
        };
        let range = ranges[index as usize];
        near.clear();
        let span = |other: u32| (addresses[other as usize], addresses[other as usize] + ranges[other as usize].size);
        placed.each_meeting(lives[BufferId(index)], |other| near.push(span(other.0)));
        if let Some(bars) = bars {
            let earlier = tried.turns.iter().map(|turn| turn.range);
            near.extend(earlier.filter(|&other| bars(other, index)).map(span));
        }
        let address = lowest(&mut near, range.size);
        tried.used = tried.used.max(address + range.size);
        tried.turns.push(Turn { range: index, peak, address });
        if tried.used > room {
            tried.is_over = true;
            return Ok(tried);
        }
        addresses[index as usize] = address;
        placed.insert(BufferId(index));
    }
    Ok(tried)
}

/// The lowest address at which so many bytes meet none of the spans: 0 or the end of one. No bytes
/// meet nothing.
fn lowest(near: &mut [(u64, u64)], size: u64) -> u64 {
    near.sort_unstable();
    let mut address = 0;
    for &(from, to) in near.iter() {
        if address + size <= from {
            break;
        }
        address = address.max(to);
    }
    if size == 0 { 0 } else { address }
}

/// Finds the next range: the largest load left, and who is best among those that wait there.
struct Chooser<'a> {
    ranges: &'a [Range],
    loads: Loads,
    waiting: Waiting,
    /// Ranges without bytes, by time of their free, for when nothing else waits.
    empty: Vec<u32>,
}

impl Chooser<'_> {
    fn new<'a>(strategy: Strategy, ranges: &'a [Range], loads: &[u64]) -> Chooser<'a> {
        let mut wanted: Vec<u32> = (0..ranges.len() as u32).collect();
        wanted.sort_by_key(|&index| {
            let Range { start, end, size } = ranges[index as usize];
            let life = u64::from(end - start);
            let (first, second) = if strategy == Strategy::Time { (life, size) } else { (size, life) };
            (Reverse(first), Reverse(second), index)
        });
        let mut empty: Vec<u32> = (0..ranges.len() as u32).filter(|&index| ranges[index as usize].size == 0).collect();
        empty.sort_by_key(|&index| ranges[index as usize].end);
        Chooser { ranges, loads: Loads::new(loads), waiting: Waiting::new(ranges, wanted, loads.len()), empty }
    }

    /// The range whose turn it is, which waits no longer, with the time and bytes of the largest
    /// load.
    fn choose(&mut self) -> (u32, Option<(u32, u64)>) {
        let (time, load) = self.loads.largest();
        let index = match load {
            // The original takes the last time at which something waits: that before the last free.
            0 => loop {
                let last = self.empty.pop().unwrap_or(0);
                if self.empty.is_empty() || !self.waiting.is_taken(last) {
                    break last;
                }
            },
            _ => self.waiting.best(time),
        };
        let Range { start, end, size } = self.ranges[index as usize];
        self.waiting.take(index);
        self.loads.subtract(start, end, size);
        let time = if load == 0 { end - 1 } else { time };
        (index, Some((time, load)))
    }
}

/// Bytes by time: the largest and where it is, after any number of parts were taken out. A binary
/// tree whose root is 1.
struct Loads {
    /// The largest beneath each node, without what was taken from nodes above it.
    largest: Vec<u64>,
    /// What was taken from all beneath a node.
    taken: Vec<u64>,
    leaves: usize,
}

impl Loads {
    fn new(loads: &[u64]) -> Loads {
        let leaves = loads.len().next_power_of_two();
        let mut largest = vec![0; 2 * leaves];
        largest[leaves..leaves + loads.len()].copy_from_slice(loads);
        for node in (1..leaves).rev() {
            largest[node] = largest[2 * node].max(largest[2 * node + 1]);
        }
        Loads { largest, taken: vec![0; 2 * leaves], leaves }
    }

    /// The first time with the largest load.
    fn largest(&self) -> (u32, u64) {
        let mut node = 1;
        while node < self.leaves {
            node = if self.largest[2 * node] >= self.largest[2 * node + 1] { 2 * node } else { 2 * node + 1 };
        }
        ((node - self.leaves) as u32, self.largest[1])
    }

    fn subtract(&mut self, start: u32, end: u32, bytes: u64) {
        self.walk(1, 0, self.leaves, (start as usize, end as usize), bytes);
    }

    fn walk(&mut self, node: usize, from: usize, width: usize, (start, end): (usize, usize), bytes: u64) {
        if end <= from || from + width <= start {
            return;
        }
        if start <= from && from + width <= end {
            self.largest[node] -= bytes;
            self.taken[node] += bytes;
            return;
        }
        let half = width / 2;
        self.walk(2 * node, from, half, (start, end), bytes);
        self.walk(2 * node + 1, from + half, half, (start, end), bytes);
        self.largest[node] = self.largest[2 * node].max(self.largest[2 * node + 1]) - self.taken[node];
    }
}

/// Ranges that wait, each in the lists of the few nodes that make up its life: a binary tree over
/// times whose root is 1.
struct Waiting {
    /// Ranges in the order in which they are wanted.
    wanted: Vec<u32>,
    is_taken: Vec<bool>,
    /// Positions in `wanted`, the best last.
    lists: Vec<Vec<u32>>,
    leaves: usize,
}

impl Waiting {
    fn new(ranges: &[Range], wanted: Vec<u32>, times: usize) -> Waiting {
        let leaves = times.next_power_of_two();
        let mut waiting =
            Waiting { is_taken: vec![false; wanted.len()], lists: vec![Vec::new(); 2 * leaves], wanted, leaves };
        for rank in (0..waiting.wanted.len()).rev() {
            let index = waiting.wanted[rank] as usize;
            // From the leaves up: a node whose sibling belongs to the life, too, is left to their
            // parent.
            let (mut low, mut high) = (ranges[index].start as usize + leaves, ranges[index].end as usize + leaves);
            while low < high {
                if low % 2 == 1 {
                    waiting.lists[low].push(rank as u32);
                    low += 1;
                }
                if high % 2 == 1 {
                    high -= 1;
                    waiting.lists[high].push(rank as u32);
                }
                (low, high) = (low / 2, high / 2);
            }
        }
        waiting
    }

    /// The best one that waits and is live at a time.
    fn best(&mut self, time: u32) -> u32 {
        let mut node = self.leaves + time as usize;
        let mut best = u32::MAX;
        while node > 0 {
            let list = &mut self.lists[node];
            while list.pop_if(|rank| self.is_taken[self.wanted[*rank as usize] as usize]).is_some() {}
            best = best.min(list.last().copied().unwrap_or(u32::MAX));
            node /= 2;
        }
        self.wanted.get(best as usize).copied().unwrap_or(0)
    }

    fn is_taken(&self, index: u32) -> bool {
        self.is_taken[index as usize]
    }

    fn take(&mut self, index: u32) {
        self.is_taken[index as usize] = true;
    }
}
