//! Order: rows are put into an order. Of operators the highest load counts, of buffers that first
//! fit places the peak.

use crate::learn::play::state::action::GameAction;
use crate::learn::play::state::{Game, Table};
use crate::shell::state::State;
use memplan_core::base::{Arg, Message, Undo};
use memplan_teach::exercise::operators::Operators;

/// Rows in the order of the player.
#[derive(Clone, PartialEq, Debug)]
pub struct Ordering {
    /// The rows: operators, or buffers.
    pub operators: Operators,
    /// Their numbers, in order.
    pub order: Vec<usize>,
    /// What can be taken back and done again.
    pub undo: Undo<Vec<usize>>,
}

impl Ordering {
    /// The operators as written, or as a link has them.
    pub fn new(operators: Operators, text: &str) -> Ordering {
        let written: Vec<usize> = (0..operators.list.len()).collect();
        let linked: Vec<usize> = text.split('.').filter_map(|number| number.parse().ok()).collect();
        let is_whole = linked.len() == written.len() && written.iter().all(|at| linked.contains(at));
        let order = if is_whole && operators.fault(&linked).is_none() { linked } else { written };
        Ordering { operators, order, undo: Undo::default() }
    }

    /// The order for a link; empty as long as it is the one written.
    pub fn text(&self) -> String {
        let is_written = self.order.iter().enumerate().all(|(at, operator)| at == *operator);
        let numbers = || self.order.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        if is_written { String::new() } else { numbers() }
    }

    /// Its highest load.
    pub fn load(&self) -> u64 {
        self.operators.highest(&self.order)
    }

    /// The highest load of the order as written.
    pub fn written(&self) -> u64 {
        let written: Vec<usize> = (0..self.operators.list.len()).collect();
        self.operators.highest(&written)
    }

    /// One of two keys: for operators, or for buffers.
    pub fn key(&self, operators: &'static str, buffers: &'static str) -> &'static str {
        if self.operators.are_buffers() { buffers } else { operators }
    }

    /// Moves a row, unless it is an operator that would run before what it reads is made.
    fn shift(&mut self, from: usize, to: usize) -> Option<Message> {
        let mut order = self.order.clone();
        if from >= order.len() || to >= order.len() || from == to {
            return None;
        }
        let operator = order.remove(from);
        order.insert(to, operator);
        let name = |at: usize| self.operators.list[at].name.clone();
        if let Some((operator, needed)) = self.operators.fault(&order) {
            let message = Message::new("lesson.order-illegal").text("name", name(operator));
            return Some(message.text("needed", name(needed)));
        }
        self.undo.note(std::mem::replace(&mut self.order, order));
        let load = Message::new(self.key("game.order-load", "game.placed-peak")).bytes("load", self.load());
        Some(load)
    }
}

impl State {
    pub(super) fn on_order(&mut self, action: GameAction) {
        let Some(game) = &mut self.game else { return };
        let is_best = game.ordering().is_some_and(|ordering| game.is_best_order(ordering));
        let best = game.deal.as_ref().map(|deal| deal.best_order.clone()).unwrap_or_default();
        let Table::Order(ordering) = &mut game.table else { return };
        game.feedback = None;
        let moves = matches!(action, GameAction::Move(..));
        match action {
            GameAction::Move(from, to) => game.feedback = ordering.shift(from, to),
            GameAction::Undo => ordering.undo.undo(&mut ordering.order),
            GameAction::Redo => ordering.undo.redo(&mut ordering.order),
            GameAction::Clear => {
                let written = (0..ordering.operators.list.len()).collect();
                ordering.undo.note(std::mem::replace(&mut ordering.order, written));
            }
            // Nothing is left to be said but that.
            GameAction::Hint if is_best => game.hints = 0,
            GameAction::Hint => {
                game.hints = game.hints.saturating_add(1);
                game.hinted = true;
                let names = |list: &[usize]| list.iter().map(|&at| ordering.operators.list[at].name.clone()).collect();
                // First where it is worst, then how the best order begins.
                game.feedback = Some(match game.hints {
                    1 => {
                        let loads = ordering.operators.loads(&ordering.order);
                        let at = (0..loads.len()).rev().max_by_key(|&at| loads[at]).unwrap_or(0);
                        Message::new(ordering.key("game.order-worst", "game.placed-worst"))
                            .with("names", Arg::Names(names(&ordering.order[at..=at])))
                    }
                    _ => {
                        game.helped = true;
                        let first = &best.1[..best.1.len().min(usize::from(game.hints))];
                        Message::new("game.order-begins").with("names", Arg::Names(names(first)))
                    }
                });
            }
            _ => {}
        }
        let load = ordering.load();
        // What a link brought is nobody's own result.
        if moves && load < ordering.written() {
            self.note_result(load);
        }
    }
}

impl Game {
    /// Key of the sentence on how good the order is that lies there.
    pub fn order_proof(&self, ordering: &Ordering) -> &'static str {
        let (least, is_proved) = self.deal.as_ref().map_or((0, false), |deal| (deal.best_order.0, deal.is_best));
        match (ordering.load() <= least, is_proved) {
            (false, _) => ordering.key("game.order-open", "game.placed-open"),
            (true, true) => ordering.key("game.order-proof", "game.placed-proof"),
            (true, false) => ordering.key("game.order-proof", "game.placed-found"),
        }
    }

    /// Whether no order is better than the one that lies there, and that is known.
    pub fn is_best_order(&self, ordering: &Ordering) -> bool {
        matches!(self.order_proof(ordering), "game.order-proof" | "game.placed-proof")
    }

    /// What is said about the last move, or that no order is better; none where there is neither.
    pub fn said_of_order(&self, ordering: &Ordering) -> Option<Message> {
        let refused = self.feedback.as_ref().filter(|feedback| feedback.key == "lesson.order-illegal");
        if refused.is_none() && self.is_best_order(ordering) {
            let key = ordering.key("game.order-solved", "game.placed-solved");
            return Some(Message::new(key).bytes("load", ordering.load()));
        }
        self.feedback.clone()
    }

    /// The operators in order.
    pub fn ordering(&self) -> Option<&Ordering> {
        match &self.table {
            Table::Order(ordering) => Some(ordering),
            _ => None,
        }
    }
}
