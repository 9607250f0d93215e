//! The places a planner looked at for one buffer, with what was in the way, and the place it did
//! not see.

use super::run::Run;
use super::timeline::Moment;
use memplan_core::base::{PartedVec, align_up};
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_core::problem::{BufferId, Live};
use memplan_core::trace::{Event, Layout, Note, Region, TreeNode, TreeNodeId, Verdict};

/// What refused a candidate: one child of a tree node, as the buffers beneath it.
pub type Blocker = Vec<BufferId>;

/// A place looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Order of inspection, from 1; places not looked at come after all others.
    pub number: u32,
    /// Whether the planner looked at it at all: what lies outside its window or under another key,
    /// or comes after the one it took, is told only to be shown.
    pub visited: bool,
    /// The pool that it lies in.
    pub pool: PoolId,
    /// First byte, from the base of the pool.
    pub offset: u64,
    /// Bytes there; `u64::MAX` for the unbounded top of an arena.
    pub room: u64,
    /// What came of looking at it.
    pub verdict: Verdict,
    /// What overlaps in time there.
    pub blockers: Vec<Blocker>,
    /// The node of the allocation tree, if the planner has one.
    pub node: Option<TreeNodeId>,
    /// Whether the buffer went there.
    pub chosen: bool,
    /// A storage looked at as a whole.
    pub storage: bool,
}

/// A free legal place that the planner did not see although it let the arena grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The pool that it lies in.
    pub pool: PoolId,
    /// First byte, from the base of the pool.
    pub offset: u64,
}

/// Candidates reported by the events of a decision so far.
pub fn candidates(
    run: &Run,
    buffer: BufferId,
    before: &Moment,
    layouts: &[Layout],
    emitted: &[Event],
) -> Vec<Candidate> {
    let mut list = List {
        run,
        before,
        layouts,
        pool: 0,
        found: Vec::new(),
        waiting: Vec::new(),
        live: run.problem.buffers[buffer].live,
    };
    let place = emitted.iter().find_map(|event| match event {
        Event::Place { pool, offset, .. } => Some((*pool, *offset)),
        _ => None,
    });
    let size = run.problem.buffers[buffer].size;
    // Whether free blocks are reported after the pool that they lie in.
    let mut is_named = false;
    for event in emitted {
        match *event {
            Event::InTheWay { buffer } => {
                list.waiting.push(vec![buffer]);
                continue;
            }
            Event::Block { verdict, offset, room } => list.add(offset, room, verdict, Vec::new(), None),
            Event::AskPool { verdict, pool, .. } => {
                list.pool = pool;
                if matches!(verdict, Verdict::OutsideRestrictedRange | Verdict::SizeNotKnown) {
                    let end = before.pools.get(pool as usize).map_or(0, |pool| pool.end);
                    list.add(0, end, verdict, Vec::new(), None);
                }
            }
            Event::AskTemporal { verdict, node, slot, .. } => list.temporal(verdict, node, slot),
            Event::AskStorage { verdict, pool, size } => {
                list.pool = pool;
                list.add(0, size, verdict, Vec::new(), None);
                list.found.iter_mut().last().into_iter().for_each(|candidate| candidate.storage = true);
            }
            // A memory that refuses is a place looked at, as far as it is in use.
            Event::Note { note: Note::MemoryFull, subject: pool, .. } => {
                list.pool = pool;
                let end = before.pools.get(pool as usize).map_or(0, |pool| pool.end);
                list.add(0, end, Verdict::Full, Vec::new(), None);
            }
            Event::Note { note: Note::ChunkLook | Note::EndLook | Note::CacheLook, subject: pool, .. } => {
                list.pool = pool;
                is_named = true;
            }
            Event::AtEnd { pool } => {
                list.pool = pool;
                let end = align_up(before.pools.get(pool as usize).map_or(0, |pool| pool.end), run.align);
                list.add(end, size, Verdict::AtEnd, Vec::new(), None);
            }
            _ => {}
        }
        // A node that hands on is no candidate, whatever was in the way.
        list.waiting.clear();
    }
    let mut found = list.found;
    if looks_up(emitted) {
        number_visited(&mut found);
    }
    if let Some((pool, offset)) = place {
        if let Some(last) = found.last_mut().filter(|last| takes(last.verdict) && !last.storage) {
            last.chosen = true;
            // A block may begin below an aligned address, an emptied slot may be enlarged: show
            // where the buffer went.
            last.pool = PoolId(pool);
            if last.node.is_some() || last.room == u64::MAX {
                last.offset = offset;
            }
        }
        if let Some(chosen) = found.iter_mut().find(|candidate| candidate.verdict == Verdict::Chosen) {
            chosen.pool = PoolId(pool);
            chosen.chosen = true;
        }
    }
    if let Some(pool) = place.map(|place| place.0).filter(|_| !is_named) {
        // A free list reports its blocks before it names the pool.
        found
            .iter_mut()
            .filter(|candidate| candidate.node.is_none() && !candidate.storage && layouts.is_empty())
            .filter(|candidate| candidate.verdict != Verdict::Full)
            .for_each(|candidate| candidate.pool = PoolId(pool));
    }
    found
}

