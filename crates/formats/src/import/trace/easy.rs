//! The layout with time from left to right (docs/memory-trace.md): a process a pool, a complete
//! event a buffer. What [`crate::export::trace`] writes comes back equal.

use std::collections::{BTreeMap, HashMap};

use crate::import::csv::MAX_STEPS;
use crate::import::document::{Document, Parsed};
use crate::import::loose::{Loose, Object};
use memplan_core::base::{Arg, MAX_SAFE, Message};
use memplan_core::graph::{Fault, Kind};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, BufferId, Live, Memory, MemoryId, Problem};

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// Device of a process that names none.
const DEFAULT_DEVICE: &str = "cpu";

/// Whether this is a complete event with a size in bytes that does not come from ExecuTorch.
pub fn is_buffer(event: &Loose) -> bool {
    let Loose::Object(event) = event else { return false };
    let Some(Loose::Object(args)) = event.get("args") else { return false };
    is_phase(event, "X") && args.get("bytes").is_some() && args.get("Memory ID").is_none()
}

fn is_phase(event: &Object, phase: &str) -> bool {
    event.get("ph").and_then(Loose::text) == Some(phase)
}

/// Reads the head, the processes and the buffers of a trace.
///
/// # Errors
/// Every fault, with the path of its event.
pub fn read(top: &Object, events: &[Loose]) -> Result<Parsed, Vec<Fault>> {
    let mut reader = TraceReader::default();
    reader.head(top);
    for event in events {
        if let Loose::Object(event) = event
            && is_phase(event, "M")
            && event.get("name").and_then(Loose::text) == Some("process_name")
        {
            reader.process(event);
        }
    }
    let mut others = 0u64;
    for (index, event) in events.iter().enumerate() {
        match event {
            Loose::Object(fields) if is_buffer(event) => reader.buffer(&format!("traceEvents[{index}]"), fields),
            Loose::Object(fields) if is_phase(fields, "X") => others += 1,
            _ => {}
        }
    }
    let imported = reader.finish()?;
    let mut warnings = imported.warnings;
    if others > 0 {
        warnings.push(Fault::new("traceEvents", Message::new("warning.trace-others").count("n", others)));
    }
    Ok(Parsed { warnings, facts: vec![Message::new("fact.trace-by-time")], is_of_user: true, ..imported })
}

/// What the name of a process states.
struct Process {
    name: String,
    device: String,
    size: u64,
}

#[derive(Default)]
struct TraceReader {
    problem: Problem,
    faults: Vec<Fault>,
    processes: BTreeMap<u64, Process>,
    /// Process and offset of each buffer.
    placed: Vec<(u64, Option<u64>)>,
    /// Which memory each buffer names, if the head lists memories.
    listed: bool,
    memories: HashMap<String, MemoryId>,
    names: HashMap<String, BufferId>,
    shares: Vec<(String, BufferId, String)>,
}

impl TraceReader {
    fn fault(&mut self, path: impl Into<String>, message: Message) {
        self.faults.push(Fault::new(path, message));
    }

    fn head(&mut self, top: &Object) {
        let Some(Loose::Object(head)) = top.get("otherData") else { return };
        self.problem.name = head.get("graph").and_then(Loose::text).unwrap_or_default().to_string();
        if head.get("steps").is_some() {
            let steps = self.whole(head, "otherData", "steps").unwrap_or(0);
            self.problem.steps = self.step("otherData.steps", steps).unwrap_or(0);
        }
        let Some(Loose::List(memories)) = head.get("memories") else { return };
        for memory in memories {
            let Loose::Object(memory) = memory else { continue };
            let device = memory.get("device").and_then(Loose::text).unwrap_or(DEFAULT_DEVICE).to_string();
            let mem_id = memory.get("mem_id").and_then(Loose::whole).and_then(|id| u32::try_from(id).ok());
            self.problem.memories.push(Memory { device, mem_id });
            self.listed = true;
        }
    }

