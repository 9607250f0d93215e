//! The allocation tree as data: built by [`TreeEdit`]s alone, so that the planner, a replayed frame
//! and the page all hold the same tree. Walks use explicit stacks: putting `n` buffers at the end
//! of a pool makes a tree `2 n` deep.

use serde::{Deserialize, Serialize};

use super::{TreeEdit, TreeNodeId};
use crate::base::{IdVec, align_up};
use crate::problem::BufferId;

/// A node of an allocation tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TreeNode {
    /// One buffer.
    Leaf {
        /// The buffer.
        buffer: BufferId,
    },
    /// Reserved bytes, free for the whole life of the node.
    Empty {
        /// Bytes reserved.
        bytes: u64,
    },
    /// Children take turns in the same bytes.
    Temporal {
        /// In the order in which they came.
        children: Vec<TreeNodeId>,
    },
    /// Two neighbouring regions: `left` below, `right` above.
    Spatial {
        /// The lower region.
        left: TreeNodeId,
        /// The upper region.
        right: TreeNodeId,
    },
}

impl TreeNode {
    /// What takes turns in a temporal node, in the order in which it came; nothing of any other.
    pub fn children(&self) -> &[TreeNodeId] {
        match self {
            TreeNode::Temporal { children } => children,
            _ => &[],
        }
    }
}

/// The allocation trees of all pools of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tree {
    /// All nodes in order of creation, whichever pool they belong to.
    pub nodes: IdVec<TreeNodeId, TreeNode>,
    /// Root of each pool, in order of creation.
    pub roots: Vec<TreeNodeId>,
}

impl Tree {
    /// The id that the next created node gets.
    pub fn next_id(&self) -> TreeNodeId {
        TreeNodeId(self.nodes.len() as u32)
    }

    /// Applies one edit. Edits come from a planner in the order in which it made them.
    pub fn apply(&mut self, edit: TreeEdit) {
        match edit {
            TreeEdit::Leaf { node, buffer } => self.create(node, TreeNode::Leaf { buffer }),
            TreeEdit::Empty { node, bytes } => self.create(node, TreeNode::Empty { bytes }),
            TreeEdit::Temporal { node } => self.create(node, TreeNode::Temporal { children: Vec::new() }),
            TreeEdit::Spatial { node, left, right } => self.create(node, TreeNode::Spatial { left, right }),
            TreeEdit::Append { parent, child } => {
                if let TreeNode::Temporal { children } = &mut self.nodes[parent] {
                    children.push(child);
                }
            }
            TreeEdit::Replace { parent, old, new } => {
                if let TreeNode::Temporal { children } = &mut self.nodes[parent] {
                    children.iter_mut().filter(|child| **child == old).for_each(|child| *child = new);
                }
            }
            TreeEdit::Drop { parent } => {
                if let TreeNode::Temporal { children } = &mut self.nodes[parent] {
                    children.clear();
                }
            }
            TreeEdit::Root { pool, node } => {
                let pool = pool as usize;
                if self.roots.len() <= pool {
                    self.roots.resize(pool + 1, node);
                }
                self.roots[pool] = node;
            }
        }
    }

    fn create(&mut self, node: TreeNodeId, content: TreeNode) {
        debug_assert_eq!(node, self.next_id(), "nodes are numbered in order of creation");
        self.nodes.push(content);
    }

