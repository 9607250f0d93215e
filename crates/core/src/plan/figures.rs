//! The figures by which plans are compared, each with its exact definition. Sizes in bytes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::dependencies::{reuses, successors};
use super::width::width;
use super::{BufferPairs, Metrics, Plan, PoolRole, check, dependencies, metrics};
use crate::base::{Id, Message, align_up};
use crate::graph::Graph;
use crate::problem::{BufferId, Live, Load, Problem, loads};

/// Figures of one plan beyond [`Metrics`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Peak, bounds and counts.
    #[serde(with = "Whole")]
    pub metrics: Metrics,
    /// Waste that lies between the end of a live buffer and the next aligned address, at the step
    /// of the largest load (of each memory). With `internal` and `external` it adds up to the
    /// waste.
    pub padding: u64,
    /// Waste inside storages that are larger than the buffer live in them, at the same step.
    pub internal: u64,
    /// The rest of the waste: holes, and pools that are full at other steps.
    pub external: u64,
    /// Bytes times steps of the placed buffers over peak times steps of the run; absent without a
    /// peak.
    pub utilisation: Option<f64>,
    /// The step at which the free bytes are most scattered; absent if no step has any, or for plans
    /// too large to look at each.
    pub worst: Option<Fragmentation>,
    /// The same at the step of the peak.
    pub at_peak: Option<Fragmentation>,
    /// Distinct pairs of pool and offset.
    pub slots: u64,
    /// Bytes of buffers that lie on bytes an earlier buffer used.
    pub reused: u64,
    /// Orders that exist only because buffers share bytes, after transitive reduction; absent
    /// without a graph.
    pub dependencies: Option<u64>,
    /// Nodes on the longest path before and after adding them.
    pub longest: Option<(u32, u32)>,
    /// Most nodes of which none must wait for another, before and after; absent above
    /// [`super::MAX_WIDTH`] nodes.
    pub width: Option<(u32, u32)>,
    /// Rules that the plan breaks, known faults of the original system left out.
    pub broken: u64,
    /// Known faults of the original system: live buffers that share bytes.
    pub quirks: u64,
    /// Whether the file may be misread that the plan rests on: then rules that seem broken are no
    /// fault of the plan, and no figure is a verdict.
    pub misread: bool,
}

impl Figures {
    /// Whether no live buffers share bytes, no rule is broken and the file is not misread. Only
    /// such a plan can count as optimal.
    pub fn is_sound(&self) -> bool {
        self.broken == 0 && self.quirks == 0 && !self.misread
    }

    /// Where the plan stands in a ranking, before its need is looked at.
    pub fn standing(&self) -> Standing {
        if self.broken > 0 {
            Standing::NoResult
        } else if self.metrics.placed > 0 && self.metrics.left_out() > 0 {
            Standing::Part
        } else {
            Standing::Whole
        }
    }

    /// Returns what a ranking states beside the figures: an [objection](Figures::objection), or the
    /// number of buffers that are left out.
    pub fn remark(&self) -> Option<Message> {
        let part = (self.standing() == Standing::Part).then(|| {
            let message = Message::new("compare.leaves-out").count("n", self.metrics.left_out());
            message.count("all", self.metrics.buffers)
        });
        self.objection().or(part)
    }

    /// Returns what stands in place of a verdict: that the file may be misread, or the number of
    /// rules that the plan breaks; none for a plan without either.
    pub fn objection(&self) -> Option<Message> {
        if self.misread {
            return Some(Message::new("compare.misread"));
        }
        (self.broken > 0).then(|| Message::new("compare.invalid").count("n", self.broken))
    }

    /// Whether the plan can be the best of several, or save bytes against another one: it is sound,
    /// and it leaves out no buffer.
    pub fn can_be_best(&self) -> bool {
        self.is_sound() && self.standing() == Standing::Whole
    }
}

/// Where plans stand in a ranking: plans of the same buffers are compared with each other alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// It places every buffer, or only computes a figure of all.
    Whole,
    /// It leaves buffers out.
    Part,
    /// It breaks rules, or there is no plan.
    NoResult,
}

