//! A changed graph → its live ranges, a plan, and the check of that plan.

use crate::transform::{Merged, Net, in_place};
use memplan_core::base::{Id, Message};
use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, Pool, check};
use memplan_core::problem::{Buffer, Problem, lifetimes};
use memplan_core::trace::Silent;
use memplan_planners::{self as planner, Input, MANY_LISTED, PORTFOLIO, PROVER, PROVER_NODES, USUAL};

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

/// Nodes of the exact searches when the portfolio finds no plan within the capacity: some
/// hundredths of a second, and about a second.
const NODES: [&str; 2] = ["50000", "2000000"];

/// The storages of a graph and what of them may be one.
///
/// # Errors
/// A tensor without a size.
pub fn read(graph: &Graph, request: &Request) -> Result<(Net, Merged), Message> {
    let net = net_of(graph, request)?;
    let merged = if request.has(Lever::InPlace) { net.merged() } else { net.plain() };
    Ok((net, merged))
}

/// The nets of some graphs, each made once: of a large graph that takes some milliseconds.
pub struct Nets<'a> {
    request: &'a Request,
    known: Vec<(&'a Graph, Net)>,
}

impl<'a> Nets<'a> {
    /// No net yet. Of the request, the scope and the memories count.
    pub fn new(request: &'a Request) -> Nets<'a> {
        Nets { request, known: Vec::new() }
    }

    /// Returns the storages of a graph and what of them may be one, as [`read`] does for a request
    /// with these levers.
    ///
    /// # Errors
    /// A tensor without a size.
    pub fn read(&mut self, graph: &'a Graph, is_in_place: bool) -> Result<(&Net, Merged), Message> {
        let is_same = |known: &Graph| std::ptr::eq(known, graph) || *known == *graph;
        let at = match self.known.iter().position(|(known, _)| is_same(known)) {
            Some(at) => at,
            None => {
                self.known.push((graph, net_of(graph, self.request)?));
                self.known.len() - 1
            }
        };
        let net = &self.known[at].1;
        Ok((net, if is_in_place { net.merged() } else { net.plain() }))
    }
}

fn net_of(graph: &Graph, request: &Request) -> Result<Net, Message> {
    let fast = |tensor| !request.is_slower(&graph.devices[graph.tensors[tensor].device]);
    Net::of(graph, &request.scope, &fast).map_err(|_| graph.unsized_message())
}

/// Plans a graph within a capacity of the fast memory, in bytes. Returns the plan of the least peak
/// found if none is within it, and none if a slower memory is too small or the planner returns no
/// plan. No exact search begins once `stop` is true.
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
    // Once time is up, one planner that is fast does if its plan is small enough.
    let fits = |found: &Finished| found.peak <= capacity;
    let soon = if stop() { plan(&graph, &problem, request, USUAL[2])?.filter(fits) } else { None };
    let found = match soon {
        Some(found) => Some(found),
        None => plan(&graph, &problem, request, PORTFOLIO)?,
    };
    let Some(mut best) = found else { return Ok(None) };
    for nodes in NODES {
        if best.peak <= capacity || stop() {
            break;
        }
        let exact = exact(&best, request, capacity, nodes)?;
        best = exact.filter(|exact| exact.peak < best.peak).unwrap_or(best);
    }
    Ok(Some(best))
}

/// Looks for a plan within a capacity, with a number of nodes of the exact search. That holds one
/// capacity for every memory, so it places what lies in the fast memory; the rest stays where
/// `found` has it.
fn exact(found: &Finished, request: &Request, capacity: u64, nodes: &str) -> Result<Option<Finished>, Message> {
    let mut fast = found.problem.clone();
    let is_slow: Vec<bool> = fast.memories.iter().map(|memory| request.is_slower(&memory.device)).collect();
    for buffer in fast.buffers.iter_mut().filter(|buffer| is_slow[buffer.memory.index()]) {
        *buffer = Buffer { size: 0, gaps: Vec::new(), fixed: None, ..buffer.clone() };
    }
    let capacity = capacity.to_string();
    let options = [("capacity", capacity.as_str()), (PROVER_NODES, nodes)];
    let Some(mut plan) = planned(&found.graph, &fast, PROVER.info().id, &options) else { return Ok(None) };
    for (id, buffer) in found.problem.buffers.enumerate().filter(|(_, buffer)| is_slow[buffer.memory.index()]) {
        if let Some((place, before)) = plan.places[id].as_mut().zip(found.plan.places[id]) {
            place.offset = before.offset;
            let size = &mut plan.pools[place.pool].size;
            *size = (*size).max(before.offset + buffer.size);
        }
    }
    checked(&found.graph, &found.problem, request, plan)
}

