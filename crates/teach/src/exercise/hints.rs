//! Help for who packs blocks, in three steps, and the marks to reach.

use super::packing::{Offsets, addresses, in_the_way, nearest, peak};
use super::reach::is_out_of_reach;
use super::tray::Tray;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::Place;
use memplan_core::problem::BufferId;

/// Number of steps of help: which block, where it goes, and the move itself.
pub const HINTS: u8 = 3;

/// A move that helps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The block.
    pub id: BufferId,
    /// Where it goes.
    pub at: u64,
    /// Whether it lies there in an optimal plan.
    pub is_optimal: bool,
    /// The smallest peak, if the blocks that lie have put it out of reach for those that wait.
    pub lost: Option<u64>,
}

/// Returns the move that help is about; none where nothing better is known. `optimal` is an optimal
/// plan, if one is known.
pub fn next_move(tray: &Tray, optimal: Option<&Offsets>) -> Option<Move> {
    let problem = tray.problem();
    let (offsets, waits) = (tray.offsets(), |id: &BufferId| tray.offset_of(*id).is_none());
    let lost = optimal.map(|optimal| peak(problem, optimal)).filter(|&goal| is_lost(tray, &[], goal));
    let lowest = |id: BufferId| Move { id, at: nearest(problem, &offsets, id, 0), is_optimal: false, lost };
    let lies_right =
        |optimal: &Offsets, id: BufferId| optimal.get(id).copied().flatten() == tray.offset_of(id) || waits(&id);
    if tray.is_in_turn() {
        // Blocks that lie stay, so an optimal plan is of use as long as all of them lie as it has
        // them.
        let id = tray.next()?;
        let at = optimal.filter(|optimal| tray.ids().all(|id| lies_right(optimal, id))).and_then(|all| all[id]);
        return Some(at.map_or_else(|| lowest(id), |at| Move { id, at, is_optimal: true, lost }));
    }
    // Large blocks that live long are hardest to place later.
    let weight = |id: &BufferId| {
        let block = &problem.buffers[*id];
        (waits(id), u128::from(block.size) * u128::from(block.live.len()), std::cmp::Reverse(*id))
    };
    match optimal {
        Some(optimal) => {
            let elsewhere = |id: &BufferId| optimal[*id].is_some() && optimal[*id] != tray.offset_of(*id);
            // The block that alone puts the smallest peak out of reach moves first.
            let alone =
                |id: &BufferId| lost.is_some_and(|goal| elsewhere(id) && !waits(id) && !is_lost(tray, &[*id], goal));
            let culprit = tray.ids().filter(|_| lost.is_some()).find(alone);
            let id = culprit.or_else(|| tray.ids().filter(elsewhere).max_by_key(weight))?;
            Some(Move { id, at: optimal[id]?, is_optimal: true, lost })
        }
        None => {
            let id = tray.ids().filter(waits).max_by_key(weight).or_else(|| lower(tray).first().copied())?;
            Some(lowest(id))
        }
    }
}

/// Whether the blocks that wait, together with `lifted`, cannot reach a peak any more as the others
/// lie.
fn is_lost(tray: &Tray, lifted: &[BufferId], goal: u64) -> bool {
    let waiting: Vec<BufferId> = tray.ids().filter(|id| lifted.contains(id) || tray.offset_of(*id).is_none()).collect();
    !waiting.is_empty() && is_out_of_reach(tray.problem(), &tray.offsets(), &waiting, goal)
}

/// One step of help in words, from 1: which block, where it goes; each says more than the one
/// before. `moved` are the blocks that the last step, the move itself, took off the plan.
pub fn hint(step: u8, tray: &Tray, found: Option<Move>, moved: &[BufferId]) -> Message {
    let said = said(step, tray, found, moved);
    let lost = found.filter(|_| step == 1).and_then(|found| Some((found.id, found.lost?)));
    match lost.map(|(id, goal)| (id, goal, tray.offset_of(id))) {
        Some((id, goal, Some(at))) => {
            let name = tray.problem().buffers[id].name.clone();
            Message::new("game.hint-lost-by").name("name", name).address("at", at).bytes("goal", goal)
        }
        Some((_, goal, None)) => Message::new("game.hint-lost").bytes("goal", goal).inner("hint", said),
        None => said,
    }
}

