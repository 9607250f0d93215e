//! Every planner on every built-in graph and on made-up problems, and reading a graph of a hundred thousand tensors.
//! `bench.html` runs the same in the browser.

use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use memplan::import::{self, Choices, Document};
use memplan::planner::{self, Input, REGISTRY};
use memplan::problem::{Scope, lifetimes, sample};
use memplan::trace::{Recorder, Silent};

const GRAPHS: [&str; 9] = [
    "teaching",
    "diamond",
    "two_branches",
    "resnet18",
    "mobilenet_v2",
    "unet_512",
    "bert_base_seq128",
    "gpt2_small_seq256",
    "resnet18_train_b8",
];

fn file(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the file is there")
}

fn built_in(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    group.sample_size(20);
    for name in GRAPHS {
        let read = import::read(&file(&format!("www/graphs/{name}.json")), Choices::default()).expect("a valid graph");
        let Document::Graph(graph) = read.document else { panic!("{name} is a graph") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let input = Input { problem: &problem, graph: Some(&graph) };
        for planner in REGISTRY {
            let options = planner.info().defaults();
            group.bench_function(BenchmarkId::new(planner.info().id, name), |bencher| {
                // As the page runs it: with every event recorded.
                bencher.iter(|| planner.plan(input, &options, &mut Recorder::default()));
            });
        }
    }
    group.finish();
}

fn by_size(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("size");
    group.sample_size(10);
    for count in [1_000u32, 10_000, 100_000] {
        let problem = sample(count, 1);
        group.throughput(Throughput::Elements(count as u64));
        let is_timed = |planner: &&&dyn planner::Planner| {
            planner.info().is_timed_on(count) && planner::applicable(**planner, false).is_ok()
        };
        for planner in REGISTRY.iter().filter(is_timed) {
            let options = planner.info().defaults();
            let input = Input { problem: &problem, graph: None };
            group.bench_function(BenchmarkId::new(planner.info().id, count), |bencher| {
                bencher.iter(|| planner.plan(input, &options, &mut Silent));
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
            let read = import::read(&packed, Choices::default()).expect("a valid graph");
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
