//! XLA's heap algorithm as its CPU compiler runs it: two orders, each with the tightest gap, and
//! the smaller heap.
//!
//! **From**: openxla/xla 5a9e73c (in jaxlib 0.10.2),
//! `xla/service/heap_simulator/heap_simulator.cc`: `HeapSimulator`,
//! `GlobalDecreasingSizeBestFitHeap`, `ChooseBestHeapAlgorithm`,
//! `ConstrainedGlobalDecreasingSizeBestFitHeap`.
//! **Rule**: a clock ticks at each allocation and each free: at a step first come the definitions,
//! then the ends, both by start, end and position in the input. With option `inplace` a result
//! takes over an operand that the graph permits it to overwrite, that ends at its node, has as many
//! bytes and is neither input nor weight; such a chain is placed once, and each of its buffers is
//! in the way in its own ticks only. Spatial order is large before small, equal sizes by ticks of
//! the first buffer; temporal is by ticks of the whole chain, equal ones large before small; ties
//! go by position. A buffer takes the smallest gap that is large enough, the lowest of equals;
//! none: above all. Both orders are run for each memory; spatial is kept if equal.
//! **Time and alignment**: ticks of the clock, ends included; two buffers that have a step in
//! common have a tick in common, unless one takes over from the other. Offsets are multiples of 64,
//! as on CPU, and of the buffer's own alignment.
//! **Cost**: three times that of the folder: each order once, and the kept one again to report it.
//! With a limit of `h` heaps every heap looks at all buffers that are left.
//! **Does badly**: what is placed first takes offset 0, whatever lives between them. 128 bytes live
//! [0,1), 64 [0,2), 64 [1,3) and 128 [2,3): both large ones lie at 0, so the small ones lie at 128
//! and 192: 256, where 192 would do.
//! **Differs**: XLA plans only intermediates this way: parameters, outputs and constants have
//! allocations of their own, in which it places some intermediates before. Here all buffers asked
//! for are planned. Permissions to overwrite are those of the graph; XLA derives them from shapes
//! and operators, and always uses them.

pub mod clock;
pub mod heap;
mod simulate;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::in_place::Pairs;
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, NotApplicable, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source, way,
};
use clock::IntervalId;
use heap::{Heap, Order, Packing, Turn, total};
use memplan_core::base::{IdVec, MAX_SAFE};
use memplan_core::graph::Format;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Branches, BufferId, Memory, MemoryId, Problem};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Verdict, in_the_way};
use simulate::{Simulation, judge, simulate};

/// XLA's heap algorithm.
pub struct XlaHeap;

/// Offsets are multiples of this on CPU, in bytes.
pub const ALIGN: u64 = 64;

const ORDER: &str = "order";
const LIMIT: &str = "limit";
const INPLACE: &str = "inplace";

