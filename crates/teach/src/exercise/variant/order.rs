//! Operators whose order as written is not the best one, and buffers of a document as rows to be
//! put in order.

use super::attempt::{Attempt, Candidate, InstanceConfig, Rejection};
use super::instance::Facts;
use super::make;
use crate::choices;
use crate::exercise::operators::Operators;
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_formats::import::Document;
use memplan_planners as planner;

pub fn attempt(config: &mut InstanceConfig) -> Attempt {
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
    let order = order.into_iter().map(|at| operators.list[at].name.clone()).collect();
    let facts = Facts::Order { written, best, order, operators };
    Ok(Candidate::new(Document::Graph(graph), problem, facts))
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
