//! Figures that exercises ask about: their values, how much of a plan may be shown before the
//! answer, how a value comes about, and which idea gives another one.
//!
//! In links a figure is `bound`, `peak`, `waste`, `load@3` or `offset:X`; several stand between
//! commas. Letters of a name that divide figures are percent-escaped.

use serde::{Deserialize, Serialize};

use super::judge::judge;
use super::link::part::part;
use memplan_core::base::fragment::unescape;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{Place, PoolRole};
use memplan_core::problem::{BufferId, Problem, load};
use memplan_replay::Run;

/// Most buffers of a document whose figures are worked out by hand.
pub const MOST: usize = 40;

/// A figure of a document and its plan, in bytes. The order is that in which figures are asked:
/// what is said about one gives no later one away.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Figure {
    /// The bytes that are alive at a step.
    Load(u32),
    /// The lower bound.
    Bound,
    /// Where the planner puts the buffer of this name.
    Offset(String),
    /// The peak of the plan.
    Peak,
    /// What the peak has above the lower bound.
    Waste,
}

impl Figure {
    /// The figure of this text; none if there is no such figure.
    pub fn read(text: &str) -> Option<Figure> {
        match text {
            "bound" => Some(Figure::Bound),
            "peak" => Some(Figure::Peak),
            "waste" => Some(Figure::Waste),
            _ => match (text.strip_prefix("load@"), text.strip_prefix("offset:")) {
                (Some(step), _) if step.bytes().all(|byte| byte.is_ascii_digit()) => {
                    step.parse().ok().map(Figure::Load)
                }
                (None, Some(name)) if !name.is_empty() => Some(Figure::Offset(unescape(name))),
                _ => None,
            },
        }
    }

    /// The figures of a list, in the order in which they are asked; none if one of them is no
    /// figure or stands twice.
    pub fn list(text: &str) -> Option<Vec<Figure>> {
        let mut list: Vec<Figure> = text.split(',').map(Figure::read).collect::<Option<_>>()?;
        list.sort();
        let is_twice = list.windows(2).any(|pair| pair[0] == pair[1]);
        (!is_twice).then_some(list)
    }

    /// Its text in links.
    pub fn write(&self) -> String {
        match self {
            Figure::Load(step) => format!("load@{step}"),
            Figure::Bound => "bound".into(),
            Figure::Offset(name) => format!("offset:{}", part(name)),
            Figure::Peak => "peak".into(),
            Figure::Waste => "waste".into(),
        }
    }

    /// Its value; none where a run has no such figure.
    pub fn value(&self, run: &Run) -> Option<u64> {
        match self {
            Figure::Load(step) => (*step < run.problem.steps).then(|| load(&run.problem, |_| true).at(*step)),
            Figure::Bound => Some(run.metrics.bound()),
            Figure::Offset(name) => {
                let is_arena =
                    run.plan.pools.len() == 1 && run.plan.pools.iter().all(|pool| pool.role != PoolRole::Storage);
                let id = run.problem.buffer_named(name).filter(|_| is_arena)?;
                run.timeline.decision_of(id)?;
                run.plan.places[id].map(|place| place.offset)
            }
            Figure::Peak => Some(run.metrics.peak),
            Figure::Waste => run.metrics.peak.checked_sub(run.metrics.bound()),
        }
    }

    /// How many decisions may be shown before the answer: those before the buffer gets its place,
    /// or before the peak grows for the last time. The picture of a whole plan shows its peak,
    /// which may be the lower bound as well.
    pub fn shown(&self, run: &Run) -> u32 {
        let decision = match self {
            Figure::Offset(name) => run.problem.buffer_named(name).and_then(|id| run.timeline.decision_of(id)),
            _ => {
                let peak = |events| run.timeline.state(events).peak();
                run.timeline.decisions.iter().rposition(|decision| peak(decision.end) > peak(decision.begin))
            }
        };
        decision.unwrap_or(0) as u32
    }

    /// The question.
    pub fn ask(&self, run: &Run) -> Message {
        match self {
            Figure::Load(step) => Message::new("number.ask-load").count("step", *step),
            Figure::Bound => Message::new("number.ask-bound"),
            Figure::Offset(name) => {
                let message = Message::new("number.ask-offset").name("name", name);
                let buffer = run.problem.buffer_named(name).map(|id| &run.problem.buffers[id]);
                let (size, live) =
                    buffer.map_or((0, (0, 0)), |buffer| (buffer.size, (buffer.live.start, buffer.live.end)));
                message.bytes("size", size).live("live", live.0, live.1)
            }
            Figure::Peak => Message::new("number.ask-peak"),
            Figure::Waste => Message::new("number.ask-waste"),
        }
    }

