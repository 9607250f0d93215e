//! The order in which the nodes run where a planner has changed it, beside that of the file.

use super::{Cell, Row, Section, Table, View, notes};
use crate::base::{Arg, Message};
use crate::replay::{Frame, Run, node_name};
use crate::trace::Note;

/// A node a row: its step now and in the file, and the bytes alive at the step now and in the file's order.
pub fn node_order(run: &Run, frame: &Frame) -> Option<Section> {
    let loads: Vec<u64> = notes(run, frame.events, Note::LoadBefore).map(|(_, load, _)| load).collect();
    let row = |(step, old, load): (u32, u64, u64)| Row {
        cells: vec![
            Cell::count(step),
            Cell::Value(Arg::Name(node_name(run, step.into()))),
            Cell::count(old),
            Cell::bytes(load),
            loads.get(step as usize).map_or(Cell::Empty, |&before| Cell::bytes(before)),
        ],
        changed: (u64::from(step) != old).then(|| Message::new("panel.changed.moved")),
        ..Row::default()
    };
    let rows: Vec<Row> = notes(run, frame.events, Note::Reordered).map(row).collect();
    let current = frame.focus.map(|focus| run.problem.buffers[focus].live.start as usize);
    let is_known = !rows.is_empty();
    let table = Table::new(&["#step", "node", "#file-step", "#load", "#load-before"], rows, current);
    is_known.then_some(Section { id: "node-order", view: View::Table(table) })
}
