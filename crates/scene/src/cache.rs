//! What an allocator that caches obtains of a device and gives back, read off the events of a run.

use memplan_core::base::IdVec;
use memplan_core::problem::{BufferId, Live, Load};
use memplan_core::trace::{Event, Note};
use memplan_replay::Run;

/// A part of a pool from the moment it is obtained until it is given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldPart {
    /// First byte, from the base of the pool.
    pub from: u64,
    /// First byte after it.
    pub to: u64,
    /// The steps during which it is held.
    pub live: Live,
    /// Number of the event that obtains it, and of the one that gives it back; the largest number
    /// if it stays.
    pub events: (u32, u32),
}

/// The bytes of an allocator over time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheLoad {
    /// Obtained of the devices and not given back.
    pub reserved: Load,
    /// Of the blocks that buffers have, which are larger than they.
    pub allocated: Load,
}

/// What is obtained and what is in use over time; none for a planner that keeps no cache.
pub(super) fn cache_load(run: &Run, pools: &[Vec<HeldPart>]) -> Option<CacheLoad> {
    if pools.iter().all(Vec::is_empty) {
        return None;
    }
    let mut blocks = IdVec::from_elem(0, run.problem.buffers.len());
    // The end of a life is that of the wait for other streams, if there was one.
    let mut ends: IdVec<BufferId, u32> = run.problem.buffers.iter().map(|buffer| buffer.live.end).collect();
    let mut now = None;
    for event in &run.timeline.events {
        match *event {
            Event::Begin { buffer } => {
                blocks[buffer] = run.problem.buffers[buffer].size;
                now = Some(buffer);
            }
            Event::Note { note: Note::CacheRequest | Note::CacheWhole, b, .. } => {
                now.into_iter().for_each(|buffer| blocks[buffer] = b);
            }
            Event::Note { note: Note::CacheKept, subject, a, .. } => blocks[BufferId(subject)] = a,
            Event::Note { note: Note::CacheFreed, subject, a, b } => {
                (blocks[BufferId(subject)], ends[BufferId(subject)]) = (a, b as u32);
            }
            _ => {}
        }
    }
    // A program that ran out of memory has no figures behind that.
    let last = run.stopped_at().unwrap_or(u32::MAX);
    let held = pools.iter().flatten().map(|part| (part.live.start, part.live.end.min(last), part.to - part.from));
    let used = run.problem.buffers.enumerate().filter(|(id, _)| run.plan.places[*id].is_some());
    let used = used.map(|(id, buffer)| (buffer.live.start, ends[id].min(last).max(buffer.live.start), blocks[id]));
    Some(CacheLoad { reserved: Load::of_spans(held), allocated: Load::of_spans(used) })
}

/// What is held of each pool, in the order of pools. Only a recorded program is shown with its
/// segments: other documents are planned beside static plans, whose pictures show no more than
/// buffers.
pub(super) fn held(run: &Run) -> Vec<Vec<HeldPart>> {
    let mut pools: Vec<Vec<HeldPart>> = vec![Vec::new(); run.plan.pools.len()];
    if !run.is_recorded_program() {
        return pools;
    }
    let steps = run.problem.steps;
    let mut step = 0;
    for (number, event) in (0u32..).zip(&run.timeline.events) {
        match *event {
            Event::Begin { buffer } => step = run.problem.buffers[buffer].live.start.max(step),
            Event::Release { buffer } => step = run.problem.buffers[buffer].live.end.max(step),
            Event::Note { note, subject, a, b } => {
                if note == Note::CacheEmptied {
                    // Outside of a request the note states when.
                    step = (b as u32).max(step);
                }
                let Some(pool) = pools.get_mut(subject as usize) else { continue };
                // The last notes come after the last step.
                let live = Live { start: step.min(steps), end: steps };
                match note {
                    Note::CacheSegment => pool.push(HeldPart { from: 0, to: a, live, events: (number, u32::MAX) }),
                    Note::CacheHad | Note::CacheMapped => {
                        pool.push(HeldPart { from: a, to: a + b, live, events: (number, u32::MAX) })
                    }
                    Note::CacheBack => give_back(pool, (a, a + b), step, number),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    pools
}

/// Ends what is held of some addresses; what lies beside them in the same part stays.
fn give_back(pool: &mut Vec<HeldPart>, (low, high): (u64, u64), step: u32, number: u32) {
    for at in 0..pool.len() {
        let part = pool[at];
        if part.events.1 != u32::MAX || part.to <= low || high <= part.from {
            continue;
        }
        let (from, to) = (part.from.max(low), part.to.min(high));
        let live = Live { start: part.live.start, end: step.max(part.live.start) };
        pool[at] = HeldPart { from, to, live, events: (part.events.0, number) };
        let rest = [(part.from, from), (to, part.to)].into_iter().filter(|(from, to)| from < to);
        pool.extend(rest.map(|(from, to)| HeldPart { from, to, ..part }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_ends_and_the_rest_of_its_part_stays() {
        let part = |from, to, start, end, events| HeldPart { from, to, live: Live::new(start, end), events };
        let mut pool = vec![part(0, 8, 1, 9, (3, u32::MAX)), part(8, 12, 2, 9, (4, u32::MAX))];
        give_back(&mut pool, (2, 4), 5, 7);
        let rest = [part(8, 12, 2, 9, (4, u32::MAX)), part(0, 2, 1, 9, (3, u32::MAX)), part(4, 8, 1, 9, (3, u32::MAX))];
        assert_eq!(pool[0], part(2, 4, 1, 5, (3, 7)));
        assert_eq!(pool[1..], rest);
        // What is gone is not given back again.
        give_back(&mut pool, (0, 12), 6, 8);
        assert!(pool.iter().all(|part| part.events.1 != u32::MAX));
        assert_eq!(pool[0].live, Live::new(1, 5));
        // A part that goes back at the step at which it came is held during none.
        let mut pool = vec![part(0, 8, 5, 9, (3, u32::MAX))];
        give_back(&mut pool, (0, 8), 5, 6);
        assert!(pool[0].live.is_empty());
    }
}
