//! Legal places of a buffer at a frame: the gaps that its live range leaves, and the top.
//!
//! The five buffers of [`memplan_core::problem`] by first fit, before `d` (1 KiB, live [2, 3)) is
//! placed:
//!
//! ```text
//!  KiB
//!    6 |   .   .   ?   .   .   .   2. the top: the arena grows by 1 KiB
//!    5 |   .   .   c   c   .   .
//!    4 |   .   .   c   c   .   .
//!    3 |   .   .   c   c   .   .
//!    2 |   .   b   b   b   .   .
//!    1 |   a   a   .   .   .   .
//!    0 |   a   a   ?   .   .   .   1. the gap below b, of 2 KiB
//!      +------------------------
//! step    0   1   2   3   4   5
//! ```
//!
//! What is in the way depends on live ranges alone. So a planner may refuse a place of this list:
//! that is what there is to learn about it.

use memplan_core::base::align_up;
use memplan_core::plan::{PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_replay::panel::{ArenaObject, arena_objects};
use memplan_replay::{Frame, PoolView, Run};

/// What a place is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Between buffers that are alive at the same time, or between one and offset 0.
    Gap,
    /// A shared object inside an arena, as a whole.
    Object,
    /// Above all buffers that are alive at the same time, but not above all others.
    Above,
    /// Above everything in the arena.
    Top,
    /// A new arena.
    NewArena,
    /// A storage that is free, as it is.
    Storage,
    /// A storage that is free and has to be enlarged.
    Enlarged,
    /// A new storage.
    NewStorage,
}

/// A legal place of a buffer. Sizes and addresses in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The pool; of a new one, the number that it would get.
    pub pool: PoolId,
    /// The lowest address of the place, from the base of the pool.
    pub offset: u64,
    /// Bytes from there up to what is in the way; `u64::MAX` if nothing is.
    pub room: u64,
    /// By how much the peak rises.
    pub grows_by: u64,
    /// What it is.
    pub kind: Kind,
}

impl Place {
    /// The place as a plan has it.
    pub fn spot(&self) -> memplan_core::plan::Place {
        memplan_core::plan::Place { pool: self.pool, offset: self.offset }
    }
}

/// The legal places of a buffer at a frame in which it is not placed: by pool and address, those
/// that need a new pool last. A buffer without bytes has none.
pub fn places(run: &Run, frame: &Frame, buffer: BufferId) -> Vec<Place> {
    let size = run.problem.buffers[buffer].size;
    if size == 0 {
        return Vec::new();
    }
    let open = open_pools(run, frame, buffer);
    let uses_storages = frame.pools.iter().any(|pool| pool.role == PoolRole::Storage)
        || run.plan.pools.iter().next().is_some_and(|pool| pool.role == PoolRole::Storage);
    let new_pool =
        |kind: Kind| Place { pool: PoolId(frame.pools.len() as u32), offset: 0, room: u64::MAX, grows_by: size, kind };
    let mut found = Vec::new();
    if uses_storages {
        found.extend(open.iter().filter_map(|pool| storage(run, frame, buffer, pool)));
        found.push(new_pool(Kind::NewStorage));
        return found;
    }
    for pool in &open {
        arena(run, frame, buffer, pool, &mut found);
    }
    if !open.iter().any(|pool| grows(frame, pool)) {
        found.push(new_pool(Kind::NewArena));
    }
    found
}

/// The place of a list in which a buffer really lies, where the peak rose by `grew`; none if the
/// planner took a place that is not in the list.
pub fn realised(places: &[Place], lies: memplan_core::plan::Place, size: u64, grew: u64) -> Option<usize> {
    let fits = |place: &Place| place.pool == lies.pool && (place.grows_by > 0) == (grew > 0);
    let exact = |place: &Place| fits(place) && place.offset == lies.offset;
    let inside = |place: &Place| {
        let into = lies.offset.checked_sub(place.offset);
        fits(place) && into.is_some_and(|into| into.saturating_add(size) <= place.room)
    };
    // A place higher up in a gap is still that gap; of several that hold it, the one that begins
    // nearest below.
    places.iter().position(exact).or_else(|| places.iter().rposition(inside))
}

