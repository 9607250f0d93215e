//! Several plans, each with its figures, for comparisons, rankings, sweeps and tables.

mod charts;
mod figures;
mod narrow;
mod sweep;
mod table;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use charts::{
    ChartBound, Counted, SweepPoints, curves, growth_chart, histogram, peaks, sweep_chart, swept_values, swept_words,
};
pub use figures::{Better, FIGURES, Figure, FigureValue, in_tables};
pub use sweep::{SweepPoint, Vary, points, varies};
pub use table::{FigureTable, TableFormat};
pub use verdict::{graphs_verdict, ranking_verdict, ranks, sweep_verdict};

use super::answer::{Failure, Planned};
use super::listener::{Listener, Progress};
use super::plan::{Prepared, plan, prepare, shown_as_read};
use super::readers;
use super::source::{IMPORTED, PlanTask};
use memplan_core::base::Message;
use memplan_core::graph;
use memplan_core::plan::{Causes, Figures, Standing, causes, figures};
use memplan_core::problem::{Scope, lifetimes, sample};
use memplan_core::text::Speech;
use memplan_core::trace::Silent;
use memplan_formats::import::{Answers, Document};
use memplan_planners::{self as planner, INFOS, Input, Needs, OptionKind};
use memplan_replay::{Level, Timeline};

/// A planner with values of its options.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct PlannerChoice {
    /// Registry id, or [`IMPORTED`] for the file's own plan.
    pub planner: String,
    /// Values by key; those left out have their defaults.
    pub options: BTreeMap<String, String>,
}

/// Which plans are compared, and how. `F` stands for a file, as in [`Source`](crate::Source).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum CompareTask<F = Vec<u8>> {
    /// Plans that are shown, with their events.
    Columns(Vec<PlannerChoice>),
    /// Figures alone; of all ranked planners that apply if the list is empty.
    Ranking(Vec<PlannerChoice>),
    /// One planner with one value varied.
    Sweep(PlannerChoice, Vary),
    /// Several files with their names, each ranked.
    Graphs(Vec<(String, F)>, Vec<PlannerChoice>),
    /// Plan time of made-up inputs of 125 buffers, then twice as many, up to `LARGEST`.
    Growth(Vec<PlannerChoice>),
}

impl<F> CompareTask<F> {
    /// Returns the same task with `map` applied to its files.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> CompareTask<G> {
        match self {
            CompareTask::Columns(choices) => CompareTask::Columns(choices),
            CompareTask::Ranking(choices) => CompareTask::Ranking(choices),
            CompareTask::Sweep(choice, vary) => CompareTask::Sweep(choice, vary),
            CompareTask::Graphs(files, choices) => {
                CompareTask::Graphs(files.into_iter().map(|(name, file)| (name, map(file))).collect(), choices)
            }
            CompareTask::Growth(choices) => CompareTask::Growth(choices),
        }
    }
}

/// Figures of one plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// Memory, reuse and rules broken.
    pub figures: Figures,
    /// Number of frames of the run at the finest level.
    pub frames: u32,
    /// Median plan time in milliseconds; none for plans that were read.
    pub millis: Option<f64>,
    /// The buffers that are live at the largest load, and where the plan reaches highest.
    pub causes: Option<Causes>,
}

/// A planner with the figures of its plan, or why there is no plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RankingEntry {
    /// The planner.
    pub choice: PlannerChoice,
    /// Its figures.
    pub result: Result<Measurement, Message>,
}

/// A planner with its plan and the figures, or why there is no plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredColumn {
    /// The planner.
    pub choice: PlannerChoice,
    /// Its plan.
    pub result: Result<(Planned, Measurement), Message>,
}

/// The answer to a [`CompareTask`], one variant for each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// The plans, and the milliseconds that this machine takes for first fit of 1 000 made-up
    /// buffers.
    Columns(Vec<MeasuredColumn>, f64),
    /// Planners from the lowest need up; those that leave buffers out stand below.
    Ranking(Vec<RankingEntry>),
    /// The points of a sweep.
    Sweep(Vec<(SweepPoint, Result<Measurement, Message>)>),
    /// One row for each file.
    Graphs(Vec<GraphRow>),
    /// One line for each planner.
    Growth(Vec<GrowthLine>),
}

