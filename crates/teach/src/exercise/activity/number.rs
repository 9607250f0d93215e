//! Work out figures of the buffers and of the planner's plan.
//!
//! An instance has 6 to 7, 8 to 10 or 11 to 14 buffers, by difficulty, in at least five steps. Its
//! peak is above the bound. At the step asked about, the likeliest mistakes give another load than
//! the right one, which is not the highest.

use super::{Activity, Asks, Buffers, Practice};
use crate::exercise::figure::Figure;
use crate::exercise::variant::attempt::{Attempt, Attempting, Candidate, InstanceConfig, Rejection, document, run};
use crate::exercise::variant::facts::{Facts, Question};
use crate::exercise::variant::make;
use crate::exercise::{is_question, places};
use memplan_core::problem::{load, lower_bound};
use memplan_replay::Run;
use serde_json::{Value, json};

pub const ACTIVITY: Activity = Activity {
    name: "number",
    title: "number.title",
    about: None,
    asks_words: "exercise.asks-figures",
    how: "exercise.how-figures",
    buffers: Buffers::SeedOrDocument,
    asks: Asks::Figures,
    hides: false,
    practice: Some(Practice { number: 7, help: "Work out figures, such as the lower bound or the peak" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Every instance has as many steps, so that a link may ask for the load of any of them.
pub const FEWEST_STEPS: u32 = 5;

/// Every instance has as many buffers, named by letters from A.
pub const FEWEST_BUFFERS: usize = 6;

fn attempt(config: &mut InstanceConfig) -> Attempt {
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
    let figure = |(figure, value): &(Figure, u64)| json!({ "figure": figure.write(), "value": value });
    let record = json!({ "figures": figures.iter().map(figure).collect::<Value>() });
    Ok(Candidate { document, problem, facts: Facts::Number(figures), record, questions })
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
