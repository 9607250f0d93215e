//! Blocks that a reader places by hand, in one arena: moved, dropped at legal places, taken back.

use std::rc::Rc;

use super::packing::{Offsets, addresses, in_the_way, nearest, peak, snapped};
use memplan_core::base::{IdVec, Undo, align_up};
use memplan_core::plan::{Place, Plan, Pool, PoolId};
use memplan_core::problem::{BufferId, Problem};

const KIB: u64 = 1024;

/// A block in the hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lifted {
    /// The block.
    pub id: BufferId,
    /// Where it is.
    pub at: u64,
    /// Where it goes when it is let go: a legal address.
    pub drop: u64,
}

/// All blocks with what was done so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Tray {
    problem: Rc<Problem>,
    offsets: Offsets,
    undo: Undo<Offsets>,
    held: Option<Lifted>,
    /// The order in which blocks come and stay; empty where any block may be moved.
    order: Rc<Vec<BufferId>>,
}

impl Tray {
    /// All blocks wait. With an order, they are placed in it for good.
    pub fn new(problem: Rc<Problem>, order: Vec<BufferId>) -> Tray {
        let offsets = IdVec::from_elem(None, problem.buffers.len());
        Tray { problem, offsets, undo: Undo::default(), held: None, order: Rc::new(order) }
    }

    /// The same with blocks where a link puts them; what is not legal there waits.
    #[must_use]
    pub fn with_places(mut self, text: &str) -> Tray {
        let read = |part: &str| match part.strip_suffix('b') {
            Some(bytes) => bytes.parse().ok(),
            None => part.parse::<u64>().ok()?.checked_mul(KIB),
        };
        let wanted: Vec<Option<u64>> = text.split('.').map(read).collect();
        let limit = self.highest();
        for id in self.turns() {
            let offset = wanted.get(id.0 as usize).copied().flatten().filter(|offset| *offset <= limit);
            let Some(offset) = offset.filter(|_| self.may_move(id)) else { continue };
            if nearest(&self.problem, &self.offsets, id, offset) == offset {
                self.offsets[id] = Some(offset);
            }
        }
        self
    }

    /// The highest address at which a block is of use: the end of all blocks above each other.
    fn highest(&self) -> u64 {
        let aligned = self.problem.buffers.iter().map(|block| align_up(block.size, block.align));
        aligned.fold(0, u64::saturating_add)
    }

    /// Where the blocks lie, for a link: KiB, or bytes with a `b`, between dots; `-` waits. Empty
    /// while all wait.
    pub fn text(&self) -> String {
        // Blocks that stay are put by letting them go alone.
        let offsets = if self.is_in_turn() { self.offsets.clone() } else { self.offsets() };
        if offsets.iter().all(Option::is_none) {
            return String::new();
        }
        let part = |offset: &Option<u64>| match offset {
            None => "-".to_string(),
            Some(offset) if offset.is_multiple_of(KIB) => (offset / KIB).to_string(),
            Some(offset) => format!("{offset}b"),
        };
        offsets.iter().map(part).collect::<Vec<_>>().join(".")
    }

    /// The blocks.
    pub fn problem(&self) -> &Rc<Problem> {
        &self.problem
    }

    /// Their ids in order of birth.
    pub fn ids(&self) -> impl Iterator<Item = BufferId> + use<> {
        (0..self.problem.buffers.len() as u32).map(BufferId)
    }

    /// The same in the order in which they come, if they do.
    pub fn turns(&self) -> Vec<BufferId> {
        if self.order.is_empty() { self.ids().collect() } else { self.order.to_vec() }
    }

    /// The block in the hand.
    pub fn held(&self) -> Option<Lifted> {
        self.held
    }

    /// Where the blocks lie, the one in the hand where it would drop.
    pub fn offsets(&self) -> Offsets {
        let mut offsets = self.offsets.clone();
        self.held.into_iter().for_each(|held| offsets[held.id] = Some(held.drop));
        offsets
    }

    /// The highest end, with the block in the hand where it would drop.
    pub fn peak(&self) -> u64 {
        peak(&self.problem, &self.offsets())
    }

