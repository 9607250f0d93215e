//! PyTorch's record of its CUDA caching allocator (`torch.cuda.memory._dump_snapshot`), a pickle:
//! what was allocated, where, and when it was freed. An observed plan of a run-time allocator:
//! there is no graph.
//!
//! Keys and actions: pytorch/pytorch `torch/csrc/cuda/memory_snapshot.cpp`,
//! `c10/cuda/CUDACachingAllocator.cpp`.

mod arena;
mod device;
mod frames;
mod key;
mod pickle;
mod recording;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::arena::{Arena, Value};
use self::device::{ActiveBlock, Device, Event, Observed, Segment};
use self::frames::Frames;
use self::key::Key;
use self::recording::Owners;
use super::answers::Answers;
use super::build::unique;
use super::content::Content;
use super::csv::MAX_STEPS;
use super::document::{Document, Parsed};
use memplan_core::base::{IdVec, MAX_SAFE, Message, Names};
use memplan_core::graph::{Fault, Kind};
use memplan_core::plan::{Place, Plan, Pool, PoolRole};
use memplan_core::problem::{Buffer, Live, Memory, Problem, lower_bound};

/// Most events and blocks taken.
const MAX_EVENTS: usize = 5_000_000;

/// Whether a file is a pickle.
pub fn sniff(content: &Content) -> bool {
    matches!(content.bytes(), [0x80, 2..=5, ..])
}

/// Reads a snapshot. One memory and one arena a device; step = number of the event in the device's
/// trace.
///
/// # Errors
/// What the pickle would run, where it is broken, or that it is no snapshot.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    let whole = |message| vec![Fault::new("", message)];
    let (arena, top) = pickle::read(content.bytes()).map_err(whole)?;
    let (segments, traces) = (arena.get(top, Key::Segments), arena.get(top, Key::DeviceTraces));
    if segments.is_none() && traces.is_none() {
        return Err(whole(Message::new("fault.pickle-no-snapshot")));
    }
    let devices = SnapshotReader { arena: &arena, taken: 0 }.devices(segments, traces).map_err(whole)?;
    let settings = arena.get(top, Key::AllocatorSettings);
    let text = |key| arena.text(arena.get(settings?, key)?).filter(|text| !text.is_empty());
    let settings = text(Key::AllocConf).or_else(|| text(Key::CudaAllocConf)).unwrap_or_default();
    put_together(&arena, &devices, &String::from_utf8_lossy(settings)).map_err(whole)
}

struct SnapshotReader<'a> {
    arena: &'a Arena<'a>,
    /// Events and blocks so far. A file may refer to one list many times, so its length bounds
    /// nothing by itself.
    taken: usize,
}

