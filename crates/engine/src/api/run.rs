//! A document and a planner → a plan, and the run of the planner.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{ApiError, Code};
use crate::{IMPORTED, shown_as_read};
use memplan_core::base::{Message, suggest};
use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, PlanFile};
use memplan_core::problem::{LifetimeError, Problem, Scope, lifetimes};
use memplan_core::text::Locale;
use memplan_core::trace::{Probe, Recorder, Silent};
use memplan_formats::import::Document;
use memplan_planners::{self as planner, Input, Options, PlanError, Planner, REGISTRY, origin};
use memplan_replay::{Level, Run};

/// A plan and what it was made from.
#[derive(Clone, Debug)]
pub struct PlannedDocument {
    /// Registry id, or [`IMPORTED`] for the plan of the file itself.
    pub planner: &'static str,
    /// The planner's own alignment in bytes.
    pub align: u64,
    /// Every option of the planner with the value used.
    pub options: BTreeMap<String, String>,
    /// The buffers.
    pub problem: Problem,
    /// The graph in the order in which its nodes run; none for a list of buffers.
    pub graph: Option<Graph>,
    /// The plan.
    pub plan: Plan,
}

impl PlannedDocument {
    /// Returns the plan as `memory-plan/1`.
    pub fn file(&self) -> PlanFile {
        plan_file(&self.problem, &self.plan, self.planner, self.options.clone())
    }
}

/// Returns a plan as `memory-plan/1`, in English like every file.
pub fn plan_file(problem: &Problem, plan: &Plan, planner: &str, options: BTreeMap<String, String>) -> PlanFile {
    PlanFile::new(problem, plan, planner, options, |message: &Message| super::say(message, Locale::En))
        .called(memplan_planners::own_name(planner))
}

/// Returns the planner with this id, and its options with these values in place of defaults.
///
/// # Errors
/// [`Code::Planner`] and [`Code::Option`].
pub fn chosen<'a>(
    id: &str,
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(&'static dyn Planner, Options), ApiError> {
    let planner = planner::find(id).ok_or_else(|| {
        let known: Vec<&str> = REGISTRY.iter().map(|planner| planner.info().id).collect();
        let message = Message::new("cli.no-such-planner").text("id", id).text("known", known.join(", "));
        ApiError::new(Code::Planner, "", suggest(message, id, known.into_iter().chain([IMPORTED])))
    })?;
    let options = planner.info().options(given).map_err(|error| ApiError::of_option(planner.info(), &error))?;
    Ok((planner, options))
}

/// Returns the buffers to plan, and the graph they come from if there is one. Buffers without a
/// graph keep the alignment of their file if it is larger than that of the scope.
///
/// # Errors
/// [`Code::Scope`] if the values of the symbols give no sizes, or too large ones.
pub fn problem(document: &Document, scope: &Scope) -> Result<(Problem, Option<Graph>), ApiError> {
    problem_of(document.clone(), scope)
}

/// As [`problem`], of a document that is not needed any more: a million buffers need not be there
/// twice.
fn problem_of(document: Document, scope: &Scope) -> Result<(Problem, Option<Graph>), ApiError> {
    let scope_error = |key: &str, message| ApiError::new(Code::Scope, format!("settings.{key}"), message);
    match document {
        Document::Graph(graph) | Document::Planned(graph, ..) => {
            let problem = lifetimes(&graph, scope).map_err(|error| {
                let message = error.message(&graph);
                match error {
                    LifetimeError::Unsized { .. } => scope_error("shapes", message.renamed("api.unsized")),
                    _ => scope_error("symbols", message),
                }
            })?;
            Ok((problem, Some(graph)))
        }
        Document::Buffers(_) | Document::Plan(..) => {
            if let Some(name) = scope.symbols.keys().next() {
                return Err(scope_error("symbols", Message::new("fault.scope-symbol").text("name", name)));
            }
            let mut problem = document.into_buffers().unwrap_or_default();
            problem.buffers.iter_mut().for_each(|buffer| buffer.align = buffer.align.max(scope.align));
            let is_safe = problem.total_is_safe(1);
            if is_safe { Ok((problem, None)) } else { Err(scope_error("align", Message::new("fault.sum-too-large"))) }
        }
    }
}