    /// How many blocks lie somewhere.
    pub fn placed(&self) -> usize {
        self.offsets().iter().flatten().count()
    }

    /// Whether all blocks lie somewhere, and none is in the hand.
    pub fn is_whole(&self) -> bool {
        self.held.is_none() && self.placed() == self.problem.buffers.len()
    }

    /// Whether blocks come one by one and stay.
    pub fn is_in_turn(&self) -> bool {
        !self.order.is_empty()
    }

    /// The block whose turn it is, if they come in an order.
    pub fn next(&self) -> Option<BufferId> {
        self.order.iter().copied().find(|id| self.offsets[*id].is_none())
    }

    /// Whether a block may be moved now.
    pub fn may_move(&self, id: BufferId) -> bool {
        self.offsets.get(id).is_some() && (self.order.is_empty() || self.next() == Some(id))
    }

    /// Who is in the way of the block in the hand where it is.
    pub fn blockers(&self) -> Vec<BufferId> {
        self.held.map_or_else(Vec::new, |held| in_the_way(&self.problem, &self.offsets, held.id, held.at))
    }

    /// Who keeps a block from lying lower by its alignment; nobody below one that lies at 0.
    pub fn under(&self, id: BufferId) -> Vec<BufferId> {
        let lower = self.offset_of(id).and_then(|at| at.checked_sub(self.problem.buffers[id].align.max(1)));
        lower.map_or_else(Vec::new, |at| in_the_way(&self.problem, &self.offsets(), id, at))
    }

    /// Takes a block to the address nearest to one that is wanted, without letting it go. Edges
    /// within `reach` bytes attract it.
    pub fn lift(&mut self, id: BufferId, wanted: u64, reach: u64) {
        let wanted = wanted.min(self.highest());
        if self.may_move(id) {
            self.hold(id, snapped(&self.problem, &self.offsets, id, wanted, reach));
        }
    }

    /// Takes a block to an address, without letting it go.
    fn hold(&mut self, id: BufferId, at: u64) {
        if !self.may_move(id) {
            return;
        }
        if self.held.is_some_and(|held| held.id != id) {
            self.drop();
        }
        let at = at.min(self.highest());
        self.held = Some(Lifted { id, at, drop: nearest(&self.problem, &self.offsets, id, at) });
    }

    /// Takes a block that waits to its lowest legal address.
    fn lift_lowest(&mut self, id: BufferId) {
        if self.may_move(id) {
            let lowest = nearest(&self.problem, &self.offsets, id, 0);
            self.hold(id, lowest);
        }
    }

    /// Takes a block to the next legal address with nothing free next to it: the end of a gap, or
    /// the top.
    pub fn shift(&mut self, id: BufferId, up: bool) {
        let Some(here) = self.offset_of(id) else { return self.lift_lowest(id) };
        let places = self.offsets.enumerate().map(|(_, offset)| offset.map(|offset| Place { pool: PoolId(0), offset }));
        let offered = addresses(&self.problem, &places.collect(), id).into_iter();
        let next = if up { offered.into_iter().find(|at| *at > here) } else { offered.rev().find(|at| *at < here) };
        next.into_iter().for_each(|at| self.hold(id, at));
    }

    /// Takes a block up or down by its alignment, past what is in the way.
    pub fn nudge(&mut self, id: BufferId, up: bool) {
        let Some(here) = self.offset_of(id) else { return self.lift_lowest(id) };
        let align = self.problem.buffers[id].align.max(1);
        let ranges = super::packing::ranges(&self.problem, &self.offsets, id);
        let wanted = if up { here.saturating_add(align) } else { here.saturating_sub(align) };
        let next = match up {
            true => ranges.into_iter().find(|&(_, high)| high >= wanted).map(|(low, _)| low.max(wanted)),
            false => ranges.into_iter().rev().find(|&(low, _)| low <= wanted).map(|(_, high)| high.min(wanted)),
        };
        next.into_iter().for_each(|at| self.hold(id, at));
    }

