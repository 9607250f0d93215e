//! The work itself, the same in page and worker: bytes → document → problem → plan and events.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::diagram::{Diagram, diagram};
use super::export::{Export, write_graph, write_plan};
use super::listener::{Listener, Progress};
use super::packed::{Carried, carried, is_packed, pack, unpack};
use super::readers;
use crate::base::Message;
use crate::export;
use crate::graph::{Fault, Graph, RawGraph, check as check_graph, edit};
use crate::import::{Answers, Document, Format, Question};
use crate::plan::{Plan, Proof, Violation, check_up_to};
use crate::planner::{self, FIRST, Input, MANY_TENSORS, Options, PlanError, Planner, origin};
use crate::problem::{BufferId, Problem, Scope, lifetimes};
use crate::replay::Run;
use crate::trace::{Event, Outcome, Probe, Recorder};

/// Planner id under which a plan read from a file is shown.
pub const IMPORTED: &str = "imported";

/// Where the document of a job comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Source {
    /// Bytes of a file, or what a link carries of one.
    Bytes { bytes: Vec<u8>, choices: Answers },
    /// A graph as edited, not yet checked.
    Draft(Box<RawGraph>),
    /// The document of the job before.
    Keep,
}

/// Open a document and plan it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub source: Source,
    pub scope: Scope,
    /// Registry id; [`IMPORTED`] for the file's own plan; empty = the best fitting default.
    pub planner: String,
    pub options: BTreeMap<String, String>,
    /// Show the file's own plan, if it has one, whatever planner is asked for.
    pub own_plan: bool,
    /// Keep the places looked at in these decisions instead of those at the beginning of a long run.
    pub window: Option<(u32, u32)>,
    /// Lay the graph out as a diagram, too.
    pub diagram: bool,
}

/// What a finished job gives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The document, unless the job kept the one before.
    pub opened: Option<Opened>,
    /// The plan, or why there is none: the document is open all the same.
    pub planned: Result<Planned, NoPlan>,
    /// The diagram asked for; nothing for a document without a graph or with too large a one.
    pub diagram: Option<Diagram>,
}

/// A document that was opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Opened {
    pub name: String,
    pub format: Format,
    pub graph: Option<Graph>,
    /// Whether the file holds a plan of its own.
    pub has_plan: bool,
    pub facts: Vec<Message>,
    pub warnings: Vec<Fault>,
    pub questions: Vec<Question>,
    /// The document as a file, when it came as a draft or packed.
    pub written: Option<Vec<u8>>,
    /// The document for a link, as far as it is small enough for one.
    pub packed: Carried,
}

/// Why a document that is open has no plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NoPlan {
    /// The reason in words.
    pub why: Message,
    /// Buffers of the problem that do not fit into the capacity asked for; empty for any other reason.
    pub conflict: Vec<BufferId>,
}

impl From<Message> for NoPlan {
    fn from(why: Message) -> NoPlan {
        NoPlan { why, conflict: Vec::new() }
    }
}

impl From<PlanError> for NoPlan {
    fn from(error: PlanError) -> NoPlan {
        NoPlan { why: error.message(), conflict: error.conflict().to_vec() }
    }
}

/// A plan with its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Planned {
    pub planner: String,
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub graph: Option<Graph>,
    pub plan: Plan,
    pub events: Vec<Event>,
    /// The planner's own alignment in bytes.
    pub align: u64,
    pub violations: Vec<Message>,
    /// Pairs of buffers that hold the same bytes at the same step, those of the original system included.
    pub collisions: Vec<(BufferId, BufferId)>,
    /// The decisions whose places were kept, if not those at the beginning.
    pub window: Option<(u32, u32)>,
}

impl Planned {
    /// What can be stepped through; `of_file` is the graph that was planned, in the order of the file.
    pub fn into_run(self, of_file: Option<&Rc<Graph>>) -> Run {
        let graph = self.graph.map(Rc::new).or_else(|| of_file.cloned());
        let run = Run::new(Rc::new(self.problem), origin(&self.planner, self.align), self.plan, self.events);
        run.with_graph(graph).with_window(self.window).with_collisions(self.collisions)
    }
}

