//! What the state panel's sections show for a planner of storages, on small graphs.

use std::rc::Rc;

use memplan::base::Arg;
use memplan::graph::Graph;
use memplan::import::{self, Document};
use memplan::planner::{self, Input};
use memplan::problem::{Scope, lifetimes};
use memplan::replay::panel::{Cell, Row, Ruler, Section, Table, View, sections};
use memplan::replay::{Frame, Level, Run};
use memplan::text::Speech;
use memplan::trace::Recorder;

/// A chain of values of the sizes given, in elements of 4 bytes.
fn chain(sizes: &[u64]) -> Graph {
    let mut tensors = vec![r#"{"name":"t0","dtype":"float32","shape":[1],"kind":"input"}"#.to_string()];
    let mut nodes = Vec::new();
    for (own, size) in (1..).zip(sizes) {
        let kind = if own == sizes.len() { "output" } else { "intermediate" };
        tensors.push(format!(r#"{{"name":"t{own}","dtype":"float32","shape":[{size}],"kind":"{kind}"}}"#));
        let before = own - 1;
        nodes.push(format!(r#"{{"name":"n{own}","op":"f","inputs":["t{before}"],"outputs":["t{own}"]}}"#));
    }
    let (tensors, nodes) = (tensors.join(","), nodes.join(","));
    let text = format!(r#"{{"format":"memory-graph/1","name":"g","tensors":[{tensors}],"nodes":[{nodes}]}}"#);
    match import::read(text.as_bytes(), import::Choices::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

fn run(graph: Graph, options: &[(&str, &str)]) -> Run {
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("nnvm").expect("registered");
    let mut recorder = Recorder::default();
    let options = planner.info().options(options.iter().copied()).expect("declared");
    let plan = planner.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut recorder);
    let plan = plan.expect("applicable");
    Run::new(problem, "nnvm", plan, recorder.events, 1).with_graph(Some(Rc::new(graph)))
}

/// The moment after the decision with this number, counted from 1.
fn after(run: &Run, decision: u32) -> Frame {
    run.frame(run.timeline.events_at(Level::Decisions, decision))
}

fn section(run: &Run, frame: &Frame, id: &str) -> Option<View> {
    sections(run, frame).into_iter().find(|section: &Section| section.id == id).map(|section| section.view)
}

fn table(run: &Run, frame: &Frame, id: &str) -> Table {
    match section(run, frame, id) {
        Some(View::Table(table)) => table,
        other => panic!("{id}: {other:?}"),
    }
}

/// A row in words, with the word for what changed.
fn line(row: &Row) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Empty => "-".to_string(),
        Cell::Value(Arg::Bytes(value) | Arg::Count(value)) => value.to_string(),
        Cell::Value(Arg::Names(names)) => names.join(","),
        Cell::Value(Arg::Text(text)) => text.clone(),
        Cell::Value(other) => format!("{other:?}"),
        Cell::Say(message) => Speech::default().say(message),
        Cell::Change(from, to) | Cell::Grown(from, to) => format!("{from}→{to}"),
        Cell::Bar(share) => format!("{share:.2}"),
    };
    let changed = row.changed.iter().map(|word| format!(" ({})", Speech::default().say(word)));
    row.cells.iter().map(cell).collect::<Vec<_>>().join(" | ") + &changed.collect::<String>()
}

fn lines(table: &Table) -> Vec<String> {
    table.rows.iter().map(line).collect()
}

#[test]
fn storages_tell_who_is_in_them_and_what_this_decision_did() {
    let run = run(chain(&[16, 8, 32, 8]), &[]);
    // t3 enlarges the storage that t1 left; with it t2 is done.
    let frame = after(&run, 3);
    let shown = table(&run, &frame, "storages");
    let expected = ["0 | 128 | cpu | 0→1 | in use by t3 | t3,t1 (enlarged)", "1 | 32 | cpu | 1→0 | free | t2 (freed)"];
    assert_eq!(lines(&shown), expected);
    assert_eq!(shown.current, Some(0));
    let end = table(&run, &after(&run, 4), "storages");
    assert_eq!(lines(&end)[1], "1 | 32 | cpu | 0→1 | kept to the end for t4 | t4,t2 (taken)");
}

#[test]
fn the_ruler_shows_the_window_and_numbers_only_what_was_looked_at() {
    let run = run(chain(&[1000, 1000, 10, 10, 10]), &[("match_range", "16")]);
    // t5 finds the storages of t1 and t2 far above its window and takes that of t3.
    let Some(View::Ruler(Ruler { request, window, marks })) = section(&run, &after(&run, 5), "ruler") else {
        panic!("a ruler");
    };
    assert_eq!((request, window), (40, (2, 640)));
    let marks: Vec<_> = marks.iter().map(|mark| (mark.pool.0, mark.bytes, mark.number, mark.chosen)).collect();
    assert_eq!(marks, [(2, 40, Some(1), true), (0, 4000, None, false), (1, 4000, None, false)]);
    assert!(section(&run, &run.frame(0), "ruler").is_none());
}

#[test]
fn a_search_lists_its_tries_and_every_row_is_a_setting() {
    let run = run(chain(&[64, 64, 65]), &[("search", "true")]);
    let shown = table(&run, &after(&run, 1), "tries");
    let expected = ["1 | 772 | 1.00", "2 | 516 | 0.67 (kept)", "4 | 516 | 0.67", "8 | 516 | 0.67", "16 | 516 | 0.67"];
    assert_eq!(lines(&shown), expected);
    assert_eq!(shown.rows[1].settings, [("search", "false".to_string()), ("match_range", "2".to_string())]);
    assert_eq!(shown.current, Some(1));
    assert!(section(&run, &run.frame(0), "tries").is_none(), "nothing is tried yet");
}

#[test]
fn colours_stand_along_the_nodes_and_mark_the_one_whose_turn_it_is() {
    let run = run(chain(&[8, 8, 8]), &[("num_temp", "2")]);
    let Some(View::Strip(chips)) = section(&run, &after(&run, 2), "colors") else { panic!("a strip") };
    let chips: Vec<_> = chips.iter().map(|chip| (chip.label.as_str(), chip.class, chip.current)).collect();
    assert_eq!(chips, [("n1", 0, false), ("n2", 0, true), ("n3", 0, false)]);
}

#[test]
fn the_run_time_pool_holds_variables_too() {
    let run = run(chain(&[16, 8, 32]), &[("runtime", "true")]);
    let shown = table(&run, &after(&run, 3), "runtime");
    assert_eq!(lines(&shown), ["0 | 128 | cpu | t1,t3", "1 | 32 | cpu | t2", "2 | 4 | cpu | t0"]);
    assert_eq!(shown.rows[2].pool, None);
    assert!(section(&run, &after(&run, 2), "runtime").is_none());
}

#[test]
fn planners_without_storages_have_no_such_sections() {
    let graph = chain(&[8, 8]);
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("first-fit").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let run = Run::new(problem, "first-fit", plan, recorder.events, 1);
    let ids: Vec<&str> = sections(&run, &after(&run, 2)).iter().map(|section| section.id).collect();
    assert_eq!(ids, ["order"]);
}
