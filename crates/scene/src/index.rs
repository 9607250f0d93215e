//! Facts of a run that all its pictures need, computed once: heights of the bands, loads, and which
//! buffers are alive when.

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::OnceLock;

use super::cache::{CacheLoad, HeldPart, cache_load, held};
use super::{label, rows};
use memplan_core::base::{Id, IdVec, Names};
use memplan_core::plan::{PoolId, PoolRole};
use memplan_core::problem::{Buffer, BufferId, Load, Problem};
use memplan_core::trace::Event;
use memplan_replay::{Frame, Run};

/// Buffers in one block of the index: blocks that end before a window are skipped as a whole.
const BLOCK: usize = 64;

/// Facts of a run that stay the same over all frames and views.
#[derive(Clone, Debug)]
pub struct Index {
    steps: u32,
    pools: Vec<PoolFacts>,
    cache: Option<CacheLoad>,
    total: Load,
    /// Buffers by start of life.
    by_start: Vec<BufferId>,
    /// Start of each block in `by_start`, and the largest end within it.
    blocks: Vec<(u32, u32)>,
    largest: u64,
    longest: u32,
    buffers: usize,
    /// Rows of boxes that the waiting buffers of a short run take at most; 0 for a long run.
    lane_rows: usize,
    op_classes: IdVec<BufferId, u8>,
    /// The most frequent operations, one a class.
    frequent: Vec<String>,
    ops: Vec<u32>,
    /// Name of each operation.
    op_names: Vec<String>,
    /// Width of the longest of them at a font size of 1.
    widest_op: f64,
    reuse_depth: OnceLock<IdVec<BufferId, u32>>,
    /// Buffers that do not fit together into a capacity that was asked for.
    conflict: Rc<Vec<BufferId>>,
    /// Buffers that a list beside the plan points out.
    outlined: Rc<Vec<BufferId>>,
    kept: LastPicture,
}

/// What one picture leaves for the next one; a copy begins without it.
#[derive(Default)]
struct LastPicture(RefCell<Option<Box<dyn Any>>>);

impl Clone for LastPicture {
    fn clone(&self) -> LastPicture {
        LastPicture::default()
    }
}

impl fmt::Debug for LastPicture {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("LastPicture")
    }
}

/// One pool over the whole run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolFacts {
    /// The pool.
    pub id: PoolId,
    /// What the pool may do.
    pub role: PoolRole,
    /// The device that the pool lies on.
    pub device: String,
    /// Largest end address of any frame: the height of the band.
    pub extent: u64,
    /// Largest end address of the final plan.
    pub end: u64,
    /// Bytes of the pool's own buffers that are alive, over time.
    pub load: Load,
    /// Largest load of the pool's own buffers.
    pub bound: u64,
    /// Number of buffers that the final plan puts there.
    pub buffers: usize,
    /// What an allocator obtained of the device and gave back; empty for planners that do not.
    pub held: Vec<HeldPart>,
}

impl PoolFacts {
    /// Bytes of the pool that are held after so many events.
    pub fn held_at(&self, events: u32) -> u64 {
        let is_held = |part: &&HeldPart| part.events.0 < events && events <= part.events.1;
        self.held.iter().filter(is_held).map(|part| part.to - part.from).sum()
    }
}

impl Index {
    /// Indexes a run.
    pub fn new(run: &Run) -> Index {
        let problem = &run.problem;
        let mut by_start: Vec<BufferId> =
            problem.buffers.ids().filter(|&id| !problem.buffers[id].live.is_empty()).collect();
        by_start.sort_by_key(|&id| problem.buffers[id].live.start);
        let live = |id: &BufferId| problem.buffers[*id].live;
        let total = Load::of(problem, problem.buffers.ids());
        let block = |ids: &[BufferId]| (live(&ids[0]).start, ids.iter().map(|id| live(id).end).max().unwrap_or(0));
        let held = held(run);
        Index {
            steps: problem.steps.max(1),
            cache: cache_load(run, &held),
            pools: pools(run, &total, held),
            total,
            blocks: by_start.chunks(BLOCK).map(block).collect(),
            by_start,
            largest: problem.buffers.iter().map(|buffer| buffer.size).max().unwrap_or(0),
            longest: problem.buffers.iter().map(|buffer| buffer.live.len()).max().unwrap_or(0),
            buffers: problem.buffers.len(),
            lane_rows: rows::rows_of(run),
            op_classes: IdVec::from_elem(0, problem.buffers.len()),
            frequent: Vec::new(),
            ops: Vec::new(),
            op_names: Vec::new(),
            widest_op: 0.0,
            reuse_depth: OnceLock::new(),
            conflict: Rc::default(),
            outlined: Rc::default(),
            kept: LastPicture::default(),
        }
    }

