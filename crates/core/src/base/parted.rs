//! A vector whose copies share what they have in common.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::{Id, IdVec};

/// Items of a part. A copy of a million items is a thousand pointers, and a change copies some
/// kilobytes.
const PART: usize = 1024;

/// A vector indexed by its own id type, kept in parts. A copy takes no more than a pointer a part,
/// and a part is copied when one of those that share it changes: the moments of a run, of which
/// each differs from the one before by a buffer or two, take little more room than one.
#[derive(Clone, Debug)]
pub struct PartedVec<I, T> {
    parts: Vec<Arc<[T]>>,
    len: usize,
    ids: PhantomData<I>,
}

impl<I, T> Default for PartedVec<I, T> {
    fn default() -> Self {
        PartedVec { parts: Vec::new(), len: 0, ids: PhantomData }
    }
}

impl<I: Id, T: Clone> PartedVec<I, T> {
    /// A vector of `len` copies of `item`. All its parts are one and the same.
    pub fn from_elem(item: T, len: usize) -> Self {
        let whole: Arc<[T]> = vec![item.clone(); PART.min(len)].into();
        let mut parts = vec![whole; len / PART];
        if !len.is_multiple_of(PART) {
            parts.push(vec![item; len % PART].into());
        }
        PartedVec { parts, len, ids: PhantomData }
    }
}

impl<I: Id, T> PartedVec<I, T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The item with this id, or `None` if the id is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.parts.get(id.index() / PART)?.get(id.index() % PART)
    }

    /// Items in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// Ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.len).map(I::from_index)
    }

    /// Pairs of id and item, in order.
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }
}

impl<I: Id, T: PartialEq> PartedVec<I, T> {
    /// The ids whose items differ from those of a vector of the same length, in order. Parts that
    /// both share are not looked at.
    pub fn changed<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = I> + 'a {
        let parts = self.parts.iter().zip(&before.parts).enumerate().filter(|(_, (a, b))| !Arc::ptr_eq(a, b));
        parts.flat_map(|(number, (a, b))| {
            let differs = a.iter().zip(b.iter()).enumerate().filter(|(_, (a, b))| a != b);
            differs.map(move |(index, _)| I::from_index(number * PART + index))
        })
    }
}

impl<I, T: PartialEq> PartialEq for PartedVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<[T]>, &Arc<[T]>)| Arc::ptr_eq(a, b) || a == b;
        self.len == other.len && self.parts.iter().zip(&other.parts).all(same)
    }
}

impl<I, T: Eq> Eq for PartedVec<I, T> {}

impl<I: Id, T> FromIterator<T> for PartedVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        let mut items = items.into_iter();
        let mut vec = PartedVec::default();
        loop {
            let part: Arc<[T]> = items.by_ref().take(PART).collect();
            if part.is_empty() {
                return vec;
            }
            vec.len += part.len();
            vec.parts.push(part);
        }
    }
}

impl<I: Id, T: Clone> From<&IdVec<I, T>> for PartedVec<I, T> {
    fn from(items: &IdVec<I, T>) -> Self {
        items.iter().cloned().collect()
    }
}

impl<I: Id, T: Clone> From<&PartedVec<I, T>> for IdVec<I, T> {
    fn from(items: &PartedVec<I, T>) -> Self {
        items.iter().cloned().collect()
    }
}

impl<I: Id, T> Index<I> for PartedVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.parts[id.index() / PART][id.index() % PART]
    }
}

impl<I: Id, T: Clone> IndexMut<I> for PartedVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut Arc::make_mut(&mut self.parts[id.index() / PART])[id.index() % PART]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::BufferId;

    type Numbers = PartedVec<BufferId, u64>;

    /// More than two parts.
    const LEN: usize = 2 * PART + 3;

    #[test]
    fn it_holds_what_a_vector_holds() {
        let mut parted = Numbers::from_elem(7, LEN);
        let mut plain: IdVec<BufferId, u64> = IdVec::from_elem(7, LEN);
        for index in [0, 5, PART - 1, PART, 2 * PART, LEN - 1] {
            let id = BufferId(index as u32);
            (parted[id], plain[id]) = (index as u64, index as u64);
        }
        assert_eq!((parted.len(), parted.is_empty()), (LEN, false));
        assert!(parted.enumerate().eq(plain.enumerate()) && parted.ids().eq(plain.ids()));
        assert_eq!(IdVec::from(&parted), plain);
        assert_eq!(Numbers::from(&plain), parted);
        assert_eq!(
            [LEN - 1, LEN, 4 * PART].map(|at| parted.get(BufferId(at as u32)).copied()),
            [Some(LEN as u64 - 1), None, None]
        );
        for len in [0, 1, PART, PART + 1] {
            let numbers: Numbers = (0..len as u64).collect();
            assert_eq!((numbers.len(), numbers.iter().sum::<u64>()), (len, (0..len as u64).sum()));
            assert_eq!(Numbers::from_elem(1, len).iter().count(), len);
        }
    }

    #[test]
    fn a_change_of_a_copy_changes_no_other() {
        let first = Numbers::from_elem(0, LEN);
        let mut second = first.clone();
        second[BufferId(PART as u32)] = 1;
        assert_eq!((first[BufferId(PART as u32)], second[BufferId(PART as u32)]), (0, 1));
        assert!(first != second && first == first.clone());
        let shared = first.parts.iter().zip(&second.parts).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, 2, "all parts but one");
        second[BufferId(PART as u32)] = 0;
        assert!(first == second, "equal items in other parts");
    }

    #[test]
    fn the_changed_items_are_found() {
        let first = Numbers::from_elem(0, LEN);
        let mut second = first.clone();
        for id in [3, PART as u32 + 1, LEN as u32 - 1].map(BufferId) {
            second[id] = 9;
        }
        let mut third = second.clone();
        third[BufferId(3)] = 0;
        let ids = |a: &Numbers, b: &Numbers| a.changed(b).map(|id| id.0).collect::<Vec<_>>();
        assert_eq!(ids(&second, &first), [3, PART as u32 + 1, LEN as u32 - 1]);
        assert_eq!(ids(&third, &second), [3]);
        assert!(ids(&first, &first).is_empty());
    }
}