/// [`Metrics`] with every field: files leave out unknown fields, but the worker's binary messages
/// have no field names.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Metrics")]
struct Whole {
    peak: u64,
    lower_bound: u64,
    placed_lower_bound: u64,
    ratio: Option<f64>,
    waste: u64,
    unshared: u64,
    buffers: u64,
    placed: u64,
    pools: u64,
    reuses: u64,
    proved_bound: Option<u64>,
    optimal: Option<bool>,
    held: Option<u64>,
}

/// Free bytes below the tops of the pools at one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fragmentation {
    /// The execution step.
    pub step: u32,
    /// The largest gap.
    pub largest: u64,
    /// All gaps together.
    pub free: u64,
}

impl Fragmentation {
    /// 1 - largest gap / sum of the gaps: 0 when all free bytes lie together.
    pub fn share(self) -> f64 {
        if self.free == 0 { 0.0 } else { 1.0 - self.largest as f64 / self.free as f64 }
    }
}

/// A live buffer in a pool: `(pool, offset, end, buffer)`, in order of addresses.
pub(super) type PlacedRange = (u32, u64, u64, BufferId);

/// Most live buffers looked at over all steps; beyond, the search for the worst step is left out.
const MOST_WORK: u64 = 40_000_000;

/// Works out the figures of a plan. `align` is what the planner itself rounds to, in bytes.
pub fn figures(problem: &Problem, graph: Option<&Graph>, plan: &Plan, align: u64) -> Figures {
    let metrics = metrics(problem, plan);
    let (padding, internal) = waste(problem, plan, align);
    let padding = padding.min(metrics.waste);
    let internal = internal.min(metrics.waste - padding);
    let found = graph.and_then(|graph| Some((graph, dependencies(graph, problem, plan)?)));
    let widths = found.as_ref().and_then(|(graph, found)| {
        let mut next = successors(graph);
        let before = width(&next)?;
        found.list.iter().for_each(|order| next[order.first].push(order.then));
        Some((before, width(&next)?))
    });
    let (worst, at_peak) = fragmentation(problem, plan);
    let faults = check(problem, plan);
    let known = BufferPairs::quirks(plan);
    let quirks = faults.iter().filter(|fault| known.has(fault)).count() as u64;
    Figures {
        external: metrics.waste - padding - internal,
        padding,
        internal,
        utilisation: utilisation(problem, plan, metrics.need()),
        worst,
        at_peak,
        slots: placed(problem, plan).map(|(pool, offset, ..)| (pool, offset)).collect::<BTreeSet<_>>().len() as u64,
        reused: reuses(problem, plan).iter().map(|reuse| reuse.bytes).fold(0, u64::saturating_add),
        dependencies: found.as_ref().map(|(_, found)| found.list.len() as u64),
        longest: found.as_ref().map(|(_, found)| (found.longest_before, found.longest_after)),
        width: widths,
        broken: faults.len() as u64 - quirks,
        quirks,
        misread: plan.misreading.is_some(),
        metrics,
    }
}

/// Placed buffers that take bytes, in pools that the plan has.
pub(super) fn placed<'a>(problem: &'a Problem, plan: &'a Plan) -> impl Iterator<Item = PlacedRange> + 'a {
    problem.buffers.enumerate().filter_map(|(id, buffer)| {
        let place = plan.places.get(id).copied().flatten().filter(|place| place.pool.index() < plan.pools.len())?;
        let takes = buffer.size > 0 && !buffer.live.is_empty();
        takes.then(|| (place.pool.0, place.offset, place.offset.saturating_add(buffer.size), id))
    })
}

/// The bytes in use over time: without the gaps in the lives of placed buffers.
fn used<'a>(problem: &'a Problem, plan: &'a Plan) -> impl Iterator<Item = (Live, PlacedRange)> + 'a {
    placed(problem, plan).flat_map(|(pool, offset, _, id)| {
        let at = move |byte: u64| offset.saturating_add(byte);
        problem.buffers[id].spans().into_iter().map(move |span| (span.live, (pool, at(span.low), at(span.high), id)))
    })
}