/// A file's name with its entries, or why it cannot be read.
pub type GraphRow = (String, Result<Vec<RankingEntry>, Message>);

/// A planner with numbers of buffers and the median milliseconds that each took.
pub type GrowthLine = (PlannerChoice, Vec<(u32, f64)>);

/// Runs whose median is the plan time.
const RUNS: usize = 5;

/// Milliseconds after which no further run starts, so that a slow search is run once.
const LONG: f64 = 1_500.0;

/// Buffers of the largest input of a growth chart.
const LARGEST: u32 = 4_000;

impl PlannerChoice {
    /// Returns a planner with all options at their defaults.
    pub fn of(planner: &str) -> PlannerChoice {
        PlannerChoice { planner: planner.into(), options: BTreeMap::new() }
    }

    /// Returns the task to plan by it.
    pub fn task(&self) -> PlanTask {
        PlanTask { planner: self.planner.clone(), options: self.options.clone(), ..PlanTask::default() }
    }

    /// Returns planner and options as they are written on the command line and in links:
    /// `beam;k=4`.
    pub fn text(&self) -> String {
        let options = self.options.iter().map(|(key, value)| format!(";{key}={value}"));
        std::iter::once(self.planner.clone()).chain(options).collect()
    }

    /// Returns the names of system and algorithm, and the options.
    pub fn words(&self, speech: Speech) -> String {
        let name = planner::title_of(&self.planner, speech);
        let options = self.options.iter().map(|(key, value)| format!(" {key}={value}"));
        std::iter::once(name).chain(options).collect()
    }

    /// Reads [`PlannerChoice::text`]; planner and options need not exist.
    pub fn read(text: &str) -> PlannerChoice {
        let mut parts = text.split(';');
        let planner = parts.next().unwrap_or_default().trim().to_string();
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        let mut last: Option<String> = None;
        let specs = planner::info(&planner).map_or(&[][..], |info| info.options);
        let is_list = |key: &str| specs.iter().any(|spec| spec.key == key && matches!(spec.kind, OptionKind::List));
        let is_option = |key: &str| specs.iter().any(|spec| spec.key == key);
        for part in parts {
            match (part.split_once('='), &last) {
                // Parts of a list may have an equals sign of their own.
                (Some((key, value)), last_key) if is_option(key) || !last_key.as_deref().is_some_and(is_list) => {
                    last = Some(key.to_string());
                    options.insert(key.to_string(), value.to_string());
                }
                // A value may itself be a list separated by semicolons.
                (_, Some(key)) => {
                    if let Some(value) = options.get_mut(key) {
                        *value += ";";
                        *value += part;
                    }
                }
                (_, None) => {}
            }
        }
        PlannerChoice { planner, options }
    }
}

/// Compares plans of a document, or of several; `clock` returns milliseconds.
///
/// # Errors
/// The readers of one of the files have not been fetched.
pub(super) fn compared(
    task: &CompareTask,
    document: &Document,
    scope: &Scope,
    clock: &dyn Fn() -> f64,
    listener: &mut dyn Listener,
) -> Result<Comparison, Failure> {
    Ok(match task {
        CompareTask::Columns(choices) => {
            let column = |(number, choice): (usize, &PlannerChoice)| {
                let mut part = part(listener, number, choices.len());
                let result = entry(document, scope, choice, clock, &mut part);
                MeasuredColumn { choice: choice.clone(), result }
            };
            Comparison::Columns(choices.iter().enumerate().map(column).collect(), speed(clock))
        }
        CompareTask::Ranking(choices) => Comparison::Ranking(ranking(document, scope, choices, clock, listener)),
        CompareTask::Sweep(choice, vary) => {
            let points = points(document.graph(), choice, vary, scope);
            let count = points.len();
            let run = |(number, point): (usize, SweepPoint)| {
                let mut part = part(listener, number, count);
                let result = entry(document, &point.scope, &point.choice, clock, &mut part).map(|(_, found)| found);
                (point, result)
            };
            Comparison::Sweep(points.into_iter().enumerate().map(run).collect())
        }
        CompareTask::Graphs(files, choices) => {
            // If readers have to be fetched first, the request ends before any planner runs.
            let lacks_readers = |bytes| matches!(readers::read(bytes, &Answers::default()), Err(Failure::NoReaders));
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
            Comparison::Graphs(files.iter().enumerate().map(row).collect())
        }
        CompareTask::Growth(choices) => Comparison::Growth(growth(choices, clock, listener)),
    })
}

