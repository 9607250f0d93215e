//! From the question to the answer: is there a plan within a capacity, or how small can a plan be?

use std::ops::ControlFlow;

use super::model::{MAX_UNITS, Model, TooLarge};
use super::report::{Known, Limits, Reporter};
use super::search::{Found, Search};
use super::{greedy, perfect, refute, restarts};
use crate::gap_fit::GreedyBySize;
use crate::{BRANCH_SAFE, Input, PlanError, Planner};
use memplan_core::base::Id;
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, BufferId, MemoryId, Problem, Span, lower_bound_of, lower_bounds};
use memplan_core::trace::{Muted, Probe};

/// Nodes of the tree that decide most questions whether a plan is within a capacity.
const QUICK_NODES: u64 = 200_000;

/// Nodes for the tries to waste nothing where they do not.
const QUICK_TRIES: u64 = 30_000;

/// The part of all nodes with which a plan of little waste is looked for then.
const NARROW_SHARE: u64 = 4;

/// Nodes of a question for each buffer, where that is at most half of all: with fewer, it is left
/// before the words have had their turns.
const NODES_PER_ITEM: u64 = 10;

/// What the search gives for all memories together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    /// Bytes from the base of its memory, one entry a buffer.
    pub offsets: Vec<u64>,
    /// Sum over the memories of the highest end, in bytes.
    pub peak: u64,
    /// No plan has a smaller peak, in bytes.
    pub bound: u64,
    /// Whether the peak is the smallest there is.
    pub proved: bool,
    /// Nodes of the search tree that were visited.
    pub nodes: u64,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub branches: &'a Branches,
    /// Bytes that each memory has: any plan within them is good enough. None asks for the smallest
    /// plan.
    pub capacity: Option<u64>,
    /// Nodes that may be visited; 0 = as many as take some seconds.
    pub nodes: u64,
}

/// Searches the memories of a problem one after the other, each with an equal share of the nodes
/// that are left.
///
/// # Errors
/// [`PlanError::Infeasible`] or [`PlanError::Undecided`] when a capacity is asked for,
/// [`PlanError::Cancelled`].
pub(crate) fn solve(input: Input, request: Request, probe: &mut dyn Probe) -> Result<Answer, PlanError> {
    let problem = input.problem;
    let mut answer = Answer { offsets: vec![0; problem.buffers.len()], peak: 0, bound: 0, proved: true, nodes: 0 };
    // To decide takes ten times as many as to come close.
    let usual = usual_nodes(problem) * if request.capacity.is_some() { 10 } else { 1 };
    let budget = if request.nodes > 0 { request.nodes } else { usual };
    let memories = problem.memories.len() as u64;
    let clash = clash(problem);
    if let Some((buffers, capacity)) = clash.zip(request.capacity) {
        let names = buffers.map(|id| problem.buffers[id].name.clone()).to_vec();
        return Err(PlanError::Infeasible { capacity, buffers: buffers.to_vec(), names, irreducible: true });
    }
    let mut known = known(input, request, probe)?;
    for memory in problem.memories.ids() {
        let ids: Vec<BufferId> =
            problem.buffers.enumerate().filter(|(_, buffer)| buffer.memory == memory).map(|(id, _)| id).collect();
        // Buffers without a size are not searched for, but a stated position is one all the same.
        let mut floor = 0;
        for &id in ids.iter().filter(|&&id| problem.buffers[id].size == 0) {
            let offset = problem.buffers[id].fixed.unwrap_or(0);
            answer.offsets[id.index()] = offset;
            floor = floor.max(offset);
            if let Some(capacity) = request.capacity.filter(|capacity| offset > *capacity) {
                let names = vec![problem.buffers[id].name.clone()];
                return Err(PlanError::Infeasible { capacity, buffers: vec![id], names, irreducible: true });
            }
        }
        let share = (budget - answer.nodes.min(budget)) / (memories - memory.index() as u64);
        let limits = Limits { share, before: answer.nodes, budget };
        let (peak, bound) = match Model::new(problem, &ids, request.branches) {
            Err(TooLarge) => unsearched(input, &ids, memory, &mut answer, request, probe)?,
            Ok(model) => {
                let mut reporter = Reporter::new(probe, &model, memory, Some(&mut known), limits);
                let one = match request.capacity {
                    Some(capacity) => decide(problem, &model, capacity, limits, request.branches, &mut reporter)?,
                    None => optimise(&model, limits, &mut reporter)?,
                };
                for (item, &offset) in model.items.iter().zip(&one.offsets) {
                    answer.offsets[item.id.index()] = model.bytes(offset);
                }
                answer.nodes += one.nodes;
                (model.bytes(one.peak), model.bytes(one.bound))
            }
        };
        known.settle(memory, peak.max(floor), bound.min(peak).max(floor), &ids, &answer.offsets);
        answer.peak = answer.peak.saturating_add(peak.max(floor));
        answer.bound = answer.bound.saturating_add(bound.min(peak).max(floor));
    }
    answer.proved = answer.peak == answer.bound && clash.is_none();
    Ok(answer)
}

