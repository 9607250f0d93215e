//! New memory: segments, and expandable segments that grow page by page (`alloc_block`,
//! `try_allocate_expandable_block`, `map_block`).

use super::allocator::{Action, Allocator, MayUse, Refusal};
use super::blocks::{Block, BlockId, Range};
use super::counts::Counted;
use super::settings::SMALL_BUFFER;

impl Allocator {
    /// Obtains memory for a block of `size` bytes; none if the limit or the card has none left.
    pub(super) fn obtain(
        &mut self,
        pool: usize,
        stream: u64,
        size: u64,
        segment: u64,
        may_use: MayUse,
    ) -> Result<Option<BlockId>, Refusal> {
        let total = self.total.saturating_add(segment);
        // The limit is compared with a whole segment, also where fewer pages would do.
        if self.limit.is_some_and(|limit| total > limit) {
            return Ok(None);
        }
        if self.settings.rejects && total > self.card.total {
            self.counts.oom_rejections += 1;
            return Err(Refusal::Rejected);
        }
        let block = if self.settings.expandable {
            self.expand(pool, stream, size, may_use)
        } else {
            self.new_segment(pool, stream, segment)
        };
        if block.is_some() {
            self.hold_private(pool, 1);
        }
        Ok(block)
    }

    /// Counts what a private pool holds.
    pub(super) fn hold_private(&mut self, pool: usize, change: i64) {
        if let Some(private) = self.pools[pool].private.and_then(|number| self.private.get_mut(&number)) {
            private.held += change;
        }
    }

    /// A segment, one free block that is not yet among the free ones.
    fn new_segment(&mut self, pool: usize, stream: u64, size: u64) -> Option<BlockId> {
        if !self.card.take(size) {
            return None;
        }
        let Some(address) = self.card.place(size) else {
            self.card.give(size);
            return None;
        };
        self.total += size;
        self.add(pool, Counted::Segment, 1);
        self.add(pool, Counted::ReservedBytes, size);
        if size >= self.settings.max_split {
            self.counts.oversize_segments.add(1);
        }
        self.counts.device_allocs += 1;
        self.note(Action::SegmentAlloc, address, size, stream, pool);
        let born = self.number_of(None);
        Some(self.blocks.push(Block { pool, stream, address, size, is_mapped: true, born, ..Block::default() }))
    }

    /// Maps pages until a block of `size` bytes is there, and takes it out of the free ones.
    fn expand(&mut self, pool: usize, stream: u64, size: u64, may_use: MayUse) -> Option<BlockId> {
        let mut id = self.find_expandable(pool, stream, size, may_use)?;
        if !self.blocks[id].is_mapped && !self.map(id, self.blocks[id].size.min(size)) {
            return None;
        }
        while self.blocks[id].size < size {
            // A candidate ends where nothing is mapped: what is free behind it has joined it.
            let next = self.blocks[id].next?;
            let missing = size - self.blocks[id].size;
            if !self.map(next, missing.min(self.blocks[next].size)) {
                return None;
            }
            id = next;
        }
        self.take_out(id);
        Some(id)
    }

    /// The lowest run of free mapped and unmapped blocks that is large enough and holds an unmapped
    /// one; a new expandable segment if there is none.
    fn find_expandable(&mut self, pool: usize, stream: u64, size: u64, may_use: MayUse) -> Option<BlockId> {
        let unmapped = self.pools[pool].unmapped.range((stream, 0)..=(stream, u64::MAX));
        let found = unmapped.map(|(_, &id)| self.run_start(id)).find(|&id| self.has_room(id, size, may_use));
        if found.is_some() {
            return found;
        }
        let page = if self.pools[pool].is_small { SMALL_BUFFER } else { self.settings.large_segment };
        let bytes = (self.card.total + self.card.total / 8).next_multiple_of(page);
        let address = self.card.place(bytes)?;
        if size > bytes && self.settings.version.checks_address_range() {
            self.card.leave(address);
            self.number_of(None);
            return None;
        }
        self.ranges.push(Range { address, size: bytes, page, stream });
        let (range, born) = (Some(self.ranges.len() - 1), self.number_of(None));
        let id = self.blocks.push(Block { pool, stream, address, size: bytes, range, born, ..Block::default() });
        self.insert_unmapped(id);
        Some(id)
    }

    /// The block before an unmapped one if that is free, else itself.
    fn run_start(&self, id: BlockId) -> BlockId {
        self.blocks[id].prev.filter(|&prev| !self.blocks[prev].is_busy()).unwrap_or(id)
    }

    /// Whether so many bytes from a block on are not in use.
    fn has_room(&self, first: BlockId, size: u64, may_use: MayUse) -> bool {
        let (mut room, mut next) = (0, Some(first));
        while let Some(block) = next.map(|id| &self.blocks[id]).filter(|block| room < size && !block.is_busy()) {
            room += block.size;
            next = block.next;
        }
        room >= size && may_use(self.blocks[first].address, size)
    }

    /// Gives memory to the start of an unmapped block, whole pages; false if the card has too
    /// little.
    fn map(&mut self, id: BlockId, bytes: u64) -> bool {
        let &Block { pool, stream, address, size, range, born, next, .. } = &self.blocks[id];
        let Some(page) = range.map(|range| self.ranges[range].page) else { return false };
        // Pages are taken one by one, and all go back if one cannot be had.
        let mapped = bytes.next_multiple_of(page);
        if !self.card.take(mapped) {
            return false;
        }
        self.take_out_unmapped(id);
        self.blocks[id].is_mapped = true;
        if mapped < size {
            let born = self.number_of(Some(born));
            let rest = Block {
                pool,
                stream,
                address: address + mapped,
                size: size - mapped,
                prev: Some(id),
                next,
                range,
                born,
                ..Block::default()
            };
            let rest = self.blocks.push(rest);
            if let Some(next) = next {
                self.blocks[next].prev = Some(rest);
            }
            self.insert_unmapped(rest);
            let block = &mut self.blocks[id];
            (block.next, block.size) = (Some(rest), mapped);
        }
        self.join_neighbours(id);
        self.insert_free(id);
        self.total += mapped;
        self.add(pool, Counted::ReservedBytes, mapped);
        self.counts.device_allocs += 1;
        self.note(Action::SegmentMap, address, mapped, stream, pool);
        true
    }

    /// Joins a block with what stands before it, then with what stands behind it.
    pub(super) fn join_neighbours(&mut self, id: BlockId) {
        if let Some(prev) = self.blocks[id].prev {
            self.merge(id, prev);
        }
        if let Some(next) = self.blocks[id].next {
            self.merge(id, next);
        }
    }
}
