//! Several plans, each with its figures, for comparisons, rankings, sweeps and tables.

mod beside;
mod charts;
mod figures;
mod measuring;
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
pub(crate) use measuring::Measuring;
pub use sweep::{SweepPoint, Vary, not_varied, points, varies};
pub use table::{FigureTable, TableFormat};
pub use verdict::{graphs_verdict, ranking_verdict, ranks, sweep_verdict};

use super::answer::{Failure, Planned};
use super::listener::{Clock, Listener, Progress};
use super::readers;
use super::source::{IMPORTED, PlanTask};
use beside::part_of;
use measuring::{PlanToMeasure, median};
use memplan_core::base::Message;
use memplan_core::graph;
use memplan_core::plan::{Causes, Figures, Standing};
use memplan_core::problem::{Scope, lifetimes, sample};
use memplan_core::text::Speech;
use memplan_core::trace::Silent;
use memplan_formats::import::{Answers, Document};
use memplan_planners::{self as planner, INFOS, Input, Needs, OptionKind};

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
    /// Plan time in milliseconds; none for plans that were read.
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

/// Milliseconds after which a growth chart has no larger input of a planner.
const LONG: f64 = 300.0;

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

    /// Returns [`PlannerChoice::text`]; behind the name of a planner that a user wrote, if its id
    /// does not show it.
    pub fn named_text(&self) -> String {
        match planner::own_name(&self.planner).filter(|name| !self.planner.contains(name)) {
            Some(name) => format!("{name} ({})", self.text()),
            None => self.text(),
        }
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

/// Compares plans of a document, or of several.
///
/// # Errors
/// The readers of one of the files have not been fetched.
pub(super) fn compared(
    task: &CompareTask,
    document: &Document,
    scope: &Scope,
    mut measuring: Measuring,
) -> Result<Comparison, Failure> {
    Ok(match task {
        CompareTask::Columns(choices) => {
            let plans: Vec<PlanToMeasure> =
                choices.iter().map(|choice| PlanToMeasure { document, scope, choice }).collect();
            let results = measuring.measure(&plans, |planned, found| (planned, found));
            let column = |(choice, result): (&PlannerChoice, _)| MeasuredColumn { choice: choice.clone(), result };
            Comparison::Columns(choices.iter().zip(results).map(column).collect(), speed(measuring.clock))
        }
        CompareTask::Ranking(choices) => Comparison::Ranking(ranking(document, scope, choices, &mut measuring)),
        CompareTask::Sweep(choice, vary) => {
            let points = points(document.graph(), choice, vary, scope);
            let plans: Vec<PlanToMeasure> = points
                .iter()
                .map(|SweepPoint { choice, scope, .. }| PlanToMeasure { document, scope, choice })
                .collect();
            let results = measuring.measure(&plans, |_, found| found);
            Comparison::Sweep(points.into_iter().zip(results).collect())
        }
        CompareTask::Graphs(files, choices) => {
            // If readers have to be fetched first, the request ends before any planner runs.
            let lacks_readers = |bytes| matches!(readers::read(bytes, &Answers::default()), Err(Failure::NoReaders));
            if !readers::are_here() && files.iter().any(|(_, bytes)| lacks_readers(bytes)) {
                return Err(Failure::NoReaders);
            }
            let row = |(number, (name, bytes)): (usize, &(String, Vec<u8>))| {
                let mut part = part_of(measuring.listener, number, files.len());
                let read = readers::read(bytes, &Answers::default());
                let entries = read.map(|read| {
                    let scope = scope.for_one_of_many(read.document.graph());
                    let (threads, clock) = (measuring.threads, measuring.clock);
                    let mut measuring = Measuring { threads, clock, listener: &mut part };
                    ranking(&read.document, &scope, choices, &mut measuring)
                });
                (name.clone(), entries.map_err(|failure| failure.message()))
            };
            Comparison::Graphs(files.iter().enumerate().map(row).collect())
        }
        CompareTask::Growth(choices) => Comparison::Growth(growth(choices, measuring.clock, measuring.listener)),
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
    measuring: &mut Measuring,
) -> Vec<RankingEntry> {
    ranked_each(&[(document, scope)], choices, measuring).into_iter().flatten().collect()
}

/// Returns a ranking for each of several documents with its scope: of these planners, or of all
/// that apply if the list is empty. Up to `threads` plans are made at the same time.
pub fn rankings(
    documents: &[(Document, Scope)],
    choices: &[PlannerChoice],
    threads: usize,
    clock: &Clock,
    listener: &mut dyn Listener,
) -> Vec<Vec<RankingEntry>> {
    let documents: Vec<(&Document, &Scope)> = documents.iter().map(|(document, scope)| (document, scope)).collect();
    ranked_each(&documents, choices, &mut Measuring { threads, clock, listener })
}

fn ranked_each(
    documents: &[(&Document, &Scope)],
    choices: &[PlannerChoice],
    measuring: &mut Measuring,
) -> Vec<Vec<RankingEntry>> {
    let choices_of = |(document, _): &(&Document, &Scope)| match choices {
        [] => ranked(document.graph().is_some(), document.own_plan().is_some()),
        choices => choices.to_vec(),
    };
    let choices: Vec<Vec<PlannerChoice>> = documents.iter().map(choices_of).collect();
    let plans: Vec<PlanToMeasure> = documents
        .iter()
        .zip(&choices)
        .flat_map(|(&(document, scope), choices)| {
            choices.iter().map(move |choice| PlanToMeasure { document, scope, choice })
        })
        .collect();
    let mut results = measuring.measure(&plans, |_, found| found).into_iter();
    let entries = |choices: Vec<PlannerChoice>| {
        let entries = choices.into_iter().zip(results.by_ref());
        let mut entries: Vec<_> = entries.map(|(choice, result)| RankingEntry { choice, result }).collect();
        rank(&mut entries);
        entries
    };
    choices.into_iter().map(entries).collect()
}

/// Sorts planners from the lowest need up, those without a plan last. Equal needs keep their order.
pub fn rank(entries: &mut [RankingEntry]) {
    entries.sort_by_key(|entry| match &entry.result {
        Ok(found) => (found.figures.standing(), found.figures.metrics.need()),
        Err(_) => (Standing::NoResult, u64::MAX),
    });
}

/// Returns the milliseconds that this machine takes for the yardstick planner and 1 000 made-up
/// buffers.
fn speed(clock: &Clock) -> f64 {
    let problem = sample(1_000, 1);
    let input = Input { problem: &problem, graph: None };
    let planner = planner::YARDSTICK;
    let options = planner.info().defaults();
    median(clock, || planner.plan(input, &options, &mut Silent).is_ok())
}

/// Returns plan times of made-up inputs, each twice as large as the one before, until a planner
/// takes too long.
fn growth(choices: &[PlannerChoice], clock: &Clock, listener: &mut dyn Listener) -> Vec<GrowthLine> {
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
