//! Debug: a plan breaks one rule; the buffers that take part are to be found.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::learn::lessons::state::answering::BY_HAND;
use crate::learn::play::state::action::GameAction;
use crate::learn::play::state::blocks::events_of;
use crate::learn::play::state::{Game, Table};
use crate::shell::state::State;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_engine::{Deal, shown_as_read};
use memplan_planners::origin;
use memplan_replay::{Frame, Run};

/// Wrong answers after which the fault counts as shown: there are few pairs.
pub const TRIES: u32 = 3;

/// The plan, and what is suspected.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The plan as it is drawn: without what the check of plans finds.
    pub run: Rc<Run>,
    /// The buffers that are suspected.
    pub chosen: BTreeSet<BufferId>,
    /// Wrong answers so far.
    pub wrong: u32,
    /// Whether the fault was found, or shown.
    pub over: bool,
}

impl PartialEq for Finding {
    fn eq(&self, other: &Finding) -> bool {
        Rc::ptr_eq(&self.run, &other.run)
            && (&self.chosen, self.wrong, self.over) == (&other.chosen, other.wrong, other.over)
    }
}

impl Finding {
    /// The plan of a deal; none if it has none.
    pub fn new(deal: &Deal) -> Option<Finding> {
        let plan = deal.plan.clone()?;
        let events = shown_as_read(&deal.problem, &plan).events;
        let run = Run::new(Rc::new(deal.problem.clone()), origin(BY_HAND, 1), plan, events);
        Some(Finding { run: Rc::new(run), chosen: BTreeSet::new(), wrong: 0, over: false })
    }

    /// The whole plan. As long as the fault is open, its top lies out of sight, so that no number
    /// tells it: beside the peak that is claimed that would be the answer.
    pub fn frame(&self) -> Frame {
        let mut frame = self.run.frame(events_of(&self.run)).at_rest();
        for pool in frame.pools.iter_mut().filter(|_| !self.over) {
            pool.end = pool.end.saturating_mul(2);
            pool.end_before = pool.end;
        }
        frame
    }

    /// The peak that the plan claims.
    pub fn claimed(&self) -> u64 {
        self.run.plan.pools.iter().next().map_or(0, |pool| pool.size)
    }

    /// What the plan claims, as a sentence of this key: its number of buffers and its peak.
    pub fn claim(&self, key: &'static str) -> Message {
        Message::new(key).bytes("peak", self.claimed()).count("n", self.run.problem.buffers.len())
    }
}

impl State {
    pub(super) fn on_debug(&mut self, action: GameAction) {
        let Some(game) = &mut self.game else { return };
        let Some((parties, fault)) = game.deal.as_ref().and_then(|deal| deal.fault.clone()) else { return };
        let Table::Debug(finding) = &mut game.table else { return };
        let names =
            |ids: &[BufferId]| Arg::Names(ids.iter().map(|id| finding.run.problem.buffers[*id].name.clone()).collect());
        match action {
            GameAction::Select(Some(id)) if !finding.over => {
                if !finding.chosen.remove(&id) {
                    finding.chosen.insert(id);
                }
                game.selected = None;
                game.feedback = None;
            }
            GameAction::Check if !finding.over && !finding.chosen.is_empty() => {
                let (own, other): (Vec<BufferId>, Vec<BufferId>) =
                    finding.chosen.iter().partition(|id| parties.contains(id));
                let is_found = other.is_empty() && own.len() == parties.len();
                finding.wrong += u32::from(!is_found);
                game.feedback = Some(match (is_found, own.as_slice(), other.as_slice()) {
                    (true, ..) => fault,
                    (false, own, []) => Message::new("game.debug-more").with("names", names(own)),
                    (false, _, other) => {
                        Message::new("game.debug-wrong").with("names", names(other)).count("n", other.len())
                    }
                });
                finding.over = is_found;
                game.helped |= finding.wrong >= TRIES;
                if is_found && !game.helped {
                    let tries = u64::from(finding.wrong);
                    self.note_result(tries + 1);
                }
            }
            GameAction::Hint if !finding.over => {
                game.hints = game.hints.saturating_add(1);
                game.hinted = true;
                if game.hints == 1 {
                    let kind = match parties.len() {
                        2 => "game.debug-hint-two",
                        _ => "game.debug-hint-one",
                    };
                    game.feedback = Some(Message::new(kind));
                } else {
                    (game.helped, finding.over) = (true, true);
                    finding.chosen = parties.into_iter().collect();
                    game.feedback = Some(fault);
                }
            }
            _ => {}
        }
    }
}

impl Game {
    /// The plan with a fault.
    pub fn finding(&self) -> Option<&Finding> {
        match &self.table {
            Table::Debug(finding) => Some(finding),
            _ => None,
        }
    }
}
