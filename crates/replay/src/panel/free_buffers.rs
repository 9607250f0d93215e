//! The list of free buffers from which later results of the same shape are served.

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, StatePanel};

/// The list, the newest last.
#[derive(Clone, Default)]
struct Free {
    list: Vec<BufferId>,
    /// The buffers that entered within this frame's decision.
    entered: Vec<BufferId>,
}

impl Fold for Free {
    fn new(_: &Run) -> Free {
        Free::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => self.entered.clear(),
            Event::Note { note: Note::ListEnter, subject, .. } => {
                self.list.push(BufferId(subject));
                self.entered.push(BufferId(subject));
            }
            Event::Note { note: Note::ListTake, subject, .. } => {
                self.list.retain(|&BufferId(buffer)| buffer != subject);
            }
            _ => {}
        }
    }
}

/// A row for each free buffer in the order in which they are looked at, by the value that it held
/// last.
pub fn list(run: &Run, frame: &Frame) -> Option<Section> {
    if !run.has_panel(StatePanel::FreeBuffers) {
        return None;
    }
    let free = run.fold::<Free>(frame.events);
    let shape = |buffer: BufferId| {
        let tensor = run.problem.buffers[buffer].tensors.first();
        let words = run.graph.as_ref().zip(tensor).map(|(graph, &tensor)| graph.shape_words(tensor));
        words.map_or(Cell::Empty, |words| Cell::Value(Arg::Text(words)))
    };
    let row = |&buffer: &BufferId| Row {
        cells: vec![Cell::name(run, buffer), shape(buffer), Cell::bytes(run.problem.buffers[buffer].size)],
        changed: free.entered.contains(&buffer).then(|| Message::new("panel.changed.freed")),
        buffer: Some(buffer),
        ..Row::default()
    };
    let rows: Vec<Row> = free.list.iter().rev().map(row).collect();
    let is_filled = !rows.is_empty();
    let table = Table::new(&["buffer", "shape", "#bytes"], rows, None);
    is_filled.then_some(Section { id: "free-buffers", view: View::Table(table) })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::text::Speech;
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers, Document};
    use memplan_planners::{Input, find, origin};

    /// `a` and `b` are read once each; `c` has the shape of `a`.
    const GRAPH: &str = r#"{"format":"memory-graph/1","tensors":[
        {"name":"a","dtype":"uint8","shape":[2,8],"kind":"intermediate"},
        {"name":"b","dtype":"uint8","shape":[16],"kind":"intermediate"},
        {"name":"c","dtype":"uint8","shape":[2,8],"kind":"intermediate"},
        {"name":"d","dtype":"uint8","shape":[1],"kind":"intermediate"}],
        "nodes":[{"name":"na","op":"f","inputs":[],"outputs":["a"]},
        {"name":"nb","op":"f","inputs":["a"],"outputs":["b"]},
        {"name":"nc","op":"f","inputs":["b"],"outputs":["c"]},
        {"name":"nd","op":"f","inputs":["c"],"outputs":["d"]}]}"#;

    #[test]
    fn the_list_has_the_newest_first_and_loses_what_is_taken() {
        let read = import::read(GRAPH.as_bytes(), Answers::default()).map(|read| read.document);
        let Ok(Document::Graph(graph)) = read else { panic!("{read:?}") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = find("onnxruntime").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        let run = Run::new(Rc::new(problem), origin("onnxruntime", 256), plan, recorder.events)
            .with_graph(Some(graph.into()));
        let shown = |decisions: u32| -> Option<Table> {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, decisions));
            let Some(Section { view: View::Table(table), .. }) = list(&run, &frame) else { return None };
            Some(table)
        };
        let rows = |decisions: u32| -> Vec<Vec<String>> {
            let Some(table) = shown(decisions) else { return Vec::new() };
            let words = |row: &Row| row.cells.iter().map(|cell| cell.say(Speech::default())).collect();
            table.rows.iter().map(words).collect()
        };
        assert_eq!(rows(1), Vec::<Vec<String>>::new());
        assert_eq!(rows(2), [["a", "2×8", "16\u{202f}B"]]);
        // `c` takes the buffer of `a`, and then the last use of `b` is over.
        assert_eq!(rows(3), [["b", "16", "16\u{202f}B"]]);
        assert_eq!(
            rows(4)[..2],
            [["d", "1", "1\u{202f}B"], ["c", "2×8", "16\u{202f}B"]].map(|row| row.map(String::from).to_vec())
        );
        // Nobody reads `d`, so both end after it is made; `b` was free before.
        let freed: Vec<bool> = shown(4).expect("a list").rows.iter().map(|row| row.changed.is_some()).collect();
        assert_eq!(freed, [true, true, false]);
    }
}
