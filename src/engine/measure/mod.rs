//! Several plans of one document, each with its figures: what comparisons, rankings, sweeps and tables are made of.

mod charts;
mod fields;
mod sheet;
mod sweep;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use charts::{Counted, curves, growth_chart, histogram, peaks, sweep_chart};
pub use fields::{Best, Cell, FIELDS, Field};
pub use sheet::{Form, Sheet};
pub use sweep::{Point, Vary, points, varies};

use super::desk::{Prepared, plan, prepare, shown_as_read};
use super::listener::{Listener, Progress};
use super::readers;
use super::{Desk, Failure, IMPORTED, Job, Planned, Source};
use crate::base::Message;
use crate::graph;
use crate::import::{Answers, Document};
use crate::plan::{Cause, Figures, causes, figures};
use crate::planner::{self, INFOS, Input, Needs};
use crate::problem::{Scope, lifetimes, sample};
use crate::replay::{Level, Timeline};
use crate::text::Speech;
use crate::trace::Silent;

/// A planner with options other than the defaults.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Choice {
    /// Registry id, or [`IMPORTED`] for the file's own plan.
    pub planner: String,
    pub options: BTreeMap<String, String>,
}

/// What is to be measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Plans to be shown, with their events.
    Columns(Vec<Choice>),
    /// Figures alone; all ranked planners that apply if none are named.
    Ranking(Vec<Choice>),
    /// One planner with one value varied.
    Sweep(Choice, Vary),
    /// Files with their names, each ranked.
    Graphs(Vec<(String, Vec<u8>)>, Vec<Choice>),
    /// Plan time of made-up inputs of 125 buffers, then twice as many, and so on.
    Growth(Vec<Choice>),
}

/// A measurement to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measure {
    pub source: Source,
    pub scope: Scope,
    pub task: Task,
}

/// Figures of one plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    pub figures: Figures,
    /// Elementary actions of the run.
    pub frames: u32,
    /// Median plan time in milliseconds; absent for plans that were read.
    pub millis: Option<f64>,
    /// The step of the peak and what is live there.
    pub causes: Option<(u32, Vec<Cause>)>,
}

/// A plan that was tried, with its figures or why there are none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub choice: Choice,
    pub result: Result<Measurement, Message>,
}

/// A plan to be shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    pub choice: Choice,
    pub result: Result<(Planned, Measurement), Message>,
}

/// The answer to a [`Measure`], by its task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Measured {
    /// With the milliseconds that this machine takes for first fit of 1 000 made-up buffers.
    Columns(Vec<Column>, f64),
    Ranking(Vec<Entry>),
    Sweep(Vec<(Point, Result<Measurement, Message>)>),
    Graphs(Vec<GraphRow>),
    Growth(Vec<GrowthLine>),
}

/// A file's name with its entries, or why it cannot be read.
pub type GraphRow = (String, Result<Vec<Entry>, Message>);

/// A planner with numbers of buffers and the median milliseconds that each took.
pub type GrowthLine = (Choice, Vec<(u32, f64)>);

/// Runs whose median is the plan time.
const RUNS: usize = 5;

/// No further run is begun after so many milliseconds: a search would keep everyone waiting.
const LONG: f64 = 1_500.0;

/// Buffers of the largest input of a growth chart.
const LARGEST: u32 = 4_000;

impl Choice {
    pub fn of(planner: &str) -> Choice {
        Choice { planner: planner.into(), options: BTreeMap::new() }
    }

    /// Planner and options as they are written on the command line and in links: `beam;k=4`.
    pub fn text(&self) -> String {
        let options = self.options.iter().map(|(key, value)| format!(";{key}={value}"));
        std::iter::once(self.planner.clone()).chain(options).collect()
    }

    /// The names of system and algorithm, and the options.
    pub fn words(&self, speech: Speech) -> String {
        let name = match planner::info(&self.planner) {
            Some(info) => info.full_title(speech),
            None => speech.word("planner.imported"),
        };
        let options = self.options.iter().map(|(key, value)| format!(" {key}={value}"));
        std::iter::once(name).chain(options).collect()
    }

    /// Reads [`Choice::text`]; planner and options need not exist.
    pub fn read(text: &str) -> Choice {
        let mut parts = text.split(';');
        let planner = parts.next().unwrap_or_default().trim().to_string();
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        let mut last: Option<String> = None;
        for part in parts {
            match (part.split_once('='), &last) {
                (Some((key, value)), _) => {
                    last = Some(key.to_string());
                    options.insert(key.to_string(), value.to_string());
                }
                // A value may be a list with the same mark between its parts.
                (None, Some(key)) => {
                    if let Some(value) = options.get_mut(key) {
                        *value += ";";
                        *value += part;
                    }
                }
                (None, None) => {}
            }
        }
        Choice { planner, options }
    }
}

