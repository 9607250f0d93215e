//! Reasons that depend on more than the outcome: the function that places, types of storages, and
//! regions of a kernel that run at the same time.

use std::rc::Rc;

use super::*;
use crate::gap::{Case as Cause, gap, reason};
use crate::panel::{Cell, Row, View, sections};
use crate::{Level, gap_sentences};
use memplan_core::problem::{Problem, Scope, five_buffers, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::{IMPORTED, Recorder};
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

/// The partitions of `warp_specialize` run at the same time, whatever the numbers of their
/// operations.
const KERNEL: &str = r#"#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    ttg.warp_specialize()
    default {
      %0 = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
      ttg.local_dealloc %0 : !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      %0 = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
      ttg.local_dealloc %0 : !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
"#;

/// The reasons of all growths beyond the bound, then what is said of them together.
fn above_the_bound(run: &Run) -> String {
    let gap = gap(run, u64::MAX);
    let mut sentences: Vec<Message> = gap.growths.iter().map(|growth| reason(run, growth, Level::Decisions)).collect();
    sentences.extend(gap_sentences(run, &gap, Level::Decisions));
    sentences.iter().map(|sentence| Speech::default().say(sentence)).collect::<Vec<_>>().join(" ")
}

#[test]
fn buffers_of_partitions_that_run_at_the_same_time_are_said_to_be_kept_apart_for_that() {
    let run = run("triton-shared", KERNEL);
    let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
    let notes: Vec<String> = why(&run, &frame).notes.iter().map(|note| Speech::default().say(note)).collect();
    let overlap = "default/%0 16x16xf16 and partition0/%0 16x16xf16 overlap. They live at different steps, but in \
        regions of one warp_specialize, which count as running at the same time.";
    assert!(notes.iter().any(|note| note == overlap), "{notes:?}");
    let above = above_the_bound(&run);
    assert!(above.contains("lives at other steps, but in another region of the same warp_specialize"), "{above}");
}

/// A plan of the file itself, in which the second partition lies above the first.
#[test]
fn bytes_that_another_partition_uses_are_not_called_free() {
    let Document::Buffers(problem) = read(KERNEL) else { panic!("a list of buffers") };
    let planned = run_of("triton-shared", &[], problem.clone(), None);
    let (mut events, mut end) = (Vec::new(), 0);
    for (buffer, place) in planned.plan.places.enumerate() {
        let offset = place.expect("placed").offset;
        events.push(Event::Begin { buffer });
        events.extend((end == 0).then_some(Event::OpenPool { pool: 0, memory: 0, growing: true }));
        events.push(Event::Place { outcome: Outcome::Stated, buffer, pool: 0, offset });
        let to = offset + problem.buffers[buffer].size;
        if to > end {
            events.push(Event::Grow { pool: 0, from: std::mem::replace(&mut end, to), to });
        }
    }
    let stated =
        |planner: &str| Run::new(Rc::new(problem.clone()), origin(planner, 1), planned.plan.clone(), events.clone());
    let case = |planner: &str| gap(&stated(planner), u64::MAX).growths[0].reason.as_ref().map(|reason| reason.case);
    assert_eq!(case(IMPORTED), Some(Cause::Full));
    let above = above_the_bound(&stated(IMPORTED));
    assert!(above.contains("in another region of the same warp_specialize"), "{above}");
    // Other planners let partitions share bytes.
    assert_eq!(case("first-fit"), Some(Cause::Missed));
}
