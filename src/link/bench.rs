//! What `bench.html` calls: the same runs as the native benches, timed in the browser.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::{Choice, Deaf, Desk, Job, Source, ranked};
use crate::graph;
use crate::import::{self, Choices};
use crate::planner::{self, Input, REGISTRY};
use crate::problem::{Scope, lifetimes, sample};
use crate::replay::{Level, Run};
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
        Ok(done) => done.planned.map(|_| ()).map_err(|message| JsValue::from_str(&message.key)),
        Err(_) => Err(JsValue::from_str("the file cannot be read")),
    };
    go(Source::Bytes { bytes, choices: Choices::default() })?;
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
    let problem = lifetimes(&graph, &Scope::default()).ok()?;
    let start = now();
    planner.plan(Input { problem: &problem, graph: Some(&graph) }, &planner.info().defaults(), &mut Silent).ok()?;
    Some(now() - start)
}

/// 95th percentile in milliseconds of seeking to a random frame of a first-fit run.
#[wasm_bindgen(js_name = benchSeek)]
pub fn seek(count: u32, seeks: u32) -> Option<f64> {
    let problem = sample(count, 1);
    let planner = planner::find("first-fit")?;
    let mut recorder = Recorder::default();
    let plan =
        planner.plan(Input { problem: &problem, graph: None }, &planner.info().defaults(), &mut recorder).ok()?;
    let run = Run::new(Rc::new(problem), "first-fit", plan, recorder.events, 1);
    let frames = run.timeline.frames(Level::Decisions);
    let times = (0..seeks.max(1)).map(|index| {
        let start = now();
        run.frame(run.timeline.events_at(Level::Decisions, index.wrapping_mul(2_654_435_761) % frames));
        now() - start
    });
    Some(percentile(times.collect(), 95))
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
        let read = import::read(&bytes, Choices::default());
        let first =
            |fault: Option<&graph::Fault>| fault.map_or(JsValue::NULL, |fault| JsValue::from_str(&fault.message.key));
        let document = read.map_err(|faults| first(faults.first()))?;
        let planners = ranked(document.document.graph().is_some(), false);
        Ok(File { desk: Desk::holding(document.document), planners })
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

fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

fn percentile(mut times: Vec<f64>, percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