impl SnapshotReader<'_> {
    fn devices(&mut self, segments: Option<Value>, traces: Option<Value>) -> Result<BTreeMap<u64, Device>, Message> {
        let arena = self.arena;
        let mut devices: BTreeMap<u64, Device> = BTreeMap::new();
        for (number, &trace) in arena.list(traces).iter().enumerate() {
            for &event in arena.list(Some(trace)) {
                self.count()?;
                devices.entry(number as u64).or_default().events.push(self.event(event));
            }
        }
        for &segment in arena.list(segments) {
            self.count()?;
            let device = devices.entry(arena.whole(segment, Key::Device).unwrap_or(0)).or_default();
            let Some(base) = arena.whole(segment, Key::Address) else { continue };
            let mut blocks = Vec::new();
            let mut next = base;
            for &block in arena.list(arena.get(segment, Key::Blocks)) {
                self.count()?;
                let size = arena.whole(block, Key::Size).unwrap_or(0);
                // Older files give blocks no address: they follow each other.
                let address = arena.whole(block, Key::Address).unwrap_or(next);
                next = address.saturating_add(size);
                let state = arena.get(block, Key::State).and_then(|state| arena.text(state)).unwrap_or_default();
                let is_used = state.starts_with(b"active");
                blocks.push((size, is_used));
                if is_used {
                    let asked = arena.whole(block, Key::RequestedSize).unwrap_or(size);
                    let (waits, frames) = (state == b"active_pending_free", arena.get(block, Key::Frames));
                    device.active.push(ActiveBlock { address, size, asked, waits, frames });
                }
            }
            let kind = arena.get(segment, Key::SegmentType).and_then(|kind| arena.text(kind));
            device.segments.push(Segment {
                address: base,
                size: arena.whole(segment, Key::TotalSize).unwrap_or(0),
                stream: arena.whole(segment, Key::Stream).unwrap_or(0),
                is_small: kind == Some(b"small"),
                is_expandable: arena.flag(segment, Key::IsExpandable),
                blocks,
            });
        }
        Ok(devices)
    }

    fn event(&self, event: Value) -> Event {
        let arena = self.arena;
        let action = arena.get(event, Key::Action).and_then(|action| arena.text(action)).unwrap_or_default();
        let address = arena.whole(event, Key::Addr).unwrap_or(0);
        let size = arena.whole(event, Key::Size).unwrap_or(0);
        let stream = arena.whole(event, Key::Stream).unwrap_or(0);
        let frames = arena.get(event, Key::Frames);
        match action {
            b"alloc" => Event::Alloc { address, size, stream, pool: self.pool(event), frames },
            b"free_requested" => Event::FreeRequested { address },
            b"free_completed" | b"free" => Event::Free { address, size },
            b"segment_alloc" | b"segment_map" => Event::Reserve { address, size, is_piece: action == b"segment_map" },
            b"segment_free" | b"segment_unmap" => {
                let (pool, is_piece) = (self.pool(event), action == b"segment_unmap");
                Event::Return { address, size, stream, pool, is_piece, frames }
            }
            b"oom" => {
                let free = arena.whole(event, Key::DeviceFree);
                Event::Failed { size, stream, pool: self.pool(event), free, frames }
            }
            _ => Event::Other,
        }
    }

    /// A number for the private pool of an event, 0 for none. Graphs count in the first of its two
    /// numbers, `MemPool` in the second.
    fn pool(&self, event: Value) -> u64 {
        let numbers = self.arena.list(self.arena.get(event, Key::PoolId)).iter();
        let number = |value: &Value| if let Value::Int(number) = *value { u64::try_from(number).ok() } else { None };
        let numbers = numbers.map(|value| number(value).unwrap_or(0)).enumerate();
        let number = numbers.take(2).find(|&(_, number)| number != 0);
        number.map_or(0, |(at, number)| number.saturating_mul(2).saturating_add(at as u64))
    }

    fn count(&mut self) -> Result<(), Message> {
        self.taken += 1;
        // No event takes less than two bytes, however much of it is shared.
        if self.taken > MAX_EVENTS.min(self.arena.bytes.len() / 2) {
            return Err(Message::new("fault.snapshot-too-large").count("limit", MAX_EVENTS));
        }
        Ok(())
    }
}

