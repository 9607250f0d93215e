//! Plans that waste nothing, or next to nothing: the search for them before the tree of all plans
//! is walked.
//!
//! If every step is as full as the capacity, no byte may ever be free, and that limits which
//! buffers lie side by side. A rectangle cut into hundreds of buffers is more than the tree of all
//! plans can be searched for; put together again from what fits, it is a matter of milliseconds.
//!
//! **From**: our own.
//!
//! **Rule**: where a step is not full, made-up blocks fill it up, each over the steps between a
//! fall and a rise of the load. Buffers that must lie side by side are joined ([`glue`]) until
//! nothing more follows, and what is left is searched for from the bottom up ([`skyline`]). What
//! may lie side by side in more than one way is joined at random, a little more daring in some
//! tries than in others. Every plan that is found is a plan of the buffers, whatever was guessed;
//! that none is found proves nothing.
//!
//! Where nothing is found, some waste is allowed, less and less ([`valleys`]), of buffers and of
//! joined blocks in turn.
//!
//! **Where it helps**: only where few blocks fill the steps up, since their places are not given;
//! others are not tried without waste.

mod glue;
mod skyline;
mod valleys;

use std::ops::ControlFlow;

use self::glue::Block;
use self::skyline::{End, Packing};
use self::valleys::{Pass, Valleys};
use super::greedy;
use super::model::{MAX_UNITS, Model};
use super::report::Reporter;
use crate::random::Random;

/// With fewer buffers the tree of all plans is quick, and easier to follow.
const MIN_ITEMS: usize = 64;

/// With more, joining them takes longer than it is worth.
const MAX_ITEMS: usize = 4_000;

/// Buffers for each block that fills up a step, at least.
const ITEMS_PER_FILL: usize = 4;

/// Nodes of the first tries; the limit grows by a quarter after each [`TRIES`] of them.
const NODES: u64 = 2_000;
const TRIES: u64 = 8;

/// Nodes that take as long as joining the blocks of a try, for each of them.
const NODES_PER_ITEM: u64 = 14;

/// How often, in percent, a try goes on with a guess when nothing more must lie side by side.
const DARING: [usize; 5] = [0, 90, 95, 98, 100];

/// Partial plans that a pass keeps at first.
const WIDTH: usize = 40;

/// With more buffers, partial plans take too much memory.
const MAX_NARROWED: usize = 1_000;

/// Partial plans that are made in the time of a node of the tree.
const NODES_OF_VALLEYS: u64 = 6;

/// What the tries led to.
pub struct Outcome {
    /// The best plan that was met: offsets of the items, and their peak.
    pub best: Option<(Vec<i64>, i64)>,
    pub nodes: u64,
}

/// Tries to fill the capacity, which is the bound, with at most so many nodes.
///
/// # Errors
/// Breaks when the run is to stop.
pub fn search(model: &Model, capacity: i32, limit: u64, reporter: &mut Reporter) -> ControlFlow<(), Outcome> {
    let mut outcome = Outcome { best: None, nodes: 0 };
    let Some(Shape { blocks, steps }) = shape(model) else { return ControlFlow::Continue(outcome) };
    let mut random = Random::new(1);
    let mut allowed = NODES;
    let is_promising = |fills: usize| ITEMS_PER_FILL * fills <= model.items.len();
    for number in 1.. {
        let is_first = number == 1;
        let mut all = blocks.clone();
        let order = if is_first { fill::NEWEST } else { random.below(fill::ORDERS) };
        fill::up(&mut all, steps, capacity, order, &mut random);
        if !is_promising(all.len() - blocks.len()) {
            break;
        }
        let before = all.len() as u64;
        let daring = if is_first { 0 } else { *random.pick(&DARING).unwrap_or(&0) };
        let all = glue::join(all, steps, daring, &mut random);
        let left = limit.saturating_sub(outcome.nodes + NODES_PER_ITEM * before);
        if left == 0 {
            break;
        }
        reporter.pulse(outcome.nodes)?;
        if is_first {
            reporter.ask(capacity, limit);
        }
        reporter.glued(all.len(), allowed.min(left));
        let mut packing = Packing::new(&all, steps, capacity, &mut random);
        let end = packing.search(allowed.min(left), &mut |nodes| reporter.pulse(outcome.nodes + nodes))?;
        outcome.nodes += packing.nodes + NODES_PER_ITEM * before;
        let found = complete(model, &all, packing.placed());
        if outcome.best.as_ref().is_none_or(|(_, peak)| found.1 < *peak) {
            outcome.best = Some(found);
        }
        if end == End::Packed {
            break;
        }
        if number % TRIES == 0 {
            allowed += allowed / 4;
        }
    }
    ControlFlow::Continue(outcome)
}

