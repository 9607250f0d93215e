//! The walk over the nodes: leafs first, then reads are counted, then the nodes run.

use super::chunks::{Allocator, Block, Found, ListFull, MAX_BLOCKS, Merge, Way};
use super::network::{Network, Operation};
use crate::PlanError;
use memplan_core::base::{IdVec, Message};
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::{Branches, BufferId, MemoryId, Problem};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// What a walk leaves.
#[derive(Debug, Default)]
pub struct Walked {
    /// The allocator and the chunk of each pool, in the order in which they were made.
    pub pools: IdVec<PoolId, (usize, usize)>,
    /// The place of each tensor that has bytes of its own.
    pub places: Vec<Option<Place>>,
    /// `(taker, donor)` in the order of the takeovers.
    pub shared: Vec<(BufferId, BufferId)>,
    /// Tensors that were never freed nor taken over.
    pub held: Vec<usize>,
    /// The size of each pool: its highest end after rounding.
    pub ends: IdVec<PoolId, u64>,
}

/// What a walk is made on.
pub struct Ground<'a> {
    /// Sizes and memories of the buffers.
    pub problem: &'a Problem,
    /// The tensors and nodes.
    pub network: &'a Network,
    /// Which buffers may use the same bytes.
    pub branches: &'a Branches,
    /// The allocator of each memory.
    pub allocator_of: Vec<usize>,
    /// Whether a tensor may take over one of another memory, as in the original.
    pub across: bool,
    /// Whether a list of free blocks that grows beyond the original's limit ends the walk.
    pub limits_blocks: bool,
}

/// Walks over the network and gives each tensor with bytes of its own a place.
pub fn walk(ground: &Ground, allocators: Vec<Allocator>, probe: &mut dyn Probe) -> Result<Walked, PlanError> {
    let tensors = ground.network.tensors.len();
    let pools = vec![Vec::new(); allocators.len()];
    let mut walk = Walk {
        ground,
        allocators,
        pools,
        users: IdVec::new(),
        peaks: IdVec::new(),
        reads: vec![0; tensors],
        views: vec![0; tensors],
        held: vec![false; tensors],
        begun: vec![false; tensors],
        walked: Walked { places: vec![None; tensors], ..Walked::default() },
        decisions: 0,
        probe,
    };
    for &leaf in &ground.network.leafs {
        walk.allocate(leaf, walk.memory(leaf), None)?;
    }
    walk.count()?;
    for step in &ground.network.steps {
        walk.run(step)?;
    }
    Ok(walk.end())
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    allocators: Vec<Allocator>,
    /// The pool of each chunk of each allocator.
    pools: Vec<Vec<PoolId>>,
    /// What was placed in each pool; kept only if branches matter.
    users: IdVec<PoolId, Vec<(u64, u64, BufferId)>>,
    /// Highest end of a buffer in each pool, before rounding.
    peaks: IdVec<PoolId, u64>,
    /// Reads and views that are still to come; while reads are counted, those met so far.
    reads: Vec<u32>,
    views: Vec<u32>,
    held: Vec<bool>,
    /// Whether a tensor had a place before.
    begun: Vec<bool>,
    walked: Walked,
    decisions: u32,
    probe: &'a mut dyn Probe,
}