    /// Where a block lies or would drop.
    pub fn offset_of(&self, id: BufferId) -> Option<u64> {
        self.held.filter(|held| held.id == id).map(|held| held.drop).or(self.offsets.get(id).copied().flatten())
    }

    /// Lets the block in the hand go. Returns whether that moved it.
    pub fn drop(&mut self) -> bool {
        let Some(held) = self.held.take() else { return false };
        if self.offsets[held.id] == Some(held.drop) {
            return false;
        }
        self.undo.note(self.offsets.clone());
        self.offsets[held.id] = Some(held.drop);
        true
    }

    /// Puts a block to an address, for which those in the way are taken off. Returns these. Blocks
    /// that stay are not taken off: the block does not move then.
    pub fn put(&mut self, id: BufferId, at: u64) -> Vec<BufferId> {
        self.held = None;
        let way = in_the_way(&self.problem, &self.offsets, id, at);
        if !self.may_move(id) || self.is_in_turn() && !way.is_empty() {
            return Vec::new();
        }
        self.undo.note(self.offsets.clone());
        way.iter().for_each(|&other| self.offsets[other] = None);
        self.offsets[id] = Some(at);
        way
    }

    /// Puts the block in the hand back to where it was taken.
    pub fn put_back(&mut self) {
        self.held = None;
    }

    /// Takes a block off the plan.
    pub fn take_off(&mut self, id: BufferId) {
        let was_held = self.held.take_if(|held| held.id == id).is_some();
        if self.is_in_turn()
            || self.offsets.get(id).is_none_or(Option::is_none)
            || was_held && self.offsets[id].is_none()
        {
            return;
        }
        self.drop();
        self.undo.note(self.offsets.clone());
        self.offsets[id] = None;
    }

    /// Takes all blocks off.
    pub fn clear(&mut self) {
        self.held = None;
        if self.is_in_turn() {
            // Blocks that stay are not taken back: it is another game.
            *self = Tray::new(self.problem.clone(), self.order.to_vec());
        } else if self.offsets.iter().any(Option::is_some) {
            let none = IdVec::from_elem(None, self.problem.buffers.len());
            self.undo.note(std::mem::replace(&mut self.offsets, none));
        }
    }

    /// Whether a move can be taken back. Blocks that come in an order stay.
    pub fn can_undo(&self) -> bool {
        !self.is_in_turn() && (self.held.is_some() || self.undo.can_undo())
    }

    /// Whether a move that was taken back can be done again.
    pub fn can_redo(&self) -> bool {
        self.undo.can_redo()
    }

    /// Takes the last move back.
    pub fn undo(&mut self) {
        if self.held.take().is_some() || self.is_in_turn() {
            return;
        }
        self.undo.undo(&mut self.offsets);
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) {
        self.held = None;
        self.undo.redo(&mut self.offsets);
    }

    /// The plan with the blocks where they are; the one in the hand lies where the hand is.
    pub fn plan(&self) -> Plan {
        let mut offsets = self.offsets.clone();
        self.held.into_iter().for_each(|held| offsets[held.id] = Some(held.at));
        plan_of(&self.problem, &offsets)
    }
}

