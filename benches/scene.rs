//! Time to build a picture: `cargo bench --bench scene`; `bench.html` builds the same in the
//! browser.
//!
//! Budgets on a mid-range laptop: 10 000 visible rectangles within a frame of 60 Hz, 50 000 within
//! one of 30 Hz; a step to any frame of 10 000 buffers within 30 ms; a hover within 30 ms.

use std::hint::black_box;
use std::rc::Rc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use memplan_core::problem::{BufferId, crowd};
use memplan_core::trace::Recorder;
use memplan_planners::{self as planner, Input, origin};
use memplan_replay::{Level, Run};
use memplan_scene::{Index, Marks, Picture, Size, Style, View, hit, interaction, stage};

const SIZE: Size = (1600.0, 1100.0);

fn run(buffers: u32, alive: u32) -> Run {
    let problem = Rc::new(crowd(buffers, alive));
    let planner = planner::find("first-fit").expect("a registered planner");
    let info = planner.info();
    let mut recorder = Recorder::window(0..0);
    let input = Input { problem: &problem, graph: None };
    let plan = planner.plan(input, &info.defaults(), &mut recorder).expect("applicable");
    Run::new(problem, origin(info.id, info.align), plan, recorder.events)
}

fn pictures(criterion: &mut Criterion) {
    let style = Style::default();
    for (name, buffers, alive) in [("10k", 10_000, 20), ("50k", 50_000, 50), ("100k below a pixel", 100_000, 20)] {
        let run = run(buffers, alive);
        let index = Index::new(&run);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let view = View::fit(&index, SIZE, &style);
        let marks = Marks { hovered: Some(BufferId(7)), ..Marks::default() };
        criterion.bench_function(&format!("stage {name}"), |bench| {
            bench.iter(|| stage(Picture::new(&run, &index, black_box(&frame), &view, SIZE, &style), &marks));
        });
        let labels = stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &marks).labels;
        criterion.bench_function(&format!("hover {name}"), |bench| {
            bench.iter(|| {
                let targets = hit(Picture::new(&run, &index, black_box(&frame), &view, SIZE, &style), (700.0, 600.0));
                (targets, interaction(Picture::new(&run, &index, &frame, &view, SIZE, &style), &marks, &labels))
            });
        });
    }
}

fn stepping(criterion: &mut Criterion) {
    let style = Style::default();
    let run = run(10_000, 20);
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &style);
    let marks = Marks::default();
    let mut next = 0u32;
    criterion.bench_function("seek, frame and stage of 10k buffers", |bench| {
        bench.iter_batched(
            || {
                next = (next + 3571) % 10_000;
                run.timeline.events_at(Level::Decisions, next)
            },
            |events| stage(Picture::new(&run, &index, &run.frame(events), &view, SIZE, &style), &marks),
            BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = scene;
    config = Criterion::default().sample_size(20);
    targets = pictures, stepping
}
criterion_main!(scene);