/// Whether the planner looks free storages up, by a window of sizes or by a key, and stops at the
/// first that will do.
fn looks_up(emitted: &[Event]) -> bool {
    // Of textures every free one is looked at.
    if emitted.iter().any(|event| matches!(event, Event::Note { note: Note::TextureRequest, .. })) {
        return false;
    }
    emitted.iter().any(|event| {
        matches!(
            event,
            Event::Note { note: Note::Window | Note::ClassSearch | Note::CacheRequest, .. }
                | Event::AskStorage { verdict: Verdict::OtherKey, .. }
        )
    })
}

/// Whether a planner that looks storages up sees one; `taken`: it has taken one before.
pub fn is_visited(verdict: Verdict, taken: bool) -> bool {
    let outside = [Verdict::Fits, Verdict::BelowRange, Verdict::AboveRange, Verdict::OtherKey, Verdict::BelowClass];
    !taken && !outside.contains(&verdict)
}

/// Numbers what was looked at in order, and the rest after it.
fn number_visited(found: &mut [Candidate]) {
    let mut taken = false;
    for candidate in found.iter_mut() {
        candidate.visited = is_visited(candidate.verdict, taken);
        taken |= candidate.verdict == Verdict::Chosen;
    }
    let (mut next, mut after) = (1, 1 + found.iter().filter(|candidate| candidate.visited).count() as u32);
    for candidate in found {
        let number = if candidate.visited { &mut next } else { &mut after };
        candidate.number = *number;
        *number += 1;
    }
}

fn takes(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Exact | Verdict::Split | Verdict::Grow | Verdict::AtEnd | Verdict::Chosen)
}

struct List<'a> {
    run: &'a Run,
    before: &'a Moment,
    layouts: &'a [Layout],
    pool: u32,
    found: Vec<Candidate>,
    /// Told to be in the way at the next place.
    waiting: Vec<Blocker>,
    live: Live,
}

