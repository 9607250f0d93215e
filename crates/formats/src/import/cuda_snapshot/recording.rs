//! The events of a device → the calls that the program made, and what the allocator held before the
//! first of them.

use std::collections::{BTreeMap, BTreeSet};

use super::arena::{Arena, Value};
use super::device::{Device, Event};
use super::key::Key;
use memplan_core::base::Names;
use memplan_core::problem::{
    BufferId, Call, FailedRequest, FinalSegment, HeldBlock, HeldPool, HeldRange, RecordedCall, Recording,
};

/// Streams that stand for those that blocks waited for begin here: no handle is so small a multiple
/// of a page.
const SIDE_STREAMS: u64 = 1 << 20;

/// The buffers of a device: by the event that allocates them, and of those before the recording by
/// address.
#[derive(Default)]
pub struct Owners {
    pub by_event: Names<u32, BufferId>,
    pub early: Names<u64, BufferId>,
    /// The lines of the program whose requests failed, by event.
    pub failed: Names<u32, String>,
}

/// A block in use, while events are undone.
struct Used {
    requested: u64,
    size: Option<u64>,
    /// Given back by the program, but not yet free.
    waits: bool,
}

/// What the allocator held, while events are undone.
#[derive(Default)]
struct Before {
    used: BTreeMap<u64, Used>,
    ranges: BTreeMap<u64, HeldRange>,
}

impl Before {
    fn of(device: &Device) -> Before {
        let mut before = Before::default();
        for segment in &device.segments {
            let pool = if segment.is_small { HeldPool::Small } else { HeldPool::Large };
            let &super::device::Segment { address, size, stream, is_expandable, .. } = segment;
            before.ranges.insert(address, HeldRange { address, size, stream, pool, is_expandable });
        }
        for block in &device.active {
            let used = Used { requested: block.asked, size: Some(block.size), waits: block.waits };
            before.used.insert(block.address, used);
        }
        let events = match device.events.split_first() {
            // A block whose free alone is recorded is free from the start.
            Some((Event::Free { .. }, events)) => events,
            _ => &device.events,
        };
        for event in events.iter().rev() {
            before.undo(event);
        }
        before
    }

    fn undo(&mut self, event: &Event) {
        match *event {
            Event::Alloc { address, .. } => _ = self.used.remove(&address),
            Event::Free { address, size } => {
                self.used.insert(address, Used { requested: size, size: None, waits: true });
            }
            Event::FreeRequested { address, .. } => {
                if let Some(used) = self.used.get_mut(&address) {
                    used.waits = false;
                }
            }
            Event::Reserve { address, is_piece: false, .. } => _ = self.ranges.remove(&address),
            Event::Return { address, size, stream, is_piece: false, .. } => {
                let pool = if size == SMALL_SEGMENT { HeldPool::Small } else { HeldPool::Large };
                self.ranges.insert(address, HeldRange { address, size, stream, pool, is_expandable: false });
            }
            Event::Reserve { address, size, .. } => self.uncover(address, size),
            Event::Return { address, size, stream, .. } => self.cover(address, size, stream),
            Event::Failed { .. } | Event::Other => {}
        }
    }

    /// Takes a piece out of the run of an expandable segment that it lies in.
    fn uncover(&mut self, address: u64, size: u64) {
        let Some((_, &run)) = self.ranges.range(..=address).next_back() else { return };
        let (end, run_end) = (address.saturating_add(size), run.address + run.size);
        if !run.is_expandable || address >= run_end {
            return;
        }
        self.ranges.remove(&run.address);
        if run.address < address {
            self.ranges.insert(run.address, HeldRange { size: address - run.address, ..run });
        }
        if end < run_end {
            self.ranges.insert(end, HeldRange { address: end, size: run_end - end, ..run });
        }
    }

    /// Adds a piece, and joins it with the runs that it touches.
    fn cover(&mut self, address: u64, size: u64, stream: u64) {
        let mut run = HeldRange { address, size, stream, pool: HeldPool::Pieces(size), is_expandable: true };
        let is_next = |other: &HeldRange| other.is_expandable && other.stream == stream;
        let below = self.ranges.range(..address).next_back().map(|(_, below)| *below);
        if let Some(below) = below.filter(|below| is_next(below) && below.address + below.size == address) {
            self.ranges.remove(&below.address);
            run = HeldRange { size: below.size + size, ..below };
        }
        let end = run.address.saturating_add(run.size);
        if let Some(above) = self.ranges.get(&end).copied().filter(is_next) {
            self.ranges.remove(&end);
            run.size += above.size;
        }
        self.ranges.insert(run.address, run);
    }
}

