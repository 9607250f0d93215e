//! What the algorithms report: pools by arena, decisions, placements, and addresses that still
//! move.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::spec::{Answer, Refusal, Spec};
use memplan_core::base::Id;
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// An arena as a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arena {
    /// A memory of the problem that it stands for.
    pub memory: MemoryId,
    /// Its number in the file.
    pub mem_id: u32,
    /// End of the highest buffer reported, in bytes.
    end: u64,
    opened: bool,
}

/// The listener of a run with what was reported to it so far.
pub struct Stage<'a> {
    probe: &'a mut dyn Probe,
    arenas: Vec<Arena>,
    /// Pools of the specs being placed, by arena.
    pools: BTreeMap<u32, u32>,
    /// Offset reported for each buffer.
    emitted: Vec<Option<u64>>,
    decided: u32,
    total: u64,
}

impl<'a> Stage<'a> {
    /// A stage for `total` decisions in all.
    pub fn new(probe: &'a mut dyn Probe, total: usize) -> Stage<'a> {
        Stage {
            probe,
            arenas: Vec::new(),
            pools: BTreeMap::new(),
            emitted: Vec::new(),
            decided: 0,
            total: total as u64,
        }
    }

    /// Numbers the pools of the next specs, one an arena. `arenas` maps each to a memory of the
    /// problem.
    pub fn enter(&mut self, arenas: &BTreeMap<u32, MemoryId>) {
        self.pools.clear();
        for (&mem_id, &memory) in arenas {
            self.pools.insert(mem_id, self.arenas.len() as u32);
            self.arenas.push(Arena { memory, mem_id, end: 0, opened: false });
        }
    }

    /// All pools numbered so far.
    pub fn arenas(&self) -> &[Arena] {
        &self.arenas
    }

    /// The pool of an arena of the specs being placed.
    pub fn pool(&self, mem_id: u32) -> u32 {
        self.pools.get(&mem_id).copied().unwrap_or(0)
    }

    /// Begins a decision and returns whether candidates are wanted.
    ///
    /// # Errors
    /// [`Refusal::Cancelled`] when the listener wants to stop.
    pub fn begin(&mut self, spec: &Spec) -> Result<bool, Refusal> {
        if self.probe.pulse(self.decided as u64, self.total) == ControlFlow::Break(()) {
            return Err(Refusal::Cancelled);
        }
        self.probe.event(Event::Begin { buffer: spec.buffer });
        if spec.bytes > spec.held {
            self.note(Note::Bound, spec.buffer.0, spec.held, spec.bytes);
        }
        let detail = self.probe.wants_detail(self.decided);
        self.decided += 1;
        Ok(detail)
    }

    /// Reports who is in the way at the place reported next.
    pub fn in_the_way(&mut self, buffers: impl Iterator<Item = BufferId>) {
        in_the_way(self.probe, buffers);
    }

    /// Emits a place that was looked at.
    pub fn block(&mut self, verdict: Verdict, offset: u64, room: u64) {
        self.probe.event(Event::Block { verdict, offset, room });
    }

    /// Emits a note.
    pub fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        self.probe.event(Event::Note { note, subject, a, b });
    }

    /// Reports the place of the buffer of this decision; one without bytes never conflicts.
    pub fn place(&mut self, outcome: Outcome, spec: &Spec, mem_id: u32, offset: u64) {
        let pool = self.pool(mem_id);
        if let Some(arena) = self.arenas.get_mut(pool as usize)
            && !std::mem::replace(&mut arena.opened, true)
        {
            self.probe.event(Event::OpenPool { pool, memory: arena.memory.0, growing: true });
        }
        let outcome = if spec.held == 0 { Outcome::Nothing } else { outcome };
        self.probe.event(Event::Place { outcome, buffer: spec.buffer, pool, offset });
        self.remember(spec.buffer, offset);
        self.rise(pool, offset + spec.held);
    }

    /// Reports that a placed buffer now lies elsewhere in its arena.
    pub fn relocate(&mut self, spec: &Spec, mem_id: u32, offset: u64) {
        if self.emitted.get(spec.buffer.index()) == Some(&Some(offset)) {
            return;
        }
        let pool = self.pool(mem_id);
        self.probe.event(Event::Move { buffer: spec.buffer, pool, offset });
        self.remember(spec.buffer, offset);
        self.rise(pool, offset + spec.held);
    }

    /// Corrects every address reported that is not the answer's.
    pub fn finalize(&mut self, specs: &[Spec], answer: &Answer) {
        for (spec, place) in specs.iter().zip(&answer.places) {
            if let Some(place) = place {
                self.relocate(spec, place.mem_id, place.offset);
            }
        }
    }

    fn remember(&mut self, buffer: BufferId, offset: u64) {
        let index = buffer.index();
        if self.emitted.len() <= index {
            self.emitted.resize(index + 1, None);
        }
        self.emitted[index] = Some(offset);
    }

    fn rise(&mut self, pool: u32, to: u64) {
        let Some(arena) = self.arenas.get_mut(pool as usize) else { return };
        if to > arena.end {
            self.probe.event(Event::Grow { pool, from: arena.end, to });
            arena.end = to;
        }
    }
}
