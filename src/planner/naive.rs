//! No sharing at all: every buffer gets bytes of its own.
//!
//! **From**: the yardstick every planner is measured against; what a run-time without reuse would take.
//! **Rule**: order of the input; each buffer at the next multiple of its alignment above the one before.
//! **Time and alignment**: looks at no live range; the buffer's own alignment.
//! **Cost**: O(n).
//! **Does badly**: everything. A chain of `n` equal buffers, of which two live at a time, takes `n / 2` times the bound.

use std::ops::ControlFlow;

use super::{Info, Input, Needs, Options, PlanError, Planner, Source};
use crate::base::{IdVec, align_up};
use crate::plan::{Place, Plan, Pool, PoolId, PoolRole};
use crate::trace::{Event, Outcome, Probe};

pub struct Naive;

static INFO: Info = Info {
    id: "naive",
    system: "naive",
    name: "no sharing",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: &[],
    complexity: "O(n)",
    align: 1,
    sweeps: false,
    ranked: true,
    example: "diamond",
};

impl Planner for Naive {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn plan(&self, input: Input, _: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let total = problem.buffers.len() as u64;
        let mut places = IdVec::new();
        let mut top = 0;
        for (id, buffer) in problem.buffers.enumerate() {
            let decision = id.0;
            if probe.pulse(decision as u64, total) == ControlFlow::Break(()) {
                return Err(PlanError::Cancelled);
            }
            probe.event(Event::Begin { buffer: id });
            if decision == 0 {
                probe.event(Event::OpenPool { pool: 0, memory: buffer.memory.0, growing: true });
            }
            let offset = align_up(top, buffer.align);
            let end = offset + buffer.size;
            probe.event(Event::Place { outcome: Outcome::Apart, buffer: id, pool: 0, offset });
            if end > top {
                probe.event(Event::Grow { pool: 0, from: top, to: end });
                top = end;
            }
            places.push(Some(Place { pool: PoolId(0), offset }));
        }
        let pool = |_| Pool {
            name: "arena".into(),
            size: top,
            device: problem.memories.iter().next().map_or_else(String::new, |memory| memory.device.clone()),
            role: PoolRole::Arena,
        };
        let pools = problem.buffers.iter().take(1).map(pool).collect();
        Ok(Plan { pools, places, ..Plan::default() })
    }
}
