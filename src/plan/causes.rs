//! Who causes the peak, and why a plan lies above the bound.

use serde::{Deserialize, Serialize};

use super::figures::{gaps, live_at, peak_step, placed, tops};
use super::{Figures, Plan, PoolId, pool_words};
use crate::base::{Arrange, Id, Message};
use crate::problem::{BufferId, Problem, lower_bound_of};

/// A buffer that is live at the step of the peak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// The buffer.
    pub buffer: BufferId,
    /// Bytes.
    pub size: u64,
    /// Bytes times steps.
    pub area: u64,
    /// Bytes by which the peak falls when the buffer is gone and all others stay where they are.
    pub falls: u64,
    /// Bytes by which the lower bound falls when the buffer is gone.
    pub bound_falls: u64,
}

/// The step of the peak and the buffers live there, largest first.
pub fn causes(problem: &Problem, plan: &Plan) -> Option<(u32, Vec<Cause>)> {
    let step = peak_step(problem, plan)?;
    // The two highest ends of every pool: without a buffer its pool is as high as the highest of the others.
    let mut highest: Vec<[(u64, Option<BufferId>); 2]> = vec![[(0, None); 2]; plan.pools.len()];
    for (pool, _, end, id) in placed(problem, plan) {
        let [first, second] = &mut highest[pool as usize];
        if end > first.0 {
            *second = std::mem::replace(first, (end, Some(id)));
        } else if end > second.0 {
            *second = (end, Some(id));
        }
    }
    let bound =
        |without: Option<BufferId>| lower_bound_of(problem, |id| plan.places[id].is_some() && Some(id) != without);
    let whole = bound(None);
    let mut found: Vec<Cause> = live_at(problem, plan, step)
        .into_iter()
        .map(|(pool, .., id)| {
            let buffer = &problem.buffers[id];
            let [first, second] = highest[pool as usize];
            Cause {
                buffer: id,
                size: buffer.size,
                area: buffer.size.saturating_mul(buffer.live.len() as u64),
                falls: if first.1 == Some(id) { first.0 - second.0 } else { 0 },
                bound_falls: whole - bound(Some(id)),
            }
        })
        .collect();
    found.arrange_by_key(|cause| (std::cmp::Reverse(cause.size), cause.buffer));
    Some((step, found))
}

/// One sentence: why the plan lies above the bound, as far as it can be seen at a step, or that it does not; `found` are the
/// figures of the plan.
pub fn above(problem: &Problem, plan: &Plan, found: &Figures, step: u32) -> Message {
    let figures = &found.metrics;
    if figures.placed == 0 {
        return Message::new("above.figure");
    }
    if found.broken > 0 {
        return Message::new("above.broken").count("n", found.broken);
    }
    // The bound holds for plans in which every live buffer has its bytes for itself.
    if figures.waste == 0 && found.quirks > 0 {
        return Message::new("above.quirk").count("n", found.quirks);
    }
    if figures.peak < figures.placed_lower_bound {
        return Message::new("above.in-place").bytes("less", figures.placed_lower_bound - figures.peak);
    }
    let live = live_at(problem, plan, step);
    let tops = tops(problem, plan);
    let gaps = gaps(live.iter().copied(), &tops);
    // The largest gap, the lowest of them.
    let largest = gaps.iter().copied().min_by_key(|(pool, from, to)| (std::cmp::Reverse(to - from), *pool, *from));
    if figures.waste == 0 {
        let key = if largest.is_none() { "above.full" } else { "above.none" };
        return Message::new(key).count("step", step);
    }
    let Some((pool, from, to)) = largest else {
        return Message::new("above.no-gap").bytes("waste", figures.waste).count("step", step);
    };
    let name = |id: BufferId| problem.buffers[id].name.clone();
    let message =
        |key: &'static str| Message::new(key).bytes("waste", figures.waste).bytes("gap", to - from).count("step", step);
    if !live.iter().any(|held| held.0 == pool) {
        let words = plan.pools.get(PoolId::from_index(pool as usize)).map(|pool| pool_words(&pool.name));
        return message("above.pool-empty").inner("pool", words.unwrap_or_else(|| Message::new("pool.arena")));
    }
    let over: Vec<BufferId> = live.iter().filter(|held| held.0 == pool && held.1 >= to).map(|held| held.3).collect();
    let Some(&on_top) = over.first() else { return message("above.top") };
    match over.iter().find(|id| problem.buffers[**id].size > to - from) {
        Some(&large) => message("above.too-small").name("large", name(large)).span("at", from, to),
        None => message("above.under").name("top", name(on_top)).span("at", from, to),
    }
}
