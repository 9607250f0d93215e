//! The contract of [`Probe`] as a probe that checks it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Event, MOST_IN_THE_WAY, Probe, TreeEdit};
use crate::base::{Id, IdVec};
use crate::problem::{BufferId, Problem};

/// A rule of the contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// Events name buffers of the problem only.
    KnownBuffer,
    /// A buffer begins at most once.
    BeginsOnce,
    /// A decision places its own buffer, exactly once, before the next one begins and before the
    /// run ends.
    PlacesItsBuffer,
    /// Places looked at, and the buffers in the way there, stand between `Begin` and `Place`.
    LooksBeforePlace,
    /// A decision without detail shows at most one place.
    DetailOnRequest,
    /// Buffers in the way, at most eight, stand directly before the place that they are in the way
    /// of.
    InTheWayOfAPlace,
    /// A pool is opened once, before anything lies in it, grows or is looked at there.
    OpensPool,
    /// A pool grows from its end to a higher one.
    GrowsFromItsEnd,
    /// Only a buffer that has its place is released, moved or counted for.
    HasItsPlace,
    /// Tree nodes are numbered in order of creation, and edits name nodes that exist.
    KnownNode,
    /// After `Finalize`, which comes at most once, addresses no longer change but by `Move`.
    EndsOnce,
    /// Progress is at most its total.
    ProgressWithinTotal,
    /// A plan offered has one offset a buffer, ends at its peak, and its peak is not below its
    /// bound.
    OffersWhatItStates,
}

/// A rule that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// Number of events before the call that broke it.
    pub after: usize,
}

/// Checks the contract of [`Probe`] and passes everything on.
pub struct CheckingProbe<'a> {
    inner: &'a mut dyn Probe,
    problem: &'a Problem,
    events: usize,
    begun: IdVec<BufferId, bool>,
    placed: IdVec<BufferId, bool>,
    decisions: u32,
    /// The buffer of the decision that has not placed it yet.
    open: Option<BufferId>,
    /// Places shown in this decision.
    looked: u32,
    /// Buffers in the way of a place that is still to come.
    waiting: usize,
    /// End of each opened pool, in bytes.
    ends: BTreeMap<u32, u64>,
    nodes: u32,
    is_final: bool,
    breaches: Vec<Breach>,
}