/// The observed plan of all devices, with facts and warnings for the report.
fn put_together(arena: &Arena, devices: &BTreeMap<u64, Device>, settings: &str) -> Result<Parsed, Message> {
    let (mut problem, mut pools) = (Problem::default(), IdVec::new());
    let mut places = Vec::new();
    let mut recordings = Vec::new();
    let mut names = Names::default();
    let mut frames = Frames::default();
    let mut facts = vec![Message::new("fact.snapshot-time")];
    let mut warnings = Vec::new();
    let (mut odd, mut early, mut held, mut asked) = (0u64, 0u64, 0u64, 0u64);
    let (mut reserved, mut top) = (0u64, 0u128);
    let observed: Vec<Observed> = devices.values().map(Device::observe).collect();
    for block in observed.iter().flat_map(|observed| &observed.blocks) {
        frames.stack(arena, block.frames);
    }
    let failed = |device: &Device| {
        let events = (0u32..).zip(&device.events);
        let failed = events.filter_map(|(step, event)| match event {
            Event::Failed { frames, .. } => Some((step, *frames)),
            _ => None,
        });
        failed.collect::<Vec<_>>()
    };
    for (_, stack) in devices.values().flat_map(&failed) {
        frames.stack(arena, stack);
    }
    frames.tell_apart();
    let steps = devices.values().map(|device| device.events.len() as u64).max().unwrap_or(0).max(1);
    if steps > MAX_STEPS {
        return Err(Message::new("fault.snapshot-too-large").count("limit", MAX_STEPS));
    }
    problem.steps = steps as u32;
    for ((number, device), observed) in devices.iter().zip(&observed) {
        let layout = device.layout(&observed.blocks).ok_or_else(|| Message::new("fault.snapshot-address"))?;
        let name = format!("cuda:{number}");
        let memory = problem.memories.push(Memory { device: name.clone(), mem_id: None });
        let size = layout.size();
        top += size as u128;
        let pool = pools.push(Pool { name: name.clone(), size, device: name, role: PoolRole::Arena });
        let mut owners = Owners::default();
        for block in &observed.blocks {
            let Some(offset) = layout.offset(block.address) else { continue };
            let stack = frames.stack(arena, block.frames);
            let words = stack.and_then(|stack| frames.stacks.own_of(stack)).unwrap_or("block");
            // The event that it was allocated in tells a block from others.
            let name = unique(&mut names, &format!("{words} @{}", block.at));
            let live = Live::new(block.start, block.end.unwrap_or(problem.steps));
            let kind = Kind::Intermediate;
            let (size, align) = (block.size, layout.align);
            let id = problem.buffers.push(Buffer { align, memory, kind, stack, ..Buffer::of(name, size, live) });
            if block.early {
                owners.early.insert(block.at, id);
            } else {
                owners.by_event.insert(block.start, id);
            }
            places.push(Some(Place { pool, offset }));
        }
        for (step, stack) in failed(device) {
            let line = frames.stack(arena, stack).and_then(|stack| frames.stacks.own_of(stack));
            owners.failed.extend(line.map(|line| (step, line.to_string())));
        }
        recordings.push(recording::recording(arena, device, &owners, settings.to_string()));
        odd += observed.odd;
        early += observed.blocks.iter().filter(|block| block.early).count() as u64;
        held += device.active.iter().fold(0u64, |sum, block| sum.saturating_add(block.size));
        asked += device.active.iter().fold(0u64, |sum, block| sum.saturating_add(block.asked));
        reserved = reserved.saturating_add(device.reserved());
        facts.push(
            Message::new("fact.snapshot-device")
                .text("device", format!("cuda:{number}"))
                .count("events", device.events.len() as u64)
                .count("blocks", observed.blocks.len() as u64)
                .count("segments", layout.regions() as u64),
        );
    }
    if problem.memories.is_empty() {
        problem.memories.push(Memory { device: "cuda:0".into(), mem_id: None });
    }
    if top > MAX_SAFE as u128 || !problem.total_is_safe(1) {
        return Err(Message::new("fault.sum-too-large"));
    }
    problem.stacks = Arc::new(frames.stacks);
    problem.recordings = Arc::new(recordings);
    let plan = Plan { pools, places: places.into(), ..Plan::default() };
    let open = problem.buffers.iter().filter(|buffer| buffer.live.end == problem.steps).count() as u64;
    facts.push(Message::new("fact.snapshot-sizes"));
    if held > asked {
        facts.push(
            Message::new("fact.snapshot-rounding")
                .bytes("held", held)
                .bytes("asked", asked)
                .bytes("waste", held - asked),
        );
    }
    if !problem.buffers.is_empty() {
        let used = if reserved > 0 { reserved } else { plan.peak(&problem) };
        facts.push(Message::new("fact.snapshot-offline").bytes("used", used).bytes("need", lower_bound(&problem)));
    }
    let mut warn = |key: &'static str, count: u64| {
        if count > 0 {
            warnings.push(Fault::new("", Message::new(key).count("n", count)));
        }
    };
    warn("warning.snapshot-early", early);
    warn("warning.snapshot-open", open);
    warn("warning.snapshot-odd", odd);
    if problem.buffers.is_empty() {
        warnings.push(Fault::new("", Message::new("warning.snapshot-empty")));
    }
    Ok(Parsed { facts, warnings, ..Parsed::plain(Document::Plan(problem, plan)) })
}
