//! A place refused because somebody is in the way names those buffers, by every planner that
//! refuses so.

use std::collections::BTreeSet;
use std::rc::Rc;

use memplan_core::graph::Graph;
use memplan_core::problem::{Branches, BufferId, Problem, Scope, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::{Event, Recorder, Silent, Verdict};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Input, Planner, REGISTRY, find, origin};
use memplan_replay::{Level, Run, why};

fn graph(bytes: &[u8]) -> Graph {
    match import::read(bytes, Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        _ => panic!("the example is a graph"),
    }
}

/// The events of a run that keeps branches parallel, after comparing its plan with that of a run
/// nobody listens to.
fn events(planner: &dyn Planner, graph: &Graph, problem: &Problem) -> Vec<Event> {
    let Ok(options) = planner.info().options([("branch_safe", "true")]) else { return Vec::new() };
    let input = Input { problem, graph: Some(graph) };
    let mut recorder = Recorder::default();
    let plan = planner.plan(input, &options, &mut recorder);
    assert_eq!(plan, planner.plan(input, &options, &mut Silent), "{}", planner.info().id);
    recorder.events
}

#[test]
fn every_refusal_names_who_is_in_the_way() {
    let mut refused: BTreeSet<(&str, Verdict)> = BTreeSet::new();
    for bytes in [
        include_bytes!("../../www/graphs/two_branches.json").as_slice(),
        include_bytes!("../../www/graphs/resnet18.json").as_slice(),
        include_bytes!("../../www/graphs/unet_512.json").as_slice(),
    ] {
        let graph = graph(bytes);
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let branches = Branches::of(&graph, &problem).expect("small");
        for planner in REGISTRY {
            let id = planner.info().id;
            // These try others of the list, or search far longer than what they tell is worth.
            if ["best", "exact", "hill-climb", "usmp-hill-climb", "reorder", "xla-packing-search"].contains(&id) {
                continue;
            }
            let mut named: Vec<BufferId> = Vec::new();
            let mut focus = BufferId(0);
            for event in events(*planner, &graph, &problem) {
                let verdict = match event {
                    Event::Begin { buffer } => {
                        focus = buffer;
                        None
                    }
                    Event::InTheWay { buffer } => {
                        named.push(buffer);
                        continue;
                    }
                    Event::Block { verdict, .. }
                    | Event::AskStorage { verdict, .. }
                    | Event::AskTemporal { verdict, .. } => Some(verdict),
                    _ => None,
                };
                let meets = |&other: &BufferId| problem.buffers[other].live.meets(problem.buffers[focus].live);
                let named = std::mem::take(&mut named);
                match verdict {
                    Some(Verdict::Overlaps) => assert!(!named.is_empty() && named.iter().all(meets), "{id}: {named:?}"),
                    Some(Verdict::Parallel) => {
                        let refuses = |&other: &BufferId| !branches.allow(other, focus);
                        assert!(!named.is_empty() && named.iter().all(refuses), "{id}: {named:?} for {focus:?}");
                    }
                    Some(Verdict::Marked) => assert_eq!(named.len(), 1, "{id}"),
                    // A node may hand on to the one child that branches would refuse, and its
                    // verdict is then the child's.
                    Some(Verdict::InChild) => {}
                    _ => assert!(named.is_empty(), "{id}: {named:?} before {event:?}"),
                }
                refused.extend(
                    verdict
                        .filter(|verdict| [Verdict::Overlaps, Verdict::Parallel].contains(verdict))
                        .map(|verdict| (id, verdict)),
                );
            }
        }
    }
    let planners = |wanted: Verdict| -> Vec<&str> {
        refused.iter().filter(|(_, verdict)| *verdict == wanted).map(|(id, _)| *id).collect()
    };
    let objects = [
        "executorch-banked",
        "executorch-greedy",
        "executorch-greedy-v0.5",
        "executorch-suite",
        "shared-objects-by-breadth",
        "shared-objects-by-min-cost-flow",
        "shared-objects-by-size",
        "shared-objects-by-size-improved",
        "shared-objects-in-order",
    ];
    assert_eq!(planners(Verdict::Overlaps), objects);
    let others = [
        "beam",
        "best-fit",
        "cuda-caching",
        "first-fit",
        "ggml",
        "glow",
        "greedy-by-breadth",
        "greedy-by-size",
        "inductor-reuse",
        "inductor-tree",
        "iree-layout-slices",
        "mlir-static",
        "nnvm",
        "onnxruntime",
        "onnxsim",
        "relax",
        "tflite-arena",
        "tflm-greedy",
        "tinygrad",
        "tvm-relay",
        "usmp-greedy-by-conflicts",
        "usmp-greedy-by-size",
        "worst-fit",
        "xla-heap",
    ];
    let mut all = [objects.as_slice(), others.as_slice()].concat();
    all.sort_unstable();
    assert_eq!(planners(Verdict::Parallel), all);
}

#[test]
fn the_reason_and_the_picture_have_the_names() {
    let graph = graph(include_bytes!("../golden/data/executorch/tiny_add_cat.graph.json.gz"));
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = find("executorch-greedy").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("planned");
    let run = Run::new(problem, origin(planner.info().id, planner.info().align), plan, recorder.events);
    let speech = Speech::default();
    let said = (0..run.timeline.frames(Level::All)).flat_map(|number| {
        let frame = run.frame(run.timeline.events_at(Level::All, number));
        let reason = why(&run, &frame);
        let rows = frame.candidates.iter().zip(reason.rows);
        let refused = rows.filter(|(candidate, _)| candidate.verdict == Verdict::Overlaps);
        let line = |(candidate, row): (&memplan_replay::Candidate, memplan_replay::WhyRow)| {
            (candidate.blockers.concat().len(), speech.say(&row.verdict))
        };
        refused.map(line).collect::<Vec<_>>()
    });
    let said: BTreeSet<(usize, String)> = said.collect();
    assert!(!said.is_empty() && said.iter().all(|(named, words)| *named > 0 && words.contains("held by")), "{said:?}");
    assert!(said.contains(&(1, "not free: held by aten_mul_tensor".into())), "{said:?}");
}