    /// Returns all facts of a run: those of its buffers, and the operations of its graph if it has
    /// one.
    pub fn of(run: &Run) -> Index {
        let index = Index::new(run);
        match &run.graph {
            Some(graph) => {
                let own = graph.nodes.iter().map(|node| node.op.strip_prefix("memplan.").unwrap_or(&node.op));
                index.with_ops(&run.problem, own)
            }
            None => index,
        }
    }

    /// Marks buffers that do not fit together into a capacity that was asked for.
    #[must_use]
    pub fn with_conflict(self, conflict: Rc<Vec<BufferId>>) -> Index {
        Index { conflict, ..self }
    }

    /// Outlines buffers that a list beside the plan points out.
    #[must_use]
    pub fn with_outlined(self, outlined: Rc<Vec<BufferId>>) -> Index {
        Index { outlined, ..self }
    }

    /// Buffers that a list beside the plan points out.
    pub fn outlined(&self) -> &[BufferId] {
        &self.outlined
    }

    /// The same with boxes for waiting buffers however many there are: for those in so many rows
    /// ([`super::waiting_rows`]).
    #[must_use]
    pub fn with_lane_rows(self, lane_rows: usize) -> Index {
        Index { lane_rows, ..self }
    }

    /// Buffers that do not fit together into a capacity that was asked for.
    pub fn conflict(&self) -> &[BufferId] {
        &self.conflict
    }

