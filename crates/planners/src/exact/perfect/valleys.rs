//! Fills valleys from the bottom up and goes on with the most promising partial plans: a beam
//! search.
//!
//! The tops of what is placed are a skyline. In its lowest valley, the leftmost of these, a block
//! is placed on the ground, and what lies to the left of it is given up, as far up as nothing can
//! reach it any more. A valley into which nothing fits is given up to its lower wall. What is given
//! up is waste, and a step can afford only so much: the capacity less its load.
//!
//! Partial plans that fill about as much stand at one level. Those that wasted little of what their
//! steps can afford go on.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::{Block, Random};

/// Waste that takes all that a step can afford.
const WHOLE: i64 = 1 << 20;

/// Nodes between two reports of progress.
const PULSE: u64 = 1024;

/// Steps whose heights are copied in the time of the other work of a node.
const STEPS_PER_NODE: u64 = 128;

/// How a pass goes.
pub struct Pass {
    /// Units that a plan may have.
    pub capacity: i32,
    /// Partial plans that go on at each level.
    pub width: usize,
    /// Levels for each block.
    pub fineness: usize,
    /// How much a change of height from one step to the next counts, in eighths of what a step can
    /// afford.
    pub rough: i64,
}

#[derive(Clone, Default)]
struct Partial {
    /// Units filled or given up at each step.
    heights: Vec<i32>,
    /// Units still to be placed at each step.
    totals: Vec<i32>,
    /// A bit for each block.
    placed: Vec<u64>,
    count: usize,
    /// Waste by weight.
    cost: i64,
    /// Sum of the heights.
    filled: i64,
    /// Stands for the set of blocks that are placed.
    set: u64,
    /// The last placement, in the history.
    last: Option<usize>,
}

#[derive(Default)]
struct Level {
    /// With their scores, the smaller the better.
    plans: Vec<(i64, Partial)>,
    sets: HashSet<u64>,
}

struct Placement {
    before: Option<usize>,
    block: u32,
    offset: i32,
}

/// The blocks to be placed.
pub struct Valleys<'a> {
    blocks: &'a [Block],
    /// First step of each block, and first after it.
    spans: Vec<(usize, usize)>,
    /// Blocks that begin at each step.
    beginning: Vec<Vec<u32>>,
    loads: Vec<i32>,
    /// A random number for each block; those of the placed ones together stand for their set.
    keys: Vec<u64>,
    history: Vec<Placement>,
    /// Partial plans made so far; in many steps one counts more.
    pub nodes: u64,
}

