//! A problem, played to an allocator for each memory, with events.

use std::collections::BTreeMap;

use super::allocator::{Action, Allocator, FreeChange, Refusal, Search};
use super::blocks::BlockId;
use super::card::{Addresses, Card};
use super::counts::Counted;
use super::replay::{loaded, recorded_card};
use super::settings::{MIN_BLOCK, SMALL_BUFFER, Settings, Version};
use super::settings_fault;
use crate::PlanError;
use memplan_core::base::{Id, IdVec, Message};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Unplanned};
use memplan_core::problem::{Branches, BufferId, Call, HeldBlock, MemoryId, Problem, Recording};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way as report_in_the_way};

/// Least memory of a card whose size is not stated, in bytes.
const LEAST_CARD: u64 = 1 << 40;

/// Most memory that a card may need to hold whatever is asked, in bytes.
const MOST_CARD: u128 = 1 << 60;

/// What a run is made of.
#[derive(Clone, Copy)]
pub(super) struct Setup<'a> {
    pub problem: &'a Problem,
    pub branches: &'a Branches,
    pub version: Version,
    /// Bytes of the card; none if it never runs out.
    pub card: Option<u64>,
    /// Text of the settings that the user names.
    pub own: &'a str,
}

/// A segment that buffers lie in.
struct Opened {
    pool: PoolId,
    /// Bytes of addresses.
    size: u64,
    /// End of the highest buffer so far, from the base of the segment.
    top: u64,
}

/// An allocator with the segments that it holds.
struct Lane<'a> {
    allocator: Allocator,
    recording: Option<&'a Recording>,
    /// Segments by address.
    opened: BTreeMap<u64, Opened>,
    /// The buffer that lies at an address.
    users: BTreeMap<u64, BufferId>,
    /// Buffers that a recording held at first, with their blocks.
    held: Vec<(BufferId, BlockId)>,
    /// All buffers so far with their bytes; kept only if branches matter.
    past: Vec<(u64, u64, BufferId)>,
    /// Whether a request failed: the program ends there.
    is_stopped: bool,
}

/// What happens to a buffer.
#[derive(Clone, Copy)]
enum Turn {
    Free(BufferId),
    Request(BufferId),
    /// A call of a recording, by its position.
    Recorded(usize),
}

pub(super) struct Play<'a> {
    setup: Setup<'a>,
    /// Requests are multiples of it, so that addresses are.
    unit: u64,
    lanes: IdVec<MemoryId, Lane<'a>>,
    turns: Vec<(MemoryId, Turn)>,
    pools: IdVec<PoolId, Pool>,
    blocks: IdVec<BufferId, Option<BlockId>>,
    places: IdVec<BufferId, Option<Place>>,
    decisions: u32,
}

