//! A document and a planner → a plan, and the run that led to it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Code, Refusal};
use crate::base::Message;
use crate::engine::{IMPORTED, shown_as_read};
use crate::graph::Graph;
use crate::import::Document;
use crate::plan::{Plan, PlanFile};
use crate::planner::{self, Input, Options, PlanError, Planner, REGISTRY, origin};
use crate::problem::{LifetimeError, Problem, Scope, lifetimes};
use crate::replay::{Level, Run};
use crate::text::Locale;
use crate::trace::{Probe, Recorder, Silent};

/// A finished plan and what it was made from.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Registry id, or [`IMPORTED`] for the plan of the file itself.
    pub planner: &'static str,
    /// The planner's own alignment in bytes.
    pub align: u64,
    /// Every option of the planner with the value used.
    pub options: BTreeMap<String, String>,
    pub problem: Problem,
    /// The graph in the order in which its nodes run; none when there are only buffers.
    pub graph: Option<Graph>,
    pub plan: Plan,
}

impl Ran {
    /// The plan as `memory-plan/1`.
    pub fn file(&self) -> PlanFile {
        plan_file(&self.problem, &self.plan, self.planner, self.options.clone())
    }
}

/// A plan as `memory-plan/1`, in English like every file.
pub fn plan_file(problem: &Problem, plan: &Plan, planner: &str, options: BTreeMap<String, String>) -> PlanFile {
    PlanFile::new(problem, plan, planner, options, |message: &Message| super::say(message, Locale::En))
}

/// The planner with this id, and its options with these values in place of defaults.
///
/// # Errors
/// [`Code::Planner`] and [`Code::Option`].
pub fn chosen<'a>(
    id: &str,
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(&'static dyn Planner, Options), Refusal> {
    let planner = planner::find(id).ok_or_else(|| {
        let known: Vec<&str> = REGISTRY.iter().map(|planner| planner.info().id).collect();
        let message = Message::new("cli.no-such-planner").text("id", id).text("known", known.join(", "));
        Refusal::new(Code::Planner, "", message)
    })?;
    let options = planner.info().options(given).map_err(|error| Refusal::of_option(planner.info(), &error))?;
    Ok((planner, options))
}

/// The buffers to plan, and the graph they come from if there is one. Buffers without a graph keep what their file says,
/// and at least the alignment asked for.
///
/// # Errors
/// [`Code::Scope`] when the values of the symbols give no sizes, or too large ones.
pub fn problem(document: &Document, scope: &Scope) -> Result<(Problem, Option<Graph>), Refusal> {
    let refusal = |key: &str, message| Refusal::new(Code::Scope, format!("settings.{key}"), message);
    match document {
        Document::Graph(graph) | Document::Planned(graph, ..) => {
            let problem = lifetimes(graph, scope).map_err(|error| {
                let answer = if matches!(error, LifetimeError::Unsized { .. }) { "shapes" } else { "symbols" };
                refusal(answer, error.message(graph))
            })?;
            Ok((problem, Some(graph.clone())))
        }
        Document::Buffers(_) | Document::Plan(..) => {
            if let Some(name) = scope.symbols.keys().next() {
                return Err(refusal("symbols", Message::new("fault.scope-symbol").text("name", name)));
            }
            let mut problem = document.buffers().unwrap_or_default();
            problem.buffers.iter_mut().for_each(|buffer| buffer.align = buffer.align.max(scope.align));
            let is_safe = problem.total_is_safe(1);
            if is_safe { Ok((problem, None)) } else { Err(refusal("align", Message::new("fault.sum-too-large"))) }
        }
    }
}

/// Plans a document without recording how. [`IMPORTED`] stands for the document's own plan.
///
/// # Errors
/// Every [`Code`] but [`Code::Fault`] and [`Code::Frame`].
pub fn plan(document: &Document, id: &str, given: &BTreeMap<String, String>, scope: &Scope) -> Result<Ran, Refusal> {
    if id == IMPORTED { imported(document, given) } else { run(document, id, given, scope, &mut Silent) }
}

