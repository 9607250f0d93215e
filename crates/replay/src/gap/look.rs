//! What was free when a buffer went to the top: pieces below the top of its pool, other pools, and
//! storages.

use super::{Blocker, Case, Growth, Reason};
use crate::Run;
use crate::frame::resolve;
use crate::held::{Range, holder};
use crate::timeline::Moment;
use memplan_core::base::{Id, PartedVec, align_up};
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Outcome, StatePanel};

/// Most buffers listed as in the way.
pub const MOST_BLOCKERS: usize = 32;

/// Bytes of a pool that nothing alive at the same time uses, and what does.
struct Pieces {
    /// Free ranges `[from, to)` below the top, by address.
    free: Vec<(u64, u64)>,
    /// Used ranges by address, with their buffers.
    used: Used,
}

/// Used ranges of a pool, with their buffers.
type Used = Vec<(u64, u64, BufferId)>;

impl Pieces {
    /// What the used ranges leave free below the top of a pool.
    fn new(mut used: Used, top: u64) -> Pieces {
        used.sort();
        let mut free = Vec::new();
        let mut cursor = 0;
        for &(from, to, _) in &used {
            if cursor < from.min(top) {
                free.push((cursor, from.min(top)));
            }
            cursor = cursor.max(to);
        }
        if cursor < top {
            free.push((cursor, top));
        }
        Pieces { free, used }
    }

    /// The same with the bytes that the planner counts for each size.
    fn as_counted(&self, run: &Run, top: u64) -> Pieces {
        let counted = |&(from, to, buffer): &(u64, u64, BufferId)| (from, from + run.counted_size(to - from), buffer);
        Pieces::new(self.used.iter().map(counted).collect(), top)
    }

    fn bytes(&self) -> u64 {
        self.free.iter().map(|(from, to)| to - from).sum()
    }

    /// The two largest free ranges, the lower one first; the lowest of equal ones.
    fn two_largest(&self) -> ((u64, u64), (u64, u64)) {
        let mut sorted = self.free.clone();
        sorted.sort_by_key(|&(from, to)| (u64::MAX - (to - from), from));
        let first = sorted.first().copied().unwrap_or_default();
        let second = sorted.get(1).copied().unwrap_or((first.1, first.1));
        (first.min(second), first.max(second))
    }
}

/// Looks at the moment before a decision. `floor`: the peak before it, or the bound if that is
/// larger. The verdicts of the planner are not read here.
pub fn look(run: &Run, before: &Moment, floor: u64, growth: &Growth) -> Reason {
    let size_of = |buffer: BufferId| run.problem.buffers[buffer].size;
    let layouts = before.tree.layouts(run.align, size_of);
    // A plan that was read is shown in an order of its own: what comes later in it is in the way
    // all the same.
    let is_stated = growth.outcome == Outcome::Stated;
    let places = if is_stated { PartedVec::from(&run.plan.places) } else { resolve(before, &layouts) };
    // What a recorded allocator held at first was placed by nobody whom the run shows.
    if is_stated && run.has_panel(StatePanel::CachedBlocks) {
        return nothing_free(growth.pool, Case::Recorded);
    }
    let role = |pool: PoolId| run.plan.pools.get(pool).map_or(PoolRole::Arena, |pool| pool.role);
    if role(growth.pool) == PoolRole::Storage {
        in_storages(run, before, &places, growth)
    } else {
        in_arenas(run, before, &places, floor, growth)
    }
}

/// A case without anything free or in the way.
pub fn nothing_free(pool: PoolId, case: Case) -> Reason {
    Reason {
        case,
        storage: false,
        pool,
        hole: None,
        free: 0,
        rounded: false,
        pieces: 0,
        largest: (0, 0),
        blockers: Vec::new(),
        others: 0,
        parallel: false,
        overlaps: false,
        held: None,
        skipped: 0,
    }
}