impl<'a> Play<'a> {
    /// Prepares the allocators and the order of the turns.
    pub fn new(setup: Setup<'a>, uses_recorded: bool) -> Result<Play<'a>, PlanError> {
        let problem = setup.problem;
        let unit = problem.buffers.iter().fold(MIN_BLOCK, |unit, buffer| unit.max(buffer.align));
        let mut lanes = IdVec::new();
        for memory in problem.memories.ids() {
            lanes.push(lane(setup, memory, unit, uses_recorded)?);
        }
        let turns = turns(problem, &lanes);
        let none = problem.buffers.len();
        Ok(Play {
            setup,
            unit,
            lanes,
            turns,
            pools: IdVec::new(),
            blocks: IdVec::from_elem(None, none),
            places: IdVec::from_elem(None, none),
            decisions: 0,
        })
    }

    pub fn run(mut self, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        for memory in self.setup.problem.memories.ids() {
            self.open_held(memory, probe);
            for (buffer, block) in std::mem::take(&mut self.lanes[memory].held) {
                probe.event(Event::Begin { buffer });
                self.decisions += 1;
                self.note(Note::CacheKept, buffer.0, self.lanes[memory].allocator.size(block), 0, probe);
                self.put(memory, buffer, block, Outcome::Stated, probe);
            }
        }
        let turns = std::mem::take(&mut self.turns);
        for (number, &(memory, turn)) in turns.iter().enumerate() {
            if self.lanes[memory].is_stopped {
                continue;
            }
            match turn {
                Turn::Free(buffer) => {
                    let step = self.setup.problem.buffers[buffer].live.end;
                    self.close(memory, buffer, step, probe);
                }
                Turn::Request(buffer) => {
                    if probe.pulse(number as u64, turns.len() as u64).is_break() {
                        return Err(PlanError::Cancelled);
                    }
                    let size = self.setup.problem.buffers[buffer].size;
                    let bytes = if self.unit > MIN_BLOCK { size.next_multiple_of(self.unit) } else { size };
                    self.open(memory, buffer, bytes, 0, probe)?;
                }
                Turn::Recorded(at) => {
                    if at.is_multiple_of(64) && probe.pulse(number as u64, turns.len() as u64).is_break() {
                        return Err(PlanError::Cancelled);
                    }
                    self.call(memory, at, probe)?;
                }
            }
        }
        Ok(self.into_plan(probe))
    }

    /// Opens what a recording held at first, with the blocks that were free.
    fn open_held(&mut self, memory: MemoryId, probe: &mut dyn Probe) {
        let Some(recording) = self.lanes[memory].recording else { return };
        self.note(Note::CacheReplay, memory.0, 0, 0, probe);
        if recording.held.is_empty() {
            return;
        }
        for held in &recording.held {
            let home = if held.is_expandable {
                self.mapped(memory, held.address, held.size, probe)
            } else {
                Some((self.segment(memory, held.address, held.size, probe), 0))
            };
            if let Some((pool, offset)) = home {
                self.note(Note::CacheHad, pool.0, offset, held.size, probe);
            }
        }
        self.tell_free(memory, probe);
        self.tell_held(memory, probe);
    }

    fn new_segment(&mut self, memory: MemoryId, address: u64, size: u64, probe: &mut dyn Probe) {
        let pool = self.segment(memory, address, size, probe);
        self.note(Note::CacheSegment, pool.0, size, 0, probe);
    }

    /// Opens the pool of a segment.
    fn segment(&mut self, memory: MemoryId, address: u64, size: u64, probe: &mut dyn Probe) -> PoolId {
        let what = if size == SMALL_BUFFER { "small" } else { "large" };
        self.open_pool(memory, address, size, what, probe)
    }

    fn map(&mut self, memory: MemoryId, address: u64, size: u64, probe: &mut dyn Probe) {
        if let Some((pool, offset)) = self.mapped(memory, address, size, probe) {
            self.note(Note::CacheMapped, pool.0, offset, size, probe);
        }
    }

    /// The pool of an expandable segment, which is as large as what was ever mapped of it, and
    /// where in it a part lies that has memory from now on.
    fn mapped(&mut self, memory: MemoryId, address: u64, size: u64, probe: &mut dyn Probe) -> Option<(PoolId, u64)> {
        if self.lanes[memory].home(address).is_none() {
            let range = self.lanes[memory].allocator.expandable_range(address);
            let (start, size) = range.unwrap_or((address, size));
            let pool = self.open_pool(memory, start, size, "expandable", probe);
            self.pools[pool].size = 0;
        }
        let (pool, offset) = self.lanes[memory].home(address)?;
        self.pools[pool].size = self.pools[pool].size.max(offset + size);
        Some((pool, offset))
    }

    /// Makes a recorded call.
    fn call(&mut self, memory: MemoryId, at: usize, probe: &mut dyn Probe) -> Result<(), PlanError> {
        let Some(recording) = self.lanes[memory].recording else { return Ok(()) };
        let owner = |id: u32| recording.owners.get(id as usize).copied().flatten();
        let block = |id: u32| owner(id).and_then(|buffer| self.blocks[buffer]);
        match recording.calls[at].call {
            Call::Alloc { id, bytes, stream } => match owner(id) {
                Some(buffer) => return self.open(memory, buffer, bytes, stream, probe),
                // It failed in the recording. If there is room here, the block serves nobody.
                None => {
                    if let Ok(Some(block)) = self.lanes[memory].allocator.malloc(bytes, stream) {
                        self.lanes[memory].allocator.free(block);
                    }
                    self.settle(memory, probe);
                }
            },
            Call::Free { id } => {
                if let Some(buffer) = owner(id) {
                    self.close(memory, buffer, recording.calls[at].step, probe);
                }
            }
            Call::RecordStream { id, stream } => {
                if let Some(block) = block(id) {
                    self.lanes[memory].allocator.record_stream(block, stream);
                }
            }
            Call::Complete { stream } => self.lanes[memory].allocator.card.complete(stream),
            call @ (Call::EmptyCache | Call::EmptyPool { .. }) => {
                let allocator = &mut self.lanes[memory].allocator;
                let before = allocator.reserved();
                match call {
                    Call::EmptyPool { pool } => allocator.empty_pool(pool),
                    _ => allocator.empty_cache(),
                }
                let given = before - self.lanes[memory].allocator.reserved();
                // The step is that of no buffer, so the note has it.
                self.note(Note::CacheEmptied, 0, given, recording.calls[at].step.into(), probe);
                self.settle(memory, probe);
            }
            Call::BeginPool { pool } => self.lanes[memory].allocator.begin_pool(pool),
            Call::EndPool { pool } => self.lanes[memory].allocator.end_pool(pool),
            Call::ReleasePool { pool } => self.lanes[memory].allocator.leave_pool(pool),
        }
        Ok(())
    }

    fn note(&self, note: Note, subject: u32, a: u64, b: u64, probe: &mut dyn Probe) {
        probe.event(Event::Note { note, subject, a, b });
    }

    /// Gives a block back at a step.
    fn close(&mut self, memory: MemoryId, buffer: BufferId, step: u32, probe: &mut dyn Probe) {
        let Some(block) = self.blocks[buffer].take() else { return };
        let size = self.lanes[memory].allocator.size(block);
        self.lanes[memory].allocator.free(block);
        self.note(Note::CacheFreed, buffer.0, size, step.into(), probe);
        let waits = !self.lanes[memory].allocator.trace.iter().any(|done| done.action == Action::FreeCompleted);
        if waits {
            self.note(Note::CacheWaits, buffer.0, 0, 0, probe);
        }
        self.settle(memory, probe);
    }

    /// Requests a block for a buffer.
    fn open(
        &mut self,
        memory: MemoryId,
        buffer: BufferId,
        bytes: u64,
        stream: u64,
        probe: &mut dyn Probe,
    ) -> Result<(), PlanError> {
        // What other streams have finished is free before the request looks.
        self.lanes[memory].allocator.process_events();
        self.settle(memory, probe);
        if bytes == 0 {
            probe.event(Event::Begin { buffer });
            self.decisions += 1;
            self.put_nothing(memory, buffer, probe);
            return Ok(());
        }
        let branches = self.setup.branches;
        let lane = &mut self.lanes[memory];
        let past = std::mem::take(&mut lane.past);
        let in_the_way = |from: u64, size: u64| {
            let meets = move |&&(start, end, _): &&(u64, u64, BufferId)| start < from + size && from < end;
            past.iter().filter(meets).map(|&(.., user)| user).filter(|&user| !branches.allow(user, buffer))
        };
        let detail = probe.wants_detail(self.decisions);
        let free = detail.then(|| lane.allocator.free_blocks(bytes, stream)).into_iter().flatten();
        let looked: Vec<_> = free.filter_map(|block| Some((block, lane.home(block.address)?))).collect();
        let mut largest = lane.allocator.largest_free(bytes, stream);
        let found = lane.allocator.malloc_where(bytes, stream, &|from, size| in_the_way(from, size).next().is_none());
        let account = lane.allocator.account;
        let block = match found {
            Ok(Some(block)) => block,
            Ok(None) => return Ok(()),
            Err(Refusal::Breaks) => return Err(PlanError::Refused(Message::new("fault.cuda-breaks"))),
            Err(_) => {
                lane.is_stopped = true;
                // What was the largest may have been given back before the request failed.
                largest = lane.allocator.largest_free(bytes, stream);
                let free = lane.allocator.card.free();
                let limit = lane.allocator.limit();
                let counts = &lane.allocator.counts;
                let held = (counts.now(Counted::ReservedBytes), counts.now(Counted::AllocatedBytes));
                if self.decisions == 0 {
                    let facts = &self.setup.problem.buffers[buffer];
                    let message = Message::new("fault.cuda-first").name("name", facts.name.clone());
                    let message = message.bytes("segment", account.segment).bytes("free", free);
                    return Err(PlanError::Refused(message));
                }
                self.settle(memory, probe);
                self.note(Note::CacheOom, buffer.0, account.segment, free, probe);
                self.note(Note::CacheOomHeld, 0, held.0, held.1, probe);
                self.note(Note::CacheOomLargest, buffer.0, largest, account.rounded, probe);
                if let Some(limit) = limit {
                    self.note(Note::CacheOomLimit, 0, limit, held.0, probe);
                }
                return Ok(());
            }
        };
        probe.event(Event::Begin { buffer });
        self.decisions += 1;
        self.note(Note::CacheRequest, buffer.0, bytes, account.rounded, probe);
        match account.search {
            Search::Found(_) => {}
            Search::NoneFits => self.note(Note::CacheNoneFits, buffer.0, largest, account.segment, probe),
            Search::Oversize(size) => {
                self.note(Note::CacheOversize, 0, size, self.lanes[memory].allocator.settings.max_split, probe);
            }
            Search::Wasteful(size) => self.note(Note::CacheWasteful, 0, size, account.rounded, probe),
        }
        let given_back = [
            (Note::CacheCollected, account.collected),
            (Note::CacheReleased, account.released),
            (Note::CacheEmptied, account.emptied.unwrap_or(0)),
        ];
        for (note, bytes) in given_back.into_iter().filter(|&(_, bytes)| bytes > 0) {
            self.note(note, 0, bytes, 0, probe);
        }
        let address = self.lanes[memory].allocator.address(block);
        let chosen = matches!(account.search, Search::Found(_)).then_some(address);
        for (looked_at, (pool, offset)) in looked {
            let verdict = match () {
                () if looked_at.size < account.rounded => Verdict::BelowRange,
                () if chosen == Some(looked_at.address) => Verdict::Chosen,
                () if in_the_way(looked_at.address, account.rounded).next().is_some() => Verdict::Parallel,
                () if chosen.is_some() => Verdict::Fits,
                () => Verdict::Refused,
            };
            self.note(Note::CacheLook, pool.0, 0, 0, probe);
            if verdict == Verdict::Parallel {
                report_in_the_way(probe, in_the_way(looked_at.address, account.rounded));
            }
            probe.event(Event::Block { verdict, offset, room: looked_at.size });
        }
        if account.rest > 0 {
            self.note(Note::CacheSplit, 0, account.rest, account.block, probe);
        } else if account.block > account.rounded {
            self.note(Note::CacheWhole, 0, account.block - account.rounded, account.block, probe);
        }
        let lane = &mut self.lanes[memory];
        lane.past = past;
        if branches.is_on() {
            lane.past.push((address, address + account.rounded, buffer));
        }
        let did = |action: Action| lane.allocator.trace.iter().any(|done| done.action == action);
        let outcome = match () {
            () if lane.home(address).is_none() => Outcome::NewPool,
            () if did(Action::SegmentMap) => Outcome::Grow,
            () if account.rest > 0 => Outcome::Split,
            () if account.block > account.rounded => Outcome::Reuse,
            () => Outcome::Exact,
        };
        self.put(memory, buffer, block, outcome, probe);
        Ok(())
    }

    /// A buffer of 0 bytes, for which the allocator does nothing.
    fn put_nothing(&mut self, memory: MemoryId, buffer: BufferId, probe: &mut dyn Probe) {
        let known = self.lanes[memory].opened.values().next().map(|opened| opened.pool);
        let pool = known.unwrap_or_else(|| self.open_pool(memory, 0, 0, "null", probe));
        probe.event(Event::Place { outcome: Outcome::Nothing, buffer, pool: pool.0, offset: 0 });
        self.places[buffer] = Some(Place { pool, offset: 0 });
    }

    /// Reports what the allocator did, and puts a buffer where its block is.
    fn put(&mut self, memory: MemoryId, buffer: BufferId, block: BlockId, outcome: Outcome, probe: &mut dyn Probe) {
        self.settle(memory, probe);
        let address = self.lanes[memory].allocator.address(block);
        let Some((pool, offset)) = self.lanes[memory].home(address) else { return };
        probe.event(Event::Place { outcome, buffer, pool: pool.0, offset });
        let top = offset + self.setup.problem.buffers[buffer].size;
        let lane = &mut self.lanes[memory];
        if let Some((_, opened)) = lane.opened.range_mut(..=address).next_back()
            && top > opened.top
        {
            probe.event(Event::Grow { pool: pool.0, from: opened.top, to: top });
            opened.top = top;
        }
        lane.users.insert(address, buffer);
        self.blocks[buffer] = Some(block);
        self.places[buffer] = Some(Place { pool, offset });
        self.tell_held(memory, probe);
    }

    /// Reports what is obtained and what of it is allocated.
    fn tell_held(&self, memory: MemoryId, probe: &mut dyn Probe) {
        let counts = &self.lanes[memory].allocator.counts;
        let held = (counts.now(Counted::ReservedBytes), counts.now(Counted::AllocatedBytes));
        self.note(Note::CacheHeld, memory.0, held.0, held.1, probe);
    }

    /// Reports what the allocator did since the last report.
    fn settle(&mut self, memory: MemoryId, probe: &mut dyn Probe) {
        let trace = std::mem::take(&mut self.lanes[memory].allocator.trace);
        for done in trace {
            match done.action {
                Action::SegmentAlloc => self.new_segment(memory, done.address, done.size, probe),
                Action::SegmentMap => self.map(memory, done.address, done.size, probe),
                Action::SegmentFree => {
                    if let Some(opened) = self.lanes[memory].opened.remove(&done.address) {
                        self.note(Note::CacheBack, opened.pool.0, 0, done.size, probe);
                    }
                }
                Action::SegmentUnmap => {
                    if let Some((pool, offset)) = self.lanes[memory].home(done.address) {
                        self.note(Note::CacheBack, pool.0, offset, done.size, probe);
                    }
                }
                Action::FreeCompleted => {
                    if let Some(buffer) = self.lanes[memory].users.remove(&done.address) {
                        probe.event(Event::Release { buffer });
                    }
                }
                Action::Alloc | Action::FreeRequested | Action::OutOfMemory => {}
            }
        }
        self.tell_free(memory, probe);
    }

    /// Reports what became of free blocks since the last report.
    fn tell_free(&mut self, memory: MemoryId, probe: &mut dyn Probe) {
        let lane = &mut self.lanes[memory];
        let changes = lane.allocator.changes.as_mut().map(std::mem::take).unwrap_or_default();
        for FreeChange { enters, block } in changes {
            // Of a segment that was given back meanwhile, the note on that says enough.
            let Some((pool, offset)) = self.lanes[memory].home(block.address) else { continue };
            let note = if enters { Note::CacheEnter } else { Note::CacheLeave };
            self.note(note, pool.0, offset, block.size, probe);
        }
    }

    fn open_pool(&mut self, memory: MemoryId, address: u64, size: u64, what: &str, probe: &mut dyn Probe) -> PoolId {
        let device = self.setup.problem.memories[memory].device.clone();
        let name = format!("{what} segment {}", self.pools.len());
        let pool = self.pools.push(Pool { name, size, device, role: PoolRole::Arena });
        self.lanes[memory].opened.insert(address, Opened { pool, size, top: 0 });
        probe.event(Event::OpenPool { pool: pool.0, memory: memory.0, growing: true });
        pool
    }

    fn into_plan(self, probe: &mut dyn Probe) -> Plan {
        for (memory, lane) in self.lanes.enumerate() {
            let counts = &lane.allocator.counts;
            let peaks = (counts.peak(Counted::ReservedBytes), counts.peak(Counted::AllocatedBytes));
            if peaks.0 > 0 {
                self.note(Note::CachePeak, memory.0, peaks.0, peaks.1, probe);
                self.note(Note::CacheCalls, memory.0, counts.device_allocs, counts.device_frees, probe);
            }
        }
        let unplaced = self.setup.problem.buffers.ids().filter(|&id| self.places[id].is_none());
        let unplanned = unplaced.map(|id| (id, Unplanned::OutOfMemory)).collect();
        Plan { pools: self.pools, places: self.places, unplanned, ..Plan::default() }
    }
}

impl Lane<'_> {
    /// The segment that an address lies in, and the bytes from its base.
    fn home(&self, address: u64) -> Option<(PoolId, u64)> {
        let (&start, opened) = self.opened.range(..=address).next_back()?;
        (address - start < opened.size).then_some((opened.pool, address - start))
    }
}

