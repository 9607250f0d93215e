//! Memory that goes back to the card: collected, released for a request, or with the whole cache.

use super::allocator::{Action, Allocator, LARGE, Refusal};
use super::blocks::{Block, BlockId, Key};
use super::counts::Counted;
use super::settings::UNLIMITED;

impl Allocator {
    /// Gives back segments of the large pool that are unused for longest, until the process holds
    /// no more than its threshold; returns their bytes (`garbage_collect_cached_blocks`).
    pub(super) fn collect_garbage(&mut self) -> u64 {
        let Some(limit) = self.limit else { return 0 };
        let threshold = (self.settings.garbage_collection * limit as f64) as u64;
        let Some(target) = self.total.checked_sub(threshold).filter(|&target| target > 0) else { return 0 };
        let calls = self.pools[LARGE].calls;
        let age = |block: &Block| calls - block.age_base;
        let whole = self.pools[LARGE].free.values().map(|&id| &self.blocks[id]).filter(|block| !block.is_split());
        let (mut ages, mut count) = whole.fold((0, 0u64), |(ages, count), block| (ages + age(block), count + 1));
        let mut collected = 0;
        while collected < target && count > 0 {
            // Fixed for the round, which is not cut short when the target is reached.
            let average = ages as f64 / count as f64;
            let is_old = |block: &Block| !block.is_split() && block.range.is_none() && age(block) as f64 >= average;
            let free = self.pools[LARGE].free.values().copied();
            let old: Vec<BlockId> = free.filter(|&id| is_old(&self.blocks[id])).collect();
            if old.is_empty() {
                break;
            }
            for id in old {
                collected += self.blocks[id].size;
                ages -= age(&self.blocks[id]);
                count -= 1;
                self.release_block(id);
            }
        }
        collected
    }

    /// Gives back one free block that is large enough for a request, or several that are not;
    /// returns whether that is enough. Only with `max_split_size_mb`
    /// (`release_available_cached_blocks`).
    pub(super) fn release_available(&mut self, pool: usize, stream: u64, size: u64) -> Result<bool, Refusal> {
        let least = self.settings.max_split;
        if least == UNLIMITED {
            return Ok(false);
        }
        let need = size.max(least);
        let free = &self.pools[pool].free;
        let above = free.range(Key::from(stream, need)..).next();
        if let Some((_, &id)) = above.filter(|&(key, id)| key.stream == stream && self.blocks[*id].range.is_none()) {
            self.account.released = self.blocks[id].size;
            self.release_whole(id)?;
            return Ok(true);
        }
        let below = free.range(..Key::from(stream, need)).rev();
        let large = below.take_while(|(key, _)| key.stream == stream && key.size >= least).map(|(_, &id)| id);
        let mut victims = Vec::new();
        let mut released = 0;
        for id in large.filter(|&id| self.blocks[id].range.is_none()) {
            if released >= need {
                break;
            }
            released += self.blocks[id].size;
            victims.push(id);
        }
        self.account.released = released;
        victims.into_iter().try_for_each(|id| self.release_whole(id))?;
        Ok(released >= need)
    }

    /// Gives a segment back, if the block is one.
    fn release_whole(&mut self, id: BlockId) -> Result<(), Refusal> {
        if self.blocks[id].is_split() {
            return Err(Refusal::Breaks);
        }
        self.release_block(id);
        Ok(())
    }

    fn release_block(&mut self, id: BlockId) {
        let &Block { pool, stream, address, size, .. } = &self.blocks[id];
        self.counts.device_frees += 1;
        self.note(Action::SegmentFree, address, size, stream, pool);
        self.card.give(size);
        self.card.leave(address);
        self.total -= size;
        self.hold_private(pool, -1);
        self.sub(pool, Counted::Segment, 1);
        self.sub(pool, Counted::ReservedBytes, size);
        if size >= self.settings.max_split {
            self.counts.oversize_segments.sub(1);
        }
        self.take_out(id);
        self.blocks.drop(id);
    }

    /// Gives back everything that is free: `torch.cuda.empty_cache()` (`release_cached_blocks`).
    pub fn empty_cache(&mut self) {
        if !self.is_capturing() {
            self.synchronize();
            self.release_blocks(LARGE);
            self.release_blocks(0);
        }
        for number in self.freeable.clone() {
            self.release_private(number);
        }
    }

    /// Gives back what is free of a private pool without users, as the end of a
    /// `torch.cuda.MemPool` does; other pools keep what they hold.
    pub fn empty_pool(&mut self, number: u64) {
        if self.freeable.contains(&number) {
            self.process_events();
            self.release_private(number);
        }
    }

    fn release_private(&mut self, number: u64) {
        let Some(private) = self.private.get(&number).copied() else { return };
        self.release_blocks(private.small);
        self.release_blocks(private.large);
        if self.private.get(&number).is_some_and(|private| private.held == 0) {
            self.private.remove(&number);
            self.freeable.retain(|&other| other != number);
        }
    }

    fn release_blocks(&mut self, pool: usize) {
        let free: Vec<BlockId> = self.pools[pool].free.values().copied().collect();
        let (expandable, ordinary): (Vec<_>, Vec<_>) =
            free.into_iter().partition(|&id| self.blocks[id].range.is_some());
        for id in ordinary {
            if !self.blocks[id].is_split() {
                self.release_block(id);
            }
        }
        for id in expandable {
            self.unmap(id);
            let block = &self.blocks[id];
            if let Some(range) = block.range.filter(|_| !block.is_split()) {
                self.take_out_unmapped(id);
                self.card.leave(self.ranges[range].address);
                self.blocks.drop(id);
            }
        }
    }

    /// Gives the whole pages of a free block back (`unmap_block`).
    fn unmap(&mut self, id: BlockId) {
        let &Block { pool, stream, address, range, .. } = &self.blocks[id];
        let (end, born) = (self.blocks[id].end(), self.blocks[id].born);
        let Some(&range_of) = range.map(|range| &self.ranges[range]) else { return };
        let base = range_of.address;
        let first = base + (address - base).next_multiple_of(range_of.page);
        let last = base + (end - base) / range_of.page * range_of.page;
        if first >= last {
            return;
        }
        // The driver waits for the stream of the segment.
        self.card.complete(range_of.stream);
        let bytes = last - first;
        self.card.give(bytes);
        self.take_out(id);
        let piece = |address, size, born| Block {
            pool,
            stream,
            address,
            size,
            is_mapped: true,
            range,
            born,
            ..Block::default()
        };
        if first > address {
            let prev = self.blocks[id].prev;
            let born = self.number_of(Some(born));
            let before = self.blocks.push(Block { prev, next: Some(id), ..piece(address, first - address, born) });
            if let Some(prev) = prev {
                self.blocks[prev].next = Some(before);
            }
            self.blocks[id].prev = Some(before);
            self.insert_free(before);
        }
        if end > last {
            let next = self.blocks[id].next;
            let born = self.number_of(Some(born));
            let behind = self.blocks.push(Block { prev: Some(id), next, ..piece(last, end - last, born) });
            if let Some(next) = next {
                self.blocks[next].prev = Some(behind);
            }
            self.blocks[id].next = Some(behind);
            self.insert_free(behind);
        }
        let block = &mut self.blocks[id];
        (block.address, block.size, block.is_mapped) = (first, bytes, false);
        self.join_neighbours(id);
        self.insert_unmapped(id);
        self.total -= bytes;
        self.sub(pool, Counted::ReservedBytes, bytes);
        self.hold_private(pool, -1);
        self.counts.device_frees += 1;
        self.note(Action::SegmentUnmap, first, bytes, stream, pool);
    }
}
