//! Blocks, and the pools that hold the free ones in the allocator's order.

use std::collections::{BTreeMap, BTreeSet};

/// A block of an allocator: valid until it is given back to the card or joins another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub(super) u32);

/// A piece of a segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Index of its pool.
    pub pool: usize,
    /// The stream whose segment it is.
    pub stream: u64,
    pub address: u64,
    pub size: u64,
    /// Bytes asked for, without rounding.
    pub requested: u64,
    pub is_allocated: bool,
    /// Other streams that used it since it was allocated.
    pub uses: BTreeSet<u64>,
    /// Events that must finish before it is free.
    pub events: u32,
    /// Neighbours in the segment.
    pub prev: Option<BlockId>,
    pub next: Option<BlockId>,
    /// False only in parts of expandable segments that have no memory.
    pub is_mapped: bool,
    /// Its expandable segment; none in ordinary ones.
    pub range: Option<usize>,
    /// What decides between equal sizes before the address does.
    pub born: u64,
    /// Look-ups of its pool when it became free.
    pub age_base: u64,
}

impl Block {
    pub fn is_split(&self) -> bool {
        self.prev.is_some() || self.next.is_some()
    }

    /// Whether it is allocated or waits for other streams.
    pub fn is_busy(&self) -> bool {
        self.is_allocated || self.events > 0 || !self.uses.is_empty()
    }

    pub fn end(&self) -> u64 {
        self.address + self.size
    }

    pub fn key(&self) -> Key {
        Key { stream: self.stream, size: self.size, born: self.born, address: self.address }
    }
}

/// What free blocks of a pool are ordered by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    pub stream: u64,
    pub size: u64,
    pub born: u64,
    pub address: u64,
}

impl Key {
    /// Before every block of the stream that is at least so large.
    pub fn from(stream: u64, size: u64) -> Key {
        Key { stream, size, born: 0, address: 0 }
    }
}

/// A pool: small or large, of all or private.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub is_small: bool,
    /// Number of the private pool; none for those that all requests use.
    pub private: Option<u64>,
    /// Free blocks that have memory.
    pub free: BTreeMap<Key, BlockId>,
    /// Parts of expandable segments without memory, by stream and address.
    pub unmapped: BTreeMap<(u64, u64), BlockId>,
    /// Look-ups, counted while garbage collection is on.
    pub calls: u64,
}

/// A private pool of the user: of a graph or a `MemPool`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Private {
    /// Indices of its pools.
    pub small: usize,
    pub large: usize,
    /// Who still needs it.
    pub uses: u64,
    /// Segments and maps minus those given back.
    pub held: i64,
}

/// Addresses that an expandable segment has reserved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub address: u64,
    pub size: u64,
    pub page: u64,
    pub stream: u64,
}

/// All blocks of an allocator.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    list: Vec<Block>,
    /// Whether each is in use, and those that are not.
    in_use: Vec<bool>,
    spare: Vec<BlockId>,
}

impl Blocks {
    pub fn push(&mut self, block: Block) -> BlockId {
        if let Some(id) = self.spare.pop() {
            self[id] = block;
            self.in_use[id.0 as usize] = true;
            return id;
        }
        self.list.push(block);
        self.in_use.push(true);
        BlockId(self.list.len() as u32 - 1)
    }

    pub fn drop(&mut self, id: BlockId) {
        self.in_use[id.0 as usize] = false;
        self.spare.push(id);
    }

    /// Those in use, in no order that means anything.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0u32..).zip(&self.in_use).filter(|&(_, &used)| used).map(|(id, _)| BlockId(id))
    }
}

impl std::ops::Index<BlockId> for Blocks {
    type Output = Block;

    fn index(&self, id: BlockId) -> &Block {
        &self.list[id.0 as usize]
    }
}

impl std::ops::IndexMut<BlockId> for Blocks {
    fn index_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.list[id.0 as usize]
    }
}
