//! Pools and the allocation tree (`AllocationPools`, `AllocationPool`, `TemporalSplit`, `SpatialSplit`).
//!
//! A temporal node holds children that take turns in the same bytes, a spatial node two halves that lie one above the other.
//! The five buffers of [`crate::problem`] in order of placement, with the tree after each one: `T[…]` is a temporal node,
//! `S(lower / upper)` a spatial one, `□2` are 2 free KiB.
//!
//! ```text
//! e  opens the pool          T[e]
//! c  shares the slot of e    T[e, S(T[c] / T[□1])]
//! a  shares it too           T[e, S(T[c] / T[□1]), S(T[a] / T[□2])]
//! b  meets c and a: refused, goes to the end of the pool
//!                            T[S(T[e, S(T[c] / T[□1]), S(T[a] / T[□2])] / T[b])]
//! d  meets c alone: handed down to c's spatial node, whose upper half fits exactly
//!                            T[S(T[e, S(T[c] / T[d]), S(T[a] / T[□2])] / T[b])]
//! ```
//!
//! The offsets that the last tree stands for. `b` lies above the slot of `e`, although KiB 3 of the slot was free during the
//! whole life of `b` when `b` was placed: no node stands for that KiB at steps 1 to 3.
//!
//! ```text
//!    4 |   .   b   b   b   .   .
//!    3 |   .   .   d   .   e   e
//!    2 |   .   .   c   c   e   e
//!    1 |   a   a   c   c   e   e
//!    0 |   a   a   c   c   e   e
//!      +------------------------
//! step    0   1   2   3   4   5
//! ```

use std::ops::ControlFlow;

use super::crossings::{Crossings, MANY};
use super::search::{Lookup, Search};
use super::{Group, MemoryPool, placement_order};
use crate::base::{IdVec, align_up};
use crate::planner::PlanError;
use crate::problem::Branches;
use crate::trace::{Event, Fact, Outcome, Probe, Tree, TreeEdit, TreeNode, TreeNodeId, Verdict};

/// What the original keeps of a pool beside its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// Index of its device.
    pub device: u32,
    /// Whether blocks may be put at its end.
    pub can_expand: bool,
    /// Blocks may not begin before this step: the smallest `earliest_available` among the pool's blocks.
    pub not_before: Option<u32>,
}

/// How a block comes into a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// Offered to the pools in turn.
    Allocate,
    /// An output: a fixed pool of its own, or the end of the output pool.
    AllocateOutput,
}

/// Pools under construction: the tree, and the caches that the original keeps in its nodes.
pub struct Pools<'p> {
    mode: MemoryPool,
    align: u64,
    probe: &'p mut dyn Probe,
    tree: Tree,
    states: Vec<PoolState>,
    /// Size hint of each node.
    slots: IdVec<TreeNodeId, u64>,
    /// Union of the live ranges below each node: sorted, disjoint, not touching.
    ranges: IdVec<TreeNodeId, Vec<(u32, u32)>>,
    /// The ranges of all children of a temporal node that has many.
    crossings: IdVec<TreeNodeId, Option<Box<Crossings>>>,
    /// Which buffers may share bytes.
    branches: Branches,
    /// Whether the present decision is recorded in detail.
    detail: bool,
    decisions: u32,
    /// End of each pool as shown after the last decision, for growth events.
    shown_ends: Vec<u64>,
    /// What finalising now would make of each node.
    facts: IdVec<TreeNodeId, Fact>,
}

impl<'p> Pools<'p> {
    /// Returns no pools. `align` in bytes.
    pub fn new(mode: MemoryPool, align: u64, probe: &'p mut dyn Probe) -> Self {
        Pools {
            mode,
            align,
            probe,
            tree: Tree::default(),
            states: Vec::new(),
            slots: IdVec::new(),
            ranges: IdVec::new(),
            crossings: IdVec::new(),
            branches: Branches::default(),
            detail: false,
            decisions: 0,
            shown_ends: Vec::new(),
            facts: IdVec::new(),
        }
    }

    /// The same pools, in which only buffers that `branches` allows share bytes.
    pub fn within(self, branches: Branches) -> Self {
        Pools { branches, ..self }
    }

