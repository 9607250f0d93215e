//! Both planners, one after the other: the allocation plan, then the block of the pattern.

use super::network::{Kernel, Network};
use super::pattern::Block;
use super::sharing::{Decision, Judged, Setting, Sharing, Way};
use crate::arenas::Arenas;
use memplan_core::base::align_up;
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId, Problem};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// What both planners leave.
#[derive(Debug)]
pub struct Planned {
    /// What became of each value.
    pub decisions: Vec<Decision>,
    /// The value that owns the buffer of each.
    pub owners: Vec<u32>,
    /// First byte of each owner in the block of its memory.
    pub offsets: Vec<Option<u64>>,
    /// Bytes of each memory's block, rounded up.
    pub totals: Vec<u64>,
    /// The plan, with all that shares bytes.
    pub plan: Plan,
}

/// Plans a network, whose buffers are those of `problem`. None when the run was stopped.
pub fn run(problem: &Problem, network: &Network, setting: Setting, probe: &mut dyn Probe) -> Option<Planned> {
    // Who frees a buffer is known only when all takers are.
    let mut ahead = Sharing::new(network, setting);
    for kernel in &network.kernels {
        for &value in &kernel.outputs {
            ahead.decide(kernel, value, &mut Vec::new());
        }
        ahead.finish(kernel);
    }
    let total = ahead.decisions.iter().filter(|decision| **decision != Decision::Outside).count() as u64;
    let ahead_releases = releases(network, &ahead);
    let mut walk = Session {
        problem,
        network,
        setting,
        sharing: Sharing::new(network, setting),
        is_released: is_released(network, &ahead_releases),
        releases: ahead_releases,
        groups: ahead.members,
        blocks: vec![Block::default(); problem.memories.len()],
        placed: Vec::new(),
        offsets: vec![None; network.values.len()],
        is_begun: vec![false; problem.buffers.len()],
        holders: vec![Vec::new(); network.values.len()],
        arenas: Arenas::new(problem),
        shared: Vec::new(),
        decisions: 0,
        total,
        probe,
    };
    for (number, kernel) in network.kernels.iter().enumerate() {
        walk.kernel(number, kernel)?;
    }
    let Session { sharing, blocks, offsets, arenas, shared, probe, .. } = walk;
    let mut plan = Plan { shared, ..arenas.into_plan() };
    for (memory, block) in problem.memories.ids().zip(&blocks) {
        let in_block = |(id, buffer): (BufferId, &Buffer)| plan.places[id].filter(|_| buffer.memory == memory);
        let Some(place) = problem.buffers.enumerate().find_map(in_block) else { continue };
        // The block has whole multiples of the alignment, also above its highest buffer.
        let pool = &mut plan.pools[place.pool];
        if pool.size != block.total() {
            probe.event(Event::Note { note: Note::ArenaFinal, subject: place.pool.0, a: block.total(), b: 0 });
            pool.size = block.total();
        }
    }
    Some(Planned {
        decisions: sharing.decisions,
        owners: sharing.owner,
        offsets,
        totals: blocks.iter().map(Block::total).collect(),
        plan,
    })
}

/// The owners that are freed after each kernel: the last one that reads their buffer under any
/// name. What nobody reads stays to the end.
fn releases(network: &Network, plan: &Sharing) -> Vec<Vec<u32>> {
    let mut last: Vec<Option<usize>> = vec![None; network.values.len()];
    for (number, kernel) in network.kernels.iter().enumerate() {
        for &value in &kernel.inputs {
            last[plan.owner[value as usize] as usize] = Some(number);
        }
    }
    let mut releases = vec![Vec::new(); network.kernels.len()];
    for &owner in network.kernels.iter().flat_map(|kernel| &kernel.outputs) {
        let kernel = last[owner as usize].filter(|_| plan.decisions[owner as usize] == Decision::Allocate);
        if let Some(kernel) = kernel {
            releases[kernel].push(owner);
        }
    }
    releases
}

/// Whether each owner is freed after some kernel.
fn is_released(network: &Network, releases: &[Vec<u32>]) -> Vec<bool> {
    let mut is_released = vec![false; network.values.len()];
    releases.iter().flatten().for_each(|&owner| is_released[owner as usize] = true);
    is_released
}

struct Session<'a> {
    problem: &'a Problem,
    network: &'a Network,
    setting: Setting<'a>,
    sharing: Sharing<'a>,
    releases: Vec<Vec<u32>>,
    /// Whether each owner is freed at all.
    is_released: Vec<bool>,
    /// All buffers that will lie in each owner's; empty unless branches matter.
    groups: Vec<Vec<BufferId>>,
    blocks: Vec<Block>,
    /// Owners in the block, with their first byte and the byte after the last; kept only if
    /// branches matter.
    placed: Vec<(u32, u64, u64)>,
    offsets: Vec<Option<u64>>,
    is_begun: Vec<bool>,
    /// Buffers of the problem that lie in each owner's so far.
    holders: Vec<Vec<BufferId>>,
    arenas: Arenas<'a>,
    shared: Vec<(BufferId, BufferId)>,
    decisions: u32,
    total: u64,
    probe: &'a mut dyn Probe,
}

