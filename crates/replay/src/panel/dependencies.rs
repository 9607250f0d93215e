//! What the finished plan costs where branches could run at the same time: the orders that it adds
//! to the graph, and the longest path before and after. Shown on the last frame, since no earlier
//! one has the whole plan.

use super::{Cell, Row, Section, Table, View};
use crate::{Frame, Run, node_name};
use memplan_core::base::{Arg, Message};
use memplan_core::graph::NodeId;
use memplan_core::plan::{Dependencies, Dependency};

/// The longest path before and after, and how many orders the plan adds.
pub fn parallelism(run: &Run, frame: &Frame) -> Option<Section> {
    let found = finished(run, frame)?;
    let (before, after) = (found.longest_before as u64, found.longest_after as u64);
    let path = Cell::Change(before, after);
    let row = |key: &'static str, cell| Row { cells: vec![Cell::Say(Message::new(key)), cell], ..Row::default() };
    let rows = vec![
        row("panel.dependencies.count", Cell::count(found.list.len() as u64)),
        row("panel.dependencies.longest-path", path),
    ];
    let table = Table::new(&["figure", "#nodes"], rows, None);
    Some(Section { id: "parallelism", view: View::Table(table) })
}

/// The orders that the plan adds, with the buffers that cause them.
pub fn dependencies(run: &Run, frame: &Frame) -> Option<Section> {
    let found = finished(run, frame).filter(|found| !found.list.is_empty())?;
    let rows = found.list.iter().flat_map(|dependency| rows(run, dependency)).collect();
    let table = Table::new(&["runs-first", "then", "#bytes", "old-buffer", "new-buffer"], rows, None);
    Some(Section { id: "dependencies", view: View::Table(table) })
}

fn finished<'r>(run: &'r Run, frame: &Frame) -> Option<&'r Dependencies> {
    (frame.events as usize == run.timeline.events.len()).then(|| run.dependencies()).flatten()
}

/// A row for each cause; the nodes are named in the first.
fn rows<'r>(run: &'r Run, dependency: &'r Dependency) -> impl Iterator<Item = Row> + 'r {
    let node = |node: NodeId| Cell::Value(Arg::Name(node_name(run, node.0 as u64)));
    dependency.reuses.iter().enumerate().map(move |(index, reuse)| {
        let nodes =
            if index == 0 { [node(dependency.first), node(dependency.then)] } else { [Cell::Empty, Cell::Empty] };
        let causes = [Cell::bytes(reuse.bytes), Cell::name(run, reuse.old), Cell::name(run, reuse.new)];
        Row { cells: nodes.into_iter().chain(causes).collect(), buffer: Some(reuse.new), ..Row::default() }
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use crate::panel::sections;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Document};
    use memplan_planners::{Input, find, origin};

    fn run(branch_safe: &str) -> Run {
        let file = include_bytes!("../../../../www/graphs/two_branches.json");
        let Ok(Document::Graph(graph)) = import::read(file, import::Answers::default()).map(|read| read.document)
        else {
            panic!("the example is a graph")
        };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = find("first-fit").expect("listed");
        let options = planner.info().options([("branch_safe", branch_safe)]).expect("declared");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &options, &mut recorder).expect("applicable");
        Run::new(Rc::new(problem), origin("first-fit", 1), plan, recorder.events).with_graph(Some(Rc::new(graph)))
    }

    fn rows_of(run: &Run, frame: u32, id: &str) -> Option<Vec<Row>> {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
        let section = sections(run, &frame).into_iter().find(|section| section.id == id)?;
        match section.view {
            View::Table(table) => Some(table.rows),
            _ => None,
        }
    }

    #[test]
    fn the_last_frame_shows_what_the_plan_adds() {
        let shared = run("false");
        let last = shared.timeline.frames(Level::Decisions) - 1;
        let name = |cell: &Cell| match cell {
            Cell::Value(Arg::Name(name)) => name.clone(),
            other => format!("{other:?}"),
        };
        let listed = rows_of(&shared, last, "dependencies").expect("the branches share bytes");
        let causes: Vec<[String; 2]> = listed.iter().map(|row| [name(&row.cells[3]), name(&row.cells[4])]).collect();
        assert_eq!(causes, [["conv2d_1".to_string(), "conv2d_2".to_string()]]);
        let figures = rows_of(&shared, last, "parallelism").expect("there is a graph");
        let Cell::Change(before, after) = figures[1].cells[1] else { panic!("{figures:?}") };
        assert!(before < after, "{before} {after}");
        assert_eq!(rows_of(&shared, last - 1, "dependencies"), None, "only the finished plan has them");

        let safe = run("true");
        let last = safe.timeline.frames(Level::Decisions) - 1;
        assert_eq!(rows_of(&safe, last, "dependencies"), None);
        let figures = rows_of(&safe, last, "parallelism").expect("there is a graph");
        assert_eq!((&figures[0].cells[1], &figures[1].cells[1]), (&Cell::count(0u64), &Cell::Change(before, before)));
    }
}
