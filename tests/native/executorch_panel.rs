//! What the state panel shows of ExecuTorch's planners.

use std::rc::Rc;

use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::Recorder;
use memplan_formats::import::{self, Document};
use memplan_planners::{Input, find, origin};
use memplan_replay::panel::{Cell, Section, Table, View, sections};
use memplan_replay::{Level, Run, counted, gap, reason, why};

const GRAPH: &[u8] = include_bytes!("../golden/data/executorch/tiny_add_cat.graph.json.gz");

fn run(planner: &str, given: &[(&str, &str)]) -> Run {
    planned(GRAPH, planner, given)
}

fn planned(file: &[u8], planner: &str, given: &[(&str, &str)]) -> Run {
    let Ok(Document::Graph(graph)) = import::read(file, import::Answers::default()).map(|read| read.document) else {
        panic!("not a graph")
    };
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = find(planner).expect("registered");
    let options = planner.info().options(given.iter().copied()).expect("known options");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &options, &mut recorder).expect("planned");
    Run::new(problem, origin(planner.info().id, planner.info().align), plan, recorder.events)
}

/// The rows of a section at a frame: cells in words, then the mark of what changed.
fn rows(run: &Run, frame: u32, id: &str) -> Vec<String> {
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    let section = sections(run, &frame).into_iter().find(|section| section.id == id);
    let Some(Section { view: View::Table(Table { rows, .. }), .. }) = section else { return Vec::new() };
    let speech = Speech::default();
    let say = |message: &memplan_core::base::Message| speech.say(message);
    let cell = |cell: &Cell| match cell {
        Cell::Value(memplan_core::base::Arg::Names(names)) => names.join(" "),
        Cell::Value(memplan_core::base::Arg::Text(text)) => text.clone(),
        Cell::Value(memplan_core::base::Arg::Live(start, end)) => format!("{start}-{end}"),
        Cell::Value(
            memplan_core::base::Arg::Bytes(n) | memplan_core::base::Arg::Count(n) | memplan_core::base::Arg::Address(n),
        ) => n.to_string(),
        Cell::Say(message) => say(message),
        Cell::Change(from, to) | Cell::Grown(from, to) => format!("{from}>{to}"),
        other => format!("{other:?}"),
    };
    let row = |row: &memplan_replay::panel::Row| {
        let cells: Vec<String> = row.cells.iter().map(cell).collect();
        format!(
            "{}{}",
            cells.join(" | "),
            row.changed.as_ref().map_or_else(String::new, |word| format!(" | {}", say(word)))
        )
    };
    rows.iter().map(row).collect()
}

#[test]
fn objects_and_arenas_grow_with_the_run() {
    let run = run("executorch-greedy", &[]);
    assert_eq!(rows(&run, 0, "objects"), [""; 0]);
    assert_eq!(rows(&run, 1, "objects"), ["0 | arena 1 | 0 | 256 | 12-15 | aten_mul_tensor | new"]);
    assert_eq!(rows(&run, 1, "arenas"), ["arena 1 | cpu | 0>256 | 896"]);
    assert_eq!(
        rows(&run, 8, "objects"),
        [
            "0 | arena 1 | 0 | 256 | 4-15 | aten_relu_default aten_mul_tensor",
            "1 | arena 1 | 256 | 256 | 2-16 | aten_sum_dim_int_list y aten_mm_default | taken",
            "2 | arena 1 | 512 | 256 | 1-13 | x aten_cat_default",
            "3 | arena 1 | 768 | 128 | 6-16 | aten_add_tensor",
        ]
    );
    assert_eq!(rows(&run, 8, "arenas"), ["arena 1 | cpu | 896 | 896"]);
    assert_eq!(rows(&run, 8, "suite"), [""; 0]);
}

#[test]
fn an_enlarged_object_pushes_those_above_it_up() {
    let run = run("executorch-greedy-v0.5", &[]);
    let last = run.timeline.frames(Level::Decisions) - 1;
    let places = run.frame(run.timeline.events_at(Level::Decisions, last)).places;
    let enlarged = (0..=last).find(|&frame| rows(&run, frame, "objects").iter().any(|row| row.ends_with("enlarged")));
    assert!(enlarged.is_some(), "some object grows");
    for row in rows(&run, last, "objects") {
        let cells: Vec<&str> = row.split(" | ").collect();
        for name in cells[5].split(' ') {
            let id = run.problem.buffer_named(name).expect("named");
            assert_eq!(places[id].map(|place| place.offset.to_string()).as_deref(), Some(cells[2]), "{name}");
        }
    }
}

#[test]
fn a_suite_lists_its_algorithms_and_marks_the_one_kept() {
    let run = run("executorch-suite", &[("algorithms", "naive;greedy;greedy_v0.5")]);
    let found = rows(&run, 1, "suite");
    assert_eq!(found[..2], ["1 | naive | cpu | 1312 | kept".to_string(), "2 | greedy | cpu | 2208".to_string()]);
    assert_eq!(found.len(), 3);
}

/// The eight buffers of the lessons, whose sizes are no multiples of 16.
fn teaching(planner: &str) -> Run {
    const GRAPH: &[u8] = include_bytes!("../../www/graphs/teaching.json");
    planned(GRAPH, planner, &[])
}

#[test]
fn what_is_left_over_is_counted_as_the_planner_rounds_it() {
    let run = teaching("executorch-greedy");
    let said = |frame: u32| {
        let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
        let (why, speech) = (why(&run, &frame), Speech::default());
        let rows: Vec<String> = why.rows.iter().map(|row| speech.say(&row.verdict)).collect();
        let notes: Vec<String> = why.notes.iter().map(|note| speech.say(note)).collect();
        let rounded = counted(&run, &frame).map(|message| speech.say(&message)).unwrap_or_default();
        (plain(&rows.join("; ")), plain(&notes.join("; ")), plain(&rounded))
    };
    let (rows, notes, rounded) = said(3);
    assert!(rows.contains("400 B left over") && notes.contains("400 B stay free"), "{rows} {notes}");
    assert!(rounded.starts_with("The planner rounds 600 B up to 608 B"), "{rounded}");
    let (rows, _, rounded) = said(7);
    assert!(rows.contains("too small: 128 B of 200 B, rounded up to 208 B"), "{rows}");
    assert!(rounded.contains("208 B"), "{rounded}");
    // D has 320 B, a multiple of 16.
    assert_eq!(said(5).2, "");
    // The distance to the bound counts the same bytes.
    let found = gap(&run, u64::MAX);
    let reason = plain(&Speech::default().say(&reason(&run, &found.growths[0], Level::Decisions)));
    assert!(reason.starts_with("208 B were free, in 2 pieces") && reason.contains("80 B and 128 B"), "{reason}");
    assert!(reason.contains("multiples of 16 B"), "{reason}");
    // An object that grows takes the rounded size.
    let run = teaching("executorch-greedy-v0.5");
    let frames = (1..=8).map(|frame| run.frame(run.timeline.events_at(Level::Decisions, frame)));
    let rows = frames.flat_map(|frame| why(&run, &frame).rows);
    let grown: Vec<String> = rows.map(|row| plain(&Speech::default().say(&row.verdict))).collect();
    assert!(grown.iter().any(|row| row.contains("is enlarged to 512 B")), "{grown:?}");
}

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}