/// Plans a graph at once, for a picture of it: nothing is searched unless the buffers are few.
///
/// # Errors
/// As [`finish`], and a slower memory that is too small.
pub fn quick(graph: &Graph, request: &Request) -> Result<Finished, Message> {
    let (net, merged) = read(graph, request)?;
    let graph = in_place(graph, &merged.pairs, &net.root);
    let problem = lifetimes(&graph, &request.scope).map_err(|error| error.message(&graph))?;
    let id = if problem.buffers.len() <= MANY_LISTED { PORTFOLIO } else { USUAL[2] };
    plan(&graph, &problem, request, id)?.ok_or_else(|| Message::new("fit.no-room"))
}

/// The plan of a planner with its default options; none if it returns none, or if a slower memory
/// is too small for it.
fn plan(graph: &Graph, problem: &Problem, request: &Request, id: &str) -> Result<Option<Finished>, Message> {
    let Some(plan) = planned(graph, problem, id, &[]) else { return Ok(None) };
    checked(graph, problem, request, plan)
}

fn planned(graph: &Graph, problem: &Problem, id: &str, options: &[(&str, &str)]) -> Option<Plan> {
    let planner = planner::find(id)?;
    let options = planner.info().options(options.iter().copied()).ok()?;
    planner.plan(Input { problem, graph: Some(graph) }, &options, &mut Silent).ok()
}

/// A plan that passes the check, with its bytes in the fast memory; none if a slower memory is too
/// small for it.
fn checked(graph: &Graph, problem: &Problem, request: &Request, mut plan: Plan) -> Result<Option<Finished>, Message> {
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
    if plan.pools.iter().filter(|pool| !is_slow(pool)).count() > 1 {
        return;
    }
    for pool in plan.pools.iter_mut() {
        pool.name = if is_slow(pool) { pool.device.clone() } else { fast.name.clone() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredIn;
    use memplan_formats::import::{self, Answers, Document};

    /// In the fast memory a then b, 8 bytes each and never alive together; kept is 64 bytes of the
    /// slower one.
    const TWO: &str = r#"{"format":"memory-graph/1","name":"two","tensors":[
        {"name":"x","dtype":"int8","shape":[4],"kind":"input"},{"name":"kept","dtype":"int8","shape":[64],"kind":"intermediate","device":"DRAM"},{"name":"a","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"m","dtype":"int8","shape":[4],"kind":"intermediate"},{"name":"b","dtype":"int8","shape":[8],"kind":"intermediate"},{"name":"y","dtype":"int8","shape":[4],"kind":"output"}],"nodes":[
        {"name":"n0","op":"f","inputs":["x"],"outputs":["kept","a"]},{"name":"n1","op":"f","inputs":["a"],"outputs":["m"]},
        {"name":"n2","op":"f","inputs":["m"],"outputs":["b"]},{"name":"n3","op":"f","inputs":["b","kept"],"outputs":["y"]}]}"#;

    #[test]
    fn the_exact_search_holds_the_fast_memory_alone_to_its_capacity() {
        let read = import::read(TWO.as_bytes(), Answers::default()).expect("a graph");
        let Document::Graph(graph) = read.document else { panic!("a graph") };
        let memory = |name: &str, size| StoredIn { name: name.into(), size, cost: 1 };
        let mut request = Request::default();
        request.budget.memories = vec![memory("SRAM", 16), memory("DRAM", 64)];
        let problem = lifetimes(&graph, &request.scope).expect("sizes");
        let apart = plan(&graph, &problem, &request, "naive").expect("a legal plan").expect("it has room");
        let found = exact(&apart, &request, 16, "50000").expect("a legal plan").expect("a plan within 16 bytes");
        assert!(apart.peak > 16 && found.peak <= 16, "{} {}", apart.peak, found.peak);
        let kept = problem.buffers.ids().find(|id| problem.buffers[*id].name == "kept").expect("the slower one");
        let pool = |plan: &Plan| plan.places[kept].map(|place| (plan.pools[place.pool].clone(), place.offset));
        assert_eq!(pool(&found.plan), pool(&apart.plan));
        assert_eq!(pool(&found.plan).map(|(pool, _)| pool.size), Some(64));
    }
}
