//! The walk down a pool's tree to the node that takes a block (`_allocate` of `TemporalSplit` and `SpatialSplit`).

use std::collections::HashMap;

use super::Group;
use super::crossings::Crossings;
use crate::base::IdVec;
use crate::problem::Branches;
use crate::trace::{Event, Recorder, Tree, TreeNode, TreeNodeId, Verdict, in_the_way};

/// What a search reads of the pools under construction.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// The nodes of all pools.
    pub tree: &'a Tree,
    /// Size hint of each node, in bytes.
    pub slots: &'a IdVec<TreeNodeId, u64>,
    /// Union of the live ranges below each node: sorted, disjoint, not touching.
    pub ranges: &'a IdVec<TreeNodeId, Vec<(u32, u32)>>,
    /// The ranges of all children of a temporal node that has many.
    pub crossings: &'a IdVec<TreeNodeId, Option<Box<Crossings>>>,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// One walk down a pool's tree. The original recurses; a tree can be as deep as there are buffers, hence the stack.
pub struct Search<'g> {
    group: &'g Group,
    /// Whether every node asked is reported.
    detail: bool,
    /// What [`Search::is_parallel`] found so far.
    parallel: HashMap<TreeNodeId, bool>,
}

/// The temporal node that takes the block, and the nodes from the root to it.
pub struct Target {
    /// The node that takes the block.
    pub node: TreeNodeId,
    /// From the root to `node`.
    pub path: Vec<TreeNodeId>,
}

enum Phase {
    Enter,
    AskedChild,
    AskedLeft,
    AskedRight,
}

/// What a temporal node makes of a block.
struct Answer {
    /// As long as the child asked, if there is one, has not taken the block.
    verdict: Verdict,
    /// Children that overlap the block in time.
    overlaps: u32,
    /// The one child that it is handed to.
    child: Option<TreeNodeId>,
}

struct Visit {
    node: TreeNodeId,
    last: bool,
    phase: Phase,
    /// Index of this node's own event, whose verdict is known only after its children answered.
    event: usize,
}

impl<'g> Search<'g> {
    /// Returns a search for a place of `group`.
    pub fn new(group: &'g Group, detail: bool) -> Self {
        Search { group, detail, parallel: HashMap::new() }
    }

    /// The node that takes the block, if one does, and the events of the walk.
    pub fn run(mut self, pools: Lookup, root: TreeNodeId, last: bool) -> (Option<Target>, Vec<Event>) {
        let mut events = Vec::new();
        let mut stack = vec![Visit { node: root, last, phase: Phase::Enter, event: 0 }];
        // Answer of the visit that ended last.
        let mut accepted: Option<Target> = None;
        while let Some(visit) = stack.last_mut() {
            let (node, last) = (visit.node, visit.last);
            let mut ask = None;
            match (&pools.tree.nodes[node], &visit.phase) {
                (TreeNode::Leaf { .. } | TreeNode::Empty { .. }, _) => {}
                (TreeNode::Temporal { children }, Phase::Enter) => {
                    let Answer { verdict, overlaps, child } = self.temporal(pools, node, children, last);
                    if self.detail {
                        let slot = pools.slots[node];
                        if verdict == Verdict::Parallel {
                            events.extend(self.in_the_way(pools, node));
                        }
                        visit.event = events.len();
                        events.push(Event::AskTemporal { verdict, is_last: last, node, overlaps, slot });
                    }
                    match child {
                        Some(child) => {
                            visit.phase = Phase::AskedChild;
                            ask = Some((child, last));
                        }
                        None if matches!(verdict, Verdict::Exact | Verdict::Split | Verdict::Grow) => {
                            accepted = Some(Target { node, path: vec![node] });
                        }
                        None => {}
                    }
                }
                (TreeNode::Spatial { left, .. }, Phase::Enter) => {
                    visit.event = events.len();
                    if self.detail {
                        events.push(Event::AskSpatial { verdict: Verdict::Refused, is_last: last, node });
                    }
                    visit.phase = Phase::AskedLeft;
                    // Only a chain of upper halves may grow.
                    ask = Some((*left, false));
                }
                (TreeNode::Spatial { right, .. }, Phase::AskedLeft) if accepted.is_none() => {
                    visit.phase = Phase::AskedRight;
                    ask = Some((*right, last));
                }
                _ => {}
            }
            if let Some((child, last)) = ask {
                stack.push(Visit { node: child, last, phase: Phase::Enter, event: 0 });
                continue;
            }
            if let Some(visit) = stack.pop()
                && let Some(target) = &mut accepted
            {
                self.record_success(&visit, target, &mut events);
            }
        }
        if let Some(target) = &mut accepted {
            target.path.reverse();
        }
        (accepted, events)
    }

    fn record_success(&self, visit: &Visit, target: &mut Target, events: &mut [Event]) {
        if visit.node != target.node {
            target.path.push(visit.node);
        }
        if !self.detail {
            return;
        }
        match (&visit.phase, &mut events[visit.event]) {
            (Phase::AskedChild, Event::AskTemporal { verdict, .. }) => *verdict = Verdict::InChild,
            (Phase::AskedLeft, Event::AskSpatial { verdict, .. }) => *verdict = Verdict::Left,
            (Phase::AskedRight, Event::AskSpatial { verdict, .. }) => *verdict = Verdict::Right,
            _ => {}
        }
    }