    /// Key of the rule by which it is worked out.
    pub const fn rule(&self) -> &'static str {
        match self {
            Figure::Load(_) => "number.rule-load",
            Figure::Bound => "number.rule-bound",
            Figure::Offset(_) => "number.rule-offset",
            Figure::Peak => "number.rule-peak",
            Figure::Waste => "number.rule-waste",
        }
    }

    /// How its value comes about.
    pub fn solution(&self, run: &Run) -> Message {
        let value = self.value(run).unwrap_or(0);
        let problem = &run.problem;
        match self {
            Figure::Load(step) => alive("number.told-load", problem, *step).bytes("value", value),
            Figure::Bound => match fullest(problem).filter(|step| load(problem, |_| true).at(*step) == value) {
                Some(step) => alive("number.told-bound", problem, step).bytes("value", value),
                // With gaps a buffer may be larger than any load.
                None => Message::new("number.told-value").bytes("value", value),
            },
            Figure::Offset(name) => Message::new("number.told-offset").name("name", name).address("at", value),
            Figure::Peak => match ends(run).into_iter().find(|(_, _, end)| *end == value) {
                Some((id, ..)) => Message::new("number.told-peak")
                    .name("name", problem.buffers[id].name.clone())
                    .bytes("value", value),
                // Storages are added up.
                None => Message::new("number.told-value").bytes("value", value),
            },
            Figure::Waste => Message::new("number.told-waste")
                .bytes("peak", run.metrics.peak)
                .bytes("bound", run.metrics.bound())
                .bytes("value", value),
        }
    }

    /// Values that a wrong idea gives, each with what is to be said about it, the likeliest first.
    /// None of them is the right one.
    pub fn misses(&self, run: &Run) -> Vec<(u64, Message)> {
        let problem = &run.problem;
        let all = (problem.unshared(), Message::new("number.miss-all"));
        let (peak, bound) = (run.metrics.peak, run.metrics.bound());
        let mut found = match self {
            Figure::Load(step) => [all].into_iter().chain(load_misses(problem, *step)).collect(),
            Figure::Bound => bound_misses(run, all),
            Figure::Offset(name) => {
                let size = problem.buffer_named(name).map_or(0, |id| problem.buffers[id].size);
                let end = self.value(run).unwrap_or(0).saturating_add(size);
                vec![(end, Message::new("number.miss-end-of").name("name", name))]
            }
            Figure::Peak => {
                let mut found = vec![(bound, Message::new("number.miss-bound")), all];
                for (id, begin, end) in ends(run) {
                    let name = || problem.buffers[id].name.clone();
                    if end == peak {
                        found.push((begin, Message::new("number.miss-begins").name("name", name())));
                    } else {
                        found.push((end, Message::new("number.miss-ends").name("name", name())));
                    }
                }
                found
            }
            Figure::Waste => vec![
                (peak, Message::new("number.miss-whole-peak")),
                (bound, Message::new("number.miss-whole-bound")),
                (problem.unshared().saturating_sub(peak), Message::new("number.miss-saved")),
            ],
        };
        let value = self.value(run);
        found.retain(|(miss, _)| Some(*miss) != value);
        found
    }

    /// What is to be said about an offset that no idea of [`misses`](Figure::misses) gives: what is
    /// in the way there, or that another rule would take it. Nothing for other figures.
    pub fn feedback_of(&self, run: &Run, given: u64) -> Vec<Message> {
        let Figure::Offset(name) = self else { return Vec::new() };
        let judged = run.problem.buffer_named(name).and_then(|id| {
            let decision = run.timeline.decision_of(id)? as u32;
            judge(run, decision, Place { pool: run.plan.places[id]?.pool, offset: given })
        });
        judged.into_iter().flat_map(|judged| [Some(judged.feedback), judged.like]).flatten().collect()
    }
}

/// Why no figures are asked about a run; nothing if they are.
pub fn unasked(run: &Run, figures: &[Figure]) -> Option<Message> {
    if run.problem.buffers.len() > MOST || run.problem.memories.len() > 1 {
        return Some(Message::new("number.too-many").count("most", MOST));
    }
    let missing = figures.iter().find(|figure| figure.value(run).is_none())?;
    Some(Message::new("number.none").text("figure", missing.write()))
}

/// A message that names what is alive at a step.
fn alive(key: &'static str, problem: &Problem, step: u32) -> Message {
    let names = names(problem, |id| problem.buffers[id].live.contains(step) && problem.buffers[id].size > 0);
    Message::new(key).count("step", step).count("n", names.len()).with("names", Arg::Names(names))
}

fn names(problem: &Problem, wanted: impl Fn(BufferId) -> bool) -> Vec<String> {
    problem.buffers.enumerate().filter(|(id, _)| wanted(*id)).map(|(_, buffer)| buffer.name.clone()).collect()
}

