//! What one attempt to make an instance gives, and running planners on it.

use std::rc::Rc;

use super::difficulty::Difficulty;
use super::facts::{Facts, Placed, Question};
use super::make;
use crate::exercise::dice::Dice;
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, Proof};
use memplan_core::problem::{Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::Document;
use memplan_planners::{self as planner, Needs, Planner, origin};
use memplan_replay::Run;
use serde_json::Value;

/// Most nodes that the exact search looks at, so that an instance takes no longer than a blink.
const NODES: &str = "20000";

/// What is wanted, and where random numbers come from.
pub struct InstanceConfig<'a> {
    pub planner: &'static dyn Planner,
    pub difficulty: Difficulty,
    pub name: &'a str,
    pub dice: &'a mut Dice,
}

/// An instance that has the property wanted.
pub struct Candidate {
    pub document: Document,
    pub problem: Problem,
    pub facts: Facts,
    /// The facts as programs see them.
    pub record: Value,
    pub questions: Vec<Question>,
}

/// Why an attempt gives no instance.
pub enum Rejection {
    /// It does not have the property: the next one may.
    Another,
    /// The planner is not for this kind of exercise, for this reason.
    Never(Message),
}

/// What an attempt gives.
pub type Attempt = Result<Candidate, Rejection>;

/// Makes an instance of a kind, which may lack the property wanted.
pub type Attempting = fn(&mut InstanceConfig) -> Attempt;

/// The document of some buffers: a graph if the planner needs one. The buffers are those that it
/// gets.
pub fn document(planner: &dyn Planner, problem: Problem) -> Result<(Document, Problem), Rejection> {
    match planner.info().needs {
        Needs::Intervals => Ok((Document::Buffers(problem.clone()), problem)),
        Needs::Graph => {
            let graph = make::graph(&problem);
            let problem = lifetimes(&graph, &Scope::default()).map_err(|_| Rejection::Another)?;
            Ok((Document::Graph(graph), problem))
        }
    }
}

/// The run of a planner with its default options; none where it gives no plan.
pub fn run(planner: &dyn Planner, problem: &Problem, graph: Option<&Graph>) -> Option<Run> {
    let (info, mut recorder) = (planner.info(), Recorder::default());
    let made = planner::run(planner, problem, graph, &Scope::default(), &info.defaults(), &mut recorder).ok()?;
    let run = Run::new(Rc::new(made.problem), origin(info.id, info.align), made.plan, recorder.events);
    Some(run.with_graph(made.reordered.or(graph.cloned()).map(Rc::new)))
}

/// The plan of a planner with its default options.
pub fn plan(planner: &dyn Planner, problem: &Problem, graph: Option<&Graph>) -> Option<Plan> {
    let options = planner.info().defaults();
    let made = planner::run(planner, problem, graph, &Scope::default(), &options, &mut Silent).ok()?;
    Some(made.plan)
}

/// A plan that reaches the lower bound, as exact search proves; none if it finds none within its
/// limit.
pub fn at_bound(problem: &Problem) -> Option<Plan> {
    let options = planner::PROVER.info().options([(planner::PROVER_NODES, NODES)]).ok()?;
    let made = planner::run(planner::PROVER, problem, None, &Scope::default(), &options, &mut Silent).ok()?;
    let bound = lower_bound(problem);
    let is_proved = made.plan.proof == Proof::Optimal { bound };
    (is_proved && made.plan.peak(problem) == bound).then_some(made.plan)
}

/// Where the buffers of a plan lie, in order of birth.
pub fn placed(problem: &Problem, plan: &Plan) -> Vec<Placed> {
    let placed = |(id, place): (memplan_core::problem::BufferId, &Option<memplan_core::plan::Place>)| {
        place.map(|place| Placed {
            name: problem.buffers[id].name.clone(),
            pool: place.pool.0,
            offset: place.offset,
            grew: 0,
        })
    };
    plan.places.enumerate().filter_map(placed).collect()
}
