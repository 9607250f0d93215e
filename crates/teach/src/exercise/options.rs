//! The list of places that a question shows: the legal ones, and some where the buffer does not
//! fit, in mixed order. Neither their order nor their words tell which of them are free: that is to
//! be seen on the plan.
//!
//! The five buffers of [`memplan_core::problem`] by first fit, before `d` (1 KiB, live [2, 3)) is
//! placed: the gap at 0 and the top at 6 KiB are legal; 2 KiB, where `b` lies, and 3 KiB, where `c`
//! lies, are not free.

use super::dice::Dice;
use super::places::{Kind, Place, grows, in_the_way, open_pools, places};
use memplan_core::base::align_up;
use memplan_core::plan::PoolRole;
use memplan_core::problem::BufferId;
use memplan_replay::panel::arena_objects;
use memplan_replay::{Frame, PoolView, Run};

/// Places that are listed at least, where the buffers in the way give them.
const LISTED: usize = 4;

/// The same where nothing is below the lowest legal place: there it is the lowest of any list, and
/// a longer one would only make it look like a rule.
const LISTED_FROM_BOTTOM: usize = 3;

/// How many places below the lowest legal one are listed: one of these numbers. The buffers in the
/// way often give fewer, so the larger ones come more often.
const BELOW: [usize; 9] = [1, 2, 2, 2, 3, 3, 3, 3, 3];

/// The places that a question about a buffer shows. Without a choice among legal ones there is no
/// question, and nothing is added. The same buffers give the same list on every machine, so all who
/// get one instance get one list.
pub fn options(run: &Run, frame: &Frame, buffer: BufferId) -> Vec<Place> {
    let mut list = places(run, frame, buffer);
    if list.len() < 2 {
        return list;
    }
    let mut dice = dice(run, buffer);
    let mut refused = refused(run, frame, buffer);
    refused.retain(|place| !list.iter().any(|legal| legal.spot() == place.spot()));
    shuffle(&mut dice, &mut refused);
    // The lowest address would else be first fit's answer to every question.
    let lowest = list.iter().map(|place| (place.pool, place.offset)).min();
    let (mut below, mut others): (Vec<Place>, Vec<Place>) =
        refused.into_iter().partition(|place| lowest.is_some_and(|lowest| (place.pool, place.offset) < lowest));
    let count = *dice.pick(&BELOW);
    others.extend(below.split_off(count.min(below.len())));
    let listed = if below.is_empty() { LISTED_FROM_BOTTOM } else { LISTED };
    list.append(&mut below);
    others.truncate(listed.saturating_sub(list.len()));
    list.append(&mut others);
    shuffle(&mut dice, &mut list);
    list
}

/// Random numbers for the buffer of an instance: they come from its name, which has the seed, and
/// from its buffers.
fn dice(run: &Run, buffer: BufferId) -> Dice {
    let name = run.problem.name.bytes().map(u64::from);
    let of = |buffer: &memplan_core::problem::Buffer| [buffer.size, buffer.live.start.into(), buffer.live.end.into()];
    let parts: Vec<u64> = name.chain(run.problem.buffers.iter().flat_map(of)).collect();
    Dice::of(buffer.0.into(), &parts)
}

fn shuffle(dice: &mut Dice, list: &mut [Place]) {
    for last in (1..list.len()).rev() {
        list.swap(last, dice.below(last as u64 + 1) as usize);
    }
}

/// Places where bytes are in the way, each with the room up to them, or with what lies there.
fn refused(run: &Run, frame: &Frame, buffer: BufferId) -> Vec<Place> {
    let size = run.problem.buffers[buffer].size;
    let mut found: Vec<Place> = Vec::new();
    for pool in open_pools(run, frame, buffer) {
        let taken = in_the_way(run, frame, buffer, pool.id);
        if taken.is_empty() {
            continue;
        }
        if pool.role == PoolRole::Storage {
            let grows_by = size.saturating_sub(pool.end);
            let kind = if grows_by > 0 { Kind::Enlarged } else { Kind::Storage };
            found.push(Place { pool: pool.id, offset: 0, room: pool.end.max(size), grows_by, kind });
            continue;
        }
        let may_grow = grows(frame, pool);
        let mut own = objects(run, frame, buffer, pool);
        let growth = |offset: u64| offset.saturating_add(size).saturating_sub(pool.end);
        let mut add = |offset: u64, to: u64| {
            let place = Place { pool: pool.id, offset, room: to - offset, grows_by: growth(offset), kind: Kind::Gap };
            own.push(place);
        };
        let mut cursor = 0;
        for (from, to) in taken {
            let (free, held) = (align_up(cursor, run.align), align_up(from, run.align));
            // A gap that is too small.
            if free < from && free.saturating_add(size) > from {
                add(free, from);
            }
            if held < to {
                add(held, to);
            }
            cursor = cursor.max(to);
        }
        own.retain(|place| may_grow || place.grows_by == 0);
        own.sort_by_key(|place| (place.offset, place.kind != Kind::Object));
        own.dedup_by_key(|place| place.offset);
        found.append(&mut own);
    }
    found
}

/// The shared objects of an arena in which something is alive at the same time.
fn objects(run: &Run, frame: &Frame, buffer: BufferId, pool: &PoolView) -> Vec<Place> {
    let wanted = &run.problem.buffers[buffer];
    let is_held = |members: &[BufferId]| members.iter().any(|&id| run.problem.buffers[id].live.meets(wanted.live));
    let held =
        arena_objects(run, frame).into_iter().filter(|object| object.pool == pool.id && is_held(&object.members));
    let place = |object: memplan_replay::panel::ArenaObject| Place {
        pool: pool.id,
        offset: object.start,
        room: object.size.max(wanted.size),
        grows_by: align_up(wanted.size, run.align).saturating_sub(object.size),
        kind: Kind::Object,
    };
    held.map(place).collect()
}
