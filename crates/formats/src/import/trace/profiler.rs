//! The trace of PyTorch's profiler with `profile_memory=True` (`export_chrome_trace`): an instant
//! event `[memory]` for each allocation and each free.
//!
//! **From**: pytorch/pytorch, `torch/csrc/profiler/kineto_shim.cpp`, `torch/csrc/autograd/
//! profiler_kineto.cpp` (`Bytes`, `Addr`, `Total Allocated`, `Device Type`, `Device Id`).
//! **Time**: one step an event, in order of `ts`.
//! **Buffers**: from an allocation to the free of the same address; named by the innermost operator
//! that runs. What was allocated before the recording is there from the start.
//! **Missing**: the graph. Addresses of a host are no arena, so there is no plan.

use std::collections::BTreeMap;

use crate::import::build::unique;
use crate::import::csv::MAX_STEPS;
use crate::import::document::{Document, Parsed};
use crate::import::loose::{Loose, Object};
use memplan_core::base::{MAX_SAFE, Message, Names};
use memplan_core::graph::{Fault, Kind};
use memplan_core::problem::{Buffer, Live, Memory, MemoryId, Problem};

/// Whether an event allocates or frees.
pub fn tells(event: &Loose) -> bool {
    let Loose::Object(event) = event else { return false };
    let has = |key| matches!(event.get("args"), Some(Loose::Object(args)) if args.get(key).is_some());
    event.get("name").and_then(Loose::text) == Some("[memory]") && has("Bytes") && has("Addr")
}

/// An allocation, or with negative bytes a free.
struct Change {
    time: f64,
    thread: String,
    address: u64,
    bytes: i64,
    /// Bytes allocated after it.
    total: Option<u64>,
    device: (u64, u64),
}

/// A number of a trace as any of the forms that JSON has for it.
fn number(value: Option<&Loose>) -> Option<f64> {
    value?.json().parse().ok()
}

fn of(index: usize, event: &Object) -> Result<Change, Fault> {
    let args = if let Some(Loose::Object(args)) = event.get("args") { args } else { &Object::default() };
    let fault = |field: &str| {
        let path = format!("traceEvents[{index}].args.{field}");
        Fault::new(path, Message::new("fault.trace-number").text("field", field))
    };
    let bytes = args.get("Bytes").and_then(|bytes| bytes.json().parse::<i64>().ok());
    let bytes = bytes.filter(|bytes| bytes.unsigned_abs() <= MAX_SAFE).ok_or_else(|| fault("Bytes"))?;
    let whole = |key: &str| args.get(key).and_then(Loose::whole);
    Ok(Change {
        time: number(event.get("ts")).filter(|time| time.is_finite()).ok_or_else(|| {
            let path = format!("traceEvents[{index}].ts");
            Fault::new(path, Message::new("fault.trace-number").text("field", "ts"))
        })?,
        thread: event.get("tid").map(Loose::json).unwrap_or_default(),
        address: whole("Addr").ok_or_else(|| fault("Addr"))?,
        bytes,
        total: whole("Total Allocated"),
        // The host has the number -1.
        device: (whole("Device Type").unwrap_or(0), whole("Device Id").unwrap_or(0)),
    })
}

