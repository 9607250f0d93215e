//! Fills steps from the bottom up without leaving anything free.
//!
//! The tops of the blocks that are placed are a skyline. In a valley, a stretch of equal height
//! with higher neighbours, what lies lowest at the left end must begin exactly there, and what lies
//! lowest at the right end must end exactly there: anything else would leave a byte free. So a node
//! takes the corner with the fewest blocks that fit and tries these alone. Since nothing is free,
//! the set of placed blocks determines how high each step is filled, and a set that failed once is
//! not tried again.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use super::{Block, Random};

/// Nodes between two reports of progress.
const PULSE: u64 = 1024;

/// How a search ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Packed,
    /// No plan keeps the blocks whole and leaves nothing free.
    Nothing,
    /// The nodes are used up.
    Limit,
}

struct Node {
    /// What fits into the corner, in `candidates`, and what of it is still to be tried.
    first: usize,
    untried: Range<usize>,
    offset: i32,
    /// The one that is placed, and where the former tops begin in `tops_before`.
    placed: Option<(usize, usize)>,
}

/// Blocks that are placed so far.
pub struct Packing<'a> {
    blocks: &'a [Block],
    capacity: i32,
    /// Blocks that begin and that end at each border.
    beginning: Vec<Vec<usize>>,
    ending: Vec<Vec<usize>>,
    offsets: Vec<Option<i32>>,
    /// Units filled at each step, and the topmost block.
    heights: Vec<i32>,
    tops: Vec<Option<usize>>,
    tops_before: Vec<Option<usize>>,
    /// A random number for each block; those of the placed ones together stand for their set.
    keys: Vec<u64>,
    set: u64,
    failed: HashSet<u64>,
    left: usize,
    fewest: usize,
    furthest: Vec<Option<i32>>,
    stack: Vec<Node>,
    candidates: Vec<usize>,
    pub nodes: u64,
}