/// Plans a document and keeps every decision, ready to be stepped through. The options are those used.
///
/// # Errors
/// As [`plan`].
pub fn replay(
    document: &Document,
    id: &str,
    given: &BTreeMap<String, String>,
    scope: &Scope,
) -> Result<(Run, BTreeMap<String, String>), Refusal> {
    if id == IMPORTED {
        let ran = imported(document, given)?;
        let shown = shown_as_read(&ran.problem, &ran.plan);
        let run = Run::new(Rc::new(shown.problem), origin(id, shown.align), shown.plan, shown.events);
        return Ok((run.with_graph(ran.graph.map(Rc::new)), ran.options));
    }
    let mut recorder = Recorder::default();
    let ran = run(document, id, given, scope, &mut recorder)?;
    let run = Run::new(Rc::new(ran.problem), origin(id, ran.align), ran.plan, recorder.events);
    Ok((run.with_graph(ran.graph.map(Rc::new)), ran.options))
}

/// Plans a document; `probe` hears of the events.
///
/// # Errors
/// As [`plan`].
pub fn run(
    document: &Document,
    id: &str,
    given: &BTreeMap<String, String>,
    scope: &Scope,
    probe: &mut dyn Probe,
) -> Result<Ran, Refusal> {
    let (planner, options) = chosen(id, given.iter().map(|(key, value)| (key.as_str(), value.as_str())))?;
    let info = planner.info();
    let refused = |error| Refusal::of_planner(info, &error);
    let (mut problem, graph) = problem(document, scope)?;
    planner::applicable(info, graph.is_some()).map_err(|why| refused(PlanError::NotApplicable(why)))?;
    let reordered = planner::prepare(planner, &mut problem, graph.as_ref(), scope, &options).map_err(refused)?;
    let graph = reordered.or(graph);
    let plan = planner.plan(Input { problem: &problem, graph: graph.as_ref() }, &options, probe).map_err(refused)?;
    Ok(Ran { planner: info.id, align: info.align, options: options.to_map(), problem, graph, plan })
}

/// The document's own plan, which takes no options.
fn imported(document: &Document, given: &BTreeMap<String, String>) -> Result<Ran, Refusal> {
    if let Some(key) = given.keys().next() {
        let message = Message::new("cli.no-options").text("key", key).text("planner", IMPORTED);
        return Err(Refusal::new(Code::Option, format!("options.{key}"), message));
    }
    let (problem, plan) =
        document.own_plan().ok_or_else(|| Refusal::new(Code::NoPlan, "", Message::new("api.no-plan")))?;
    let (problem, plan) = (problem.clone(), plan.clone());
    Ok(Ran { planner: IMPORTED, align: 1, options: BTreeMap::new(), problem, graph: document.graph().cloned(), plan })
}

/// Refuses a frame that the run does not have.
///
/// # Errors
/// [`Code::Frame`].
pub fn within(run: &Run, level: Level, at: u32) -> Result<(), Refusal> {
    let last = run.timeline.frames(level).saturating_sub(1);
    if at <= last {
        return Ok(());
    }
    let message = Message::new("cli.no-such-frame").count("at", at).count("last", last).text("level", level.name());
    Err(Refusal::new(Code::Frame, "k", message))
}

/// A frame number as JavaScript gives it: whole and inside the run.
///
/// # Errors
/// [`Code::Frame`].
pub fn frame_number(run: &Run, level: Level, k: f64) -> Result<u32, Refusal> {
    if !(0.0..=f64::from(u32::MAX)).contains(&k) || k.fract() != 0.0 {
        let last = run.timeline.frames(level).saturating_sub(1);
        let message = Message::new("api.frame-number").text("value", k.to_string()).count("last", last);
        return Err(Refusal::new(Code::Frame, "k", message));
    }
    let at = k as u32;
    within(run, level, at).map(|()| at)
}
