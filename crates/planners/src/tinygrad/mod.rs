//! tinygrad's memory planner: buffers are opened and closed in the order of the calls, in an
//! allocator with size classes.
//!
//! **From**: tinygrad/tinygrad a9069c1, `tinygrad/schedule/memory.py` (`memory_plan_rewrite`) and
//! `tinygrad/runtime/support/memory.py` (`TLSFAllocator`); release 0.14.0 has the same two files.
//! **Rule**: a buffer is open from the first to the last call that names it. At one time all closes
//! come before all opens, each in the order in which calls first name the buffers. Sizes are
//! rounded up to blocks of 256 bytes. An open takes the oldest block of the first size class that
//! is not empty, from the class on in which every block is large enough ([`tlsf`]); the buffer gets
//! its low end, the rest becomes the newest block of its own class. A closed block joins its free
//! neighbours. The arena begins as one free block twice as large as all buffers together; what was
//! used of it is its size. Buffers of copies have an arena of their own, a *lane*, and stay open
//! twice as long: copies need not wait for kernels.
//! **Time and alignment**: calls are the nodes of the graph, one step each; half-open steps.
//! Offsets are multiples of a block, which is as large as the largest alignment asked for.
//! **Cost**: `O(n log n)` for sorting; opening and closing take constant time but for joins. With
//! `branch_safe` each open looks at all buffers of its lane that were placed before.
//! **Does badly**: a free block of exactly the size asked for is passed over unless a class begins
//! at that size. Sizes 16640, 256, 16640 live [0,2), [1,3), [2,4): the third goes to 16896 although
//! the first is dead, and the arena takes 33536 bytes instead of 16896.
//! **Differs**: memories of one device (`mem_id`), which the original does not know, have lanes of
//! their own. With `branch_safe`, a block is used from the first offset on whose earlier buffers a
//! path of the graph orders before the new one. Buffers without bytes take a block each, for which
//! the original does not make the arena larger: where it runs out of room it stops. So does the
//! planner if `count_empty` is off.

#[cfg(test)]
mod tests;
pub mod tlsf;
mod uses;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use self::tlsf::{Change, Class, Tlsf, search_size};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
};
use memplan_core::base::{IdVec, MAX_SAFE, Message};
use memplan_core::graph::Kind;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Unplanned};
use memplan_core::problem::{Branches, BufferId, Memory, MemoryId, Problem};
use memplan_core::trace::{
    Decides, Event, Explanation, Note, Outcome, Probe, Sentences, StatePanel, Verdict, in_the_way,
};

pub use uses::{Settings, Use, uses};

/// tinygrad's planner.
pub struct Tinygrad;

/// Smallest block in bytes, `block_size` of the original.
const BLOCK: u64 = 256;

