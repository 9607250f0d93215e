//! Bytes that a buffer must leave alone although nobody lives there: what used them is not ordered before it by a path of the
//! graph, so sharing them would keep two branches from running at the same time.

use super::chain::Block;
use super::obstacles::merged;
use crate::base::IdVec;
use crate::plan::PoolId;
use crate::problem::{Branches, BufferId};

/// Everything placed so far in every arena, for as long as the run: the dead count too.
pub struct Parallel {
    branches: Branches,
    /// In address order.
    placed: IdVec<PoolId, Vec<(Block, BufferId)>>,
}

impl Parallel {
    pub fn new(branches: Branches, arenas: usize) -> Parallel {
        Parallel { branches, placed: IdVec::from_elem(Vec::new(), arenas) }
    }

    /// Records a place. Nothing is kept when every pair may share.
    pub fn add(&mut self, pool: PoolId, span: Block, buffer: BufferId) {
        if self.branches.is_on() {
            let placed = &mut self.placed[pool];
            let at = placed.partition_point(|(other, _)| other.start <= span.start);
            placed.insert(at, (span, buffer));
        }
    }

    /// Bytes of the arena that the buffer may not share, in address order, not touching. Looks at everything placed.
    pub fn spans(&self, pool: PoolId, buffer: BufferId) -> Vec<Block> {
        let against = self.placed[pool].iter().filter(|(_, other)| !self.branches.allow(*other, buffer));
        merged(&against.map(|(span, _)| *span).collect::<Vec<_>>(), &[])
    }
}