static INFO: Info = Info {
    id: "xla-heap",
    system: "XLA",
    name: "GlobalDecreasingSizeBestFitHeap",
    source: Source {
        repository: "openxla/xla",
        version: "5a9e73cbd92530cac2ac36f4736a774b2412afe2",
        file: "xla/service/heap_simulator/heap_simulator.cc",
    },
    options: &[
        OptionSpec {
            key: ORDER,
            original: "BufferIntervalCompare",
            kind: OptionKind::Choice(&["both", "spatial", "temporal"]),
            default: "both",
        },
        OptionSpec {
            key: LIMIT,
            original: "xla_multiheap_size_constraint_per_heap",
            kind: OptionKind::Whole { min: 0, max: MAX_SAFE },
            default: "0",
        },
        OptionSpec {
            key: INPLACE,
            original: "CanShareOperandBufferWithUser",
            kind: OptionKind::Flag,
            default: "false",
        },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Pairs,
    align: ALIGN,
    uses_gaps: true,
    example: "bert_base_seq128",
    case: Case { options: &[], peak: 256, best: 192 },
    evidence: Evidence::Golden { system: "xla", planners: &["spatial", "temporal"] },
    formats: &[Format::Hlo],
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "HeapSimulator::RunComputation"),
            (Decides::Everything, "GlobalDecreasingSizeBestFitHeap::FindChunkCandidate"),
        ],
        way_options: &[ORDER],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl XlaHeap {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for XlaHeap {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = crate::branches(input, options)?;
        let problem = input.problem;
        let pairs = if options.flag(INPLACE) { judge(problem, &branches) } else { Pairs::default() };
        let memories: Vec<MemoryId> = problem.memories.ids().collect();
        let simulations: Vec<(MemoryId, Simulation)> =
            memories.into_iter().map(|memory| (memory, simulate(problem, memory, &pairs, ALIGN))).collect();
        let limit = Some(options.whole(LIMIT)).filter(|&limit| limit > 0);
        let mut orders = Vec::with_capacity(simulations.len());
        for (_, simulation) in &simulations {
            orders.push(best_order(simulation, options.get(ORDER), limit, &branches, probe)?);
        }
        let mut report =
            Report { problem, pairs: &pairs, plan: Plan::empty(problem), ends: IdVec::new(), decisions: 0, probe };
        for ((memory, simulation), order) in simulations.iter().zip(orders) {
            report.memory(*memory, simulation, order, limit, &branches)?;
        }
        let Report { mut plan, ends, .. } = report;
        plan.pools.iter_mut().zip(ends.iter()).for_each(|(pool, &end)| pool.size = end);
        plan.shared = pairs.shared;
        Ok(plan)
    }
}

/// The heaps of one order; none if the run was stopped.
fn pack(
    simulation: &Simulation,
    order: Order,
    limit: Option<u64>,
    branches: &Branches,
    watch: impl FnMut(Turn) -> ControlFlow<()>,
) -> Option<Vec<Heap>> {
    let bars = |one: IntervalId, other: IntervalId| {
        let (one, other) = (simulation.owner[one], simulation.owner[other]);
        one != other && !branches.allow(one, other)
    };
    let packing = Packing { clock: &simulation.clock, order, limit, bars: branches.is_on().then_some(&bars) };
    packing.run(watch)
}

/// The order with the smallest heaps among those asked for, each try reported.
fn best_order(
    simulation: &Simulation,
    asked: &str,
    limit: Option<u64>,
    branches: &Branches,
    probe: &mut dyn Probe,
) -> Result<Order, PlanError> {
    let orders: Vec<Order> = Order::ALL.into_iter().filter(|order| asked == "both" || asked == order.name()).collect();
    let first = *orders.first().ok_or(PlanError::NotApplicable(NotApplicable::NothingTried))?;
    let groups = simulation.clock.groups.len() as u64;
    if orders.len() == 1 || groups == 0 {
        return Ok(first);
    }
    let name = |order: Order| way(&format!("{}, tightest", order.name()));
    let mut best = (u64::MAX, first);
    for order in orders {
        let mut done = 0;
        let watch = |_: Turn| {
            done += 1;
            probe.pulse(done, groups)
        };
        let heaps = pack(simulation, order, limit, branches, watch).ok_or(PlanError::Cancelled)?;
        let bytes = total(&heaps);
        probe.event(Event::Note { note: Note::TryWay, subject: name(order), a: bytes, b: 0 });
        if bytes < best.0 {
            best = (bytes, order);
        }
    }
    probe.event(Event::Note { note: Note::KeepWay, subject: name(best.1), a: best.0, b: 0 });
    Ok(best.1)
}

/// Reports the kept run and collects its plan.
struct Report<'a> {
    problem: &'a Problem,
    pairs: &'a Pairs,
    plan: Plan,
    /// End of the highest buffer of each pool, in bytes.
    ends: IdVec<PoolId, u64>,
    decisions: u32,
    probe: &'a mut dyn Probe,
}

