//! A map of memories in order of preference: how full each is, and what it answered to the buffer
//! in question.

use std::collections::BTreeMap;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::Message;
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::trace::{Event, Note};

/// A memory, read from the events.
#[derive(Clone, Default)]
struct Bank {
    turn: u64,
    size: u64,
    used: u64,
    /// Of the decision at hand: bytes used before it, the cost that it asks for, and the word for
    /// the answer.
    before: u64,
    cost: Option<u64>,
    answer: Option<&'static str>,
}

/// By pool.
#[derive(Clone, Default)]
struct Banks(BTreeMap<u32, Bank>);

impl Fold for Banks {
    fn new(_: &Run) -> Banks {
        Banks::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => {
                for bank in self.0.values_mut() {
                    *bank = Bank { before: bank.used, cost: None, answer: None, ..std::mem::take(bank) };
                }
            }
            Event::Note { note: Note::Bank, subject, a, b } => {
                self.0.insert(subject, Bank { turn: b, size: a, ..Bank::default() });
            }
            Event::Note { note, subject, a, .. } => {
                let Some(bank) = self.0.get_mut(&subject) else { return };
                match note {
                    Note::BankFull => (bank.cost, bank.answer) = (Some(a), Some("panel.banks.full")),
                    Note::BankRide => (bank.cost, bank.answer) = (Some(0), Some("panel.banks.shares")),
                    Note::BankTakes => {
                        (bank.cost, bank.answer) = (Some(a), Some("panel.banks.takes"));
                        bank.used += a;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The memories side by side, the preferred one first.
pub fn banks(run: &Run, frame: &Frame) -> Option<Section> {
    let Banks(banks) = &*run.fold::<Banks>(frame.events);
    let row = |(&pool, bank): (&u32, &Bank)| Row {
        cells: vec![
            Cell::count(bank.turn),
            Cell::Say(pool_words(run.plan.pools.get(PoolId(pool)).map_or("", |pool| &pool.name))),
            Cell::bytes(bank.size),
            if bank.used == bank.before { Cell::bytes(bank.used) } else { Cell::Grown(bank.before, bank.used) },
            Cell::Bar(bank.used as f64 / bank.size.max(1) as f64),
            bank.cost.map_or(Cell::Empty, Cell::bytes),
        ],
        changed: bank.answer.map(Message::new),
        faded: bank.answer == Some("panel.banks.full"),
        pool: Some(PoolId(pool)),
        ..Row::default()
    };
    let rows: Vec<Row> = banks.iter().map(row).collect();
    let current = banks.values().position(|bank| bank.answer.is_some_and(|answer| answer != "panel.banks.full"));
    let table = Table::new(&["#turn", "arena", "#capacity", "#bytes", "share", "#cost"], rows, current);
    (!banks.is_empty()).then_some(Section { id: "banks", view: View::Table(table) })
}