/// The allocator of a memory, and what a recording held at first.
fn lane<'a>(setup: Setup<'a>, memory: MemoryId, unit: u64, uses_recorded: bool) -> Result<Lane<'a>, PlanError> {
    let Setup { problem, version, own, .. } = setup;
    let settings = |text: &str| {
        let refused = |error| PlanError::Refused(settings_fault(&error, version));
        Settings::of(text, version).map_err(refused)
    };
    let recording = problem.recordings.get(memory.index()).filter(|recording| covers(recording, problem, memory));
    let recorded = settings(recording.map_or("", |recording| &recording.settings))?;
    let text = match recording.filter(|recording| uses_recorded && !recording.settings.is_empty()) {
        Some(recording) if own.is_empty() => recording.settings.clone(),
        // Of a key that occurs twice the last value holds.
        Some(recording) => format!("{},{own}", recording.settings),
        None => own.to_string(),
    };
    let settings = settings(&text)?;
    let card = setup.card.or_else(|| recorded_card(recording?));
    if settings.fraction < 1.0 && card.is_none() {
        return Err(PlanError::Refused(Message::new("fault.cuda-fraction")));
    }
    let held = recording.map_or(&[][..], |recording| &recording.held);
    let total = match card {
        Some(card) => card,
        None => enough(problem, memory, unit, &settings)? + held.iter().map(|held| held.size).sum::<u64>(),
    };
    let (mut allocator, held) = match recording {
        Some(recording) => loaded(recording, &recorded, settings, total, true),
        None => (Allocator::new(Card::new(total, Addresses::Up), settings), Vec::new()),
    };
    let owner = |id: u32| recording.and_then(|recording| recording.owners[id as usize]);
    let held: Vec<_> = held.into_iter().filter_map(|(id, block)| Some((owner(id)?, block))).collect();
    allocator.changes.get_or_insert_default();
    let opened = BTreeMap::new();
    Ok(Lane { allocator, recording, opened, users: BTreeMap::new(), held, past: Vec::new(), is_stopped: false })
}