/// What is used of each pool during the life of the buffer of a decision. All buffers are looked at
/// once.
fn used(run: &Run, before: &Moment, places: &PartedVec<BufferId, Option<Place>>, growth: &Growth) -> Vec<Used> {
    let wanted = &run.problem.buffers[growth.buffer];
    // What hands its bytes over is not in the way.
    let donor = run.plan.donor(growth.buffer);
    let mut used: Vec<Used> = vec![Vec::new(); run.plan.pools.len().max(before.pools.len())];
    for (other, place) in places.enumerate() {
        let there = &run.problem.buffers[other];
        let is_other = other != growth.buffer && Some(other) != donor;
        let is_apart = || there.live.meets(wanted.live) || run.are_beside(other, growth.buffer);
        let Some(place) = place.filter(|_| is_other && there.size > 0 && is_apart()) else { continue };
        if let Some(used) = used.get_mut(place.pool.index()) {
            used.push((place.offset, place.offset + there.size, other));
        }
    }
    used
}

fn in_arenas(
    run: &Run,
    before: &Moment,
    places: &PartedVec<BufferId, Option<Place>>,
    floor: u64,
    growth: &Growth,
) -> Reason {
    let size = run.problem.buffers[growth.buffer].size;
    let top = before.pools.get(growth.pool.0 as usize).map_or(0, |pool| pool.end);
    let mut used = used(run, before, places, growth);
    let plain = Pieces::new(used.get_mut(growth.pool.index()).map(std::mem::take).unwrap_or_default(), top);
    // What the planner counts as free: it may round sizes up.
    let own = plain.as_counted(run, top);
    let end = growth.offset + size;
    // A buffer that lies in a piece itself did not miss it: the pool grew for another reason.
    let lies_in = |&(from, to): &(u64, u64)| from <= growth.offset && end <= to;
    let counted = run.counted_size(size);
    let holds = |&&(from, to): &&(u64, u64)| align_up(from, run.align).saturating_add(counted) <= to;
    let hole = own.free.iter().filter(|piece| !lies_in(piece)).find(holds).copied();
    let enough = plain.free.iter().any(|(from, to)| to - from >= size);
    let (lower, mut upper) = own.two_largest();
    if own.free.len() == 1 {
        upper = (top, top);
    }
    let mut reason = Reason {
        hole,
        free: own.bytes(),
        rounded: own.bytes() != plain.bytes(),
        pieces: own.free.len() as u32,
        largest: (lower.1 - lower.0, upper.1 - upper.0),
        ..nothing_free(growth.pool, Case::Full)
    };
    // Where the buffer would end on the one below it, without rounding.
    let below = plain.used.iter().filter(|(_, to, _)| *to <= growth.offset).map(|(_, to, _)| *to).max().unwrap_or(0);
    let rounded = below < growth.offset && below + size <= top;
    // Where each buffer keeps to its own alignment, that alone may leave bytes free.
    let (keeps_own, own_align) = (run.granule() < run.align, run.problem.buffers[growth.buffer].align.max(1));
    // In one piece at the top they would spare what the decision adds, even if the buffer is
    // larger. Where sizes are rounded up to classes, more may be added than the pieces hold.
    let spared = before.peak().saturating_add(size).saturating_sub(reason.free) <= floor;
    let suffices = spared && reason.free >= growth.adds;
    let is_apart = reason.free > 0 && lower.1 < top;
    if let Some((from, to)) = hole {
        reason.case = Case::Missed;
        let range = Range { pool: growth.pool, from, to };
        let live = run.problem.buffers[growth.buffer].live;
        reason.held = holder(run, (&before.places, &before.released), range, live);
    } else if !enough && is_apart && suffices {
        reason.case = Case::Cut;
        let between = |&&(from, to, _): &&(u64, u64, BufferId)| lower.1 <= from && to <= upper.0;
        reason.set_blockers(plain.used.iter().filter(between));
    } else if let Some((pool, pieces)) = other_pool(run, before, used, growth) {
        reason.case = Case::Pool;
        reason.pool = pool;
        reason.free = pieces.bytes();
        reason.pieces = pieces.free.len() as u32;
        reason.hole = pieces.free.iter().find(holds).copied();
        let (lower, upper) = pieces.two_largest();
        reason.largest = (lower.1 - lower.0, upper.1 - upper.0);
    } else if rounded || enough {
        reason.case = Case::Rounding;
    } else if keeps_own && align_up(below, own_align) == growth.offset && below < growth.offset {
        reason.case = Case::Rounding;
        reason.skipped = growth.offset - below;
    } else {
        let mut used = plain.used;
        used.sort_by_key(|&(from, to, id)| (u64::MAX - (to - from), id));
        reason.set_blockers(used.iter());
    }
    reason
}