    /// Nodes below `root`, parents before children, children in order.
    pub fn preorder(&self, root: TreeNodeId) -> Vec<TreeNodeId> {
        let mut order = Vec::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            order.push(node);
            match &self.nodes[node] {
                TreeNode::Temporal { children } => stack.extend(children.iter().rev()),
                TreeNode::Spatial { left, right } => stack.extend([*right, *left]),
                TreeNode::Leaf { .. } | TreeNode::Empty { .. } => {}
            }
        }
        order
    }

    /// What finalising would make of `node`, given the same of its children. `size` is that of a
    /// leaf's buffer.
    pub fn fact(&self, node: TreeNodeId, align: u64, size: u64, of: impl Fn(TreeNodeId) -> Fact) -> Fact {
        match &self.nodes[node] {
            TreeNode::Leaf { .. } => Fact { bytes: size, becomes: node, empty: false },
            TreeNode::Empty { .. } => Fact { bytes: 0, becomes: node, empty: true },
            TreeNode::Temporal { children } => match children.as_slice() {
                [only] => of(*only),
                _ => {
                    let bytes = children.iter().map(|&child| of(child).bytes).max().unwrap_or(0);
                    Fact { bytes, becomes: node, empty: false }
                }
            },
            TreeNode::Spatial { left, right } if of(*right).empty => of(*left),
            TreeNode::Spatial { left, right } => {
                let bytes = align_up(of(*left).bytes, align) + of(*right).bytes;
                Fact { bytes, becomes: node, empty: false }
            }
        }
    }

    /// Where everything in each pool would lie if its tree were finalised now, for the given buffer
    /// sizes.
    ///
    /// As in the original: an Empty counts 0 bytes, a temporal node with one child becomes that
    /// child, a spatial node whose upper half is empty becomes its lower half, and an upper half
    /// begins at the aligned end of the lower.
    pub fn layouts(&self, align: u64, size_of: impl Fn(BufferId) -> u64) -> Vec<Layout> {
        // Made once for all pools: no node stands in two of them.
        let blank = Fact { bytes: 0, becomes: TreeNodeId(0), empty: false };
        let mut facts = IdVec::from_elem(blank, self.nodes.len());
        let mut offsets = IdVec::from_elem(0, self.nodes.len());
        let roots = self.roots.iter();
        roots.map(|&root| self.layout(root, align, &size_of, &mut facts, &mut offsets)).collect()
    }

    fn layout(
        &self,
        root: TreeNodeId,
        align: u64,
        size_of: &impl Fn(BufferId) -> u64,
        facts: &mut IdVec<TreeNodeId, Fact>,
        offsets: &mut IdVec<TreeNodeId, u64>,
    ) -> Layout {
        let order = self.preorder(root);
        for &node in order.iter().rev() {
            let size = match &self.nodes[node] {
                TreeNode::Leaf { buffer } => size_of(*buffer),
                _ => 0,
            };
            let fact = self.fact(node, align, size, |child| facts[child]);
            facts[node] = if node == root { Fact { becomes: root, ..fact } } else { fact };
        }
        let bytes = facts[root].bytes;
        let mut regions = Vec::with_capacity(order.len());
        for &node in &order {
            let offset = offsets[node];
            let fact = facts[node];
            regions.push(Region { node, offset, bytes: fact.bytes, becomes: fact.becomes });
            match &self.nodes[node] {
                TreeNode::Temporal { children } => children.iter().for_each(|&child| offsets[child] = offset),
                TreeNode::Spatial { left, right } => {
                    offsets[*left] = offset;
                    offsets[*right] = offset + align_up(facts[*left].bytes, align);
                }
                TreeNode::Leaf { .. } | TreeNode::Empty { .. } => {}
            }
        }
        Layout { bytes, regions }
    }
}

/// What finalising makes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Bytes that are left of it.
    pub bytes: u64,
    /// The node that stands here afterwards.
    pub becomes: TreeNodeId,
    /// Nothing but an Empty is left.
    pub empty: bool,
}

/// A pool's tree with addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes of the pool.
    pub bytes: u64,
    /// Every node, parents before children.
    pub regions: Vec<Region>,
}

/// The bytes of one tree node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The node.
    pub node: TreeNodeId,
    /// Bytes from the base of the pool.
    pub offset: u64,
    /// Bytes that finalising leaves it; an Empty has none.
    pub bytes: u64,
    /// The node that stands here after finalising.
    pub becomes: TreeNodeId,
}