/// Plans a document without recording events. [`IMPORTED`] stands for the document's own plan.
///
/// # Errors
/// Every [`Code`] but [`Code::Fault`] and [`Code::Frame`].
pub fn plan(
    document: &Document,
    id: &str,
    given: &BTreeMap<String, String>,
    scope: &Scope,
) -> Result<PlannedDocument, ApiError> {
    if id == IMPORTED { imported(document, given) } else { run(document.clone(), id, given, scope, &mut Silent) }
}

/// Plans a document with all events, to be stepped through, and returns the options used.
///
/// # Errors
/// As [`plan`].
pub fn replay(
    document: &Document,
    id: &str,
    given: &BTreeMap<String, String>,
    scope: &Scope,
) -> Result<(Run, BTreeMap<String, String>), ApiError> {
    if id == IMPORTED {
        let ran = imported(document, given)?;
        let shown = shown_as_read(&ran.problem, &ran.plan);
        let run = Run::new(Rc::new(shown.problem), origin(id, shown.align), shown.plan, shown.events);
        return Ok((run.with_graph(ran.graph.map(Rc::new)), ran.options));
    }
    let mut recorder = Recorder::default();
    let ran = run(document.clone(), id, given, scope, &mut recorder)?;
    let run = Run::new(Rc::new(ran.problem), origin(id, ran.align), ran.plan, recorder.events);
    Ok((run.with_graph(ran.graph.map(Rc::new)), ran.options))
}

/// Plans a document and sends its events to `probe`.
///
/// # Errors
/// As [`plan`].
pub fn run(
    document: Document,
    id: &str,
    given: &BTreeMap<String, String>,
    scope: &Scope,
    probe: &mut dyn Probe,
) -> Result<PlannedDocument, ApiError> {
    let (planner, options) = chosen(id, given.iter().map(|(key, value)| (key.as_str(), value.as_str())))?;
    let info = planner.info();
    if planner::proves(info.id, &options) {
        ApiError::unless_misread(&document)?;
    }
    let misreading = document.misreading().cloned();
    let refused = |error| ApiError::of_planner(info, &error);
    let (mut problem, graph) = problem_of(document, scope)?;
    planner::applicable(info, graph.is_some()).map_err(|why| refused(PlanError::NotApplicable(why)))?;
    let reordered = planner::prepare(planner, &mut problem, graph.as_ref(), scope, &options).map_err(refused)?;
    let graph = reordered.or(graph);
    let plan = planner.plan(Input { problem: &problem, graph: graph.as_ref() }, &options, probe).map_err(refused)?;
    let plan = Plan { misreading, ..plan };
    Ok(PlannedDocument { planner: info.id, align: info.align, options: options.to_map(), problem, graph, plan })
}

/// Returns the document's own plan, which takes no options.
fn imported(document: &Document, given: &BTreeMap<String, String>) -> Result<PlannedDocument, ApiError> {
    if let Some(key) = given.keys().next() {
        let message = Message::new("cli.no-options").text("key", key).text("planner", IMPORTED);
        return Err(ApiError::new(Code::Option, format!("options.{key}"), message));
    }
    let (problem, plan) =
        document.own_plan().ok_or_else(|| ApiError::new(Code::NoPlan, "", Message::new("api.no-plan")))?;
    let (problem, plan) = (problem.clone(), plan.clone());
    Ok(PlannedDocument {
        planner: IMPORTED,
        align: 1,
        options: BTreeMap::new(),
        problem,
        graph: document.graph().cloned(),
        plan,
    })
}

/// Checks that the run has a frame.
///
/// # Errors
/// [`Code::Frame`].
pub fn within(run: &Run, level: Level, at: u32) -> Result<(), ApiError> {
    let last = run.timeline.frames(level).saturating_sub(1);
    if at <= last {
        return Ok(());
    }
    let message = Message::new("cli.no-such-frame").count("at", at).count("last", last).text("level", level.name());
    Err(ApiError::new(Code::Frame, "k", message))
}

/// Returns the frame number that a JavaScript number stands for: whole and inside the run.
///
/// # Errors
/// [`Code::Frame`].
pub fn frame_number(run: &Run, level: Level, k: f64) -> Result<u32, ApiError> {
    if !(0.0..=f64::from(u32::MAX)).contains(&k) || k.fract() != 0.0 {
        let last = run.timeline.frames(level).saturating_sub(1);
        let message = Message::new("api.frame-number").text("value", k.to_string()).count("last", last);
        return Err(ApiError::new(Code::Frame, "k", message));
    }
    let at = k as u32;
    within(run, level, at).map(|()| at)
}
