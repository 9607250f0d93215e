//! One arena: which free block a buffer gets, by the policy.

use super::Fit;
use super::block::Block;
use super::chain::Chain;
use super::obstacles::{Obstacles, merged, within, without};
use memplan_core::base::align_up;
use memplan_core::problem::{Buffer, Live};

/// What a buffer asks of an arena.
#[derive(Clone, Copy)]
pub struct Ask {
    /// Bytes, rounded up to the alignment.
    pub size: u64,
    /// Its offset is a multiple of it, in bytes.
    pub align: u64,
    /// Steps at which it needs its bytes.
    pub live: Live,
}

impl Ask {
    /// Returns what a buffer asks for, rounded up to its alignment.
    pub fn of(buffer: &Buffer) -> Ask {
        Ask { size: align_up(buffer.size, buffer.align), align: buffer.align, live: buffer.live }
    }

    /// Whether the whole of `block` is used up at this offset.
    pub fn fills(&self, block: Block, offset: u64) -> bool {
        block.start == offset && block.end == offset + self.size
    }

    /// Whether a block has room for it at an aligned offset.
    pub fn fits(&self, block: Block) -> bool {
        block.low_end(self.size, self.align).is_some()
    }
}

/// The address space of one memory.
pub struct Arena {
    /// Which block is taken.
    pub fit: Fit,
    /// Whether the free bytes below `mark` count as a bounded block.
    tail_is_bounded: bool,
    /// Its free blocks.
    pub chain: Chain,
    /// Stated positions, which are kept free for their owners.
    pub obstacles: Obstacles,
    /// Highest address reached so far, sizes rounded up.
    mark: u64,
    /// Highest end of a buffer so far, sizes as they are.
    pub peak: u64,
}

/// The block a buffer gets.
pub struct BlockChoice {
    /// The block taken.
    pub block: Block,
    /// Where the buffer goes inside, in bytes from the base of the arena.
    pub offset: u64,
    /// What it was chosen from, in address order, the unbounded block last; empty unless asked for
    /// or walked.
    pub candidates: Vec<Block>,
    /// Free bytes of blocks that are large enough, kept from it only by the branches; empty unless
    /// asked for.
    pub parallel: Vec<Block>,
}

impl Arena {
    /// Returns an empty arena.
    pub fn new(fit: Fit, tail_is_bounded: bool) -> Arena {
        Arena { fit, tail_is_bounded, chain: Chain::new(fit), obstacles: Obstacles::default(), mark: 0, peak: 0 }
    }

    /// Chooses a block outside `parallel`, spans in address order; asked in order of birth.
    pub fn choose(&mut self, ask: Ask, parallel: &[Block], want_candidates: bool) -> BlockChoice {
        let stated = self.obstacles.met_by(ask.live);
        let must_walk = !stated.is_empty() || !parallel.is_empty();
        let candidates =
            if want_candidates || must_walk { self.candidates(&merged(&stated, parallel)) } else { Vec::new() };
        let block = if must_walk { self.walk(&candidates, ask) } else { self.find(ask) };
        let offset = align_up(block.start, ask.align);
        let refused = want_candidates && !parallel.is_empty();
        let parallel = if refused { self.refused(ask, &stated, parallel) } else { Vec::new() };
        BlockChoice { block, offset, candidates, parallel }
    }

    fn refused(&self, ask: Ask, stated: &[Block], parallel: &[Block]) -> Vec<Block> {
        let large_enough = without(self.chain.blocks(), stated).into_iter().filter(|&block| ask.fits(block));
        within(large_enough, parallel)
    }

    /// Records that bytes up to `end` are in use, `padded_end` with the size rounded up. Gives the
    /// new peak if it rose.
    pub fn rise(&mut self, end: u64, padded_end: u64) -> Option<(u64, u64)> {
        self.mark = self.mark.max(padded_end);
        let before = self.peak;
        self.peak = before.max(end);
        (self.peak > before).then_some((before, self.peak))
    }

    fn candidates(&self, spans: &[Block]) -> Vec<Block> {
        let mut blocks = without(self.chain.blocks(), spans);
        let top = blocks.pop().map_or(0, |top| top.start);
        blocks.extend(self.tail(top));
        blocks.push(Block::above(top));
        blocks
    }

    fn tail(&self, top: u64) -> Option<Block> {
        (self.tail_is_bounded && top < self.mark).then_some(Block { start: top, end: self.mark })
    }

    fn walk(&self, candidates: &[Block], ask: Ask) -> Block {
        let bounded = candidates.iter().copied().filter(|&block| !block.is_top() && ask.fits(block));
        let chosen = bounded.reduce(|chosen, next| if self.prefers(next, chosen) { next } else { chosen });
        chosen.unwrap_or_else(|| candidates.last().copied().unwrap_or(Block::above(0)))
    }

    fn find(&self, ask: Ask) -> Block {
        let top = self.chain.top();
        let inner = self.chain.find(ask.size, ask.align);
        let tail = self.tail(top).filter(|&tail| ask.fits(tail));
        match (inner, tail) {
            (Some(inner), Some(tail)) if self.prefers(tail, inner) => tail,
            (Some(inner), _) => inner,
            (None, Some(tail)) => tail,
            (None, None) => Block::above(top),
        }
    }

    /// Whether the policy prefers `higher` to a block at a lower address.
    fn prefers(&self, higher: Block, lower: Block) -> bool {
        match self.fit {
            Fit::First => false,
            Fit::Best => higher.len() < lower.len(),
            Fit::Worst => higher.len() > lower.len(),
        }
    }
}
