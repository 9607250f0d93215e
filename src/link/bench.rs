//! What `bench.html` calls: the same runs as the native benches, timed in the browser.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::{Deaf, Desk, Job, Source};
use crate::graph;
use crate::import::Choices;
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
    let mut problem = lifetimes(&graph, &Scope::default()).ok()?;
    let (info, options) = (planner.info(), planner.info().defaults());
    let start = now();
    let other = planner::prepare(info, &mut problem, Some(&graph), &Scope::default(), &options).ok()?;
    let input = Input { problem: &problem, graph: other.as_ref().or(Some(&graph)) };
    planner.plan(input, &options, &mut Silent).ok()?;
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

fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

fn percentile(mut times: Vec<f64>, percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
