//! What `bench.html` calls: the same runs as the native benches, timed in the browser.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::{Choice, Deaf, Desk, Failure, Job, Source, ranked, readers};
use crate::graph;
use crate::import::{self, Answers};
use crate::planner::{self, Input, REGISTRY, origin};
use crate::problem::{BufferId, Problem, Scope, crowd, lifetimes, sample};
use crate::replay::{Level, Run};
use crate::scene::{Index, Marks, Size, Style, View, hit, interaction, stage};
use crate::trace::{Recorder, Silent};

/// Ids of all planners.
#[wasm_bindgen(js_name = benchPlanners)]
pub fn planners() -> Vec<String> {
    REGISTRY.iter().map(|planner| planner.info().id.to_string()).collect()
}

/// Median time in milliseconds of planning a graph file that has been read before, with every event recorded.
///
/// # Errors
/// A sentence when the file or the planner cannot be used.
#[wasm_bindgen(js_name = benchPlan)]
pub fn plan(bytes: Vec<u8>, id: &str, runs: u32) -> Result<f64, JsValue> {
    let mut desk = Desk::default();
    let job = |source| Job {
        source,
        scope: Scope::default(),
        planner: id.into(),
        options: Default::default(),
        own_plan: false,
        window: None,
        diagram: false,
    };
    let mut go = |source| match desk.work(&job(source), &mut Deaf) {
        Ok(done) => done.planned.map(|_| ()).map_err(|none| JsValue::from_str(&none.why.key)),
        Err(_) => Err(JsValue::from_str("the file cannot be read")),
    };
    go(Source::Bytes { bytes, choices: Answers::default() })?;
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let start = now();
        go(Source::Keep)?;
        times.push(now() - start);
    }
    Ok(percentile(times, 50))
}

/// Time in milliseconds of planning a made-up graph, silently.
#[wasm_bindgen(js_name = benchSize)]
pub fn size(count: u32, id: &str) -> Option<f64> {
    let planner = planner::find(id).filter(|planner| planner.info().is_timed_on(count))?;
    let graph = graph::sample(count, 1);
    let mut problem = lifetimes(&graph, &Scope::default()).ok()?;
    let options = planner.info().defaults();
    let start = now();
    let other = planner::prepare(planner, &mut problem, Some(&graph), &Scope::default(), &options).ok()?;
    let input = Input { problem: &problem, graph: other.as_ref().or(Some(&graph)) };
    planner.plan(input, &options, &mut Silent).ok()?;
    Some(now() - start)
}

/// 95th percentile in milliseconds of seeking to a random frame of a first-fit run.
#[wasm_bindgen(js_name = benchSeek)]
pub fn seek(count: u32, seeks: u32) -> Option<f64> {
    let run = first_fit(sample(count, 1), Recorder::default())?;
    let frames = run.timeline.frames(Level::Decisions);
    let times = (0..seeks.max(1)).map(|index| {
        let start = now();
        run.frame(run.timeline.events_at(Level::Decisions, index.wrapping_mul(2_654_435_761) % frames));
        now() - start
    });
    Some(percentile(times.collect(), 95))
}

/// Size of a picture in css pixels: that of a large window.
const PICTURE: Size = (1600.0, 1100.0);

/// Medians in milliseconds of building the picture of so many buffers, `alive` of them at a time; of what a hover does; and of
/// going to a random frame and building its picture.
#[wasm_bindgen(js_name = benchScene)]
pub fn scene(count: u32, alive: u32, runs: u32) -> Option<Vec<f64>> {
    let run = first_fit(crowd(count, alive), Recorder::window(0..0))?;
    let (style, index) = (Style::default(), Index::new(&run));
    let view = View::fit(&index, PICTURE, &style);
    let marks = Marks { hovered: Some(BufferId(7)), ..Marks::default() };
    let end = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
    let frames = run.timeline.frames(Level::Decisions);
    let median = |work: &dyn Fn(u32)| {
        let times = (0..runs.max(1)).map(|turn| {
            let start = now();
            work(turn);
            now() - start
        });
        percentile(times.collect(), 50)
    };
    Some(vec![
        median(&|_| drop(stage(&run, &index, &end, &view, PICTURE, &style, &marks))),
        median(&|_| {
            drop(hit(&run, &index, &end, &view, PICTURE, &style, (700.0, 600.0)));
            drop(interaction(&run, &index, &end, &view, PICTURE, &style, &marks));
        }),
        median(&|turn| {
            let frame = run.timeline.events_at(Level::Decisions, turn.wrapping_mul(2_654_435_761) % frames);
            drop(stage(&run, &index, &run.frame(frame), &view, PICTURE, &style, &Marks::default()));
        }),
    ])
}