impl Session<'_> {
    fn kernel(&mut self, number: usize, kernel: &Kernel) -> Option<()> {
        let mut is_named = false;
        for &value in &kernel.outputs {
            let mut judged = Vec::new();
            let list_note = self.list_note(value);
            // What the result will find in the list is gone once it is decided.
            let list = self.list(value);
            let decision = self.sharing.decide(kernel, value, &mut judged);
            let Some(buffer) = self.begins(value, decision) else { continue };
            self.probe
                .pulse(self.decisions.into(), self.total.max(self.decisions.into()))
                .is_continue()
                .then_some(())?;
            self.probe.event(Event::Begin { buffer });
            self.note(Note::Node, kernel.node, 0, 0);
            is_named = true;
            self.judged(&judged);
            match decision {
                Decision::Share { owner, from, way } => self.share(value, buffer, (owner, from, way), &list),
                _ => self.allocate(value, buffer, list_note, &list),
            }
            self.decisions += 1;
        }
        let freed = self.sharing.finish(kernel);
        let released = std::mem::take(&mut self.releases[number]);
        let is_shown = |owner: &u32| self.offsets[*owner as usize].is_some();
        if !is_named && freed.iter().chain(&released).any(is_shown) {
            self.note(Note::Node, kernel.node, 0, 0);
        }
        let before = self.sharing.free_count() - freed.len() as u64;
        for (owner, count) in freed.into_iter().zip(before + 1..) {
            if let Some(&holder) = self.holders[owner as usize].last() {
                self.note(Note::ListEnter, holder.0, count, 0);
            }
        }
        for owner in released {
            self.release(owner);
        }
        Some(())
    }

    /// The buffer that begins with a result; none if it has none, or only another name of one.
    fn begins(&mut self, value: u32, decision: Decision) -> Option<BufferId> {
        let owner = match decision {
            Decision::Outside | Decision::Output => return None,
            Decision::Allocate => value,
            Decision::Share { owner, .. } => owner,
        };
        // Shared with what is outside the block, it is there, too.
        let is_inside = decision == Decision::Allocate || self.offsets[owner as usize].is_some();
        let buffer = self.network.values[value as usize].buffer.filter(|_| is_inside)?;
        (!std::mem::replace(&mut self.is_begun[buffer.0 as usize], true)).then_some(buffer)
    }

    fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        self.probe.event(Event::Note { note, subject, a, b });
    }

    fn judged(&mut self, judged: &[Judged]) {
        for &(from, note, number) in judged {
            if let Some(donor) = self.network.values[from as usize].buffer {
                self.note(note, donor.0, number, 0);
            }
        }
    }

    /// What is said of the free list if a result gets a buffer of its own; nothing if reuse is off.
    fn list_note(&self, value: u32) -> Option<Note> {
        match () {
            () if self.sharing.may_reuse(value) => Some(Note::ListNone),
            () if !self.setting.reuse => None,
            () if self.sharing.is_read(value) => Some(Note::ListUnknown),
            () => Some(Note::ListClosed),
        }
    }

    /// The free list as it is looked at for a result, the newest first: owner and verdict. Empty
    /// unless it is to be shown.
    fn list(&self, value: u32) -> Vec<(u32, Verdict)> {
        if !(self.sharing.may_reuse(value) && self.probe.wants_detail(self.decisions)) {
            return Vec::new();
        }
        let verdict = |owner: u32| match () {
            () if !self.sharing.is_alike(owner, value) => Verdict::OtherKey,
            () if !self.sharing.allowed(owner, value) => Verdict::Parallel,
            () => Verdict::Chosen,
        };
        let mut list = Vec::new();
        for owner in self.sharing.free() {
            list.push((owner, verdict(owner)));
            if list.last().is_some_and(|last| last.1 == Verdict::Chosen) {
                break;
            }
        }
        list
    }

    fn show(&mut self, list: &[(u32, Verdict)], value: u32) {
        for &(owner, verdict) in list {
            let Some(offset) = self.offsets[owner as usize] else { continue };
            let room = self.size(owner);
            if verdict == Verdict::Parallel
                && let Some(buffer) = self.network.values[value as usize].buffer
            {
                let branches = self.setting.branches;
                let members = self.sharing.members[owner as usize].iter().copied();
                in_the_way(self.probe, members.filter(|&member| !branches.allow(member, buffer)));
            }
            self.probe.event(Event::Block { verdict, offset, room });
        }
    }

    /// Bytes of a value in the block.
    fn size(&self, value: u32) -> u64 {
        let buffer = self.network.values[value as usize].buffer;
        buffer.map_or(0, |id| align_up(self.problem.buffers[id].size, self.setting.align))
    }

    fn share(&mut self, value: u32, buffer: BufferId, (owner, from, way): (u32, u32, Way), list: &[(u32, Verdict)]) {
        let offset = self.offsets[owner as usize].unwrap_or(0);
        let outcome = match way {
            _ if self.problem.buffers[buffer].size == 0 => Outcome::Nothing,
            Way::FreeList => Outcome::Reuse,
            Way::View | Way::InPlace => Outcome::InPlace,
        };
        if way == Way::FreeList {
            if let Some(&last) = self.holders[owner as usize].last() {
                self.note(Note::ListTake, last.0, self.sharing.free_count(), 0);
            }
            self.show(list, value);
        } else if let Some(donor) = self.network.values[from as usize].buffer {
            self.shared.push((buffer, donor));
        }
        self.arenas.place(buffer, offset, outcome, self.probe);
        self.holders[owner as usize].push(buffer);
    }

    fn allocate(&mut self, value: u32, buffer: BufferId, list_note: Option<Note>, list: &[(u32, Verdict)]) {
        let size = self.size(value);
        self.holders[value as usize].push(buffer);
        if let Some(note) = list_note {
            let others = if note == Note::ListNone { self.sharing.free_count() } else { 0 };
            self.note(note, buffer.0, others, 0);
        }
        if size > 0 && !self.is_released[value as usize] {
            self.note(Note::HeldToEnd, buffer.0, 0, 0);
        }
        self.show(list, value);
        if size == 0 {
            self.offsets[value as usize] = Some(0);
            self.arenas.place(buffer, 0, Outcome::Nothing, self.probe);
            return;
        }
        let memory = self.problem.buffers[buffer].memory.0 as usize;
        let detail = self.probe.wants_detail(self.decisions);
        let block = &self.blocks[memory];
        let (choice, places) = if self.setting.branches.is_on() {
            let (spans, parallel) = self.spans(value, memory);
            if detail {
                for &(from, to, other) in &parallel {
                    in_the_way(self.probe, self.groups[other as usize].last().copied());
                    self.probe.event(Event::Block { verdict: Verdict::Parallel, offset: from, room: to - from });
                }
            }
            block.choose_among(&spans, size)
        } else {
            (block.choose(size), if detail { block.places().collect() } else { Vec::new() })
        };
        if detail {
            for (offset, room) in places {
                let verdict = match () {
                    () if room < size => Verdict::TooSmall,
                    () if offset == choice.offset && !choice.grows => Verdict::Chosen,
                    () => Verdict::Fits,
                };
                self.probe.event(Event::Block { verdict, offset, room });
            }
            let verdict = if choice.grows { Verdict::Chosen } else { Verdict::Fits };
            let offset = if choice.grows { choice.offset } else { self.blocks[memory].total() };
            self.probe.event(Event::Block { verdict, offset, room: u64::MAX });
        }
        self.blocks[memory].take(choice.offset, size);
        self.offsets[value as usize] = Some(choice.offset);
        if self.setting.branches.is_on() {
            self.placed.push((value, choice.offset, choice.offset + size));
        }
        let outcome = if choice.grows { Outcome::AtEnd } else { Outcome::Gap };
        self.arenas.place(buffer, choice.offset, outcome, self.probe);
    }

    /// What is in the way of an owner, sorted: all that is live, and what no path of the graph
    /// orders; the latter again by itself.
    #[allow(clippy::type_complexity)]
    fn spans(&self, value: u32, memory: usize) -> (Vec<(u64, u64)>, Vec<(u64, u64, u32)>) {
        let own = &self.groups[value as usize];
        let (mut spans, mut parallel) = (Vec::new(), Vec::new());
        for &(other, from, to) in &self.placed {
            let of_memory = self.network.values[other as usize].memory as usize == memory;
            if !of_memory {
                continue;
            }
            if !self.is_over(other) {
                spans.push((from, to));
                continue;
            }
            let group = &self.groups[other as usize];
            if !own.iter().all(|&a| group.iter().all(|&b| self.setting.branches.allow(a, b))) {
                spans.push((from, to));
                parallel.push((from, to, other));
            }
        }
        spans.sort_unstable();
        parallel.sort_unstable();
        (spans, parallel)
    }

    /// Whether an owner's bytes were freed.
    fn is_over(&self, owner: u32) -> bool {
        self.holders[owner as usize].is_empty()
    }

    fn release(&mut self, owner: u32) {
        let (Some(offset), true) = (self.offsets[owner as usize], self.size(owner) > 0) else { return };
        let memory = self.network.values[owner as usize].memory as usize;
        self.blocks[memory].release(offset);
        for buffer in std::mem::take(&mut self.holders[owner as usize]) {
            self.probe.event(Event::Release { buffer });
        }
    }
}
