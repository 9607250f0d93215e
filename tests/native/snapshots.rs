//! Pictures of chosen frames as SVG text. `UPDATE_SNAPSHOTS=1 cargo test --test snapshots` rewrites
//! the files.

use std::path::PathBuf;
use std::rc::Rc;

use memplan_core::graph::Graph;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::Recorder;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, origin};
use memplan_replay::{Level, Run};
use memplan_scene::paint::{Theme, svg};
use memplan_scene::{Index, Marks, Picture, Size, Stage, Style, View, scrubber, stage};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn graph(name: &str) -> Graph {
    let bytes = std::fs::read(root().join(format!("www/graphs/{name}.json"))).expect("a built-in example");
    match import::read(&bytes, Answers::default()).expect("a valid file").document {
        Document::Graph(graph) => graph,
        _ => panic!("{name} is a graph"),
    }
}

fn run(name: &str, planner: &str) -> (Run, Vec<String>) {
    let graph = graph(name);
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find(planner).expect("a registered planner");
    let mut recorder = Recorder::default();
    let input = planner::Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let ops = graph.nodes.iter().map(|node| node.op.clone()).collect();
    let info = planner.info();
    (Run::new(problem, origin(info.id, info.align), plan, recorder.events), ops)
}

fn style() -> Style {
    Style { titles: true, ..Style::default() }
}

fn picture(run: &Run, ops: Vec<String>, frame: u32, size: Size, style: &Style) -> Stage {
    let index = Index::new(run).with_ops(&run.problem, ops.iter().map(String::as_str));
    let view = View::fit(&index, size, style);
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    stage(Picture::new(run, &index, &frame, &view, size, style), &Marks::default())
}

fn svg_of(stage: &Stage, size: Size, theme: Theme) -> String {
    svg::to_svg(&[&stage.base, &stage.frame, &stage.interaction], size, theme, "snapshot")
}

fn compare(name: &str, svg: &str) {
    let path = root().join(format!("tests/snapshots/{name}.svg"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, svg).expect("the snapshot can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let line = stored.lines().zip(svg.lines()).position(|(old, new)| old != new);
    assert!(stored == svg, "{name} has changed, first in line {line:?}; look at it with UPDATE_SNAPSHOTS=1");
}

#[test]
fn the_worked_example_grows_although_a_place_is_free() {
    let (run, ops) = run("teaching", "inductor-tree");
    let size = (800.0, 640.0);
    let stage = picture(&run, ops, 8, size, &style());
    let svg = svg_of(&stage, size, Theme::Light);
    for words in [
        "G would fit here",
        "+120\u{202f}B",
        "2 children overlap",
        "B is live [1,\u{202f}5)",
        "was 1\u{202f}736\u{202f}B",
    ] {
        assert!(svg.contains(&format!(">{words}<")), "{words}");
    }
    compare("teaching-8", &svg);
}

#[test]
fn the_worked_example_halfway() {
    let (run, ops) = run("teaching", "inductor-tree");
    let size = (800.0, 640.0);
    let stage = picture(&run, ops, 4, size, &style());
    compare("teaching-4", &svg_of(&stage, size, Theme::Light));
}

#[test]
fn a_network_at_its_end() {
    let (run, ops) = run("resnet18", "inductor-tree");
    let size = (800.0, 640.0);
    let last = run.timeline.frames(Level::Decisions) - 1;
    let stage = picture(&run, ops, last, size, &style());
    compare("resnet18-last", &svg_of(&stage, size, Theme::Dark));
}

#[test]
fn a_phone() {
    let (run, ops) = run("two_branches", "inductor-tree");
    let size = (390.0, 354.0);
    let last = run.timeline.frames(Level::Decisions) - 1;
    let stage = picture(&run, ops, last, size, &Style { narrow: true, ..style() });
    compare("two_branches-narrow", &svg_of(&stage, size, Theme::Light));
}

#[test]
fn the_order_of_placements() {
    let (run, _) = run("resnet18", "inductor-tree");
    let size = (800.0, 48.0);
    let scene = scrubber(&run, Level::Decisions, 20, size, &style(), &[30]);
    compare("resnet18-scrubber", &svg::to_svg(&[&scene], size, Theme::Light, "snapshot"));
}
