//! The walk over births: release what died, choose, place.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::Fit;
use super::arena::{Arena, Ask, BlockChoice};
use super::block::Block;
use super::parallel::Parallel;
use crate::{Input, Options, PlanError};
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Branches, BufferId, Memory, MemoryId, Problem};
use memplan_core::trace::{Event, Outcome, Probe, Verdict, in_the_way};

/// Plans `input` by a fit.
pub fn plan(input: Input, fit: Fit, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let branches = crate::branches(input, options)?;
    let problem = input.problem;
    let order = births(problem, options.get("tie"));
    let mut run = Run::new(problem, fit, options, branches, &order);
    for (decision, &id) in order.iter().enumerate() {
        if probe.pulse(decision as u64, order.len() as u64) == ControlFlow::Break(()) {
            return Err(PlanError::Cancelled);
        }
        run.decide(decision as u32, id, probe);
    }
    Ok(run.into_plan())
}

/// A walk over births.
pub struct Run<'a> {
    problem: &'a Problem,
    /// Whether positions that the input states are kept.
    keep_fixed: bool,
    /// Buffers by death.
    deaths: Vec<BufferId>,
    /// How many of `deaths` are released.
    released: usize,
    pool_of: IdVec<MemoryId, Option<PoolId>>,
    /// One for each memory that holds a buffer.
    pub arenas: IdVec<PoolId, Arena>,
    parallel: Parallel,
    opened: IdVec<PoolId, bool>,
    places: IdVec<BufferId, Option<Place>>,
}