impl Report<'_> {
    fn memory(
        &mut self,
        memory: MemoryId,
        simulation: &Simulation,
        order: Order,
        limit: Option<u64>,
        branches: &Branches,
    ) -> Result<(), PlanError> {
        let heap = HeapOf { memory, base: self.plan.pools.len(), number: 0 };
        let groups = simulation.clock.groups.len() as u64;
        let mut done = 0;
        let watch = |turn: Turn| {
            self.turn(heap, simulation, &turn);
            done += 1;
            self.probe.pulse(done, groups)
        };
        pack(simulation, order, limit, branches, watch).ok_or(PlanError::Cancelled)?;
        for &id in &simulation.empty {
            self.probe.event(Event::Begin { buffer: id });
            self.decisions += 1;
            self.place(heap, id, 0, Outcome::Nothing);
        }
        Ok(())
    }

    /// All decisions of a group: its first buffer is placed, the others follow.
    fn turn(&mut self, heap: HeapOf, simulation: &Simulation, turn: &Turn) {
        let mut is_first = true;
        let chain: BTreeSet<BufferId> = turn.group.members.iter().map(|&member| simulation.owner[member]).collect();
        for &member in &turn.group.members {
            let id = simulation.owner[member];
            // Later parts of a buffer with gaps are where the first one is.
            if self.plan.places[id].is_some() {
                continue;
            }
            self.probe.event(Event::Begin { buffer: id });
            let ticks = simulation.clock.lives[member];
            let (a, b) = (ticks.start.into(), ticks.end.into());
            self.probe.event(Event::Note { note: Note::Ticks, subject: id.0, a, b });
            if is_first && chain.len() > 1 {
                let (a, b) = (chain.len() as u64, turn.group.whole.end.into());
                self.probe.event(Event::Note { note: Note::TickChain, subject: id.0, a, b });
            }
            self.pairs.report(id, self.probe);
            let outcome = match (is_first, turn.is_gap()) {
                (false, _) => Outcome::InPlace,
                (true, true) => Outcome::Gap,
                (true, false) => Outcome::AtEnd,
            };
            if is_first && self.probe.wants_detail(self.decisions) {
                for &((offset, end), other) in &turn.parallel {
                    in_the_way(self.probe, [simulation.owner[other]]);
                    self.probe.event(Event::Block { verdict: Verdict::Parallel, offset, room: end - offset });
                }
                turn.show(self.probe);
            }
            self.decisions += 1;
            self.place(HeapOf { number: turn.heap, ..heap }, id, turn.offset, outcome);
            is_first = false;
        }
    }

    fn place(&mut self, heap: HeapOf, id: BufferId, offset: u64, outcome: Outcome) {
        let pool = PoolId((heap.base + heap.number) as u32);
        let is_new = self.plan.pools.get(pool).is_none();
        if is_new {
            self.plan.pools.push(self.pool(heap));
            self.ends.push(0);
            self.probe.event(Event::OpenPool { pool: pool.0, memory: heap.memory.0, growing: true });
        }
        let outcome = if is_new && outcome != Outcome::Nothing { Outcome::NewPool } else { outcome };
        self.probe.event(Event::Place { outcome, buffer: id, pool: pool.0, offset });
        let (from, to) = (self.ends[pool], offset + self.problem.buffers[id].size);
        if to > from {
            self.probe.event(Event::Grow { pool: pool.0, from, to });
            self.ends[pool] = to;
        }
        self.plan.places[id] = Some(Place { pool, offset });
    }

    fn pool(&self, heap: HeapOf) -> Pool {
        let Memory { device, mem_id } = &self.problem.memories[heap.memory];
        let name = match (mem_id, heap.number) {
            (Some(id), _) => format!("arena {id}"),
            (None, 0) => "arena".to_string(),
            (None, number) => format!("arena {number}"),
        };
        Pool { name, size: 0, device: device.clone(), role: PoolRole::Arena }
    }
}

/// One of the heaps of a memory.
#[derive(Clone, Copy)]
struct HeapOf {
    memory: MemoryId,
    /// The pool of its first heap.
    base: usize,
    number: usize,
}
