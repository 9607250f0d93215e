//! Builds a plan from the places that an ExecuTorch program stores.

use std::collections::BTreeMap;

use super::flow::Flow;
use super::moves::Moves;
use super::steps::{Instructions, Role};
use crate::import::Document;
use memplan_core::base::{IdVec, MAX_SAFE, Message};
use memplan_core::graph::{Fault, Graph, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Unplanned};
use memplan_core::problem::{Buffer, BufferId, Live, Problem, Scope, lifetimes};

/// What a program states beside its graph.
pub struct Own<'a> {
    /// For each tensor of the graph, its index in the program's values.
    pub values: &'a [usize],
    /// Its instructions.
    pub steps: &'a Instructions<'a>,
    /// When values are in use, if the program jumps and is not too large.
    pub flow: Option<(&'a Flow, &'a Moves)>,
    /// Bytes of each memory, by its id.
    pub sizes: &'a [i64],
}

impl Own<'_> {
    /// Returns the graph with its plan. `facts` receives the number of placed buffers.
    ///
    /// # Errors
    /// A place beyond what any address can be.
    pub fn document(&self, graph: Graph, facts: &mut Vec<Message>) -> Result<Document, Fault> {
        // Without the sizes of tensors there are no live ranges. The reader has asked for them.
        let Ok(mut problem) = lifetimes(&graph, &Scope::default()) else { return Ok(Document::Graph(graph)) };
        self.set_lives(&mut problem);
        let mut plan = Plan::empty(&problem);
        let device = problem.memories.iter().next().map_or_else(|| "cpu".to_string(), |memory| memory.device.clone());
        let mut pools: BTreeMap<u32, PoolId> = BTreeMap::new();
        let mut placed = 0u64;
        for (id, buffer) in problem.buffers.enumerate() {
            let Some(value) = self.owner(buffer) else { continue };
            let Some((memory, offset)) = self.place(value) else {
                let is_input = self.steps.roles[value] == Some(Role::Input);
                let reason = if is_input { Unplanned::InputOfCaller } else { Unplanned::StatedByFile };
                plan.unplanned.push((id, reason));
                continue;
            };
            if offset.saturating_add(buffer.size) > MAX_SAFE {
                return Err(Fault::new(format!("values[{value}].allocation_info"), Message::new("fault.too-large")));
            }
            let pool = *pools.entry(memory).or_insert_with(|| {
                let size = self.size(memory).unwrap_or(0);
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
        facts.push(
            Message::new("fact.pte-plan")
                .count("placed", placed)
                .count("rest", plan.unplanned.len())
                .bytes("total", pools.keys().filter_map(|&memory| self.size(memory)).fold(0, u64::saturating_add)),
        );
        Ok(Document::Planned(graph, problem, plan))
    }

    fn size(&self, memory: u32) -> Option<u64> {
        self.sizes.get(memory as usize).and_then(|&size| u64::try_from(size).ok())
    }

    fn place(&self, value: usize) -> Option<(u32, u64)> {
        self.steps.tensors.get(value).copied().flatten()?.place()
    }

    fn value(&self, tensor: TensorId) -> Option<usize> {
        self.values.get(tensor.0 as usize).copied()
    }

    /// The value that the storage of a buffer belongs to.
    fn owner(&self, buffer: &Buffer) -> Option<usize> {
        self.value(*buffer.tensors.first()?)
    }

    /// Live ranges that the order of the instructions alone does not show.
    fn set_lives(&self, problem: &mut Problem) {
        let whole_run = Live::new(0, problem.steps);
        let values: IdVec<BufferId, Vec<usize>> = problem
            .buffers
            .iter()
            .map(|buffer| buffer.tensors.iter().filter_map(|&tensor| self.value(tensor)).collect())
            .collect();
        for (id, values) in values.enumerate() {
            let buffer = &mut problem.buffers[id];
            let is_state = values.iter().any(|&value| self.steps.roles[value] == Some(Role::State));
            if is_state || self.steps.jumps > 0 && self.flow.is_none() {
                buffer.live = whole_run;
                continue;
            }
            let Some((flow, moves)) = self.flow else { continue };
            // A name counts for what was moved to it.
            let mut own: Vec<usize> = values.iter().map(|&value| self.steps.roots[value]).collect();
            own.retain(|&value| !moves.is_name(value));
            if let Some((live, gaps)) = moves.live(self.steps, flow, &own) {
                (buffer.live, buffer.gaps) = (live, gaps);
            }
        }
    }
}