/// Megabytes a second at which a made-up ONNX model of `size` bytes is read; each of its weights has `weight` bytes.
#[wasm_bindgen(js_name = benchImport)]
pub fn import(size: u32, weight: u32, symbolic: bool) -> Option<f64> {
    let bytes = import::sample_onnx(size as usize, weight as usize, symbolic);
    let start = now();
    let read = readers::read(&bytes, &Answers::default());
    let seconds = (now() - start) / 1e3;
    // A clock that has not moved on tells no rate.
    read.is_ok().then_some(bytes.len() as f64 / 1e6 / seconds).filter(|rate| rate.is_finite())
}

/// Milliseconds to read a graph file, to plan it with first fit and to build the picture of the end of that run.
///
/// # Errors
/// The first fault of a file that cannot be read or planned.
#[wasm_bindgen(js_name = benchLarge)]
pub fn large(bytes: Vec<u8>) -> Result<Vec<f64>, JsValue> {
    let mut marks = vec![now()];
    let read = readers::read(&bytes, &Answers::default()).map_err(told)?;
    let graph = read.document.graph().ok_or(JsValue::NULL)?;
    marks.push(now());
    let problem = lifetimes(graph, &Scope::default()).map_err(|_| JsValue::NULL)?;
    let run = first_fit(problem, Recorder::window(0..0)).ok_or(JsValue::NULL)?;
    marks.push(now());
    let (style, index) = (Style::default(), Index::new(&run));
    let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
    drop(stage(&run, &index, &frame, &View::fit(&index, PICTURE, &style), PICTURE, &style, &Marks::default()));
    marks.push(now());
    Ok(marks.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

/// A file whose planners are timed.
#[wasm_bindgen(js_name = BenchFile)]
pub struct File {
    desk: Desk,
    planners: Vec<Choice>,
}

#[wasm_bindgen(js_class = BenchFile)]
impl File {
    /// # Errors
    /// The first fault of a file that cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>) -> Result<File, JsValue> {
        let document = readers::read(&bytes, &Answers::default()).map_err(told)?.document;
        let planners = ranked(document.graph().is_some(), false);
        Ok(File { desk: Desk::holding(document), planners })
    }

    /// Ids of the planners that apply.
    pub fn planners(&self) -> Vec<String> {
        self.planners.iter().map(Choice::text).collect()
    }

    /// What a planner, written as `exact;capacity=1048576`, takes: a row of numbers.
    ///
    /// # Errors
    /// The key of the message when it does not apply.
    pub fn time(&self, choice: &str, span: f64) -> Result<JsValue, JsValue> {
        let timing = self.desk.time(&Choice::read(choice), &now, span);
        let timing = timing.map_err(|message| JsValue::from_str(&message.key))?;
        serde_wasm_bindgen::to_value(&timing).map_err(JsValue::from)
    }
}

fn told(failure: Failure) -> JsValue {
    JsValue::from_str(&failure.message().key)
}

fn first_fit(problem: Problem, mut recorder: Recorder) -> Option<Run> {
    let planner = planner::YARDSTICK;
    let info = planner.info();
    let plan = planner.plan(Input { problem: &problem, graph: None }, &info.defaults(), &mut recorder).ok()?;
    Some(Run::new(Rc::new(problem), origin(info.id, info.align), plan, recorder.events))
}

fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

fn percentile(mut times: Vec<f64>, percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
