//! Results that lie on an operand: who takes over whose bytes, and why of every other pair that the
//! graph permits.

use std::collections::{BTreeMap, HashSet};

use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Probe};

/// Pairs of an input and an output of a node, as far as a planner has judged them.
#[derive(Default)]
pub struct Pairs {
    /// `(taker, donor)` in the order of the nodes.
    pub shared: Vec<(BufferId, BufferId)>,
    acceptors: HashSet<BufferId>,
    donors: HashSet<BufferId>,
    /// What was found of each output's pairs, up to the one that is granted.
    emitted: BTreeMap<BufferId, Vec<Event>>,
}

/// Why a pair is refused: the note and its two numbers.
pub type Refusal = (Note, u64, u64);

impl Pairs {
    /// Judges a pair; those of an output that has its donor are not looked at any more.
    pub fn judge(&mut self, acceptor: BufferId, donor: BufferId, refusal: impl FnOnce() -> Option<Refusal>) {
        if self.acceptors.contains(&acceptor) {
            return;
        }
        let taken = self.donors.contains(&donor).then_some((Note::InPlaceTaken, 0, 0));
        let refused = taken.or_else(refusal);
        let (note, a, b) = refused.unwrap_or((Note::InPlaceDies, 0, 0));
        self.emitted.entry(acceptor).or_default().push(Event::Note { note, subject: donor.0, a, b });
        if refused.is_none() {
            self.acceptors.insert(acceptor);
            self.donors.insert(donor);
            self.shared.push((acceptor, donor));
        }
    }

    /// Whether the buffer takes over the bytes of another.
    pub fn is_acceptor(&self, buffer: BufferId) -> bool {
        self.acceptors.contains(&buffer)
    }

    /// Reports what was found of an output's pairs.
    pub fn report(&self, acceptor: BufferId, probe: &mut dyn Probe) {
        self.emitted.get(&acceptor).into_iter().flatten().for_each(|&event| probe.event(event));
    }
}