/// The pools that a buffer may go to: those of its own memory, of planners that count devices those
/// of its device.
pub(super) fn open_pools<'a>(run: &Run, frame: &'a Frame, buffer: BufferId) -> Vec<&'a PoolView> {
    let memory = run.problem.buffers[buffer].memory;
    let device = &run.problem.memories[memory].device;
    let is_open = |pool: &&PoolView| {
        let is_own = frame.state.pools.get(pool.id.0 as usize).is_some_and(|state| state.memory == memory.0);
        match pool.role {
            PoolRole::Figure => false,
            PoolRole::Storage => &pool.device == device,
            _ => is_own && &pool.device == device,
        }
    };
    frame.pools.iter().filter(is_open).collect()
}

pub(super) fn grows(frame: &Frame, pool: &PoolView) -> bool {
    frame.state.pools.get(pool.id.0 as usize).is_some_and(|state| state.growing)
}

/// What lies in a pool during the life of a buffer, as `(from, to)`. Bytes that may be taken over
/// are not in the way.
pub(super) fn in_the_way(run: &Run, frame: &Frame, buffer: BufferId, pool: PoolId) -> Vec<(u64, u64)> {
    let live = run.problem.buffers[buffer].live;
    let hands_over = |other: BufferId| {
        run.hands_over() && run.problem.inplace.iter().any(|permit| permit.output == buffer && permit.input == other)
    };
    let taken = |(other, place): (BufferId, &Option<memplan_core::plan::Place>)| {
        let there = &run.problem.buffers[other];
        let is_there = other != buffer && there.size > 0 && there.live.meets(live) && !hands_over(other);
        let place = place.filter(|place| is_there && place.pool == pool)?;
        Some((place.offset, place.offset + there.size))
    };
    let mut taken: Vec<(u64, u64)> = frame.places.enumerate().filter_map(taken).collect();
    taken.sort();
    taken
}

/// A storage, if nothing in it is alive at the same time.
fn storage(run: &Run, frame: &Frame, buffer: BufferId, pool: &PoolView) -> Option<Place> {
    let size = run.problem.buffers[buffer].size;
    let is_free = in_the_way(run, frame, buffer, pool.id).is_empty();
    let grows_by = size.saturating_sub(pool.end);
    let kind = if grows_by > 0 { Kind::Enlarged } else { Kind::Storage };
    is_free.then_some(Place { pool: pool.id, offset: 0, room: pool.end.max(size), grows_by, kind })
}

/// The gaps of an arena, what lies above everything alive, and the top.
fn arena(run: &Run, frame: &Frame, buffer: BufferId, pool: &PoolView, found: &mut Vec<Place>) {
    let size = run.problem.buffers[buffer].size;
    let mut own = Vec::new();
    let mut cursor = 0;
    for (from, to) in in_the_way(run, frame, buffer, pool.id) {
        let offset = align_up(cursor, run.align);
        if offset + size <= from {
            own.push(Place { pool: pool.id, offset, room: from - offset, grows_by: 0, kind: Kind::Gap });
        }
        cursor = cursor.max(to);
    }
    let above = align_up(cursor, run.align);
    let top = align_up(pool.end, run.align);
    let growth = |offset: u64| (offset + size).saturating_sub(pool.end);
    let may_grow = grows(frame, pool);
    let at = |offset: u64, kind: Kind| Place { pool: pool.id, offset, room: u64::MAX, grows_by: growth(offset), kind };
    if above < top && (may_grow || growth(above) == 0) {
        own.push(at(above, Kind::Above));
    }
    if may_grow {
        own.push(at(top, Kind::Top));
    }
    own.extend(objects(run, frame, buffer, pool).into_iter().filter(|object| may_grow || object.grows_by == 0));
    // Of an object and a gap that begin at the same address the object says more.
    own.sort_by_key(|place| (place.offset, place.kind != Kind::Object));
    own.dedup_by_key(|place| place.offset);
    found.append(&mut own);
}

