//! One arena for each memory, for planners that give addresses: reports where each buffer goes and
//! collects the plan.

use memplan_core::base::IdVec;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{BufferId, Memory, MemoryId, Problem};
use memplan_core::trace::{Event, Outcome, Probe, Silent};

/// The arenas of a problem with what lies in them so far.
pub struct Arenas<'a> {
    problem: &'a Problem,
    pool_of: IdVec<MemoryId, Option<PoolId>>,
    /// End of the highest buffer of each, in bytes.
    peaks: IdVec<PoolId, u64>,
    opened: IdVec<PoolId, bool>,
    places: IdVec<BufferId, Option<Place>>,
}

impl<'a> Arenas<'a> {
    /// One arena for each memory that holds a buffer.
    pub fn new(problem: &'a Problem) -> Arenas<'a> {
        let mut used = IdVec::from_elem(false, problem.memories.len());
        problem.buffers.iter().for_each(|buffer| used[buffer.memory] = true);
        let mut peaks: IdVec<PoolId, u64> = IdVec::new();
        let pool_of = used.iter().map(|&used| used.then(|| peaks.push(0))).collect();
        let opened = IdVec::from_elem(false, peaks.len());
        Arenas { problem, pool_of, peaks, opened, places: IdVec::from_elem(None, problem.buffers.len()) }
    }

    /// End of the highest buffer so far in the arena of a memory.
    pub fn peak(&self, memory: MemoryId) -> u64 {
        self.pool_of[memory].map_or(0, |pool| self.peaks[pool])
    }

    /// Puts a buffer at `offset` and reports it. The first buffer of a memory opens its arena; if
    /// it has bytes, the reported outcome is [`Outcome::NewPool`], whatever `outcome` is.
    pub fn place(&mut self, id: BufferId, offset: u64, outcome: Outcome, probe: &mut dyn Probe) {
        let buffer = &self.problem.buffers[id];
        let Some(pool) = self.pool_of[buffer.memory] else { return };
        let first = !std::mem::replace(&mut self.opened[pool], true);
        if first {
            probe.event(Event::OpenPool { pool: pool.0, memory: buffer.memory.0, growing: true });
        }
        let outcome = if first && outcome != Outcome::Nothing { Outcome::NewPool } else { outcome };
        probe.event(Event::Place { outcome, buffer: id, pool: pool.0, offset });
        let (from, to) = (self.peaks[pool], offset + buffer.size);
        if to > from {
            probe.event(Event::Grow { pool: pool.0, from, to });
            self.peaks[pool] = to;
        }
        self.places[id] = Some(Place { pool, offset });
    }

    /// Moves a buffer that has its place up to another offset.
    pub fn lift(&mut self, id: BufferId, offset: u64, probe: &mut dyn Probe) {
        let Some(Place { pool, .. }) = self.places[id] else { return };
        probe.event(Event::Move { buffer: id, pool: pool.0, offset });
        let (from, to) = (self.peaks[pool], offset + self.problem.buffers[id].size);
        if to > from {
            probe.event(Event::Grow { pool: pool.0, from, to });
            self.peaks[pool] = to;
        }
        self.places[id] = Some(Place { pool, offset });
    }

    /// The plan of what was placed.
    pub fn into_plan(self) -> Plan {
        let pool = |memory: MemoryId| {
            let Memory { device, mem_id } = &self.problem.memories[memory];
            let name = mem_id.map_or_else(|| "arena".to_string(), |id| format!("arena {id}"));
            let size = self.peaks[self.pool_of[memory]?];
            Some(Pool { name, size, device: device.clone(), role: PoolRole::Arena })
        };
        let pools = self.problem.memories.ids().filter_map(pool).collect();
        Plan { pools, places: self.places, ..Plan::default() }
    }
}

/// The plan with each buffer so many bytes above the base of its memory.
pub fn plan_at(problem: &Problem, offsets: &[u64]) -> Plan {
    let mut arenas = Arenas::new(problem);
    let places = problem.buffers.ids().zip(offsets);
    places.for_each(|(id, &offset)| arenas.place(id, offset, Outcome::Apart, &mut Silent));
    arenas.into_plan()
}
