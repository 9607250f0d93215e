//! Blocks in address order, each subtree knowing its longest: finds the lowest block of at least
//! some length in `O(log n)`. A treap; its priorities come from a fixed sequence, so every run
//! builds the same tree.

use super::block::Block;

type Link = Option<u32>;

#[derive(Clone, Copy)]
struct Node {
    block: Block,
    /// Length of the longest block in the subtree.
    longest: u64,
    priority: u64,
    left: Link,
    right: Link,
}

/// Free blocks by address, with the longest of each subtree.
#[derive(Default)]
pub struct LengthTree {
    nodes: Vec<Node>,
    /// Slots of removed nodes, to be used again.
    vacant: Vec<u32>,
    root: Link,
    sequence: u64,
}

impl LengthTree {
    /// Adds a block; no other starts at the same address.
    pub fn insert(&mut self, block: Block) {
        let node = Node { block, longest: block.len(), priority: self.next_priority(), left: None, right: None };
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.nodes[slot as usize] = node;
                slot
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        let (below, above) = self.split(self.root, block.start);
        let below = self.join(below, Some(slot));
        self.root = self.join(below, above);
    }

    /// Removes the block that starts at this address, if there is one.
    pub fn remove(&mut self, start: u64) {
        let (below, rest) = self.split(self.root, start);
        let (found, above) = self.split(rest, start + 1);
        self.vacant.extend(found);
        self.root = self.join(below, above);
    }

    /// The lowest block that starts at or above `from` and has at least `len` bytes.
    pub fn first(&self, from: u64, len: u64) -> Option<Block> {
        self.first_in(self.root, from, len)
    }

    fn first_in(&self, root: Link, from: u64, len: u64) -> Option<Block> {
        let node = &self.nodes[root? as usize];
        if node.longest < len {
            return None;
        }
        if node.block.start >= from {
            let here = || (node.block.len() >= len).then_some(node.block);
            if let Some(found) = self.first_in(node.left, from, len).or_else(here) {
                return Some(found);
            }
        }
        self.first_in(node.right, from, len)
    }

    /// Two trees: blocks that start below `at`, and the others.
    fn split(&mut self, root: Link, at: u64) -> (Link, Link) {
        let Some(slot) = root else { return (None, None) };
        let node = self.nodes[slot as usize];
        if node.block.start < at {
            let (below, above) = self.split(node.right, at);
            self.nodes[slot as usize].right = below;
            self.update(slot);
            (Some(slot), above)
        } else {
            let (below, above) = self.split(node.left, at);
            self.nodes[slot as usize].left = above;
            self.update(slot);
            (below, Some(slot))
        }
    }

    /// One tree of two, where every block of `below` lies under every block of `above`.
    fn join(&mut self, below: Link, above: Link) -> Link {
        let (Some(low), Some(high)) = (below, above) else { return below.or(above) };
        if self.nodes[low as usize].priority > self.nodes[high as usize].priority {
            self.nodes[low as usize].right = self.join(self.nodes[low as usize].right, above);
            self.update(low);
            below
        } else {
            self.nodes[high as usize].left = self.join(below, self.nodes[high as usize].left);
            self.update(high);
            above
        }
    }

    fn update(&mut self, slot: u32) {
        let node = self.nodes[slot as usize];
        let longest_of = |link: Link| link.map_or(0, |child| self.nodes[child as usize].longest);
        let longest = node.block.len().max(longest_of(node.left)).max(longest_of(node.right));
        self.nodes[slot as usize].longest = longest;
    }

    /// splitmix64.
    fn next_priority(&mut self) -> u64 {
        self.sequence = self.sequence.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.sequence ^ (self.sequence >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_lowest_block_that_is_long_enough() {
        let mut tree = LengthTree::default();
        for (start, end) in [(40, 44), (0, 3), (10, 18), (20, 22), (30, 38)] {
            tree.insert(Block { start, end });
        }
        let first = |tree: &LengthTree, from, len| tree.first(from, len).map(|block| block.start);
        assert_eq!(first(&tree, 0, 1), Some(0));
        assert_eq!(first(&tree, 0, 4), Some(10));
        assert_eq!(first(&tree, 11, 4), Some(30));
        assert_eq!(first(&tree, 31, 4), Some(40));
        assert_eq!(first(&tree, 0, 9), None);
        tree.remove(10);
        tree.remove(11);
        assert_eq!(first(&tree, 0, 4), Some(30));
    }
}
