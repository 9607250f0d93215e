//! Pools and the allocation tree (`AllocationPools`, `AllocationPool`, `TemporalSplit`,
//! `SpatialSplit`).
//!
//! A temporal node holds children that take turns in the same bytes, a spatial node two halves that
//! lie one above the other. The five buffers of [`memplan_core::problem`] in order of placement,
//! with the tree after each one: `T[…]` is a temporal node, `S(lower / upper)` a spatial one, `□2`
//! are 2 free KiB.
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
//! The offsets that the last tree stands for. `b` lies above the slot of `e`, although KiB 3 of the
//! slot was free during the whole life of `b` when `b` was placed: no node stands for that KiB at
//! steps 1 to 3.
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

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::crossings::{Child, Crossings, Turn};
use super::halves::{Descent, Half, Halves, Leaf, Split};
use super::search::{Lookup, Search};
use super::{Group, MemoryPool, placement_order};
use crate::PlanError;
use memplan_core::base::align_up;
use memplan_core::problem::Branches;
use memplan_core::trace::{Event, Outcome, Probe, Tree, TreeEdit, TreeNodeId, Verdict};

/// What the original keeps of a pool beside its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// Index of its device.
    pub device: u32,
    /// Whether blocks may be put at its end.
    pub can_expand: bool,
    /// Blocks may not begin before this step: the smallest `earliest_available` among the pool's
    /// blocks.
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
    /// Sizes and live ranges of its nodes.
    halves: Halves,
    /// Which buffers may share bytes.
    branches: Branches,
    /// Whether the present decision is recorded in detail.
    detail: bool,
    decisions: u32,
    /// End of each pool as shown after the last decision, for growth events.
    shown_ends: Vec<u64>,
    /// Of the search that ended last: its room serves the next one.
    path: Vec<Descent>,
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
            halves: Halves::default(),
            branches: Branches::default(),
            detail: false,
            decisions: 0,
            shown_ends: Vec::new(),
            path: Vec::new(),
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
        let root = self.half_of_leaf(group);
        self.edit(TreeEdit::Root { pool: pool as u32, node: root.node });
        self.halves.roots.push(root);
        Placed { pool, outcome: Outcome::NewPool, offset: 0 }
    }

    /// `AllocationPool.allocate`.
    fn offer_to_pool(&mut self, pool: usize, group: &Group, is_last: bool) -> Option<Placed> {
        let state = &self.states[pool];
        let can_expand = state.can_expand;
        let ask = |verdict| Event::AskPool { verdict, is_last, can_expand, pool: pool as u32 };
        let pool_begin = self.halves.roots[pool].turns.first().unwrap_or(0);
        if state.not_before.is_some_and(|limit| group.begin < limit) {
            self.detail_event(ask(Verdict::OutsideRestrictedRange));
            return None;
        }
        if group.earliest_available.is_some_and(|known| known > pool_begin) {
            self.detail_event(ask(Verdict::SizeNotKnown));
            return None;
        }
        let last = is_last && can_expand;
        let pools = Lookup { tree: &self.tree, halves: &self.halves, branches: &self.branches };
        let (found, asked) = Search::new(pools, group, self.detail).run(pool, last, &mut self.path);
        let verdict = match (found, last) {
            (true, _) => Verdict::InTree,
            (false, true) => Verdict::AtEnd,
            (false, false) => Verdict::Full,
        };
        self.detail_event(ask(verdict));
        if self.detail {
            asked.into_iter().for_each(|event| self.probe.event(event));
        }
        if !found {
            return last.then(|| self.put_at_end(pool, group));
        }
        let path = std::mem::take(&mut self.path);
        let outcome = self.take(pool, &path, group);
        self.refresh(pool, &path, group);
        self.restrict(pool, group);
        let offset = self.offset_along(&path);
        self.path = path;
        Some(Placed { pool, outcome, offset })
    }

    fn restrict(&mut self, pool: usize, group: &Group) {
        let limit = &mut self.states[pool].not_before;
        *limit = limit.iter().copied().chain(group.earliest_available).min();
    }

    /// `AllocationPool.allocate_at_end`.
    fn put_at_end(&mut self, pool: usize, group: &Group) -> Placed {
        self.detail_event(Event::AtEnd { pool: pool as u32 });
        let upper = self.half_of_leaf(group);
        let root = &mut self.halves.roots[pool];
        let mut turns = Crossings::default();
        // One child has it all from now on: what touched merges.
        let child = Child::split(self.halves.splits.len());
        let ranges: Vec<Turn> = root.turns.turns().collect();
        let blank = Half::of_empty(root.node, 0);
        let lower = std::mem::replace(root, blank);
        ranges.into_iter().for_each(|turn| _ = turns.merge(child, (turn.begin, turn.end)));
        turns.merge(child, (group.begin, group.end));
        let offset = align_up(lower.bytes, self.align);
        let split = self.split(lower, upper);
        let node = self.temporal_of(self.halves.splits[split].node);
        let split = &self.halves.splits[split];
        let (slot, bytes) = (split.slot(self.align), split.bytes(self.align));
        self.halves.roots[pool] = Half { slot, bytes, node, is_empty: false, turns };
        self.edit(TreeEdit::Root { pool: pool as u32, node });
        self.restrict(pool, group);
        Placed { pool, outcome: Outcome::AtEnd, offset }
    }

    /// The last branch of `TemporalSplit._allocate`: no child overlaps, the node takes the block
    /// itself.
    fn take(&mut self, pool: usize, path: &[Descent], group: &Group) -> Outcome {
        let &Half { slot, node, is_empty, .. } = self.halves.at(pool, path);
        if is_empty {
            self.edit(TreeEdit::Drop { parent: node });
        }
        let outcome = match group.size.cmp(&slot) {
            Ordering::Equal => Outcome::Exact,
            Ordering::Less => Outcome::Split,
            Ordering::Greater => Outcome::Grow,
        };
        if outcome == Outcome::Grow && !is_empty {
            self.lift_all(pool, path, group.size - slot);
        }
        let (child, appended, slot, bytes) = if outcome == Outcome::Split {
            let lower = self.half_of_leaf(group);
            let upper = self.half_of_empty(slot - group.size);
            let index = self.split(lower, upper);
            let split = &self.halves.splits[index];
            (Child::split(index), split.node, split.slot(self.align), split.bytes(self.align))
        } else {
            let leaf = self.leaf(group);
            (Child::leaf(leaf), self.halves.leaves[leaf].node, group.size, group.size)
        };
        self.edit(TreeEdit::Append { parent: node, child: appended });
        let half = self.halves.at_mut(pool, path);
        half.is_empty = false;
        half.cover(slot, bytes);
        half.turns.add(Turn { begin: group.begin, end: group.end, child });
        outcome
    }

    /// Makes every child of a temporal node the lower half of a spatial one, with so many free
    /// bytes above it.
    fn lift_all(&mut self, pool: usize, path: &[Descent], free: u64) {
        let half = self.halves.at_mut(pool, path);
        let (parent, turns) = (half.node, std::mem::take(&mut half.turns));
        for old in self.tree.nodes[parent].children().to_vec() {
            let Some(child) = self.halves.child_of(old) else { continue };
            let own = turns.turns().filter(|turn| turn.child == child);
            let (slot, bytes) = match child.index() {
                Ok(leaf) => (self.halves.leaves[leaf].size, self.halves.leaves[leaf].size),
                Err(split) => (self.halves.splits[split].slot(self.align), self.halves.splits[split].bytes(self.align)),
            };
            let node = self.temporal_of(old);
            let lower = Half { slot, bytes, node, is_empty: false, turns: Crossings::of_one(own) };
            let upper = self.half_of_empty(free);
            let index = self.split(lower, upper);
            let split = &self.halves.splits[index];
            let (node, slot, bytes) = (split.node, split.slot(self.align), split.bytes(self.align));
            self.edit(TreeEdit::Replace { parent, old, new: node });
            let half = self.halves.at_mut(pool, path);
            half.cover(slot, bytes);
            let own = turns.turns().filter(|turn| turn.child == child);
            own.for_each(|turn| half.turns.add(Turn { child: Child::split(index), ..turn }));
        }
    }

    /// Renews the nodes above the one that took a block, up to the first in which that changes
    /// nothing: those above it hold at least as much.
    fn refresh(&mut self, pool: usize, path: &[Descent], group: &Group) {
        for (above, step) in path.iter().enumerate().rev() {
            let split = &self.halves.splits[step.split];
            let (slot, bytes) = (split.slot(self.align), split.bytes(self.align));
            let half = self.halves.at_mut(pool, &path[..above]);
            let grows = half.cover(slot, bytes);
            if !half.turns.merge(Child::split(step.split), (group.begin, group.end)) && !grows {
                break;
            }
        }
    }

    /// Offset of the temporal node at the end of a path: every step into an upper half begins above
    /// the lower one.
    fn offset_along(&self, path: &[Descent]) -> u64 {
        let upper = path.iter().filter(|step| step.half == 1);
        upper.map(|step| align_up(self.halves.splits[step.split].halves[0].bytes, self.align)).sum()
    }

    fn leaf(&mut self, group: &Group) -> usize {
        let node = self.tree.next_id();
        self.halves.leaves.push(Leaf { node, size: group.size, begin: group.begin, end: group.end });
        self.edit(TreeEdit::Leaf { node, buffer: group.buffer });
        self.halves.leaves.len() - 1
    }

    /// A temporal node of the tree around another node.
    fn temporal_of(&mut self, child: TreeNodeId) -> TreeNodeId {
        let node = self.tree.next_id();
        self.edit(TreeEdit::Temporal { node });
        self.edit(TreeEdit::Append { parent: node, child });
        node
    }

    fn half_of_leaf(&mut self, group: &Group) -> Half {
        let index = self.leaf(group);
        let leaf = self.halves.leaves[index];
        Half::of_leaf(self.temporal_of(leaf.node), index, leaf)
    }

    fn half_of_empty(&mut self, bytes: u64) -> Half {
        let node = self.tree.next_id();
        self.edit(TreeEdit::Empty { node, bytes });
        Half::of_empty(self.temporal_of(node), bytes)
    }

    fn split(&mut self, lower: Half, upper: Half) -> usize {
        let node = self.tree.next_id();
        self.edit(TreeEdit::Spatial { node, left: lower.node, right: upper.node });
        self.halves.splits.push(Split { halves: [lower, upper], node });
        self.halves.splits.len() - 1
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
        let end = self.halves.roots[placed.pool].bytes;
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