impl<'a> CheckingProbe<'a> {
    /// Checks a run over `problem` and passes its calls on to `inner`.
    pub fn new(inner: &'a mut dyn Probe, problem: &'a Problem) -> CheckingProbe<'a> {
        let buffers = problem.buffers.len();
        CheckingProbe {
            inner,
            problem,
            events: 0,
            begun: IdVec::from_elem(false, buffers),
            placed: IdVec::from_elem(false, buffers),
            decisions: 0,
            open: None,
            looked: 0,
            waiting: 0,
            ends: BTreeMap::new(),
            nodes: 0,
            is_final: false,
            breaches: Vec::new(),
        }
    }

    /// Ends the run and returns every rule that was broken, in the order of the calls.
    pub fn finish(mut self) -> Vec<Breach> {
        let is_open = self.open.is_some();
        self.require(!is_open, Rule::PlacesItsBuffer);
        let is_waiting = self.waiting > 0;
        self.require(!is_waiting, Rule::InTheWayOfAPlace);
        self.breaches
    }

    fn require(&mut self, holds: bool, rule: Rule) {
        if !holds {
            self.breaches.push(Breach { rule, after: self.events });
        }
    }

    fn require_pool(&mut self, pool: u32) {
        let is_open = self.ends.contains_key(&pool);
        self.require(is_open, Rule::OpensPool);
    }

    fn require_placed(&mut self, buffer: BufferId) {
        let is_placed = self.placed.get(buffer).copied().unwrap_or(false);
        self.require(is_placed, Rule::HasItsPlace);
    }

    fn begin(&mut self, buffer: BufferId) {
        let is_open = self.open.is_some();
        self.require(!is_open, Rule::PlacesItsBuffer);
        self.require(!self.is_final, Rule::EndsOnce);
        if let Some(&before) = self.begun.get(buffer) {
            self.begun[buffer] = true;
            self.require(!before, Rule::BeginsOnce);
        }
        (self.open, self.looked) = (Some(buffer), 0);
        self.decisions += 1;
    }

    fn look(&mut self) {
        let is_open = self.open.is_some();
        self.require(is_open, Rule::LooksBeforePlace);
        self.looked += 1;
        let is_wanted = self.looked < 2 || self.inner.wants_detail(self.decisions.saturating_sub(1));
        self.require(is_wanted, Rule::DetailOnRequest);
    }

    fn edit(&mut self, edit: TreeEdit) {
        let made = match edit {
            TreeEdit::Leaf { node, .. }
            | TreeEdit::Empty { node, .. }
            | TreeEdit::Temporal { node }
            | TreeEdit::Spatial { node, .. } => Some(node),
            TreeEdit::Append { .. } | TreeEdit::Replace { .. } | TreeEdit::Drop { .. } | TreeEdit::Root { .. } => None,
        };
        let named = match edit {
            TreeEdit::Spatial { left, right, .. } => vec![left, right],
            TreeEdit::Append { parent, child } => vec![parent, child],
            TreeEdit::Replace { parent, old, new } => vec![parent, old, new],
            TreeEdit::Drop { parent } => vec![parent],
            TreeEdit::Root { node, .. } => vec![node],
            TreeEdit::Leaf { .. } | TreeEdit::Empty { .. } | TreeEdit::Temporal { .. } => Vec::new(),
        };
        let (next, nodes) = (self.nodes, self.nodes + u32::from(made.is_some()));
        let is_known = made.is_none_or(|node| node.0 == next) && named.iter().all(|node| node.0 < next);
        self.require(is_known, Rule::KnownNode);
        self.nodes = nodes;
        if let TreeEdit::Root { pool, .. } = edit {
            self.require_pool(pool);
        }
    }

    fn check(&mut self, event: Event) {
        let is_look = matches!(
            event,
            Event::Block { .. }
                | Event::AskPool { .. }
                | Event::AskTemporal { .. }
                | Event::AskSpatial { .. }
                | Event::AskStorage { .. }
                | Event::AtEnd { .. }
        );
        if is_look {
            self.look();
        } else if !matches!(event, Event::InTheWay { .. }) {
            let is_waiting = self.waiting > 0;
            self.require(!is_waiting, Rule::InTheWayOfAPlace);
        }
        if !matches!(event, Event::InTheWay { .. }) {
            self.waiting = 0;
        }
        if let Event::Begin { buffer }
        | Event::Release { buffer }
        | Event::InTheWay { buffer }
        | Event::Place { buffer, .. }
        | Event::Refs { buffer, .. }
        | Event::Move { buffer, .. }
        | Event::Tree(TreeEdit::Leaf { buffer, .. }) = event
        {
            let is_known = buffer.index() < self.problem.buffers.len();
            self.require(is_known, Rule::KnownBuffer);
        }
        match event {
            Event::Begin { buffer } => self.begin(buffer),
            Event::Place { buffer, pool, .. } => {
                let is_own = self.open.take() == Some(buffer);
                self.require(is_own, Rule::PlacesItsBuffer);
                self.require_pool(pool);
                if self.placed.get(buffer).is_some() {
                    self.placed[buffer] = true;
                }
            }
            Event::InTheWay { .. } => {
                let is_open = self.open.is_some();
                self.require(is_open, Rule::LooksBeforePlace);
                self.waiting += 1;
                let is_few = self.waiting <= MOST_IN_THE_WAY;
                self.require(is_few, Rule::InTheWayOfAPlace);
            }
            Event::OpenPool { pool, .. } => {
                let is_new = self.ends.insert(pool, 0).is_none();
                self.require(is_new, Rule::OpensPool);
            }
            Event::AskPool { pool, .. } | Event::AskStorage { pool, .. } | Event::AtEnd { pool } => {
                self.require_pool(pool);
            }
            Event::Grow { pool, from, to } => {
                self.require_pool(pool);
                let end = self.ends.insert(pool, to).unwrap_or(from);
                self.require(from == end && to > from, Rule::GrowsFromItsEnd);
            }
            Event::Release { buffer } | Event::Refs { buffer, .. } => self.require_placed(buffer),
            Event::Move { buffer, pool, .. } => {
                self.require_placed(buffer);
                self.require_pool(pool);
            }
            Event::Tree(edit) => self.edit(edit),
            Event::Finalize => {
                let is_open = self.open.is_some();
                self.require(!is_open, Rule::PlacesItsBuffer);
                let was_final = std::mem::replace(&mut self.is_final, true);
                self.require(!was_final, Rule::EndsOnce);
            }
            Event::Block { .. }
            | Event::AskTemporal { .. }
            | Event::AskSpatial { .. }
            | Event::Lane { .. }
            | Event::Note { .. } => {}
        }
    }
}

