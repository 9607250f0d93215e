//! Blocks on the board: moves, the sentences about them, and the figures.

use std::rc::Rc;

use crate::learn::lessons::state::answering::BY_HAND;
use crate::learn::play::state::action::GameAction;
use crate::learn::play::state::{Game, Table};
use crate::shell::state::State;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::Plan;
use memplan_core::problem::BufferId;
use memplan_core::trace::Event;
use memplan_engine::{Rung, shown_as_read};
use memplan_planners::origin;
use memplan_replay::{Level, Run};
use memplan_teach::exercise::hints::{HINTS, hint, marks, next_move};
use memplan_teach::exercise::packing::Offsets;
use memplan_teach::exercise::tray::{Tray, plan_of};

/// How much higher than the highest known peak the picture is.
const ROOM: (u64, u64) = (9, 8);

impl State {
    pub(super) fn on_blocks(&mut self, action: GameAction) {
        let Some(game) = &mut self.game else { return };
        let (optimal, is_solved) = (game.optimal().cloned(), game.is_solved());
        let Table::Blocks(tray) = &mut game.table else { return };
        let before = tray.offsets();
        let (mut dropped, mut told) = (None, None);
        match action {
            GameAction::Select(id) => game.selected = id,
            GameAction::Lift(id, wanted, reach) => tray.lift(id, wanted, reach),
            GameAction::Shift(id, up) => tray.shift(id, up),
            GameAction::Nudge(id, up) => tray.nudge(id, up),
            GameAction::Drop => {
                dropped = progress(tray, true);
                tray.drop();
            }
            GameAction::PutBack => tray.put_back(),
            GameAction::TakeOff(id) => tray.take_off(id),
            GameAction::Undo => tray.undo(),
            GameAction::Redo => tray.redo(),
            GameAction::Clear => tray.clear(),
            // Nothing is left to be said but that.
            GameAction::Hint if is_solved => {
                tray.drop();
                game.hints = 0;
            }
            GameAction::Hint => {
                game.hints = if game.hints < HINTS { game.hints + 1 } else { 1 };
                // What is dropped there stays.
                if tray.is_in_turn() {
                    tray.put_back();
                } else {
                    tray.drop();
                }
                let found = next_move(tray, optimal.as_ref());
                let does = found.filter(|_| game.hints == HINTS);
                let moved = does.map(|found| tray.put(found.id, found.at)).unwrap_or_default();
                told = Some(hint(game.hints, tray, found, &moved));
                game.selected = found.map(|found| found.id).or(game.selected);
                game.hinted = true;
                // Where a block lies in an optimal plan is seen from the second step on.
                game.helped |= game.hints > 1 && found.is_some_and(|found| found.is_optimal);
                game.helped |= game.hints == HINTS;
            }
            GameAction::Show(planner) => {
                tray.put_back();
                game.helped |= planner.is_some();
                game.shown = planner;
            }
            GameAction::Tell(planner) => {
                game.helped |= planner.is_some();
                game.beside_in_words = planner;
            }
            _ => {}
        }
        if let Some(held) = tray.held() {
            (game.selected, game.shown) = (Some(held.id), None);
        }
        let is_other = tray.offsets() != before;
        let is_moved = is_other || dropped.is_some();
        game.feedback = progress(tray, false).or(dropped.filter(|_| !tray.is_whole()));
        // The last step of help is itself a move.
        if is_other && told.is_none() {
            game.hints = 0;
        }
        game.told = told.or(game.told.take()).filter(|_| game.hints > 0);
        // What a link brought is nobody's own result.
        let peak = (is_moved && tray.is_whole()).then(|| tray.peak());
        peak.into_iter().for_each(|peak| self.note_result(peak));
    }
}

/// The sentence about the block that is dragged, or about one that is dropped.
fn progress(tray: &Tray, is_dropped: bool) -> Option<Message> {
    let held = tray.held()?;
    let problem = tray.problem();
    let name = |id: BufferId| problem.buffers[id].name.clone();
    let block = &problem.buffers[held.id];
    let blockers = if is_dropped { Vec::new() } else { tray.blockers() };
    let message = match blockers.first() {
        None => Message::new("game.lies").address("at", held.drop).bytes("peak", tray.peak()),
        Some(&first) => {
            let other = problem.buffers[first].live;
            let (from, to) = (block.live.start.max(other.start), block.live.end.min(other.end));
            let names = Arg::Names(blockers.iter().map(|&id| name(id)).collect());
            let message = Message::new("game.blocked").address("at", held.at).address("drop", held.drop);
            message.with("names", names).count("n", blockers.len()).count("first", from).count("last", to - 1)
        }
    };
    Some(message.name("name", name(held.id)).bytes("size", block.size).live("live", block.live.start, block.live.end))
}

impl Game {
    /// The peak that is to be reached: the lower bound, or the smallest peak that is proved to be
    /// possible.
    pub fn goal(&self) -> u64 {
        let bound = self.deal.as_ref().map_or(0, |deal| deal.bound);
        let proved = self.proved.as_ref().filter(|proved| proved.rung.peak <= proved.floor);
        proved.map_or(bound, |proved| proved.floor.max(bound))
    }

    /// Whether the smallest possible peak is known.
    pub fn is_goal_proved(&self) -> bool {
        self.proved.as_ref().is_some_and(|proved| proved.rung.peak <= proved.floor)
    }

    /// The marks that the plan has reached, once all blocks lie.
    pub fn marks(&self) -> [bool; 3] {
        let whole = self.deal.as_ref().zip(self.tray().filter(|tray| tray.placed() == tray.problem().buffers.len()));
        whole.map_or([false; 3], |(deal, tray)| {
            marks(tray.peak(), tray.problem().unshared(), self.rival(), self.goal().max(deal.bound))
        })
    }

