//! Seeking to random frames. Budgets: 8 ms at 1 000 buffers, 30 ms at 10 000, both at the 95th
//! percentile; the closing table prints that percentile over 500 seeks.

use std::rc::Rc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use memplan_core::problem::sample;
use memplan_core::trace::Recorder;
use memplan_planners::{self as planner, Input, origin};
use memplan_replay::{Level, Run};

fn run(count: u32, id: &str) -> Run {
    let mut problem = sample(count, 1);
    let graph = memplan_core::graph::Graph::default();
    // The tree has deep pools when many buffers live long together.
    problem.name = format!("{id} {count}");
    let planner = planner::find(id).expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    Run::new(Rc::new(problem), origin(id, planner.info().align), plan, recorder.events)
}

fn seeks(run: &Run) -> impl FnMut() -> usize + '_ {
    let frames = run.timeline.frames(Level::Decisions) as u64;
    let mut at = 1u64;
    move || {
        at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        run.frame(run.timeline.events_at(Level::Decisions, ((at >> 33) % frames) as u32)).places.len()
    }
}

fn seek(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("seek");
    let mut table = Vec::new();
    for id in ["first-fit", "inductor-tree"] {
        for count in [1_000u32, 10_000] {
            let run = run(count, id);
            let mut seek = seeks(&run);
            group.bench_function(BenchmarkId::new(id, count), |bencher| bencher.iter(&mut seek));
            let mut times: Vec<f64> = (0..500)
                .map(|_| {
                    let start = Instant::now();
                    std::hint::black_box(seek());
                    start.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            table.push((id, count, times[times.len() / 2], times[times.len() * 95 / 100]));
        }
    }
    group.finish();
    println!("\n{:<16}{:>10}{:>12}{:>12}", "seek", "buffers", "median ms", "p95 ms");
    for (id, count, median, high) in table {
        println!("{id:<16}{count:>10}{median:>12.3}{high:>12.3}");
    }
}

criterion_group!(benches, seek);
criterion_main!(benches);
