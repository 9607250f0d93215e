//! Who causes the peak, and why a plan lies above the bound.

use serde::{Deserialize, Serialize};

use super::figures::{gaps, live_at, peak_step, placed, tops};
use super::{Distance, Figures, Plan, PoolId, pool_words};
use crate::base::{Id, Message};
use crate::problem::{BufferId, Fullest, Problem};

/// A buffer that is live at a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// The buffer.
    pub buffer: BufferId,
    /// Bytes.
    pub size: u64,
    /// Bytes by which the figure falls when the buffer is gone.
    pub falls: u64,
}

/// What is live at a step, the largest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LiveAt {
    /// The execution step.
    pub step: u32,
    /// The buffers.
    pub live: Vec<Cause>,
}

/// Who causes the peak.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Causes {
    /// The first step of the largest load of all that was asked for, placed or not: the same for
    /// every plan of a graph. The lower bound falls without the buffer.
    pub load: LiveAt,
    /// The first step at which the plan's live buffers reach highest; none if it places nothing.
    /// The peak falls without the buffer and with all others where they are.
    pub top: Option<LiveAt>,
}

/// The buffers that are live at the largest load, and where the plan reaches highest; none without
/// buffers.
pub fn causes(problem: &Problem, plan: &Plan) -> Option<Causes> {
    if problem.steps == 0 {
        return None;
    }
    let fullest = Fullest::new(problem);
    let step = fullest.step().unwrap_or(0);
    let is_live = |id: &BufferId| !problem.buffers[*id].used_at(step).is_empty();
    let live = listed(problem, problem.buffers.ids().filter(is_live), |id| fullest.falls(problem, id).bytes);
    Some(Causes { load: LiveAt { step, live }, top: at_top(problem, plan) })
}

/// The step of the plan's highest address and the buffers live there.
fn at_top(problem: &Problem, plan: &Plan) -> Option<LiveAt> {
    let step = peak_step(problem, plan)?;
    // The two highest ends of every pool: without a buffer its pool is as high as the highest of
    // the others.
    let mut highest: Vec<[(u64, Option<BufferId>); 2]> = vec![[(0, None); 2]; plan.pools.len()];
    for (pool, _, end, id) in placed(problem, plan) {
        let [first, second] = &mut highest[pool as usize];
        if end > first.0 {
            *second = std::mem::replace(first, (end, Some(id)));
        } else if end > second.0 {
            *second = (end, Some(id));
        }
    }
    let falls = |id: BufferId| {
        let place = plan.places[id];
        let [first, second] = place.map_or_else(Default::default, |place| highest[place.pool.index()]);
        if first.1 == Some(id) { first.0 - second.0 } else { 0 }
    };
    let live = listed(problem, live_at(problem, plan, step).into_iter().map(|(.., id)| id), falls);
    Some(LiveAt { step, live })
}

fn listed(problem: &Problem, live: impl Iterator<Item = BufferId>, falls: impl Fn(BufferId) -> u64) -> Vec<Cause> {
    let with_bytes = live.filter(|&id| problem.buffers[id].size > 0);
    let mut found: Vec<Cause> =
        with_bytes.map(|id| Cause { buffer: id, size: problem.buffers[id].size, falls: falls(id) }).collect();
    found.sort_by_key(|cause| (std::cmp::Reverse(cause.size), cause.buffer));
    found
}

/// One sentence: why the plan lies above the bound, as far as it can be seen at a step, or that it
/// does not; `found` are the figures of the plan.
pub fn above(problem: &Problem, plan: &Plan, found: &Figures, step: u32) -> Message {
    let figures = &found.metrics;
    if figures.placed == 0 {
        return Message::new("above.figure");
    }
    if let Some(why) = &plan.misreading {
        return why.clone();
    }
    if found.broken > 0 {
        return Message::new("above.broken").count("n", found.broken);
    }
    // The bound holds for plans in which every live buffer has its bytes for itself.
    if figures.waste == 0 && found.quirks > 0 {
        return Message::new("above.quirk").count("n", found.quirks);
    }
    if let Distance::Below(less) = figures.distance() {
        return Message::new("above.in-place").bytes("less", less);
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
