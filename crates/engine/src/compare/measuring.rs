//! Makes plans and measures them: figures, and the time that a planner takes.

use std::cmp::Reverse;

use super::beside::{Parts, run_parts};
use super::{Measurement, PlannerChoice};
use crate::answer::Planned;
use crate::listener::{Clock, Listener};
use crate::plan::{Prepared, prepare, shown_as_read, timed_plan};
use crate::source::IMPORTED;
use memplan_core::base::Message;
use memplan_core::plan::{causes, figures};
use memplan_core::problem::Scope;
use memplan_core::trace::Silent;
use memplan_formats::import::Document;
use memplan_planners::{self as planner, Complexity, Input, registered};
use memplan_replay::{Level, Timeline};

/// Runs whose median is the plan time.
const RUNS: usize = 5;

/// Milliseconds after which no further run starts: the time of a slow planner varies little, and a
/// comparison is not to take much longer than its plans.
const ENOUGH: f64 = 100.0;

/// Milliseconds from which on a run is the timed one if it recorded little: in a browser, the first
/// run of shorter ones is slower than the next.
const LONG: f64 = 500.0;

/// Milliseconds that recording an event takes, as the command measured it: 0.000 04 to 0.000 35.
const RECORDING: f64 = 0.000_3;

/// Part of a plan time that may be the recording of events: times of a search vary by more.
const NEGLIGIBLE: f64 = 0.1;

/// A plan that is to be made and measured.
pub(super) struct PlanToMeasure<'a> {
    pub document: &'a Document,
    pub scope: &'a Scope,
    pub choice: &'a PlannerChoice,
}

/// How plans are measured.
pub(crate) struct Measuring<'a> {
    /// Most threads that plan at the same time.
    pub threads: usize,
    /// The clock of the plan times.
    pub clock: &'a Clock<'a>,
    /// What receives the progress.
    pub listener: &'a mut dyn Listener,
}

impl Measuring<'_> {
    /// Returns for each plan what is kept of it, or why there is none.
    pub(super) fn measure<T: Send>(
        &mut self,
        plans: &[PlanToMeasure],
        kept: fn(Planned, Measurement) -> T,
    ) -> Vec<Result<T, Message>> {
        let id = |number: usize| plans[number].choice.planner.as_str();
        // A program of the user has a limit in seconds, which it would miss beside others.
        let is_own = |&number: &usize| registered::find(id(number)).is_some();
        let (alone, mut together): (Vec<usize>, Vec<usize>) = (0..plans.len()).partition(is_own);
        // The longest ones begin, so that no thread waits long for the last one.
        together.sort_by_key(|&number| Reverse(planner::info(id(number)).map(|info| info.complexity)));
        run_parts(&Parts { together, alone }, self.threads, self.clock, self.listener, |number, clock, listener| {
            measured_plan(&plans[number], clock, listener).map(|(planned, found)| kept(planned, found))
        })
    }
}

/// Plans once with all events, and again without for the time, if it is not known by then.
fn measured_plan(
    &PlanToMeasure { document, scope, choice }: &PlanToMeasure,
    clock: &Clock,
    listener: &mut dyn Listener,
) -> Result<(Planned, Measurement), Message> {
    if choice.planner == IMPORTED {
        let (problem, plan) = document.own_plan_beside(scope).ok_or_else(|| Message::new("compare.no-own-plan"))?;
        let planned = shown_as_read(&problem, &plan);
        let found = measured(document, &planned, None);
        return Ok((planned, found));
    }
    if let Some(info) = planner::info(&choice.planner) {
        planner::applicable(info, document.graph().is_some()).map_err(|why| why.message())?;
    }
    let (planned, millis) =
        timed_plan(document, scope, &choice.task(), None, listener, clock).map_err(|none| none.why)?;
    let is_known = is_plan_time(millis, planned.events.len()) && !searches_again(&choice.planner);
    let millis = if is_known { millis } else { plan_time(document, scope, choice, clock)? };
    let found = measured(document, &planned, Some(millis));
    Ok((planned, found))
}

/// Whether a planner may search once more for its events: beam search, and the portfolio with it.
fn searches_again(id: &str) -> bool {
    planner::info(id).is_some_and(|info| matches!(info.complexity, Complexity::Beam | Complexity::Sum))
}

/// Whether the time of a run with so many events is the plan time. That spares a second run of
/// planners that search.
pub(super) fn is_plan_time(millis: f64, events: usize) -> bool {
    millis >= LONG && events as f64 * RECORDING <= NEGLIGIBLE * millis
}

/// Returns the milliseconds that a planner takes if nothing is recorded.
fn plan_time(document: &Document, scope: &Scope, choice: &PlannerChoice, clock: &Clock) -> Result<f64, Message> {
    let start = clock();
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, &choice.planner, &choice.options)?;
    // The search for an order is part of planning, but is run only once.
    let searching = if planner::looks_for_order(&options) { clock() - start } else { 0.0 };
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    Ok(searching + median(clock, || planner.plan(input, &options, &mut Silent).is_ok()))
}

fn measured(document: &Document, planned: &Planned, millis: Option<f64>) -> Measurement {
    let Planned { problem, graph, plan, events, align, .. } = planned;
    Measurement {
        figures: figures(problem, graph.as_ref().or(document.graph()), plan, *align),
        frames: Timeline::new(events.clone(), problem).frames(Level::All),
        millis,
        causes: causes(problem, plan),
    }
}

/// Returns the median time in milliseconds of up to [`RUNS`] runs; the lower one of two.
pub(super) fn median(clock: &Clock, mut run: impl FnMut() -> bool) -> f64 {
    let begin = clock();
    let mut times = Vec::with_capacity(RUNS);
    while times.len() < RUNS && (times.is_empty() || clock() - begin < ENOUGH) {
        let start = clock();
        run();
        times.push(clock() - start);
    }
    times.sort_by(f64::total_cmp);
    times[(times.len() - 1) / 2]
}
