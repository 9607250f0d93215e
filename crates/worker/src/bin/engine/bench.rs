//! The functions that `bench.html` calls: the same runs as in the native benches, timed in the
//! browser.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use memplan_core::graph;
use memplan_core::problem::{BufferId, Problem, Scope, crowd, lifetimes, sample};
use memplan_core::trace::{Recorder, Silent};
use memplan_engine::{
    Answer, Engine, Failure, NoListener, PlanTask, PlannerChoice, Request, Source, Task, ranked, read,
};
use memplan_formats::import::{self, Answers};
use memplan_planners::{self as planner, Input, REGISTRY, origin};
use memplan_replay::{Level, Run};
use memplan_scene::{Index, Marks, Picture, Size, Style, View, hit, interaction, stage};

/// Returns the ids of all planners.
#[wasm_bindgen(js_name = benchPlanners)]
pub fn planners() -> Vec<String> {
    REGISTRY.iter().map(|planner| planner.info().id.to_string()).collect()
}

/// Returns the median time in milliseconds of planning a graph file that has been read before, with
/// every event recorded.
///
/// # Errors
/// The file or the planner cannot be used.
#[wasm_bindgen(js_name = benchPlan)]
pub fn plan(bytes: Vec<u8>, id: &str, runs: u32) -> Result<f64, JsValue> {
    let mut engine = Engine::default();
    let mut go = |source| {
        let request = Request { source, scope: Scope::default(), task: Task::Plan(PlanTask::of(id)) };
        match engine.answer(&request, &|| 0.0, &mut NoListener) {
            Ok(Answer::Planned(done)) => done.planned.map(|_| ()).map_err(|none| JsValue::from_str(&none.why.key)),
            _ => Err(JsValue::from_str("the file cannot be read")),
        }
    };
    go(Source::File { file: bytes, choices: Answers::default() })?;
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let start = now();
        go(Source::Keep)?;
        times.push(now() - start);
    }
    Ok(percentile(times, 50))
}

/// Returns the time in milliseconds of planning a made-up graph without recording events.
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

/// Returns the 95th percentile in milliseconds of seeking to a random frame of a first-fit run.
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

/// Returns medians in milliseconds of building the picture of `count` buffers, `alive` of them at a
/// time; of the work of a hover; and of seeking to a random frame and building its picture.
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
        median(&|_| drop(stage(Picture::new(&run, &index, &end, &view, PICTURE, &style), &marks))),
        median(&|_| {
            drop(hit(Picture::new(&run, &index, &end, &view, PICTURE, &style), (700.0, 600.0)));
            drop(interaction(Picture::new(&run, &index, &end, &view, PICTURE, &style), &marks, &[]));
        }),
        median(&|turn| {
            let frame = run.timeline.events_at(Level::Decisions, turn.wrapping_mul(2_654_435_761) % frames);
            drop(stage(Picture::new(&run, &index, &run.frame(frame), &view, PICTURE, &style), &Marks::default()));
        }),
    ])
}

/// Returns the megabytes per second at which a made-up ONNX model of `size` bytes is read; each of
/// its weights has `weight` bytes.
#[wasm_bindgen(js_name = benchImport)]
pub fn import(size: u32, weight: u32, symbolic: bool) -> Option<f64> {
    let bytes = import::sample_onnx(size as usize, weight as usize, symbolic);
    let start = now();
    let read = read(&bytes, &Answers::default());
    let seconds = (now() - start) / 1e3;
    // The clock may be too coarse for a small file.
    read.is_ok().then_some(bytes.len() as f64 / 1e6 / seconds).filter(|rate| rate.is_finite())
}

/// Returns the milliseconds of reading a graph file, of planning it with first fit, and of building
/// the picture of the end of that run.
///
/// # Errors
/// The first fault of the file.
#[wasm_bindgen(js_name = benchLarge)]
pub fn large(bytes: Vec<u8>) -> Result<Vec<f64>, JsValue> {
    let mut marks = vec![now()];
    let read = read(&bytes, &Answers::default()).map_err(error)?;
    let graph = read.document.graph().ok_or(JsValue::NULL)?;
    marks.push(now());
    let problem = lifetimes(graph, &Scope::default()).map_err(|_| JsValue::NULL)?;
    let run = first_fit(problem, Recorder::window(0..0)).ok_or(JsValue::NULL)?;
    marks.push(now());
    let (style, index) = (Style::default(), Index::new(&run));
    let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
    drop(stage(
        Picture::new(&run, &index, &frame, &View::fit(&index, PICTURE, &style), PICTURE, &style),
        &Marks::default(),
    ));
    marks.push(now());
    Ok(marks.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

/// A file whose planners are timed.
#[wasm_bindgen]
pub struct BenchFile {
    engine: Engine,
    planners: Vec<PlannerChoice>,
}

#[wasm_bindgen]
impl BenchFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The first fault of the file.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>) -> Result<BenchFile, JsValue> {
        let document = read(&bytes, &Answers::default()).map_err(error)?.document;
        let planners = ranked(document.graph().is_some(), false);
        Ok(BenchFile { engine: Engine::with_document(document), planners })
    }

    /// Returns the planners that apply.
    pub fn planners(&self) -> Vec<String> {
        self.planners.iter().map(PlannerChoice::text).collect()
    }

    /// Returns the figures of a planner, written as `exact;capacity=1048576`, that ran for `span`
    /// milliseconds: see `Timing`.
    ///
    /// # Errors
    /// The key of the message why the planner does not apply.
    pub fn time(&self, choice: &str, span: f64) -> Result<JsValue, JsValue> {
        let timing = self.engine.time(&PlannerChoice::read(choice), &now, span);
        let timing = timing.map_err(|message| JsValue::from_str(&message.key))?;
        serde_wasm_bindgen::to_value(&timing).map_err(JsValue::from)
    }
}

fn error(failure: Failure) -> JsValue {
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
