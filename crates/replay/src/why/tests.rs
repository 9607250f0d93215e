//! Reasons that depend on more than the outcome: the function that places, and types of storages.

use std::rc::Rc;

use super::*;
use crate::Level;
use crate::panel::{Cell, Row, View, sections};
use memplan_core::problem::{Problem, Scope, five_buffers, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::Recorder;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Input, find, origin};

fn run_of(planner: &str, given: &[(&str, &str)], problem: Problem, graph: Option<memplan_core::graph::Graph>) -> Run {
    let planner = find(planner).expect("registered");
    let options = planner.info().options(given.iter().copied()).expect("known options");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: graph.as_ref() };
    let plan = planner.plan(input, &options, &mut recorder).expect("planned");
    let run = Run::new(Rc::new(problem), origin(planner.info().id, planner.info().align), plan, recorder.events);
    run.with_graph(graph.map(Rc::new))
}

fn read(file: &str) -> Document {
    import::read(file.as_bytes(), Answers::default()).expect("readable").document
}

fn run(planner: &str, file: &str) -> Run {
    match read(file) {
        Document::Graph(graph) => {
            let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
            run_of(planner, &[], problem, Some(graph))
        }
        Document::Buffers(problem) => run_of(planner, &[], problem, None),
        other => panic!("{other:?}"),
    }
}

/// Name of each buffer in order of the decisions, with the function that placed it.
fn functions(run: &Run) -> Vec<(&str, Option<&'static str>)> {
    let of = |number: usize| {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, number as u32 + 1));
        (&*run.problem.buffers[run.timeline.decisions[number].buffer].name, why(run, &frame).source)
    };
    (0..run.timeline.decisions.len()).map(of).collect()
}

#[test]
fn the_function_of_the_chosen_algorithm_is_named_from_the_first_buffer_on() {
    let mut problem = five_buffers::problem();
    problem.buffers[BufferId(2)].size = 0;
    for (algorithm, function) in [("trivial", "trivialMemoryPlanner"), ("best-fit", "bestFitMemoryPlanner")] {
        let run = run_of("mlir-static", &[("algorithm", algorithm)], problem.clone(), None);
        assert!(functions(&run).iter().all(|(_, named)| *named == Some(function)), "{:?}", functions(&run));
    }
}

/// `b` and `d` have sizes that depend on a symbol; `d` is the only buffer of its device.
const SYMBOLIC: &str = r#"{"format":"memory-graph/1","name":"symbolic","symbols":{"n":{"hint":64}},"tensors":[
    {"name":"a","dtype":"uint8","shape":[64],"kind":"intermediate","device":"cpu"},
    {"name":"b","dtype":"uint8","shape":["n"],"kind":"intermediate","device":"cpu"},
    {"name":"c","dtype":"uint8","shape":[64],"kind":"intermediate","device":"gpu"},
    {"name":"d","dtype":"uint8","shape":["n"],"kind":"intermediate","device":"npu"}],"nodes":[
    {"name":"na","op":"f","inputs":[],"outputs":["a"]},
    {"name":"nb","op":"f","inputs":["a"],"outputs":["b"]},
    {"name":"nc","op":"f","inputs":["b"],"outputs":["c"]},
    {"name":"nd","op":"f","inputs":["c"],"outputs":["d"]}]}"#;

#[test]
fn sizes_that_depend_on_symbols_name_the_function_that_places_them() {
    let (known, unknown) = (Some("packStaticSlicesGreedily"), Some("packDynamicSlicesConservatively"));
    let run = run("iree-layout-slices", SYMBOLIC);
    assert_eq!(functions(&run), [("a", known), ("b", unknown), ("c", known), ("d", unknown)]);
}

#[test]
fn a_free_storage_of_another_type_is_listed_and_both_types_are_shown() {
    let run = run("relax", include_str!("../../../../www/graphs/cases/relax.json"));
    let frame = run.frame(run.timeline.events_at(Level::Decisions, 2));
    let why = why(&run, &frame);
    let verdicts: Vec<String> = why.rows.iter().map(|row| Speech::default().say(&row.verdict)).collect();
    assert_eq!(verdicts, ["not examined: its type is float32, not int32"]);
    assert!(!why.rows[0].visited && !why.rows[0].chosen);
    let tokens = sections(&run, &frame).into_iter().find(|section| section.id == "tokens").expect("storages");
    let View::Table(table) = tokens.view else { panic!("a table") };
    let dtype = |row: &Row| row.cells[2].clone();
    let text = |name: &str| Cell::Value(memplan_core::base::Arg::Text(name.into()));
    assert_eq!(table.rows.iter().map(dtype).collect::<Vec<_>>(), [text("float32"), text("int32")]);
}
