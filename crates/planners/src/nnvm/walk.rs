//! `AllocMemory`: one walk over the nodes with one match range. Every step is reported to the
//! probe.

use std::ops::{ControlFlow, Range};

use super::allocator::{Allocator, Block, Served};
use super::network::{Entry, Network, Node, Pair, Slot};
use crate::PlanError;
use memplan_core::problem::{Branches, BufferId};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// What a walk goes by.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// `NNVM_EXEC_MATCH_RANGE`.
    pub match_range: u64,
    /// Colour of each node, when colours are in use.
    pub colors: Option<&'a [u32]>,
    /// Nodes to be planned; reads are counted over the whole graph all the same.
    pub range: Range<usize>,
    /// Whether permissions to overwrite an input are used.
    pub inplace: bool,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// `storage_inplace_index` of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Takeover {
    /// It took over nothing.
    #[default]
    None,
    /// It took over what this input slot held.
    Input(u32),
    /// Nobody reads it: its storage was given back at once.
    Unread,
}

/// What a walk comes to.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Storage of each entry.
    pub slots: Vec<Slot>,
    /// How each entry got its storage.
    pub takeovers: Vec<Takeover>,
    /// Entries `(taker, donor)`.
    pub shared: Vec<(u32, u32)>,
    /// Entries that hold the same contents in the same storage have the same number: the first of
    /// them.
    pub contents: Vec<u32>,
    /// All storages.
    pub blocks: Vec<Block>,
    /// Outputs of unknown shape.
    pub not_allocated: u32,
    /// Sum of the storages, in the planner's own bytes.
    pub total: u64,
}

/// Plans the nodes of `settings.range`. Progress is reported as `done` nodes before these, of
/// `total`.
///
/// # Errors
/// [`PlanError::Cancelled`] when the probe stops the run.
pub fn walk(
    network: &Network,
    settings: &Settings,
    probe: &mut dyn Probe,
    (done, total): (u64, u64),
) -> Result<Layout, PlanError> {
    let counts = network.counts();
    let mut walk = NnvmTraversal {
        network,
        settings,
        probe,
        allocator: Allocator::new(settings.match_range),
        counts,
        live: Vec::new(),
        ends: Vec::new(),
        members: Vec::new(),
        decision: 0,
        layout: Layout {
            slots: network.entries.iter().map(|entry| entry.start).collect(),
            takeovers: vec![Takeover::None; network.entries.len()],
            contents: (0..network.entries.len() as u32).collect(),
            ..Layout::default()
        },
    };
    for index in settings.range.clone() {
        let Some(node) = network.nodes.get(index).filter(|node| !node.variable) else { continue };
        if walk.probe.pulse(done + index as u64, total) == ControlFlow::Break(()) {
            return Err(PlanError::Cancelled);
        }
        walk.node(index as u32, node);
    }
    walk.layout.total = walk.allocator.total();
    walk.layout.blocks = walk.allocator.blocks;
    Ok(walk.layout)
}

struct NnvmTraversal<'a> {
    network: &'a Network,
    settings: &'a Settings<'a>,
    probe: &'a mut dyn Probe,
    allocator: Allocator,
    /// Reads of each entry.
    counts: Vec<u32>,
    /// Reads still to come of each storage. The original's counts can fall below 0 where ignored
    /// reads were taken over.
    live: Vec<i64>,
    /// Real bytes of the largest buffer so far in each storage, as reported.
    ends: Vec<u64>,
    /// Everything that a storage served, kept only to ask for branches.
    members: Vec<Vec<BufferId>>,
    /// Decisions begun.
    decision: u32,
    layout: Layout,
}

/// Conditions looked at for a pair, to be reported when the turn comes to its output.
type Emitted = Vec<(u32, Event)>;