/// Whether the calls of a recording are those of all buffers of a memory, each once.
fn covers(recording: &Recording, problem: &Problem, memory: MemoryId) -> bool {
    let mut is_called = IdVec::from_elem(false, problem.buffers.len());
    let mut is_new = |buffer: BufferId| {
        let known = is_called.get(buffer).is_some();
        known && problem.buffers[buffer].memory == memory && !std::mem::replace(&mut is_called[buffer], true)
    };
    let owners = recording.owners.iter().flatten();
    let (count, new) = (owners.clone().count(), owners.filter(|&&buffer| is_new(buffer)).count());
    let own = problem.buffers.iter().filter(|buffer| buffer.memory == memory).count();
    count == own && new == own && are_held(recording)
}

/// Whether what was in use at first lies in segments, side by side.
fn are_held(recording: &Recording) -> bool {
    let ends = |block: &HeldBlock| block.address.saturating_add(block.requested);
    let is_inside = |block: &HeldBlock| {
        let below = recording.held.partition_point(|held| held.address <= block.address);
        let held = recording.held[..below].last();
        held.is_some_and(|held| ends(block) <= held.address.saturating_add(held.size))
    };
    let is_apart = recording.blocks.windows(2).all(|pair| ends(&pair[0]) <= pair[1].address);
    is_apart && recording.blocks.iter().all(is_inside)
}

