//! Whole buffers take turns in shared objects, as GPU textures need it: no addresses, an object is
//! as large as its largest member, the total is their sum. This folder holds the objects; the
//! planners differ in order and in the choice of one.
//!
//! **Rule**: an object is free for a buffer if none of its members is alive together with it. No
//! free object: a new one.
//! **Time and alignment**: the originals count tasks, both ends included; the graph's half-open
//! steps mean the same. Objects begin at 0, which is a multiple of every alignment. Every memory
//! has objects of its own.
//! **Cost**: with `o` objects `O(n o log n)`, since objects are asked one by one in order of size.
//! **Does badly**: an object is never divided. A of 10 [0,1), then B and C of 5 [1,2): B takes A's
//! object, C needs a new one of 5; with addresses both fit into A's 10 bytes.

mod by_breadth;
mod by_min_cost_flow;
mod by_size;
mod by_size_improved;
mod flow;
mod in_order;
mod positions;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, Options, PlanError};
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Branches, BufferId, Live, MemoryId, Problem};
use memplan_core::trace::{Event, Outcome, Probe, Verdict, in_the_way};

pub use by_breadth::ByBreadth;
pub use by_min_cost_flow::ByMinCostFlow;
pub use by_size::BySize;
pub use by_size_improved::BySizeImproved;
pub use in_order::InOrder;

/// A shared object.
struct Object {
    memory: MemoryId,
    /// Bytes of its largest member.
    size: u64,
    /// Each member with the end of its life, by its start; they do not meet.
    lives: BTreeMap<u32, (u32, BufferId)>,
    members: Vec<BufferId>,
}

struct Objects<'a> {
    problem: &'a Problem,
    branches: Branches,
    all: IdVec<PoolId, Object>,
    /// Objects of each memory by size, equal ones by age.
    by_size: IdVec<MemoryId, BTreeSet<(u64, PoolId)>>,
    places: IdVec<BufferId, Option<Place>>,
}

impl Object {
    fn is_free(&self, live: Live) -> bool {
        let last = self.lives.range(..live.end).next_back();
        last.is_none_or(|(_, &(end, _))| end <= live.start)
    }

    /// Members alive during `live`, the latest first.
    fn alive(&self, live: Live) -> impl Iterator<Item = BufferId> {
        let until = self.lives.range(..live.end).rev().map(|(_, &life)| life);
        until.take_while(move |(end, _)| *end > live.start).map(|(_, member)| member)
    }
}

