//! The order in which the nodes run where a planner has changed it, beside that of the file.

use super::{Cell, Row, Section, Table, View, notes};
use crate::{Frame, Run, node_name};
use memplan_core::base::{Arg, Message};
use memplan_core::trace::Note;

/// A node a row: its step now and in the file, and the bytes alive at the step now and in the
/// file's order.
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::sections;
    use super::*;
    use crate::Level;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers, Document};
    use memplan_planners::{self as planner, Input, find, origin};

    #[test]
    fn every_node_stands_at_its_new_step_with_the_old_one_beside_it() {
        let file = include_bytes!("../../../../www/graphs/cases/reorder.json");
        let read = import::read(file, Answers::default()).map(|read| read.document);
        let Ok(Document::Graph(graph)) = read else { panic!("{read:?}") };
        let planner = find("reorder").unwrap();
        let (options, scope) = (planner.info().defaults(), Scope::default());
        let mut problem = lifetimes(&graph, &scope).unwrap();
        let other =
            planner::prepare(planner, &mut problem, Some(&graph), &scope, &options).unwrap().expect("a better order");
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem: &problem, graph: Some(&other) }, &options, &mut recorder).unwrap();
        let run =
            Run::new(Rc::new(problem), origin("reorder", 1), plan, recorder.events).with_graph(Some(Rc::new(other)));
        let last = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let section = sections(&run, &last).into_iter().find(|section| section.id == "node-order").expect("shown");
        let View::Table(table) = section.view else { panic!("a table") };
        let line = |row: &Row| match row.cells.as_slice() {
            [
                Cell::Value(Arg::Count(step)),
                Cell::Value(Arg::Name(node)),
                Cell::Value(Arg::Count(old)),
                Cell::Value(Arg::Bytes(load)),
                Cell::Value(Arg::Bytes(before)),
            ] => (*step, node.clone(), *old, *load, *before, row.changed.is_some()),
            other => panic!("{other:?}"),
        };
        let lines: Vec<_> = table.rows.iter().map(line).collect();
        let expected = [
            (0, "make_a", 0, 6, 6, false),
            (1, "make_c", 2, 12, 12, true),
            (2, "make_d", 3, 17, 18, true),
            (3, "make_e", 4, 12, 23, true),
            (4, "make_b", 1, 13, 12, true),
            (5, "make_f", 5, 9, 9, false),
        ];
        let expected =
            expected.map(|(step, node, old, now, before, moved)| (step, node.to_string(), old, now, before, moved));
        assert_eq!(lines, expected);
    }
}