impl List<'_> {
    fn add(&mut self, offset: u64, room: u64, verdict: Verdict, mut blockers: Vec<Blocker>, node: Option<TreeNodeId>) {
        blockers.append(&mut self.waiting);
        let number = self.found.len() as u32 + 1;
        self.found.push(Candidate {
            number,
            visited: true,
            pool: PoolId(self.pool),
            offset,
            room,
            verdict,
            blockers,
            node,
            chosen: false,
            storage: false,
        });
    }

    /// A temporal node is a candidate if the search ended at it: handing on to a child is no end.
    fn temporal(&mut self, verdict: Verdict, node: TreeNodeId, slot: u64) {
        let Some(region) = self.region(node) else { return };
        let overlapping = self.overlapping_children(node);
        let blockers = match verdict {
            Verdict::ManyOverlaps => overlapping.iter().map(|&child| self.buffers_below(child)).collect(),
            Verdict::ChildRefused => match overlapping.as_slice() {
                [child] => match self.before.tree.nodes[*child] {
                    TreeNode::Leaf { buffer } => vec![vec![buffer]],
                    // A spatial child was asked itself; its halves show why it refused.
                    _ => return,
                },
                _ => return,
            },
            Verdict::InChild => return,
            _ => Vec::new(),
        };
        let room = if region.bytes > 0 && !matches!(verdict, Verdict::TooSmall) { region.bytes.max(1) } else { slot };
        let room = if matches!(verdict, Verdict::Exact | Verdict::Split | Verdict::Grow) { slot } else { room };
        self.add(region.offset, room, verdict, blockers, Some(node));
    }

    fn region(&self, node: TreeNodeId) -> Option<Region> {
        self.layouts.get(self.pool as usize)?.regions.iter().find(|region| region.node == node).copied()
    }

    fn overlapping_children(&self, node: TreeNodeId) -> Vec<TreeNodeId> {
        match &self.before.tree.nodes[node] {
            TreeNode::Temporal { children } => {
                children.iter().copied().filter(|&child| !self.buffers_below(child).is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Buffers below a node that are alive together with the one being placed.
    fn buffers_below(&self, node: TreeNodeId) -> Blocker {
        let nodes = self.before.tree.preorder(node);
        let leaf = |node: TreeNodeId| match self.before.tree.nodes[node] {
            TreeNode::Leaf { buffer } => Some(buffer),
            _ => None,
        };
        let meets = |buffer: &BufferId| self.run.problem.buffers[*buffer].live.meets(self.live);
        nodes.into_iter().filter_map(leaf).filter(meets).collect()
    }
}

/// The steps in which a buffer and those that take over its bytes, one after the other, need their
/// place.
fn chain_life(run: &Run, buffer: BufferId) -> Live {
    let mut chain = vec![buffer];
    let mut life = run.problem.buffers[buffer].live;
    // Donors come before their takers.
    for &(acceptor, donor) in &run.plan.shared {
        if chain.contains(&donor) {
            chain.push(acceptor);
            life.end = life.end.max(run.problem.buffers[acceptor].live.end);
        }
    }
    life
}

/// The lowest aligned place below the old end of some pool that no buffer alive at the same time
/// uses, if it is not the place that was chosen.
pub fn missed(
    run: &Run,
    buffer: BufferId,
    before: &Moment,
    places: &PartedVec<BufferId, Option<Place>>,
    after: &PartedVec<BufferId, Option<Place>>,
) -> Option<Missed> {
    let wanted = &run.problem.buffers[buffer];
    if wanted.size == 0 {
        return None;
    }
    let chosen = after[buffer]?;
    let needed = chain_life(run, buffer);
    for (index, pool) in before.pools.iter().enumerate() {
        let id = PoolId(index as u32);
        // A storage is taken whole or not at all, and every free one is among the candidates.
        if run.plan.pools.get(id).is_some_and(|pool| pool.role == PoolRole::Storage) {
            continue;
        }
        // Pools of another device are not open to this buffer, and of arenas only its own is.
        let device = |pool: PoolId| run.plan.pools.get(pool).map(|pool| &pool.device);
        let arena = run.plan.pools.get(chosen.pool).is_some_and(|pool| pool.role == PoolRole::Arena);
        if device(id) != device(chosen.pool) || (arena && id != chosen.pool) {
            continue;
        }
        let in_the_way = |(other, place): (BufferId, &Option<Place>)| {
            let there = &run.problem.buffers[other];
            let is_apart = there.live.meets(needed) || run.are_beside(other, buffer);
            let place = place.filter(|place| place.pool == id && is_apart && there.size > 0)?;
            Some((place.offset, place.offset + there.size))
        };
        let mut taken: Vec<(u64, u64)> = places.enumerate().filter_map(in_the_way).collect();
        taken.sort();
        let mut offset = 0;
        for (from, to) in taken {
            if offset + wanted.size <= from {
                break;
            }
            offset = offset.max(align_up(to, run.align));
        }
        let is_chosen = chosen.pool == id && chosen.offset == offset;
        if offset + wanted.size <= pool.end && !is_chosen {
            return Some(Missed { pool: id, offset });
        }
    }
    None
}
