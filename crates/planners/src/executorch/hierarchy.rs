//! The two planners of the Cadence backend: memories of limited size, the preferred one first.

use super::spec::{Answer, Assigned, Refusal, Spec};
use super::stage::Stage;
use crate::way;
use memplan_core::base::align_up;
use memplan_core::problem::{Branches, BufferId, Live};
use memplan_core::trace::{Note, Outcome, Verdict};

/// One memory of the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Number of its arena.
    pub mem_id: u32,
    /// Bytes.
    pub size: u64,
    /// Alignment of every end in it, in bytes.
    pub align: u64,
}

/// How a place inside a memory is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// `PositionBasedGreedyWithHierarchy`: from offset 0, past whatever is in the way.
    Position,
    /// `GreedyWithHeuristic`: the smallest gap that is large enough.
    Gap,
}

impl Search {
    /// The class of the original.
    pub fn name(self) -> &'static str {
        match self {
            Search::Position => "PositionBasedGreedyWithHierarchy",
            Search::Gap => "GreedyWithHeuristic",
        }
    }
}

/// A spec in a memory.
#[derive(Clone, Copy, Debug)]
struct Tenant {
    buffer: BufferId,
    live: Live,
    from: u64,
    to: u64,
}

/// The tenants of one memory, found by time: each is listed in every bucket of steps that it is
/// alive in.
struct Space {
    /// In the order in which they were placed.
    tenants: Vec<Tenant>,
    buckets: Vec<Vec<usize>>,
    /// Steps in a bucket.
    width: u32,
}

/// Most buckets of a memory: enough that few tenants of a long run share one.
const BUCKETS: u32 = 1024;

/// Places specs: large before small by size rounded to 16, ties in their order; each in the first
/// memory that accepts it.
///
/// # Errors
/// [`Refusal::NoMemory`] when none accepts one, [`Refusal::Cancelled`] when stopped.
pub fn hierarchy(
    specs: &[Spec],
    memories: &[Memory],
    search: Search,
    branches: &Branches,
    stage: &mut Stage,
) -> Result<Answer, Refusal> {
    let mut order: Vec<usize> = (0..specs.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(bytes(&specs[index])));
    let steps = specs.iter().map(|spec| spec.live.end).max().unwrap_or(1);
    let mut spaces: Vec<Space> = memories.iter().map(|_| Space::new(steps)).collect();
    let mut first = true;
    let mut answer = Answer { places: vec![None; specs.len()], ..Answer::default() };
    for index in order {
        let spec = &specs[index];
        let detail = stage.begin(spec)?;
        if std::mem::take(&mut first) {
            stage.note(Note::SearchBy, way(search.name()), 0, 0);
        }
        let mut taken = None;
        for (memory, space) in memories.iter().zip(&mut spaces) {
            let mut barring = space.barring(spec, branches);
            let (offset, room) = match search {
                Search::Position => position(spec, memory, &barring),
                Search::Gap => {
                    // Stable: of equal offsets the one placed earlier stays first.
                    barring.sort_by_key(|tenant| tenant.from);
                    gap(spec, memory, &barring)
                }
            };
            if !memory.accepts(offset, bytes(spec)) {
                stage.note(Note::MemoryFull, stage.pool(memory.mem_id), memory.size, 0);
                continue;
            }
            if detail {
                stage.block(Verdict::Chosen, offset, room);
            }
            space.add(Tenant { buffer: spec.buffer, live: spec.live, from: offset, to: offset + bytes(spec) });
            let end = answer.arenas.entry(memory.mem_id).or_default();
            *end = (*end).max(align_up(offset + bytes(spec), memory.align));
            taken = Some((memory.mem_id, offset, room));
            break;
        }
        let have = memories.iter().map(|memory| memory.size).max().unwrap_or(0);
        let (mem_id, offset, room) = taken.ok_or(Refusal::NoMemory { need: bytes(spec), have })?;
        stage.place(if room == u64::MAX { Outcome::AtEnd } else { Outcome::Gap }, spec, mem_id, offset);
        answer.places[index] = Some(Assigned { mem_id, offset, object: 0 });
    }
    Ok(answer)
}

/// The bytes of a spec as the backend sees them: rounded to the alignment it carries, whatever the
/// memory's is.
fn bytes(spec: &Spec) -> u64 {
    spec.size(spec.align)
}

impl Memory {
    fn accepts(&self, offset: u64, bytes: u64) -> bool {
        offset.checked_add(bytes).is_some_and(|end| end <= self.size && align_up(end, self.align) <= self.size)
    }
}

impl Tenant {
    fn meets_bytes(&self, from: u64, bytes: u64) -> bool {
        self.from < from + bytes && from < self.to
    }
}

impl Space {
    fn new(steps: u32) -> Space {
        let width = steps.div_ceil(BUCKETS).max(1);
        Space { tenants: Vec::new(), buckets: vec![Vec::new(); steps.div_ceil(width) as usize], width }
    }

    fn buckets(&self, live: Live) -> std::ops::RangeInclusive<usize> {
        (live.start / self.width) as usize..=((live.end - 1) / self.width) as usize
    }

    fn add(&mut self, tenant: Tenant) {
        let index = self.tenants.len();
        for bucket in self.buckets(tenant.live) {
            self.buckets[bucket].push(index);
        }
        self.tenants.push(tenant);
    }

    /// Those who may not have the same bytes as the spec, in the order in which they were placed.
    fn barring(&self, spec: &Spec, branches: &Branches) -> Vec<Tenant> {
        let bars = |tenant: &&Tenant| tenant.live.meets(spec.live) || !branches.allow(tenant.buffer, spec.buffer);
        if branches.is_on() {
            return self.tenants.iter().filter(bars).copied().collect();
        }
        let near = self.buckets(spec.live);
        let mut found = Vec::new();
        for bucket in near.clone() {
            // A tenant of several buckets counts in the first of them that is looked at.
            let first = |&&index: &&usize| *self.buckets(self.tenants[index].live).start().max(near.start()) == bucket;
            let meets = |&&index: &&usize| self.tenants[index].live.meets(spec.live);
            found.extend(self.buckets[bucket].iter().filter(first).filter(meets).copied());
        }
        found.sort_unstable();
        found.into_iter().map(|index| self.tenants[index]).collect()
    }
}

/// The offset found by going past the tenant placed earliest of those in the way, beyond the memory
/// if there is none, and the bytes up to the next tenant above it.
fn position(spec: &Spec, memory: &Memory, barring: &[Tenant]) -> (u64, u64) {
    let mut offset = 0;
    while memory.accepts(offset, bytes(spec)) {
        match barring.iter().find(|tenant| tenant.meets_bytes(offset, bytes(spec))) {
            Some(tenant) => offset = align_up(tenant.to, memory.align),
            None => break,
        }
    }
    let above = barring.iter().filter_map(|tenant| tenant.from.checked_sub(offset)).min();
    (offset, above.unwrap_or(u64::MAX))
}

/// The start and bytes of the smallest gap that is large enough, the first of equals; else the end
/// of everything in the way.
fn gap(spec: &Spec, memory: &Memory, barring: &[Tenant]) -> (u64, u64) {
    let mut end = 0;
    let mut best: Option<(u64, u64)> = None;
    for tenant in barring {
        if let Some(room) = tenant.from.checked_sub(end)
            && room >= bytes(spec)
            && best.is_none_or(|(_, smallest)| room < smallest)
        {
            best = Some((end, room));
        }
        end = end.max(align_up(tenant.to, memory.align));
    }
    best.unwrap_or((end, u64::MAX))
}
