//! The order in which a planner turns to the buffers, with what orders are made of: size, length of life, start.

use super::{Cell, Row, Section, Table, View};
use crate::base::Arg;
use crate::replay::{Frame, Run};

pub fn order(run: &Run, frame: &Frame) -> Option<Section> {
    let decisions = &run.timeline.decisions;
    let row = |(index, decision): (usize, &crate::replay::Decision)| {
        let buffer = &run.problem.buffers[decision.buffer];
        Row {
            cells: vec![
                Cell::count(index as u64 + 1),
                Cell::name(run, decision.buffer),
                Cell::bytes(buffer.size),
                Cell::Value(Arg::Live(buffer.live.start, buffer.live.end)),
            ],
            buffer: Some(decision.buffer),
            faded: frame.decision.is_some_and(|now| index < now),
            ..Row::default()
        }
    };
    let rows: Vec<Row> = decisions.iter().enumerate().map(row).collect();
    let table = Table::new(&["#number", "buffer", "#bytes", "#live"], rows, frame.decision);
    (!decisions.is_empty()).then_some(Section { id: "order", view: View::Table(table) })
}
