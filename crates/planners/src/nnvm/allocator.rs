//! `GraphAllocator`: storages with the free ones ordered by size.

use std::collections::BTreeMap;

use memplan_core::trace::Verdict;

/// One storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Bytes: the largest request that it served.
    pub bytes: u64,
    /// Index of its memory.
    pub device: u32,
    /// The node that gave it back last.
    pub releaser: Option<u32>,
}

/// How a request was served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    /// A new storage, with its number.
    New(u32),
    /// A free storage, with its size before.
    Free(u32, u64),
}

/// Hands out storages. Sizes in bytes.
#[derive(Debug)]
pub struct Allocator {
    match_range: u64,
    /// All storages in order of creation.
    pub blocks: Vec<Block>,
    /// Free storages by size at release, equal sizes in order of release.
    free: BTreeMap<(u64, u64), u32>,
    releases: u64,
}

impl Allocator {
    /// Returns an allocator without storages.
    pub fn new(match_range: u64) -> Allocator {
        Allocator { match_range, blocks: Vec::new(), free: BTreeMap::new(), releases: 0 }
    }

    /// Smallest and largest size taken for a request; none if free storages are never looked at.
    pub fn window(&self, size: u64) -> Option<(u64, u64)> {
        let low = size.checked_div(self.match_range)?;
        Some((low, size.saturating_mul(self.match_range)))
    }

    /// `Request`: the smallest free storage in the window that is large enough, else the largest
    /// that is too small and is enlarged, else a new one. `refuse` names what forbids a storage;
    /// `asked` receives each one looked at.
    pub fn request(
        &mut self,
        size: u64,
        device: u32,
        refuse: impl Fn(u32, &Block) -> Option<Verdict>,
        mut asked: impl FnMut(u32, Verdict, u64),
    ) -> Served {
        let found = self.window(size).and_then(|(low, high)| {
            let upwards = self.free.range((size, 0)..=(high.max(size), u64::MAX));
            let downwards = self.free.range((low.min(size), 0)..(size, 0)).rev();
            upwards.chain(downwards).find_map(|(&key, &id)| {
                let block = &self.blocks[id as usize];
                let refused = refuse(id, block);
                asked(id, refused.unwrap_or(Verdict::Chosen), block.bytes);
                refused.is_none().then_some((key, id))
            })
        });
        match found {
            Some((key, id)) => {
                self.free.remove(&key);
                let block = &mut self.blocks[id as usize];
                let before = block.bytes;
                block.bytes = before.max(size);
                Served::Free(id, before)
            }
            None => {
                self.blocks.push(Block { bytes: size, device, releaser: None });
                Served::New(self.blocks.len() as u32 - 1)
            }
        }
    }

    /// Free storages in order of size, with the sizes they had when they became free.
    pub fn free(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.free.iter().map(|(&(bytes, _), &id)| (id, bytes))
    }

    /// `Release`.
    pub fn release(&mut self, id: u32, node: u32) {
        let block = &mut self.blocks[id as usize];
        block.releaser = Some(node);
        self.free.insert((block.bytes, self.releases), id);
        self.releases += 1;
    }

    /// Sum of all sizes.
    pub fn total(&self) -> u64 {
        self.blocks.iter().fold(0, |total, block| total.saturating_add(block.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_free(match_range: u64, sizes: &[u64]) -> Allocator {
        let mut allocator = Allocator::new(match_range);
        for &size in sizes {
            allocator.blocks.push(Block { bytes: size, device: 0, releaser: None });
            allocator.release(allocator.blocks.len() as u32 - 1, 0);
        }
        allocator
    }

    fn ask(allocator: &mut Allocator, size: u64) -> Served {
        allocator.request(size, 0, |_, _| None, |_, _, _| {})
    }

    #[test]
    fn upwards_first_then_downwards_and_both_ends_belong_to_the_window() {
        assert_eq!(ask(&mut with_free(16, &[160, 10, 20]), 10), Served::Free(1, 10));
        assert_eq!(ask(&mut with_free(16, &[160]), 10), Served::Free(0, 160));
        assert_eq!(ask(&mut with_free(16, &[161]), 10), Served::New(1));
        assert_eq!(ask(&mut with_free(16, &[10, 11]), 160), Served::Free(1, 11));
        assert_eq!(ask(&mut with_free(16, &[9]), 160), Served::New(1));
        assert_eq!(ask(&mut with_free(16, &[9]), 159), Served::Free(0, 9));
    }

    #[test]
    fn among_equals_the_first_freed_above_and_the_last_freed_below() {
        assert_eq!(ask(&mut with_free(4, &[40, 40]), 30), Served::Free(0, 40));
        assert_eq!(ask(&mut with_free(4, &[20, 20]), 30), Served::Free(1, 20));
    }

    #[test]
    fn range_zero_never_looks_and_a_chosen_storage_grows() {
        assert_eq!(ask(&mut with_free(0, &[8]), 8), Served::New(1));
        let mut allocator = with_free(2, &[8]);
        assert_eq!(ask(&mut allocator, 12), Served::Free(0, 8));
        assert_eq!(allocator.total(), 12);
        assert_eq!(allocator.free().count(), 0);
    }

    #[test]
    fn refused_storages_are_told_and_stay_free() {
        let mut allocator = with_free(4, &[8, 9, 6]);
        let mut emitted = Vec::new();
        let refuse = |id, _: &Block| (id < 2).then_some(Verdict::OtherDevice);
        let served = allocator.request(8, 0, refuse, |id, verdict, bytes| emitted.push((id, verdict, bytes)));
        assert_eq!(served, Served::Free(2, 6));
        let expected = [(0, Verdict::OtherDevice, 8), (1, Verdict::OtherDevice, 9), (2, Verdict::Chosen, 6)];
        assert_eq!(emitted, expected);
        assert_eq!(allocator.free().map(|(id, _)| id).collect::<Vec<_>>(), [0, 1]);
    }
}
