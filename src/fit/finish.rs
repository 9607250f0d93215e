//! A changed graph → its live ranges, a plan, and the check of that plan.

use crate::base::{Id, Message};
use crate::graph::Graph;
use crate::plan::{Plan, Pool, check};
use crate::planner::{self, FIRST, Input, MANY_LISTED, PROVER, PROVER_NODES, USUAL};
use crate::problem::{Problem, lifetimes};
use crate::trace::Silent;
use crate::transform::{Merged, Net, in_place};

use super::instance::{Lever, Request};

/// A graph with a plan that passes the check.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// The graph, with storage taken over written down.
    pub graph: Graph,
    /// Its buffers.
    pub problem: Problem,
    /// Where they lie.
    pub plan: Plan,
    /// Bytes of the plan in the fast memory.
    pub peak: u64,
}

/// Nodes of the exact searches when the portfolio finds no plan within the capacity: some hundredths of a second, and about a
/// second.
const NODES: [&str; 2] = ["50000", "2000000"];

/// The storages of a graph and what of them may be one.
///
/// # Errors
/// A tensor without a size.
pub fn read(graph: &Graph, request: &Request) -> Result<(Net, Merged), Message> {
    let slower: Vec<&str> = request.budget.memories.iter().skip(1).map(|memory| memory.name.as_str()).collect();
    let fast = |tensor| !slower.contains(&graph.devices[graph.tensors[tensor].device].as_str());
    let net = Net::of(graph, &request.scope, &fast).map_err(|_| unsized_graph(graph))?;
    let merged = if request.has(Lever::InPlace) { net.merged() } else { net.plain() };
    Ok((net, merged))
}

fn unsized_graph(graph: &Graph) -> Message {
    Message::new("fault.unsized")
        .count("count", graph.unsized_tensors() as u64)
        .count("tensors", graph.tensors.len() as u64)
}

/// Plans a graph within a capacity of the fast memory; the least peak found if that does not do, and none if a slower memory is too
/// small. No exact search begins once `stop` is true.
///
/// # Errors
/// A graph without sizes, or a plan that breaks a rule.
pub fn finish(
    graph: &Graph,
    request: &Request,
    capacity: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Finished>, Message> {
    let (net, merged) = read(graph, request)?;
    let graph = in_place(graph, &merged.pairs, &net.root);
    let problem = lifetimes(&graph, &request.scope).map_err(|error| error.message(&graph))?;
    let mut best = plan(&graph, &problem, request, FIRST[2], &[])?;
    for nodes in NODES {
        if best.as_ref().is_none_or(|found| found.peak <= capacity) || stop() {
            break;
        }
        let most = capacity.to_string();
        let prover = [("capacity", most.as_str()), (PROVER_NODES, nodes)];
        let exact = plan(&graph, &problem, request, PROVER.info().id, &prover)?;
        best = exact.filter(|exact| best.as_ref().is_some_and(|found| exact.peak < found.peak)).or(best);
    }
    Ok(best)
}

/// Plans a graph at once, for a picture of it: nothing is searched unless the buffers are few.
///
/// # Errors
/// As [`finish`], and a slower memory that is too small.
pub fn quick(graph: &Graph, request: &Request) -> Result<Finished, Message> {
    let (net, merged) = read(graph, request)?;
    let graph = in_place(graph, &merged.pairs, &net.root);
    let problem = lifetimes(&graph, &request.scope).map_err(|error| error.message(&graph))?;
    let id = if problem.buffers.len() <= MANY_LISTED { FIRST[2] } else { USUAL[2] };
    plan(&graph, &problem, request, id, &[])?.ok_or_else(|| Message::new("fit.no-room"))
}

fn plan(
    graph: &Graph,
    problem: &Problem,
    request: &Request,
    id: &str,
    options: &[(&str, &str)],
) -> Result<Option<Finished>, Message> {
    let Some(planner) = planner::find(id) else { return Ok(None) };
    let Ok(options) = planner.info().options(options.iter().copied()) else { return Ok(None) };
    let Ok(mut plan) = planner.plan(Input { problem, graph: Some(graph) }, &options, &mut Silent) else {
        return Ok(None);
    };
    name_pools(&mut plan, request);
    if let Some(violation) = check(problem, &plan).first() {
        return Err(violation.message(problem));
    }
    let slower = &request.budget.memories[1..];
    let mut tops = vec![0u64; problem.memories.len()];
    for (id, place) in plan.places.enumerate() {
        if let Some(place) = place {
            let buffer = &problem.buffers[id];
            let top = &mut tops[buffer.memory.index()];
            *top = (*top).max(place.offset + buffer.size);
        }
    }
    let mut peak = 0;
    for (memory, top) in problem.memories.iter().zip(tops) {
        match slower.iter().find(|slow| slow.name == memory.device) {
            Some(slow) if top > slow.size => return Ok(None),
            Some(_) => {}
            None => peak += top,
        }
    }
    Ok(Some(Finished { graph: graph.clone(), problem: problem.clone(), plan, peak }))
}

/// Gives the pools the names of the memories that they lie in, if there is one in each.
fn name_pools(plan: &mut Plan, request: &Request) {
    let [fast, slower @ ..] = &request.budget.memories[..] else { return };
    let is_slow = |pool: &Pool| slower.iter().any(|memory| memory.name == pool.device);
    if plan.pools.len() < 2 || plan.pools.iter().filter(|pool| !is_slow(pool)).count() > 1 {
        return;
    }
    for pool in plan.pools.iter_mut() {
        pool.name = if is_slow(pool) { pool.device.clone() } else { fast.name.clone() };
    }
}