impl<'a> Packing<'a> {
    pub fn new(blocks: &'a [Block], steps: usize, capacity: i32, random: &mut Random) -> Packing<'a> {
        let (mut beginning, mut ending) = (vec![Vec::new(); steps + 1], vec![Vec::new(); steps + 1]);
        for (index, block) in blocks.iter().enumerate() {
            beginning[block.from as usize].push(index);
            ending[block.to as usize].push(index);
        }
        Packing {
            blocks,
            capacity,
            beginning,
            ending,
            offsets: vec![None; blocks.len()],
            heights: vec![0; steps],
            tops: vec![None; steps],
            tops_before: Vec::new(),
            keys: blocks.iter().map(|_| random.number()).collect(),
            set: 0,
            failed: HashSet::new(),
            left: blocks.len(),
            fewest: blocks.len(),
            furthest: vec![None; blocks.len()],
            stack: Vec::new(),
            candidates: Vec::new(),
            nodes: 0,
        }
    }

    /// Offsets of the blocks, in units, when the fewest were left to place.
    pub fn placed(&self) -> &[Option<i32>] {
        &self.furthest
    }

    /// Looks for a plan with at most so many nodes.
    ///
    /// # Errors
    /// Breaks when the run is to stop.
    pub fn search(&mut self, limit: u64, pulse: &mut dyn FnMut(u64) -> ControlFlow<()>) -> ControlFlow<(), End> {
        let mut enters = true;
        loop {
            if enters {
                if self.left < self.fewest || self.left == 0 {
                    self.fewest = self.left;
                    self.furthest.clone_from(&self.offsets);
                }
                if self.left == 0 {
                    return ControlFlow::Continue(End::Packed);
                }
                self.nodes += 1;
                if self.nodes > limit {
                    return ControlFlow::Continue(End::Limit);
                }
                if self.nodes.is_multiple_of(PULSE) {
                    pulse(self.nodes)?;
                }
                if !self.failed.contains(&self.set)
                    && let Some(node) = self.corner()
                {
                    self.stack.push(node);
                }
            }
            let Some(mut node) = self.stack.pop() else { return ControlFlow::Continue(End::Nothing) };
            if let Some((block, tops)) = node.placed.take() {
                self.unplace(block, tops);
            }
            let next = node.untried.next();
            enters = next.is_some();
            match next {
                Some(at) => {
                    let block = self.candidates[at];
                    node.placed = Some((block, self.place(block, node.offset)));
                    self.stack.push(node);
                }
                None => {
                    self.candidates.truncate(node.first);
                    self.failed.insert(self.set);
                }
            }
        }
    }

    fn place(&mut self, index: usize, offset: i32) -> usize {
        let block = &self.blocks[index];
        let steps = block.from as usize..block.to as usize;
        let before = self.tops_before.len();
        self.tops_before.extend_from_slice(&self.tops[steps.clone()]);
        self.tops[steps.clone()].fill(Some(index));
        self.heights[steps].iter_mut().for_each(|height| *height += block.size);
        self.offsets[index] = Some(offset);
        self.set ^= self.keys[index];
        self.left -= 1;
        before
    }

    fn unplace(&mut self, index: usize, before: usize) {
        let block = &self.blocks[index];
        let steps = block.from as usize..block.to as usize;
        self.tops[steps.clone()].copy_from_slice(&self.tops_before[before..]);
        self.tops_before.truncate(before);
        self.heights[steps].iter_mut().for_each(|height| *height -= block.size);
        self.offsets[index] = None;
        self.set ^= self.keys[index];
        self.left += 1;
    }

    fn fits(&self, index: usize, valley: &Range<usize>) -> bool {
        let block = &self.blocks[index];
        self.offsets[index].is_none()
            && block.from as usize >= valley.start
            && block.to as usize <= valley.end
            && self.heights[valley.start] + block.size <= self.capacity
    }

    /// The corner of a valley into which the fewest blocks fit; none if some corner stays free.
    fn corner(&mut self) -> Option<Node> {
        let steps = self.heights.len();
        let mut least: Option<(usize, Range<usize>, bool)> = None;
        let mut start = 0;
        while start < steps {
            let height = self.heights[start];
            let end = (start..steps).find(|&step| self.heights[step] != height).unwrap_or(steps);
            let is_valley = height < self.capacity
                && (start == 0 || self.heights[start - 1] > height)
                && (end == steps || self.heights[end] > height);
            if is_valley {
                let valley = start..end;
                for (side, is_left) in [(&self.beginning[start], true), (&self.ending[end], false)] {
                    let count = side.iter().filter(|&&index| self.fits(index, &valley)).count();
                    if count == 0 {
                        return None;
                    }
                    if least.as_ref().is_none_or(|(fewest, ..)| count < *fewest) {
                        least = Some((count, valley.clone(), is_left));
                    }
                }
            }
            start = end;
        }
        let (_, valley, is_left) = least?;
        let offset = self.heights[valley.start];
        let wall = |step: Option<usize>| step.and_then(|step| self.heights.get(step)).map(|height| height - offset);
        let walls = [wall(valley.start.checked_sub(1)), wall(Some(valley.end))];
        let side = if is_left { &self.beginning[valley.start] } else { &self.ending[valley.end] };
        let mut list: Vec<usize> = side.iter().copied().filter(|&index| self.fits(index, &valley)).collect();
        let steps_of = |block: &Block| block.from as usize..block.to as usize;
        // What fills the valley or is level with a wall leaves the fewest new corners.
        list.sort_by_cached_key(|&index| {
            let block = &self.blocks[index];
            let neat = usize::from(steps_of(block) == valley) + usize::from(walls.contains(&Some(block.size)));
            (2 - neat, self.keys[index])
        });
        let first = self.candidates.len();
        for index in list {
            let block = &self.blocks[index];
            let same = |other: &usize| {
                let other = &self.blocks[*other];
                (other.size, other.from, other.to) == (block.size, block.from, block.to)
            };
            // Of blocks that could change places only one is tried; of two on each other, only one
            // order.
            let below = self.tops[block.from as usize];
            let is_swap = below.is_some_and(|below| {
                let under = &self.blocks[below];
                (under.from, under.to) == (block.from, block.to) && below > index
            });
            if !is_swap && !self.candidates[first..].iter().any(same) {
                self.candidates.push(index);
            }
        }
        Some(Node { first, untried: first..self.candidates.len(), offset, placed: None })
    }
}
