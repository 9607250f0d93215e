//! The free storages of one memory scope and element type.

use std::collections::BTreeMap;

use super::size::{Size, is_same};

/// A storage is taken if it is at most so many times smaller or larger than the request.
pub const RANGE: u64 = 16;

/// Free storages: those of known size by size, equal ones in order of release, and those of
/// symbolic size in order of release.
#[derive(Debug, Default)]
pub struct Pool {
    known: BTreeMap<(u64, u64), u32>,
    symbolic: Vec<(Size, u32)>,
    releases: u64,
}

impl Pool {
    /// Makes a storage free.
    pub fn release(&mut self, size: &Size, storage: u32) {
        match size {
            Size::Bytes(bytes) => _ = self.known.insert((*bytes, self.releases), storage),
            Size::Symbolic(_) => self.symbolic.push((size.clone(), storage)),
        }
        self.releases += 1;
    }

    /// Storages of known size in the order in which a request of `bytes` looks at them, with their
    /// sizes and turns: those that are large enough, the smallest first, then the others, the
    /// largest first; all within the range.
    pub fn candidates(&self, bytes: u64) -> impl Iterator<Item = ((u64, u64), u32)> + '_ {
        let high = bytes.saturating_mul(RANGE);
        let upwards = self.known.range((bytes, 0)..=(high, u64::MAX));
        let downwards = self.known.range((bytes / RANGE, 0)..(bytes, 0)).rev();
        upwards.chain(downwards).map(|(&key, &storage)| (key, storage))
    }

    /// Storages of symbolic size that are equal to a size, in order.
    pub fn equal(&self, size: &Size) -> impl Iterator<Item = u32> + '_ {
        let wanted = size.clone();
        let is_equal = move |other: &Size| match (other, &wanted) {
            (Size::Symbolic(a), Size::Symbolic(b)) => is_same(a, b),
            _ => false,
        };
        self.symbolic.iter().filter(move |(size, _)| is_equal(size)).map(|&(_, storage)| storage)
    }

    /// Storages of known size outside the range of a request, with their sizes.
    pub fn outside(&self, bytes: u64) -> impl Iterator<Item = (u64, u32)> + '_ {
        let (low, high) = (bytes / RANGE, bytes.saturating_mul(RANGE));
        let below = self.known.range(..(low, 0));
        let above = self.known.range((high.saturating_add(1), 0)..).filter(move |_| high < u64::MAX);
        below.chain(above).map(|(&(size, _), &storage)| (size, storage))
    }

    /// All storages of known size, with their sizes.
    pub fn known(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.known.iter().map(|(&(size, _), &storage)| (size, storage))
    }

    /// Takes a storage of known size out, by its size and turn.
    pub fn take(&mut self, key: (u64, u64)) {
        self.known.remove(&key);
    }

    /// Takes a storage of symbolic size out.
    pub fn take_symbolic(&mut self, storage: u32) {
        self.symbolic.retain(|(_, other)| *other != storage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::graph::Expr;

    fn pool(sizes: &[u64]) -> Pool {
        let mut pool = Pool::default();
        sizes.iter().zip(0..).for_each(|(&size, storage)| pool.release(&Size::Bytes(size), storage));
        pool
    }

    #[test]
    fn upwards_first_then_downwards_both_ends_within_the_range() {
        let order =
            |sizes: &[u64], bytes| pool(sizes).candidates(bytes).map(|(_, storage)| storage).collect::<Vec<_>>();
        assert_eq!(order(&[4096, 1024, 2048], 900), [1, 2, 0]);
        assert_eq!(order(&[6400], 400), [0]);
        assert_eq!(order(&[6404], 400), Vec::<u32>::new());
        assert_eq!(order(&[62, 61], 1000), [0]);
        // Of equals the first released above, the last released below.
        assert_eq!(order(&[40, 40, 20, 20], 30), [0, 1, 3, 2]);
        assert_eq!(pool(&[6404, 10]).outside(400).map(|(_, storage)| storage).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn symbolic_sizes_must_be_equal() {
        let size = |text: &str| Size::Symbolic(Expr::parse(text).expect("an expression"));
        let mut pool = pool(&[8]);
        pool.release(&size("4*n"), 1);
        pool.release(&size("n*2*4"), 2);
        pool.release(&size("8*n"), 3);
        assert_eq!(pool.equal(&size("(n+n)*4")).collect::<Vec<_>>(), [2, 3]);
        pool.take_symbolic(2);
        assert_eq!(pool.equal(&size("8*n")).collect::<Vec<_>>(), [3]);
        pool.take((8, 0));
        assert_eq!(pool.candidates(8).count(), 0);
    }
}