impl Desk {
    /// Does a measurement; `clock` gives milliseconds, `listener` hears of progress.
    ///
    /// # Errors
    /// [`Failure`] when there is no document.
    pub fn measure(
        &mut self,
        measure: &Measure,
        clock: &dyn Fn() -> f64,
        listener: &mut dyn Listener,
    ) -> Result<Measured, Failure> {
        self.open(&measure.source)?;
        let document = self.document()?;
        let scope = &measure.scope;
        Ok(match &measure.task {
            Task::Columns(choices) => {
                let column = |(number, choice): (usize, &Choice)| {
                    let mut part = part(listener, number, choices.len());
                    let result = entry(document, scope, choice, clock, &mut part);
                    Column { choice: choice.clone(), result }
                };
                Measured::Columns(choices.iter().enumerate().map(column).collect(), speed(clock))
            }
            Task::Ranking(choices) => Measured::Ranking(ranking(document, scope, choices, clock, listener)),
            Task::Sweep(choice, vary) => {
                let points = points(document.graph(), choice, vary, scope);
                let count = points.len();
                let run = |(number, point): (usize, Point)| {
                    let mut part = part(listener, number, count);
                    let result = entry(document, &point.scope, &point.choice, clock, &mut part).map(|(_, found)| found);
                    (point, result)
                };
                Measured::Sweep(points.into_iter().enumerate().map(run).collect())
            }
            Task::Graphs(files, choices) => {
                // Readers that are still to be fetched are asked for before any planner runs.
                let lacks_readers =
                    |bytes| matches!(readers::read(bytes, &Answers::default()), Err(Failure::NoReaders));
                if !readers::are_here() && files.iter().any(|(_, bytes)| lacks_readers(bytes)) {
                    return Err(Failure::NoReaders);
                }
                let row = |(number, (name, bytes)): (usize, &(String, Vec<u8>))| {
                    let mut part = part(listener, number, files.len());
                    let read = readers::read(bytes, &Answers::default());
                    let entries = read.map(|read| {
                        let scope = scope.for_one_of_many(read.document.graph());
                        ranking(&read.document, &scope, choices, clock, &mut part)
                    });
                    (name.clone(), entries.map_err(|failure| failure.message()))
                };
                Measured::Graphs(files.iter().enumerate().map(row).collect())
            }
            Task::Growth(choices) => Measured::Growth(growth(choices, clock, listener)),
        })
    }
}

/// The first reason, where no planner has a plan.
pub fn refused_by_all(entries: &[Entry]) -> Option<&Message> {
    let reasons: Option<Vec<&Message>> = entries.iter().map(|entry| entry.result.as_ref().err()).collect();
    reasons?.into_iter().next()
}

/// All planners that take part in rankings and apply to a document, and the file's own plan.
pub fn ranked(has_graph: bool, has_plan: bool) -> Vec<Choice> {
    let infos = INFOS.iter().filter(|info| info.ranked && planner::applicable(info, has_graph).is_ok());
    let own = has_plan.then(|| Choice::of(IMPORTED));
    own.into_iter().chain(infos.map(|info| Choice::of(info.id))).collect()
}

/// Entries from the lowest peak up, those without a plan last.
fn ranking(
    document: &Document,
    scope: &Scope,
    choices: &[Choice],
    clock: &dyn Fn() -> f64,
    listener: &mut dyn Listener,
) -> Vec<Entry> {
    let all = ranked(document.graph().is_some(), document.own_plan().is_some());
    let choices = if choices.is_empty() { &all } else { choices };
    let run = |(number, choice): (usize, &Choice)| {
        let mut part = part(listener, number, choices.len());
        let result = entry(document, scope, choice, clock, &mut part).map(|(_, found)| found);
        Entry { choice: choice.clone(), result }
    };
    let mut entries: Vec<Entry> = choices.iter().enumerate().map(run).collect();
    // Equal peaks stay in the order of the registry.
    entries.sort_by_key(|entry| match &entry.result {
        Ok(found) => (found.figures.broken > 0, found.figures.metrics.peak),
        Err(_) => (true, u64::MAX),
    });
    entries
}

/// Progress within the `number`th of `count` pieces of work.
struct Part<'a> {
    listener: &'a mut dyn Listener,
    number: u64,
    count: u64,
}

