//! An allocator that caches, at any moment of a run: rebuilt from the events alone.

use std::collections::BTreeMap;

use super::fold::Fold;
use super::{Frame, Run};
use memplan_core::plan::PoolId;
use memplan_core::trace::{Event, Note, StatePanel};

/// A segment that the allocator holds.
#[derive(Clone, Default)]
pub struct HeldSegment {
    /// Bytes that it has.
    pub bytes: u64,
    /// Bytes of each free block by its first byte.
    pub free: BTreeMap<u64, u64>,
    /// Whether something happened to it since the last request began.
    pub changed: bool,
}

/// What the allocator keeps.
#[derive(Clone, Default)]
pub struct Cache {
    /// Segments by pool.
    pub segments: BTreeMap<u32, HeldSegment>,
    /// Bytes obtained from the card and bytes of allocated blocks, by memory.
    pub held: BTreeMap<u32, (u64, u64)>,
    /// How often memory was obtained.
    pub obtained: u64,
    /// How often memory was given back.
    pub given: u64,
    /// How often the cache was emptied.
    pub emptied: u64,
}

impl Cache {
    fn apply_note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        let segment = match note {
            Note::CacheHeld => {
                self.held.insert(subject, (a, b));
                return;
            }
            Note::CacheEmptied => {
                self.emptied += 1;
                return;
            }
            Note::CacheSegment | Note::CacheMapped | Note::CacheBack | Note::CacheEnter | Note::CacheLeave => {
                self.segments.entry(subject).or_default()
            }
            _ => return,
        };
        segment.changed = true;
        match note {
            Note::CacheSegment => segment.bytes = a,
            Note::CacheMapped => segment.bytes += b,
            Note::CacheBack => segment.bytes = segment.bytes.saturating_sub(b),
            Note::CacheEnter => _ = segment.free.insert(a, b),
            _ => _ = segment.free.remove(&a),
        }
        match note {
            Note::CacheSegment | Note::CacheMapped => self.obtained += 1,
            Note::CacheBack => self.given += 1,
            _ => {}
        }
        if segment.bytes == 0 {
            self.segments.remove(&subject);
        }
    }
}

impl Fold for Cache {
    fn new(_: &Run) -> Cache {
        Cache::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => self.segments.values_mut().for_each(|segment| segment.changed = false),
            Event::Note { note, subject, a, b } => self.apply_note(note, subject, a, b),
            _ => {}
        }
    }
}

/// Bytes of a segment at a frame; none for a planner whose pools have no end.
pub fn segment_bytes(run: &Run, frame: &Frame, pool: PoolId) -> Option<u64> {
    run.has_panel(StatePanel::CachedBlocks).then(|| {
        let cache = run.fold::<Cache>(frame.events);
        cache.segments.get(&pool.0).map_or(0, |held| held.bytes)
    })
}