    fn process(&mut self, event: &Object) {
        let Some(pid) = event.get("pid").and_then(Loose::whole) else { return };
        let Some(Loose::Object(args)) = event.get("args") else { return };
        let text = |key: &str| args.get(key).and_then(Loose::text).map(str::to_string);
        let name = text("name").unwrap_or_default();
        let device = text("device").unwrap_or_else(|| DEFAULT_DEVICE.to_string());
        let size = args.get("size").and_then(Loose::whole).filter(|size| *size <= MAX_SAFE).unwrap_or(0);
        self.processes.insert(pid, Process { name, device, size });
    }

    fn buffer(&mut self, path: &str, fields: &Object) {
        let Some(Loose::Object(args)) = fields.get("args") else { return };
        let name = fields.get("name").and_then(Loose::text).unwrap_or_default().to_string();
        if name.is_empty() {
            return self.fault(format!("{path}.name"), Message::new("fault.empty-name"));
        }
        let (start, length) = (self.whole(fields, path, "ts"), self.whole(fields, path, "dur"));
        let process = self.whole(fields, path, "pid");
        let in_args = format!("{path}.args");
        let size = self.whole(args, &in_args, "bytes");
        let mut optional = |key: &'static str| match args.get(key) {
            None | Some(Loose::Null) => None,
            Some(_) => self.whole(args, &in_args, key),
        };
        let (offset, fixed, memory) = (optional("offset"), optional("fixed"), optional("memory"));
        let align = optional("align").unwrap_or(1);
        if !align.is_power_of_two() || align > MAX_ALIGN {
            return self.fault(format!("{in_args}.align"), Message::new("fault.alignment").count("align", align));
        }
        let kind = match args.get("kind").and_then(Loose::text) {
            None => Kind::Intermediate,
            Some(found) => match Kind::ALL.into_iter().find(|kind| kind.name() == found) {
                Some(kind) => kind,
                None => return self.fault(format!("{in_args}.kind"), Message::new("fault.kind").text("found", found)),
            },
        };
        let Some((((start, length), process), size)) = start.zip(length).zip(process).zip(size) else { return };
        let end = self.step(&format!("{path}.dur"), start.saturating_add(length));
        let Some((start, end)) = u32::try_from(start).ok().zip(end) else { return };
        if start >= end {
            let message = Message::new("fault.plan-life").count("start", start).count("end", end);
            return self.fault(format!("{path}.dur"), message);
        }
        let Some(memory) = self.memory(process, memory) else {
            let message = Message::new("fault.trace-memory").count("memory", memory.unwrap_or(0));
            return self.fault(format!("{in_args}.memory"), message);
        };
        let live = Live::new(start, end);
        let id = BufferId(self.placed.len() as u32);
        if let Some(first) = self.names.insert(name.clone(), id) {
            let first = format!("buffer {}", first.0);
            let message = Message::new("fault.plan-same-buffer").text("name", &name).text("first", first);
            return self.fault(format!("{path}.name"), message);
        }
        self.problem.buffers.push(Buffer {
            name,
            size,
            live,
            align,
            memory,
            kind,
            fixed,
            gaps: Vec::new(),
            tensors: Vec::new(),
            stack: None,
            kernel: None,
        });
        self.placed.push((process, offset));
        if let Some(donor) = args.get("shares").and_then(Loose::text) {
            self.shares.push((format!("{in_args}.shares"), id, donor.to_string()));
        }
    }

    /// The memory of a buffer: the one it names of those in the head, else that of its process's
    /// device.
    fn memory(&mut self, process: u64, named: Option<u64>) -> Option<MemoryId> {
        if self.listed {
            let index = usize::try_from(named.unwrap_or(0)).ok()?;
            return (index < self.problem.memories.len()).then_some(MemoryId(index as u32));
        }
        let device = self.processes.get(&process).map_or(DEFAULT_DEVICE, |process| &process.device).to_string();
        let memories = &mut self.problem.memories;
        let new = || memories.push(Memory { device: device.clone(), mem_id: None });
        Some(*self.memories.entry(device.clone()).or_insert_with(new))
    }

    /// A whole number that stays exact everywhere.
    fn whole(&mut self, fields: &Object, path: &str, key: &'static str) -> Option<u64> {
        let path = format!("{path}.{key}");
        match fields.get(key) {
            None | Some(Loose::Null) => self.fault(path, Message::new("fault.missing").text("field", key)),
            Some(Loose::Whole(whole)) if *whole <= MAX_SAFE => return Some(*whole),
            Some(Loose::Whole(_)) => self.fault(path, Message::new("fault.too-large")),
            Some(other) => {
                let expected = Arg::Inner(Box::new(Message::new("type.whole")));
                let found: String = other.excerpt(40);
                self.fault(path, Message::new("fault.wrong-type").with("expected", expected).text("found", found));
            }
        }
        None
    }

    fn step(&mut self, path: &str, step: u64) -> Option<u32> {
        if step > MAX_STEPS {
            self.fault(path, Message::new("fault.plan-steps").count("found", step).count("limit", MAX_STEPS));
            return None;
        }
        Some(step as u32)
    }

    fn finish(mut self) -> Result<Parsed, Vec<Fault>> {
        let mut shared = Vec::new();
        for (path, acceptor, donor) in std::mem::take(&mut self.shares) {
            match self.names.get(&donor) {
                Some(&donor) => shared.push((acceptor, donor)),
                None => self.fault(path, Message::new("fault.plan-unknown-donor").text("name", donor)),
            }
        }
        let last = self.problem.buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(0);
        self.problem.steps = self.problem.steps.max(last).max(1);
        let is_plan = self.placed.iter().all(|(_, offset)| offset.is_some());
        if !is_plan {
            // Some offsets are no plan: they are positions to be kept.
            for (buffer, (_, offset)) in self.problem.buffers.iter_mut().zip(&self.placed) {
                buffer.fixed = buffer.fixed.or(*offset);
            }
        }
        let plan = self.plan(shared);
        let tops: u128 = plan.pools.iter().map(|pool| pool.size as u128).sum();
        if !self.problem.total_is_safe(1) || tops > MAX_SAFE as u128 {
            self.fault("", Message::new("fault.sum-too-large"));
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let document = if is_plan { Document::Plan(self.problem, plan) } else { Document::Buffers(self.problem) };
        Ok(Parsed::plain(document))
    }

    /// A pool a process, at least as large as its highest buffer.
    fn plan(&self, shared: Vec<(BufferId, BufferId)>) -> Plan {
        let mut plan = Plan { shared, ..Plan::default() };
        let mut pool_of: BTreeMap<u64, u64> = BTreeMap::new();
        let unnamed = self.placed.iter().map(|(process, _)| *process);
        let mut all: Vec<u64> = self.processes.keys().copied().chain(unnamed).collect();
        all.sort();
        all.dedup();
        for pid in all {
            let (name, device, size) = match self.processes.get(&pid) {
                Some(process) => (process.name.clone(), process.device.clone(), process.size),
                None => (format!("process {pid}"), DEFAULT_DEVICE.to_string(), 0),
            };
            pool_of.insert(pid, plan.pools.push(Pool { name, size, device, role: PoolRole::Arena }).0.into());
        }
        for (buffer, (process, offset)) in self.problem.buffers.iter().zip(&self.placed) {
            let place = offset.and_then(|offset| Some(Place { pool: PoolId(*pool_of.get(process)? as u32), offset }));
            if let Some(Place { pool, offset }) = place {
                let pool = &mut plan.pools[pool];
                pool.size = pool.size.max(offset.saturating_add(buffer.size));
            }
            plan.places.push(place);
        }
        plan
    }
}
