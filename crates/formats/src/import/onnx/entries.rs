//! A plan in a model: entries that onnxsim, and this program, write beside the values.
//!
//! The metadata of a value in `graph.input`, `graph.output` and `graph.value_info` have its first
//! byte and its bytes, `onnxsim.mem_offset` and `onnxsim.mem_size`; another prefix will do. Values
//! of equal entries lie on the same bytes one after the other. Values without entries are left out.
//! Nodes that compute from weights alone, and `Constant` nodes, are steps if a result of one of
//! them has a place. A view whose bytes are those of its source is no copy where both are read at
//! the same time: it is another name of the source's storage.

use std::collections::{BTreeMap, HashSet};

use super::messages::{Entry, ValueInfo};
use super::model::Model;
use memplan_core::base::{IdVec, Message};
use memplan_core::graph::{Attr, Fault, Graph, Kind, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolRole, Unplanned, check_up_to, is_takeover};
use memplan_core::problem::{BufferId, LifetimeError, Problem, Scope, Views, lifetimes};

/// Endings of the keys.
const OFFSET: &str = "mem_offset";
const SIZE: &str = "mem_size";
const ARENA: &str = "memory_plan_arena_bytes";

/// Violations after which no more are counted.
const MOST: usize = 1_000;

/// First byte and bytes of a value.
type Span = (u64, u64);

/// What the keys of the entries begin with, and the entries by value; none of a model without a
/// plan.
fn spans<'m>(model: &'m Model) -> Option<(String, BTreeMap<&'m str, Span>)> {
    let net = &model.net.graph;
    let infos = || net.input.iter().chain(&net.output).chain(&net.value_info);
    let prefix = infos().flat_map(|info| &info.metadata_props).find_map(|entry| entry.key.strip_suffix(OFFSET))?;
    let spans = infos().filter_map(|info| Some((&*info.name, span(info, prefix)?))).collect();
    Some((prefix.to_string(), spans))
}

/// Names of the values that have a place.
pub fn placed<'m>(model: &'m Model) -> HashSet<&'m str> {
    spans(model).map(|(_, spans)| spans.into_keys().collect()).unwrap_or_default()
}

/// The graph with the plan in the model; without one, the graph alone. A plan is of no use while
/// some tensor has no size.
pub fn document(graph: Graph, model: &Model, facts: &mut Vec<Message>, warnings: &mut Vec<Fault>) -> super::Document {
    let Some((prefix, spans)) = spans(model) else { return super::Document::Graph(graph) };
    let Ok(problem) = buffers(&graph, &spans) else { return super::Document::Graph(graph) };
    let arena = number(&model.about.metadata_props, &format!("{prefix}{ARENA}")).unwrap_or(0);
    let (plan, smaller) = plan(&problem, &spans, arena);
    let placed = plan.places.iter().flatten().count();
    if placed == 0 {
        return super::Document::Graph(graph);
    }
    let fact = Message::new("fact.onnx-plan").count("placed", placed as u64).count("rest", plan.unplanned.len() as u64);
    facts.push(fact.text("prefix", prefix).bytes("arena", plan.pools.iter().map(|pool| pool.size).sum()));
    if smaller > 0 {
        warnings.push(Fault::new("", Message::new("warning.onnx-plan-smaller").count("n", smaller)));
    }
    let broken = check_up_to(&problem, &plan, MOST).len() as u64;
    if broken > 0 {
        warnings.push(Fault::new("", Message::new("warning.plan-invalid").count("n", broken)));
    }
    super::Document::Planned(graph, problem, plan)
}

fn number(entries: &[Entry], key: &str) -> Option<u64> {
    entries.iter().rfind(|entry| entry.key == key)?.value.parse().ok()
}

fn span(info: &ValueInfo, prefix: &str) -> Option<Span> {
    let of = |ending: &str| number(&info.metadata_props, &format!("{prefix}{ending}"));
    let (offset, size) = (of(OFFSET)?, of(SIZE)?);
    offset.checked_add(size).filter(|&end| end <= memplan_core::base::MAX_SAFE).map(|_| (offset, size))
}

/// The storages that the entries place. Every view is a copy with storage of its own, as its maker
/// sees it, except those that lie in bytes of their source while that is still read.
fn buffers(graph: &Graph, spans: &BTreeMap<&str, Span>) -> Result<Problem, LifetimeError> {
    let copies = lifetimes(graph, &Scope { views: Views::Copy, ..Scope::default() })?;
    let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in copies.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
    }
    // Views in bytes of their source, with those of the same source: all of them are names of one
    // storage as soon as one source outlives its view.
    let mut roots: IdVec<TensorId, TensorId> = graph.tensors.ids().collect();
    let mut outlives: IdVec<TensorId, bool> = IdVec::from_elem(false, graph.tensors.len());
    let mut inside = Vec::new();
    for (source, view) in graph.nodes.iter().flat_map(|node| node.aliases()) {
        let of = |tensor: TensorId| spans.get(&*graph.tensors[tensor].name).copied().zip(buffer_of[tensor]);
        let (Some((whole, from)), Some((part, to))) = (of(source), of(view)) else { continue };
        if graph.tensors[source].kind == Kind::Weight || part.0 < whole.0 || part.0 + part.1 > whole.0 + whole.1 {
            continue;
        }
        let (from, to) = (copies.buffers[from].live, copies.buffers[to].live);
        roots[view] = roots[source];
        outlives[roots[view]] |= part != whole || from.end != to.start + 1;
        inside.push(view);
    }
    inside.retain(|&view| outlives[roots[view]]);
    inside.sort_unstable();
    if inside.is_empty() {
        return Ok(copies);
    }
    let mut shared = graph.clone();
    for node in shared.nodes.iter_mut() {
        let is_copy = node.aliases().any(|(_, view)| inside.binary_search(&view).is_err());
        if is_copy {
            node.attrs_mut().insert("alias".to_string(), Attr::Text("false".to_string()));
        }
    }
    lifetimes(&shared, &Scope::default())
}

/// The plan that the entries state, and the number of values whose entries have fewer bytes than
/// they need.
fn plan(problem: &Problem, spans: &BTreeMap<&str, Span>, arena: u64) -> (Plan, u64) {
    let mut plan = Plan::empty(problem);
    let device = problem.memories.iter().next().map(|memory| memory.device.clone()).unwrap_or_default();
    let pool = plan.pools.push(Pool { name: "arena".into(), size: arena, device, role: PoolRole::Arena });
    let mut sharing: BTreeMap<Span, Vec<BufferId>> = BTreeMap::new();
    let mut smaller = 0;
    for (id, buffer) in problem.buffers.enumerate() {
        let span = spans.get(&*buffer.name).copied();
        smaller += u64::from(span.is_some_and(|(_, size)| size < buffer.size));
        match span.filter(|&(_, size)| size >= buffer.size) {
            Some((offset, size)) => {
                plan.places[id] = Some(Place { pool, offset });
                let end = &mut plan.pools[pool].size;
                *end = (*end).max(offset + size);
                sharing.entry((offset, size)).or_default().push(id);
            }
            None => plan.unplanned.push((id, Unplanned::StatedByFile)),
        }
    }
    for mut members in sharing.into_values() {
        members.sort_by_key(|&id| (problem.buffers[id].live.start, id));
        for pair in members.windows(2) {
            if is_takeover(problem, &plan, pair[1], pair[0]) {
                plan.shared.push((pair[1], pair[0]));
            }
        }
    }
    (plan, smaller)
}
