//! How many nodes can run at once: the largest set of which no two are ordered. By Dilworth's
//! theorem it is the number of nodes less the largest matching of the order's pairs.

use crate::base::{Id, IdVec};
use crate::graph::NodeId;

/// Most nodes for which the width is worked out.
pub const MAX_WIDTH: usize = 2_000;

/// Size of the largest antichain of the order that forward edges span: `O(n³ / 64)` steps. None
/// above [`MAX_WIDTH`] nodes.
pub(super) fn width(next: &IdVec<NodeId, Vec<NodeId>>) -> Option<u32> {
    let nodes = next.len();
    if nodes > MAX_WIDTH {
        return None;
    }
    let words = nodes.div_ceil(64);
    // Row by row from the back: everything that a path leads to.
    let mut rows = vec![vec![0u64; words]; nodes];
    for from in (0..nodes).rev() {
        let mut row = std::mem::take(&mut rows[from]);
        for to in next[NodeId::from_index(from)].iter().map(|to| to.index()) {
            row[to / 64] |= 1 << (to % 64);
            row.iter_mut().zip(&rows[to]).for_each(|(word, more)| *word |= more);
        }
        rows[from] = row;
    }
    let mut after: Vec<Option<usize>> = vec![None; nodes];
    let mut before: Vec<Option<usize>> = vec![None; nodes];
    let matched = (0..nodes).filter(|&root| lengthen(root, &rows, &mut after, &mut before)).count();
    Some((nodes - matched) as u32)
}

/// Looks for a path on which pairs taken and not taken alternate, and swaps them: one pair more.
fn lengthen(root: usize, rows: &[Vec<u64>], after: &mut [Option<usize>], before: &mut [Option<usize>]) -> bool {
    let mut unseen = vec![u64::MAX; rows[root].len()];
    let mut reached_from = vec![usize::MAX; rows.len()];
    let mut queue = vec![root];
    while let Some(from) = queue.pop() {
        for word in 0..unseen.len() {
            let mut bits = rows[from][word] & unseen[word];
            unseen[word] &= !bits;
            while bits != 0 {
                let to = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                reached_from[to] = from;
                match before[to] {
                    Some(other) => queue.push(other),
                    None => {
                        let mut end = Some(to);
                        while let Some(to) = end {
                            let from = reached_from[to];
                            before[to] = Some(from);
                            end = after[from].replace(to);
                        }
                        return true;
                    }
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(edges: &[&[u32]]) -> u32 {
        let next: IdVec<NodeId, Vec<NodeId>> =
            edges.iter().map(|to| to.iter().map(|&to| NodeId(to)).collect()).collect();
        width(&next).expect("small")
    }

    #[test]
    fn chains_are_one_wide_and_branches_as_many_as_they_are() {
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[&[1], &[2], &[]]), 1);
        assert_eq!(of(&[&[], &[], &[]]), 3);
        // A diamond, and one with a node of its own beside it.
        assert_eq!(of(&[&[1, 2], &[3], &[3], &[]]), 2);
        assert_eq!(of(&[&[1, 2], &[3], &[3], &[], &[]]), 3);
        // Two sources that both lead to three ends: paths that share nodes still give three.
        assert_eq!(of(&[&[2], &[2], &[3, 4, 5], &[], &[], &[]]), 3);
    }

    #[test]
    fn random_orders_agree_with_trying_every_set() {
        let mut seed = 11u64;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..40 {
            let nodes = 1 + random(9) as usize;
            let edges: Vec<Vec<u32>> = (0..nodes)
                .map(|from| (from + 1..nodes).filter(|_| random(3) == 0).map(|to| to as u32).collect())
                .collect();
            let mut reach = vec![vec![false; nodes]; nodes];
            for from in (0..nodes).rev() {
                for &to in &edges[from] {
                    reach[from][to as usize] = true;
                    let beyond = reach[to as usize].clone();
                    reach[from].iter_mut().zip(beyond).for_each(|(reached, far)| *reached |= far);
                }
            }
            let is_free = |set: u32| {
                let inside = |node: usize| set >> node & 1 == 1;
                (0..nodes).all(|a| (0..nodes).all(|b| !(inside(a) && inside(b) && reach[a][b])))
            };
            let most = (0..1u32 << nodes).filter(|&set| is_free(set)).map(u32::count_ones).max();
            let edges: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            assert_eq!(Some(of(&edges)), most);
        }
    }
}