/// Why a job gives nothing at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Failure {
    /// The file cannot be read: every fault.
    Faults(Vec<Fault>),
    /// The worker has forgotten the document, because it was restarted.
    NoDocument,
    /// A file of another tool, and the readers of those are not here: they are fetched when the first one comes.
    NoReaders,
    /// More nodes or tensors than are planned without asking: how many.
    Large(u64),
}

impl Failure {
    /// The first reason.
    pub fn message(self) -> Message {
        match self {
            Failure::Faults(faults) => {
                faults.into_iter().next().map_or_else(|| Message::new("fault.unreadable"), |fault| fault.message)
            }
            Failure::NoReaders => Message::new("notice.no-readers"),
            // A document that is open already was asked about: the worker that had it is gone.
            Failure::NoDocument | Failure::Large(_) => Message::new("notice.crashed"),
        }
    }
}

/// Nodes or tensors of a graph above which the user is asked first: planning and drawing then take long.
pub const MANY: usize = 150_000;

/// Plans above this many buffers are not checked for overlaps as they are shown: the planners' own tests do that.
const MAX_CHECKED: usize = 20_000;

/// Keeps the document between jobs.
#[derive(Debug, Default)]
pub struct Desk {
    document: Option<Document>,
}

impl Desk {
    /// Does a job; `listener` hears of progress and of the best plan so far.
    ///
    /// # Errors
    /// [`Failure`] when there is no document to plan. The document of the job before is then kept.
    pub fn work(&mut self, job: &Job, listener: &mut dyn Listener) -> Result<Done, Failure> {
        let opened = self.open(&job.source)?;
        let document = self.document()?;
        let drawn = document.graph().filter(|_| job.diagram).and_then(diagram);
        let planned = plan(document, job, opened.as_ref(), listener);
        Ok(Done { opened, planned, diagram: drawn })
    }

    /// A desk on which a document lies already.
    pub fn holding(document: Document) -> Desk {
        Desk { document: Some(document) }
    }

    pub(super) fn document(&self) -> Result<&Document, Failure> {
        self.document.as_ref().ok_or(Failure::NoDocument)
    }

    /// Does a job and gives its plan as the text of a file. Planners always plan alike, so that it is the plan shown.
    ///
    /// # Errors
    /// As [`Desk::work`]; inside, the sentence why the plan has no such file.
    pub fn write(
        &mut self,
        job: &Job,
        export: Export,
        listener: &mut dyn Listener,
    ) -> Result<Result<String, Message>, Failure> {
        self.open(&job.source)?;
        let document = self.document()?;
        if export.is_of_graph() {
            return Ok(write_graph(document.graph()));
        }
        let planned = match plan(document, job, None, listener) {
            Ok(planned) => planned,
            Err(none) => return Ok(Err(none.why)),
        };
        let given = job.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = planner::info(&planned.planner).and_then(|info| info.options(given).ok());
        let options = options.map_or_else(BTreeMap::new, |options| options.to_map());
        Ok(write_plan(planned, document.graph(), &options, export))
    }

    pub(super) fn open(&mut self, source: &Source) -> Result<Option<Opened>, Failure> {
        let (document, opened) = match source {
            Source::Keep => return Ok(None),
            Source::Bytes { bytes, choices } => {
                let unpacked = is_packed(bytes).then(|| unpack(bytes).ok_or_else(damaged)).transpose()?;
                let bytes = unpacked.as_ref().unwrap_or(bytes);
                let imported = readers::read(bytes, choices)?;
                let size = imported.document.graph().map_or(0, |graph| graph.nodes.len().max(graph.tensors.len()));
                if size > MANY && !choices.large {
                    return Err(Failure::Large(size as u64));
                }
                let opened = Opened {
                    name: imported.document.name().into(),
                    format: imported.format,
                    graph: imported.document.graph().cloned(),
                    has_plan: imported.document.own_plan().is_some(),
                    facts: imported.facts,
                    warnings: imported.warnings,
                    questions: imported.questions,
                    packed: carried(bytes, choices, &imported.document),
                    written: unpacked,
                };
                (imported.document, opened)
            }
            Source::Draft(draft) => {
                let (graph, mut warnings) = check_graph((**draft).clone()).map_err(Failure::Faults)?;
                warnings.extend(edit::remarks(&graph));
                let written = export::graph(&graph).into_bytes();
                let opened = Opened {
                    name: graph.name.clone(),
                    format: Format::MemoryGraph,
                    graph: Some(graph.clone()),
                    has_plan: false,
                    facts: Vec::new(),
                    warnings,
                    questions: Vec::new(),
                    packed: Carried { document: pack(&written), plan: None },
                    written: Some(written),
                };
                (Document::Graph(graph), opened)
            }
        };
        self.document = Some(document);
        Ok(Some(opened))
    }
}