static INFO: Info = Info {
    id: "tinygrad",
    system: "tinygrad",
    name: "TLSF",
    source: Source {
        repository: "tinygrad/tinygrad",
        version: "0.14.0 (a9069c177a9da9cca18593edf55acd2e6073cca6)",
        file: "tinygrad/schedule/memory.py",
    },
    options: &[
        OptionSpec {
            key: "block_size",
            original: "block_size",
            kind: OptionKind::Choice(&["256", "4096"]),
            default: "256",
        },
        OptionSpec { key: "copy_lanes", original: "copy_bufs", kind: OptionKind::Flag, default: "true" },
        OptionSpec { key: "count_empty", original: "count_empty", kind: OptionKind::Flag, default: "true" },
        OptionSpec { key: "held", original: "held_bufs", kind: OptionKind::Flag, default: "true" },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Sorting,
    align: BLOCK,
    sweeps: true,
    example: "resnet18",
    case: Case { options: &[], peak: 33536, best: 16896 },
    evidence: Evidence::Golden { system: "tinygrad", planners: &["tinygrad_memory"] },
    explanation: Explanation {
        functions: &[(Decides::Everything, "TLSFAllocator.alloc")],
        sentences: Sentences::Classes,
        panels: &[StatePanel::SizeClasses],
        headlines: &[Outcome::AtEnd, Outcome::Exact, Outcome::Split],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl Tinygrad {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Tinygrad {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let branches = super::branches(input, options)?;
        let settings = Settings { held: options.flag("held"), copy_lanes: options.flag("copy_lanes") };
        let uses = uses(problem, input.graph, settings)?;
        let unit = problem.buffers.iter().map(|buffer| buffer.align).fold(options.whole("block_size"), u64::max);
        let room = room(problem, &uses, unit, options.flag("count_empty"))?;
        let mut play = Play {
            problem,
            branches: &branches,
            unit,
            room,
            lanes: BTreeMap::new(),
            arenas: IdVec::new(),
            blocks: IdVec::from_elem(None, problem.buffers.len()),
            places: IdVec::from_elem(None, problem.buffers.len()),
            decisions: 0,
        };
        for event in events(&uses) {
            match event {
                LifeEvent::Close(at) => play.close(uses[at].buffer, probe),
                LifeEvent::Open(at) => {
                    if probe.pulse(play.decisions.into(), uses.len() as u64) == ControlFlow::Break(()) {
                        return Err(PlanError::Cancelled);
                    }
                    play.open(uses[at], probe)?;
                }
            }
        }
        Ok(play.into_plan(probe))
    }
}

/// Bytes of the free block that every arena begins with: twice those of all buffers.
fn room(problem: &Problem, uses: &[Use], unit: u64, counts_empty: bool) -> Result<u64, PlanError> {
    let bytes = |used: &Use| {
        let size = problem.buffers[used.buffer].size;
        if counts_empty { block_size(size, unit) } else { u128::from(size).next_multiple_of(unit.into()) }
    };
    let total: u128 = uses.iter().map(bytes).sum();
    let total = u64::try_from(total).ok().filter(|&total| total <= MAX_SAFE);
    let total = total.ok_or_else(|| PlanError::Refused(Message::new("fault.sum-too-large")))?;
    Ok(2 * total)
}

/// A size rounded up to blocks; nothing takes a block as well.
fn block_size(size: u64, unit: u64) -> u128 {
    u128::from(size.max(1)).next_multiple_of(unit.into())
}

/// A buffer, by its position in the list of uses, is opened or closed.
enum LifeEvent {
    Close(usize),
    Open(usize),
}

/// All opens and closes: by time, closes before opens, in the order in which calls first name the
/// buffers.
fn events(uses: &[Use]) -> Vec<LifeEvent> {
    let mut events: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * uses.len());
    for (at, used) in uses.iter().enumerate() {
        events.push((used.first.into(), true, at));
        events.push((used.close(), false, at));
    }
    events.sort_unstable();
    events.into_iter().map(|(_, opens, at)| if opens { LifeEvent::Open(at) } else { LifeEvent::Close(at) }).collect()
}

/// An arena of a memory, of its copies or of all else.
struct Arena {
    memory: MemoryId,
    copies: bool,
    tlsf: Tlsf,
    /// Bytes of a block; offsets are multiples of it.
    unit: u64,
    /// Highest end of a buffer.
    peak: u64,
    /// Buffers placed so far with the bytes of their blocks; kept only if branches matter.
    users: Vec<(u64, u64, BufferId)>,
}

struct Play<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    unit: u64,
    room: u64,
    lanes: BTreeMap<(MemoryId, bool), PoolId>,
    arenas: IdVec<PoolId, Arena>,
    /// The block that holds each open buffer.
    blocks: IdVec<BufferId, Option<u32>>,
    places: IdVec<BufferId, Option<Place>>,
    decisions: u32,
}

/// A block that was found, and where in it the buffer goes.
struct Found {
    block: u32,
    start: u64,
}

impl Play<'_> {
    fn open(&mut self, used: Use, probe: &mut dyn Probe) -> Result<(), PlanError> {
        let Use { buffer, copied, .. } = used;
        let facts = &self.problem.buffers[buffer];
        let detail = probe.wants_detail(self.decisions);
        self.decisions += 1;
        let full = || {
            let message = Message::new("fault.tinygrad-full").name("name", facts.name.clone());
            PlanError::Refused(message.bytes("size", self.unit))
        };
        let size = u64::try_from(block_size(facts.size, self.unit)).map_err(|_| full())?;
        probe.event(Event::Begin { buffer });
        let mut changes = Vec::new();
        let lane = (facts.memory, copied);
        let is_new = !self.lanes.contains_key(&lane);
        let pool = *self.lanes.entry(lane).or_insert_with(|| {
            let tlsf = Tlsf::new(self.room, &mut changes);
            self.arenas.push(Arena {
                memory: lane.0,
                copies: lane.1,
                tlsf,
                unit: self.unit,
                peak: 0,
                users: Vec::new(),
            })
        });
        if is_new {
            probe.event(Event::OpenPool { pool: pool.0, memory: facts.memory.0, growing: true });
            report(pool, &changes, probe);
            changes.clear();
        }
        let (request, search) = (if facts.size == 0 { 0 } else { size }, search_size(size));
        probe.event(Event::Note { note: Note::ClassSearch, subject: buffer.0, a: request, b: search });
        if copied {
            probe.event(Event::Note { note: Note::ClassHold, subject: buffer.0, a: used.close(), b: 0 });
        }
        let arena = &self.arenas[pool];
        let found = arena.find(size, buffer, self.branches).ok_or_else(full)?;
        if detail {
            arena.show(size, &found, buffer, self.branches, probe);
        }
        let block = *arena.tlsf.block(found.block);
        let outcome = if is_new {
            Outcome::NewPool
        } else if block.end() == arena.tlsf.room() {
            Outcome::AtEnd
        } else if block.size == size {
            Outcome::Exact
        } else {
            Outcome::Split
        };
        let arena = &mut self.arenas[pool];
        let taken = arena.tlsf.take(found.block, found.start, size, &mut changes);
        if self.branches.is_on() {
            arena.users.push((found.start, found.start + size, buffer));
        }
        report(pool, &changes, probe);
        probe.event(Event::Place { outcome, buffer, pool: pool.0, offset: found.start });
        let end = found.start + facts.size;
        if end > arena.peak {
            let from = std::mem::replace(&mut arena.peak, end);
            probe.event(Event::Grow { pool: pool.0, from, to: end });
        }
        self.blocks[buffer] = Some(taken);
        self.places[buffer] = Some(Place { pool, offset: found.start });
        Ok(())
    }

    fn close(&mut self, buffer: BufferId, probe: &mut dyn Probe) {
        let (Some(place), Some(block)) = (self.places[buffer], self.blocks[buffer].take()) else { return };
        probe.event(Event::Release { buffer });
        let mut changes = Vec::new();
        self.arenas[place.pool].tlsf.release(block, &mut changes);
        report(place.pool, &changes, probe);
    }

    fn into_plan(self, probe: &mut dyn Probe) -> Plan {
        let problem = self.problem;
        let pool = |arena: &Arena| {
            let Memory { device, mem_id } = &problem.memories[arena.memory];
            let name = mem_id.map_or_else(|| device.clone(), |id| format!("{device} {id}"));
            let name = if arena.copies { format!("{name} copies") } else { name };
            Pool { name, size: arena.peak.next_multiple_of(self.unit), device: device.clone(), role: PoolRole::Arena }
        };
        let pools: IdVec<PoolId, Pool> = self.arenas.iter().map(pool).collect();
        for (id, pool) in pools.enumerate() {
            probe.event(Event::Note { note: Note::ArenaFinal, subject: id.0, a: pool.size, b: 0 });
        }
        let unplaced = problem.buffers.ids().filter(|&id| self.places[id].is_none());
        let why = |id: BufferId| match problem.buffers[id].kind {
            _ if !uses::has_views(&problem.memories[problem.buffers[id].memory].device) => Unplanned::NoViews,
            Kind::Input => Unplanned::InputOfCaller,
            Kind::Weight => Unplanned::WeightIsConstant,
            Kind::Output | Kind::Intermediate => Unplanned::OutputOfCaller,
        };
        let unplanned = unplaced.map(|id| (id, why(id))).collect();
        Plan { pools, places: self.places, unplanned, ..Plan::default() }
    }
}