/// Bytes of a card that holds whatever is asked.
fn enough(problem: &Problem, memory: MemoryId, unit: u64, settings: &Settings) -> Result<u64, PlanError> {
    let need = |bytes: u64| -> u128 {
        let rounded = settings.round(bytes.next_multiple_of(unit));
        // A segment of its own, or pages that are larger than that.
        let pages = rounded.saturating_add(settings.large_segment).next_multiple_of(settings.large_segment);
        settings.segment(rounded).max(pages).into()
    };
    let own = problem.buffers.iter().filter(|buffer| buffer.memory == memory);
    let total: u128 = own.map(|buffer| need(buffer.size)).sum();
    if total > MOST_CARD {
        return Err(PlanError::Refused(Message::new("fault.sum-too-large")));
    }
    Ok((total as u64).max(LEAST_CARD))
}

/// All turns by step; at one step frees come first, then requests in the order of the buffers.
fn turns(problem: &Problem, lanes: &IdVec<MemoryId, Lane>) -> Vec<(MemoryId, Turn)> {
    let mut turns: Vec<((u32, bool, usize), MemoryId, Turn)> = Vec::new();
    for (id, buffer) in problem.buffers.enumerate() {
        if lanes[buffer.memory].recording.is_none() {
            turns.push(((buffer.live.start, true, id.index()), buffer.memory, Turn::Request(id)));
            // What is alive to the end is not freed: nothing is requested after that.
            if buffer.live.end < problem.steps {
                turns.push(((buffer.live.end, false, id.index()), buffer.memory, Turn::Free(id)));
            }
        }
    }
    for (memory, lane) in lanes.enumerate() {
        let calls = lane.recording.map_or(&[][..], |recording| &recording.calls);
        turns.extend(calls.iter().enumerate().map(|(at, call)| ((call.step, true, at), memory, Turn::Recorded(at))));
    }
    turns.sort_unstable_by_key(|&(key, memory, _)| (key, memory));
    turns.into_iter().map(|(_, memory, turn)| (memory, turn)).collect()
}
