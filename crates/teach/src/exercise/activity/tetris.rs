//! Place blocks in the order in which a planner places them, for good.
//!
//! An instance has 6 to 8, 9 to 11 or 12 to 16 blocks, by difficulty. Exact search proves that a
//! plan reaches the bound; the planner misses it.

use super::{Activity, Asks, Buffers, Goals, Practice};
use crate::exercise::variant::attempt::{
    Attempt, Attempting, Candidate, InstanceConfig, Rejection, at_bound, document, placed, run,
};
use crate::exercise::variant::facts::{Facts, Placed, Question, record_of, words_of};
use crate::exercise::variant::make;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::lower_bound;
use serde_json::json;

pub const ACTIVITY: Activity = Activity {
    name: "tetris",
    title: "game.kind.tetris",
    about: Some("game.about-tetris"),
    asks_words: "exercise.game-tetris",
    how: "exercise.how-game",
    buffers: Buffers::SeedOrDocument,
    asks: Asks::Goals(Goals {
        count: 3,
        words: Some("teach.goals-tetris"),
        best: "game.your-best-bytes",
        in_turn: true,
        of_open: Some("game.as-tetris"),
    }),
    hides: true,
    practice: Some(Practice { number: 6, help: "Place blocks in the planner's order, for good" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Blocks in the order of a planner that misses the bound.
fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (fewest, most, steps, height) = config.difficulty.of([(6, 8, 6, 14), (9, 11, 8, 18), (12, 16, 10, 24)]);
    let count = config.dice.within(fewest + 1..=most + 1) as usize;
    let blocks = make::cut(config.dice, count, steps, height, 3);
    if !(fewest as usize..=most as usize).contains(&blocks.len()) {
        return Err(Rejection::Another);
    }
    let (document, problem) = document(config.planner, make::problem(config.name.into(), blocks, 1))?;
    let run = run(config.planner, &problem, document.graph()).ok_or(Rejection::Another)?;
    let (bound, planner) = (lower_bound(&problem), run.metrics.peak);
    if planner <= bound {
        return Err(Rejection::Another);
    }
    let best = at_bound(&problem).ok_or(Rejection::Another)?;
    let order = run.timeline.decisions.iter().map(|decision| decision.buffer);
    let order: Vec<String> = order.map(|id| problem.buffers[id].name.clone()).collect();
    if order.len() != problem.buffers.len() {
        return Err(Rejection::Another);
    }
    let mut places = placed(&problem, &best);
    let turn = |placed: &Placed| order.iter().position(|name| *name == placed.name);
    places.sort_by_key(turn);
    let names = Arg::Names(order.clone());
    let question = Question {
        ask: Message::new("variant.tetris-ask").with("names", names).bytes("bound", bound).bytes("peak", planner),
        answer: Message::new("variant.pack-answer").bytes("bound", bound).inner("places", words_of(&places, &problem)),
    };
    let record = json!({ "order": order, "bound": bound, "planner": planner, "places": record_of(&places) });
    let facts = Facts::Tetris { order, bound, planner, places };
    Ok(Candidate { document, problem, facts, record, questions: vec![question] })
}
