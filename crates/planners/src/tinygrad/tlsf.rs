//! Two-level segregated fit: free blocks stand in lists by size class, and two levels of bitmaps
//! find the first list that is not empty.
//!
//! The first level of a class is the power of two below the size, the second one of 32 equal parts
//! up to the next power. Sizes from 256 to 511 have classes 8 bytes wide, from 16 KiB to 32 KiB
//! classes of 512 bytes. A search begins at the first class in which every block is large enough,
//! so a block of exactly the size asked for is passed over unless a class begins there:
//!
//! ```text
//! ask for 16640     class [16384, 16896)   a free block of 16640 stands here, and is not examined
//!                   class [16896, 17408)   the search begins here
//! ```

/// Classes from each power of two to the next.
const PARTS: u32 = 32;
/// Bits of a size that name its class: that of the power of two, and those of the part.
const BITS: u32 = PARTS.ilog2() + 1;
/// No block.
const NONE: u32 = u32::MAX;

/// A size class: bit length of its sizes, and the part between two powers of two, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class {
    /// Bits of every size in the class.
    pub level: u32,
    /// Which of the 32 parts.
    pub part: u32,
}

impl Class {
    /// Returns the class of a block of `size` bytes, at least 1.
    pub fn of(size: u64) -> Class {
        let level = u64::BITS - size.leading_zeros();
        let above = size - (1 << level.saturating_sub(1));
        Class { level, part: (above >> level.saturating_sub(BITS)) as u32 }
    }

    /// Smallest size of the class, in bytes.
    pub fn lowest(self) -> u64 {
        (1 << (self.level - 1)) + (u64::from(self.part) << self.level.saturating_sub(BITS))
    }

    /// Smallest size above the class, in bytes.
    pub fn end(self) -> u64 {
        self.lowest() + (1 << self.level.saturating_sub(BITS))
    }

    /// Returns the class of the next larger sizes.
    pub fn next(self) -> Class {
        match self.part + 1 {
            PARTS => Class { level: self.level + 1, part: 0 },
            part => Class { level: self.level, part },
        }
    }

    fn cell(self) -> usize {
        (self.level * PARTS + self.part) as usize
    }
}

/// Returns the size at whose class a search for `size` bytes begins: every block from there on is
/// large enough.
pub fn search_size(size: u64) -> u64 {
    let level = u64::BITS - size.leading_zeros();
    size.next_multiple_of(1 << level.saturating_sub(BITS))
}

/// A block: bytes from `start`, free or used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    is_free: bool,
    /// Neighbours by address.
    below: u32,
    above: u32,
    /// Neighbours in the list of its class; of free blocks only.
    older: u32,
    newer: u32,
}

impl Block {
    /// First byte after it.
    pub fn end(&self) -> u64 {
        self.start + self.size
    }
}

/// What happened to a free block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It left the list of its class.
    Leave {
        /// First byte.
        start: u64,
        /// Bytes.
        size: u64,
    },
    /// It was put at the end of the list of its class.
    Enter {
        /// First byte.
        start: u64,
        /// Bytes.
        size: u64,
    },
    /// Two neighbours became one, which was put at the end of the list of its class.
    Join {
        /// First byte.
        start: u64,
        /// Bytes.
        size: u64,
    },
}

/// The blocks of an arena, from 0 to its room without gaps.
pub struct Tlsf {
    room: u64,
    blocks: Vec<Block>,
    /// Numbers of blocks that were swallowed.
    spare: Vec<u32>,
    /// Oldest and newest block of each class.
    lists: Vec<(u32, u32)>,
    /// Levels with a list that is not empty.
    levels: u64,
    /// Lists that are not empty, for each level.
    parts: [u32; 64],
}

impl Tlsf {
    /// Returns one free block of `room` bytes, less than 2^63; none if it is 0.
    pub fn new(room: u64, changes: &mut Vec<Change>) -> Tlsf {
        let lists = vec![(NONE, NONE); 64 * PARTS as usize];
        let mut tlsf = Tlsf { room, blocks: Vec::new(), spare: Vec::new(), lists, levels: 0, parts: [0; 64] };
        if room > 0 {
            let whole =
                Block { start: 0, size: room, is_free: false, below: NONE, above: NONE, older: NONE, newer: NONE };
            let whole = tlsf.add(whole);
            tlsf.enter(whole);
            changes.push(Change::Enter { start: 0, size: room });
        }
        tlsf
    }