fn damaged() -> Failure {
    Failure::Faults(vec![Fault { path: String::new(), message: Message::new("fault.damaged-link") }])
}

/// Plans; `opened` is what the page does not know yet of the document.
pub(super) fn plan(
    document: &Document,
    job: &Job,
    opened: Option<&Opened>,
    listener: &mut dyn Listener,
) -> Result<Planned, NoPlan> {
    let asked = if job.own_plan && document.own_plan().is_some() { IMPORTED } else { &job.planner };
    // The planner of the document before is no choice for one that is too large for it.
    let asked = if job.own_plan && asked == FIRST[0] && !is_small(document) { "" } else { asked };
    let id = planner_for(document, asked);
    if id == IMPORTED
        && let Some((problem, plan)) = document.own_plan()
    {
        return Ok(shown_as_read(problem, plan));
    }
    let Prepared { planner, options, problem, reordered } = prepare(document, &job.scope, id, &job.options)?;
    let so_far = |plan: Plan| Planned {
        planner: id.to_string(),
        graph: reordered.clone(),
        align: planner.info().align,
        ..shown_as_read(&problem, &plan)
    };
    let mut recorder = Followed {
        recorder: job.window.map_or_else(Recorder::default, |(from, to)| Recorder::window(from..to)),
        listener,
        progress: Progress::default(),
        problem: &problem,
        finished: &|plan| Done { opened: opened.cloned(), planned: Ok(so_far(plan)), diagram: None },
    };
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    let plan = planner.plan(input, &options, &mut recorder)?;
    let events = recorder.recorder.events;
    let (violations, collisions) = violations(&problem, &plan);
    Ok(Planned {
        planner: id.to_string(),
        problem,
        graph: reordered,
        plan,
        events,
        align: planner.info().align,
        violations,
        collisions,
        window: job.window,
    })
}

/// A planner with its options, and the problem as these want it.
pub(super) struct Prepared {
    pub planner: &'static dyn Planner,
    pub options: Options,
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub reordered: Option<Graph>,
}

pub(super) fn prepare(
    document: &Document,
    scope: &Scope,
    id: &str,
    options: &BTreeMap<String, String>,
) -> Result<Prepared, Message> {
    let planner = planner::find(id).ok_or_else(|| Message::new("fault.unknown-planner").text("id", id))?;
    let given = options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let options = planner.info().options(given).map_err(|error| error.message())?;
    let mut problem = match document {
        Document::Graph(graph) | Document::Planned(graph, ..) => {
            lifetimes(graph, scope).map_err(|error| error.message(graph))?
        }
        Document::Buffers(_) | Document::Plan(..) => aligned(document.buffers().unwrap_or_default(), scope.align),
    };
    let reordered =
        planner::prepare(planner, &mut problem, document.graph(), scope, &options).map_err(|error| error.message())?;
    Ok(Prepared { planner, options, problem, reordered })
}

/// The planner asked for if it applies to the document, else the one that such documents are shown by at first.
fn planner_for<'a>(document: &Document, asked: &'a str) -> &'a str {
    let has_graph = document.graph().is_some();
    let has_plan = document.own_plan().is_some();
    let first = if is_small(document) { FIRST[0] } else { FIRST[1] };
    let unusable = planner::info(asked).is_some_and(|info| planner::applicable(info, has_graph).is_err());
    match asked {
        IMPORTED | "" if has_plan => IMPORTED,
        IMPORTED | "" => first,
        _ if unusable => first,
        _ => asked,
    }
}