impl Arena {
    /// The oldest block of the first class that is not empty; with branches the first block in
    /// which there is an offset for the buffer.
    fn find(&self, size: u64, buffer: BufferId, branches: &Branches) -> Option<Found> {
        let taken = self.parallel(buffer, branches);
        let mut class = self.tlsf.first_class(Class::of(search_size(size)))?;
        loop {
            for block in self.tlsf.list(class) {
                if let Some(start) = self.clear(block, size, &taken) {
                    return Some(Found { block, start });
                }
            }
            class = self.tlsf.first_class(class.next())?;
        }
    }

    /// The spans that no path of the graph orders before the buffer, by offset.
    fn parallel(&self, buffer: BufferId, branches: &Branches) -> Vec<(u64, u64)> {
        let in_parallel = self.users.iter().filter(|&&(.., user)| !branches.allow(user, buffer));
        let mut spans: Vec<(u64, u64)> = in_parallel.map(|&(start, end, _)| (start, end)).collect();
        spans.sort_unstable();
        spans
    }

    /// The lowest offset in a block from which on `size` bytes are clear of all spans.
    fn clear(&self, block: u32, size: u64, spans: &[(u64, u64)]) -> Option<u64> {
        let block = self.tlsf.block(block);
        let mut start = block.start;
        for &(from, to) in spans {
            if from >= start + size {
                break;
            }
            start = start.max(to.next_multiple_of(self.unit));
        }
        (start + size <= block.end()).then_some(start)
    }

