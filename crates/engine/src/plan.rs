//! A document → its plan with every event.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::answer::{Done, NoPlan, Opened, Planned};
use super::listener::{Clock, Listener, Progress};
use super::source::{IMPORTED, PlanTask};
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::plan::{BufferPairs, Plan, Proof, Violation, check_up_to, metrics};
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes};
use memplan_core::trace::{Event, Outcome, Probe, Recorder};
use memplan_formats::import::{Document, Format};
use memplan_planners::{self as planner, FIRST, Input, MANY_LISTED, MANY_TENSORS, Options, PORTFOLIO, Planner};

/// Plans of more buffers than this are not checked for overlaps when they are shown: the planners'
/// own tests do that.
const MAX_CHECKED: usize = 20_000;

/// Violations after which the check ends: nobody reads more, and a small file can have billions.
const MAX_VIOLATIONS: usize = 10_000;

/// Plans a document as a task asks. `opened` is what the reports of a search repeat of a
/// document that is new to the page.
///
/// # Errors
/// Why there is no plan.
pub(super) fn plan(
    document: &Document,
    scope: &Scope,
    task: &PlanTask,
    opened: Option<&Opened>,
    listener: &mut dyn Listener,
) -> Result<Planned, NoPlan> {
    timed_plan(document, scope, task, opened, listener, &|| 0.0).map(|(planned, _)| planned)
}

/// Plans as [`plan`] does, and returns the milliseconds by `clock` that the planner took, with the
/// recording of its events.
///
/// # Errors
/// Why there is no plan.
pub(super) fn timed_plan(
    document: &Document,
    scope: &Scope,
    task: &PlanTask,
    opened: Option<&Opened>,
    listener: &mut dyn Listener,
    clock: &Clock,
) -> Result<(Planned, f64), NoPlan> {
    let format = opened.map(|opened| opened.format);
    // The planner that the document before was shown by may fit this one less than another, or be
    // too slow for it.
    let is_other = document.graph().is_none() || format.and_then(planner::of_format).is_some();
    let asked = match task.planner.as_str() {
        _ if task.own_plan && document.own_plan().is_some() => IMPORTED,
        asked if task.own_plan && (is_other || asked == FIRST[0] && !is_small(document)) => "",
        asked => asked,
    };
    let id = planner_for(document, format, asked);
    // Options are those of the planner asked for.
    let none = BTreeMap::new();
    let options = if id == task.planner || asked == task.planner { &task.options } else { &none };
    if id == IMPORTED
        && let Some((problem, plan)) = document.own_plan()
    {
        return Ok((shown_as_read(problem, plan), 0.0));
    }
    let start = clock();
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, id, options)?;
    let so_far = |plan: Plan| Planned {
        planner: id.to_string(),
        graph: reordered.clone(),
        align: planner.info().align,
        ..shown_as_read(&problem, &plan)
    };
    let mut probe = ReportingProbe {
        recorder: task.window.map_or_else(Recorder::default, |(from, to)| Recorder::window(from..to)),
        listener,
        progress: Progress::default(),
        problem: &problem,
        finished: &|plan| Done { opened: opened.cloned(), planned: Ok(so_far(plan)), diagram: None },
    };
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    // The search for an order is part of planning; the rest of what comes before it is not.
    let start = if planner::looks_for_order(&options) { start } else { clock() };
    let plan = planner.plan(input, &options, &mut probe)?;
    let millis = clock() - start;
    let plan = Plan { misreading: document.misreading().cloned(), ..plan };
    let events = probe.recorder.events;
    let (violations, collisions) = violations(&problem, &plan);
    let metrics = metrics(&problem, &plan);
    let planned = Planned {
        planner: id.to_string(),
        problem,
        graph: reordered,
        plan,
        metrics,
        events,
        align: planner.info().align,
        violations,
        collisions,
        window: task.window,
        builder: None,
    };
    Ok((planned, millis))
}

/// A planner with its options, and the problem prepared for them.
pub(super) struct Prepared {
    pub planner: &'static dyn Planner,
    pub options: Options,
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub reordered: Option<Graph>,
}

