//! The order in which a planner turns to the buffers, with what orders are made of: size, start and
//! length of life, and the key that the planner reports for each.

use super::{Cell, Row, Section, Table, View};
use crate::{Decision, Frame, Run};
use memplan_core::base::Arg;
use memplan_core::trace::{Event, Note};

/// What buffers were sorted by, as the planner reports it, with its columns.
fn key(run: &Run, decision: &Decision) -> (&'static [&'static str], Vec<Cell>) {
    match run.timeline.events.get(decision.begin as usize + 1) {
        Some(&Event::Note { note: Note::Conflicts, a, .. }) => (&["#conflicts"], vec![Cell::count(a)]),
        Some(&Event::Note { note: Note::Position, a, .. }) => (&["#position"], vec![Cell::count(a)]),
        Some(&Event::Note { note: Note::Ticks, a, b, .. }) => {
            (&["#ticks"], vec![Cell::Value(Arg::Live(a as u32, b as u32))])
        }
        Some(&Event::Note { note: Note::Breadth, a, b, .. }) => {
            (&["#step", "#breadth"], vec![Cell::count(a), Cell::bytes(b)])
        }
        _ => (&[], Vec::new()),
    }
}

/// The buffers in the order in which they are placed.
pub fn order(run: &Run, frame: &Frame) -> Option<Section> {
    let decisions = &run.timeline.decisions;
    let row = |(index, decision): (usize, &Decision)| {
        let buffer = &run.problem.buffers[decision.buffer];
        let mut cells = vec![
            Cell::count(index as u64 + 1),
            Cell::name(run, decision.buffer),
            Cell::bytes(buffer.size),
            Cell::Value(Arg::Live(buffer.live.start, buffer.live.end)),
        ];
        cells.extend(key(run, decision).1);
        Row {
            cells,
            buffer: Some(decision.buffer),
            faded: frame.decision.is_some_and(|now| index < now),
            ..Row::default()
        }
    };
    let rows: Vec<Row> = decisions.iter().enumerate().map(row).collect();
    let keys = key(run, decisions.first()?).0;
    let table = Table::new(&[&["#number", "buffer", "#bytes", "#live"], keys].concat(), rows, frame.decision);
    Some(Section { id: "order", view: View::Table(table) })
}