/// The step of help by itself.
fn said(step: u8, tray: &Tray, found: Option<Move>, moved: &[BufferId]) -> Message {
    let problem = tray.problem();
    let names = |ids: &[BufferId]| Arg::Names(ids.iter().map(|id| problem.buffers[*id].name.clone()).collect());
    let of = |message: Message, id: BufferId| {
        let block = &problem.buffers[id];
        let message = message.name("name", block.name.clone()).bytes("size", block.size);
        message.live("live", block.live.start, block.live.end)
    };
    let peak = |key: &'static str| Message::new(key).bytes("peak", tray.peak()).with("names", names(&highest(tray)));
    match (step, found) {
        (1, Some(Move { id, .. })) if tray.is_in_turn() => {
            let live = problem.buffers[id].live;
            let is_beside = |other: &BufferId| {
                *other != id && tray.offset_of(*other).is_some() && problem.buffers[*other].live.meets(live)
            };
            let beside: Vec<BufferId> = tray.ids().filter(is_beside).collect();
            let key = if beside.is_empty() { "game.hint-alone" } else { "game.hint-beside" };
            of(Message::new(key).with("names", names(&beside)).count("n", beside.len()), id)
        }
        (1, Some(Move { id, .. })) if tray.placed() == 0 => of(Message::new("game.hint-first"), id),
        (1, Some(Move { id, .. })) if tray.offset_of(id).is_none() => of(Message::new("game.hint-waits"), id),
        (1, Some(Move { id, is_optimal: true, .. })) => of(peak("game.hint-moves"), id),
        (1, _) => peak("game.hint-peak"),
        (2, Some(Move { id, at, is_optimal: true, .. })) => {
            let way = in_the_way(problem, &tray.offsets(), id, at);
            let key = if way.is_empty() { "game.hint-place" } else { "game.hint-place-taken" };
            of(Message::new(key).address("at", at).with("names", names(&way)).count("n", way.len()), id)
        }
        (2, Some(Move { id, at, .. })) if tray.offset_of(id).is_none() => {
            of(Message::new("game.hint-lowest").address("at", at), id)
        }
        (2, Some(_)) => Message::new("game.hint-lower").with("names", names(&lower(tray))),
        (2, None) => Message::new("game.hint-stuck"),
        (_, Some(Move { id, at, .. })) => {
            let key = if moved.is_empty() { "game.hint-done" } else { "game.hint-done-off" };
            of(Message::new(key).address("at", at).with("names", names(moved)).count("n", moved.len()), id)
        }
        (_, None) => Message::new("game.hint-unknown"),
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
    let places =
        places.iter().map(|at| at.map(|offset| Place { pool: memplan_core::plan::PoolId(0), offset })).collect();
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
    use memplan_core::problem::five_buffers;
    use memplan_core::text::Speech;

    /// The three steps of help as they are taken, the last of which moves.
    fn steps(tray: &mut Tray, optimal: Option<&Offsets>) -> [String; 3] {
        let found = next_move(tray, optimal);
        let said = [1, 2].map(|step| Speech::default().say(&hint(step, tray, found, &[])));
        let moved = found.map(|found| tray.put(found.id, found.at)).unwrap_or_default();
        let [first, second] = said;
        [first, second, Speech::default().say(&hint(3, tray, found, &moved))]
    }

    fn tray() -> Tray {
        Tray::new(Rc::new(five_buffers::problem()), Vec::new())
    }

    #[test]
    fn every_step_of_help_says_more_until_all_blocks_lie_best() {
        let mut best = tray();
        for id in best.ids() {
            best.shift(id, true);
            best.drop();
        }
        let optimal = best.offsets();
        for optimal in [Some(&optimal), None] {
            let mut tray = tray();
            while !tray.is_whole() {
                let placed = tray.placed();
                let said = steps(&mut tray, optimal);
                assert!(said[0] != said[1] && said[1] != said[2], "{said:?}");
                let name = |id: BufferId| &tray.problem().buffers[id].name;
                let id =
                    tray.ids().find(|id| said[2].starts_with(&format!("{} now lies at", name(*id)))).expect("a block");
                // First which block, then where.
                assert!(said[0].contains(name(id).as_str()), "{said:?}");
                assert!(said[1].contains(&Speech::default().bytes(tray.offset_of(id).expect("placed"))), "{said:?}");
                assert_eq!(tray.placed(), placed + 1);
            }
            assert!(optimal.is_none_or(|optimal| tray.offsets() == *optimal));
        }
    }

    #[test]
    fn a_block_in_the_way_makes_room() {
        let mut best = tray();
        for id in best.ids() {
            best.shift(id, true);
            best.drop();
        }
        let optimal = best.offsets();
        // Only C lies, where it is not to be: nothing is below it that could change first.
        let mut tray = tray();
        tray.lift(BufferId(2), 0, 0);
        tray.drop();
        let [first, second, _] = steps(&mut tray, Some(&optimal));
        assert!(!second.contains("No block can move down"), "{first} {second}");
        for _ in 0..8 {
            steps(&mut tray, Some(&optimal));
        }
        assert_eq!(tray.offsets(), optimal);
        assert_eq!(next_move(&tray, Some(&optimal)), None);
    }

    #[test]
    fn who_makes_the_peak_is_named_where_no_optimum_is_known() {
        let mut tray = tray();
        for id in tray.ids() {
            tray.shift(id, true);
            tray.drop();
        }
        let key = |step: u8, tray: &Tray| hint(step, tray, next_move(tray, None), &[]).key.into_owned();
        assert_eq!([1, 2, 3].map(|step| key(step, &tray)), ["game.hint-peak", "game.hint-stuck", "game.hint-unknown"]);
        let last = BufferId(4);
        tray.lift(last, 1 << 20, 0);
        tray.drop();
        assert_eq!(highest(&tray), [last]);
        assert_eq!([1, 2, 3].map(|step| key(step, &tray)), ["game.hint-peak", "game.hint-lower", "game.hint-done"]);
    }

    #[test]
    fn a_block_that_rules_the_smallest_peak_out_is_named_first() {
        let problem = Rc::new(five_buffers::problem());
        let mut best = tray();
        for id in best.ids() {
            best.shift(id, true);
            best.drop();
        }
        let optimal = best.offsets();
        let goal = Speech::default().bytes(peak(&problem, &optimal));
        // C lies too high for the smallest peak, and the others wait.
        let mut tray = tray();
        tray.lift(BufferId(2), peak(&problem, &optimal), 0);
        tray.drop();
        let found = next_move(&tray, Some(&optimal)).expect("a move");
        let first = Speech::default().say(&hint(1, &tray, Some(found), &[]));
        assert_eq!((found.id, found.at), (BufferId(2), optimal[BufferId(2)].expect("placed")));
        assert!(first.starts_with("With c at ") && first.contains(&goal), "{first}");
        // Blocks that stay cannot make up for it.
        let order: Vec<BufferId> = tray.ids().collect();
        let mut stays = Tray::new(problem, order);
        stays.lift(BufferId(0), 1 << 20, 0);
        stays.drop();
        let first = Speech::default().say(&hint(1, &stays, next_move(&stays, Some(&optimal)), &[]));
        assert!(first.starts_with("As the blocks lie") && first.contains(&goal), "{first}");
    }

    #[test]
    fn blocks_that_stay_have_help_as_well() {
        let order: Vec<BufferId> = tray().ids().collect();
        let mut tray = Tray::new(Rc::new(five_buffers::problem()), order.clone());
        for id in order {
            let said = steps(&mut tray, None);
            assert!(said[0] != said[1] && tray.offset_of(id).is_some(), "{said:?}");
        }
        assert!(tray.is_whole());
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