impl<'a> Objects<'a> {
    fn new(input: Input<'a>, options: &Options) -> Result<Objects<'a>, PlanError> {
        let problem = input.problem;
        Ok(Objects {
            problem,
            branches: super::branches(input, options)?,
            all: IdVec::new(),
            by_size: IdVec::from_elem(BTreeSet::new(), problem.memories.len()),
            places: IdVec::from_elem(None, problem.buffers.len()),
        })
    }

    /// Whether `id` may take its turn in an object.
    fn verdict(&self, object: PoolId, id: BufferId) -> Verdict {
        let there = &self.all[object];
        let allowed = || there.members.iter().all(|&member| self.branches.allow(member, id));
        if !there.is_free(self.problem.buffers[id].live) {
            Verdict::Overlaps
        } else if self.branches.is_on() && !allowed() {
            Verdict::Parallel
        } else {
            Verdict::Fits
        }
    }

    fn is_free(&self, object: PoolId, id: BufferId) -> bool {
        self.verdict(object, id) == Verdict::Fits
    }

    /// The smallest free object that is large enough; of equal ones the oldest.
    fn smallest_that_fits(&self, id: BufferId) -> Option<PoolId> {
        let buffer = &self.problem.buffers[id];
        let large_enough = self.by_size[buffer.memory].range((buffer.size, PoolId(0))..);
        large_enough.map(|&(_, object)| object).find(|&object| self.is_free(object, id))
    }

    /// The largest free object that is too small; of equal ones the oldest.
    fn largest_that_is_too_small(&self, id: BufferId) -> Option<PoolId> {
        let buffer = &self.problem.buffers[id];
        let too_small = self.by_size[buffer.memory].range(..(buffer.size, PoolId(0))).rev();
        let mut best: Option<(u64, PoolId)> = None;
        for &(size, object) in too_small {
            if best.is_some_and(|(largest, _)| size < largest) {
                break;
            }
            if self.is_free(object, id) {
                best = Some((size, object));
            }
        }
        best.map(|(_, object)| object)
    }

    /// Gives `id` its turn in an object, or in a new one, and reports it. With `detail` all objects
    /// of its memory are reported; `passed` is what is reported of one that is free and not chosen.
    fn take(
        &mut self,
        id: BufferId,
        chosen: Option<PoolId>,
        passed: Option<Verdict>,
        detail: bool,
        probe: &mut dyn Probe,
    ) -> PoolId {
        if detail {
            self.show(id, chosen, passed, probe);
        }
        let buffer = &self.problem.buffers[id];
        let memory = buffer.memory;
        let object = chosen.unwrap_or_else(|| {
            let none = Object { memory, size: 0, lives: BTreeMap::new(), members: Vec::new() };
            self.all.push(none)
        });
        if chosen.is_none() {
            probe.event(Event::OpenPool { pool: object.0, memory: memory.0, growing: false });
        }
        let there = &mut self.all[object];
        let from = there.size;
        let outcome = match chosen {
            None => Outcome::NewStorage,
            Some(_) if buffer.size > from => Outcome::Enlarge,
            Some(_) => Outcome::Reuse,
        };
        there.size = from.max(buffer.size);
        there.lives.insert(buffer.live.start, (buffer.live.end, id));
        there.members.push(id);
        self.by_size[memory].remove(&(from, object));
        self.by_size[memory].insert((self.all[object].size, object));
        probe.event(Event::Place { outcome, buffer: id, pool: object.0, offset: 0 });
        if buffer.size > from {
            probe.event(Event::Grow { pool: object.0, from, to: buffer.size });
        }
        self.places[id] = Some(Place { pool: object, offset: 0 });
        object
    }

    fn show(&self, id: BufferId, chosen: Option<PoolId>, passed: Option<Verdict>, probe: &mut dyn Probe) {
        let of_memory = |(_, object): &(PoolId, &Object)| object.memory == self.problem.buffers[id].memory;
        for (pool, object) in self.all.enumerate().filter(of_memory) {
            let verdict = match (self.verdict(pool, id), passed) {
                _ if chosen == Some(pool) => Verdict::Chosen,
                (Verdict::Fits, Some(passed)) => passed,
                (Verdict::Fits, None) if object.size < self.problem.buffers[id].size => Verdict::TooSmall,
                (other, _) => other,
            };
            match verdict {
                Verdict::Overlaps => in_the_way(probe, object.alive(self.problem.buffers[id].live)),
                Verdict::Parallel => {
                    let members = object.members.iter().copied();
                    in_the_way(probe, members.filter(|&member| !self.branches.allow(member, id)));
                }
                _ => {}
            }
            probe.event(Event::AskStorage { verdict, pool: pool.0, size: object.size });
        }
    }

    fn into_plan(self) -> Plan {
        let pool = |(id, object): (PoolId, &Object)| Pool {
            name: format!("storage {}", id.index()),
            size: object.size,
            device: self.problem.memories[object.memory].device.clone(),
            role: PoolRole::Storage,
        };
        Plan { pools: self.all.enumerate().map(pool).collect(), places: self.places, ..Plan::default() }
    }
}

/// Reports progress.
fn pulse(done: usize, total: usize, probe: &mut dyn Probe) -> Result<(), PlanError> {
    match probe.pulse(done as u64, total as u64) {
        std::ops::ControlFlow::Break(()) => Err(PlanError::Cancelled),
        std::ops::ControlFlow::Continue(()) => Ok(()),
    }
}
