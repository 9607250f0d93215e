//! What raised the peak when buffers that overlapped were pushed up, after the last placement.

use std::collections::BTreeSet;

use super::look::{MOST_BLOCKERS, nothing_free};
use super::{Blocker, Case, Growth, Reason};
use crate::Run;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Outcome};

/// Returns the pushes among the events of a decision that raised the peak past `floor`, one for
/// each buffer, with its last place.
pub fn growths(run: &Run, decision: usize, events: &[Event], floor: u64) -> Vec<Growth> {
    let is_round = |event: &Event| matches!(event, Event::Note { note: Note::Round, .. });
    let Some(first) = events.iter().position(is_round) else { return Vec::new() };
    let rounds = &events[first..];
    let grown = |event: &Event| if let Event::Grow { from, to, .. } = *event { to - from } else { 0 };
    let mut peak = run.timeline.decisions[decision].peak - rounds.iter().map(grown).sum::<u64>();
    let mut top = floor.max(peak);
    let mut found: Vec<Growth> = Vec::new();
    let mut moved = None;
    for event in rounds {
        match *event {
            Event::Move { buffer, pool, .. } => moved = Some((buffer, PoolId(pool))),
            Event::Grow { from, to, .. } => {
                peak += to - from;
                let adds = peak.saturating_sub(top);
                top = top.max(peak);
                let Some((buffer, pool)) = moved.filter(|_| adds > 0) else { continue };
                match found.iter_mut().find(|growth| growth.buffer == buffer) {
                    Some(growth) => growth.adds += adds,
                    None => {
                        let reason = Some(reason(run, rounds, buffer, pool));
                        let outcome = Outcome::AtEnd;
                        // It may have moved on, below what lies above it.
                        let offset = run.plan.places[buffer].map_or(0, |place| place.offset);
                        found.push(Growth { decision, buffer, adds, pool, offset, outcome, reason });
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The buffers that one overlapped in some round, by their places in the end.
fn reason(run: &Run, rounds: &[Event], buffer: BufferId, pool: PoolId) -> Reason {
    let met = rounds.iter().filter_map(|event| match *event {
        Event::Note { note: Note::Overlap, subject, a, .. } if subject == buffer.0 => Some(BufferId(a as u32)),
        Event::Note { note: Note::Overlap, subject, a, .. } if a == u64::from(buffer.0) => Some(BufferId(subject)),
        _ => None,
    });
    let met: BTreeSet<BufferId> = met.collect();
    let blocker = |&other: &BufferId| {
        let from = run.plan.places[other]?.offset;
        Some(Blocker { buffer: other, decision: None, from, to: from + run.problem.buffers[other].size })
    };
    let blockers = met.iter().take(MOST_BLOCKERS).filter_map(blocker).collect();
    let others = met.len().saturating_sub(MOST_BLOCKERS) as u32;
    Reason { blockers, others, ..nothing_free(pool, Case::Pushed) }
}