    /// Whether no plan is smaller: all blocks lie where they may, at the peak that is to be
    /// reached.
    pub fn is_solved(&self) -> bool {
        let lies = |tray: &Tray| tray.is_whole() || !tray.is_in_turn() && tray.blockers().is_empty();
        self.tray().is_some_and(lies) && self.marks()[2]
    }

    /// What stands below the board: why a block cannot lie where it is held, the step of help that
    /// was asked for last, that nothing is left to be done, the last move, or the next one.
    pub fn said(&self) -> Message {
        let tray = self.tray();
        let next = tray.and_then(|tray| Some((tray.next()?, tray.problem())));
        let is_blocked = tray.is_some_and(|tray| !tray.blockers().is_empty());
        if let Some(told) = self.told.as_ref().filter(|_| !is_blocked) {
            return told.clone();
        }
        match (&self.feedback, next) {
            (Some(feedback), _) if is_blocked => feedback.clone(),
            _ if self.is_solved() => {
                let (goal, bound) = (self.goal(), self.deal.as_ref().map_or(0, |deal| deal.bound));
                let message = Message::new(if goal > bound { "game.solved-best" } else { "game.solved-bound" });
                message.bytes("peak", tray.map_or(0, Tray::peak)).bytes("bound", bound)
            }
            (Some(feedback), _) => feedback.clone(),
            (None, Some((id, problem))) => {
                let block = &problem.buffers[id];
                let message = Message::new("game.next").name("name", block.name.clone()).bytes("size", block.size);
                message.live("live", block.live.start, block.live.end)
            }
            (None, None) if tray.is_some_and(|tray| tray.is_whole()) => {
                let reached = self.marks().iter().filter(|reached| **reached).count();
                Message::new("game.whole").bytes("peak", tray.map_or(0, Tray::peak)).count("n", reached)
            }
            (None, None) => Message::new("game.how"),
        }
    }

    /// The peak that the second mark is about: the yardstick's; where blocks come in its order, the
    /// planner's.
    pub fn rival(&self) -> u64 {
        self.deal.as_ref().map_or(0, |deal| if deal.order.is_empty() { deal.yardstick } else { deal.own })
    }

    /// Peaks to be beaten, the highest first: those of planners, and what the exact search found.
    pub fn rungs(&self) -> Vec<Rung> {
        let mut rungs: Vec<Rung> = self.deal.as_ref().map(|deal| deal.ladder.clone()).unwrap_or_default();
        let proved = self.proved.as_ref().filter(|proved| proved.rung.offsets.iter().any(Option::is_some));
        rungs.extend(proved.map(|proved| proved.rung.clone()));
        rungs.sort_by_key(|rung| u64::MAX - rung.peak);
        rungs
    }

    /// The places of an optimal plan, if one is known.
    fn optimal(&self) -> Option<&Offsets> {
        let proved = self.proved.as_ref().filter(|proved| proved.rung.peak <= self.goal());
        proved.map(|proved| &proved.rung.offsets)
    }

    /// What is drawn: one's own plan; of a board, the planner's.
    pub fn drawn(&self) -> Option<Rc<Run>> {
        if let Some(breaking) = self.breaking() {
            return breaking.tried.as_ref().map(|tried| tried.run.clone());
        }
        if let Some(finding) = self.finding() {
            return Some(finding.run.clone());
        }
        let tray = self.tray()?;
        Some(Rc::new(run_of(tray)))
    }

    /// The plan of the planner that is shown, to be drawn pale over one's own.
    pub fn ghost(&self) -> Option<Plan> {
        Some(plan_of(self.tray()?.problem(), &self.rung_shown()?.offsets))
    }

    fn rung_shown(&self) -> Option<Rung> {
        let shown = self.shown.as_ref()?;
        self.rungs().into_iter().find(|rung| rung.planner == *shown)
    }

    /// How high the picture is, in bytes: the same while a block is moved.
    pub fn height(&self) -> Option<u64> {
        if let Some(tried) = self.breaking().and_then(|breaking| breaking.tried.as_ref()) {
            // Room to drag the highest edge.
            let has_one = tried.run.plan.pools.len() == 1;
            return has_one.then(|| (tried.run.metrics.peak / ROOM.1).saturating_mul(ROOM.0).max(1));
        }
        let deal = self.deal.as_ref().filter(|_| self.tray().is_some())?;
        let known = self.rungs().iter().map(|rung| rung.peak).filter(|&peak| peak < deal.problem.unshared()).max();
        let known = known.unwrap_or(deal.bound).max(deal.bound);
        let own = self.tray().map_or(0, Tray::peak).max(self.rung_shown().map_or(0, |rung| rung.peak));
        Some((known.max(own) / ROOM.1).saturating_mul(ROOM.0).max(own).max(1))
    }
}

/// The blocks as a run: what lies was placed in order of birth, and the rest waits for its turn.
fn run_of(tray: &Tray) -> Run {
    let (problem, plan) = (tray.problem(), tray.plan());
    let mut events = shown_as_read(problem, &plan).events;
    let waits = tray.turns().into_iter().filter(|&id| plan.places[id].is_none());
    events.extend(waits.map(|buffer| Event::Begin { buffer }));
    Run::new(problem.clone(), origin(BY_HAND, 1), plan, events)
}

/// The number of events after which all that lies is drawn.
pub fn events_of(run: &Run) -> u32 {
    let placed = run.plan.places.iter().flatten().count() as u32;
    run.timeline.events_at(Level::Decisions, placed)
}
