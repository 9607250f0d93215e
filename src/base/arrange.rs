//! Sorting in little code: one sort of positions for all types, where the standard library makes a
//! large one for each. For what the page carries; planners, which sort in their inner loops, use
//! the standard one.

use std::cmp::Ordering;

/// Sorts that keep the order of equals.
pub trait Arrange<T> {
    /// Sorts by `order`.
    fn arrange_by(&mut self, order: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, lowest first.
    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by the type's own order, lowest first.
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(Ord::cmp);
    }
}

impl<T> Arrange<T> for [T] {
    fn arrange_by(&mut self, mut order: impl FnMut(&T, &T) -> Ordering) {
        let mut from = positions(self.len(), &mut |a, b| order(&self[a], &self[b]));
        // Each cycle of the permutation once; a position that is right points at itself.
        for start in 0..from.len() {
            let mut at = start;
            while from[at] != at {
                let next = std::mem::replace(&mut from[at], at);
                if next == start {
                    break;
                }
                self.swap(at, next);
                at = next;
            }
        }
    }
}

/// What `collect` makes, item by item: for maps the standard library's brings a sort of its own
/// with each type.
pub fn gather<T, C: Default + Extend<T>>(items: impl IntoIterator<Item = T>) -> C {
    let mut gathered = C::default();
    gathered.extend(items);
    gathered
}

/// Where each element comes from.
fn positions(len: usize, order: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..len).collect();
    from.sort_by(|a, b| order(*a, *b));
    from
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_is_gathered_is_what_is_collected() {
        let pairs = [(3, "c"), (1, "a"), (3, "d"), (2, "b")];
        assert_eq!(gather::<_, BTreeMap<i32, &str>>(pairs), pairs.into_iter().collect());
        assert_eq!(gather::<_, Vec<(i32, &str)>>(pairs), pairs);
    }

    #[test]
    fn equals_keep_their_order() {
        // A fixed sequence of few values, so that there are many equals and long cycles.
        let mut state = 7_u32;
        for len in [0, 1, 2, 3, 10, 257] {
            let mut values: Vec<(u32, usize)> = (0..len)
                .map(|place| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 28, place)
                })
                .collect();
            let mut expected = values.clone();
            expected.sort_by_key(|value| value.0);
            values.arrange_by_key(|value| value.0);
            assert_eq!(values, expected);
            values.reverse();
            values.arrange();
            assert_eq!(values, expected);
        }
    }
}