/// Returns the first reason if no planner has a plan.
pub fn refused_by_all(entries: &[RankingEntry]) -> Option<&Message> {
    let reasons: Option<Vec<&Message>> = entries.iter().map(|entry| entry.result.as_ref().err()).collect();
    reasons?.into_iter().next()
}

/// Returns all planners of rankings that apply to a document, after the file's own plan.
pub fn ranked(has_graph: bool, has_plan: bool) -> Vec<PlannerChoice> {
    let infos = INFOS.iter().filter(|info| info.ranked && planner::applicable(info, has_graph).is_ok());
    let own = has_plan.then(|| PlannerChoice::of(IMPORTED));
    own.into_iter().chain(infos.map(|info| PlannerChoice::of(info.id))).collect()
}

/// Returns the planners from the lowest need up: first those that place everything, then those that
/// leave buffers out, at last those without a result.
fn ranking(
    document: &Document,
    scope: &Scope,
    choices: &[PlannerChoice],
    clock: &dyn Fn() -> f64,
    listener: &mut dyn Listener,
) -> Vec<RankingEntry> {
    let all = ranked(document.graph().is_some(), document.own_plan().is_some());
    let choices = if choices.is_empty() { &all } else { choices };
    let run = |(number, choice): (usize, &PlannerChoice)| {
        let mut part = part(listener, number, choices.len());
        let result = entry(document, scope, choice, clock, &mut part).map(|(_, found)| found);
        RankingEntry { choice: choice.clone(), result }
    };
    let mut entries: Vec<RankingEntry> = choices.iter().enumerate().map(run).collect();
    rank(&mut entries);
    entries
}

/// Sorts planners from the lowest need up, those without a plan last. Equal needs keep their order.
pub fn rank(entries: &mut [RankingEntry]) {
    entries.sort_by_key(|entry| match &entry.result {
        Ok(found) => (found.figures.standing(), found.figures.metrics.need()),
        Err(_) => (Standing::NoResult, u64::MAX),
    });
}

/// Reports the progress of the `number`th of `count` equal parts as progress of the whole.
struct PartProgress<'a> {
    listener: &'a mut dyn Listener,
    number: u64,
    count: u64,
}

fn part(listener: &mut dyn Listener, number: usize, count: usize) -> PartProgress<'_> {
    let mut part = PartProgress { listener, number: number as u64, count: count as u64 };
    part.progress(Progress::default());
    part
}

impl Listener for PartProgress<'_> {
    fn progress(&mut self, Progress { done, total, .. }: Progress) {
        const WHOLE: u64 = 1_000;
        let inside = (done.min(total) as u128 * WHOLE as u128).checked_div(total as u128).unwrap_or(0) as u64;
        let (done, total) = (self.number * WHOLE + inside, self.count * WHOLE);
        self.listener.progress(Progress { done, total, best: None });
    }
}

/// Plans once with all events, and again without for the time.
fn entry(
    document: &Document,
    scope: &Scope,
    choice: &PlannerChoice,
    clock: &dyn Fn() -> f64,
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
    let planned = plan(document, scope, &choice.task(), None, listener).map_err(|none| none.why)?;
    let start = clock();
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, &choice.planner, &choice.options)?;
    // The search for an order is part of planning, but is run only once.
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

/// Returns the median time in milliseconds of up to [`RUNS`] runs.
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

/// Returns the milliseconds that this machine takes for the yardstick planner and 1 000 made-up
/// buffers.
fn speed(clock: &dyn Fn() -> f64) -> f64 {
    let problem = sample(1_000, 1);
    let input = Input { problem: &problem, graph: None };
    let planner = planner::YARDSTICK;
    let options = planner.info().defaults();
    median(clock, || planner.plan(input, &options, &mut Silent).is_ok())
}

/// Returns plan times of made-up inputs, each twice as large as the one before, until a planner
/// takes too long.
fn growth(choices: &[PlannerChoice], clock: &dyn Fn() -> f64, listener: &mut dyn Listener) -> Vec<GrowthLine> {
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
