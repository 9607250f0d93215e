//! Buffers whose figures cannot be had by the likeliest mistakes.

use super::attempt::{Attempt, Candidate, InstanceConfig, Rejection, document, run};
use super::instance::{Facts, Question};
use super::make;
use crate::exercise::figure::Figure;
use crate::exercise::{is_question, places};
use memplan_core::problem::{load, lower_bound};
use memplan_replay::Run;

/// Every instance has as many steps, so that a link may ask for the load of any of them.
pub const FEWEST_STEPS: u32 = 5;

/// Every instance has as many buffers, named by letters from A.
pub const FEWEST_BUFFERS: usize = 6;

pub fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (fewest, most, steps) = config.difficulty.of([(FEWEST_BUFFERS as u64, 7, 6), (8, 10, 8), (11, 14, 10)]);
    let count = config.dice.within(fewest..=most);
    let problem = make::problem(config.name.into(), make::crowd(config.dice, count, steps, 12), 1);
    if problem.steps < FEWEST_STEPS {
        return Err(Rejection::Another);
    }
    let (document, problem) = document(config.planner, problem)?;
    let run = run(config.planner, &problem, document.graph()).ok_or(Rejection::Another)?;
    if run.metrics.peak <= lower_bound(&problem) {
        return Err(Rejection::Another);
    }
    let step = step(&run).ok_or(Rejection::Another)?;
    let offset = Figure::Offset(chosen(&run).ok_or(Rejection::Another)?);
    let asked = [Figure::Load(step), Figure::Bound, offset, Figure::Peak, Figure::Waste];
    // Planners of storages give no addresses.
    let figures: Vec<(Figure, u64)> = asked
        .into_iter()
        .filter_map(|figure| Some((figure.value(&run)?, figure)))
        .map(|(value, figure)| (figure, value))
        .collect();
    let question = |(figure, _): &(Figure, u64)| Question { ask: figure.ask(&run), answer: figure.solution(&run) };
    let questions = figures.iter().map(question).collect();
    Ok(Candidate { document, problem, facts: Facts::Number(figures), questions })
}

/// The first step below the highest load at which a buffer has just ended and another begins: who
/// counts it too, or leaves the new one out, gets another load.
fn step(run: &Run) -> Option<u32> {
    let problem = &run.problem;
    let (loads, bound) = (load(problem, |_| true).by_step(problem.steps), lower_bound(problem));
    let any =
        |test: &dyn Fn(memplan_core::problem::Live) -> bool| problem.buffers.iter().any(|buffer| test(buffer.live));
    (1..problem.steps).zip(loads.into_iter().skip(1)).find_map(|(step, load)| {
        let is_telling = any(&|live| live.end == step) && any(&|live| live.start == step) && load < bound;
        is_telling.then_some(step)
    })
}

/// The last buffer with more than one place to choose from.
fn chosen(run: &Run) -> Option<String> {
    let decisions = (0..).zip(&run.timeline.decisions).filter(|(at, _)| is_question(run, *at));
    let chosen = decisions.filter(|(_, decision)| places(run, &run.frame(decision.begin), decision.buffer).len() > 1);
    chosen.last().map(|(_, decision)| run.problem.buffers[decision.buffer].name.clone())
}
