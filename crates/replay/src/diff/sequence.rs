//! Two lists in their order → what they have in common.

use std::collections::BTreeMap;

/// Most cells of a table; longer lists are matched from front to back.
const MAX_CELLS: usize = 4_000_000;

/// Positions `(a, b)`, both rising, at which two lists have equal items: as many as possible, or,
/// for lists whose lengths multiply to more than [`MAX_CELLS`], each item of `a` with the next
/// equal one of `b`.
pub fn common<T: Ord>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[start..], &b[start..]);
    let end = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (middle_a, middle_b) = (&rest_a[..rest_a.len() - end], &rest_b[..rest_b.len() - end]);
    let middle = if middle_a.len().saturating_mul(middle_b.len()) > MAX_CELLS {
        greedy(middle_a, middle_b)
    } else {
        longest(middle_a, middle_b)
    };
    let front = (0..start).map(|at| (at, at));
    let back = (0..end).map(|at| (a.len() - end + at, b.len() - end + at));
    front.chain(middle.into_iter().map(|(a, b)| (a + start, b + start))).chain(back).collect()
}

fn longest<T: Ord>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    // Length of the longest common list of what begins at `(row, column)`.
    let mut table = vec![0u32; (a.len() + 1) * width];
    for row in (0..a.len()).rev() {
        for column in (0..b.len()).rev() {
            table[row * width + column] = if a[row] == b[column] {
                table[(row + 1) * width + column + 1] + 1
            } else {
                table[(row + 1) * width + column].max(table[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    while row < a.len() && column < b.len() {
        if a[row] == b[column] {
            found.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if table[(row + 1) * width + column] >= table[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    found
}

fn greedy<T: Ord>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&T, Vec<usize>> = BTreeMap::new();
    b.iter().enumerate().for_each(|(at, item)| places.entry(item).or_default().push(at));
    let (mut next, mut found) = (0, Vec::new());
    for (at, item) in a.iter().enumerate() {
        let Some(list) = places.get(item) else { continue };
        if let Some(&other) = list.get(list.partition_point(|&place| place < next)) {
            found.push((at, other));
            next = other + 1;
        }
    }
    found
}

/// The longest part of `pairs`, which rise by their first member, that rises by the second member
/// too.
pub fn rising(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // For each length, the position of the pair with the lowest second member that ends such a
    // part.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut found = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        found.push(pairs[at]);
        next = before[at];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_have_in_common_keeps_their_order() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(common(&letters("abcd"), &letters("axbd")), [(0, 0), (1, 2), (3, 3)]);
        assert_eq!(common(&letters(""), &letters("ab")), []);
        assert_eq!(greedy(&letters("abcd"), &letters("axbd")), [(0, 0), (1, 2), (3, 3)]);
        assert_eq!(common(&letters("same"), &letters("same")).len(), 4);
    }

    #[test]
    fn one_moved_item_leaves_the_others_in_order() {
        assert_eq!(rising(&[(0, 2), (1, 0), (2, 1), (3, 3)]), [(1, 0), (2, 1), (3, 3)]);
        assert_eq!(rising(&[]), []);
    }
}
