//! The events of a search: all of the first nodes, samples of later ones, and every change of what
//! is known.

use std::ops::ControlFlow;

use super::model::Model;
use super::state::Reject;
use memplan_core::base::Id;
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Event, Note, Probe};

/// Nodes reported from the start of a run of the planner.
const FIRST_NODES: u64 = 200;

/// After these, one node in so many, twice as many each time that so many were reported.
const SAMPLES: u64 = 100;

/// Nodes for one memory, and what the report of progress needs.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    /// Nodes that may be visited for this memory.
    pub share: u64,
    /// Nodes searched for the memories before.
    pub before: u64,
    /// Nodes allowed for all memories.
    pub budget: u64,
}

/// What is known of all memories while one is searched: the best plan so far needs a plan of the
/// others.
pub struct Known {
    /// One entry a buffer, in bytes.
    pub offsets: Vec<u64>,
    /// One entry a memory, in bytes.
    pub peaks: Vec<u64>,
    /// One entry a memory, in bytes.
    pub bounds: Vec<u64>,
}

impl Known {
    /// The search of a memory is over. Of those still to come, the plan that took no search stays.
    pub fn settle(&mut self, memory: MemoryId, peak: u64, bound: u64, ids: &[BufferId], offsets: &[u64]) {
        (self.peaks[memory.index()], self.bounds[memory.index()]) = (peak, bound);
        ids.iter().for_each(|id| self.offsets[id.index()] = offsets[id.index()]);
    }
}

/// Passes on what happens in the search of one memory.
pub struct Reporter<'a> {
    probe: &'a mut dyn Probe,
    model: &'a Model,
    memory: MemoryId,
    detail: bool,
    on: bool,
    emitted: u64,
    /// Told next, and how far from it the one after is.
    next: u64,
    stride: u64,
    limits: Limits,
    /// Where the best plan so far is reported from, if anyone receives it.
    known: Option<&'a mut Known>,
    /// Whether nobody waits for the best plan so far.
    offered: bool,
}

impl<'a> Reporter<'a> {
    pub fn new(
        probe: &'a mut dyn Probe,
        model: &'a Model,
        memory: MemoryId,
        known: Option<&'a mut Known>,
        limits: Limits,
    ) -> Reporter<'a> {
        let detail = probe.wants_detail(0);
        Reporter {
            probe,
            model,
            memory,
            detail,
            on: false,
            emitted: 0,
            next: 1,
            stride: 1,
            limits,
            known,
            offered: true,
        }
    }

    /// Whether the present node is reported.
    pub fn on(&self) -> bool {
        self.on
    }

    fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        self.probe.event(Event::Note { note, subject, a, b });
    }

    fn bytes(&self, units: impl Into<i64>) -> u64 {
        self.model.bytes(units)
    }

    fn id(&self, item: u32) -> u32 {
        self.model.items[item as usize].id.0
    }

    fn memory(&self) -> u32 {
        self.memory.index() as u32
    }

    /// # Errors
    /// Breaks when the run is to stop.
    pub fn pulse(&mut self, nodes: u64) -> ControlFlow<()> {
        self.probe.pulse((self.limits.before + nodes).min(self.limits.budget), self.limits.budget)?;
        if !self.offered {
            self.offer();
        }
        ControlFlow::Continue(())
    }

    pub fn ask(&mut self, capacity: i32, nodes: u64) {
        self.note(Note::SearchAsk, self.memory(), self.bytes(capacity), nodes);
    }

    pub fn order(&mut self, order: usize, nodes: u64, used: u64) {
        self.note(Note::SearchWord, order as u32, nodes, used);
    }

    /// A try to waste nothing begins.
    pub fn glued(&mut self, blocks: usize, nodes: u64) {
        self.note(Note::SearchGlued, self.memory(), blocks as u64, nodes);
    }

    /// A pass that allows some waste begins.
    pub fn narrowed(&mut self, capacity: i32, blocks: usize) {
        self.note(Note::SearchNarrowed, self.memory(), self.model.bytes(capacity), blocks as u64);
    }

    /// Decides whether a node is reported.
    pub fn begin(&mut self, node: u64) {
        self.on = self.detail && node >= self.next && self.probe.wants_detail(0);
        if self.on {
            self.emitted += 1;
            if self.emitted > FIRST_NODES && self.emitted.is_multiple_of(SAMPLES) {
                self.stride *= 4;
            }
            self.next = node + self.stride;
        }
    }

    /// The present node is not reported.
    pub fn pass(&mut self) {
        self.on = false;
    }

    /// Short searches in changed orders begin.
    pub fn restarted(&mut self, nodes: u64, each: u64) {
        self.note(Note::SearchRestarted, self.memory(), nodes, each);
    }

    pub fn node(&mut self, node: u64, depth: u32, candidates: usize) {
        self.note(Note::SearchNode, depth, node, candidates as u64);
    }

    pub fn canonical(&mut self, item: u32, offset: i32) {
        self.note(Note::SearchCanonical, self.id(item), self.bytes(offset), 0);
    }

    pub fn dominated(&mut self, item: u32, offset: i32, lowest_end: i32) {
        self.note(Note::SearchDominated, self.id(item), self.bytes(offset), self.bytes(lowest_end));
    }

    pub fn rejected(&mut self, item: u32, reject: Reject) {
        let id = self.id(item);
        match reject {
            Reject::Pushed { other, by } => {
                self.note(Note::SearchPushed, id, self.id(other).into(), self.bytes(by));
            }
            Reject::Section { section, by } => {
                let step = self.model.steps[section as usize];
                self.note(Note::SearchSection, id, step.into(), self.bytes(by));
            }
        }
    }

    pub fn stuck(&mut self, item: u32, offset: i32) {
        self.note(Note::SearchStuck, self.id(item), self.bytes(offset), 0);
    }

    pub fn placed(&mut self, item: u32, offset: i32) {
        self.note(Note::SearchPlace, self.id(item), self.bytes(offset), 0);
    }

    pub fn split(&mut self, parts: usize, depth: u32) {
        self.note(Note::SearchSplit, depth, parts as u64, 0);
    }

    pub fn back(&mut self, node: u64, depth: u32) {
        self.note(Note::SearchBack, depth, node, 0);
    }

    pub fn found(&mut self, peak: i64, nodes: u64) {
        self.note(Note::SearchFound, self.memory(), self.bytes(peak), nodes);
    }

    pub fn none(&mut self, capacity: i32, nodes: u64) {
        self.note(Note::SearchNone, self.memory(), self.bytes(capacity), nodes);
    }

    pub fn open(&mut self, capacity: i32, nodes: u64) {
        self.note(Note::SearchOpen, self.memory(), self.bytes(capacity), nodes);
    }

    /// `offsets` are those of the model's items.
    pub fn best(&mut self, peak: i64, bound: i32, offsets: &[i64]) {
        let (peak, bound) = (self.bytes(peak), self.bytes(bound));
        self.note(Note::SearchBest, self.memory(), peak, bound);
        let Some(known) = &mut self.known else { return };
        (known.peaks[self.memory.index()], known.bounds[self.memory.index()]) = (peak, bound.min(peak));
        for (item, &offset) in self.model.items.iter().zip(offsets) {
            known.offsets[item.id.index()] = self.model.bytes(offset);
        }
        self.offer();
    }

    fn offer(&mut self) {
        let Some(Known { offsets, peaks, bounds }) = self.known.as_deref() else { return };
        self.offered = self.probe.best(peaks.iter().sum(), bounds.iter().sum(), &mut || offsets.clone());
    }
}
