//! A budget → the cheapest changes that meet it (docs/fit.md), with a plan after each of them, as
//! the page shows it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::answer::Planned;
use crate::listener::{Listener, Progress};
use crate::plan::shown_as_read;
use crate::write::AnswerToWrite;
use memplan_core::base::Message;
use memplan_core::plan::PlanFile;
use memplan_core::problem::Scope;
use memplan_core::text::{Locale, Speech};
use memplan_fit::{
    Finished, FitRecord, KernelFit, LADDER_SECONDS, Lever, LeverRecord, Request, Runtime, fit, fit_kernel, limit_of,
    report_markdown,
};
use memplan_formats::export;
use memplan_formats::import::Document;
use memplan_planners::PORTFOLIO;

/// Time for the curve of prices, in milliseconds after the limit of the search; then come the
/// levers that were not tried alone and the plans of the stages. A search that is limited to less
/// gets its own limit again.
const BEYOND: f64 = 500.0;

/// Most buffers of a plan that is sent to be shown.
const MOST: usize = 100_000;

/// Look for the cheapest changes of the open graph that meet a budget.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitTask {
    /// What is asked; its scope is that of the measurement.
    pub request: Request,
    /// Milliseconds of search.
    pub millis: u32,
    /// When the curve of prices and every lever alone are wanted, which take up to 0.8 s more.
    pub curve: Curve,
    /// What is to run the answer.
    pub runtime: Runtime,
}

/// Look at a kernel beside the shared memory of a card.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KernelTask {
    /// A card or a size as it was typed; none asks for the card that the kernel was compiled for.
    pub limit: Option<String>,
}

/// When an answer comes with the curve of prices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Curve {
    /// No curve: a later search asks for it.
    Later,
    /// Only if the search ends before its limit.
    AtTheEnd,
    /// Always.
    Now,
}

/// A file that an answer can be saved as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FitFile {
    /// The changed graph as memory-graph/1.
    Graph,
    /// Its plan as memory-plan/1.
    Plan,
    /// The answer as fit/1.
    Report,
    /// The answer in words.
    Markdown,
}

impl FitFile {
    /// All of them, in order.
    pub const ALL: [FitFile; 4] = [FitFile::Graph, FitFile::Plan, FitFile::Report, FitFile::Markdown];

    /// Key of its name in words.
    pub const fn key(self) -> &'static str {
        match self {
            FitFile::Graph => "fit.file-graph",
            FitFile::Plan => "fit.file-plan",
            FitFile::Report => "fit.file-report",
            FitFile::Markdown => "fit.file-markdown",
        }
    }

    /// How the name of the file ends.
    pub const fn suffix(self) -> &'static str {
        match self {
            FitFile::Graph => "fit-graph.json",
            FitFile::Plan => "fit-plan.json",
            FitFile::Report => "fit-report.json",
            FitFile::Markdown => "fit-report.md",
        }
    }
}

/// The answer with what it made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fitted {
    /// The answer in figures.
    pub record: FitRecord,
    /// The graph as it is, and after each change, with plans, as far as time and size allow; each
    /// with its number of changes.
    pub stages: Vec<(usize, Planned)>,
    /// What can be taken away; without a graph and a plan if nothing fits.
    pub files: Vec<(FitFile, ByteBuf)>,
    /// Whether the search, the curve of prices and what each lever does alone are complete: a
    /// longer search finds nothing more.
    pub ended: bool,
    /// If something was found: what of it a TensorFlow Lite model can be written with, or why it
    /// cannot.
    pub to_write: Option<Result<AnswerToWrite, Message>>,
}

/// Looks for an answer; `clock` returns milliseconds.
///
/// # Errors
/// A document without operators or one that may be misread, a budget that does not suit it, or
/// sizes that are not known.
pub(super) fn fitted(
    task: &FitTask,
    document: &Document,
    scope: &Scope,
    clock: &dyn Fn() -> f64,
    listener: &mut dyn Listener,
) -> Result<Fitted, Message> {
    let no_graph = || Message::new("fit.no-graph").text("name", document.name());
    let graph = document.graph().ok_or_else(no_graph)?;
    if let Some(why) = document.misreading() {
        return Err(why.clone());
    }
    let request = Request { scope: scope.clone(), curve: false, ..task.request.clone() };
    let (start, listener) = (clock(), RefCell::new(listener));
    let until = |most: f64| {
        let taken = clock() - start;
        let (done, total) = (taken.min(most) as u64, most as u64);
        listener.borrow_mut().progress(Progress { done, total, best: None });
        taken >= most
    };
    let millis = f64::from(task.millis);
    let search = || until(millis);
    let mut answer = fit(graph, &request, &search)?;
    let is_over = !search();
    answer.record.search.seconds = Some((clock() - start).round() / 1000.0);
    let has_curve = task.curve == Curve::Now || task.curve == Curve::AtTheEnd && is_over;
    let beyond = || until(millis + millis.min(BEYOND));
    let late = || until(millis + millis.min(BEYOND) + millis.min(1_000.0 * LADDER_SECONDS));
    if has_curve {
        answer.take_curve(&request, &beyond)?;
        answer.take_ladder(&request, &late)?;
    }
    let stages = answer.stages(graph, &request, &late)?;
    let stages = shown(stages, answer.record.moves.len());
    let to_write = answer.finished.as_ref().map(|finished| {
        let order = answer.record.order_to_write(graph, &finished.graph)?;
        Ok(AnswerToWrite { order, room: request.budget.arena() })
    });
    let is_tried = |row: &LeverRecord| row.peak.is_some() || row.lever == Lever::Order.name();
    let ended = is_over && has_curve && answer.record.search.curve && answer.record.levers.iter().all(is_tried);
    let files = files(&answer.record, task.runtime, answer.to_save().as_ref());
    Ok(Fitted { files, stages, ended, to_write, record: answer.record })
}

