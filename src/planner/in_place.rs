//! Results that lie on an operand: who takes over whose bytes, and why of every other pair that the graph permits.

use std::collections::{BTreeMap, HashSet};

use crate::problem::BufferId;
use crate::trace::{Event, Note, Probe};

/// Pairs of an input and an output of a node, as far as a planner has judged them.
#[derive(Default)]
pub struct Pairs {
    /// `(taker, giver)` in the order of the nodes.
    pub shared: Vec<(BufferId, BufferId)>,
    takers: HashSet<BufferId>,
    givers: HashSet<BufferId>,
    /// What was found of each output's pairs, up to the one that is granted.
    told: BTreeMap<BufferId, Vec<Event>>,
}

/// Why a pair is refused: the note and its two numbers.
pub type Refusal = (Note, u64, u64);

impl Pairs {
    /// Judges a pair; those of an output that has its giver are not looked at any more.
    pub fn judge(&mut self, taker: BufferId, giver: BufferId, refusal: impl FnOnce() -> Option<Refusal>) {
        if self.takers.contains(&taker) {
            return;
        }
        let taken = self.givers.contains(&giver).then_some((Note::InPlaceTaken, 0, 0));
        let refused = taken.or_else(refusal);
        let (note, a, b) = refused.unwrap_or((Note::InPlaceDies, 0, 0));
        self.told.entry(taker).or_default().push(Event::Note { note, subject: giver.0, a, b });
        if refused.is_none() {
            self.takers.insert(taker);
            self.givers.insert(giver);
            self.shared.push((taker, giver));
        }
    }

    pub fn is_taker(&self, buffer: BufferId) -> bool {
        self.takers.contains(&buffer)
    }

    /// Tells what was found of an output's pairs.
    pub fn tell(&self, taker: BufferId, probe: &mut dyn Probe) {
        self.told.get(&taker).into_iter().flatten().for_each(|&event| probe.event(event));
    }
}