/// Reads the events of this layout; others are left out.
///
/// # Errors
/// Every event with a number that is missing or too large.
pub fn read(events: &[Loose]) -> Result<Parsed, Vec<Fault>> {
    let (mut changes, mut faults) = (Vec::new(), Vec::new());
    for (index, event) in events.iter().enumerate().filter(|(_, event)| tells(event)) {
        let Loose::Object(event) = event else { continue };
        match of(index, event) {
            Ok(change) => changes.push(change),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let whole = |message| vec![Fault::new("", message)];
    if changes.len() as u64 > MAX_STEPS {
        let message = Message::new("fault.plan-steps").count("found", changes.len() as u64 - 1);
        return Err(whole(message.count("limit", MAX_STEPS - 1)));
    }
    changes.sort_by(|one, other| one.time.total_cmp(&other.time));
    let operators = Operators::of(events);
    let steps = changes.len() as u32;
    let mut problem = Problem { steps: steps.max(1), ..Problem::default() };
    let mut devices: BTreeMap<(u64, u64), Device> = BTreeMap::new();
    let mut names = Names::default();
    let mut buffers: Vec<(u32, Buffer)> = Vec::new();
    let (mut open, mut early) = (0u64, 0u64);
    for (step, change) in (0u32..).zip(&changes) {
        let device = devices.entry(change.device).or_insert_with(|| {
            let name = device_name(change.device);
            let memory = problem.memories.push(Memory { device: name, mem_id: None });
            Device { memory, alive: BTreeMap::new(), before: None, freed: 0 }
        });
        let size = change.bytes.unsigned_abs();
        let mut add = |name: String, live: Live, memory: MemoryId| {
            let name = unique(&mut names, &name);
            buffers.push((live.start, Buffer { memory, kind: Kind::Intermediate, ..Buffer::of(name, size, live) }));
            buffers.len() - 1
        };
        if change.bytes > 0 {
            let name = format!("{} @{step}", operators.at(&change.thread, change.time).unwrap_or("block"));
            let at = add(name, Live::new(step, steps), device.memory);
            if let Some(before) = device.alive.insert(change.address, at) {
                // Its free was not recorded.
                buffers[before].1.live.end = step;
            }
        } else if change.bytes < 0 {
            match device.alive.remove(&change.address) {
                Some(at) => buffers[at].1.live.end = step,
                None if step > 0 => {
                    early += 1;
                    add(format!("block @{:x}", change.address), Live::new(0, step), device.memory);
                    device.freed = device.freed.saturating_add(size);
                }
                None => {}
            }
        }
        if let (None, Some(total)) = (device.before, change.total) {
            // Of what was there before, some is freed later and is a buffer of its own.
            device.before = Some((total as i128 - i128::from(change.bytes)).clamp(0, MAX_SAFE as i128) as u64);
        }
    }
    for device in devices.values() {
        open += device.alive.len() as u64;
        let size = device.before.unwrap_or(0).saturating_sub(device.freed);
        if size > 0 {
            early += 1;
            let name = unique(&mut names, "before the recording");
            let live = Live::new(0, problem.steps);
            buffers.push((0, Buffer { memory: device.memory, ..Buffer::of(name, size, live) }));
        }
    }
    buffers.retain(|(_, buffer)| !buffer.live.is_empty());
    buffers.sort_by_key(|(start, _)| *start);
    problem.buffers = buffers.into_iter().map(|(_, buffer)| buffer).collect();
    if !problem.total_is_safe(1) {
        return Err(whole(Message::new("fault.sum-too-large")));
    }
    let mut warnings = Vec::new();
    for (key, count) in [("warning.snapshot-early", early), ("warning.snapshot-open", open)] {
        if count > 0 {
            warnings.push(Fault::new("", Message::new(key).count("n", count)));
        }
    }
    let facts = vec![Message::new("fact.trace-profiler").count("events", steps)];
    Ok(Parsed { facts, warnings, ..Parsed::plain(Document::Buffers(problem)) })
}

/// What is known of a device.
struct Device {
    memory: MemoryId,
    /// Positions of the buffers by address.
    alive: BTreeMap<u64, usize>,
    /// Bytes allocated before the recording, and those of them that it frees.
    before: Option<u64>,
    freed: u64,
}

/// The name of a device (`c10::DeviceType`).
fn device_name((kind, number): (u64, u64)) -> String {
    match kind {
        0 => "cpu".into(),
        1 => format!("cuda:{number}"),
        _ => format!("device {kind}:{number}"),
    }
}

/// The operators of each thread in order of time.
struct Operators<'t> {
    by_thread: BTreeMap<String, Vec<Operator<'t>>>,
}

struct Operator<'t> {
    start: f64,
    end: f64,
    name: &'t str,
    /// The one that it runs in.
    outer: Option<usize>,
}

impl<'t> Operators<'t> {
    fn of(events: &'t [Loose]) -> Operators<'t> {
        let mut by_thread: BTreeMap<String, Vec<Operator>> = BTreeMap::new();
        for event in events {
            let Loose::Object(event) = event else { continue };
            if event.get("cat").and_then(Loose::text) != Some("cpu_op") {
                continue;
            }
            let times = number(event.get("ts")).zip(number(event.get("dur")));
            let Some(((start, length), name)) = times.zip(event.get("name").and_then(Loose::text)) else { continue };
            let thread = event.get("tid").map(Loose::json).unwrap_or_default();
            by_thread.entry(thread).or_default().push(Operator { start, end: start + length, name, outer: None });
        }
        for all in by_thread.values_mut() {
            // Of those that begin together, the one that ends last is around the others.
            all.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.end.total_cmp(&a.end)));
            let mut open: Vec<usize> = Vec::new();
            for at in 0..all.len() {
                while open.pop_if(|last| all[*last].end <= all[at].start).is_some() {}
                all[at].outer = open.last().copied();
                open.push(at);
            }
        }
        Operators { by_thread }
    }

    /// The name of the innermost operator of a thread that runs at a time.
    fn at(&self, thread: &str, time: f64) -> Option<&'t str> {
        let all = self.by_thread.get(thread)?;
        let mut at = all.partition_point(|operator| operator.start <= time).checked_sub(1)?;
        while all[at].end < time {
            at = all[at].outer?;
        }
        Some(all[at].name)
    }
}