/// Answers for a kernel.
///
/// # Errors
/// The document holds no kernel or may be misread, or there is no such card.
pub(super) fn kernel(document: &Document, task: &KernelTask) -> Result<KernelFit, Message> {
    if let Some(why) = document.misreading() {
        return Err(why.clone());
    }
    let problem = document.buffers().ok_or_else(|| Message::new("kernel.none").text("name", document.name()))?;
    fit_kernel(&problem, limit_of(&problem, task.limit.as_deref())?)
}

/// Stages that are not too large, each with its number of changes.
fn shown(stages: Vec<Finished>, changes: usize) -> Vec<(usize, Planned)> {
    let sizes: Vec<usize> = stages.iter().map(|stage| stage.problem.buffers.len()).collect();
    let planned = |(number, stage): (Option<usize>, Finished)| {
        let planned = Planned {
            planner: PORTFOLIO.to_string(),
            graph: Some(stage.graph),
            ..shown_as_read(&stage.problem, &stage.plan)
        };
        Some((number?, planned))
    };
    numbers(&sizes, changes, MOST).into_iter().zip(stages).filter_map(planned).collect()
}

/// Returns, for each stage, the number of changes made before it; none if it has more than `most`
/// buffers. The last stage is that after all changes.
fn numbers(sizes: &[usize], changes: usize, most: usize) -> Vec<Option<usize>> {
    let last = sizes.len().saturating_sub(1);
    let number = |number: usize| if number > 0 && number == last { changes } else { number };
    sizes.iter().enumerate().map(|(at, &size)| (size <= most).then(|| number(at))).collect()
}

fn files(record: &FitRecord, runtime: Runtime, finished: Option<&Finished>) -> Vec<(FitFile, ByteBuf)> {
    let english = Speech { locale: Locale::En, ..Speech::default() };
    let report = serde_json::to_string(record).unwrap_or_default() + "\n";
    let mut files = vec![(FitFile::Report, report), (FitFile::Markdown, report_markdown(record, runtime, english))];
    if let Some(Finished { graph, problem, plan, .. }) = finished {
        let file = PlanFile::new(problem, plan, PORTFOLIO, BTreeMap::new(), |message| english.say(message));
        files.splice(0..0, [(FitFile::Graph, export::graph(graph)), (FitFile::Plan, export::plan(&file))]);
    }
    files.into_iter().map(|(kind, text)| (kind, text.into_bytes().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes that what is made after the search has begun: it has more time than the search.
    struct Beyond<'a>(&'a std::cell::Cell<bool>);

    impl Listener for Beyond<'_> {
        fn progress(&mut self, progress: Progress) {
            if progress.total > 600 {
                self.0.set(true);
            }
        }
    }

    #[test]
    fn an_answer_whose_curve_was_cut_off_has_not_ended() {
        let tiny = include_bytes!("../../../tests/data/fit/tiny.json");
        let document =
            memplan_formats::import::read(tiny, memplan_formats::import::Answers::default()).expect("a graph").document;
        let allow = memplan_fit::Lever::ALL.into_iter().collect();
        let mut request = Request { allow, ..Request::default() };
        request.budget.memories = vec![memplan_fit::StoredIn { name: "SRAM".into(), size: 64, cost: 1 }];
        let (curve, runtime) = (Curve::AtTheEnd, Runtime::Compiled);
        let task = FitTask { request, millis: 600, curve, runtime };
        let ended = |beyond: f64| {
            let is_beyond = std::cell::Cell::new(false);
            let clock = || if is_beyond.get() { beyond } else { 0.0 };
            let fitted =
                fitted(&task, &document, &Scope::default(), &clock, &mut Beyond(&is_beyond)).expect("an answer");
            (fitted.record.result == "fits", fitted.record.search.curve, fitted.ended)
        };
        assert_eq!(ended(0.0), (true, true, true));
        assert_eq!(ended(9_999.0), (true, false, false), "the next search makes the whole curve");
    }

    #[test]
    fn a_stage_keeps_its_number_if_others_are_too_large_or_were_not_made() {
        let after = |sizes: &[usize], changes| numbers(sizes, changes, 3).into_iter().flatten().collect::<Vec<usize>>();
        assert_eq!(after(&[1, 2, 3], 2), [0, 1, 2]);
        assert_eq!(after(&[1, 4, 3, 2], 3), [0, 2, 3]);
        assert_eq!(after(&[1, 2, 4], 2), [0, 1]);
        // Time ended after the first change of five; the last plan is that of the answer.
        assert_eq!(after(&[1, 2, 3], 5), [0, 1, 5]);
        assert_eq!(after(&[1], 0), [0]);
    }
}