/// The highest end address in each pool.
pub(super) fn tops(problem: &Problem, plan: &Plan) -> Vec<u64> {
    let mut tops = vec![0; plan.pools.len()];
    placed(problem, plan).for_each(|(pool, _, end, _)| tops[pool as usize] = end.max(tops[pool as usize]));
    tops
}

/// Free stretches of every pool, `(pool, from, to)`, under its top, given what is live in order of
/// addresses.
pub(super) fn gaps(live: impl IntoIterator<Item = PlacedRange>, tops: &[u64]) -> Vec<(u32, u64, u64)> {
    let mut found = Vec::new();
    let mut reached = vec![0u64; tops.len()];
    for (pool, from, to, _) in live {
        let end = &mut reached[pool as usize];
        if from > *end {
            found.push((pool, *end, from));
        }
        *end = to.max(*end);
    }
    let rest = reached.iter().zip(tops).enumerate().filter(|(_, (end, top))| end < top);
    found.extend(rest.map(|(pool, (&end, &top))| (pool as u32, end, top)));
    found
}

/// Calls `look` with the first step of every stretch in which nothing begins or ends, and what is
/// live in it in order of addresses; false if that would take too long, and it was not called to
/// the end.
pub(super) fn moments(problem: &Problem, plan: &Plan, mut look: impl FnMut(u32, &BTreeSet<PlacedRange>)) -> bool {
    let mut edges: Vec<(u32, bool, PlacedRange)> = Vec::new();
    for (live, held) in used(problem, plan) {
        edges.extend([(live.start, true, held), (live.end, false, held)]);
    }
    edges.sort();
    let mut live = BTreeSet::new();
    let mut work = 0u64;
    for stretch in edges.chunk_by(|a, b| a.0 == b.0) {
        for (_, begins, held) in stretch {
            if *begins {
                live.insert(*held)
            } else {
                live.remove(held)
            };
        }
        work += live.len() as u64 + 1;
        if work > MOST_WORK {
            return false;
        }
        if stretch[0].0 < problem.steps {
            look(stretch[0].0, &live);
        }
    }
    true
}

/// What is live at a step, in order of addresses.
pub(super) fn live_at(problem: &Problem, plan: &Plan, step: u32) -> Vec<PlacedRange> {
    let mut live: Vec<PlacedRange> = placed(problem, plan)
        .filter_map(|(pool, offset, _, id)| {
            // Asked of one step: the spans of lives that are elsewhere are not worked out.
            let held = problem.buffers[id].used_at(step);
            let at = |byte: u64| offset.saturating_add(byte);
            (!held.is_empty()).then(|| (pool, at(held.start), at(held.end), id))
        })
        .collect();
    live.sort();
    live
}

/// What a plan holds at one step, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Bytes in use by live buffers.
    pub load: u64,
    /// The sum over the pools of the highest live end.
    pub top: u64,
    /// Sizes of the free stretches below the tops of the pools, the largest first.
    pub gaps: Vec<u64>,
}

/// Reads a plan off at a step.
pub fn at_step(problem: &Problem, plan: &Plan, step: u32) -> Reading {
    let live = live_at(problem, plan, step);
    let mut gaps: Vec<u64> =
        gaps(live.iter().copied(), &tops(problem, plan)).into_iter().map(|(_, from, to)| to - from).collect();
    gaps.sort_by_key(|&gap| std::cmp::Reverse(gap));
    let load = live.iter().map(|(_, from, to, _)| to - from).fold(0, u64::saturating_add);
    Reading { load, top: top_of(&live, plan.pools.len()), gaps }
}

/// The first step at which the tops of the live buffers, summed over the pools, are highest.
pub fn peak_step(problem: &Problem, plan: &Plan) -> Option<u32> {
    let mut best: Option<(u64, u32)> = None;
    moments(problem, plan, |step, live| {
        let top = top_of(live, plan.pools.len());
        if best.is_none_or(|(most, _)| top > most) {
            best = Some((top, step));
        }
    });
    best.map(|(_, step)| step)
}

