//! Builds a plan from the places that an ExecuTorch program stores.

use std::collections::BTreeMap;

use super::steps::{Instructions, Role};
use crate::base::{MAX_SAFE, Message};
use crate::graph::{Fault, Graph};
use crate::import::Document;
use crate::plan::{Place, Plan, Pool, PoolId, PoolRole, Unplanned};
use crate::problem::{Scope, lifetimes};

/// Returns the graph with its plan. `values`: for each tensor of the graph, its index in the
/// program's values. `sizes`: bytes of each memory, by its id. `facts` receives the number of
/// placed buffers.
///
/// # Errors
/// A place beyond what any address can be.
pub fn document(
    graph: Graph,
    values: &[usize],
    steps: &Instructions,
    sizes: &[i64],
    facts: &mut Vec<Message>,
) -> Result<Document, Fault> {
    // Without the sizes of tensors there are no live ranges. The reader has asked for them.
    let Ok(mut problem) = lifetimes(&graph, &Scope::default()) else { return Ok(Document::Graph(graph)) };
    let mut plan = Plan::empty(&problem);
    let device = problem.memories.iter().next().map_or_else(|| "cpu".to_string(), |memory| memory.device.clone());
    let mut pools: BTreeMap<u32, PoolId> = BTreeMap::new();
    let mut placed = 0u64;
    let whole_run = (0, problem.steps);
    for id in problem.buffers.ids() {
        let buffer = &mut problem.buffers[id];
        let value = buffer.tensors.first().and_then(|tensor| values.get(tensor.0 as usize).copied());
        let Some(value) = value else { continue };
        let role = steps.roles.get(value).copied().flatten();
        if role == Some(Role::State) {
            (buffer.live.start, buffer.live.end) = whole_run;
        }
        let Some(given) = steps.tensors.get(value).copied().flatten().and_then(|tensor| tensor.allocation_info())
        else {
            let reason = if role == Some(Role::Input) { Unplanned::InputOfCaller } else { Unplanned::StatedByFile };
            plan.unplanned.push((id, reason));
            continue;
        };
        let (memory, offset) = (given.memory_id(), given.offset());
        if offset.saturating_add(buffer.size) > MAX_SAFE {
            return Err(Fault::new(format!("values[{value}].allocation_info"), Message::new("fault.too-large")));
        }
        let pool = *pools.entry(memory).or_insert_with(|| {
            let size = sizes.get(memory as usize).and_then(|&size| u64::try_from(size).ok()).unwrap_or(0);
            let name = format!("arena {memory}");
            let (size, device) = (size.min(MAX_SAFE), device.clone());
            plan.pools.push(Pool { name, size, device, role: PoolRole::Arena })
        });
        plan.places[id] = Some(Place { pool, offset });
        placed += 1;
    }
    if placed == 0 {
        return Ok(Document::Graph(graph));
    }
    let stated =
        pools.keys().filter_map(|&memory| sizes.get(memory as usize)).filter_map(|&size| u64::try_from(size).ok());
    facts.push(
        Message::new("fact.pte-plan")
            .count("placed", placed)
            .count("rest", plan.unplanned.len())
            .bytes("total", stated.fold(0, u64::saturating_add)),
    );
    Ok(Document::Planned(graph, problem, plan))
}
