//! Memory from left to right, as ExecuTorch's inspection tool draws it: `generate_memory_trace` of
//! pytorch/executorch `util/activation_memory_profiler.py`, commit 11879d81.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::lowered::lowered;
use crate::export::csv::{donors, memories};
use memplan_core::base::{IdVec, MAX_SAFE, Message};
use memplan_core::graph::{Graph, TensorId};
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId, Problem, Span};

/// Largest file written, in bytes. It has an event for each buffer and step, so that long lives
/// make large files: a list of a few hundred bytes can ask for a gigabyte.
pub const MAX_BYTES: u64 = 128 << 20;

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "traceEvents")]
    events: Vec<Event<'a>>,
}

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'static str,
    ph: &'static str,
    ts: u64,
    dur: u64,
    pid: u32,
    tid: u32,
    args: Args<'a>,
}

#[derive(Serialize)]
struct Args<'a> {
    op_name: &'a str,
    #[serde(rename = "Memory ID")]
    memory_id: u32,
    fqn: &'a str,
    source: &'a str,
    bytes: u64,
    /// Only of those that take over storage in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<&'a str>,
    /// Only where pools divide memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'a str>,
}

/// The file text: an event for every step in which bytes of a buffer are in use, so that gaps of a
/// live range have none. `ts` is the offset of the first of these bytes, `dur` their number, `pid`
/// the pool counted from 1, `tid` the step. Without a plan `ts` is the sum of the bytes before it,
/// as the tool writes it without offsets. The tool numbers only steps in which something is alive;
/// here every step keeps its number. With a graph, steps and live ranges are those of the tool
/// (`lowered`): a result is there from its allocation on.
///
/// # Errors
/// The sentence that there are too many events.
pub fn trace_by_step(problem: &Problem, plan: Option<&Plan>, graph: Option<&Graph>) -> Result<String, Message> {
    let lowered = graph.map(|graph| lowered(problem, plan, graph));
    let problem = lowered.as_ref().unwrap_or(problem);
    let spans = drawn(problem, plan, graph);
    let makers = makers(problem, graph);
    let donors = donors(problem, plan);
    let memories = memories(problem, plan);
    let event = |id: BufferId, span: &Span, step: u32, before: u64| {
        let buffer = &problem.buffers[id];
        let place = plan.and_then(|plan| plan.places[id]);
        let memory_id = place.map_or(buffer.memory.0, |place| place.pool.0).saturating_add(1);
        let args = Args {
            op_name: makers.get(id.0 as usize).copied().unwrap_or_default(),
            memory_id,
            fqn: "",
            source: "None",
            bytes: buffer.size,
            shares: donors.get(&id).copied(),
            memory: memories.as_ref().map(|memories| &*memories[id]),
        };
        Event {
            name: &buffer.name,
            cat: "memory_allocation",
            ph: "X",
            ts: place.map_or(before, |place| place.offset.saturating_add(span.low)),
            dur: span.high - span.low,
            pid: memory_id,
            tid: step,
            args,
        }
    };
    // What every event of a buffer takes at most, so that nothing is made that is not written.
    let (mut events, mut bytes) = (0u64, 0u64);
    for (id, span) in &spans {
        let one = text_of(&File { events: vec![event(*id, span, u32::MAX, MAX_SAFE)] }).len() as u64;
        events = events.saturating_add(span.live.len().into());
        bytes = bytes.saturating_add(one.saturating_mul(span.live.len().into()));
    }
    if bytes > MAX_BYTES {
        let message = Message::new("fault.trace-too-large").count("events", events);
        return Err(message.bytes("bytes", bytes.min(MAX_SAFE)).bytes("limit", MAX_BYTES));
    }
    let mut file = File { events: Vec::new() };
    let mut order: Vec<(BufferId, Span)> = spans;
    order.sort_by_key(|(id, span)| (span.live.start, *id));
    let mut next = order.into_iter().peekable();
    let mut alive: BTreeMap<BufferId, Span> = BTreeMap::new();
    let mut step = 0;
    while step < problem.steps {
        alive.retain(|_, span| span.live.end > step);
        while let Some((id, span)) = next.next_if(|(_, span)| span.live.start <= step) {
            alive.insert(id, span);
        }
        let mut sum = 0;
        for (&id, span) in &alive {
            file.events.push(event(id, span, step, sum));
            sum += span.high - span.low;
        }
        // Steps without a buffer have no event.
        step = match next.peek() {
            Some((_, span)) if alive.is_empty() => span.live.start.max(step + 1),
            None if alive.is_empty() => break,
            _ => step + 1,
        };
    }
    let mut text = text_of(&file);
    text.push('\n');
    Ok(text)
}

fn text_of<T: Serialize + ?Sized>(value: &T) -> String {
    // Plain records: writing them cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The steps drawn of the buffers, in pieces between gaps, without those that the plan leaves out
/// and without the ghost output of a write-back ([`Graph::ghost_outputs`]), which is not in the
/// tool's file.
fn drawn(problem: &Problem, plan: Option<&Plan>, graph: Option<&Graph>) -> Vec<(BufferId, Span)> {
    let is_placed = |id| plan.is_none_or(|plan: &Plan| plan.places[id].is_some());
    let ghosts: BTreeSet<TensorId> = graph.map(Graph::ghost_outputs).unwrap_or_default().into_iter().collect();
    let is_ghost = |buffer: &Buffer| buffer.tensors.iter().any(|tensor| ghosts.contains(tensor));
    let buffers = problem.buffers.enumerate().filter(|(id, buffer)| is_placed(*id) && !is_ghost(buffer));
    buffers.flat_map(|(id, buffer)| buffer.spans().into_iter().map(move |span| (id, span))).collect()
}

/// The operator that makes each buffer; nothing without a graph.
fn makers<'a>(problem: &Problem, graph: Option<&'a Graph>) -> Vec<&'a str> {
    let Some(graph) = graph else { return Vec::new() };
    let mut op_of = IdVec::<TensorId, &str>::from_elem("", graph.tensors.len());
    for node in graph.nodes.iter() {
        node.outputs.iter().for_each(|&output| op_of[output] = &node.op);
    }
    let first = |buffer: &Buffer| buffer.tensors.first().map_or("", |&tensor| op_of[tensor]);
    problem.buffers.iter().map(first).collect()
}
