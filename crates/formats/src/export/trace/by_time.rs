//! Time from left to right: a process a pool, a complete event a buffer, a counter of live bytes
//! (docs/memory-trace.md).

use std::collections::BTreeMap;

use serde::Serialize;

use super::lanes::lanes;
use crate::export::{list, member};
use memplan_core::base::IdVec;
use memplan_core::plan::{Plan, Pool};
use memplan_core::problem::{BufferId, Live, Memory, Problem};

#[derive(Serialize)]
struct About<'a> {
    format: &'static str,
    graph: &'a str,
    steps: u32,
    memories: Vec<MemoryRecord<'a>>,
}

#[derive(Serialize)]
struct MemoryRecord<'a> {
    device: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mem_id: Option<u32>,
}

/// An event of the Trace Event Format; `ts` and `dur` are steps, where viewers show microseconds.
#[derive(Serialize)]
struct Event<'a, A> {
    name: &'a str,
    cat: &'static str,
    ph: &'static str,
    ts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u32>,
    pid: u32,
    tid: u32,
    args: A,
}

#[derive(Serialize)]
struct ProcessArgs<'a> {
    name: &'a str,
    device: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

#[derive(Serialize)]
struct BufferArgs<'a> {
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    kind: &'static str,
    #[serde(skip_serializing_if = "is_one")]
    align: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<u64>,
    /// Index into the memories of the head; the first one if absent.
    #[serde(skip_serializing_if = "is_zero")]
    memory: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<&'a str>,
}

#[derive(Serialize)]
struct Bytes {
    bytes: u64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Process(Event<'a, ProcessArgs<'a>>),
    Buffer(Event<'a, BufferArgs<'a>>),
    Counter(Event<'a, Bytes>),
}

fn is_one(align: &u64) -> bool {
    *align == 1
}

fn is_zero(index: &u32) -> bool {
    *index == 0
}

/// The file text. With a plan, a process a pool and exactly the buffers it places; without one, a
/// process a memory.
pub fn trace(problem: &Problem, plan: Option<&Plan>) -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ms\"");
    let memories = problem.memories.iter().map(|Memory { device, mem_id }| MemoryRecord { device, mem_id: *mem_id });
    let memories = memories.collect();
    let (format, graph, steps) = ("memory-trace/1", problem.name.as_str(), problem.steps);
    member(&mut text, "otherData", &About { format, graph, steps, memories });
    let process_of = |id: BufferId| match plan {
        Some(plan) => plan.places[id].map(|place| place.pool.0),
        None => Some(problem.buffers[id].memory.0),
    };
    let mut members: BTreeMap<u32, Vec<BufferId>> = BTreeMap::new();
    for id in problem.buffers.ids() {
        if let Some(process) = process_of(id) {
            members.entry(process).or_default().push(id);
        }
    }
    let mut lane_of = IdVec::from_elem(0u32, problem.buffers.len());
    let mut lines = processes(problem, plan);
    for ids in members.values() {
        let spans: Vec<Live> = ids.iter().map(|&id| problem.buffers[id].live).collect();
        ids.iter().zip(lanes(&spans)).for_each(|(&id, lane)| lane_of[id] = lane);
    }
    let donors = plan.map(Plan::donors).unwrap_or_default();
    let line = |id| {
        let donor = donors.get(&id).map(|&donor| problem.buffers[donor].name.as_str());
        Some(buffer(problem, plan, id, donor, (process_of(id)?, lane_of[id])))
    };
    lines.extend(problem.buffers.ids().filter_map(line));
    for (&process, ids) in &members {
        lines.extend(live_bytes(problem, ids).into_iter().map(|(step, bytes)| counter(process, step, bytes)));
    }
    list(&mut text, "traceEvents", lines.into_iter());
    text.push_str("\n}\n");
    text
}

/// Process and thread numbers begin at 1: viewers take 0 for the idle process.
fn number(index: u32) -> u32 {
    index.saturating_add(1)
}

fn processes<'a>(problem: &'a Problem, plan: Option<&'a Plan>) -> Vec<Line<'a>> {
    let process = |(index, args): (usize, ProcessArgs<'a>)| {
        let pid = number(index as u32);
        Line::Process(Event { name: "process_name", cat: "__metadata", ph: "M", ts: 0, dur: None, pid, tid: 0, args })
    };
    match plan {
        Some(plan) => {
            let args = |pool: &'a Pool| ProcessArgs { name: &pool.name, device: &pool.device, size: Some(pool.size) };
            plan.pools.iter().map(args).enumerate().map(process).collect()
        }
        None => {
            let args = |memory: &'a Memory| ProcessArgs { name: &memory.device, device: &memory.device, size: None };
            problem.memories.iter().map(args).enumerate().map(process).collect()
        }
    }
}

fn buffer<'a>(
    problem: &'a Problem,
    plan: Option<&Plan>,
    id: BufferId,
    donor: Option<&'a str>,
    (process, lane): (u32, u32),
) -> Line<'a> {
    let buffer = &problem.buffers[id];
    let args = BufferArgs {
        bytes: buffer.size,
        offset: plan.and_then(|plan| plan.places[id]).map(|place| place.offset),
        kind: buffer.kind.name(),
        align: buffer.align,
        fixed: buffer.fixed,
        memory: buffer.memory.0,
        shares: donor,
    };
    let Live { start, end } = buffer.live;
    let (pid, tid) = (number(process), number(lane));
    Line::Buffer(Event {
        name: &buffer.name,
        cat: "buffer",
        ph: "X",
        ts: start,
        dur: Some(end.saturating_sub(start)),
        pid,
        tid,
        args,
    })
}

fn counter<'a>(process: u32, step: u32, bytes: u64) -> Line<'a> {
    let (pid, args) = (number(process), Bytes { bytes });
    Line::Counter(Event { name: "live bytes", cat: "buffer", ph: "C", ts: step, dur: None, pid, tid: 0, args })
}

/// The load at every step at which it changes.
fn live_bytes(problem: &Problem, ids: &[BufferId]) -> Vec<(u32, u64)> {
    let mut changes: BTreeMap<u32, i128> = BTreeMap::new();
    for &id in ids {
        let buffer = &problem.buffers[id];
        *changes.entry(buffer.live.start).or_default() += buffer.size as i128;
        *changes.entry(buffer.live.end).or_default() -= buffer.size as i128;
    }
    let mut load = 0i128;
    let running = changes.into_iter().map(|(step, change)| {
        load += change;
        (step, u64::try_from(load).unwrap_or(0))
    });
    running.collect()
}
