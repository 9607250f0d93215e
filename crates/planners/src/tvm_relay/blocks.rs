//! Storage blocks, and the lists of those that stand free.

use std::collections::{BTreeMap, BTreeSet};

use super::program::Texture;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;

/// A storage: the token that owns it and all that it has served.
#[derive(Clone, Debug)]
pub struct Block {
    /// Bytes: the largest value it has held.
    pub size: u64,
    /// Bytes of the value that it was made for: what `StorageInfo` goes on reporting from 0.8 on.
    pub first_size: u64,
    /// Reads still to come.
    pub refs: u32,
    /// Device type.
    pub device: u32,
    /// Index of its memory.
    pub domain: u32,
    /// Sides, if it is a texture.
    pub texture: Option<Texture>,
    /// Every value it has held, in order.
    pub tenants: Vec<BufferId>,
    /// How many of the latest tenants hold it, or held it last: more than one after a reshape.
    pub held_by: usize,
}

impl Block {
    /// The values that hold it now; while it is free, those that held it last.
    pub fn holders(&self) -> &[BufferId] {
        &self.tenants[self.tenants.len().saturating_sub(self.held_by)..]
    }
}

/// Free one-dimensional blocks by size; equal ones in the order in which they became free.
#[derive(Debug, Default)]
pub struct FreeList {
    blocks: BTreeMap<(u64, u64), PoolId>,
    /// Number of blocks that ever became free.
    count: u64,
}

impl FreeList {
    /// Makes a block free.
    pub fn insert(&mut self, block: PoolId, size: u64) {
        self.blocks.insert((size, self.count), block);
        self.count += 1;
    }

    /// Takes a block out.
    pub fn remove(&mut self, key: (u64, u64)) {
        self.blocks.remove(&key);
    }

    /// Blocks of at least `size` up to `high` bytes, both included, the smallest first.
    pub fn upwards(&self, size: u64, high: u64) -> impl Iterator<Item = ((u64, u64), PoolId)> + '_ {
        self.blocks.range((size, 0)..=(high.max(size), u64::MAX)).map(|(key, block)| (*key, *block))
    }

    /// Blocks below `size` down to `low` bytes, the largest first.
    pub fn downwards(&self, size: u64, low: u64) -> impl Iterator<Item = ((u64, u64), PoolId)> + '_ {
        self.blocks.range((low.min(size), 0)..(size, 0)).rev().map(|(key, block)| (*key, *block))
    }
}

/// What comes of asking for a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenChoice {
    /// A block of its own.
    New,
    /// Large enough on both sides.
    Take(PoolId),
    /// Enlarged to these sides.
    Grow(PoolId, Texture),
}

/// Sides that differ by more than this factor do not share a texture.
const MAX_RATIO: u64 = 5;

/// The texture that a request takes among `free`, by number: first the least added, then the least
/// wasted on one of the sides. `accept` returns true for those that may be taken.
pub fn choose_texture<'a>(
    request: Texture,
    free: &BTreeSet<PoolId>,
    texture_of: impl Fn(PoolId) -> Option<&'a Texture>,
    accept: impl Fn(PoolId) -> bool,
) -> TokenChoice {
    // Added and wasted width and height of the best so far.
    let mut least = (u64::MAX, u64::MAX, u64::MAX, u64::MAX);
    let mut best = None;
    for &id in free {
        let Some(there) = texture_of(id).filter(|there| within_ratio(request, **there)) else { continue };
        if !accept(id) {
            continue;
        }
        let (width, height) = (there.width.max(request.width), there.height.max(request.height));
        let added = (width - there.width, height - there.height);
        let wasted = (width - request.width, height - request.height);
        if (least.0 > 0 && added.0 < least.0)
            || (least.1 > 0 && added.1 < least.1)
            || (added.0 == least.0 && wasted.0 < least.2)
            || (added.1 == least.1 && wasted.1 < least.3)
        {
            least = (added.0, added.1, wasted.0, wasted.1);
            best = Some((id, Texture { width, height, dtype: request.dtype }));
        }
    }
    match best {
        Some((id, _)) if (least.0, least.1) == (0, 0) => TokenChoice::Take(id),
        Some((id, sides)) if least.0 <= request.width || least.1 <= request.height => TokenChoice::Grow(id, sides),
        _ => TokenChoice::New,
    }
}

/// Whether each side is at most `MAX_RATIO` times the other, by whole division. A side of length 0
/// fits only itself.
pub fn within_ratio(a: Texture, b: Texture) -> bool {
    let near = |a: u64, b: u64| a == b || a.max(b).checked_div(a.min(b)).is_some_and(|ratio| ratio <= MAX_RATIO);
    near(a.width, b.width) && near(a.height, b.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::graph::Dtype;

    fn sides(width: u64, height: u64) -> Texture {
        Texture { width, height, dtype: Dtype::Float32 }
    }

    fn choose(request: (u64, u64), there: &[(u64, u64)]) -> TokenChoice {
        let textures: Vec<Texture> = there.iter().map(|&(width, height)| sides(width, height)).collect();
        let free = (0..there.len() as u32).map(PoolId).collect();
        choose_texture(sides(request.0, request.1), &free, |id| textures.get(id.0 as usize), |_| true)
    }

    #[test]
    fn free_blocks_are_searched_upwards_then_downwards() {
        let mut free = FreeList::default();
        for (block, size) in [(0, 64), (1, 32), (2, 64), (3, 128), (4, 32)] {
            free.insert(PoolId(block), size);
        }
        let up: Vec<u32> = free.upwards(64, 127).map(|(_, block)| block.0).collect();
        let down: Vec<u32> = free.downwards(64, 32).map(|(_, block)| block.0).collect();
        assert_eq!((up, down), (vec![0, 2], vec![4, 1]));
        // A window without any size, as a range of 0 would give, holds nothing below.
        assert_eq!(free.downwards(0, 5).count(), 0);
    }

    #[test]
    fn a_texture_is_taken_enlarged_or_new() {
        assert_eq!(choose((8, 8), &[(16, 8), (9, 8), (40, 8)]), TokenChoice::Take(PoolId(1)));
        assert_eq!(choose((8, 8), &[(6, 8)]), TokenChoice::Grow(PoolId(0), sides(8, 8)));
        // A side six times as long is out of the question.
        assert_eq!(choose((8, 8), &[(48, 8), (8, 1)]), TokenChoice::New);
        // Five and a bit is a whole ratio of 5.
        assert_eq!(choose((8, 8), &[(47, 8)]), TokenChoice::Take(PoolId(0)));
        assert_eq!(choose((0, 8), &[(8, 8), (0, 9)]), TokenChoice::Take(PoolId(1)));
        assert_eq!(choose((8, 8), &[]), TokenChoice::New);
    }
}