/// The plan of one arena with buffers at these offsets.
pub fn plan_of(problem: &Problem, offsets: &Offsets) -> Plan {
    let mut plan = Plan::empty(problem);
    let place = |offset: &Option<u64>| offset.map(|offset| Place { pool: PoolId(0), offset });
    plan.places = offsets.iter().map(place).collect();
    let device = problem.memories.iter().next().map(|memory| memory.device.clone()).unwrap_or_default();
    plan.pools.push(Pool { name: "arena".into(), size: peak(problem, offsets), device, role: Default::default() });
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::plan::check;
    use memplan_core::problem::five_buffers;

    const A: BufferId = BufferId(0);
    const B: BufferId = BufferId(1);

    fn tray() -> Tray {
        Tray::new(Rc::new(five_buffers::problem()), Vec::new())
    }

    #[test]
    fn a_block_is_dropped_where_it_is_legal_and_taken_back() {
        let mut tray = tray();
        let size = tray.problem().buffers[A].size;
        tray.lift(A, 0, 0);
        assert!(tray.drop() && !tray.drop());
        // B is alive with A: on A's place it drops beside it.
        tray.lift(B, 0, 0);
        assert_eq!((tray.blockers(), tray.held().map(|held| (held.at, held.drop))), (vec![A], Some((0, size))));
        assert_eq!((tray.under(A), tray.under(B)), (vec![], vec![A]));
        assert_eq!(tray.offset_of(B), Some(size));
        tray.put_back();
        assert_eq!((tray.offset_of(B), tray.placed()), (None, 1));
        tray.lift(B, 0, 0);
        tray.drop();
        assert!(
            check(tray.problem(), &tray.plan())
                .iter()
                .all(|fault| !matches!(fault, memplan_core::plan::Violation::Overlap { .. }))
        );
        tray.undo();
        assert_eq!(tray.offset_of(B), None);
        tray.redo();
        assert_eq!(tray.offset_of(B), Some(size));
        tray.take_off(A);
        assert_eq!((tray.offset_of(A), tray.can_redo()), (None, false));
        tray.undo();
        assert_eq!(tray.offset_of(A), Some(0));
        tray.clear();
        assert_eq!(tray.placed(), 0);
        tray.undo();
        assert_eq!(tray.placed(), 2, "the whole is taken back by one step");
    }

    #[test]
    fn a_block_that_is_put_makes_those_in_the_way_wait() {
        let mut tray = tray();
        tray.shift(A, true);
        tray.drop();
        assert_eq!((tray.put(B, 0), tray.offset_of(A), tray.offset_of(B)), (vec![A], None, Some(0)));
        tray.undo();
        assert_eq!((tray.offset_of(A), tray.offset_of(B)), (Some(0), None), "the whole is taken back by one step");
    }

    #[test]
    fn keys_lead_through_all_places() {
        let mut tray = tray();
        let size = tray.problem().buffers[A].size;
        tray.shift(A, true);
        tray.drop();
        tray.shift(B, true);
        assert_eq!(tray.offset_of(B), Some(size), "a block that waits goes to its lowest place");
        tray.nudge(B, true);
        assert_eq!(tray.offset_of(B), Some(size + tray.problem().buffers[B].align.max(1)));
        tray.nudge(B, false);
        tray.nudge(B, false);
        assert_eq!(tray.offset_of(B), Some(size), "nothing lower is free");
        tray.shift(B, false);
        assert_eq!(tray.offset_of(B), Some(size));
    }

    #[test]
    fn the_text_of_a_link_is_read_back() {
        let mut tray = tray();
        for id in tray.ids() {
            tray.shift(id, true);
            tray.drop();
        }
        assert!(tray.is_whole());
        let read = self::tray().with_places(&tray.text());
        assert_eq!((read.offsets(), read.text()), (tray.offsets(), tray.text()));
        assert_eq!(self::tray().text(), "");
        let partly = self::tray().with_places("0.-.3b.x.99999999999999999999");
        assert_eq!((partly.placed() >= 1, partly.offset_of(B)), (true, None));
        // All on one place: those that do not fit wait.
        let crowd = self::tray().with_places("0.0.0.0.0");
        assert!(
            crowd.placed() >= 1
                && check(crowd.problem(), &crowd.plan())
                    .iter()
                    .all(|fault| !matches!(fault, memplan_core::plan::Violation::Overlap { .. }))
        );
    }

    #[test]
    fn blocks_that_come_in_an_order_stay() {
        let mut tray =
            Tray::new(Rc::new(five_buffers::problem()), tray().ids().collect::<Vec<_>>().into_iter().rev().collect());
        assert_eq!(tray.next(), Some(BufferId(4)));
        tray.lift(A, 0, 0);
        assert_eq!(tray.held(), None, "it is not its turn");
        tray.lift(BufferId(4), 0, 0);
        tray.drop();
        tray.undo();
        tray.take_off(BufferId(4));
        assert_eq!((tray.placed(), tray.next()), (1, Some(BufferId(3))));
        tray.clear();
        assert_eq!((tray.placed(), tray.can_undo()), (0, false));
    }
}
