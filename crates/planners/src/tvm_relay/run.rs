//! The second walk of the original (`StorageAllocator`): asks for a token for every value and gives
//! back what is read up.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::Version;
use super::blocks::{Block, FreeList, TokenChoice, choose_texture};
use super::program::{Call, Entry, Operand, Program, Texture, Visit};
use memplan_core::base::IdVec;
use memplan_core::plan::PoolId;
use memplan_core::problem::{Branches, BufferId};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// What the planner leaves.
#[derive(Debug)]
pub struct Planned {
    /// Storage of every value that the walk met.
    pub storage: IdVec<BufferId, Option<PoolId>>,
    /// All storages in order of creation.
    pub blocks: IdVec<PoolId, Block>,
    /// `(taker, donor)`: reshapes that share the storage of their argument.
    pub shared: Vec<(BufferId, BufferId)>,
}

/// How to plan.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Which version of the original runs.
    pub version: Version,
    /// A block is taken if it is at most so many times smaller or larger than the request; 0 =
    /// never.
    pub match_range: u64,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// Plans `program` in the order of `visits`; `devices` are those of its values. None when the run
/// was stopped.
pub fn run(
    program: &Program,
    visits: &[Visit],
    devices: &IdVec<BufferId, u32>,
    setting: Setting,
    probe: &mut dyn Probe,
) -> Option<Planned> {
    let values = program.values.len();
    let mut allocator = Allocator {
        program,
        devices,
        setting,
        probe,
        counts: program.counts(),
        storage: IdVec::from_elem(None, values),
        blocks: IdVec::new(),
        free: FreeList::default(),
        free_textures: BTreeSet::new(),
        shared: Vec::new(),
        decision: 0,
    };
    for visit in visits {
        let flow = match visit.entry {
            Entry::Source(value) => allocator.source(value),
            Entry::Call(call) => allocator.call(&program.calls[call]),
        };
        if flow.is_break() {
            return None;
        }
    }
    // Once more, as the original does; nothing is asked for after it.
    for value in program.results.iter().filter_map(|result| result.value) {
        if let Some(id) = allocator.storage[value] {
            allocator.blocks[id].refs += 1;
        }
    }
    Some(Planned { storage: allocator.storage, blocks: allocator.blocks, shared: allocator.shared })
}

struct Allocator<'a> {
    program: &'a Program,
    devices: &'a IdVec<BufferId, u32>,
    setting: Setting<'a>,
    probe: &'a mut dyn Probe,
    counts: IdVec<BufferId, u32>,
    storage: IdVec<BufferId, Option<PoolId>>,
    blocks: IdVec<PoolId, Block>,
    free: FreeList,
    free_textures: BTreeSet<PoolId>,
    shared: Vec<(BufferId, BufferId)>,
    decision: u32,
}