fn top_of<'a>(live: impl IntoIterator<Item = &'a PlacedRange>, pools: usize) -> u64 {
    let mut tops = vec![0u64; pools];
    live.into_iter().for_each(|&(pool, _, end, _)| tops[pool as usize] = end.max(tops[pool as usize]));
    tops.into_iter().fold(0, u64::saturating_add)
}

/// The sum over the pools of the highest live end, from each step at which it changes: memory over
/// time.
pub fn tops_over_time(problem: &Problem, plan: &Plan) -> Vec<(u32, u64)> {
    let mut curve = Vec::new();
    moments(problem, plan, |step, live| curve.push((step, top_of(live, plan.pools.len()))));
    curve.dedup_by_key(|&mut (_, top)| top);
    curve
}

/// Fragmentation at its worst step and at the step of the peak.
fn fragmentation(problem: &Problem, plan: &Plan) -> (Option<Fragmentation>, Option<Fragmentation>) {
    let tops = tops(problem, plan);
    let mut worst: Option<Fragmentation> = None;
    let mut peak: Option<(u64, Fragmentation)> = None;
    let whole = moments(problem, plan, |step, live| {
        let gaps = gaps(live.iter().copied(), &tops);
        let size = |&(_, from, to): &(u32, u64, u64)| to - from;
        let free = gaps.iter().map(size).fold(0, u64::saturating_add);
        let here = Fragmentation { step, largest: gaps.iter().map(size).max().unwrap_or(0), free };
        if free > 0 && worst.is_none_or(|worst| here.share() > worst.share()) {
            worst = Some(here);
        }
        let top = top_of(live, tops.len());
        if peak.is_none_or(|(most, _)| top > most) {
            peak = Some((top, here));
        }
    });
    if whole { (worst, peak.map(|(_, here)| here)) } else { (None, None) }
}

fn utilisation(problem: &Problem, plan: &Plan, peak: u64) -> Option<f64> {
    let area = |(live, (_, from, to, _)): (Live, PlacedRange)| (to - from) as u128 * live.len() as u128;
    let used: u128 = used(problem, plan).map(area).sum();
    let whole = peak as u128 * problem.steps as u128;
    (whole > 0).then(|| used as f64 / whole as f64)
}

/// Bytes lost to alignment and inside storages, at the first step of the largest load of each
/// memory.
fn waste(problem: &Problem, plan: &Plan, align: u64) -> (u64, u64) {
    let (mut padding, mut internal) = (0u64, 0u64);
    let tops = tops(problem, plan);
    let steps: Vec<u32> = loads(problem, |id| plan.places[id].is_some()).iter().map(Load::peak_step).collect();
    let mut live_in: Vec<Vec<PlacedRange>> = vec![Vec::new(); steps.len()];
    for (live, held) in used(problem, plan) {
        let memory = problem.buffers[held.3].memory.index();
        if steps.get(memory).is_some_and(|&step| live.contains(step)) {
            live_in[memory].push(held);
        }
    }
    for mut live in live_in {
        live.sort();
        for pool in live.chunk_by(|a, b| a.0 == b.0) {
            let number = pool[0].0 as usize;
            let end = pool.iter().map(|held| held.2).max().unwrap_or(0);
            if plan.pools.iter().nth(number).is_some_and(|pool| pool.role == PoolRole::Storage) {
                internal = internal.saturating_add(tops[number] - end);
                continue;
            }
            let mut reached = 0;
            for (index, &(_, _, to, id)) in pool.iter().enumerate() {
                reached = to.max(reached);
                let next = pool.get(index + 1).map_or(tops[number], |held| held.1);
                let aligned = align_up(reached, problem.buffers[id].align.max(align)).min(next);
                padding = padding.saturating_add(aligned.saturating_sub(reached));
            }
        }
    }
    (padding, internal)
}

#[cfg(test)]
mod tests;