/// Nodes that take at most some three seconds: one costs about as much time as there are buffers.
pub(crate) fn usual_nodes(problem: &Problem) -> u64 {
    1_400_000_000 / (3 * problem.buffers.len() as u64 + 300)
}

/// A plan of all memories that takes no search.
fn quick(input: Input, request: Request, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let parallel = if request.branches.is_on() { "true" } else { "false" };
    let set = [("fixed", "true"), (BRANCH_SAFE.key, parallel)];
    let options = GreedyBySize::INFO.options(set).unwrap_or_default();
    GreedyBySize.plan(input, &options, &mut Muted(probe))
}

/// What is known before the first memory is searched.
fn known(input: Input, request: Request, probe: &mut dyn Probe) -> Result<Known, PlanError> {
    let problem = input.problem;
    let (count, memories) = (problem.buffers.len(), problem.memories.len());
    let mut known = Known { offsets: vec![0; count], peaks: vec![0; memories], bounds: vec![0; memories] };
    if memories < 2 {
        return Ok(known);
    }
    let plan = quick(input, request, probe)?;
    for (id, buffer) in problem.buffers.enumerate() {
        let offset = plan.places[id].map_or(0, |place| place.offset);
        let peak = &mut known.peaks[buffer.memory.index()];
        *peak = (*peak).max(offset.saturating_add(buffer.size));
        known.offsets[id.index()] = offset;
    }
    known.bounds.copy_from_slice(lower_bounds(problem, |_| true).as_slice());
    Ok(known)
}

/// A memory too large to be searched has the plan of a planner that is not.
fn unsearched(
    input: Input,
    ids: &[BufferId],
    memory: MemoryId,
    answer: &mut Answer,
    request: Request,
    probe: &mut dyn Probe,
) -> Result<(u64, u64), PlanError> {
    let problem = input.problem;
    let plan = quick(input, request, probe)?;
    let mut best = 0;
    for &id in ids {
        let offset = plan.places[id].map_or(0, |place| place.offset);
        answer.offsets[id.index()] = offset;
        best = best.max(offset.saturating_add(problem.buffers[id].size));
    }
    let bound = lower_bound_of(problem, |id| problem.buffers[id].memory == memory);
    match request.capacity {
        Some(capacity) if best > capacity => Err(PlanError::Undecided { capacity, nodes: 0, best, bound }),
        _ => Ok((best, bound)),
    }
}

/// The answer for one memory, in units.
struct One {
    offsets: Vec<i64>,
    peak: i64,
    bound: i32,
    nodes: u64,
}

/// Two buffers whose stated positions collide in the same memory: no plan that keeps them is valid.
fn clash(problem: &Problem) -> Option<[BufferId; 2]> {
    let sized = problem.buffers.enumerate().filter(|(_, buffer)| buffer.size > 0);
    let mut stated: Vec<(BufferId, u64)> = sized.filter_map(|(id, buffer)| Some((id, buffer.fixed?))).collect();
    stated.sort_by_key(|&(id, _)| (problem.buffers[id].live.start, id));
    let mut alive: Vec<(BufferId, u64)> = Vec::new();
    for (id, offset) in stated {
        let own = &problem.buffers[id];
        alive.retain(|&(other, _)| problem.buffers[other].live.end > own.live.start);
        let meets = |there: u64, one: &Span, other: &Span| {
            one.live.meets(other.live) && offset + one.low < there + other.high && there + other.low < offset + one.high
        };
        let found = alive.iter().find(|&&(other, there)| {
            let others = &problem.buffers[other];
            let spans = others.spans();
            others.memory == own.memory
                && own.spans().iter().any(|one| spans.iter().any(|span| meets(there, one, span)))
        });
        if let Some(&(other, _)) = found {
            return Some([other.min(id), other.max(id)]);
        }
        alive.push((id, offset));
    }
    None
}

