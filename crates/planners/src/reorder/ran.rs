//! Sets of nodes of a stretch that ran, and the nodes that may run after them.

use std::ops::Range;

use super::model::Model;

/// Which nodes ran: all before a stretch, and some of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ran {
    /// One bit a node of the stretch.
    bits: Box<[u64]>,
    /// First node of the stretch.
    from: u32,
}

impl Ran {
    pub fn none(range: &Range<usize>) -> Ran {
        Ran { bits: vec![0; range.len().div_ceil(64)].into_boxed_slice(), from: range.start as u32 }
    }

    pub fn contains(&self, node: u32) -> bool {
        node.checked_sub(self.from)
            .is_none_or(|index| self.bits.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1))
    }

    /// With one more node of the stretch.
    pub fn with(&self, node: u32) -> Ran {
        let mut more = self.clone();
        let index = node - self.from;
        if let Some(word) = more.bits.get_mut(index as usize / 64) {
            *word |= 1 << (index % 64);
        }
        more
    }

    /// Words that such a set takes.
    pub fn words(&self) -> u64 {
        self.bits.len() as u64
    }
}

/// Nodes of a stretch that may run first, ascending.
pub fn ready(model: &Model, range: &Range<usize>) -> Vec<u32> {
    let is_ready = |node: &usize| model.before[*node].iter().all(|&first| (first as usize) < range.start);
    range.clone().filter(is_ready).map(|node| node as u32).collect()
}

/// Nodes that may run once `node`, the last of `done`, ran, when those of `ready` could before it;
/// ascending.
pub fn ready_after(model: &Model, range: &Range<usize>, ready: &[u32], done: &Ran, node: u32) -> Vec<u32> {
    let mut next: Vec<u32> = ready.iter().copied().filter(|&other| other != node).collect();
    let freed = |later: &&u32| {
        range.contains(&(**later as usize)) && model.before[**later as usize].iter().all(|&first| done.contains(first))
    };
    for &later in model.after[node as usize].iter().filter(freed) {
        let place = next.partition_point(|&other| other < later);
        next.insert(place, later);
    }
    next
}
