//! No sharing at all: every buffer gets bytes of its own.
//!
//! **From**: the yardstick every planner is measured against; what a run-time without reuse would
//! take.
//! **Rule**: order of the input; each buffer at the next multiple of its alignment above the one
//! before, in the arena of its memory. With `fixed`, positions that the input states are kept and
//! all others lie above the highest of them. `branch_safe` changes nothing: what never shares is
//! always safe.
//! **Time and alignment**: looks at no live range; the buffer's own alignment.
//! **Cost**: O(n).
//! **Does badly**: everything. A chain of `n` equal buffers, of which two live at a time, takes
//! `n / 2` times the bound.

use std::ops::ControlFlow;

use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, FIXED, Group, Info, Input, Needs, OptionSpec, Options, PlanError, Planner,
    Source,
};
use memplan_core::base::{IdVec, align_up};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, Memory, MemoryId};
use memplan_core::trace::{Event, Explanation, Outcome, Probe};

/// Every buffer on bytes of its own.
pub struct Naive;

static OPTIONS: &[OptionSpec] = &[
    FIXED,
    // Kept in any case.
    BRANCH_SAFE,
];

static INFO: Info = Info {
    id: "naive",
    system: "naive",
    name: "no sharing",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: OPTIONS,
    complexity: Complexity::Linear,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "diamond",
    case: Case { options: &[], peak: 64, best: 32 },
    evidence: Evidence::Stated("evidence.arithmetic"),
    explanation: Explanation { headlines: &[Outcome::Apart], ..Explanation::USUAL },
    group: Group::Reference,
    ..Info::BASE
};

/// One memory's stack of buffers.
#[derive(Clone, Default)]
struct Stack {
    /// Where the next buffer goes.
    top: u64,
    /// The highest end so far.
    peak: u64,
    opened: bool,
}

impl Naive {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Naive {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let total = problem.buffers.len() as u64;
        let keep_fixed = options.flag("fixed");
        let stated = |buffer: &Buffer| buffer.fixed.filter(|_| keep_fixed);
        let mut bottom: IdVec<MemoryId, Option<u64>> = IdVec::from_elem(None, problem.memories.len());
        for buffer in problem.buffers.iter() {
            let end = stated(buffer).map_or(0, |offset| offset + buffer.size);
            bottom[buffer.memory] = bottom[buffer.memory].max(Some(end));
        }
        let mut stacks: IdVec<PoolId, Stack> = IdVec::new();
        let mut pools: IdVec<PoolId, Pool> = IdVec::new();
        let mut pool_of: IdVec<MemoryId, Option<PoolId>> = IdVec::from_elem(None, problem.memories.len());
        for (memory, Memory { device, .. }) in problem.memories.enumerate() {
            if let Some(top) = bottom[memory] {
                stacks.push(Stack { top, ..Stack::default() });
                let pool = Pool { name: "arena".into(), size: 0, device: device.clone(), role: PoolRole::Arena };
                pool_of[memory] = Some(pools.push(pool));
            }
        }
        let mut places = IdVec::from_elem(None, problem.buffers.len());
        for (id, buffer) in problem.buffers.enumerate() {
            if probe.pulse(id.0 as u64, total) == ControlFlow::Break(()) {
                return Err(PlanError::Cancelled);
            }
            let Some(pool) = pool_of[buffer.memory] else { continue };
            let stack = &mut stacks[pool];
            probe.event(Event::Begin { buffer: id });
            if !std::mem::replace(&mut stack.opened, true) {
                probe.event(Event::OpenPool { pool: pool.0, memory: buffer.memory.0, growing: true });
            }
            let offset = stated(buffer).unwrap_or_else(|| align_up(stack.top, buffer.align));
            let end = offset + buffer.size;
            probe.event(Event::Place { outcome: Outcome::Apart, buffer: id, pool: pool.0, offset });
            stack.top = stack.top.max(end);
            if end > stack.peak {
                probe.event(Event::Grow { pool: pool.0, from: stack.peak, to: end });
                stack.peak = end;
            }
            places[id] = Some(Place { pool, offset });
        }
        stacks.enumerate().for_each(|(pool, stack)| pools[pool].size = stack.peak);
        Ok(Plan { pools, places, ..Plan::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use memplan_core::problem::{Live, Problem};
    use memplan_core::trace::Silent;

    fn problem(buffers: &[(u64, u32, Option<u64>)]) -> Problem {
        let buffer = |&(size, memory, fixed): &(u64, u32, Option<u64>)| Buffer {
            align: 4,
            memory: MemoryId(memory),
            fixed,
            ..Buffer::of(format!("b{size}"), size, Live::new(0, 1))
        };
        let memory = |device: &str| Memory { device: device.into(), mem_id: None };
        Problem {
            buffers: buffers.iter().map(buffer).collect(),
            memories: vec![memory("cpu"), memory("unused"), memory("gpu")].into(),
            steps: 1,
            ..Problem::default()
        }
    }

    fn plan(problem: &Problem, fixed: &str) -> (Vec<(u32, u64)>, Vec<u64>) {
        let options = INFO.options([("fixed", fixed)]).unwrap();
        let plan = Naive.plan(Input { problem, graph: None }, &options, &mut Silent).unwrap();
        let places = plan.places.iter().flatten().map(|place| (place.pool.0, place.offset)).collect();
        (places, plan.pools.iter().map(|pool| pool.size).collect())
    }

    #[test]
    fn buffers_stack_up_in_each_memory() {
        let problem = problem(&[(5, 0, None), (6, 2, Some(2)), (7, 0, None), (1, 2, None)]);
        assert_eq!(plan(&problem, "false"), (vec![(0, 0), (1, 0), (0, 8), (1, 8)], vec![15, 9]));
    }

    #[test]
    fn stated_positions_are_kept_below_the_rest() {
        let problem = problem(&[(5, 0, None), (6, 0, Some(4)), (7, 0, Some(20)), (1, 2, None)]);
        assert_eq!(plan(&problem, "true"), (vec![(0, 28), (0, 4), (0, 20), (1, 0)], vec![33, 1]));
    }
}