impl Allocator<'_> {
    /// A parameter or constant: a block of its own, held by one reference more than it has reads.
    fn source(&mut self, value: BufferId) -> ControlFlow<()> {
        self.begin(value)?;
        self.probe.event(Event::Note { note: Note::Held, subject: value.0, a: 0, b: 0 });
        self.new_block(value, self.counts[value] + 1);
        ControlFlow::Continue(())
    }

    fn call(&mut self, call: &Call) -> ControlFlow<()> {
        let donor = self.reshaped(call);
        for &value in &call.outputs {
            self.begin(value)?;
            self.probe.event(Event::Note { note: Note::Node, subject: call.node, a: 0, b: 0 });
            match donor {
                Some((donor, id)) => self.share(value, donor, id),
                None if self.program.values[value].texture.is_some() && self.setting.version.has_textures() => {
                    self.request_texture(value);
                }
                None => self.request(value),
            }
        }
        let is_stored = |read: &Operand| read.value.is_some_and(|value| self.storage[value].is_some());
        if call.outputs.is_empty() && call.reads.iter().any(is_stored) {
            // It asks for nothing, but its reads are over.
            self.probe.event(Event::Note { note: Note::Node, subject: call.node, a: 0, b: 0 });
        }
        // Outputs come first, so a call never writes over what it reads.
        for &value in &call.outputs {
            self.free_if_done(value);
        }
        for value in call.reads.iter().filter_map(|read| read.value) {
            let Some(id) = self.storage[value] else { continue };
            let from = self.blocks[id].refs;
            self.blocks[id].refs = from.saturating_sub(1);
            self.probe.event(Event::Refs { buffer: value, from, to: self.blocks[id].refs });
            self.free_if_done(value);
        }
        ControlFlow::Continue(())
    }

    fn begin(&mut self, value: BufferId) -> ControlFlow<()> {
        self.probe.pulse(self.decision.into(), self.program.values.len() as u64)?;
        self.probe.event(Event::Begin { buffer: value });
        self.decision += 1;
        ControlFlow::Continue(())
    }

    /// Argument and token that the value of a reshape takes over.
    fn reshaped(&self, call: &Call) -> Option<(BufferId, PoolId)> {
        let ([read], [value]) = (call.reads.as_slice(), call.outputs.as_slice()) else { return None };
        if !(call.reshape_only && self.setting.version.shares_reshapes()) {
            return None;
        }
        let donor = read.value?;
        let id = self.storage[donor]?;
        self.allowed(id, *value).then_some((donor, id))
    }

    fn share(&mut self, value: BufferId, donor: BufferId, id: PoolId) {
        let from = self.blocks[id].refs;
        let block = &mut self.blocks[id];
        block.refs += self.counts[value];
        block.tenants.push(value);
        block.held_by += 1;
        let to = block.refs;
        self.storage[value] = Some(id);
        self.shared.push((value, donor));
        self.probe.event(Event::Note { note: Note::Reshape, subject: value.0, a: donor.0.into(), b: id.0.into() });
        self.probe.event(Event::Place { outcome: Outcome::InPlace, buffer: value, pool: id.0, offset: 0 });
        self.probe.event(Event::Refs { buffer: value, from, to });
    }

    /// `Request` in one dimension: the smallest block from the size up, else the largest below it,
    /// inside the window.
    fn request(&mut self, value: BufferId) {
        let size = self.program.values[value].size;
        let range = self.setting.match_range;
        let Some(low) = size.checked_div(range) else { return self.new_block(value, self.counts[value]) };
        let high = size.saturating_mul(range);
        self.probe.event(Event::Note { note: Note::Request, subject: value.0, a: size, b: 0 });
        self.probe.event(Event::Note {
            note: Note::Window,
            subject: range.try_into().unwrap_or(u32::MAX),
            a: low,
            b: high,
        });
        let detail = self.probe.wants_detail(self.decision - 1);
        let mut taken = None;
        for (key, id) in self.free.upwards(size, high).chain(self.free.downwards(size, low)) {
            let good = if taken.is_some() { Verdict::Fits } else { Verdict::Chosen };
            let verdict = self.refused(id, value).unwrap_or(good);
            if verdict == Verdict::Chosen {
                taken = Some((key, id));
            }
            if detail || verdict == Verdict::Chosen {
                let against = self.against(verdict, id, value);
                in_the_way(self.probe, against);
                self.probe.event(Event::AskStorage { verdict, pool: id.0, size: key.0 });
            }
            if taken.is_some() && !detail {
                break;
            }
        }
        if detail {
            let outside =
                |verdict, found: ((u64, u64), PoolId)| Event::AskStorage { verdict, pool: found.1.0, size: found.0.0 };
            let below = self.free.downwards(low, 0).map(|found| outside(Verdict::BelowRange, found));
            let above =
                self.free.upwards(high.saturating_add(1), u64::MAX).map(|found| outside(Verdict::AboveRange, found));
            below.chain(above).for_each(|event| self.probe.event(event));
        }
        let Some((key, id)) = taken else { return self.new_block(value, self.counts[value]) };
        self.free.remove(key);
        self.take(id, value, self.counts[value], size > key.0);
    }

    /// `Request` in two dimensions.
    fn request_texture(&mut self, value: BufferId) {
        let Some(request) = self.program.values[value].texture else { return };
        let texture_of = |id: PoolId| self.blocks[id].texture.as_ref();
        let accept = |id| self.look_texture(id, value, request) == Verdict::Chosen;
        let choice = choose_texture(request, &self.free_textures, texture_of, accept);
        let chosen = match choice {
            TokenChoice::Take(id) | TokenChoice::Grow(id, _) => Some(id),
            TokenChoice::New => None,
        };
        let Texture { width, height, .. } = request;
        self.probe.event(Event::Note { note: Note::TextureRequest, subject: value.0, a: width, b: height });
        let detail = self.probe.wants_detail(self.decision - 1);
        for &id in &self.free_textures {
            let verdict = match self.look_texture(id, value, request) {
                Verdict::Chosen if chosen != Some(id) => Verdict::Fits,
                verdict => verdict,
            };
            if detail || verdict == Verdict::Chosen {
                if let Some(Texture { width, height, .. }) = self.blocks[id].texture {
                    self.probe.event(Event::Note { note: Note::TextureFree, subject: id.0, a: width, b: height });
                }
                let against = self.against(verdict, id, value);
                in_the_way(self.probe, against);
                self.probe.event(Event::AskStorage { verdict, pool: id.0, size: self.blocks[id].size });
            }
        }
        match choice {
            TokenChoice::New => self.new_block(value, self.counts[value]),
            TokenChoice::Take(id) => {
                self.free_textures.remove(&id);
                self.take(id, value, self.counts[value], false);
            }
            TokenChoice::Grow(id, sides) => {
                self.free_textures.remove(&id);
                let block = &mut self.blocks[id];
                block.texture = Some(sides);
                block.device = self.devices[value];
                // One reference more than reads: a texture that was enlarged is not freed again.
                self.probe.event(Event::Note { note: Note::TextureKept, subject: id.0, a: 0, b: 0 });
                self.take(id, value, self.counts[value] + 1, true);
            }
        }
    }

    /// Why a free block inside the window may not be taken, if so.
    fn refused(&self, id: PoolId, value: BufferId) -> Option<Verdict> {
        let block = &self.blocks[id];
        if block.device != self.devices[value] || block.domain != self.program.values[value].domain {
            Some(Verdict::OtherDevice)
        } else {
            (!self.allowed(id, value)).then_some(Verdict::Parallel)
        }
    }

    /// The same for a texture: scope and element type must agree, the device type is not compared.
    fn look_texture(&self, id: PoolId, value: BufferId, request: Texture) -> Verdict {
        let block = &self.blocks[id];
        match block.texture {
            _ if block.domain != self.program.values[value].domain => Verdict::OtherDevice,
            Some(there) if there.dtype != request.dtype => Verdict::OtherKey,
            Some(there) if !super::blocks::within_ratio(there, request) => {
                let smaller = there.width < request.width || there.height < request.height;
                if smaller { Verdict::BelowRange } else { Verdict::AboveRange }
            }
            _ if !self.allowed(id, value) => Verdict::Parallel,
            _ => Verdict::Chosen,
        }
    }

    /// Whether branches allow the value in a block. Its latest holders decide: what held it earlier
    /// was over before they were made.
    fn allowed(&self, id: PoolId, value: BufferId) -> bool {
        let branches = self.setting.branches;
        self.blocks[id].holders().iter().all(|&holder| branches.allow(holder, value))
    }

    /// The holders for whose sake branches refuse a block.
    fn against(&self, verdict: Verdict, id: PoolId, value: BufferId) -> Vec<BufferId> {
        let refuses = |&holder: &BufferId| verdict == Verdict::Parallel && !self.setting.branches.allow(holder, value);
        self.blocks[id].holders().iter().copied().filter(refuses).collect()
    }

    fn new_block(&mut self, value: BufferId, refs: u32) {
        let program = self.program;
        let facts = &program.values[value];
        let id = self.blocks.push(Block {
            size: facts.size,
            first_size: facts.size,
            refs,
            device: self.devices[value],
            domain: facts.domain,
            texture: facts.texture.filter(|_| self.setting.version.has_textures()),
            tenants: vec![value],
            held_by: 1,
        });
        self.probe.event(Event::OpenPool { pool: id.0, memory: facts.domain, growing: false });
        self.storage[value] = Some(id);
        self.placed(id, value, Outcome::NewStorage, 0);
    }

    /// Gives a free block to a value.
    fn take(&mut self, id: PoolId, value: BufferId, refs: u32, enlarged: bool) {
        let block = &mut self.blocks[id];
        let before = block.size;
        block.size = before.max(self.program.values[value].size);
        block.refs = refs;
        block.tenants.push(value);
        block.held_by = 1;
        self.storage[value] = Some(id);
        self.placed(id, value, if enlarged { Outcome::Enlarge } else { Outcome::Reuse }, before);
    }

    fn placed(&mut self, id: PoolId, value: BufferId, outcome: Outcome, before: u64) {
        let block = &self.blocks[id];
        if let Some(sides) = block.texture {
            self.probe.event(Event::Note { note: Note::Texture, subject: id.0, a: sides.width, b: sides.height });
        }
        self.probe.event(Event::Place { outcome, buffer: value, pool: id.0, offset: 0 });
        if block.size > before {
            self.probe.event(Event::Grow { pool: id.0, from: before, to: block.size });
        }
        self.probe.event(Event::Refs { buffer: value, from: 0, to: block.refs });
    }

    /// A token that nobody reads any more makes its block free.
    fn free_if_done(&mut self, value: BufferId) {
        let Some(id) = self.storage[value] else { return };
        let block = &self.blocks[id];
        if block.refs > 0 {
            return;
        }
        for &buffer in block.holders() {
            self.probe.event(Event::Release { buffer });
        }
        if block.texture.is_some() {
            self.free_textures.insert(id);
        } else {
            self.free.insert(id, block.size);
        }
    }
}