    /// Bytes of all blocks together.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Returns a block.
    pub fn block(&self, id: u32) -> &Block {
        &self.blocks[id as usize]
    }

    /// Returns the first class from `from` on whose list is not empty.
    pub fn first_class(&self, from: Class) -> Option<Class> {
        let here = self.parts[from.level as usize] & u32::MAX.checked_shl(from.part).unwrap_or(0);
        if here != 0 {
            return Some(Class { level: from.level, part: here.trailing_zeros() });
        }
        let above = self.levels & u64::MAX.checked_shl(from.level + 1).unwrap_or(0);
        let level = (above != 0).then(|| above.trailing_zeros())?;
        Some(Class { level, part: self.parts[level as usize].trailing_zeros() })
    }

    /// Returns the blocks of a class, the one that was put in first at the front.
    pub fn list(&self, class: Class) -> impl Iterator<Item = u32> {
        let first = Some(self.lists[class.cell()].0).filter(|&id| id != NONE);
        std::iter::successors(first, |&id| Some(self.blocks[id as usize].newer).filter(|&next| next != NONE))
    }

    /// Uses `size` bytes of a free block from `start` on and returns the used block. What is left
    /// below and above stays free, each part at the end of its list.
    pub fn take(&mut self, id: u32, start: u64, size: u64, changes: &mut Vec<Change>) -> u32 {
        let found = *self.block(id);
        changes.push(Change::Leave { start: found.start, size: found.size });
        self.leave(id);
        let mut used = id;
        if start > found.start {
            used = self.cut(id, start - found.start);
            self.give(id, changes);
        }
        if found.end() > start + size {
            let rest = self.cut(used, size);
            self.give(rest, changes);
        }
        used
    }

    /// Frees a used block. It is put at the end of its list; then the lowest of the free blocks
    /// that touch it swallows the others, one at a time.
    pub fn release(&mut self, id: u32, changes: &mut Vec<Change>) {
        self.give(id, changes);
        let mut first = id;
        while let Some(below) = self.free(self.blocks[first as usize].below) {
            first = below;
        }
        while let Some(other) = self.free(self.blocks[first as usize].above) {
            for part in [first, other] {
                let Block { start, size, .. } = *self.block(part);
                changes.push(Change::Leave { start, size });
                self.leave(part);
            }
            let Block { size, above, .. } = *self.block(other);
            self.blocks[first as usize].size += size;
            self.blocks[first as usize].above = above;
            if above != NONE {
                self.blocks[above as usize].below = first;
            }
            self.spare.push(other);
            self.enter(first);
            let Block { start, size, .. } = *self.block(first);
            changes.push(Change::Join { start, size });
        }
    }

    fn free(&self, id: u32) -> Option<u32> {
        self.blocks.get(id as usize).filter(|block| block.is_free).map(|_| id)
    }

    /// Cuts a block that stands in no list after `size` bytes, and returns the part above.
    fn cut(&mut self, id: u32, size: u64) -> u32 {
        let block = *self.block(id);
        let part = Block { start: block.start + size, size: block.size - size, below: id, ..block };
        let part = self.add(part);
        if block.above != NONE {
            self.blocks[block.above as usize].below = part;
        }
        let lower = &mut self.blocks[id as usize];
        (lower.size, lower.above) = (size, part);
        part
    }

