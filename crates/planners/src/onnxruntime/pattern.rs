//! The memory pattern: one block, into which the first run's allocations are laid by best fit.

use std::collections::{BTreeMap, BTreeSet};

/// Where an allocation goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockPlace {
    /// First byte in the block.
    pub offset: u64,
    /// Whether no free place of the block is large enough, so that it grows.
    pub grows: bool,
}

/// The block: allocations that are live, and the free places between and above them. Offsets and
/// sizes in bytes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Highest end so far.
    total: u64,
    /// Size of each live allocation by its first byte.
    live: BTreeMap<u64, u64>,
    /// Size of each free place by its first byte. They touch neither each other nor lie above
    /// `total`.
    free: BTreeMap<u64, u64>,
    /// The same as `(size, first byte)`.
    by_size: BTreeSet<(u64, u64)>,
}

impl Block {
    /// Highest end so far, in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the end of the last live allocation.
    pub fn end(&self) -> u64 {
        self.live.last_key_value().map_or(0, |(offset, size)| offset + size)
    }

    /// Returns the free places as `(first byte, size)`, lowest first; the last may be the room
    /// above all that is live.
    pub fn places(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.free.iter().map(|(&offset, &size)| (offset, size))
    }

    /// Returns where an allocation of `size` bytes goes: the smallest free place that is large
    /// enough, the lowest of equals; else above the last live one. O(log n).
    pub fn choose(&self, size: u64) -> BlockPlace {
        match self.by_size.range((size, 0)..).next() {
            Some(&(_, offset)) => BlockPlace { offset, grows: false },
            None => BlockPlace { offset: self.end(), grows: true },
        }
    }

    /// Returns the same if `(first byte, byte after the last)` of all that is in the way are
    /// `spans`, sorted, and the free places among them.
    pub fn choose_among(&self, spans: &[(u64, u64)], size: u64) -> (BlockPlace, Vec<(u64, u64)>) {
        let mut places = Vec::new();
        let mut end = 0;
        for &(from, to) in spans.iter().chain([&(self.total, self.total)]) {
            if from > end {
                places.push((end, from - end));
            }
            end = end.max(to);
        }
        let best = places.iter().filter(|place| place.1 >= size).min_by_key(|place| (place.1, place.0));
        let above = spans.iter().map(|span| span.1).max().unwrap_or(0);
        let choice = match best {
            Some(&(offset, _)) => BlockPlace { offset, grows: false },
            None => BlockPlace { offset: above, grows: true },
        };
        (choice, places)
    }

    /// Makes bytes live that are free or lie above the block.
    pub fn take(&mut self, offset: u64, size: u64) {
        if offset + size > self.total {
            let from = self.total;
            self.total = offset + size;
            self.add(from, self.total - from);
        }
        let Some((&start, &room)) = self.free.range(..=offset).next_back() else { return };
        self.remove(start, room);
        self.insert(start, offset - start);
        self.insert(offset + size, start + room - (offset + size));
        self.live.insert(offset, size);
    }

    /// Frees the allocation that begins at `offset`.
    pub fn release(&mut self, offset: u64) {
        if let Some(size) = self.live.remove(&offset) {
            self.add(offset, size);
        }
    }

    /// Adds free bytes, which join their neighbours.
    fn add(&mut self, offset: u64, size: u64) {
        let (mut from, mut to) = (offset, offset + size);
        if let Some((&below, &room)) = self.free.range(..offset).next_back()
            && below + room == offset
        {
            self.remove(below, room);
            from = below;
        }
        if let Some(&room) = self.free.get(&to) {
            self.remove(to, room);
            to += room;
        }
        self.insert(from, to - from);
    }

    fn insert(&mut self, offset: u64, size: u64) {
        if size > 0 {
            self.free.insert(offset, size);
            self.by_size.insert((size, offset));
        }
    }

    fn remove(&mut self, offset: u64, size: u64) {
        self.free.remove(&offset);
        self.by_size.remove(&(size, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(block: &mut Block, size: u64) -> u64 {
        let BlockPlace { offset, .. } = block.choose(size);
        block.take(offset, size);
        offset
    }

    /// The worked example: the room at the top wastes less than the gap below.
    #[test]
    fn the_smallest_place_wins_and_the_room_at_the_top_is_one() {
        for (asked, expected) in [(256, 2560), (1280, 2560)] {
            let mut block = Block::default();
            let offsets: Vec<u64> = [256, 2048, 256, 512].map(|size| put(&mut block, size)).to_vec();
            assert_eq!(offsets, [0, 256, 2304, 2560]);
            block.release(256);
            block.release(2560);
            let choice = block.choose(asked);
            assert_eq!(choice.offset, if asked == 256 { expected } else { 256 });
            assert!(!choice.grows);
            assert_eq!(block.total(), 3072);
        }
    }

    #[test]
    fn of_equals_the_lowest_and_without_a_place_the_end_of_what_is_live() {
        let mut block = Block::default();
        for size in [256, 512, 256, 512] {
            put(&mut block, size);
        }
        block.release(256);
        block.release(1024);
        assert_eq!(block.places().collect::<Vec<_>>(), [(256, 512), (1024, 512)]);
        assert_eq!(block.choose(512), BlockPlace { offset: 256, grows: false });
        assert_eq!(block.choose(768), BlockPlace { offset: 1024, grows: true });
        block.take(1024, 768);
        assert_eq!((block.total(), block.end()), (1792, 1792));
        assert_eq!(block.places().collect::<Vec<_>>(), [(256, 512)]);
    }

    #[test]
    fn freed_places_join_their_neighbours() {
        let mut block = Block::default();
        for size in [256, 256, 256] {
            put(&mut block, size);
        }
        block.release(0);
        block.release(512);
        block.release(256);
        assert_eq!(block.places().collect::<Vec<_>>(), [(0, 768)]);
        assert_eq!((block.end(), block.total()), (0, 768));
    }

    #[test]
    fn spans_in_the_way_need_not_be_live() {
        let mut block = Block::default();
        for size in [256, 512, 256] {
            put(&mut block, size);
        }
        block.release(256);
        let (choice, places) = block.choose_among(&[(0, 256), (256, 512), (768, 1024)], 256);
        assert_eq!((choice, places), (BlockPlace { offset: 512, grows: false }, vec![(512, 256)]));
        let (choice, places) = block.choose_among(&[(0, 256), (256, 768)], 512);
        assert_eq!((choice, places), (BlockPlace { offset: 768, grows: true }, vec![(768, 256)]));
        // Taken from within a free place, what is left of it stays free on both sides.
        block.take(512, 128);
        assert_eq!(block.places().collect::<Vec<_>>(), [(256, 256), (640, 128)]);
        block.take(2048, 256);
        assert_eq!(block.places().last(), Some((1024, 1024)));
    }
}