    /// Adds the operation of each step, for names under the axis and for colouring by operation.
    #[must_use]
    pub fn with_ops<'op>(mut self, problem: &Problem, ops: impl IntoIterator<Item = &'op str>) -> Index {
        // Number and frequency of each operation by name: there are few, however many steps.
        let mut known: Names<&str, u32> = Names::default();
        let mut ranked: Vec<(&str, u32, usize)> = Vec::new();
        // The last operation of each length: most nodes find theirs there.
        let mut recent: [(&str, u32); 32] = [("", u32::MAX); 32];
        let number = |op: &'op str| {
            let last = &mut recent[op.len() % 32];
            if last.0 != op || last.1 == u32::MAX {
                let number = *known.entry(op).or_insert_with(|| {
                    ranked.push((op, ranked.len() as u32, 0));
                    ranked.len() as u32 - 1
                });
                *last = (op, number);
            }
            ranked[last.1 as usize].2 += 1;
            last.1
        };
        self.ops = ops.into_iter().map(number).collect();
        self.op_names = ranked.iter().map(|(op, ..)| op.to_string()).collect();
        self.widest_op = ranked.iter().map(|(op, ..)| label::width(op, 1.0, false)).fold(0.0, f64::max);
        ranked.sort_by_key(|&(op, _, count)| (std::cmp::Reverse(count), op));
        ranked.truncate(OTHER_OPS as usize);
        let mut classes = vec![OTHER_OPS; self.op_names.len()];
        (0..).zip(&ranked).for_each(|(rank, &(_, number, _))| classes[number as usize] = rank);
        let class = |buffer: &Buffer| {
            self.ops.get(buffer.live.start as usize).map_or(OTHER_OPS, |&number| classes[number as usize])
        };
        self.op_classes = problem.buffers.iter().map(class).collect();
        self.frequent = ranked.iter().map(|(op, ..)| op.to_string()).collect();
        self
    }

    /// The same with another name under each step of the axis: that of its node, where the text
    /// beside the plan speaks of nodes.
    #[must_use]
    pub fn with_step_names<'name>(mut self, names: impl IntoIterator<Item = &'name str>) -> Index {
        self.op_names = names.into_iter().map(str::to_string).collect();
        self.ops = (0..self.op_names.len() as u32).collect();
        self.widest_op = self.op_names.iter().map(|name| label::width(name, 1.0, false)).fold(0.0, f64::max);
        self
    }

    /// Whether everything of a frame lies inside the bands.
    pub fn has_room(&self, frame: &Frame) -> bool {
        frame.pools.iter().all(|pool| self.pools.get(pool.id.index()).is_none_or(|facts| pool.end <= facts.extent))
    }

    /// Makes the bands high enough for a frame that is none of the run's own.
    #[must_use]
    pub fn with_room(mut self, frame: &Frame) -> Index {
        for pool in &frame.pools {
            if let Some(facts) = self.pools.get_mut(pool.id.index()) {
                facts.extent = facts.extent.max(pool.end);
            }
        }
        self
    }

    /// Makes the first band at least as high as an address that a buffer may reach.
    #[must_use]
    pub fn with_height(mut self, bytes: u64) -> Index {
        if let Some(facts) = self.pools.first_mut() {
            facts.extent = facts.extent.max(bytes);
        }
        self
    }

    /// Draws a run of which only a part is known: bands as high as asked for, in order of pools,
    /// and where a memory has one arena the load and the bound of all that is to be placed in it.
    #[must_use]
    pub fn so_far(mut self, problem: &Problem, heights: &[u64]) -> Index {
        let has_one = self.pools.len() == 1 && problem.memories.len() == 1;
        for (facts, &height) in self.pools.iter_mut().zip(heights) {
            facts.extent = height;
            if has_one && facts.role != PoolRole::Storage {
                facts.load = self.total.clone();
                facts.bound = facts.load.max();
            }
        }
        self
    }

    /// Number of execution steps, at least 1.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the facts of each pool, in order of pools.
    pub fn pools(&self) -> &[PoolFacts] {
        &self.pools
    }

    /// Bytes of an allocator over time; none for a planner that keeps no cache.
    pub fn cache(&self) -> Option<&CacheLoad> {
        self.cache.as_ref()
    }

    /// Load of all buffers asked for, over all memories.
    pub fn total(&self) -> &Load {
        &self.total
    }

    /// The operation of a step, if a graph is known.
    pub fn op(&self, step: u32) -> Option<&str> {
        self.ops.get(step as usize).map(|&number| self.op_names[number as usize].as_str())
    }

    /// Whether operations tell steps apart: one that all steps share says nothing.
    pub(super) fn has_ops(&self) -> bool {
        self.op_names.len() > 1
    }

    /// Width of the longest name of an operation at a font size of 1.
    pub(super) fn widest_op(&self) -> f64 {
        self.widest_op
    }

    /// The operation of a class; nothing for the class of all others.
    pub(super) fn op_of_class(&self, class: u8) -> Option<&str> {
        self.frequent.get(class as usize).map(String::as_str)
    }

    pub(super) fn op_class(&self, buffer: BufferId) -> u8 {
        self.op_classes[buffer]
    }

    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    pub(super) fn longest(&self) -> u32 {
        self.longest
    }

    /// Rows of boxes that waiting buffers take at most; 0 where they are bars.
    pub(super) fn lane_rows(&self) -> usize {
        self.lane_rows
    }

    /// Number of buffers in the problem.
    pub fn buffers(&self) -> usize {
        self.buffers
    }

    /// Calls `found` for every buffer alive at some step of `from..to`, in order of birth.
    pub fn alive(&self, problem: &Problem, from: u32, to: u32, mut found: impl FnMut(BufferId)) {
        let blocks = self.blocks.partition_point(|&(start, _)| start < to);
        for (block, ids) in self.blocks[..blocks].iter().zip(self.by_start.chunks(BLOCK)) {
            if block.1 <= from {
                continue;
            }
            for &id in ids {
                let live = problem.buffers[id].live;
                if live.start < to && from < live.end {
                    found(id);
                }
            }
        }
    }

    /// What the last picture of a very large run sorted and added up. Only the drawing of crowds
    /// knows its type, since it draws by this index.
    pub(super) fn kept(&self) -> RefMut<'_, Option<Box<dyn Any>>> {
        self.kept.0.borrow_mut()
    }

    /// How many buffers used some of these bytes before.
    pub(super) fn reuse_depth(&self, run: &Run, buffer: BufferId) -> u32 {
        self.reuse_depth.get_or_init(|| reuse_depths(run, &self.by_start))[buffer]
    }
}

