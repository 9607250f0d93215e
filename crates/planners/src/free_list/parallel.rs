//! Bytes that a buffer must leave alone although nobody lives there: what used them is not ordered
//! before it by a path of the graph, so sharing them would keep two branches from running at the
//! same time.

use super::block::Block;
use super::obstacles::merged;
use memplan_core::base::{IdVec, Owners};
use memplan_core::plan::PoolId;
use memplan_core::problem::{Branches, BufferId};

/// Who used the bytes of every arena last. Who used them before that need not be asked: it comes
/// before the last one, and whatever comes after the last one comes after both.
pub struct Parallel {
    branches: Branches,
    last: IdVec<PoolId, Owners<BufferId>>,
    /// Positions that the input states; they may overlap in any way.
    stated: IdVec<PoolId, Vec<(Block, BufferId)>>,
}

impl Parallel {
    /// Returns a record of so many arenas in which nothing lies.
    pub fn new(branches: Branches, arenas: usize) -> Parallel {
        Parallel {
            branches,
            last: IdVec::from_elem(Owners::default(), arenas),
            stated: IdVec::from_elem(Vec::new(), arenas),
        }
    }

    /// Records a position that the input states, before anything is placed.
    pub fn state(&mut self, pool: PoolId, span: Block, buffer: BufferId) {
        self.stated[pool].push((span, buffer));
    }

    /// Records a place; places come in order of birth. Nothing is kept when every pair may share.
    pub fn add(&mut self, pool: PoolId, span: Block, buffer: BufferId) {
        if self.branches.is_on() {
            self.last[pool].take(span.start, span.end, buffer);
        }
    }

    /// Bytes of the arena that the buffer may not share, in address order, not touching.
    pub fn spans(&self, pool: PoolId, buffer: BufferId) -> Vec<Block> {
        if !self.branches.is_on() {
            return Vec::new();
        }
        let against = |other: BufferId| !self.branches.allow(other, buffer);
        let last = self.last[pool].iter().filter(|span| against(span.owner));
        let last: Vec<Block> = last.map(|span| Block { start: span.start, end: span.end }).collect();
        let stated = self.stated[pool].iter().filter(|(_, other)| against(*other));
        let stated: Vec<Block> = stated.map(|(span, _)| *span).collect();
        merged(&last, &stated)
    }

    /// Who keeps the buffer off these bytes, each once.
    pub fn users(&self, pool: PoolId, buffer: BufferId, bytes: Block) -> Vec<BufferId> {
        let last = self.last[pool].iter().map(|span| (span.start, span.end, span.owner));
        let stated = self.stated[pool].iter().map(|&(span, other)| (span.start, span.end, other));
        let meets = |&(start, end, _): &(u64, u64, BufferId)| start < bytes.end && bytes.start < end;
        let mut users: Vec<BufferId> = last.chain(stated).filter(meets).map(|(_, _, other)| other).collect();
        users.retain(|&other| !self.branches.allow(other, buffer));
        users.sort_unstable();
        users.dedup();
        users
    }
}