impl<'a> Valleys<'a> {
    /// In a mirror, the rightmost of the lowest valleys comes first.
    pub fn new(blocks: &'a [Block], steps: usize, mirrored: bool, random: &mut Random) -> Valleys<'a> {
        let span = |block: &Block| {
            let (from, to) = (block.from as usize, block.to as usize);
            if mirrored { (steps - to, steps - from) } else { (from, to) }
        };
        let spans: Vec<(usize, usize)> = blocks.iter().map(span).collect();
        let (mut loads, mut beginning) = (vec![0; steps], vec![Vec::new(); steps]);
        for ((number, &(from, to)), block) in (0..).zip(&spans).zip(blocks) {
            beginning[from].push(number);
            loads[from..to].iter_mut().for_each(|load| *load += block.size);
        }
        let keys = spans.iter().map(|_| random.number()).collect();
        Valleys { blocks, spans, beginning, loads, keys, history: Vec::new(), nodes: 0 }
    }

    /// Offsets of all blocks in a plan within the capacity, if the most promising partial plans
    /// lead to one.
    ///
    /// # Errors
    /// Breaks when the run is to stop.
    pub fn search(
        &mut self,
        pass: &Pass,
        limit: u64,
        pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<(), Option<Vec<Option<i32>>>> {
        let count = self.blocks.len();
        let afford = |load: &i32| i64::from(pass.capacity - load + pass.capacity / 64 + 1).max(1);
        let weights: Vec<i64> = self.loads.iter().map(|load| WHOLE / afford(load)).collect();
        let last = count * pass.fineness;
        let whole = i64::from(pass.capacity) * self.loads.len() as i64;
        // A placement leads to a later level, whatever it fills.
        let mut levels: Vec<Level> = (0..=last + count).map(|_| Level::default()).collect();
        let empty = Partial {
            heights: vec![0; self.loads.len()],
            totals: self.loads.clone(),
            placed: vec![0; count.div_ceil(64)],
            ..Partial::default()
        };
        levels[0].plans.push((0, empty));
        let cost = 1 + self.loads.len() as u64 / STEPS_PER_NODE;
        for number in 0..levels.len() {
            let mut level = std::mem::take(&mut levels[number]);
            level.narrow(pass.width);
            for (_, plan) in level.plans {
                for (block, valley) in self.choices(&plan) {
                    let before = self.nodes;
                    self.nodes += cost;
                    if self.nodes > limit {
                        return ControlFlow::Continue(None);
                    }
                    if self.nodes / PULSE > before / PULSE {
                        pulse(self.nodes)?;
                    }
                    let offset = valley.ground;
                    let mut next = plan.clone();
                    self.place(&mut next, block, valley, pass.capacity, &weights);
                    if next.count == count {
                        return ControlFlow::Continue(Some(self.offsets(plan.last, (block, offset))));
                    }
                    let mut heights = next.heights.iter().zip(&next.totals);
                    if heights.any(|(height, total)| *total > 0 && height + total > pass.capacity) {
                        continue;
                    }
                    let at = (i128::from(next.filled) * last as i128 / i128::from(whole.max(1))) as usize;
                    let changes = next.heights.windows(2).filter(|pair| pair[0] != pair[1]).count() as i64;
                    let score = next.cost + pass.rough * WHOLE / 8 * changes;
                    next.last = Some(self.history.len());
                    if levels[at.min(last).max(number + 1)].keep(score, next, pass.width) {
                        self.history.push(Placement { before: plan.last, block, offset });
                    }
                }
            }
        }
        ControlFlow::Continue(None)
    }

    /// What can be placed in the lowest valley.
    fn choices(&self, plan: &Partial) -> Vec<(u32, Valley)> {
        let valley = Valley::lowest(&plan.heights);
        let starts = valley.from..valley.to;
        let blocks = starts.flat_map(|start| self.beginning[start].iter().copied());
        let fits = |&block: &u32| self.fits(plan, block, &valley) && !self.has_twin(plan, block);
        blocks.filter(fits).map(|block| (block, valley)).collect()
    }

    fn fits(&self, plan: &Partial, block: u32, valley: &Valley) -> bool {
        !plan.has(block) && self.spans[block as usize].1 <= valley.to
    }

    /// Whether an equal block with a smaller number is still to be placed.
    fn has_twin(&self, plan: &Partial, block: u32) -> bool {
        let (from, to) = self.spans[block as usize];
        let size = self.blocks[block as usize].size;
        let earlier = self.beginning[from].iter().take_while(|&&other| other != block);
        let is_twin =
            |other: usize| self.spans[other].1 == to && self.blocks[other].size == size && !plan.has(other as u32);
        earlier.map(|&other| other as usize).any(is_twin)
    }

    /// Places a block in a valley, and gives up what nothing can reach any more.
    fn place(&self, plan: &mut Partial, block: u32, valley: Valley, capacity: i32, weights: &[i64]) {
        let size = self.blocks[block as usize].size;
        let (from, to) = self.spans[block as usize];
        let top = valley.ground + size;
        plan.raise(valley.from..from, valley.left(&plan.heights).unwrap_or(capacity).min(top), weights);
        plan.heights[from..to].fill(top);
        plan.totals[from..to].iter_mut().for_each(|total| *total -= size);
        plan.filled += i64::from(size) * (to - from) as i64;
        plan.placed[block as usize / 64] |= 1 << (block % 64);
        plan.set ^= self.keys[block as usize];
        plan.count += 1;
        for step in from..to {
            // Whatever is wasted above the last block of a step costs nothing.
            if plan.totals[step] == 0 && plan.heights[step] < capacity {
                plan.filled += i64::from(capacity - plan.heights[step]);
                plan.heights[step] = capacity;
            }
        }
        loop {
            let valley = Valley::lowest(&plan.heights);
            let mut blocks = (valley.from..valley.to).flat_map(|start| &self.beginning[start]);
            if valley.ground >= capacity || blocks.any(|&block| self.fits(plan, block, &valley)) {
                return;
            }
            let walls = [valley.left(&plan.heights), plan.heights.get(valley.to).copied()];
            let lower = walls.into_iter().flatten().min().unwrap_or(capacity);
            plan.raise(valley.from..valley.to, lower, weights);
        }
    }

    fn offsets(&self, mut at: Option<usize>, (block, offset): (u32, i32)) -> Vec<Option<i32>> {
        let mut offsets = vec![None; self.blocks.len()];
        offsets[block as usize] = Some(offset);
        while let Some(Placement { before, block, offset }) = at.map(|at| &self.history[at]) {
            offsets[*block as usize] = Some(*offset);
            at = *before;
        }
        offsets
    }
}

/// Steps of equal height with higher ones at both sides.
#[derive(Clone, Copy)]
struct Valley {
    from: usize,
    to: usize,
    ground: i32,
}

impl Valley {
    /// The leftmost of the lowest.
    fn lowest(heights: &[i32]) -> Valley {
        let ground = heights.iter().copied().min().unwrap_or(0);
        let from = heights.iter().position(|&height| height == ground).unwrap_or(0);
        let long = heights[from..].iter().position(|&height| height != ground);
        Valley { from, to: long.map_or(heights.len(), |long| from + long), ground }
    }

    /// Height of the wall at the left.
    fn left(&self, heights: &[i32]) -> Option<i32> {
        self.from.checked_sub(1).map(|step| heights[step])
    }
}

impl Partial {
    fn has(&self, block: u32) -> bool {
        self.placed[block as usize / 64] >> (block % 64) & 1 == 1
    }

    /// Gives up some steps as far as a height.
    fn raise(&mut self, steps: std::ops::Range<usize>, to: i32, weights: &[i64]) {
        for step in steps {
            let by = i64::from(to - self.heights[step]);
            self.cost += by * weights[step];
            self.filled += by;
            self.heights[step] = to;
        }
    }
}

impl Level {
    /// Whether a partial plan is among the best so far; of those with the same blocks only one is
    /// kept.
    fn keep(&mut self, score: i64, plan: Partial, width: usize) -> bool {
        if !self.sets.insert(plan.set) {
            let same = self.plans.iter_mut().find(|(_, other)| other.set == plan.set);
            let Some(same) = same.filter(|(other, _)| *other > score) else { return false };
            *same = (score, plan);
            return true;
        }
        self.plans.push((score, plan));
        if self.plans.len() > 2 * width {
            self.narrow(width);
        }
        true
    }

    fn narrow(&mut self, width: usize) {
        self.plans.sort_unstable_by_key(|(score, plan)| (*score, plan.set));
        self.plans.truncate(width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(list: &[(i32, u32, u32)]) -> Vec<Block> {
        let block = |&(size, from, to): &(i32, u32, u32)| Block { size, from, to, parts: Vec::new() };
        list.iter().map(block).collect()
    }

    fn within(capacity: i32, list: &[(i32, u32, u32)], steps: usize, mirrored: bool) -> Option<Vec<Option<i32>>> {
        let blocks = blocks(list);
        let mut valleys = Valleys::new(&blocks, steps, mirrored, &mut Random::new(1));
        let pass = Pass { capacity, width: 8, fineness: 2, rough: 1 };
        match valleys.search(&pass, 10_000, &mut |_| ControlFlow::Continue(())) {
            ControlFlow::Continue(found) => found,
            ControlFlow::Break(()) => None,
        }
    }

    #[test]
    fn a_plan_within_the_capacity_is_found_from_either_side() {
        // A wheel: low, right, top, left and mid around each other.
        let wheel = [(2, 0, 3), (3, 3, 4), (2, 2, 4), (3, 0, 2), (1, 2, 3)];
        for mirrored in [false, true] {
            let offsets = within(5, &wheel, 4, mirrored).expect("there is a plan");
            let offsets: Vec<i32> = offsets.into_iter().flatten().collect();
            assert!(offsets == [0, 0, 3, 2, 2] || offsets == [3, 2, 0, 0, 2], "{offsets:?}");
            assert_eq!(within(4, &wheel, 4, mirrored), None);
        }
    }

    #[test]
    fn a_step_may_be_wasted_as_far_as_it_can_afford() {
        // The long one lies on the first, with a unit free below it at step 1.
        let list = [(2, 0, 1), (1, 1, 2), (2, 0, 2)];
        assert!(within(4, &list, 2, false).is_some());
        assert_eq!(within(3, &list, 2, false), None);
    }

    #[test]
    fn the_nodes_are_limited() {
        let blocks = blocks(&[(1, 0, 2), (1, 0, 2), (1, 1, 3), (2, 2, 3)]);
        let mut valleys = Valleys::new(&blocks, 3, false, &mut Random::new(1));
        let pass = Pass { capacity: 3, width: 8, fineness: 2, rough: 0 };
        let found = valleys.search(&pass, 2, &mut |_| ControlFlow::Continue(()));
        assert_eq!((found, valleys.nodes), (ControlFlow::Continue(None), 3));
    }
}