/// Bytes of a segment of the small pool, by which one that was given back is told
/// (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 << 20;

/// A run of returns that is not yet known to belong to a request.
struct Returned {
    /// The stack of all of them.
    stack: Option<Value>,
    /// Private pools of them that no later request uses.
    ended: Vec<u64>,
    /// Whether all memory that goes back is of such pools.
    is_private: bool,
}

/// The calls that are read off a trace.
struct Calls<'a> {
    arena: &'a Arena<'a>,
    owners: &'a Owners,
    recording: Recording,
    /// Number of the allocation at each address.
    ids: BTreeMap<u64, u32>,
    /// The stream that each block waits for.
    waiting: BTreeMap<u64, u64>,
    next_stream: u64,
    returned: Option<Returned>,
    /// The last request of each private pool, by event.
    last_requests: BTreeMap<u64, u32>,
    /// Private pools that have ended.
    ended: BTreeSet<u64>,
    /// Bytes held now, and before the run of returns.
    held: u64,
    held_before: u64,
    pool: u64,
    step: u32,
}

/// The recording of a device.
pub fn recording(arena: &Arena, device: &Device, owners: &Owners, settings: String) -> Recording {
    let before = Before::of(device);
    let mut calls = Calls {
        arena,
        owners,
        recording: Recording { settings, reserved: device.reserved(), ..Recording::default() },
        ids: BTreeMap::new(),
        waiting: BTreeMap::new(),
        next_stream: SIDE_STREAMS,
        returned: None,
        last_requests: last_requests(device),
        ended: BTreeSet::new(),
        held: 0,
        held_before: 0,
        pool: 0,
        step: 0,
    };
    calls.begin(before);
    for (step, event) in device.events.iter().enumerate() {
        calls.step = step as u32;
        calls.read(event, device);
    }
    calls.flush();
    let mut recording = calls.recording;
    if !is_apart(&recording.held) {
        // Ranges over one another: the file is damaged, and nothing can be repeated.
        return Recording::default();
    }
    let last =
        device.segments.iter().map(|segment| FinalSegment { address: segment.address, blocks: segment.blocks.clone() });
    recording.last = last.collect();
    recording
}

/// The last request of each private pool, by event.
fn last_requests(device: &Device) -> BTreeMap<u64, u32> {
    let pools = device.events.iter().enumerate().filter_map(|(step, event)| match *event {
        Event::Alloc { pool, .. } | Event::Failed { pool, .. } if pool != 0 => Some((pool, step as u32)),
        _ => None,
    });
    // The last one of each stays.
    pools.collect()
}

/// Whether ranges, which are sorted by address, have no byte in common.
fn is_apart(held: &[HeldRange]) -> bool {
    held.windows(2).all(|pair| pair[0].address.saturating_add(pair[0].size) <= pair[1].address)
}