/// Whether stated positions collide: then no search can help, and the plan is as faulty as its
/// input.
fn collides(model: &Model) -> bool {
    (0..model.items.len() as u32).any(|index| {
        let Some(own) = model.items[index as usize].fixed else { return false };
        model.neighbours.of(index).iter().any(|there| {
            let other = model.items[there.item as usize].fixed;
            other.is_some_and(|other| other < own + there.rise && own < other + model.rise(there.item, index))
        })
    })
}

fn decide(
    problem: &Problem,
    model: &Model,
    capacity: u64,
    limits: Limits,
    branches: &Branches,
    reporter: &mut Reporter,
) -> Result<One, PlanError> {
    let (offsets, peak) = greedy::best(model);
    let bound = model.bound();
    reporter.best(peak, bound, &offsets);
    if peak as u64 <= capacity / model.unit {
        return Ok(One { offsets, peak, bound, nodes: 0 });
    }
    let undecided =
        |nodes: u64| PlanError::Undecided { capacity, nodes, best: model.bytes(peak), bound: model.bytes(bound) };
    let within = (capacity / model.unit).min(MAX_UNITS as u64) as i32;
    if collides(model) {
        return Err(undecided(0));
    }
    let mut search = Search::new(model);
    let first = QUICK_NODES.min(limits.share);
    reporter.ask(within, first);
    let mut answer = search.decide(within, first, reporter);
    if answer == Found::Limit && first < limits.share {
        reporter.open(within, search.nodes);
        let (offsets, peak) = perfect(model, (offsets, peak), QUICK_TRIES, &mut search, reporter)?;
        let share = limits.share / NARROW_SHARE;
        let (offsets, peak) =
            narrow(model, (offsets, peak.min(i64::from(within) + 1)), within, share, &mut search, reporter)?;
        if peak <= i64::from(within) {
            return Ok(One { offsets, peak, bound, nodes: search.nodes });
        }
        let part = limits.share.saturating_sub(search.nodes) / 2;
        let ((offsets, peak), least) = restart(model, ((offsets, peak), bound), within, part, &mut search, reporter)?;
        if peak <= i64::from(within) {
            return Ok(One { offsets, peak, bound, nodes: search.nodes });
        }
        if least > within {
            answer = Found::Nothing;
        } else {
            let left = limits.share.saturating_sub(search.nodes);
            reporter.ask(within, left);
            answer = search.decide(within, left, reporter);
        }
    }
    match answer {
        Found::Plan(offsets) => {
            let (offsets, peak) = model.with_peak(offsets);
            reporter.found(peak, search.nodes);
            reporter.best(peak, bound, &offsets);
            Ok(One { offsets, peak, bound, nodes: search.nodes })
        }
        Found::Nothing if model.complete => {
            reporter.none(within, search.nodes);
            let set = refute::smallest_set(problem, model, branches, within, limits.share, reporter)?;
            let names = set.ids.iter().map(|&id| problem.buffers[id].name.clone()).collect();
            Err(PlanError::Infeasible { capacity, buffers: set.ids, names, irreducible: set.irreducible })
        }
        Found::Nothing | Found::Limit => {
            reporter.open(within, search.nodes);
            Err(undecided(search.nodes))
        }
        Found::Cancelled => Err(PlanError::Cancelled),
    }
}

/// Tries to reach the bound before the tree is walked; the better of the plan that is known and of
/// what it finds.
fn perfect(
    model: &Model,
    known: (Vec<i64>, i64),
    nodes: u64,
    search: &mut Search,
    reporter: &mut Reporter,
) -> Result<(Vec<i64>, i64), PlanError> {
    let bound = model.bound();
    if known.1 <= i64::from(bound) {
        return Ok(known);
    }
    let ControlFlow::Continue(outcome) = perfect::search(model, bound, nodes, reporter) else {
        return Err(PlanError::Cancelled);
    };
    search.nodes += outcome.nodes;
    let Some((offsets, peak)) = outcome.best else { return Ok(known) };
    if peak <= i64::from(bound) {
        reporter.found(peak, search.nodes);
    } else {
        reporter.open(bound, search.nodes);
    }
    if peak >= known.1 {
        return Ok(known);
    }
    reporter.best(peak, bound, &offsets);
    Ok((offsets, peak))
}

