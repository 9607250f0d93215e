//! The walk down a pool's tree to the node that takes a block (`_allocate` of `TemporalSplit` and
//! `SpatialSplit`).

use std::collections::HashMap;

use super::Group;
use super::crossings::Child;
use super::halves::{Descent, Half, Halves};
use memplan_core::problem::Branches;
use memplan_core::trace::{Event, Recorder, Tree, TreeNode, TreeNodeId, Verdict, in_the_way};

/// What a search reads of the pools under construction.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// The nodes of all pools, numbered as in events.
    pub tree: &'a Tree,
    /// The same nodes.
    pub halves: &'a Halves,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// One walk down a pool's tree. The original recurses; a tree can be as deep as there are buffers,
/// hence the path.
pub struct Search<'a> {
    pools: Lookup<'a>,
    group: &'a Group,
    /// Whether every node asked is reported.
    detail: bool,
    events: Vec<Event>,
    /// What [`Search::is_parallel`] found so far.
    parallel: HashMap<TreeNodeId, bool>,
}

/// What a temporal node makes of a block.
struct Answer {
    /// As long as the child asked, if there is one, has not taken the block.
    verdict: Verdict,
    /// Children that overlap the block in time.
    overlaps: u32,
    /// The one child that it is handed to.
    child: Option<Child>,
}

impl<'a> Search<'a> {
    /// Returns a search for a place of `group`.
    pub fn new(pools: Lookup<'a>, group: &'a Group, detail: bool) -> Self {
        Search { pools, group, detail, events: Vec::new(), parallel: HashMap::new() }
    }

    /// Returns true if a temporal node takes the block, with the events of the walk. `path` becomes
    /// the way from the root of the pool to that node.
    pub fn run(mut self, pool: usize, last: bool, path: &mut Vec<Descent>) -> (bool, Vec<Event>) {
        let halves = self.pools.halves;
        path.clear();
        let (mut node, mut last) = (&halves.roots[pool], last);
        loop {
            let Answer { verdict, overlaps, child } = self.temporal(node, last);
            let event = self.events.len();
            if self.detail {
                self.events.push(Event::AskTemporal {
                    verdict,
                    is_last: last,
                    node: node.node,
                    overlaps,
                    slot: node.slot,
                });
            }
            match child.map(Child::index) {
                None if matches!(verdict, Verdict::Exact | Verdict::Split | Verdict::Grow) => {
                    path.iter().for_each(|step| self.record_success(step));
                    return (true, self.events);
                }
                Some(Err(split)) => {
                    let halves = &halves.splits[split];
                    if self.detail {
                        let verdict = Verdict::Refused;
                        self.events.push(Event::AskSpatial { verdict, is_last: last, node: halves.node });
                    }
                    path.push(Descent { split, half: 0, last, event });
                    // Only a chain of upper halves may grow.
                    (node, last) = (&halves.halves[0], false);
                    continue;
                }
                // A leaf refuses.
                None | Some(Ok(_)) => {}
            }
            while path.last().is_some_and(|step| step.half == 1) {
                path.pop();
            }
            let Some(step) = path.last_mut() else { return (false, self.events) };
            step.half = 1;
            (node, last) = (&halves.splits[step.split].halves[1], step.last);
        }
    }

    fn record_success(&mut self, step: &Descent) {
        if !self.detail {
            return;
        }
        if let [Event::AskTemporal { verdict: handed, .. }, Event::AskSpatial { verdict, .. }, ..] =
            &mut self.events[step.event..]
        {
            *handed = Verdict::InChild;
            *verdict = if step.half == 0 { Verdict::Left } else { Verdict::Right };
        }
    }

    /// `TemporalSplit._allocate` up to the point where it accepts, refuses or hands on. When
    /// branches are kept parallel, a child with a buffer that no path of the graph orders against
    /// the block counts like one that overlaps it in time.
    fn temporal(&mut self, half: &Half, last: bool) -> Answer {
        let slot = half.slot;
        let too_big = self.group.size > slot && !last;
        if too_big && !self.detail {
            return Answer { verdict: Verdict::TooSmall, overlaps: 0, child: None };
        }
        let block = (self.group.begin, self.group.end);
        // Nobody reads how many there are without detail.
        let (overlaps, mut first) = if self.detail { half.turns.all_of(block) } else { half.turns.of(block) };
        let mut parallel = 0;
        if overlaps < 2 && self.pools.branches.is_on() {
            let met = first.map(|child| self.pools.halves.node_of(child));
            let tree = self.pools.tree;
            for &child in tree.nodes[half.node].children().iter().filter(|&&child| Some(child) != met) {
                if self.is_parallel(child) {
                    parallel += 1;
                    if overlaps + parallel == 2 {
                        break;
                    }
                    first = self.pools.halves.child_of(child);
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
        if self.detail && verdict == Verdict::Parallel {
            self.report_in_the_way(half.node);
        }
        let child = first.filter(|_| !too_big && overlaps + parallel == 1);
        Answer { verdict, overlaps, child }
    }

    /// Reports the buffers below a node that may not share bytes with the block.
    fn report_in_the_way(&mut self, node: TreeNodeId) {
        let Lookup { tree, branches, .. } = self.pools;
        let leaf = |node| match tree.nodes[node] {
            TreeNode::Leaf { buffer } => Some(buffer),
            _ => None,
        };
        let below = tree.preorder(node).into_iter().filter_map(leaf);
        let mut emitted = Recorder::default();
        in_the_way(&mut emitted, below.filter(|&buffer| !branches.allow(buffer, self.group.buffer)));
        self.events.extend(emitted.events);
    }

    /// Whether something below a node may not share bytes with the block.
    fn is_parallel(&mut self, node: TreeNodeId) -> bool {
        let mut walked = Vec::new();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            let known = self.parallel.get(&next).copied();
            let refused = match &self.pools.tree.nodes[next] {
                _ if known.is_some() => known == Some(true),
                TreeNode::Leaf { buffer } => !self.pools.branches.allow(*buffer, self.group.buffer),
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
