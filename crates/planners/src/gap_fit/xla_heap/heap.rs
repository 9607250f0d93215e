//! The heap algorithm: groups in an order of their own, each into the tightest gap.
//!
//! **From**: openxla/xla 5a9e73c, `heap_simulator.cc`: `GetSpatialBufferIntervalCompare`,
//! `GetTemporalBufferIntervalCompare`, `MakeFreeChunks`, `FindChunkCandidate`,
//! `CommitChunkAndInterval`, `ChooseBestHeapAlgorithm` and
//! `ConstrainedGlobalDecreasingSizeBestFitHeap`.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::super::{Ask, Fit, Gap, choose, gaps};
use super::clock::{Clock, Group, IntervalId};
use crate::live_index::LiveIndex;
use memplan_core::base::{IdVec, align_up};

/// An order in which groups are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Large before small; of equal sizes the longer life of the leader first.
    Spatial,
    /// Long lives of the whole group before short; of equal lives the larger leader first.
    Temporal,
}

impl Order {
    /// Both orders; the first of equals is kept.
    pub const ALL: [Order; 2] = [Order::Spatial, Order::Temporal];

    /// Name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Order::Spatial => "spatial",
            Order::Temporal => "temporal",
        }
    }

    fn sorted(self, clock: &Clock) -> Vec<&Group> {
        let mut groups: Vec<&Group> = clock.groups.iter().collect();
        groups.sort_by_key(|group| match self {
            Order::Spatial => (Reverse(group.leader.size), Reverse(group.own.len().into())),
            Order::Temporal => (Reverse(group.whole.len().into()), Reverse(group.leader.size)),
        });
        groups
    }
}

/// A heap of a finished plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heap {
    /// End of the highest interval, in bytes.
    pub size: u64,
    /// Intervals with their offsets, in order of placing.
    pub offsets: Vec<(IntervalId, u64)>,
}

/// A group that gets its place.
pub struct Turn<'a> {
    /// The group.
    pub group: &'a Group,
    /// Number of the heap, from 0.
    pub heap: usize,
    /// Where it lies in the heap, in bytes.
    pub offset: u64,
    /// Placed intervals that are in the way only to keep branches parallel, with their bytes.
    pub parallel: Vec<((u64, u64), IntervalId)>,
    gaps: Vec<Gap>,
    chosen: usize,
    ask: Ask,
}

impl Turn<'_> {
    /// Whether the place lies between others.
    pub fn is_gap(&self) -> bool {
        self.gaps[self.chosen].end.is_some()
    }

    /// Reports the gaps that were looked at.
    pub fn show(&self, probe: &mut dyn memplan_core::trace::Probe) {
        super::super::show(&self.gaps, self.chosen, self.ask, Fit::Tightest, probe);
    }
}

/// How groups are placed.
pub struct Packing<'a> {
    /// The intervals.
    pub clock: &'a Clock,
    /// The order of the groups.
    pub order: Order,
    /// Bytes beyond which a heap that holds something takes no more; none = one heap for all.
    pub limit: Option<u64>,
    /// Whether the first interval, which is placed, is in the way of the second although they have
    /// no tick in common.
    pub bars: Option<&'a dyn Fn(IntervalId, IntervalId) -> bool>,
}

impl Packing<'_> {
    /// Places all groups. `watch` is called with each; if it returns `Break`, the run stops and
    /// returns `None`.
    pub fn run(&self, mut watch: impl FnMut(Turn) -> ControlFlow<()>) -> Option<Vec<Heap>> {
        let lives = &self.clock.lives;
        let mut placed = LiveIndex::over(lives);
        let mut spans: IdVec<IntervalId, (u64, u64)> = IdVec::from_elem((0, 0), lives.len());
        let mut heaps: Vec<Heap> = Vec::new();
        let mut waiting = self.order.sorted(self.clock);
        let mut near: Vec<(u64, u64)> = Vec::new();
        while !waiting.is_empty() {
            let mut heap = Heap::default();
            let mut left = Vec::new();
            for group in waiting {
                near.clear();
                for &member in &group.members {
                    placed.each_meeting(lives[member], |other| near.push(spans[other]));
                }
                let parallel = self.parallel(group, &heap, &spans);
                near.extend(parallel.iter().map(|&(span, _)| span));
                near.sort_unstable();
                let ask = Ask { size: group.most.size, align: group.most.align };
                let gaps = gaps(&near);
                let chosen = choose(&gaps, ask, Fit::Tightest);
                let offset = align_up(gaps[chosen].start, ask.align);
                if self.limit.is_some_and(|limit| heap.size > 0 && offset + group.leader.size > limit) {
                    left.push(group);
                    continue;
                }
                for &member in &group.members {
                    spans[member] = (offset, offset + ask.size);
                    placed.insert(member);
                    heap.offsets.push((member, offset));
                }
                heap.size = heap.size.max(offset + ask.size);
                let turn = Turn { group, heap: heaps.len(), offset, parallel, gaps, chosen, ask };
                if watch(turn).is_break() {
                    return None;
                }
            }
            heap.offsets.iter().for_each(|&(member, _)| placed.remove(member));
            heaps.push(heap);
            waiting = left;
        }
        Some(heaps)
    }

    fn parallel(
        &self,
        group: &Group,
        heap: &Heap,
        spans: &IdVec<IntervalId, (u64, u64)>,
    ) -> Vec<((u64, u64), IntervalId)> {
        let Some(bars) = self.bars else { return Vec::new() };
        let lives = &self.clock.lives;
        let is_barred = |other: IntervalId| {
            let mut members = group.members.iter();
            members.any(|&member| !lives[member].meets(lives[other]) && bars(other, member))
        };
        let placed = heap.offsets.iter().filter(|&&(other, _)| is_barred(other));
        let mut found: Vec<_> = placed.map(|&(other, _)| (spans[other], other)).collect();
        found.sort_unstable();
        found
    }
}

/// Bytes of some heaps together.
pub fn total(heaps: &[Heap]) -> u64 {
    heaps.iter().map(|heap| heap.size).sum()
}
