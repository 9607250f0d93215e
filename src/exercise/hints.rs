//! Help for who packs blocks, in three steps, and the marks to reach.

use super::packing::{Offsets, addresses};
use super::tray::Tray;
use crate::base::{Arg, Message};
use crate::plan::Place;
use crate::problem::BufferId;

/// Number of steps of help.
pub const HINTS: u8 = 3;

/// One step of help, from 1: which blocks make the peak, which of those could lie lower, and where
/// one block lies in an optimal plan, if one is known.
pub fn hint(step: u8, tray: &Tray, optimal: Option<&Offsets>) -> Message {
    let names = |ids: &[BufferId]| Arg::Names(ids.iter().map(|id| tray.problem().buffers[*id].name.clone()).collect());
    let highest = highest(tray);
    match step {
        _ if highest.is_empty() => Message::new("game.hint-none"),
        1 => Message::new("game.hint-peak").bytes("peak", tray.peak()).with("names", names(&highest)),
        2 => match lower(tray).as_slice() {
            [] => Message::new("game.hint-stuck"),
            lower => Message::new("game.hint-lower").with("names", names(lower)),
        },
        _ => {
            let elsewhere = |optimal: &Offsets| {
                let other = |id: &BufferId| optimal[*id].is_some() && optimal[*id] != tray.offset_of(*id);
                // The largest one decides most.
                let id = tray.ids().filter(other).max_by_key(|id| tray.problem().buffers[*id].size)?;
                Some((id, optimal[id]?))
            };
            match optimal.and_then(elsewhere) {
                Some((id, at)) => {
                    let buffer = &tray.problem().buffers[id];
                    Message::new("game.hint-place").name("name", buffer.name.clone()).address("at", at)
                }
                None => Message::new("game.hint-unknown"),
            }
        }
    }
}

/// The blocks that end at the peak.
pub fn highest(tray: &Tray) -> Vec<BufferId> {
    let peak = tray.peak();
    let ends = |id: &BufferId| tray.offset_of(*id).is_some_and(|at| at + tray.problem().buffers[*id].size == peak);
    tray.ids().filter(ends).collect()
}

/// The blocks that have a lower legal place as all others lie.
fn lower(tray: &Tray) -> Vec<BufferId> {
    let places = tray.offsets();
    let places = places.iter().map(|at| at.map(|offset| Place { pool: crate::plan::PoolId(0), offset })).collect();
    let has_lower = |id: &BufferId| {
        tray.offset_of(*id)
            .is_some_and(|at| addresses(tray.problem(), &places, *id).first().is_some_and(|low| *low < at))
    };
    tray.ids().filter(has_lower).collect()
}

/// What a peak has reached: below one block after the other; at most as high as the yardstick's,
/// below it where there is room; at the goal, which is the bound or the proved optimum.
pub fn marks(peak: u64, unshared: u64, yardstick: u64, goal: u64) -> [bool; 3] {
    let is_below = peak < yardstick || yardstick <= goal && peak <= goal;
    [peak < unshared || unshared <= goal, is_below, peak <= goal]
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::problem::five_buffers;

    #[test]
    fn help_tells_more_and_more() {
        let mut tray = Tray::new(Rc::new(five_buffers::problem()), Vec::new());
        let key = |step: u8, tray: &Tray, optimal: Option<&Offsets>| hint(step, tray, optimal).key.into_owned();
        assert_eq!(key(1, &tray, None), "game.hint-none");
        for id in tray.ids() {
            tray.shift(id, true);
            tray.drop();
        }
        let optimal = tray.offsets();
        assert_eq!(key(2, &tray, None), "game.hint-stuck");
        let last = BufferId(4);
        tray.lift(last, 1 << 20, 0);
        tray.drop();
        assert_eq!(highest(&tray), [last]);
        assert_eq!(
            [1, 2, 3].map(|step| key(step, &tray, Some(&optimal))),
            ["game.hint-peak", "game.hint-lower", "game.hint-place"]
        );
        assert_eq!(key(3, &tray, None), "game.hint-unknown");
    }

    #[test]
    fn marks_can_be_reached_where_the_yardstick_is_at_the_goal() {
        assert_eq!(marks(416, 1024, 448, 384), [true, true, false]);
        assert_eq!(marks(448, 1024, 448, 384), [true, false, false]);
        assert_eq!(marks(384, 1024, 384, 384), [true, true, true]);
        assert_eq!(marks(400, 1024, 384, 384), [true, false, false]);
        assert_eq!(marks(10, 10, 10, 10), [true, true, true]);
    }
}
