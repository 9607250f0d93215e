//! The events of a run: the key looked up, the one candidate, the numbers compared.

use super::{Asked, Facts, Reason, Run};
use memplan_core::base::Id;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Verdict, in_the_way};

/// Free buffers of other keys that are shown beside a look-up in vain.
const NEIGHBOURS: usize = 3;

impl Run<'_> {
    /// Storages freed since the last allocation.
    pub fn report_released(&mut self) {
        for buffer in std::mem::take(&mut self.released) {
            self.probe.event(Event::Release { buffer });
        }
    }

    /// Emits a storage that was looked at.
    pub fn report_storage(&mut self, verdict: Verdict, pool: PoolId) {
        let size = self.plan.pools.get(pool).map_or(0, |pool| pool.size);
        self.probe.event(Event::AskStorage { verdict, pool: pool.0, size });
    }

    /// The key had a free buffer.
    pub fn report_asked(&mut self, buffer: usize, node: usize, asked: &Asked) {
        let donor = asked.candidate as u32;
        let bytes = self.facts[buffer].bytes;
        let peak = self.walk.estimate().peak();
        if let Some(place) = self.plan.places[BufferId(donor)] {
            let verdict = match asked.reason {
                Reason::WouldRaise { .. } => Verdict::RaisesPeak,
                Reason::Parallel => Verdict::Parallel,
                Reason::Inverted => Verdict::Refused,
                Reason::Adjacent | Reason::Fits { .. } | Reason::Untested => Verdict::Chosen,
            };
            if verdict == Verdict::Parallel {
                in_the_way(self.probe, [BufferId(donor)]);
            }
            self.report_storage(verdict, place.pool);
        }
        let mut say = |note, subject, a, b| self.probe.event(Event::Note { note, subject, a, b });
        match asked.older {
            0 => say(Note::ReuseOnly, donor, 0, 0),
            older => say(Note::ReuseNewest, donor, older as u64, 0),
        }
        match asked.reason {
            Reason::Adjacent => say(Note::ReuseAdjacent, donor, asked.free_node as u64, node as u64),
            Reason::Fits { between } => {
                say(Note::ReuseGap, donor, bytes, between);
                say(Note::ReuseFits, 0, between.saturating_add(bytes), peak);
            }
            Reason::WouldRaise { between } => {
                say(Note::ReuseGap, donor, bytes, between);
                say(Note::ReuseRaises, 0, between.saturating_add(bytes), peak);
            }
            Reason::Untested => say(Note::ReuseUntested, donor, 0, 0),
            Reason::Parallel | Reason::Inverted => {}
        }
    }

    /// The key had none: the free buffers nearest in size are shown for comparison.
    pub fn report_missing(&mut self, decision: u32, buffer: usize) {
        if self.probe.wants_detail(decision) {
            for candidate in self.nearest(self.facts[buffer]) {
                if let Some(place) = self.plan.places[candidate] {
                    self.report_storage(Verdict::OtherKey, place.pool);
                }
            }
        }
        let subject = self.idle.min(u32::MAX as u64) as u32;
        self.probe.event(Event::Note { note: Note::ReuseNone, subject, a: 0, b: 0 });
    }

    /// The newest free buffers of the keys whose bytes differ least, equal ones first.
    fn nearest(&self, wanted: Facts) -> Vec<BufferId> {
        let here = (wanted.bytes, 0);
        let above = self.free.range(here..).take(NEIGHBOURS);
        let below = self.free.range(..here).rev().take(NEIGHBOURS);
        let mut near: Vec<(u64, u32)> =
            above.chain(below).map(|&(bytes, key)| (bytes.abs_diff(wanted.bytes), key)).collect();
        near.sort_unstable();
        let newest = |(_, key)| self.walk.newest(key).map(BufferId::from_index);
        near.into_iter().take(NEIGHBOURS).filter_map(newest).collect()
    }
}