/// The first step with the highest load.
fn fullest(problem: &Problem) -> Option<u32> {
    let loads = load(problem, |_| true).by_step(problem.steps);
    let highest = loads.iter().copied().max()?;
    loads.iter().position(|load| *load == highest).map(|step| step as u32)
}

/// Where each buffer begins and ends in an arena.
fn ends(run: &Run) -> Vec<(BufferId, u64, u64)> {
    let is_arena = run.plan.pools.len() == 1 && run.plan.pools.iter().all(|pool| pool.role != PoolRole::Storage);
    let placed = run.plan.places.enumerate().filter_map(|(id, place)| Some((id, place.as_ref()?.offset)));
    let ends = placed.map(|(id, offset)| (id, offset, offset.saturating_add(run.problem.buffers[id].size)));
    ends.filter(|_| is_arena).collect()
}

/// Bytes of a step where a life is taken to last until its second number, that included.
fn closed(problem: &Problem, step: u32) -> u64 {
    let is_counted = |id: &BufferId| {
        let live = problem.buffers[*id].live;
        live.start <= step && step <= live.end
    };
    problem.buffers.ids().filter(is_counted).map(|id| problem.buffers[id].size).fold(0, u64::saturating_add)
}

/// Wrong ideas about the load of a step.
fn load_misses(problem: &Problem, step: u32) -> Vec<(u64, Message)> {
    let loads = load(problem, |_| true).by_step(problem.steps);
    let value = loads.get(step as usize).copied().unwrap_or(0);
    let at_step = |key: &'static str, names: Vec<String>| {
        Message::new(key).count("step", step).count("n", names.len()).with("names", Arg::Names(names))
    };
    let ended = names(problem, |id| problem.buffers[id].live.end == step);
    let begun: Vec<BufferId> = problem.buffers.ids().filter(|id| problem.buffers[*id].live.start == step).collect();
    let fresh = begun.iter().map(|id| problem.buffers[*id].size).fold(0, u64::saturating_add);
    let begun = names(problem, |id| begun.contains(&id));
    let mut found = vec![
        (closed(problem, step), at_step("number.miss-end", ended)),
        (value.saturating_sub(fresh), at_step("number.miss-begin", begun)),
    ];
    for (other, load) in (0..).zip(&loads).filter(|(other, _)| *other != step) {
        found.push((*load, Message::new("number.miss-other").count("step", other)));
    }
    for buffer in problem.buffers.iter().filter(|buffer| buffer.size > 0) {
        let is_alive = buffer.live.contains(step);
        let key = if is_alive { "number.miss-left-out" } else { "number.miss-extra" };
        let message = Message::new(key).name("name", buffer.name.clone()).count("step", step);
        let miss = if is_alive { value.saturating_sub(buffer.size) } else { value.saturating_add(buffer.size) };
        found.push((miss, message.live("live", buffer.live.start, buffer.live.end)));
    }
    found
}