impl NnvmTraversal<'_> {
    fn node(&mut self, index: u32, node: &Node) {
        let mut turn = Some(Event::Note { note: Note::Node, subject: node.id, a: 0, b: 0 });
        let mut emitted = Emitted::new();
        if self.settings.inplace {
            let mut taken = vec![false; node.reads.len()];
            for pair in &node.pairs {
                self.pair(node, pair, &mut taken, &mut turn, &mut emitted);
            }
        }
        let unset = |&output: &u32| self.layout.slots[output as usize] == Slot::Unset;
        let mut wanted: Vec<u32> = node.outputs.iter().copied().filter(unset).collect();
        // Stable from the back: among equals the higher output comes first.
        wanted.reverse();
        wanted.sort_by_key(|&output| std::cmp::Reverse(self.network.entries[output as usize].elements));
        for output in wanted {
            self.request(index, output, &mut turn, &emitted);
        }
        // A node that places nothing has its turn all the same.
        turn.into_iter().for_each(|event| self.probe.event(event));
        self.release_inputs(index, node);
        self.release_unread(index, node);
    }

    fn entry(&self, entry: u32) -> &Entry {
        &self.network.entries[entry as usize]
    }

    /// Handles one pair of `FInplaceOption`: reports the condition that refused it, or takes over.
    fn pair(&mut self, node: &Node, pair: &Pair, taken: &mut [bool], turn: &mut Option<Event>, emitted: &mut Emitted) {
        let Some(read) = node.reads.get(pair.input as usize) else { return };
        let Some(input) = read.entry else { return };
        if self.layout.slots[pair.output as usize] != Slot::Unset {
            return;
        }
        let (donor, acceptor) = (self.entry(input), self.entry(pair.output));
        let refusal = |note: Note, a: u64, b: u64| Event::Note { note, subject: donor.buffer.0, a, b };
        let same_size = donor.elements == acceptor.elements && (!self.network.strict || donor.bytes == acceptor.bytes);
        let identity = pair.identity && same_size && donor.dtype == acceptor.dtype;
        let reads = u64::from(self.counts[pair.output as usize]);
        let refused = match self.layout.slots[input as usize] {
            _ if taken[pair.input as usize] => Some(refusal(Note::InPlaceTaken, 0, 0)),
            Slot::Unset | Slot::External | Slot::Dynamic => Some(refusal(Note::InPlaceOutside, 0, 0)),
            Slot::Block(block) => {
                let left = self.live[block as usize];
                let members = &self.members[block as usize];
                let allowed = members.iter().all(|&member| self.settings.branches.allow(member, acceptor.buffer));
                if !identity && node.ignores_all() {
                    Some(refusal(Note::InPlaceIgnoresAll, 0, 0))
                } else if !identity && left != 1 {
                    Some(refusal(Note::InPlaceReads, left.max(0) as u64, 0))
                } else if reads == 0 {
                    Some(refusal(Note::InPlaceUnread, 0, 0))
                } else if donor.elements != acceptor.elements {
                    Some(refusal(Note::InPlaceElements, donor.elements, acceptor.elements))
                } else if donor.bits.div_ceil(8) != acceptor.bits.div_ceil(8) {
                    Some(refusal(Note::InPlaceWidth, donor.bits, acceptor.bits))
                } else if !same_size {
                    Some(refusal(Note::InPlaceBytes, donor.bytes, acceptor.bytes))
                } else if self.network.strict && donor.device != acceptor.device {
                    Some(refusal(Note::InPlaceMemory, 0, 0))
                } else if !allowed {
                    Some(refusal(Note::InPlaceParallel, 0, 0))
                } else {
                    None
                }
            }
        };
        match (refused, self.layout.slots[input as usize]) {
            (None, Slot::Block(block)) => {
                taken[pair.input as usize] = true;
                let left = self.live[block as usize].max(0) as u64;
                let granted = if identity { Note::InPlaceIdentity } else { Note::InPlaceGranted };
                let granted = refusal(granted, left, reads);
                self.begin(pair.output, turn, emitted);
                self.probe.event(granted);
                self.layout.takeovers[pair.output as usize] = Takeover::Input(pair.input);
                self.layout.shared.push((pair.output, input));
                if identity {
                    self.layout.contents[pair.output as usize] = self.layout.contents[input as usize];
                }
                self.put(pair.output, block, Outcome::InPlace, left + reads);
            }
            (Some(refused), _) => emitted.push((pair.output, refused)),
            (None, _) => {}
        }
    }

    /// Opens the decision of an output and reports the pairs checked before. Returns the number of
    /// the decision.
    fn begin(&mut self, output: u32, turn: &mut Option<Event>, emitted: &Emitted) -> u32 {
        self.probe.event(Event::Begin { buffer: self.entry(output).buffer });
        turn.take().into_iter().for_each(|event| self.probe.event(event));
        let own = emitted.iter().filter(|(about, _)| *about == output);
        own.for_each(|(_, event)| self.probe.event(*event));
        self.decision += 1;
        self.decision - 1
    }

    /// An output gets a storage of its own or a free one.
    fn request(&mut self, node: u32, output: u32, turn: &mut Option<Event>, emitted: &Emitted) {
        let Some(size) = self.entry(output).request else {
            self.layout.not_allocated += 1;
            return;
        };
        let (buffer, device) = (self.entry(output).buffer, self.entry(output).device);
        let decision = self.begin(output, turn, emitted);
        let detail = self.probe.wants_detail(decision);
        let window = self.allocator.window(size);
        if let (Some((low, high)), true) = (window, detail) {
            self.probe.event(Event::Note { note: Note::Request, subject: buffer.0, a: size, b: 0 });
            let range = self.settings.match_range.min(u32::MAX.into()) as u32;
            self.probe.event(Event::Note { note: Note::Window, subject: range, a: low, b: high });
        }
        let Settings { colors, branches, .. } = self.settings;
        let color = |node: u32| colors.and_then(|colors| colors.get(node as usize));
        let members = &self.members;
        let refuse = |id: u32, block: &Block| {
            if block.device != device {
                Some(Verdict::OtherDevice)
            } else if block.releaser.and_then(color) != color(node) {
                Some(Verdict::OtherColor)
            } else if !members[id as usize].iter().all(|&member| branches.allow(member, buffer)) {
                Some(Verdict::Parallel)
            } else {
                None
            }
        };
        let mut asked = Vec::new();
        let served = self.allocator.request(size, device, refuse, |pool, verdict, size| {
            if detail {
                asked.push((pool, verdict, size));
            }
        });
        if let (Some(window), true) = (window, detail) {
            self.show(node, buffer, asked, window);
        }
        let (block, outcome) = match served {
            Served::New(block) => {
                self.live.push(0);
                self.ends.push(0);
                self.members.push(Vec::new());
                self.probe.event(Event::OpenPool { pool: block, memory: device, growing: true });
                (block, Outcome::NewStorage)
            }
            Served::Free(block, before) if before < size => (block, Outcome::Enlarge),
            Served::Free(block, _) => (block, Outcome::Reuse),
        };
        self.live[block as usize] = 0;
        self.put(output, block, outcome, u64::from(self.counts[output as usize]));
    }

    /// Reports the storages looked at, in order, then of all other free ones by size.
    fn show(&mut self, node: u32, buffer: BufferId, asked: Vec<(u32, Verdict, u64)>, (low, high): (u64, u64)) {
        let mut seen: Vec<u32> = asked.iter().map(|&(pool, _, _)| pool).collect();
        seen.sort_unstable();
        let others = self.allocator.free().filter(|(pool, _)| seen.binary_search(pool).is_err());
        let judge = |(pool, size): (u32, u64)| {
            if size < low {
                (pool, Verdict::BelowRange, size)
            } else if size > high {
                (pool, Verdict::AboveRange, size)
            } else {
                (pool, Verdict::Fits, size)
            }
        };
        for (pool, verdict, size) in asked.into_iter().chain(others.map(judge)) {
            if verdict == Verdict::Parallel {
                let members = self.members[pool as usize].iter().copied();
                let branches = self.settings.branches;
                in_the_way(self.probe, members.filter(|&member| !branches.allow(member, buffer)));
            }
            self.probe.event(Event::AskStorage { verdict, pool, size });
            if let (Verdict::OtherColor, Some(colors)) = (verdict, self.settings.colors) {
                let releaser = self.allocator.blocks[pool as usize].releaser.unwrap_or(node);
                let (a, b) = (colors[releaser as usize].into(), colors[node as usize].into());
                self.probe.event(Event::Note { note: Note::OtherColor, subject: pool, a, b });
            }
        }
    }

    /// An entry goes into a storage, of which `live` reads are then to come.
    fn put(&mut self, output: u32, block: u32, outcome: Outcome, live: u64) {
        let Entry { buffer, bytes, .. } = *self.entry(output);
        self.layout.slots[output as usize] = Slot::Block(block);
        if self.settings.branches.is_on() {
            self.members[block as usize].push(buffer);
        }
        self.probe.event(Event::Place { outcome, buffer, pool: block, offset: 0 });
        let end = &mut self.ends[block as usize];
        if bytes > *end {
            let from = std::mem::replace(end, bytes);
            self.probe.event(Event::Grow { pool: block, from, to: bytes });
        }
        let before = std::mem::replace(&mut self.live[block as usize], live as i64);
        self.probe.event(Event::Refs { buffer, from: reads(before), to: reads(live as i64) });
    }

    fn release_inputs(&mut self, index: u32, node: &Node) {
        for read in node.reads.iter().filter(|read| !read.ignored) {
            let Some(input) = read.entry else { continue };
            let Slot::Block(block) = self.layout.slots[input as usize] else { continue };
            let live = &mut self.live[block as usize];
            let before = *live;
            *live -= 1;
            let (buffer, after) = (self.entry(input).buffer, before - 1);
            self.probe.event(Event::Refs { buffer, from: reads(before), to: reads(after) });
            if after == 0 {
                self.allocator.release(block, index);
                self.probe.event(Event::Release { buffer });
            }
        }
    }

    fn release_unread(&mut self, index: u32, node: &Node) {
        for &output in &node.outputs {
            let Slot::Block(block) = self.layout.slots[output as usize] else { continue };
            if self.live[block as usize] == 0 {
                self.allocator.release(block, index);
                self.layout.takeovers[output as usize] = Takeover::Unread;
                self.probe.event(Event::Release { buffer: self.entry(output).buffer });
            }
        }
    }
}

/// A count as reported: the original's may fall below 0.
fn reads(count: i64) -> u32 {
    count.clamp(0, u32::MAX.into()) as u32
}
