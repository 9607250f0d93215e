//! The nodes of the trees as the search and the planner read them, beside the
//! [`Tree`](memplan_core::trace::Tree) of the events.
//!
//! A spatial node and its two temporal ones are one thing here, a split. The search asks dozens of
//! nodes for every buffer, in no order that memory is read ahead in: what it needs of a temporal
//! node fills one line of the cache.

use super::crossings::{Child, Crossings, Turn};
use memplan_core::base::align_up;
use memplan_core::trace::TreeNodeId;

/// A temporal node: the root of a pool, or half of a split.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Half {
    /// Size hint in bytes.
    pub slot: u64,
    /// Bytes that finalising now would leave of it.
    pub bytes: u64,
    /// Its node in the tree.
    pub node: TreeNodeId,
    /// Whether nothing but an Empty lies in it.
    pub is_empty: bool,
    /// When its children are alive.
    pub turns: Crossings,
}

impl Half {
    /// A temporal node with one leaf.
    pub fn of_leaf(node: TreeNodeId, leaf: usize, Leaf { size, begin, end, .. }: Leaf) -> Half {
        let turns = Crossings::of_one([Turn { begin, end, child: Child::leaf(leaf) }]);
        Half { slot: size, bytes: size, node, is_empty: false, turns }
    }

    /// A temporal node with nothing but an Empty.
    pub fn of_empty(node: TreeNodeId, slot: u64) -> Half {
        Half { slot, bytes: 0, node, is_empty: true, turns: Crossings::default() }
    }

    /// Makes room for what a child needs. Children never shrink. Returns true if that changed
    /// anything.
    pub fn cover(&mut self, slot: u64, bytes: u64) -> bool {
        let grows = slot > self.slot || bytes > self.bytes;
        self.slot = self.slot.max(slot);
        self.bytes = self.bytes.max(bytes);
        grows
    }
}

/// A spatial node: the lower half and the upper one.
#[derive(Clone, Debug)]
pub struct Split {
    /// The two halves, the lower one first.
    pub halves: [Half; 2],
    /// Its node in the tree.
    pub node: TreeNodeId,
}

impl Split {
    /// Size hint in bytes.
    pub fn slot(&self, align: u64) -> u64 {
        align_up(self.halves[0].slot, align) + self.halves[1].slot
    }

    /// Bytes that finalising now would leave of it.
    pub fn bytes(&self, align: u64) -> u64 {
        let [lower, upper] = &self.halves;
        if upper.is_empty { lower.bytes } else { align_up(lower.bytes, align) + upper.bytes }
    }
}

/// A leaf.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Its node in the tree.
    pub node: TreeNodeId,
    /// Bytes.
    pub size: u64,
    /// First step of life.
    pub begin: u32,
    /// First step after it.
    pub end: u32,
}

/// A step down into a split.
#[derive(Clone, Copy, Debug)]
pub struct Descent {
    /// Index of the split.
    pub split: usize,
    /// The half: 0 is the lower one.
    pub half: usize,
    /// Whether the upper half may grow.
    pub last: bool,
    /// Index of the event of the temporal node that the split lies in, whose verdict is known only
    /// after its children answered; that of the split follows it.
    pub event: usize,
}

/// The nodes of all pools, each kind in order of creation.
#[derive(Clone, Debug, Default)]
pub struct Halves {
    /// Root of each pool.
    pub roots: Vec<Half>,
    /// Spatial nodes.
    pub splits: Vec<Split>,
    /// Leaves.
    pub leaves: Vec<Leaf>,
}

impl Halves {
    /// The temporal node that a path from the root of a pool ends at.
    pub fn at(&self, pool: usize, path: &[Descent]) -> &Half {
        path.last().map_or(&self.roots[pool], |step| &self.splits[step.split].halves[step.half])
    }

    /// The same, to be changed.
    pub fn at_mut(&mut self, pool: usize, path: &[Descent]) -> &mut Half {
        match path.last() {
            Some(step) => &mut self.splits[step.split].halves[step.half],
            None => &mut self.roots[pool],
        }
    }

    /// The node of a child in the tree.
    pub fn node_of(&self, child: Child) -> TreeNodeId {
        match child.index() {
            Ok(leaf) => self.leaves[leaf].node,
            Err(split) => self.splits[split].node,
        }
    }

    /// The child that a node of the tree is: a leaf or a spatial node.
    pub fn child_of(&self, node: TreeNodeId) -> Option<Child> {
        let leaf = self.leaves.binary_search_by_key(&node, |leaf| leaf.node).map(Child::leaf);
        leaf.or_else(|_| self.splits.binary_search_by_key(&node, |split| split.node).map(Child::split)).ok()
    }
}
