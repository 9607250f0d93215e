//! The plan in the file: one pool an allocation, one buffer a run of values.

use std::collections::BTreeMap;

use super::graph::{Slots, memory_name};
use super::module::Module;
use super::places::Run;
use super::values::Values;
use super::wire::{BufferAllocationProto, BufferAssignmentProto};
use memplan_core::base::{MAX_SAFE, Message, Names};
use memplan_core::graph::{Kind, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, Live, Memory, MemoryId, Problem};

/// The memory of colour 0.
const DEFAULT: &str = "cpu";

/// What an allocation is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Parameter,
    Constant,
    Output,
    Temp,
}

/// What an allocation that is not thread-local is for.
pub fn use_of(allocation: &BufferAllocationProto) -> Use {
    if allocation.is_parameter {
        Use::Parameter
    } else if allocation.is_constant {
        Use::Constant
    } else if allocation.is_live_out {
        Use::Output
    } else {
        Use::Temp
    }
}

/// The buffers of the plan and where they lie.
///
/// # Errors
/// A size that is no size, or all sizes together beyond what is exact.
pub fn plan(
    module: &Module,
    values: &Values,
    assignment: &BufferAssignmentProto,
    runs: &[Run],
    takeovers: &[(usize, usize)],
    slots: &Slots,
) -> Result<(Problem, Plan), Message> {
    let outputs = values.outputs(module);
    let mut problem = Problem { name: module.proto.name.clone(), steps: module.end().max(1), ..Problem::default() };
    let mut plan = Plan::default();
    let mut memories: BTreeMap<i64, MemoryId> = BTreeMap::new();
    let mut pools: Vec<Option<PoolId>> = Vec::with_capacity(assignment.allocations.len());
    for allocation in &assignment.allocations {
        let size = u64::try_from(allocation.size).ok().filter(|&size| size <= MAX_SAFE);
        let size = size.ok_or_else(|| Message::new("fault.hlo-allocation").text("id", allocation.index.to_string()))?;
        let shown = (!allocation.is_thread_local).then(|| {
            let device = memory_name(allocation.color).unwrap_or_else(|| DEFAULT.to_string());
            let name = format!("{}: {}", allocation.index, pool_name(module, allocation));
            plan.pools.push(Pool { name, size, device, role: PoolRole::Arena })
        });
        pools.push(shown);
    }
    let mut names: Names<String, u64> = Names::default();
    let mut buffer_of = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate() {
        let allocation = &assignment.allocations[run.allocation];
        let Some(pool) = pools[run.allocation].filter(|_| run.size > 0) else { continue };
        let first = run.values[0];
        let set = values.all[first].set;
        let memory = *memories.entry(allocation.color).or_insert_with(|| {
            let device = memory_name(allocation.color).unwrap_or_else(|| DEFAULT.to_string());
            problem.memories.push(Memory { device, mem_id: None })
        });
        let kind = match use_of(allocation) {
            Use::Constant => Kind::Weight,
            Use::Parameter => Kind::Input,
            Use::Output if outputs[set] => Kind::Output,
            Use::Output | Use::Temp => Kind::Intermediate,
        };
        // The time after the last step is the caller's.
        let end = (run.live.1 + 1).min(problem.steps);
        let live = if kind == Kind::Weight { Live::new(0, problem.steps) } else { Live::new(run.live.0, end) };
        let tensor = slots[set].map(|slot| TensorId(slot.0 as u32));
        buffer_of[index] = Some(problem.buffers.push(Buffer {
            name: crate::import::build::unique(&mut names, &values.name(module, first)),
            size: run.size,
            live,
            align: 1,
            memory,
            kind,
            fixed: None,
            gaps: Vec::new(),
            tensors: tensor.into_iter().collect(),
            stack: None,
            kernel: None,
        }));
        plan.places.push(Some(Place { pool, offset: run.offset }));
    }
    if !problem.total_is_safe(1) {
        return Err(Message::new("fault.sum-too-large"));
    }
    let pair = |&(donor, acceptor): &(usize, usize)| Some((buffer_of[acceptor]?, buffer_of[donor]?));
    plan.shared = takeovers.iter().filter_map(pair).collect();
    Ok((problem, plan))
}

fn pool_name(module: &Module, allocation: &BufferAllocationProto) -> String {
    match use_of(allocation) {
        Use::Parameter => {
            let entry = &module.computations[module.entry].proto.instructions;
            let is_it = |number: i64| number == allocation.parameter;
            let parameter = entry.iter().find(|inner| inner.opcode == "parameter" && is_it(inner.parameter_number));
            let path: String = allocation.parameter_index.iter().map(|number| format!(".{number}")).collect();
            let name = parameter.map_or("", |parameter| &parameter.name);
            let donated = if allocation.is_aliased { " donated" } else { "" };
            format!("parameter {}{path} ({name}){donated}", allocation.parameter)
        }
        Use::Constant => "constant".into(),
        Use::Output if allocation.is_tuple => "output table".into(),
        Use::Output => "output".into(),
        Use::Temp if allocation.is_tuple => "tuple table".into(),
        Use::Temp => "temp".into(),
    }
}