    fn add(&mut self, block: Block) -> u32 {
        if let Some(id) = self.spare.pop() {
            self.blocks[id as usize] = block;
            return id;
        }
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    fn give(&mut self, id: u32, changes: &mut Vec<Change>) {
        self.enter(id);
        let Block { start, size, .. } = *self.block(id);
        changes.push(Change::Enter { start, size });
    }

    fn enter(&mut self, id: u32) {
        let class = Class::of(self.block(id).size);
        let (oldest, newest) = self.lists[class.cell()];
        let block = &mut self.blocks[id as usize];
        (block.is_free, block.older, block.newer) = (true, newest, NONE);
        if newest == NONE {
            self.levels |= 1 << class.level;
            self.parts[class.level as usize] |= 1 << class.part;
        } else {
            self.blocks[newest as usize].newer = id;
        }
        self.lists[class.cell()] = (if oldest == NONE { id } else { oldest }, id);
    }

    fn leave(&mut self, id: u32) {
        let Block { size, older, newer, .. } = *self.block(id);
        let class = Class::of(size);
        self.blocks[id as usize].is_free = false;
        let (oldest, newest) = &mut self.lists[class.cell()];
        match older {
            NONE => *oldest = newer,
            older => self.blocks[older as usize].newer = newer,
        }
        match newer {
            NONE => *newest = older,
            newer => self.blocks[newer as usize].older = older,
        }
        if *oldest == NONE {
            self.parts[class.level as usize] &= !(1 << class.part);
            if self.parts[class.level as usize] == 0 {
                self.levels &= !(1 << class.level);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_32_parts_of_each_power_of_two() {
        let class = |size| (Class::of(size).level, Class::of(size).part);
        assert_eq!((class(256), class(4096), class(16640), class(16896)), ((9, 0), (13, 0), (15, 0), (15, 1)));
        assert_eq!((class(511), class(44032), class(39936)), ((9, 31), (16, 11), (16, 7)));
        assert_eq!((Class::of(16640).lowest(), Class::of(16640).end()), (16384, 16896));
        assert_eq!((search_size(16640), search_size(16384), search_size(1536)), (16896, 16384, 1536));
        for size in [256, 257, 1000, 16640, 1 << 20, (1 << 53) - 1] {
            let class = Class::of(size);
            assert!(class.lowest() <= size && size < class.end(), "{size}");
            assert!(Class::of(search_size(size)).lowest() >= size, "{size}");
        }
    }

    fn states(tlsf: &Tlsf, class: Class) -> Vec<(u64, u64)> {
        tlsf.list(class).map(|id| (tlsf.block(id).start, tlsf.block(id).size)).collect()
    }

    #[test]
    fn the_oldest_of_a_class_comes_first_and_neighbours_join() {
        let mut changes = Vec::new();
        let mut tlsf = Tlsf::new(1 << 16, &mut changes);
        let mut alloc = |tlsf: &mut Tlsf, size: u64| {
            let class = tlsf.first_class(Class::of(search_size(size))).expect("room");
            let found = tlsf.list(class).next().expect("not empty");
            let start = tlsf.block(found).start;
            tlsf.take(found, start, size, &mut changes)
        };
        let used: Vec<u32> = (0..5).map(|_| alloc(&mut tlsf, 4096)).collect();
        changes.clear();
        tlsf.release(used[2], &mut changes);
        tlsf.release(used[0], &mut changes);
        let class = Class::of(4096);
        assert_eq!(states(&tlsf, class), [(8192, 4096), (0, 4096)]);
        assert_eq!(tlsf.first_class(class), Some(class));
        changes.clear();
        tlsf.release(used[1], &mut changes);
        let leave = |start, size| Change::Leave { start, size };
        let joins = [
            Change::Enter { start: 4096, size: 4096 },
            leave(0, 4096),
            leave(4096, 4096),
            Change::Join { start: 0, size: 8192 },
            leave(0, 8192),
            leave(8192, 4096),
            Change::Join { start: 0, size: 12288 },
        ];
        assert_eq!(changes, joins);
        assert_eq!(states(&tlsf, class), []);
        assert_eq!(tlsf.first_class(class), Some(Class::of(12288)));
        assert_eq!(tlsf.first_class(Class::of(1 << 20)), None);
        // Bytes skipped below stay free.
        let found = tlsf.list(Class::of(12288)).next().expect("joined");
        changes.clear();
        let middle = tlsf.take(found, 4096, 4096, &mut changes);
        assert_eq!((tlsf.block(middle).start, tlsf.block(middle).end()), (4096, 8192));
        assert_eq!(states(&tlsf, class), [(0, 4096), (8192, 4096)]);
        assert_eq!(tlsf.room(), 1 << 16);
    }
}