/// Whether the first planner for graphs is quick enough for the document.
fn is_small(document: &Document) -> bool {
    document.graph().is_some_and(|graph| graph.tensors.len() <= MANY_TENSORS)
}

fn aligned(mut problem: Problem, align: u64) -> Problem {
    problem.buffers.iter_mut().for_each(|buffer| buffer.align = buffer.align.max(align));
    problem
}

/// Violations after which no more overlaps are looked for: nobody reads them, and a small file can have billions.
const MAX_TOLD: usize = 10_000;

/// What is wrong with a plan, and the buffers that collide.
fn violations(problem: &Problem, plan: &Plan) -> (Vec<Message>, Vec<(BufferId, BufferId)>) {
    if problem.buffers.len() > MAX_CHECKED || plan.places.iter().all(Option::is_none) {
        return Default::default();
    }
    let found = check_up_to(problem, plan, MAX_TOLD);
    let told =
        found.iter().filter(|violation| !violation.is_quirk_of(plan)).map(|violation| violation.message(problem));
    let pair = |violation: &Violation| match *violation {
        Violation::Overlap { a, b, .. } => Some((a, b)),
        _ => None,
    };
    let more = (found.len() >= MAX_TOLD).then(|| Message::new("violation.more").count("n", found.len() as u64));
    (told.chain(more).collect(), found.iter().filter_map(pair).collect())
}

/// A plan from a file as events in order of birth, so that it can be stepped through like any other.
pub fn shown_as_read(problem: &Problem, plan: &Plan) -> Planned {
    let mut order: Vec<_> = problem.buffers.ids().filter(|&id| plan.places[id].is_some()).collect();
    order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut events = Vec::new();
    let mut ends = vec![None; plan.pools.len()];
    for id in order {
        let Some(place) = plan.places[id] else { continue };
        events.push(Event::Begin { buffer: id });
        let pool = place.pool.0;
        let Some(end) = ends.get_mut(pool as usize) else { continue };
        if end.is_none() {
            events.push(Event::OpenPool { pool, memory: 0, growing: false });
        }
        events.push(Event::Place { outcome: Outcome::Stated, buffer: id, pool, offset: place.offset });
        let from = end.unwrap_or(0);
        let to = place.offset.saturating_add(problem.buffers[id].size);
        if to > from {
            events.push(Event::Grow { pool, from, to });
        }
        *end = Some(from.max(to));
    }
    let (violations, collisions) = violations(problem, plan);
    Planned {
        planner: IMPORTED.into(),
        problem: problem.clone(),
        graph: None,
        plan: plan.clone(),
        events,
        align: 1,
        violations,
        collisions,
        window: None,
    }
}

/// A recorder that also passes on progress and the best plan so far.
struct Followed<'a> {
    recorder: Recorder,
    listener: &'a mut dyn Listener,
    progress: Progress,
    problem: &'a Problem,
    /// What a job that ends with this plan gives.
    finished: &'a dyn Fn(Plan) -> Done,
}

impl Probe for Followed<'_> {
    fn event(&mut self, event: Event) {
        self.recorder.event(event);
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.recorder.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> std::ops::ControlFlow<()> {
        (self.progress.done, self.progress.total) = (done, total);
        self.listener.progress(self.progress);
        std::ops::ControlFlow::Continue(())
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        // Contenders of a portfolio begin anew, and may be worse than what there is.
        let (least, known) = self.progress.best.unwrap_or((u64::MAX, 0));
        if peak > least {
            return true;
        }
        let bound = bound.max(known);
        self.progress.best = Some((peak, bound));
        self.listener.progress(self.progress);
        if !self.listener.wants_best() {
            return false;
        }
        let proof = if peak <= bound { Proof::Optimal { bound } } else { Proof::Best { bound } };
        let plan = Plan { proof, ..planner::plan_at(self.problem, &offsets()) };
        self.listener.best((self.finished)(plan));
        true
    }
}
