//! The figures of a plan, all defined here once.

use crate::base::Arrange;
use serde::{Deserialize, Serialize};

use super::{Plan, Proof};
use crate::problem::{BufferId, Problem, lower_bound, lower_bound_of};

/// Figures of one plan, sizes in bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// Sum over pools of the highest end address.
    pub peak: u64,
    /// Largest load of everything asked for.
    pub lower_bound: u64,
    /// Largest load of what was placed.
    pub placed_lower_bound: u64,
    /// Peak over lower bound of what was placed; absent when that bound is 0.
    pub ratio: Option<f64>,
    /// Peak minus lower bound of what was placed; 0 when buffers take over storage in place and the peak is below it.
    pub waste: u64,
    /// Sum of the placed sizes: what no sharing at all would take.
    pub unshared: u64,
    /// Number of buffers asked for.
    pub buffers: u64,
    /// Number of buffers that have a place.
    pub placed: u64,
    /// Number of pools.
    pub pools: u64,
    /// Buffers placed on bytes that an earlier one used.
    pub reuses: u64,
    /// No plan has a smaller peak: what a planner that searches has proved; at least `lower_bound`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved_bound: Option<u64>,
    /// Whether the peak is proved to be the smallest; only planners that search report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
}

/// Computes the figures of a plan.
pub fn metrics(problem: &Problem, plan: &Plan) -> Metrics {
    let is_placed = |id: BufferId| plan.places[id].is_some();
    let peak = plan.peak(problem);
    let placed_lower_bound = lower_bound_of(problem, is_placed);
    let placed: Vec<BufferId> = problem.buffers.ids().filter(|&id| is_placed(id)).collect();
    // A planner that states only a figure is measured against everything asked for.
    let yardstick = if placed.is_empty() { lower_bound(problem) } else { placed_lower_bound };
    Metrics {
        peak,
        lower_bound: lower_bound(problem),
        placed_lower_bound,
        ratio: (yardstick > 0).then(|| peak as f64 / yardstick as f64),
        waste: peak.saturating_sub(yardstick),
        unshared: placed.iter().map(|&id| problem.buffers[id].size).sum(),
        buffers: problem.buffers.len() as u64,
        placed: placed.len() as u64,
        pools: plan.pools.len() as u64,
        reuses: reuses(problem, plan),
        proved_bound: plan.proof.bound(),
        optimal: plan.proof.bound().map(|_| matches!(plan.proof, Proof::Optimal { .. })),
    }
}

/// Counts buffers that begin on bytes some earlier, already dead buffer used: a sweep over starts with the used bytes of
/// each pool as disjoint spans.
fn reuses(problem: &Problem, plan: &Plan) -> u64 {
    let mut order: Vec<BufferId> =
        problem.buffers.ids().filter(|&id| plan.places[id].is_some() && problem.buffers[id].size > 0).collect();
    order.arrange_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut used: Vec<std::collections::BTreeMap<u64, u64>> = vec![Default::default(); plan.pools.len()];
    let mut count = 0;
    for id in order {
        let Some(place) = plan.places[id] else { continue };
        let (from, to) = (place.offset, place.offset + problem.buffers[id].size);
        let spans = &mut used[place.pool.0 as usize];
        let touched: Vec<(u64, u64)> =
            spans.range(..to).rev().take_while(|(_, end)| **end >= from).map(|(a, b)| (*a, *b)).collect();
        count += touched.iter().any(|&(start, end)| start < to && from < end) as u64;
        let (mut start, mut end) = (from, to);
        for (a, b) in touched {
            spans.remove(&a);
            start = start.min(a);
            end = end.max(b);
        }
        spans.insert(start, end);
    }
    count
}
