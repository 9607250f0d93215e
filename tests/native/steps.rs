//! What is written step by step and frame by frame, and is not read back: traces name operators,
//! frames lose no event.

use std::collections::{BTreeMap, BTreeSet};

use memplan_core::base::Arg;
use memplan_core::plan::check;
use memplan_core::problem::{Buffer, Live, Memory, Problem, Scope, lifetimes};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Input, REGISTRY, origin};
use memplan_replay::{Level, Run, record_all};
use serde_json::Value;

#[test]
fn traces_by_step_name_the_operators() {
    let file =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/teaching.json")).expect("an example");
    let Ok(Document::Graph(graph)) = import::read(&file, Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    let problem = lifetimes(&graph, &Scope { weights: true, ..Scope::default() }).expect("sizes are known");
    for planner in REGISTRY.iter().filter(|planner| planner.info().ranked) {
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
        let text = export::trace_by_step(&problem, Some(&plan), Some(&graph)).expect("few events");
        let ops: BTreeSet<&str> = graph.nodes.iter().map(|node| node.op.as_str()).collect();
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let named =
            value["traceEvents"].as_array().expect("a list").iter().filter_map(|e| e["args"]["op_name"].as_str());
        assert!(named.clone().any(|op| ops.contains(op)) && named.clone().all(|op| op.is_empty() || ops.contains(op)));
    }
}

/// The rows of each buffer in a trace by step of the recorded graph with changed buffers, as one
/// planner plans it.
fn rows_of_changed_buffers(planner: &str) -> BTreeMap<String, (u64, u64, usize)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/data/executorch/mutable_buffers.graph.json.gz");
    let file = std::fs::read(path).expect("a recorded graph");
    let Ok(Document::Graph(graph)) = import::read(&file, Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let planner = memplan_planners::find(planner).expect("registered");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
    let text = export::trace_by_step(&problem, Some(&plan), Some(&graph)).expect("few events");
    let Ok(Document::Plan(again, places)) = import::read(text.as_bytes(), Answers::default()).map(|read| read.document)
    else {
        panic!("a plan")
    };
    assert_eq!(check(&again, &places), [], "a valid plan stays one");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let mut rows = BTreeMap::new();
    for event in value["traceEvents"].as_array().expect("a list") {
        let step = event["tid"].as_u64().expect("a step");
        let name = event["name"].as_str().expect("a name").to_string();
        let row = rows.entry(name).or_insert((step, step, 0));
        *row = (row.0.min(step), row.1.max(step), row.2 + 1);
    }
    rows
}

#[test]
fn traces_by_step_show_a_changed_buffer_all_the_time_and_no_ghost_of_it() {
    let rows = rows_of_changed_buffers("executorch-greedy");
    assert_eq!((rows["b_st"], rows["b_n"]), ((0, 25, 26), (0, 25, 26)));
    assert_eq!(rows["x"], (0, 10, 11), "what a placeholder holds is there from the start");
    assert!(!rows.contains_key("output.0") && !rows.contains_key("output.1"), "{:?}", rows.keys());
    // Eleven of the thirteen specs that are planned.
    assert_eq!(rows.len(), 11);
}

#[test]
fn a_plan_that_gives_the_bytes_of_a_changed_buffer_to_others_keeps_its_own_live_ranges() {
    // Planned without regard to ExecuTorch's rules, `output.0` takes the bytes of `b_st` after its
    // last read.
    assert_eq!(rows_of_changed_buffers("first-fit")["b_st"], (2, 23, 22));
}

#[test]
fn every_frame_of_a_run_is_written() {
    let file =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/teaching.json")).expect("an example");
    let Ok(Document::Graph(graph)) = import::read(&file, Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    let problem = std::rc::Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let words: BTreeSet<&str> = memplan_core::text::Locale::En.keys().into_iter().collect();
    for planner in REGISTRY {
        let info = planner.info();
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &info.defaults(), &mut recorder).expect("applicable");
        let run = Run::new(problem.clone(), origin(info.id, info.align), plan, recorder.events);
        for level in Level::ALL {
            let text = export::frames::frames(&record_all(&run, level));
            let file: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(
                (file["format"].as_str(), file["level"].as_str()),
                (Some("memory-frames/1"), Some(level.name()))
            );
            let frames = file["frames"].as_array().expect("a list");
            assert_eq!(frames.len(), run.timeline.frames(level) as usize, "{}", info.id);
            // No event is lost or written twice.
            let written: usize = frames.iter().map(|frame| frame["events"].as_array().map_or(0, Vec::len)).sum();
            let last = run.timeline.events_at(level, u32::MAX);
            assert_eq!(written, last as usize, "{} {}", info.id, level.name());
            for frame in frames {
                let key = frame["why"]["headline"]["key"].as_str().expect("a key");
                assert!(words.contains(key), "{key}");
                if let Some(name) = frame["focus"]["name"].as_str() {
                    assert_eq!(frame["highlighted"][0].as_str(), Some(name));
                    assert!(problem.buffer_named(name).is_some());
                }
            }
            if level == Level::Decisions && info.ranked {
                let peak = frames.last().and_then(|frame| frame["peak"].as_u64());
                assert_eq!(peak, Some(run.metrics.peak), "{}", info.id);
            }
        }
    }
}

#[test]
fn a_trace_with_an_event_a_step_stays_small() {
    let mut problem = Problem::default();
    problem.memories.push(Memory { device: "cpu".into(), mem_id: None });
    problem.steps = 1 << 20;
    for index in 0..3 {
        problem.buffers.push(Buffer::of(format!("b{index}"), 1, Live::new(0, 1 << 20)));
    }
    let refused = export::trace_by_step(&problem, None, None).expect_err("three million events");
    assert_eq!(refused.key, "fault.trace-too-large");
    // As many events as there is room for are written, and the count before is of what is written,
    // or of a little more.
    let fits = |steps: u32| {
        let mut short = problem.clone();
        short.buffers.iter_mut().for_each(|buffer| buffer.live.end = steps);
        export::trace_by_step(&short, None, None)
    };
    let written = fits(100_000).expect("room for it").len() as u64;
    assert!((export::MAX_BYTES / 2..export::MAX_BYTES).contains(&written), "{written}");
    let Some(&Arg::Bytes(counted)) = fits(200_000).expect_err("no room").arg("bytes") else { panic!("a size") };
    assert!((2 * written..3 * written).contains(&counted), "{counted} for twice {written}");
    // Steps in which nothing lives cost nothing.
    problem.buffers.iter_mut().for_each(|buffer| buffer.live = Live::new(u32::MAX - 1, u32::MAX));
    problem.steps = u32::MAX;
    assert!(export::trace_by_step(&problem, None, None).is_ok_and(|text| text.len() < 10_000));
}
