//! Put operators into an order with a lower highest load. Buffers of a document are rows that are
//! put in order in the same way.
//!
//! An instance has 5, 7 or 9 operators, by difficulty. The highest load of the best of all orders
//! is below that of the order as written: by any amount, at least 10 %, at least 15 %.

use super::{Activity, Asks, Buffers, Goals, Practice};
use crate::choices;
use crate::exercise::operators::Operators;
use crate::exercise::variant::attempt::{Attempt, Attempting, Candidate, InstanceConfig, Rejection};
use crate::exercise::variant::facts::{Facts, Question};
use crate::exercise::variant::make;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_formats::import::Document;
use memplan_planners as planner;
use serde_json::json;

pub const ACTIVITY: Activity = Activity {
    name: "order",
    title: "game.kind.order",
    about: Some("game.about-order"),
    asks_words: "exercise.game-order",
    how: "exercise.how-game",
    buffers: Buffers::SeedOrDocument,
    asks: Asks::Goals(Goals {
        count: 2,
        words: Some("teach.goals-order"),
        best: "game.your-best-bytes",
        in_turn: false,
        of_open: Some("game.as-order"),
    }),
    hides: true,
    practice: Some(Practice {
        number: 4,
        help: "Put operators into an order with a lower highest load, or the buffers of INPUT into one with a lower peak",
    }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (count, percent) = config.difficulty.of([(5, 100), (7, 90), (9, 85)]);
    let graph = make::operators(config.dice, config.name, count);
    let problem = lifetimes(&graph, &Scope::default()).map_err(|_| Rejection::Another)?;
    let operators = Operators::of(&graph, &problem);
    let as_written: Vec<usize> = (0..operators.list.len()).collect();
    let written = operators.loads(&as_written).into_iter().max().unwrap_or(0);
    let (order, best) = operators.best();
    if best >= written || best > written * percent / 100 {
        return Err(Rejection::Another);
    }
    let order: Vec<String> = order.into_iter().map(|at| operators.list[at].name.clone()).collect();
    let names = Arg::Names(order.clone());
    let question = Question {
        ask: Message::new("variant.order-ask").count("n", order.len()).bytes("written", written),
        answer: Message::new("variant.order-answer").bytes("low", best).with("names", names),
    };
    let record = json!({ "written": written, "lowest": best, "order": order });
    let facts = Facts::Order { written, best, order, operators };
    Ok(Candidate { document: Document::Graph(graph), problem, facts, record, questions: vec![question] })
}

/// Buffers as rows that first fit places in order, with the best order that is known.
pub struct Placing {
    /// The rows.
    pub rows: Operators,
    /// Peak of the order of the file, in bytes.
    pub written: u64,
    /// The smallest peak that is known, in bytes.
    pub best: u64,
    /// An order that has it.
    pub order: Vec<usize>,
    /// Whether no order has a smaller one.
    pub is_proved: bool,
}

/// Returns the rows of some buffers, and the best order: first fit in order of the addresses of any
/// plan puts no buffer higher than that plan does, so the best plan that the planners of a game and
/// the exact search find gives the best order.
pub fn of_buffers(problem: &Problem) -> Placing {
    let rows = Operators::of_buffers(problem);
    let as_written: Vec<usize> = (0..rows.list.len()).collect();
    let written = rows.highest(&as_written);
    let (mut best, mut order, mut floor) = (written, as_written.clone(), lower_bound(problem));
    let nodes = [(planner::PROVER_NODES, choices::GAME_NODES)];
    for planner in choices::ladder().chain([planner::PROVER]) {
        let is_prover = planner.info().id == planner::PROVER.info().id;
        let given = nodes.into_iter().filter(|_| is_prover);
        let Ok(options) = planner.info().options(given) else { continue };
        let made = planner::run(planner, problem, None, &Scope::default(), &options, &mut Silent);
        let Some(plan) = made.ok().map(|made| made.plan) else { continue };
        floor = floor.max(plan.proof.bound().unwrap_or(0));
        let mut found = as_written.clone();
        found.sort_by_key(|&row| plan.places[BufferId(row as u32)].map(|place| place.offset));
        let peak = rows.highest(&found);
        if peak < best {
            (best, order) = (peak, found);
        }
    }
    Placing { rows, written, best, order, is_proved: best <= floor }
}