/// The shared objects of an arena in which nothing is alive at the same time.
fn objects(run: &Run, frame: &Frame, buffer: BufferId, pool: &PoolView) -> Vec<Place> {
    let wanted = &run.problem.buffers[buffer];
    let is_free = |members: &[BufferId]| members.iter().all(|&id| !run.problem.buffers[id].live.meets(wanted.live));
    let objects = arena_objects(run, frame);
    let own = objects.into_iter().filter(|object| object.pool == pool.id && is_free(&object.members));
    let place = |object: ArenaObject| {
        let grows_by = align_up(wanted.size, run.align).saturating_sub(object.size);
        let room = object.size.max(wanted.size);
        Place { pool: pool.id, offset: object.start, room, grows_by, kind: Kind::Object }
    };
    own.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{Problem, five_buffers};
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input, origin};
    use memplan_replay::Level;

    fn run_of(planner: &str, problem: Problem) -> Run {
        let found = planner::find(planner).expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        let plan = found.plan(input, &found.info().defaults(), &mut recorder).expect("applicable");
        Run::new(problem.into(), origin(planner, 1), plan, recorder.events)
    }

    /// What may be done with the buffer of a decision, before it.
    fn before(run: &Run, decision: u32) -> Vec<Place> {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, decision));
        places(run, &frame, run.timeline.decisions[decision as usize].buffer)
    }

    fn listed(places: &[Place]) -> Vec<(u64, u64, Kind)> {
        places
            .iter()
            .map(|place| (place.offset / five_buffers::KIB, place.grows_by / five_buffers::KIB, place.kind))
            .collect()
    }

    #[test]
    fn the_picture_of_places_is_true() {
        let run = run_of("first-fit", five_buffers::problem());
        assert_eq!(listed(&before(&run, 3)), [(0, 0, Kind::Gap), (6, 1, Kind::Top)]);
        assert_eq!(before(&run, 3)[0].room, 2 * five_buffers::KIB);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, 3));
        let rows: Vec<String> = (0..7u64)
            .rev()
            .map(|row| {
                let name = |step: u32| {
                    let is_here = |(id, place): (BufferId, &Option<memplan_core::plan::Place>)| {
                        let buffer = &run.problem.buffers[id];
                        let from = (*place)?.offset / five_buffers::KIB;
                        let inside = (from..from + buffer.size / five_buffers::KIB).contains(&row);
                        (inside && buffer.live.contains(step)).then(|| buffer.name.clone())
                    };
                    let asked =
                        step == 2 && before(&run, 3).iter().any(|place| place.offset / five_buffers::KIB == row);
                    let found = frame.places.enumerate().find_map(is_here);
                    found.unwrap_or_else(|| if asked { "?" } else { "." }.into())
                };
                let cells: String = (0..6).map(|step| format!("   {}", name(step))).collect();
                format!("{row} |{cells}")
            })
            .collect();
        five_buffers::assert_in_comments(include_str!("places.rs"), &rows);
    }

    #[test]
    fn what_is_above_the_living_may_be_below_the_dead() {
        // e, the last, meets nobody: it may lie at the bottom, or above everything.
        let run = run_of("first-fit", five_buffers::problem());
        assert_eq!(listed(&before(&run, 4)), [(0, 0, Kind::Above), (6, 4, Kind::Top)]);
        // The first buffer opens the arena.
        assert_eq!(listed(&before(&run, 0)), [(0, 2, Kind::NewArena)]);
    }

    #[test]
    fn a_place_higher_up_in_a_gap_is_that_gap() {
        let run = run_of("first-fit", five_buffers::problem());
        let list = before(&run, 3);
        let at = |offset: u64, grew: u64| {
            let lies = memplan_core::plan::Place { pool: PoolId(0), offset: offset * 512 };
            realised(&list, lies, five_buffers::KIB, grew)
        };
        assert_eq!((at(0, 0), at(2, 0)), (Some(0), Some(0)));
        assert_eq!(at(3, 0), None, "half of it lies on b");
        assert_eq!((at(12, 1), at(13, 1)), (Some(1), Some(1)), "higher than the top is the top");
        assert_eq!(at(12, 0), None, "the top makes the arena grow");
    }
}