impl Probe for CheckingProbe<'_> {
    fn event(&mut self, event: Event) {
        self.check(event);
        self.events += 1;
        self.inner.event(event);
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.inner.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.require(done <= total, Rule::ProgressWithinTotal);
        self.inner.pulse(done, total)
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        let found = offsets();
        let mut ends = IdVec::from_elem(0, self.problem.memories.len());
        for (buffer, &offset) in self.problem.buffers.iter().zip(&found) {
            ends[buffer.memory] = offset.saturating_add(buffer.size).max(ends[buffer.memory]);
        }
        let is_true = found.len() == self.problem.buffers.len() && ends.iter().sum::<u64>() == peak && bound <= peak;
        self.require(is_true, Rule::OffersWhatItStates);
        self.inner.best(peak, bound, offsets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sample;
    use crate::trace::{Outcome, Silent, TreeNodeId, Verdict};

    const A: BufferId = BufferId(0);
    const B: BufferId = BufferId(1);
    const OPEN: Event = Event::OpenPool { pool: 0, memory: 0, growing: true };
    const BLOCK: Event = Event::Block { verdict: Verdict::Fits, offset: 0, room: 8 };

    fn place(buffer: BufferId) -> Event {
        Event::Place { outcome: Outcome::AtEnd, buffer, pool: 0, offset: 0 }
    }

    fn grow(from: u64, to: u64) -> Event {
        Event::Grow { pool: 0, from, to }
    }

    fn leaf(node: u32) -> Event {
        Event::Tree(TreeEdit::Leaf { node: TreeNodeId(node), buffer: A })
    }

    /// The first rule that a sequence of two buffers breaks, and at which event.
    fn broken(events: &[Event]) -> Option<(Rule, usize)> {
        let problem = sample(2, 1);
        let mut silent = Silent;
        let mut probe = CheckingProbe::new(&mut silent, &problem);
        events.iter().for_each(|&event| probe.event(event));
        probe.finish().first().map(|breach| (breach.rule, breach.after))
    }

    #[test]
    fn an_orderly_run_breaks_nothing() {
        let begin = |buffer| Event::Begin { buffer };
        let run = [
            begin(A),
            BLOCK,
            OPEN,
            leaf(0),
            place(A),
            grow(0, 8),
            begin(B),
            Event::Release { buffer: A },
            Event::InTheWay { buffer: A },
            BLOCK,
            place(B),
            grow(8, 9),
            Event::Finalize,
            Event::Move { buffer: B, pool: 0, offset: 1 },
        ];
        assert_eq!(broken(&run), None);
    }

    #[test]
    fn broken_sequences_are_rejected() {
        let begin = |buffer| Event::Begin { buffer };
        let in_the_way = Event::InTheWay { buffer: B };
        let cases: &[(&[Event], Rule, usize)] = &[
            (&[begin(BufferId(2))], Rule::KnownBuffer, 0),
            (&[begin(A), OPEN, place(A), begin(A)], Rule::BeginsOnce, 3),
            (&[begin(A)], Rule::PlacesItsBuffer, 1),
            (&[begin(A), begin(B)], Rule::PlacesItsBuffer, 1),
            (&[begin(A), OPEN, place(B)], Rule::PlacesItsBuffer, 2),
            (&[begin(A), OPEN, place(A), place(A)], Rule::PlacesItsBuffer, 3),
            (&[begin(A), Event::Finalize], Rule::PlacesItsBuffer, 1),
            (&[BLOCK], Rule::LooksBeforePlace, 0),
            (&[begin(A), OPEN, place(A), BLOCK], Rule::LooksBeforePlace, 3),
            (&[in_the_way], Rule::LooksBeforePlace, 0),
            (&[begin(A), BLOCK, BLOCK], Rule::DetailOnRequest, 2),
            (&[begin(A), in_the_way, OPEN], Rule::InTheWayOfAPlace, 2),
            (&[&[begin(A)][..], &[in_the_way; 9]].concat(), Rule::InTheWayOfAPlace, 9),
            (&[begin(A), place(A)], Rule::OpensPool, 1),
            (&[OPEN, OPEN], Rule::OpensPool, 1),
            (&[grow(0, 8)], Rule::OpensPool, 0),
            (&[OPEN, grow(1, 8)], Rule::GrowsFromItsEnd, 1),
            (&[OPEN, grow(0, 0)], Rule::GrowsFromItsEnd, 1),
            (&[Event::Release { buffer: A }], Rule::HasItsPlace, 0),
            (&[OPEN, Event::Move { buffer: A, pool: 0, offset: 0 }], Rule::HasItsPlace, 1),
            (&[Event::Refs { buffer: A, from: 0, to: 1 }], Rule::HasItsPlace, 0),
            (&[leaf(1)], Rule::KnownNode, 0),
            (&[Event::Tree(TreeEdit::Drop { parent: TreeNodeId(0) })], Rule::KnownNode, 0),
            (&[Event::Finalize, Event::Finalize], Rule::EndsOnce, 1),
            (&[Event::Finalize, begin(A)], Rule::EndsOnce, 1),
        ];
        for &(events, rule, after) in cases {
            assert_eq!(broken(events), Some((rule, after)), "{events:?}");
        }
    }

    #[test]
    fn progress_and_offers_are_checked() {
        let problem = sample(2, 1);
        let (mut silent, peak) = (Silent, problem.buffers.iter().map(|buffer| buffer.size).max().unwrap_or(0));
        let mut probe = CheckingProbe::new(&mut silent, &problem);
        let _ = probe.pulse(2, 2);
        probe.best(peak, peak, &mut || vec![0, 0]);
        assert_eq!(probe.breaches, []);
        let _ = probe.pulse(3, 2);
        probe.best(peak, peak + 1, &mut || vec![0, 0]);
        probe.best(peak, peak, &mut || vec![0]);
        probe.best(peak + 1, peak, &mut || vec![0, 0]);
        let offer = Rule::OffersWhatItStates;
        let rules: Vec<Rule> = probe.finish().into_iter().map(|breach| breach.rule).collect();
        assert_eq!(rules, [Rule::ProgressWithinTotal, offer, offer, offer]);
    }
}