impl Walk<'_> {
    /// Counts reads and views. What has the INPUT flag gets its place now.
    fn count(&mut self) -> Result<(), PlanError> {
        let network = self.ground.network;
        for step in &network.steps {
            for &output in &step.outputs {
                if let Some(root) = network.tensors[output].root {
                    self.views[root] += 1;
                }
                if network.tensors[output].is_input {
                    self.allocate(output, self.memory(output), Some(step))?;
                }
            }
            for &source in &step.sources {
                self.reads[source] += 1;
                if network.tensors[source].is_input {
                    let reader = step.outputs.first().copied().unwrap_or(source);
                    self.allocate(source, self.memory(reader), None)?;
                }
            }
        }
        Ok(())
    }

    /// Gives the results of a node their places, then counts its reads down. What had its last read
    /// is freed.
    ///
    /// All sources have places by now: leafs have had them from the beginning, and one that was
    /// taken over while reads were counted has got another.
    fn run(&mut self, step: &Operation) -> Result<(), PlanError> {
        let network = self.ground.network;
        self.note(Note::Node, step.node, 0, 0);
        for &output in &step.outputs {
            match network.tensors[output].root {
                Some(root) => {
                    if let Some(buffer) = network.tensors[root].buffer {
                        self.note(Note::ViewMade, buffer.0, self.views[root].into(), 0);
                    }
                }
                None => self.allocate(output, self.memory(output), Some(step))?,
            }
        }
        for &source in &step.sources {
            self.read(source)?;
        }
        Ok(())
    }

    fn read(&mut self, source: usize) -> Result<(), PlanError> {
        self.reads[source] -= 1;
        let is_last = self.reads[source] == 0 && self.views[source] == 0;
        let root = self.ground.network.tensors[source].root;
        if let Some(root) = root.filter(|_| is_last) {
            self.views[root] -= 1;
        }
        let owner = root.unwrap_or(source);
        let Some(buffer) = self.ground.network.tensors[owner].buffer else { return Ok(()) };
        let note = if root.is_some() { Note::ViewReadsLeft } else { Note::ReadsLeft };
        self.note(note, buffer.0, self.reads[source].into(), self.views[owner].into());
        let is_free = is_last && self.reads[owner] == 0 && self.views[owner] == 0;
        if is_free && self.held[owner] { self.release(owner, buffer) } else { Ok(()) }
    }

    fn release(&mut self, tensor: usize, buffer: BufferId) -> Result<(), PlanError> {
        if self.ground.network.tensors[tensor].is_output {
            self.note(Note::KeptOutput, buffer.0, 0, 0);
            return Ok(());
        }
        let Some(place) = self.walked.places[tensor] else { return Ok(()) };
        self.held[tensor] = false;
        self.probe.event(Event::Release { buffer });
        let size = self.allocator(place.pool).round(self.ground.problem.buffers[buffer].size);
        self.free(place.pool, Block { start: place.offset, size }, buffer)
    }

    /// Gives bytes back and reports the free block that they are part of.
    fn free(&mut self, pool: PoolId, freed: Block, buffer: BufferId) -> Result<(), PlanError> {
        let (allocator, chunk) = self.walked.pools[pool];
        let most = if self.ground.limits_blocks { MAX_BLOCKS } else { usize::MAX };
        let (merge, block) = self.allocators[allocator].free(chunk, freed, most).map_err(|ListFull| {
            let name = self.ground.problem.buffers[buffer].name.clone();
            PlanError::Refused(Message::new("fault.ggml-blocks").name("name", name).count("n", MAX_BLOCKS as u64))
        })?;
        let note = match merge {
            _ if block.is_endless() => Note::FreedToEnd,
            Merge::None => Note::FreedAlone,
            Merge::Below => Note::FreedBelow,
            Merge::Above => Note::FreedAbove,
            Merge::Both => Note::FreedBoth,
        };
        self.note(note, pool.0, block.start, if block.is_endless() { 0 } else { block.size });
        Ok(())
    }

    /// Gives a tensor its place, if it needs one and has none. `step`: the node that makes it,
    /// whose sources it may take over.
    fn allocate(&mut self, tensor: usize, memory: MemoryId, step: Option<&Operation>) -> Result<(), PlanError> {
        let facts = self.ground.network.tensors[tensor];
        let Some(buffer) = facts.buffer.filter(|_| facts.root.is_none() && !self.held[tensor]) else { return Ok(()) };
        self.held[tensor] = true;
        let again = std::mem::replace(&mut self.begun[tensor], true);
        let size = self.ground.problem.buffers[buffer].size;
        let allocator = self.ground.allocator_of[memory.0 as usize];
        if again {
            self.note(Note::PlacedAgain, buffer.0, 0, 0);
        } else {
            if self.probe.pulse(self.decisions.into(), self.ground.problem.buffers.len() as u64).is_break() {
                return Err(PlanError::Cancelled);
            }
            self.probe.event(Event::Begin { buffer });
            self.note(Note::ReadsLeft, buffer.0, self.reads[tensor].into(), self.views[tensor].into());
            let taken = step.is_some_and(|step| self.take_over(tensor, buffer, step));
            if taken {
                self.decisions += 1;
                return self.free_rest(tensor, buffer);
            }
        }
        let rounded = self.allocators[allocator].round(size);
        self.note(Note::ChunkRequest, buffer.0, size, rounded);
        self.place(tensor, buffer, allocator, again);
        self.decisions += u32::from(!again);
        Ok(())
    }

    /// Tries the sources that a tensor may take over, in order. Returns whether it took one.
    fn take_over(&mut self, tensor: usize, buffer: BufferId, step: &Operation) -> bool {
        for &(slot, _) in step.candidates.iter().filter(|&&(_, output)| output == tensor) {
            let source = step.sources[slot];
            let facts = self.ground.network.tensors[source];
            let owner = facts.root.unwrap_or(source);
            let Some(donor) = self.ground.network.tensors[owner].buffer else {
                self.note(Note::SourceOutside, slot as u32, 0, 0);
                continue;
            };
            let (reads, views) = (self.reads[source], self.views[source]);
            let memory_of = |buffer: BufferId| self.ground.problem.buffers[buffer].memory;
            let refusal = if facts.root.is_some() {
                Some(Note::InPlaceView)
            } else if !self.held[source] {
                Some(Note::InPlaceTaken)
            } else if facts.is_output {
                Some(Note::InPlaceKept)
            } else if reads != 1 || views != 0 {
                Some(Note::InPlaceCounts)
            } else if !self.ground.across && memory_of(donor) != memory_of(buffer) {
                Some(Note::InPlaceMemory)
            } else if !self.ground.branches.allow(donor, buffer) {
                Some(Note::InPlaceParallel)
            } else {
                None
            };
            if let Some(note) = refusal {
                let counts = if note == Note::InPlaceCounts { (reads, views) } else { (0, 0) };
                self.note(note, donor.0, counts.0.into(), counts.1.into());
                continue;
            }
            let Some(place) = self.walked.places[source] else { continue };
            self.note(Note::InPlaceDies, donor.0, 0, 0);
            self.held[source] = false;
            self.walked.places[tensor] = Some(place);
            self.walked.shared.push((buffer, donor));
            if self.ground.branches.is_on() {
                let end = place.offset + self.ground.problem.buffers[buffer].size;
                self.users[place.pool].push((place.offset, end, buffer));
            }
            let (pool, offset) = (place.pool.0, place.offset);
            self.probe.event(Event::Place { outcome: Outcome::InPlace, buffer, pool, offset });
            return true;
        }
        false
    }

    /// Frees the bytes of the donor behind a taker that asks for fewer.
    fn free_rest(&mut self, tensor: usize, buffer: BufferId) -> Result<(), PlanError> {
        let Some((place, &(_, donor))) = self.walked.places[tensor].zip(self.walked.shared.last()) else {
            return Ok(());
        };
        let rounded = |buffer: BufferId| self.allocator(place.pool).round(self.ground.problem.buffers[buffer].size);
        let (kept, whole) = (rounded(buffer), rounded(donor));
        if whole <= kept {
            return Ok(());
        }
        self.note(Note::TakeoverRest, donor.0, whole - kept, 0);
        self.free(place.pool, Block { start: place.offset + kept, size: whole - kept }, donor)
    }

    /// Finds free bytes for a tensor and takes them.
    fn place(&mut self, tensor: usize, buffer: BufferId, allocator: usize, again: bool) {
        let size = self.allocators[allocator].round(self.ground.problem.buffers[buffer].size);
        let parallel = self.parallel(allocator, buffer);
        let align = self.allocators[allocator].align;
        let clear = |chunk: usize, block: Block| {
            parallel.get(chunk).map_or(Some(block.start), |spans| clear(spans, block, size, align))
        };
        let found = self.allocators[allocator].find(size, &clear);
        if !again {
            self.show(allocator, size, found, buffer, &clear);
        }
        let found = found.unwrap_or_else(|| self.open(allocator, size, buffer));
        let pool = self.pools[allocator][found.chunk];
        let chunk = &self.allocators[allocator].chunks[found.chunk];
        let block = chunk.blocks[found.block];
        let outcome = match found.way {
            _ if self.ground.problem.buffers[buffer].size == 0 => Outcome::Nothing,
            Way::New => Outcome::NewPool,
            Way::Last => Outcome::AtEnd,
            Way::Hole if block.size == size => Outcome::Exact,
            Way::Hole => Outcome::Split,
        };
        let (below, above) = self.allocators[allocator].take(found, size);
        let offset = found.start;
        self.probe.event(if again {
            Event::Move { buffer, pool: pool.0, offset }
        } else {
            Event::Place { outcome, buffer, pool: pool.0, offset }
        });
        let (from, to) = (self.peaks[pool], offset + self.ground.problem.buffers[buffer].size);
        if to > from {
            self.probe.event(Event::Grow { pool: pool.0, from, to });
            self.peaks[pool] = to;
        }
        if let Some(below) = below {
            self.note(Note::FreeLeft, pool.0, below.start, below.size);
        }
        if size > 0 || block.size == 0 {
            match above {
                Block { size: 0, start } => self.note(Note::FreeUsedUp, pool.0, start, 0),
                above if above.is_endless() => self.note(Note::EndCut, pool.0, above.start, 0),
                above => self.note(Note::FreeCut, pool.0, above.start, above.size),
            }
        }
        if again {
            // Whoever took the first place did not take it over: this tensor needs its bytes at the
            // same time.
            self.walked.shared.retain(|&(_, donor)| donor != buffer);
        }
        if self.ground.branches.is_on() {
            self.users[pool].push((offset, offset + size, buffer));
        }
        self.walked.places[tensor] = Some(Place { pool, offset });
    }

    /// Makes a chunk and its pool.
    fn open(&mut self, allocator: usize, size: u64, buffer: BufferId) -> Found {
        let found = self.allocators[allocator].open(size);
        let room = self.allocators[allocator].chunks[found.chunk].blocks[0];
        let pool = self.walked.pools.push((allocator, found.chunk));
        self.pools[allocator].push(pool);
        self.users.push(Vec::new());
        self.peaks.push(0);
        let memory = self.ground.problem.buffers[buffer].memory.0;
        self.probe.event(Event::OpenPool { pool: pool.0, memory, growing: true });
        if room.is_endless() {
            self.note(Note::ChunkEndless, pool.0, 0, 0)
        } else {
            self.note(Note::ChunkNew, pool.0, room.size, 0)
        }
        found
    }

    /// Reports the free blocks in the order in which they are looked at: the holes of each chunk
    /// and, if none will do, the last block of each.
    fn show(
        &mut self,
        allocator: usize,
        size: u64,
        found: Option<Found>,
        buffer: BufferId,
        clear: &dyn Fn(usize, Block) -> Option<u64>,
    ) {
        let detail = self.probe.wants_detail(self.decisions);
        let is_hole = found.is_some_and(|found| found.way == Way::Hole);
        for last in [false, true].into_iter().take(if is_hole { 1 } else { 2 }) {
            for chunk in 0..self.pools[allocator].len() {
                let pool = self.pools[allocator][chunk];
                let blocks = &self.allocators[allocator].chunks[chunk].blocks;
                let holes = blocks.len().saturating_sub(1);
                let looked = if last { holes..blocks.len() } else { 0..holes };
                if looked.is_empty() {
                    continue;
                }
                let max = self.allocators[allocator].chunks[chunk].max;
                if last {
                    self.probe.event(Event::Note { note: Note::EndLook, subject: pool.0, a: max, b: 0 })
                } else if self.walked.pools.len() != 1 {
                    self.probe.event(Event::Note { note: Note::ChunkLook, subject: pool.0, a: 0, b: 0 })
                }
                for index in looked.filter(|_| detail) {
                    let block = blocks[index];
                    let verdict = if found.is_some_and(|found| (found.chunk, found.block) == (chunk, index)) {
                        Verdict::Chosen
                    } else if block.size < size {
                        Verdict::TooSmall
                    } else if clear(chunk, block).is_none() {
                        Verdict::Parallel
                    } else {
                        Verdict::Fits
                    };
                    if verdict == Verdict::Parallel {
                        let there = self.users[pool].iter().filter(|user| user.0 < block.end() && block.start < user.1);
                        let there = there.map(|&(.., user)| user);
                        let branches = self.ground.branches;
                        in_the_way(self.probe, there.filter(|&user| !branches.allow(user, buffer)));
                    }
                    let room = if block.is_endless() { u64::MAX } else { block.size };
                    self.probe.event(Event::Block { verdict, offset: block.start, room });
                }
            }
        }
    }

    /// For each chunk the spans that no path of the graph orders before the buffer, by offset;
    /// nothing if branches are not kept apart.
    fn parallel(&self, allocator: usize, buffer: BufferId) -> Vec<Vec<(u64, u64)>> {
        let branches = self.ground.branches;
        if !branches.is_on() {
            return Vec::new();
        }
        let spans = |&pool: &PoolId| {
            let users = self.users[pool].iter().filter(|&&(.., user)| !branches.allow(user, buffer));
            let mut spans: Vec<(u64, u64)> = users.map(|&(start, end, _)| (start, end)).collect();
            spans.sort_unstable();
            spans
        };
        self.pools[allocator].iter().map(spans).collect()
    }

    /// Reports what keeps its place and the sizes of the chunks.
    fn end(mut self) -> Walked {
        let network = self.ground.network;
        for (id, &(allocator, chunk)) in self.walked.pools.enumerate() {
            let max = self.allocators[allocator].chunks[chunk].max;
            self.walked.ends.push(max);
            self.probe.event(Event::Note { note: Note::ArenaFinal, subject: id.0, a: max, b: 0 });
        }
        for tensor in (0..self.held.len()).filter(|&tensor| self.held[tensor]) {
            self.walked.held.push(tensor);
            if let Some(buffer) = network.tensors[tensor].buffer {
                let note = if network.tensors[tensor].is_output { Note::HeldOutput } else { Note::HeldUnread };
                self.probe.event(Event::Note { note, subject: buffer.0, a: 0, b: 0 });
            }
        }
        self.walked
    }

    fn memory(&self, tensor: usize) -> MemoryId {
        let buffer = self.ground.network.tensors[tensor].buffer;
        buffer.map_or(MemoryId(0), |buffer| self.ground.problem.buffers[buffer].memory)
    }

    fn allocator(&self, pool: PoolId) -> &Allocator {
        &self.allocators[self.walked.pools[pool].0]
    }

    fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        self.probe.event(Event::Note { note, subject, a, b });
    }
}

/// The lowest aligned offset in a block from which on `size` bytes are clear of all spans.
fn clear(spans: &[(u64, u64)], block: Block, size: u64, align: u64) -> Option<u64> {
    let mut start = block.start;
    for &(from, to) in spans {
        if from >= start + size {
            break;
        }
        start = start.max(to.next_multiple_of(align));
    }
    (start + size <= block.end()).then_some(start)
}