/// Returns everything that a planner needs to run.
///
/// # Errors
/// The planner does not exist, does not take an option or does not apply, the scope gives no sizes,
/// or the planner proves something and the file may be misread.
pub(super) fn prepare(
    document: &Document,
    scope: &Scope,
    id: &str,
    options: &BTreeMap<String, String>,
) -> Result<Prepared, Message> {
    let planner = planner::find(id).ok_or_else(|| Message::new("fault.unknown-planner").text("id", id))?;
    let given = options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let options = planner.info().options(given).map_err(|error| error.message())?;
    if let Some(why) = document.misreading().filter(|_| planner::proves(id, &options)) {
        return Err(why.clone());
    }
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

/// Returns the planner asked for if it applies to the document, else the one that such documents
/// are first shown by.
pub(super) fn planner_for<'a>(document: &Document, format: Option<Format>, asked: &'a str) -> &'a str {
    let has_graph = document.graph().is_some();
    let has_plan = document.own_plan().is_some();
    let first = first_planner(document, format);
    let unusable = planner::info(asked).is_some_and(|info| planner::applicable(info, has_graph).is_err());
    match asked {
        IMPORTED | "" if has_plan => IMPORTED,
        IMPORTED | "" => first,
        _ if unusable => first,
        _ => asked,
    }
}

/// Returns the planner that such documents are first shown by, whatever plan they contain.
pub fn first_planner(document: &Document, format: Option<Format>) -> &'static str {
    let own = format.and_then(planner::of_format);
    let of_list = own.filter(|id| planner::info(id).is_some_and(|info| planner::applicable(info, false).is_ok()));
    match document.buffers() {
        None if is_small(document) => own.unwrap_or(FIRST[0]),
        Some(problem) if problem.buffers.len() <= MANY_TENSORS && of_list.is_some() => of_list.unwrap_or(PORTFOLIO),
        Some(problem) if problem.buffers.len() <= MANY_LISTED => PORTFOLIO,
        _ => FIRST[1],
    }
}

/// Returns whether the first planner for graphs is quick enough for the document.
fn is_small(document: &Document) -> bool {
    document.graph().is_some_and(|graph| graph.tensors.len() <= MANY_TENSORS)
}

fn aligned(mut problem: Problem, align: u64) -> Problem {
    problem.buffers.iter_mut().for_each(|buffer| buffer.align = buffer.align.max(align));
    problem
}

/// Returns the rules that a plan breaks, and the pairs of buffers that collide. The plan of a file
/// that may be misread breaks none: its reader does.
fn violations(problem: &Problem, plan: &Plan) -> (Vec<Message>, Vec<(BufferId, BufferId)>) {
    if problem.buffers.len() > MAX_CHECKED || plan.places.iter().all(Option::is_none) {
        return Default::default();
    }
    let found = check_up_to(problem, plan, MAX_VIOLATIONS);
    let quirks = BufferPairs::quirks(plan);
    let mut messages: Vec<Message> =
        found.iter().filter(|violation| !quirks.has(violation)).map(|violation| violation.message(problem)).collect();
    if messages.len() >= MAX_VIOLATIONS {
        messages.push(Message::new("violation.more").count("n", messages.len() as u64));
    }
    if plan.misreading.is_some() {
        messages.clear();
    }
    (messages, found.iter().filter_map(Violation::overlap).collect())
}

/// Returns a plan from a file with made-up events in order of birth, so that it can be stepped
/// through like any other.
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
        metrics: metrics(problem, plan),
        events,
        align: 1,
        violations,
        collisions,
        window: None,
        builder: None,
    }
}

/// A recorder that also reports progress and the best plan so far to a listener.
struct ReportingProbe<'a> {
    recorder: Recorder,
    listener: &'a mut dyn Listener,
    progress: Progress,
    problem: &'a Problem,
    /// Returns the answer to a request that ends with this plan.
    finished: &'a dyn Fn(Plan) -> Done,
}

impl Probe for ReportingProbe<'_> {
    fn event(&mut self, event: Event) {
        self.recorder.event(event);
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.recorder.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        (self.progress.done, self.progress.total) = (done, total);
        self.listener.progress(self.progress);
        ControlFlow::Continue(())
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        // Each planner of a portfolio starts anew, and may be worse than those before it.
        let (least, known) = self.progress.best.unwrap_or((u64::MAX, 0));
        if peak > least {
            return true;
        }
        let bound = bound.max(known);
        self.progress.best = Some((peak, bound));
        self.listener.progress(self.progress);
        if !self.listener.is_best_due() {
            return false;
        }
        let proof = if peak <= bound { Proof::Optimal { bound } } else { Proof::Best { bound } };
        let plan = Plan { proof, ..planner::plan_at(self.problem, &offsets()) };
        self.listener.best((self.finished)(plan));
        true
    }
}
