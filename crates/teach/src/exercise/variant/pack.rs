//! Blocks that fit into their lower bound, which a greedy planner misses.

use super::attempt::{Attempt, Candidate, InstanceConfig, Rejection, at_bound, document, placed, plan, run};
use super::instance::{Facts, Placed};
use super::make;
use memplan_core::problem::lower_bound;
use memplan_formats::import::Document;
use memplan_planners as planner;

/// Fewer steps leave little to find out.
const FEWEST_STEPS: u32 = 3;

pub fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (fewest, most, steps, height, left_out) =
        config.difficulty.of([(4, 6, 5, 10, 3), (7, 9, 7, 18, 3), (10, 14, 9, 24, 2)]);
    let count = config.dice.within(fewest + 1..=most + 1) as usize;
    let blocks = make::cut(config.dice, count, steps, height, left_out);
    if !(fewest as usize..=most as usize).contains(&blocks.len()) {
        return Err(Rejection::Another);
    }
    let problem = make::problem(config.name.into(), blocks, 1);
    if problem.steps < FEWEST_STEPS {
        return Err(Rejection::Another);
    }
    let bound = lower_bound(&problem);
    let first_fit = plan(planner::YARDSTICK, &problem, None).ok_or(Rejection::Another)?.peak(&problem);
    if first_fit == bound {
        return Err(Rejection::Another);
    }
    let best = at_bound(&problem).ok_or(Rejection::Another)?;
    let (document, own) = document(config.planner, problem.clone())?;
    let planner = plan(config.planner, &own, document.graph()).ok_or(Rejection::Another)?.peak(&own);
    let facts = Facts::Pack { bound, first_fit, planner, places: placed(&problem, &best) };
    // Blocks are moved by hand: what the planner needs of a graph has no part in it.
    Ok(Candidate::new(Document::Buffers(problem.clone()), problem, facts))
}

/// Blocks in the order of a planner that misses the bound.
pub fn tetris(config: &mut InstanceConfig) -> Attempt {
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
    let facts = Facts::Tetris { order, bound, planner, places };
    Ok(Candidate::new(document, problem, facts))
}
