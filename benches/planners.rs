//! Every planner on every built-in graph and on made-up problems, `reorder` with its search for an
//! order, and reading a graph of a hundred thousand tensors. `bench.html` runs the same in the
//! browser.

use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use memplan_core::graph;
use memplan_core::graph::Graph;
use memplan_core::plan::Plan;
use memplan_core::problem::{Problem, Scope, lifetimes};
use memplan_core::trace::{Probe, Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, Input, Planner, REGISTRY};

fn file(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)).expect("the file is there")
}

/// Names of the built-in graphs.
fn graphs() -> Vec<String> {
    let list: Vec<serde_json::Value> = serde_json::from_slice(&file("www/graphs/index.json")).expect("a list");
    list.iter().map(|example| example["name"].as_str().expect("a name").to_string()).collect()
}

/// Plans; a planner that changes the order of execution looks for it first.
fn run(planner: &dyn Planner, graph: &Graph, problem: &Problem, probe: &mut dyn Probe) -> Option<Plan> {
    let options = planner.info().defaults();
    if options.get(planner::reorder::REORDER).is_empty() {
        return planner.plan(Input { problem, graph: Some(graph) }, &options, probe).ok();
    }
    let mut problem = problem.clone();
    let other = planner::prepare(planner, &mut problem, Some(graph), &Scope::default(), &options).ok()?;
    planner.plan(Input { problem: &problem, graph: other.as_ref().or(Some(graph)) }, &options, probe).ok()
}

fn built_in(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    group.sample_size(20);
    for name in graphs() {
        let read = import::read(&file(&format!("www/graphs/{name}.json")), Answers::default()).expect("a valid graph");
        let Document::Graph(graph) = read.document else { panic!("{name} is a graph") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        for planner in REGISTRY {
            group.bench_function(BenchmarkId::new(planner.info().id, &name), |bencher| {
                // As the page runs it: with every event recorded.
                bencher.iter(|| run(*planner, &graph, &problem, &mut Recorder::default()));
            });
        }
    }
    group.finish();
}

fn by_size(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("size");
    group.sample_size(10);
    for count in [1_000u32, 10_000] {
        let graph = graph::sample(count, 1);
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        group.throughput(Throughput::Elements(count as u64));
        for planner in REGISTRY.iter().filter(|planner| planner.info().is_timed_on(count)) {
            group.bench_function(BenchmarkId::new(planner.info().id, count), |bencher| {
                bencher.iter(|| run(*planner, &graph, &problem, &mut Silent));
            });
        }
    }
    group.finish();
}

/// 111 817 tensors: read, derive live ranges, plan with first fit. The budget is 3 s.
fn large(criterion: &mut Criterion) {
    let packed = file("tests/data/models/gpt_48layer_accumulate_adamw.json.gz");
    let mut group = criterion.benchmark_group("large");
    group.sample_size(10);
    group.bench_function("read and plan", |bencher| {
        bencher.iter(|| {
            let read = import::read(&packed, Answers::default()).expect("a valid graph");
            let Document::Graph(graph) = read.document else { panic!("a graph") };
            let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
            let first_fit = planner::find("first-fit").expect("registered");
            first_fit.plan(Input { problem: &problem, graph: Some(&graph) }, &first_fit.info().defaults(), &mut Silent)
        });
    });
    group.finish();
}

criterion_group!(benches, built_in, by_size, large);
criterion_main!(benches);