/// Looks for plans with a smaller and smaller peak, below `known`, until one is at most `wanted` or
/// the nodes are used up. A pass keeps only some partial plans, and what makes them promising
/// differs from instance to instance, so it differs from pass to pass.
///
/// # Errors
/// Breaks when the run is to stop.
pub fn narrow(model: &Model, known: i64, wanted: i32, limit: u64, reporter: &mut Reporter) -> ControlFlow<(), Outcome> {
    let mut outcome = Outcome { best: None, nodes: 0 };
    let Some(Shape { blocks, steps }) = shape(model) else { return ControlFlow::Continue(outcome) };
    if blocks.len() > MAX_NARROWED {
        return ControlFlow::Continue(outcome);
    }
    let bound = model.bound();
    let mut random = Random::new(2);
    let (mut peak, mut width, mut spent) = (known, WIDTH, 0);
    for number in 0.. {
        if peak <= i64::from(wanted) || outcome.nodes >= limit {
            break;
        }
        reporter.pulse(outcome.nodes)?;
        let mut all = blocks.clone();
        if number % 4 > 0 {
            let order = random.below(fill::ORDERS);
            fill::up(&mut all, steps, bound, order, &mut random);
            if ITEMS_PER_FILL * (all.len() - blocks.len()) <= blocks.len() {
                let daring = *random.pick(&DARING).unwrap_or(&0);
                all = glue::join(all, steps, daring, &mut random);
            }
            all.retain(|block| block.parts.iter().any(|(item, _)| *item != fill::NOBODY));
        }
        let below = peak.min(MAX_UNITS.into()) as i32 - 1;
        let pass = Pass {
            capacity: if number % 2 == 0 { below } else { wanted + (below - wanted) / 2 },
            width,
            fineness: [2, 4, 8][random.below(3)],
            rough: [0, 1, 8][random.below(3)],
        };
        reporter.narrowed(pass.capacity, all.len());
        let mut valleys = Valleys::new(&all, steps, random.below(2) == 1, &mut random);
        let left = NODES_OF_VALLEYS * (limit - outcome.nodes);
        let found = valleys.search(&pass, left, &mut |nodes| reporter.pulse((spent + nodes) / NODES_OF_VALLEYS))?;
        spent += valleys.nodes;
        outcome.nodes = spent / NODES_OF_VALLEYS;
        if let Some(offsets) = found {
            let better = complete(model, &all, &offsets);
            if better.1 < peak {
                peak = better.1;
                outcome.best = Some(better);
            }
        } else if number % 4 == 3 {
            width += width / 8;
        }
    }
    ControlFlow::Continue(outcome)
}

/// A problem as blocks on steps that are numbered without the ones at which nothing begins or ends.
struct Shape {
    blocks: Vec<Block>,
    steps: usize,
}

/// None for problems of another kind: too few or too many buffers, stated positions, alignments,
/// gaps, branches.
fn shape(model: &Model) -> Option<Shape> {
    let count = model.items.len();
    let is_plain = |(index, item): (u32, &super::model::Item)| {
        let own = model.pieces.of(index);
        item.fixed.is_none() && item.align == 1 && own.len() == 1 && item.reach == (own[0].from, own[0].to)
    };
    if !(MIN_ITEMS..=MAX_ITEMS).contains(&count) || !model.plain || !(0..).zip(&model.items).all(is_plain) {
        return None;
    }
    let mut borders: Vec<u32> = model.items.iter().flat_map(|item| [item.live.0, item.live.1]).collect();
    borders.sort_unstable();
    borders.dedup();
    let number = |step: u32| borders.partition_point(|&border| border < step) as u32;
    let block = |(index, item): (u32, &super::model::Item)| Block {
        size: item.size,
        from: number(item.live.0),
        to: number(item.live.1),
        parts: vec![(index, 0)],
    };
    let blocks = (0..).zip(&model.items).map(block).collect();
    Some(Shape { blocks, steps: borders.len() - 1 })
}

/// A plan of all items: those of placed blocks from the bottom up, then the others, the largest
/// areas first.
fn complete(model: &Model, blocks: &[Block], placed: &[Option<i32>]) -> (Vec<i64>, i64) {
    let mut order: Vec<(bool, i64, u32)> = Vec::new();
    for (block, offset) in blocks.iter().zip(placed) {
        for &(index, above) in block.parts.iter().filter(|(index, _)| *index != fill::NOBODY) {
            let item = &model.items[index as usize];
            let area = i64::from(item.size) * i64::from(item.live.1 - item.live.0);
            let key = offset.map_or(-area, |offset| i64::from(offset + above));
            order.push((offset.is_none(), key, index));
        }
    }
    order.sort_unstable();
    let order: Vec<u32> = order.into_iter().map(|(.., index)| index).collect();
    greedy::place_all(model, &order)
}

/// Blocks that fill up the steps.
mod fill {
    use super::{Block, Random};

    /// The part of a block that is no buffer.
    pub const NOBODY: u32 = u32::MAX;

    /// Which of the open blocks ends when the load rises: the newest, the oldest, or any.
    pub const NEWEST: usize = 0;
    const OLDEST: usize = 1;
    pub const ORDERS: usize = 4;

    /// Adds blocks until every step is as full as the capacity. Where the load falls a block
    /// begins, and where it rises one ends: one of exactly that size if there is one.
    pub fn up(blocks: &mut Vec<Block>, steps: usize, capacity: i32, order: usize, random: &mut Random) {
        let mut free = vec![capacity; steps];
        for block in &*blocks {
            free[block.from as usize..block.to as usize].iter_mut().for_each(|free| *free -= block.size);
        }
        free.push(0);
        let mut open: Vec<(u32, i32)> = Vec::new();
        let mut before = 0;
        for (step, free) in (0..).zip(free) {
            let change = free - before;
            before = free;
            if change > 0 {
                open.push((step, change));
            }
            let mut ending = (-change).max(0);
            while ending > 0 {
                let same = open.iter().rposition(|&(_, size)| size == ending);
                let any = match order {
                    NEWEST => open.len() - 1,
                    OLDEST => 0,
                    _ => random.below(open.len()),
                };
                let at = same.unwrap_or(any);
                let (from, size) = open[at];
                let ends = size.min(ending);
                blocks.push(Block { size: ends, from, to: step, parts: vec![(NOBODY, 0)] });
                ending -= ends;
                open[at].1 -= ends;
                if open[at].1 == 0 {
                    open.remove(at);
                }
            }
        }
    }
}
