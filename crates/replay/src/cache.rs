//! An allocator that caches, at any moment of a run: rebuilt from the events alone.

use std::collections::BTreeMap;

use super::fold::Fold;
use super::{Frame, Run};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
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
    /// Bytes of allocated blocks, by memory.
    allocated: BTreeMap<u32, u64>,
    /// How often memory was obtained.
    pub obtained: u64,
    /// How often memory was given back.
    pub given: u64,
    /// How often the cache was emptied.
    pub emptied: u64,
}

impl Cache {
    /// Bytes obtained from the cards.
    pub fn reserved(&self) -> u64 {
        self.segments.values().map(|segment| segment.bytes).sum()
    }

    /// Bytes of free blocks.
    pub fn free(&self) -> u64 {
        self.segments.values().flat_map(|segment| segment.free.values()).sum()
    }

    /// Bytes of allocated blocks.
    pub fn allocated(&self) -> u64 {
        self.allocated.values().sum()
    }

    fn apply_note(&mut self, run: &Run, note: Note, subject: u32, a: u64, b: u64) {
        let segment = match note {
            Note::CacheHeld => {
                self.allocated.insert(subject, b);
                return;
            }
            Note::CacheFreed => {
                let memory = run.problem.buffers[BufferId(subject)].memory;
                self.allocated.entry(memory.0).and_modify(|bytes| *bytes = bytes.saturating_sub(a));
                return;
            }
            Note::CacheEmptied => {
                self.emptied += 1;
                return;
            }
            Note::CacheHad
            | Note::CacheSegment
            | Note::CacheMapped
            | Note::CacheBack
            | Note::CacheEnter
            | Note::CacheLeave => self.segments.entry(subject).or_default(),
            _ => return,
        };
        segment.changed = true;
        match note {
            Note::CacheSegment => segment.bytes = a,
            Note::CacheHad | Note::CacheMapped => segment.bytes += b,
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

    fn apply(&mut self, run: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => self.segments.values_mut().for_each(|segment| segment.changed = false),
            Event::Note { note, subject, a, b } => self.apply_note(run, note, subject, a, b),
            _ => {}
        }
    }
}

impl Run {
    /// Whether it repeats the calls of a recorded program, or its requests have stacks of calls.
    pub fn is_recorded_program(&self) -> bool {
        self.has_note(Note::CacheReplay) || !self.problem.stacks.stacks.is_empty()
    }

    /// The step at which the program runs out of memory and ends, if it does.
    pub fn stopped_at(&self) -> Option<u32> {
        let buffers = self.noted(u32::MAX, &[Note::CacheOom]).map(|(_, (_, buffer, ..))| BufferId(buffer));
        buffers.map(|buffer| self.problem.buffers[buffer].live.start).min()
    }

    /// Most bytes that a recorded program obtains from its cards, and most that it has allocated.
    pub fn cache_peaks(&self) -> Option<(u64, u64)> {
        let peaks =
            self.noted(u32::MAX, &[Note::CachePeak]).map(|(_, (.., reserved, allocated))| (reserved, allocated));
        let sum = peaks.reduce(|sum, peak| (sum.0 + peak.0, sum.1 + peak.1));
        sum.filter(|_| self.is_recorded_program())
    }
}

/// Bytes of a segment at a frame; none for a planner whose pools have no end.
pub fn segment_bytes(run: &Run, frame: &Frame, pool: PoolId) -> Option<u64> {
    run.has_panel(StatePanel::CachedBlocks).then(|| {
        let cache = run.fold::<Cache>(frame.events);
        cache.segments.get(&pool.0).map_or(0, |held| held.bytes)
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::problem::Problem;
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers};
    use memplan_planners::{Input, find, origin};

    const MIB: u64 = 1 << 20;
    const CARD: u64 = 8 << 30;

    fn recorded(name: &str) -> Problem {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/data/cuda_allocator/snapshots");
        let file = std::fs::read(format!("{folder}/{name}.pickle.gz")).expect("a snapshot");
        let document = import::read(&file, Answers::default()).expect("readable").document;
        document.own_plan().expect("blocks").0.clone()
    }

    /// The calls of a recording as the planner with this panel repeats them.
    fn repeated(problem: &Problem) -> Run {
        repeated_on(problem, CARD)
    }

    fn repeated_on(problem: &Problem, card: u64) -> Run {
        let planner = find("cuda-caching").expect("registered");
        let info = planner.info();
        let options = info.options([("card", card.to_string().as_str())]).expect("declared");
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem, graph: None }, &options, &mut recorder).expect("a plan");
        Run::new(Rc::new(problem.clone()), origin(info.id, info.align), plan, recorder.events)
    }

    #[test]
    fn a_run_that_runs_out_of_memory_ends_there() {
        let problem = recorded("plain");
        let run = repeated_on(&problem, 100 * MIB);
        let stop = run.stopped_at().expect("out of memory");
        assert_eq!(stop, problem.buffers[run.plan.unplanned[0].0].live.start);
        // The fullest step is one that the program reaches, whatever it would have requested later.
        assert!(run.fullest().step().expect("a step") < stop);
        assert!(memplan_core::problem::Fullest::new(&problem).step().expect("a step") > stop);
        assert!(run.reached().buffers.iter().any(|buffer| buffer.size == 0));
        let whole = repeated(&problem);
        assert_eq!((whole.stopped_at(), whole.fullest().step()), (None, Some(62)));
        assert_eq!(whole.cache_peaks().map(|(reserved, allocated)| (reserved / MIB, allocated / MIB)), Some((132, 73)));
    }

    #[test]
    fn the_largest_block_at_the_end_is_one_that_is_still_there() {
        let run = repeated_on(&recorded("gpt_inference"), 83 * MIB);
        let largest = run.noted(u32::MAX, &[Note::CacheOomLargest]).next().expect("out of memory").1.2;
        let held = run.fold::<Cache>(u32::MAX);
        assert!(held.segments.values().flat_map(|held| held.free.values()).any(|&free| free == largest), "{largest}");
    }

    #[test]
    fn what_was_held_at_first_has_its_free_blocks_before_the_first_buffer() {
        let run = repeated(&recorded("resnet_train_truncated"));
        let begin = run.timeline.decisions[0].begin;
        let cache = run.fold::<Cache>(begin);
        assert_eq!((cache.segments.len(), cache.reserved() / MIB, cache.obtained), (14, 118, 0));
        assert_eq!(cache.allocated() + cache.free(), cache.reserved());
        assert_eq!(cache.allocated() / MIB, 75);
        assert!(run.is_recorded_program());
        // Nobody decided on them, as far as the recording shows.
        let gap = crate::gap(&run, u64::MAX);
        let is_recorded =
            |growth: &crate::Growth| growth.reason.as_ref().is_some_and(|r| r.case == crate::Case::Recorded);
        assert!(!gap.growths.is_empty() && gap.growths.iter().all(is_recorded));
        let sentences = crate::gap_sentences(&run, &gap, Level::Decisions);
        assert_eq!(sentences.iter().map(|sentence| &*sentence.key).collect::<Vec<_>>(), ["gap.recorded-all"]);
    }
}