/// The pool of the same device with the most free bytes during the life, if they are enough.
fn other_pool(run: &Run, before: &Moment, used: Vec<Used>, growth: &Growth) -> Option<(PoolId, Pieces)> {
    let size = run.problem.buffers[growth.buffer].size;
    let device = |pool: PoolId| run.plan.pools.get(pool).map(|pool| &pool.device);
    let others = before.pools.iter().zip(used).enumerate().filter_map(|(index, (pool, used))| {
        let id = PoolId::from_index(index);
        let is_open = id != growth.pool && device(id) == device(growth.pool);
        is_open.then(|| (id, Pieces::new(used, pool.end)))
    });
    let fitting = others.filter(|(_, pieces)| pieces.bytes() >= size && size > 0);
    fitting.max_by_key(|(id, pieces)| (pieces.bytes(), u32::MAX - id.0))
}

fn in_storages(run: &Run, before: &Moment, places: &PartedVec<BufferId, Option<Place>>, growth: &Growth) -> Reason {
    let wanted = &run.problem.buffers[growth.buffer];
    let device = |pool: PoolId| run.plan.pools.get(pool).map(|pool| &pool.device);
    let mut taken = vec![false; before.pools.len()];
    let mut used = Vec::new();
    for (other, place) in places.enumerate() {
        let there = &run.problem.buffers[other];
        let Some(place) = place.filter(|_| other != growth.buffer && there.live.meets(wanted.live)) else { continue };
        if run.plan.donor(growth.buffer) == Some(other) || there.size == 0 {
            continue;
        }
        taken.get_mut(place.pool.0 as usize).into_iter().for_each(|taken| *taken = true);
        used.push((place.offset, place.offset + there.size, other));
    }
    let free = before.pools.iter().enumerate().filter(|(index, _)| !taken[*index]);
    let free = free.map(|(index, pool)| (PoolId(index as u32), pool.end));
    let mut free: Vec<(PoolId, u64)> =
        free.filter(|(id, end)| *end > 0 && device(*id) == device(growth.pool)).collect();
    free.sort_by_key(|&(id, end)| (u64::MAX - end, id));
    // Of those that would have done, the one closest in size.
    let found = free.iter().rev().find(|(id, end)| *end >= wanted.size && *id != growth.pool);
    let bytes = free.iter().map(|(_, end)| end).sum();
    let largest = |index: usize| free.get(index).map_or(0, |(_, end)| *end);
    let mut reason = Reason {
        storage: true,
        hole: found.map(|(_, end)| (0, *end)),
        free: bytes,
        pieces: free.len() as u32,
        largest: (largest(0), largest(1)),
        ..nothing_free(found.map_or(growth.pool, |(id, _)| *id), Case::Full)
    };
    if found.is_some() {
        reason.case = Case::Missed;
    } else if bytes >= wanted.size && free.len() > 1 {
        reason.case = Case::Cut;
    } else {
        used.sort_by_key(|&(from, to, id)| (u64::MAX - (to - from), id));
        reason.set_blockers(used.iter());
    }
    reason
}

impl Reason {
    fn set_blockers<'a>(&mut self, used: impl Iterator<Item = &'a (u64, u64, BufferId)>) {
        let mut blockers: Vec<Blocker> =
            used.map(|&(from, to, buffer)| Blocker { buffer, decision: None, from, to }).collect();
        self.others = blockers.len().saturating_sub(MOST_BLOCKERS) as u32;
        blockers.truncate(MOST_BLOCKERS);
        self.blockers = blockers;
    }
}
