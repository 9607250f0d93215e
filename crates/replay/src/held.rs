//! Bytes that a planner holds although, by the graph, the buffer on them is over.

use std::collections::BTreeSet;

use super::Run;
use memplan_core::base::PartedVec;
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::{BufferId, Live};
use memplan_core::trace::{Note, Sentences};

/// A range of a pool, `[from, to)` in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The pool.
    pub pool: PoolId,
    /// First byte.
    pub from: u64,
    /// Byte after the last.
    pub to: u64,
}

/// Returns a buffer that is over before a live range begins, but whose bytes in a range the planner
/// still holds: because nobody reads the buffer, or because the planner hands it on first.
pub fn holder(
    run: &Run,
    (places, released): (&PartedVec<BufferId, Option<Place>>, &PartedVec<BufferId, bool>),
    range: Range,
    live: Live,
) -> Option<BufferId> {
    let holds_until_release = run.explanation.sentences == Sentences::Shapes;
    if !holds_until_release && !run.has_note(Note::HeldToEnd) {
        return None;
    }
    let to_end = run.noted(u32::MAX, &[Note::HeldToEnd]);
    let to_end: BTreeSet<BufferId> = to_end.map(|(_, (_, subject, ..))| BufferId(subject)).collect();
    let holds = |(id, place): (BufferId, &Option<Place>)| {
        let buffer = &run.problem.buffers[id];
        let meets = |place: &Place| {
            place.pool == range.pool && place.offset < range.to && range.from < place.offset + buffer.size
        };
        let is_over = buffer.live.end <= live.start;
        let is_held = to_end.contains(&id) || holds_until_release && !released[id];
        (is_over && is_held && place.as_ref().is_some_and(meets)).then_some(id)
    };
    places.enumerate().find_map(holds)
}