impl<'a> Run<'a> {
    /// `order` is the order of births.
    pub fn new(problem: &'a Problem, fit: Fit, options: &Options, branches: Branches, order: &[BufferId]) -> Run<'a> {
        let mut deaths: Vec<BufferId> = problem.buffers.ids().collect();
        deaths.sort_by_key(|&id| (problem.buffers[id].live.end, id));
        let mut used = IdVec::from_elem(false, problem.memories.len());
        problem.buffers.iter().for_each(|buffer| used[buffer.memory] = true);
        let mut arenas: IdVec<PoolId, Arena> = IdVec::new();
        let mut arena = |&used: &bool| used.then(|| arenas.push(Arena::new(fit, options.get("tail") == "bounded")));
        let pool_of = used.iter().map(&mut arena).collect();
        let opened = IdVec::from_elem(false, arenas.len());
        let places = IdVec::from_elem(None, problem.buffers.len());
        let keep_fixed = options.flag("fixed");
        let parallel = Parallel::new(branches, arenas.len());
        let mut run = Run { problem, keep_fixed, deaths, released: 0, pool_of, arenas, parallel, opened, places };
        run.state_obstacles(order);
        run
    }

    fn state_obstacles(&mut self, order: &[BufferId]) {
        for &id in order {
            let buffer = &self.problem.buffers[id];
            if let (Some(start), Some(pool)) = (self.fixed(id), self.pool_of[buffer.memory])
                && buffer.size > 0
            {
                let span = Block { start, end: start + Ask::of(buffer).size };
                self.arenas[pool].obstacles.add(buffer.live, span);
                self.parallel.state(pool, span, id);
            }
        }
    }

    fn fixed(&self, id: BufferId) -> Option<u64> {
        self.problem.buffers[id].fixed.filter(|_| self.keep_fixed)
    }

    /// Places a buffer, after everything that died before it is released.
    pub fn decide(&mut self, decision: u32, id: BufferId, probe: &mut dyn Probe) {
        probe.event(Event::Begin { buffer: id });
        self.release_dead(self.problem.buffers[id].live.start, probe);
        let buffer = &self.problem.buffers[id];
        let Some(pool) = self.pool_of[buffer.memory] else { return };
        let ask = Ask::of(buffer);
        let fixed = self.fixed(id);
        let arena = &mut self.arenas[pool];
        let (offset, outcome) = if buffer.size == 0 {
            (fixed.unwrap_or(0), Outcome::Nothing)
        } else if let Some(offset) = fixed {
            (offset, if offset >= arena.peak { Outcome::AtEnd } else { Outcome::Split })
        } else {
            let detail = probe.wants_detail(decision);
            let choice = arena.choose(ask, &self.parallel.spans(pool, id), detail);
            if detail {
                show(&choice, ask, arena.fit, |bytes| self.parallel.users(pool, id, bytes), probe);
            }
            let BlockChoice { block, offset, .. } = choice;
            arena.chain.take(offset, offset + ask.size);
            self.parallel.add(pool, Block { start: offset, end: offset + ask.size }, id);
            let outcome = match block {
                _ if block.is_top() => Outcome::AtEnd,
                _ if ask.fills(block, offset) => Outcome::Exact,
                _ => Outcome::Split,
            };
            (offset, outcome)
        };
        let first = !std::mem::replace(&mut self.opened[pool], true);
        if first {
            probe.event(Event::OpenPool { pool: pool.0, memory: buffer.memory.0, growing: true });
        }
        let outcome = if first && outcome != Outcome::Nothing { Outcome::NewPool } else { outcome };
        probe.event(Event::Place { outcome, buffer: id, pool: pool.0, offset });
        if let Some((from, to)) = arena.rise(offset + buffer.size, offset + ask.size) {
            probe.event(Event::Grow { pool: pool.0, from, to });
        }
        self.places[id] = Some(Place { pool, offset });
    }

    fn release_dead(&mut self, now: u32, probe: &mut dyn Probe) {
        while let Some(&id) = self.deaths.get(self.released) {
            let buffer = &self.problem.buffers[id];
            if buffer.live.end > now {
                return;
            }
            self.released += 1;
            probe.event(Event::Release { buffer: id });
            // Stated positions are obstacles, not blocks of the chain.
            if let (Some(place), true) = (self.places[id], self.fixed(id).is_none() && buffer.size > 0) {
                self.arenas[place.pool].chain.release(place.offset, place.offset + Ask::of(buffer).size);
            }
        }
    }

    fn into_plan(self) -> Plan {
        let problem = self.problem;
        let pool = |memory: MemoryId| {
            let arena = &self.arenas[self.pool_of[memory]?];
            let Memory { device, mem_id } = &problem.memories[memory];
            let name = mem_id.map_or_else(|| "arena".to_string(), |id| format!("arena {id}"));
            Some(Pool { name, size: arena.peak, device: device.clone(), role: PoolRole::Arena })
        };
        let pools = problem.memories.ids().filter_map(pool).collect();
        Plan { pools, places: self.places, ..Plan::default() }
    }
}

/// Buffers by start of life, ties by the option.
pub fn births(problem: &Problem, tie: &str) -> Vec<BufferId> {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| {
        let buffer = &problem.buffers[id];
        let first = match tie {
            "size" => buffer.size,
            "long" => buffer.live.len() as u64,
            _ => 0,
        };
        (buffer.live.start, Reverse(first), id.index())
    });
    order
}

/// Reports the blocks looked at: first fit looks no further than its choice.
fn show(choice: &BlockChoice, ask: Ask, fit: Fit, users: impl Fn(Block) -> Vec<BufferId>, probe: &mut dyn Probe) {
    let verdict = |&block: &Block| match block {
        _ if block == choice.block => (block, Verdict::Chosen),
        _ if ask.fits(block) => (block, Verdict::Fits),
        _ => (block, Verdict::TooSmall),
    };
    let refused = choice.parallel.iter().map(|&block| (block, Verdict::Parallel));
    let mut looked_at: Vec<(Block, Verdict)> = choice.candidates.iter().map(verdict).chain(refused).collect();
    looked_at.sort_by_key(|(block, _)| block.start);
    for (block, verdict) in looked_at {
        let room = if block.is_top() { u64::MAX } else { block.len() };
        if verdict == Verdict::Parallel {
            in_the_way(probe, users(block));
        }
        probe.event(Event::Block { verdict, offset: block.start, room });
        if fit == Fit::First && verdict == Verdict::Chosen {
            return;
        }
    }
}