    /// Reports the blocks of the class of the size itself, which the search may leave out, and
    /// those of the classes searched.
    fn show(&self, size: u64, found: &Found, buffer: BufferId, branches: &Branches, probe: &mut dyn Probe) {
        let from = Class::of(search_size(size));
        let here = Class::of(self.tlsf.block(found.block).size);
        let parallel = self.parallel(buffer, branches);
        let passed_over = Some(Class::of(size)).filter(|&own| own < from);
        let searched = std::iter::successors(self.tlsf.first_class(from), |class| self.tlsf.first_class(class.next()));
        for class in passed_over.into_iter().chain(searched.take_while(|&class| class <= here)) {
            for id in self.tlsf.list(class) {
                let block = self.tlsf.block(id);
                let verdict = if id == found.block {
                    Verdict::Chosen
                } else if block.size < size {
                    continue;
                } else if class < from {
                    Verdict::BelowClass
                } else if self.clear(id, size, &parallel).is_none() {
                    Verdict::Parallel
                } else {
                    Verdict::Fits
                };
                if verdict == Verdict::Parallel {
                    let there = self.users.iter().filter(|&&(start, end, _)| start < block.end() && block.start < end);
                    in_the_way(probe, there.map(|&(.., user)| user).filter(|&user| !branches.allow(user, buffer)));
                }
                let room = if block.end() == self.tlsf.room() { u64::MAX } else { block.size };
                probe.event(Event::Block { verdict, offset: block.start, room });
            }
        }
    }
}

/// Reports what became of free blocks.
fn report(pool: PoolId, changes: &[Change], probe: &mut dyn Probe) {
    for &change in changes {
        let (note, a, b) = match change {
            Change::Leave { start, size } => (Note::ClassLeave, start, size),
            Change::Enter { start, size } => (Note::ClassEnter, start, size),
            Change::Join { start, size } => (Note::ClassJoin, start, size),
        };
        probe.event(Event::Note { note, subject: pool.0, a, b });
    }
}