impl Calls<'_> {
    fn begin(&mut self, before: Before) {
        self.recording.held = before.ranges.into_values().collect();
        self.held = self.recording.held.iter().fold(0, |sum, range| sum.saturating_add(range.size));
        for (address, used) in before.used {
            let id = self.new_id(self.owners.early.get(&address).copied());
            let Used { requested, size, waits } = used;
            self.recording.blocks.push(HeldBlock { address, requested, size, id });
            if waits {
                self.wait(address, id);
                self.call(Call::Free { id }, None);
            } else {
                self.ids.insert(address, id);
            }
        }
    }

    fn new_id(&mut self, owner: Option<BufferId>) -> u32 {
        self.recording.owners.push(owner);
        self.recording.owners.len() as u32 - 1
    }

    fn call(&mut self, call: Call, address: Option<u64>) {
        self.recording.calls.push(RecordedCall { step: self.step, call, address });
    }

    /// The block waits for a stream of its own from now on.
    fn wait(&mut self, address: u64, id: u32) {
        self.next_stream += 1;
        self.waiting.insert(address, self.next_stream);
        self.call(Call::RecordStream { id, stream: self.next_stream }, None);
    }

    /// What was returned without a request after it: the program emptied the cache, or a private
    /// pool ended, which gives its own memory back.
    fn flush(&mut self) {
        let Some(returned) = self.returned.take() else { return };
        self.release(&returned.ended);
        if returned.is_private && !self.empties_cache(returned.stack) {
            for pool in returned.ended {
                self.call(Call::EmptyPool { pool }, None);
            }
        } else {
            self.call(Call::EmptyCache, None);
        }
    }

    /// Private pools are seen to have no users any more.
    fn release(&mut self, pools: &[u64]) {
        for &pool in pools {
            if !self.ended.insert(pool) {
                continue;
            }
            if self.pool == pool {
                self.call(Call::EndPool { pool }, None);
                self.pool = 0;
            }
            self.call(Call::ReleasePool { pool }, None);
        }
    }

    /// Whether a stack is that of `torch.cuda.empty_cache()`.
    fn empties_cache(&self, stack: Option<Value>) -> bool {
        let name = |&frame: &Value| self.arena.get(frame, Key::Name).and_then(|name| self.arena.text(name));
        self.arena.list(stack).iter().any(|frame| name(frame) == Some(b"empty_cache"))
    }

    fn read(&mut self, event: &Event, device: &Device) {
        match *event {
            Event::FreeRequested { address } => {
                self.flush();
                let Some(id) = self.ids.remove(&address) else { return };
                let next = device.events.get(self.step as usize + 1);
                let is_free = matches!(next, Some(&Event::Free { address: freed, .. }) if freed == address);
                if !is_free {
                    self.wait(address, id);
                }
                self.call(Call::Free { id }, None);
            }
            Event::Free { address, .. } => {
                if let Some(stream) = self.waiting.remove(&address) {
                    self.call(Call::Complete { stream }, None);
                } else if let Some(id) = self.ids.remove(&address) {
                    // Older files do not record the request apart.
                    self.call(Call::Free { id }, None);
                }
            }
            Event::Return { frames, size, pool, .. } => {
                if self.returned.as_ref().is_some_and(|returned| !self.arena.same(returned.stack, frames)) {
                    self.flush();
                }
                if self.returned.is_none() {
                    self.held_before = self.held;
                }
                self.held = self.held.saturating_sub(size);
                let is_over = self.last_requests.get(&pool).is_some_and(|&last| last < self.step);
                let new = Returned { stack: frames, ended: Vec::new(), is_private: true };
                let returned = self.returned.get_or_insert(new);
                returned.is_private &= is_over;
                if is_over && !returned.ended.contains(&pool) {
                    returned.ended.push(pool);
                }
            }
            Event::Reserve { address, size, is_piece } => {
                self.held = self.held.saturating_add(size);
                if is_piece {
                    self.recording.maps.push(address);
                } else {
                    self.recording.segments.push((address, size));
                }
            }
            Event::Alloc { address, size, stream, pool, frames } => {
                let before = (self.step as usize).checked_sub(1).and_then(|before| device.events.get(before));
                let obtained = if let Some(&Event::Reserve { size, .. }) = before { Some(size) } else { None };
                self.request(frames, obtained, pool);
                let id = self.new_id(self.owners.by_event.get(&self.step).copied());
                self.ids.insert(address, id);
                self.call(Call::Alloc { id, bytes: size, stream }, Some(address));
            }
            Event::Failed { size, stream, pool, free, frames } => {
                self.request(frames, Some(0), pool);
                let id = self.new_id(None);
                self.call(Call::Alloc { id, bytes: size, stream }, None);
                let line = self.owners.failed.get(&self.step).cloned().unwrap_or_default();
                // The file has the free memory of the card. What the process holds is its own too.
                let within_reach = free.map(|free| free.saturating_add(self.held));
                self.recording.failed.push(FailedRequest { step: self.step, bytes: size, line, within_reach });
            }
            Event::Other => {}
        }
    }

    /// What comes before a request: returns that are not its own, and the pool that it goes to.
    /// `obtained`: bytes obtained for it, if any were asked for.
    fn request(&mut self, frames: Option<Value>, obtained: Option<u64>, pool: u64) {
        let own = self.returned.take_if(|returned| obtained.is_some() && self.arena.same(returned.stack, frames));
        if let Some((returned, obtained)) = own.zip(obtained) {
            self.release(&returned.ended);
            // Garbage collection gives back although there is room.
            if obtained > 0 && !self.recording.settings.contains("garbage_collection") {
                let wanted = self.held_before.saturating_add(obtained);
                self.recording.retried = Some(self.recording.retried.map_or(wanted, |least| least.min(wanted)));
            }
        } else {
            self.flush();
        }
        if pool != self.pool {
            if self.pool != 0 {
                self.call(Call::EndPool { pool: self.pool }, None);
            }
            self.pool = pool;
            if pool != 0 {
                self.call(Call::BeginPool { pool }, None);
            }
        }
    }
}
