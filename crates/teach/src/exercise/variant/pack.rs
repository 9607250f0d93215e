//! Blocks that fit into their lower bound, which a greedy planner misses.

use super::attempt::{Attempt, Found, Miss, Wish, at_bound, document, placed, plan, run};
use super::instance::{Facts, Placed};
use super::make;
use memplan_core::problem::lower_bound;
use memplan_formats::import::Document;
use memplan_planners as planner;

/// Fewer steps leave little to find out.
const FEWEST_STEPS: u32 = 3;

pub fn attempt(wish: &mut Wish) -> Attempt {
    let (fewest, most, steps, height, left_out) =
        wish.difficulty.of([(4, 6, 5, 10, 3), (7, 9, 7, 18, 3), (10, 14, 9, 24, 2)]);
    let count = wish.dice.within(fewest + 1..=most + 1) as usize;
    let blocks = make::cut(wish.dice, count, steps, height, left_out);
    if !(fewest as usize..=most as usize).contains(&blocks.len()) {
        return Err(Miss::Another);
    }
    let problem = make::problem(wish.name.into(), blocks, 1);
    if problem.steps < FEWEST_STEPS {
        return Err(Miss::Another);
    }
    let bound = lower_bound(&problem);
    let first_fit = plan(planner::YARDSTICK, &problem, None).ok_or(Miss::Another)?.peak(&problem);
    if first_fit == bound {
        return Err(Miss::Another);
    }
    let best = at_bound(&problem).ok_or(Miss::Another)?;
    let (document, own) = document(wish.planner, problem.clone())?;
    let planner = plan(wish.planner, &own, document.graph()).ok_or(Miss::Another)?.peak(&own);
    let facts = Facts::Pack { bound, first_fit, planner, places: placed(&problem, &best) };
    // Blocks are moved by hand: what the planner needs of a graph has no part in it.
    Ok(Found::new(Document::Buffers(problem.clone()), problem, facts))
}

/// Blocks in the order of a planner that misses the bound.
pub fn tetris(wish: &mut Wish) -> Attempt {
    let (fewest, most, steps, height) = wish.difficulty.of([(6, 8, 6, 14), (9, 11, 8, 18), (12, 16, 10, 24)]);
    let count = wish.dice.within(fewest + 1..=most + 1) as usize;
    let blocks = make::cut(wish.dice, count, steps, height, 3);
    if !(fewest as usize..=most as usize).contains(&blocks.len()) {
        return Err(Miss::Another);
    }
    let (document, problem) = document(wish.planner, make::problem(wish.name.into(), blocks, 1))?;
    let run = run(wish.planner, &problem, document.graph()).ok_or(Miss::Another)?;
    let (bound, planner) = (lower_bound(&problem), run.metrics.peak);
    if planner <= bound {
        return Err(Miss::Another);
    }
    let best = at_bound(&problem).ok_or(Miss::Another)?;
    let order = run.timeline.decisions.iter().map(|decision| decision.buffer);
    let order: Vec<String> = order.map(|id| problem.buffers[id].name.clone()).collect();
    if order.len() != problem.buffers.len() {
        return Err(Miss::Another);
    }
    let mut places = placed(&problem, &best);
    let turn = |placed: &Placed| order.iter().position(|name| *name == placed.name);
    places.sort_by_key(turn);
    let facts = Facts::Tetris { order, bound, planner, places };
    Ok(Found::new(document, problem, facts))
}
