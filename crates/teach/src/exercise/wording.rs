//! The question in words: what is asked, what is in the way, and each place of the list. No amount
//! of growth is told: where it is the last one, it would be the peak of the plan.

use super::places::{Kind, Place};
use memplan_core::base::{Arg, Message, align_up};
use memplan_core::plan::PoolRole;
use memplan_core::problem::{BufferId, lower_bounds};
use memplan_core::trace::Event;
use memplan_replay::{Frame, Run};

/// Most buffers in the way that are named.
const NAMED: usize = 3;

/// Where a buffer will go.
pub fn question(run: &Run, buffer: BufferId) -> Message {
    let wanted = &run.problem.buffers[buffer];
    let has_storages = run.plan.pools.iter().next().is_some_and(|pool| pool.role == PoolRole::Storage);
    Message::new(if has_storages { "predict.ask-storage" } else { "predict.ask" })
        .name("name", wanted.name.clone())
        .bytes("size", wanted.size)
        .live("live", wanted.live.start, wanted.live.end)
}

/// What is alive at the same time, and so in the way.
pub fn beside(run: &Run, frame: &Frame, buffer: BufferId) -> Message {
    let live = run.problem.buffers[buffer].live;
    let meets = |(id, place): (BufferId, &Option<memplan_core::plan::Place>)| {
        let other = &run.problem.buffers[id];
        (place.is_some() && id != buffer && other.size > 0 && other.live.meets(live)).then(|| other.name.clone())
    };
    let mut names: Vec<String> = frame.places.enumerate().filter_map(meets).collect();
    let key = match names.len() {
        0 => "predict.alone",
        count if count <= NAMED => "predict.beside",
        _ => "predict.beside-many",
    };
    let count = names.len() as u64;
    names.truncate(NAMED);
    Message::new(key).count("n", count).with("names", Arg::Names(names))
}

/// A place of the list: where it is, and what would become of the arena.
pub fn place_in_words(run: &Run, frame: &Frame, place: &Place, size: u64) -> (Message, Message) {
    let at = match place.kind {
        Kind::NewArena => Message::new("predict.at-new-arena"),
        Kind::NewStorage => Message::new("predict.at-new-storage"),
        Kind::Storage | Kind::Enlarged => {
            let bytes = frame.pools.iter().find(|pool| pool.id == place.pool).map_or(0, |pool| pool.end);
            Message::new("predict.at-storage").count("n", place.pool.0).bytes("size", bytes)
        }
        // The same words for all that grow, free or not: no end is told.
        Kind::Gap | Kind::Above | Kind::Top if place.grows_by > 0 => {
            Message::new("predict.at-top").address("offset", place.offset)
        }
        Kind::Gap | Kind::Object | Kind::Above | Kind::Top => {
            Message::new("predict.at").span("span", place.offset, place.offset.saturating_add(size))
        }
    };
    let arenas = frame.pools.iter().filter(|pool| pool.role != PoolRole::Storage).count();
    let in_one = arenas > 1 && !matches!(place.kind, Kind::NewArena | Kind::NewStorage);
    let at = match in_one {
        true => Message::new("predict.at-pool").inner("pool", run.plan.pool_title(place.pool)).inner("place", at),
        false => at,
    };
    let grows = place.grows_by > 0;
    let what = Message::new(match place.kind {
        Kind::Object if grows => "predict.is-object-grows",
        Kind::Object => "predict.is-object",
        // Whether it is free is to be seen on the plan.
        Kind::Gap | Kind::Above | Kind::Top if grows => "predict.is-growth",
        Kind::Gap | Kind::Above | Kind::Top => "predict.is-no-growth",
        Kind::NewArena => "predict.is-new-arena",
        Kind::Storage => "predict.is-storage",
        Kind::Enlarged => "predict.is-enlarged",
        Kind::NewStorage => "predict.is-new-storage",
    });
    (at, what)
}

/// How high each pool is drawn while questions are asked, after a number of decisions: by the lower
/// bound of its memory, and higher where what is known or a place of a question needs it. It never
/// shrinks, and the plan that comes has no part in it.
pub fn ceilings(run: &Run, known: u32) -> Vec<u64> {
    let bounds = lower_bounds(&run.problem, |_| true);
    let count = run.plan.pools.len();
    let (mut ends, mut needed, mut memories) = (vec![0_u64; count], vec![0_u64; count], vec![None; count]);
    let mut questions = 0;
    for event in &run.timeline.events {
        match *event {
            Event::Begin { buffer } => {
                if questions > known {
                    break;
                }
                questions += 1;
                let wanted = &run.problem.buffers[buffer];
                for pool in (0..count).filter(|&pool| memories[pool].is_none_or(|memory| memory == wanted.memory.0)) {
                    // A storage may be enlarged for this buffer; those before it have their places.
                    needed[pool] = match is_storage(run, pool) {
                        true => wanted.size,
                        false => needed[pool].max(align_up(ends[pool], run.align).saturating_add(wanted.size)),
                    };
                }
            }
            Event::OpenPool { pool, memory, .. } => {
                memories.get_mut(pool as usize).into_iter().for_each(|known| *known = Some(memory));
            }
            Event::Grow { pool, to, .. } => ends.get_mut(pool as usize).into_iter().for_each(|end| *end = to),
            _ => {}
        }
    }
    let height = |pool: usize| {
        let needed = needed[pool].max(ends[pool]);
        if is_storage(run, pool) {
            return needed;
        }
        let bound = bounds.iter().nth(memories[pool].unwrap_or(0) as usize).copied().unwrap_or(0).max(1);
        let mut height = bound.saturating_add(bound / 100 * 18).saturating_add(bound % 100 * 18 / 100);
        while height < needed {
            height = height.saturating_add(height / 4).saturating_add(1);
        }
        height
    };
    (0..count).map(height).collect()
}

fn is_storage(run: &Run, pool: usize) -> bool {
    run.plan.pools.iter().nth(pool).is_some_and(|pool| pool.role == PoolRole::Storage)
}