/// Wrong ideas about the lower bound.
fn bound_misses(run: &Run, all: (u64, Message)) -> Vec<(u64, Message)> {
    let problem = &run.problem;
    let largest = problem.buffers.iter().map(|buffer| buffer.size).max().unwrap_or(0);
    let closed = (0..problem.steps).map(|step| closed(problem, step)).max().unwrap_or(0);
    let loads = load(problem, |_| true).by_step(problem.steps);
    let lower = (0..)
        .zip(loads)
        .map(|(step, load): (u32, u64)| (load, Message::new("number.miss-not-highest").count("step", step)));
    let first = [
        all,
        (run.metrics.peak, Message::new("number.miss-peak")),
        (closed, Message::new("number.miss-closed")),
        (largest, Message::new("number.miss-largest")),
    ];
    first.into_iter().chain(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input, origin};

    fn run(id: &str) -> Run {
        let file = include_bytes!("../../../../www/graphs/teaching.json");
        let read = memplan_formats::import::read(file, memplan_formats::import::Answers::default()).expect("a graph");
        let memplan_formats::import::Document::Graph(graph) = read.document else { panic!("the example is a graph") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let (planner, mut recorder) = (planner::find(id).expect("registered"), Recorder::default());
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        Run::new(problem.into(), origin(id, planner.info().align), plan, recorder.events)
    }

    fn value(run: &Run, text: &str) -> Option<u64> {
        Figure::read(text).expect("a figure").value(run)
    }

    #[test]
    fn figures_are_those_of_the_lessons() {
        // Lesson 2: loads 1256 1640 1704 1304 1560 1120 1300 500; lesson 5: the tree needs 1 856
        // and puts G at 1 792.
        let run = run("inductor-tree");
        let loads: Vec<Option<u64>> = (0..9).map(|step| Figure::Load(step).value(&run)).collect();
        let expected = [1256, 1640, 1704, 1304, 1560, 1120, 1300, 500].map(Some);
        assert_eq!(loads[..8], expected);
        assert_eq!(loads[8], None, "there is no such step");
        let values = ["bound", "peak", "waste", "offset:G", "offset:nobody"].map(|text| value(&run, text));
        assert_eq!(values, [Some(1704), Some(1856), Some(152), Some(1792), None]);
        assert_eq!(value(&self::run("tvm-relay"), "offset:G"), None, "storages have no addresses");
    }

    #[test]
    fn what_is_shown_before_the_answer_does_not_have_it() {
        for planner in planner::REGISTRY.iter().map(|planner| planner.info().id) {
            let run = run(planner);
            for text in ["bound", "peak", "waste", "load@3", "offset:G"] {
                let figure = Figure::read(text).expect("a figure");
                let Some(_) = figure.value(&run) else { continue };
                let frame = run.frame(run.timeline.events_at(memplan_replay::Level::Decisions, figure.shown(&run)));
                match &figure {
                    Figure::Offset(name) => {
                        let id = run.buffer_named(name).expect("a buffer");
                        assert_eq!(frame.places[id], None, "{planner} {text}");
                    }
                    _ => assert!(frame.peak < run.metrics.peak, "{planner} {text}"),
                }
            }
        }
    }

    #[test]
    fn every_wrong_idea_is_told_apart() {
        let run = run("inductor-tree");
        let feedback = |text: &str, given: u64| {
            let figure = Figure::read(text).expect("a figure");
            let misses = figure.misses(&run);
            let known = misses.into_iter().find(|(miss, _)| *miss == given).map(|(_, feedback)| feedback);
            known.or_else(|| figure.feedback_of(&run, given).into_iter().next())
        };
        let key = |text: &str, given: u64| feedback(text, given).map(|feedback| feedback.key.into_owned());
        assert_eq!(key("bound", 3580).as_deref(), Some("number.miss-all"));
        assert_eq!(key("bound", 1856).as_deref(), Some("number.miss-peak"));
        assert_eq!(key("bound", 1000).as_deref(), Some("number.miss-largest"));
        assert_eq!(key("bound", 1640).as_deref(), Some("number.miss-not-highest"));
        assert_eq!(key("bound", 1704), None, "that is right");
        assert_eq!(key("peak", 1704).as_deref(), Some("number.miss-bound"));
        assert_eq!(key("peak", 1792).as_deref(), Some("number.miss-begins"));
        assert_eq!(key("peak", 1000).as_deref(), Some("number.miss-ends"));
        assert_eq!(key("waste", 1856).as_deref(), Some("number.miss-whole-peak"));
        // B, C and G are alive at step 3; A, [0, 3), is not any more.
        let ended = feedback("load@3", 2304).expect("A counted too");
        assert_eq!((ended.key.as_ref(), ended.arg("names")), ("number.miss-end", Some(&Arg::Names(vec!["A".into()]))));
        assert_eq!(key("load@3", 1704).as_deref(), Some("number.miss-other"), "the load of step 2");
        let left_out = feedback("load@3", 1240).expect("G left out");
        assert_eq!(
            (left_out.key.as_ref(), left_out.arg("name")),
            ("number.miss-left-out", Some(&Arg::Name("G".into())))
        );
        assert_eq!(key("load@3", 1304), None, "that is right");
        assert_eq!(key("offset:G", 1856).as_deref(), Some("number.miss-end-of"));
        assert_eq!(key("offset:G", 1024).as_deref(), Some("predict.blocked"));
        assert_eq!(key("offset:G", 1664).as_deref(), Some("predict.better"));
        assert_eq!(key("load@3", 7), None, "no idea gives that");
    }

    #[test]
    fn texts_of_figures_are_read_back_in_the_order_of_asking() {
        let list = Figure::list("waste,peak,offset:a%2Cb%3A,load@3,bound").expect("figures");
        let texts: Vec<String> = list.iter().map(Figure::write).collect();
        assert_eq!(texts, ["load@3", "bound", "offset:a%2Cb%3A", "peak", "waste"]);
        assert_eq!(list[2], Figure::Offset("a,b:".into()));
        for wrong in [
            "",
            "bound,",
            "bound,bound",
            "load@",
            "load@-1",
            "load@+1",
            "offset:",
            "load:3",
            "Peak",
            "load@99999999999",
        ] {
            assert_eq!(Figure::list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn large_documents_and_figures_that_are_not_there_are_refused() {
        let run = run("tvm-relay");
        let why = |figures: &[Figure]| unasked(&run, figures).map(|why| why.key.into_owned());
        assert_eq!(why(&[Figure::Bound, Figure::Peak]), None);
        assert_eq!(why(&[Figure::Bound, Figure::Load(8)]).as_deref(), Some("number.none"));
        assert_eq!(why(&[Figure::Offset("G".into())]).as_deref(), Some("number.none"));
    }
}