/// Tries to waste little, until the peak is the one wanted; the better of the plan that is known
/// and of what it finds.
fn narrow(
    model: &Model,
    known: (Vec<i64>, i64),
    wanted: i32,
    nodes: u64,
    search: &mut Search,
    reporter: &mut Reporter,
) -> Result<(Vec<i64>, i64), PlanError> {
    let ControlFlow::Continue(outcome) = perfect::narrow(model, known.1, wanted, nodes, reporter) else {
        return Err(PlanError::Cancelled);
    };
    search.nodes += outcome.nodes;
    let Some((offsets, peak)) = outcome.best else { return Ok(known) };
    reporter.found(peak, search.nodes);
    reporter.best(peak, model.bound(), &offsets);
    Ok((offsets, peak))
}

/// Looks for smaller plans by many short searches; the better of the plan that is known and of what
/// they find, and the bound that they prove.
fn restart(
    model: &Model,
    (known, bound): ((Vec<i64>, i64), i32),
    wanted: i32,
    nodes: u64,
    search: &mut Search,
    reporter: &mut Reporter,
) -> Result<((Vec<i64>, i64), i32), PlanError> {
    match restarts::search(model, (known.1, bound), wanted, nodes, search, reporter) {
        ControlFlow::Continue(outcome) => Ok((outcome.best.unwrap_or(known), outcome.bound)),
        ControlFlow::Break(()) => Err(PlanError::Cancelled),
    }
}

/// Asks for the bound first, since a tight capacity prunes most, then for capacities between what
/// is known; each question has a part of the nodes, and open ones are asked again with more as long
/// as there are any.
fn optimise(model: &Model, limits: Limits, reporter: &mut Reporter) -> Result<One, PlanError> {
    let (mut offsets, mut peak) = greedy::best(model);
    let mut bound = model.bound();
    reporter.best(peak, bound, &offsets);
    let mut search = Search::new(model);
    if !collides(model) {
        (offsets, peak) = perfect(model, (offsets, peak), limits.share / 2, &mut search, reporter)?;
    }
    // What hundreds of buffers that fill nearly all steps do not yield as a puzzle, the tree does
    // not yield either.
    let is_dense = search.nodes > 0;
    let part = limits.share / if is_dense { 16 } else { 8 };
    let mut turn = part.max((NODES_PER_ITEM * model.items.len() as u64).min(limits.share / 2));
    let mut next = Some(bound);
    let (mut lowest, mut open) = (bound, false);
    if collides(model) {
        next = None;
    }
    while i64::from(bound) < peak && search.nodes < limits.share {
        // Between what is known; after that the open ones once more, with more nodes for each
        // question.
        let Some(capacity) = next else { break };
        let allowed = turn.max(1).min(limits.share - search.nodes);
        reporter.ask(capacity, allowed);
        match search.decide(capacity, allowed, reporter) {
            Found::Plan(better) => {
                (offsets, peak) = model.with_peak(better);
                reporter.found(peak, search.nodes);
                reporter.best(peak, bound, &offsets);
            }
            Found::Nothing if model.complete => {
                reporter.none(capacity, search.nodes);
                bound = capacity + 1;
                lowest = lowest.max(bound);
                reporter.best(peak, bound, &offsets);
            }
            Found::Nothing => {
                reporter.open(capacity, search.nodes);
                lowest = capacity + 1;
            }
            Found::Limit => {
                reporter.open(capacity, search.nodes);
                if !open && capacity == bound {
                    let left = |search: &Search| limits.share.saturating_sub(search.nodes);
                    let part = if is_dense { left(&search) / 4 * 3 } else { left(&search) / 16 };
                    (offsets, peak) = narrow(model, (offsets, peak), bound, part, &mut search, reporter)?;
                    let most = if is_dense { left(&search) } else { left(&search) / 4 * 3 };
                    ((offsets, peak), bound) =
                        restart(model, ((offsets, peak), bound), bound, most, &mut search, reporter)?;
                    if bound > capacity {
                        reporter.none(bound - 1, search.nodes);
                        reporter.best(peak, bound, &offsets);
                    }
                }
                open = true;
                lowest = (capacity + 1).max(bound);
                turn = (turn / 2).max(limits.share / 16);
            }
            Found::Cancelled => return Err(PlanError::Cancelled),
        }
        let highest = (peak - 1).min(MAX_UNITS.into()) as i32;
        next = if lowest <= highest {
            Some(lowest + (highest - lowest) / 2)
        } else {
            (lowest, turn) = (bound, turn.saturating_mul(4));
            std::mem::take(&mut open).then_some(bound)
        };
    }
    Ok(One { offsets, peak, bound, nodes: search.nodes })
}