/// The class of operations beyond the seven most frequent ones.
const OTHER_OPS: u8 = 7;

fn pools(run: &Run, total: &Load, mut held: Vec<Vec<HeldPart>>) -> Vec<PoolFacts> {
    let mut members: Vec<Vec<BufferId>> = vec![Vec::new(); run.plan.pools.len()];
    let mut ends = vec![0u64; run.plan.pools.len()];
    for (id, place) in run.plan.places.enumerate() {
        if let Some(place) = place.filter(|place| place.pool.index() < members.len()) {
            members[place.pool.index()].push(id);
            let end = &mut ends[place.pool.index()];
            *end = (*end).max(place.offset.saturating_add(run.problem.buffers[id].size));
        }
    }
    let mut extents = ends.clone();
    for event in &run.timeline.events {
        if let Event::Grow { pool, to, .. } = *event
            && let Some(extent) = extents.get_mut(pool as usize)
        {
            *extent = (*extent).max(to);
        }
    }
    let mut facts = |(index, pool): (usize, &memplan_core::plan::Pool)| {
        let held = std::mem::take(&mut held[index]);
        let obtained = held.iter().map(|part| part.to).max().unwrap_or(0);
        let load = if pool.role == PoolRole::Figure {
            // A figure has no places: its load is that of the memory it stands for.
            let of_memory = |id: &BufferId| run.problem.buffers[*id].memory.index() == index;
            Load::of(&run.problem, run.problem.buffers.ids().filter(of_memory))
        } else if members[index].len() == run.problem.buffers.len() {
            total.clone()
        } else {
            Load::of(&run.problem, members[index].iter().copied())
        };
        let figure = if pool.role == PoolRole::Figure { pool.size } else { 0 };
        let storage = if pool.role == PoolRole::Storage { pool.size } else { 0 };
        PoolFacts {
            id: PoolId(index as u32),
            role: pool.role,
            device: pool.device.clone(),
            extent: extents[index].max(figure).max(storage).max(obtained),
            end: ends[index].max(figure).max(storage),
            bound: load.max(),
            buffers: members[index].len(),
            load,
            held,
        }
    };
    run.plan.pools.iter().enumerate().map(&mut facts).collect()
}

/// A sweep over starts that keeps, for each stretch of addresses, how many buffers have used it.
fn reuse_depths(run: &Run, by_start: &[BufferId]) -> IdVec<BufferId, u32> {
    let mut depths = IdVec::from_elem(0, run.problem.buffers.len());
    let mut used: BTreeMap<PoolId, BTreeMap<u64, u64>> = BTreeMap::new();
    for &id in by_start {
        let (Some(place), size) = (run.plan.places[id], run.problem.buffers[id].size) else { continue };
        if size == 0 {
            continue;
        }
        let counts = used.entry(place.pool).or_insert([(0, 0)].into_iter().collect());
        for edge in [place.offset, place.offset + size] {
            let below = counts.range(..=edge).next_back().map_or(0, |(_, &count)| count);
            counts.entry(edge).or_insert(below);
        }
        let mut deepest = 0;
        for (_, count) in counts.range_mut(place.offset..place.offset + size) {
            deepest = deepest.max(*count);
            *count += 1;
        }
        depths[id] = deepest as u32;
    }
    depths
}