    /// Places all groups in the planner's own order.
    ///
    /// # Errors
    /// [`PlanError::Cancelled`] when the probe asks to stop.
    pub fn allocate_all(&mut self, groups: &[Group]) -> Result<(), PlanError> {
        for index in placement_order(groups, self.mode) {
            let group = &groups[index];
            let output = group.is_output && self.mode != MemoryPool::Combined;
            let route = if output { Route::AllocateOutput } else { Route::Allocate };
            if self.probe.pulse(self.decisions as u64, groups.len() as u64) == ControlFlow::Break(()) {
                return Err(PlanError::Cancelled);
            }
            self.allocate(group, route);
        }
        Ok(())
    }

    /// The tree and the pools in order of creation.
    pub fn finish(self) -> (Tree, Vec<PoolState>) {
        (self.tree, self.states)
    }

    /// Places one block.
    pub fn allocate(&mut self, group: &Group, route: Route) {
        self.detail = self.probe.wants_detail(self.decisions);
        self.probe.event(Event::Begin { buffer: group.buffer });
        let placed = match route {
            Route::Allocate => self.offer_to_pools(group),
            Route::AllocateOutput => self.place_output(group),
        };
        self.report_place(group, placed);
        self.decisions += 1;
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            tree: &self.tree,
            slots: &self.slots,
            ranges: &self.ranges,
            crossings: &self.crossings,
            branches: &self.branches,
        }
    }

    fn pools_of(&self, device: u32) -> Vec<usize> {
        (0..self.states.len()).filter(|&pool| self.states[pool].device == device).collect()
    }

    fn offer_to_pools(&mut self, group: &Group) -> Placed {
        let pools = self.pools_of(group.device);
        for &pool in &pools {
            let is_last = Some(&pool) == pools.last();
            if let Some(placed) = self.offer_to_pool(pool, group, is_last) {
                return placed;
            }
        }
        self.open_pool(group, self.mode != MemoryPool::None)
    }

    fn place_output(&mut self, group: &Group) -> Placed {
        match self.pools_of(group.device).last() {
            Some(&pool) if self.mode == MemoryPool::Outputs => self.put_at_end(pool, group),
            _ => self.open_pool(group, false),
        }
    }

    fn open_pool(&mut self, group: &Group, can_expand: bool) -> Placed {
        let pool = self.states.len();
        self.states.push(PoolState { device: group.device, can_expand, not_before: group.earliest_available });
        self.shown_ends.push(0);
        self.probe.event(Event::OpenPool { pool: pool as u32, memory: group.device, growing: can_expand });
        let leaf = self.leaf(group);
        let root = self.temporal(&[leaf]);
        self.edit(TreeEdit::Root { pool: pool as u32, node: root });
        Placed { pool, outcome: Outcome::NewPool, offset: 0 }
    }

    /// `AllocationPool.allocate`.
    fn offer_to_pool(&mut self, pool: usize, group: &Group, is_last: bool) -> Option<Placed> {
        let state = &self.states[pool];
        let can_expand = state.can_expand;
        let ask = |verdict| Event::AskPool { verdict, is_last, can_expand, pool: pool as u32 };
        let root = self.tree.roots[pool];
        let pool_begin = self.ranges[root].first().map_or(0, |range| range.0);
        if state.not_before.is_some_and(|limit| group.begin < limit) {
            self.detail_event(ask(Verdict::OutsideRestrictedRange));
            return None;
        }
        if group.earliest_available.is_some_and(|known| known > pool_begin) {
            self.detail_event(ask(Verdict::SizeNotKnown));
            return None;
        }
        let last = is_last && can_expand;
        let (found, asked) = Search::new(group, self.detail).run(self.lookup(), root, last);
        let verdict = match (&found, last) {
            (Some(_), _) => Verdict::InTree,
            (None, true) => Verdict::AtEnd,
            (None, false) => Verdict::Full,
        };
        self.detail_event(ask(verdict));
        if self.detail {
            asked.into_iter().for_each(|event| self.probe.event(event));
        }
        match found {
            Some(target) => {
                let outcome = self.take(target.node, group);
                self.refresh(&target.path, group, outcome);
                self.restrict(pool, group);
                Some(Placed { pool, outcome, offset: self.offset_along(&target.path) })
            }
            None if last => Some(self.put_at_end(pool, group)),
            None => None,
        }
    }

    fn restrict(&mut self, pool: usize, group: &Group) {
        let limit = &mut self.states[pool].not_before;
        *limit = limit.iter().copied().chain(group.earliest_available).min();
    }

    /// `AllocationPool.allocate_at_end`.
    fn put_at_end(&mut self, pool: usize, group: &Group) -> Placed {
        self.detail_event(Event::AtEnd { pool: pool as u32 });
        let left = self.tree.roots[pool];
        let leaf = self.leaf(group);
        let right = self.temporal(&[leaf]);
        let spatial = self.spatial(left, right);
        let root = self.temporal(&[spatial]);
        self.edit(TreeEdit::Root { pool: pool as u32, node: root });
        self.restrict(pool, group);
        Placed { pool, outcome: Outcome::AtEnd, offset: align_up(self.facts[left].bytes, self.align) }
    }

    /// The last branch of `TemporalSplit._allocate`: no child overlaps, the node takes the block itself.
    fn take(&mut self, node: TreeNodeId, group: &Group) -> Outcome {
        let slot = self.slots[node];
        let only_empty =
            matches!(self.children(node), [only] if matches!(self.tree.nodes[*only], TreeNode::Empty { .. }));
        if only_empty {
            self.edit(TreeEdit::Drop { parent: node });
        }
        if group.size == slot {
            let leaf = self.leaf(group);
            self.edit(TreeEdit::Append { parent: node, child: leaf });
            Outcome::Exact
        } else if group.size < slot {
            let leaf = self.leaf(group);
            let left = self.temporal(&[leaf]);
            let empty = self.empty(slot - group.size);
            let right = self.temporal(&[empty]);
            let spatial = self.spatial(left, right);
            self.edit(TreeEdit::Append { parent: node, child: spatial });
            Outcome::Split
        } else {
            // The one Empty is gone already.
            for child in self.children(node).to_vec() {
                let left = self.temporal(&[child]);
                let empty = self.empty(group.size - slot);
                let right = self.temporal(&[empty]);
                let spatial = self.spatial(left, right);
                self.edit(TreeEdit::Replace { parent: node, old: child, new: spatial });
            }
            let leaf = self.leaf(group);
            self.edit(TreeEdit::Append { parent: node, child: leaf });
            Outcome::Grow
        }
    }

    /// Renews the caches of the nodes from the taking one up to the root.
    fn refresh(&mut self, path: &[TreeNodeId], group: &Group, outcome: Outcome) {
        // The child that was renewed last, and the range that has grown in it.
        let mut below: Option<(TreeNodeId, (u32, u32))> = None;
        for &node in path.iter().rev() {
            let children = self.children(node);
            // A child never gets smaller, so of several only the one that changed may count for more than before.
            let changed = match below {
                Some((child, _)) => Some(child).filter(|_| children.len() > 1),
                None if outcome == Outcome::Grow => None,
                None => children.last().copied().filter(|_| children.len() > 2),
            };
            if let Some(child) = changed {
                self.slots[node] = self.slots[node].max(self.slots[child]);
                self.facts[node].bytes = self.facts[node].bytes.max(self.facts[child].bytes);
            } else {
                self.slots[node] = self.slot_of(node);
                self.facts[node] = self.fact_of(node, 0);
            }
            match (&mut self.crossings[node], below) {
                (Some(known), Some((child, range))) => known.merge(child, range),
                (Some(known), None) if outcome != Outcome::Grow => {
                    changed.into_iter().for_each(|child| known.add(child, &self.ranges[child]));
                }
                _ => self.crossings[node] = self.crossings_of(node),
            }
            let merged = insert_range(&mut self.ranges[node], (group.begin, group.end));
            below = Some((node, merged));
        }
    }

    /// The ranges of a node's children, if it has many.
    fn crossings_of(&self, node: TreeNodeId) -> Option<Box<Crossings>> {
        let children = Some(self.children(node)).filter(|children| children.len() >= MANY)?;
        let mut all = Crossings::default();
        children.iter().for_each(|&child| all.add(child, &self.ranges[child]));
        Some(Box::new(all))
    }

    fn fact_of(&self, node: TreeNodeId, size: u64) -> Fact {
        self.tree.fact(node, self.align, size, |child| self.facts[child])
    }

    /// Offset of the last node of a path from a root: every step into an upper half begins above the lower one.
    fn offset_along(&self, path: &[TreeNodeId]) -> u64 {
        let climb = |pair: &[TreeNodeId]| match self.tree.nodes[pair[0]] {
            TreeNode::Spatial { left, right } if right == pair[1] => align_up(self.facts[left].bytes, self.align),
            _ => 0,
        };
        path.windows(2).map(climb).sum()
    }

    fn slot_of(&self, node: TreeNodeId) -> u64 {
        match &self.tree.nodes[node] {
            TreeNode::Temporal { children } => children.iter().map(|&child| self.slots[child]).max().unwrap_or(0),
            TreeNode::Spatial { left, right } => align_up(self.slots[*left], self.align) + self.slots[*right],
            TreeNode::Leaf { .. } | TreeNode::Empty { .. } => self.slots[node],
        }
    }

    fn children(&self, node: TreeNodeId) -> &[TreeNodeId] {
        match &self.tree.nodes[node] {
            TreeNode::Temporal { children } => children,
            _ => &[],
        }
    }

    fn leaf(&mut self, group: &Group) -> TreeNodeId {
        let node = self.tree.next_id();
        self.slots.push(group.size);
        self.ranges.push(vec![(group.begin, group.end)]);
        self.crossings.push(None);
        self.edit(TreeEdit::Leaf { node, buffer: group.buffer });
        self.facts.push(self.fact_of(node, group.size));
        node
    }

    fn empty(&mut self, bytes: u64) -> TreeNodeId {
        let node = self.tree.next_id();
        self.slots.push(bytes);
        self.ranges.push(Vec::new());
        self.crossings.push(None);
        self.edit(TreeEdit::Empty { node, bytes });
        self.facts.push(self.fact_of(node, 0));
        node
    }

    fn temporal(&mut self, children: &[TreeNodeId]) -> TreeNodeId {
        let node = self.tree.next_id();
        self.slots.push(children.iter().map(|&child| self.slots[child]).max().unwrap_or(0));
        let ranges = children.iter().flat_map(|&child| self.ranges[child].iter().copied()).collect();
        self.ranges.push(ranges);
        self.crossings.push(None);
        self.edit(TreeEdit::Temporal { node });
        for &child in children {
            self.edit(TreeEdit::Append { parent: node, child });
        }
        self.facts.push(self.fact_of(node, 0));
        node
    }

    fn spatial(&mut self, left: TreeNodeId, right: TreeNodeId) -> TreeNodeId {
        let node = self.tree.next_id();
        self.slots.push(align_up(self.slots[left], self.align) + self.slots[right]);
        let mut ranges = self.ranges[left].clone();
        self.ranges[right].iter().for_each(|&range| _ = insert_range(&mut ranges, range));
        self.ranges.push(ranges);
        self.crossings.push(None);
        self.edit(TreeEdit::Spatial { node, left, right });
        self.facts.push(self.fact_of(node, 0));
        node
    }

    fn edit(&mut self, edit: TreeEdit) {
        self.tree.apply(edit);
        self.probe.event(Event::Tree(edit));
    }

    fn detail_event(&mut self, event: Event) {
        if self.detail {
            self.probe.event(event);
        }
    }

    /// Reports the place, and the end of the pool, as they would be if the tree were finalised now.
    fn report_place(&mut self, group: &Group, placed: Placed) {
        let pool = placed.pool as u32;
        let end = self.facts[self.tree.roots[placed.pool]].bytes;
        self.probe.event(Event::Place { outcome: placed.outcome, buffer: group.buffer, pool, offset: placed.offset });
        let shown = std::mem::replace(&mut self.shown_ends[placed.pool], end);
        if end > shown {
            self.probe.event(Event::Grow { pool, from: shown, to: end });
        }
    }
}

struct Placed {
    pool: usize,
    outcome: Outcome,
    /// If the tree were finalised now; later placements may move it up.
    offset: u64,
}

/// Adds a range to a sorted list, merging what overlaps or touches, and returns what it has become.
fn insert_range(ranges: &mut Vec<(u32, u32)>, new: (u32, u32)) -> (u32, u32) {
    let from = ranges.partition_point(|range| range.1 < new.0);
    let to = ranges.partition_point(|range| range.0 <= new.1);
    if from >= to {
        ranges.insert(from, new);
        return new;
    }
    let merged = (ranges[from].0.min(new.0), ranges[to - 1].1.max(new.1));
    ranges.splice(from..to, [merged]);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge_when_they_touch() {
        let mut ranges = vec![(1, 3), (6, 8)];
        insert_range(&mut ranges, (4, 5));
        assert_eq!(ranges, [(1, 3), (4, 5), (6, 8)]);
        insert_range(&mut ranges, (3, 4));
        assert_eq!(ranges, [(1, 5), (6, 8)]);
        insert_range(&mut ranges, (0, 9));
        assert_eq!(ranges, [(0, 9)]);
    }
}