fn part(listener: &mut dyn Listener, number: usize, count: usize) -> Part<'_> {
    let mut part = Part { listener, number: number as u64, count: count as u64 };
    part.progress(Progress::default());
    part
}

impl Listener for Part<'_> {
    fn progress(&mut self, Progress { done, total, .. }: Progress) {
        const WHOLE: u64 = 1_000;
        let inside = (done.min(total) as u128 * WHOLE as u128).checked_div(total as u128).unwrap_or(0) as u64;
        let (done, total) = (self.number * WHOLE + inside, self.count * WHOLE);
        self.listener.progress(Progress { done, total, best: None });
    }
}

/// Plans once with all events and again silently for the time.
fn entry(
    document: &Document,
    scope: &Scope,
    choice: &Choice,
    clock: &dyn Fn() -> f64,
    listener: &mut dyn Listener,
) -> Result<(Planned, Measurement), Message> {
    if choice.planner == IMPORTED {
        let (problem, plan) = document.own_plan().ok_or_else(|| Message::new("compare.no-own-plan"))?;
        let planned = shown_as_read(problem, plan);
        let found = measured(document, &planned, None);
        return Ok((planned, found));
    }
    if let Some(info) = planner::info(&choice.planner) {
        planner::applicable(info, document.graph().is_some()).map_err(|why| why.message())?;
    }
    let job = Job {
        source: Source::Keep,
        scope: scope.clone(),
        planner: choice.planner.clone(),
        options: choice.options.clone(),
        own_plan: false,
        window: None,
        diagram: false,
    };
    let planned = plan(document, &job, None, listener).map_err(|none| none.why)?;
    let start = clock();
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, &choice.planner, &choice.options)?;
    // The search for an order is a part of the plan; it is run once.
    let searching = if planner::looks_for_order(&options) { clock() - start } else { 0.0 };
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    let millis = searching + median(clock, || planner.plan(input, &options, &mut Silent).is_ok());
    let found = measured(document, &planned, Some(millis));
    Ok((planned, found))
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

/// Median time in milliseconds of up to [`RUNS`] runs.
fn median(clock: &dyn Fn() -> f64, mut run: impl FnMut() -> bool) -> f64 {
    let begin = clock();
    let mut times = Vec::with_capacity(RUNS);
    while times.len() < RUNS && (times.is_empty() || clock() - begin < LONG) {
        let start = clock();
        run();
        times.push(clock() - start);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// How fast this machine is: milliseconds for the yardstick and 1 000 made-up buffers.
fn speed(clock: &dyn Fn() -> f64) -> f64 {
    let problem = sample(1_000, 1);
    let input = Input { problem: &problem, graph: None };
    let planner = planner::YARDSTICK;
    let options = planner.info().defaults();
    median(clock, || planner.plan(input, &options, &mut Silent).is_ok())
}

/// Plan times of made-up inputs that double, for each planner until one takes too long.
fn growth(choices: &[Choice], clock: &dyn Fn() -> f64, listener: &mut dyn Listener) -> Vec<GrowthLine> {
    let mut found = Vec::new();
    for (number, choice) in choices.iter().enumerate() {
        listener.progress(Progress { done: number as u64, total: choices.len() as u64, best: None });
        let Some(planner) = planner::find(&choice.planner) else { continue };
        let given = choice.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let Ok(options) = planner.info().options(given) else { continue };
        let mut times = Vec::new();
        let mut count = 125;
        while count <= LARGEST {
            let graph = (planner.info().needs == Needs::Graph).then(|| graph::sample(count, 1));
            let problem = match &graph {
                Some(graph) => lifetimes(graph, &Scope::default()).ok(),
                None => Some(sample(count, 1)),
            };
            let Some(mut problem) = problem else { break };
            let start = clock();
            let Ok(reordered) = planner::prepare(planner, &mut problem, graph.as_ref(), &Scope::default(), &options)
            else {
                break;
            };
            let searching = if planner::looks_for_order(&options) { clock() - start } else { 0.0 };
            let input = Input { problem: &problem, graph: reordered.as_ref().or(graph.as_ref()) };
            let mut planned = false;
            let millis = median(clock, || {
                planned = planner.plan(input, &options, &mut Silent).is_ok();
                planned
            });
            if !planned {
                break;
            }
            times.push((count, searching + millis));
            if clock() - start > LONG {
                break;
            }
            count *= 2;
        }
        found.push((choice.clone(), times));
    }
    found
}

#[cfg(test)]
mod tests;