    /// `TemporalSplit._allocate` up to the point where it accepts, refuses or hands on. When branches are kept parallel, a
    /// child with a buffer that no path orders against the block counts like one that overlaps it in time.
    fn temporal(&mut self, pools: Lookup, node: TreeNodeId, children: &[TreeNodeId], last: bool) -> Answer {
        let slot = pools.slots[node];
        let too_big = self.group.size > slot && !last;
        if too_big && !self.detail {
            return Answer { verdict: Verdict::TooSmall, overlaps: 0, child: None };
        }
        let block = (self.group.begin, self.group.end);
        let known = pools.crossings[node].as_ref().filter(|_| !self.detail);
        let one_by_one = || self.crossed(pools, children);
        let (overlaps, mut first) = known.map_or_else(one_by_one, |known| known.of(block));
        debug_assert!(
            known.is_none()
                || (overlaps, first.filter(|_| overlaps == 1)) == {
                    let (overlaps, first) = one_by_one();
                    (overlaps, first.filter(|_| overlaps == 1))
                }
        );
        let mut parallel = 0;
        if overlaps < 2 && pools.branches.is_on() {
            let met = first;
            for &child in children.iter().filter(|&&child| Some(child) != met) {
                if self.is_parallel(pools, child) {
                    parallel += 1;
                    if overlaps + parallel == 2 {
                        break;
                    }
                    first = Some(child);
                }
            }
        }
        let verdict = match (overlaps, parallel) {
            _ if too_big => Verdict::TooSmall,
            (0, 0) if self.group.size == slot => Verdict::Exact,
            (0, 0) if self.group.size < slot => Verdict::Split,
            (0, 0) => Verdict::Grow,
            (1, 0) => Verdict::ChildRefused,
            (0 | 1, _) => Verdict::Parallel,
            _ => Verdict::ManyOverlaps,
        };
        let child = first.filter(|_| !too_big && overlaps + parallel == 1);
        Answer { verdict, overlaps, child }
    }

    /// How many children overlap the block in time, and the first of them; without detail counted up to 2.
    fn crossed(&self, pools: Lookup, children: &[TreeNodeId]) -> (u32, Option<TreeNodeId>) {
        let meets = |child: TreeNodeId| overlap(&pools.ranges[child], (self.group.begin, self.group.end));
        let mut overlaps = 0;
        let mut first = None;
        for &child in children.iter().filter(|&&child| meets(child)) {
            overlaps += 1;
            first = first.or(Some(child));
            if overlaps == 2 && !self.detail {
                break;
            }
        }
        (overlaps, first)
    }

    /// The buffers below a node that may not share bytes with the block.
    fn in_the_way(&self, pools: Lookup, node: TreeNodeId) -> Vec<Event> {
        let leaf = |node| match pools.tree.nodes[node] {
            TreeNode::Leaf { buffer } => Some(buffer),
            _ => None,
        };
        let below = pools.tree.preorder(node).into_iter().filter_map(leaf);
        let mut emitted = Recorder::default();
        in_the_way(&mut emitted, below.filter(|&buffer| !pools.branches.allow(buffer, self.group.buffer)));
        emitted.events
    }

    /// Whether something below a node may not share bytes with the block.
    fn is_parallel(&mut self, pools: Lookup, node: TreeNodeId) -> bool {
        let mut walked = Vec::new();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            let known = self.parallel.get(&next).copied();
            let refused = match &pools.tree.nodes[next] {
                _ if known.is_some() => known == Some(true),
                TreeNode::Leaf { buffer } => !pools.branches.allow(*buffer, self.group.buffer),
                TreeNode::Empty { .. } => false,
                TreeNode::Temporal { children } => {
                    stack.extend(children);
                    false
                }
                TreeNode::Spatial { left, right } => {
                    stack.extend([left, right]);
                    false
                }
            };
            if refused {
                self.parallel.insert(node, true);
                return true;
            }
            walked.push(next);
        }
        self.parallel.extend(walked.into_iter().map(|node| (node, false)));
        false
    }
}

/// `LiveRanges.overlaps` with the child's ranges as the left list and the block's one range as the right. Not symmetric for
/// an empty range that begins where the other does.
pub fn overlap(ranges: &[(u32, u32)], block: (u32, u32)) -> bool {
    let later = ranges.partition_point(|range| range.0 <= block.0);
    let before = later.checked_sub(1).map(|index| ranges[index]);
    before.is_some_and(|range| range.1 > block.0) || ranges.get(later).is_some_and(|range| block.1 > range.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_ranges_do_not_overlap_and_empty_ones_depend_on_the_side() {
        assert!(!overlap(&[(1, 3)], (3, 5)));
        assert!(!overlap(&[(3, 5)], (1, 3)));
        assert!(overlap(&[(1, 3)], (2, 5)));
        assert!(overlap(&[(1, 2), (6, 8)], (0, 7)));
        // The child began earlier or at the same step: it collides. The empty child does not.
        assert!(overlap(&[(3, 5)], (3, 3)));
        assert!(!overlap(&[(3, 3)], (3, 5)));
        assert!(overlap(&[(1, 5)], (3, 3)));
    }
}
