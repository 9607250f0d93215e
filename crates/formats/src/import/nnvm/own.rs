//! The plan in the file: one pool a storage id, as large as the largest entry in it. There are no
//! addresses.

use std::collections::BTreeMap;

use super::super::loose::Loose;
use super::file::{File, fault};
use memplan_core::base::Message;
use memplan_core::graph::{Fault, Graph, Kind, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned};
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes};

/// What the plan is made of. Tensors of the graph were put in entry by entry: a tensor's number is
/// its entry's.
pub struct Own<'f, 'a> {
    pub file: &'f File<'a>,
    pub graph: &'f Graph,
    /// `storage_id` of each entry.
    pub ids: &'f [i64],
    /// `storage_inplace_index` of each entry; empty when the file has none.
    pub takeovers: &'f [i64],
}

impl Own<'_, '_> {
    /// Buffers with live ranges, and the storage of each.
    ///
    /// # Errors
    /// When sizes are too large for a plan.
    pub fn plan(&self) -> Result<(Problem, Plan), Vec<Fault>> {
        let scope = Scope { weights: self.weights_share(), ..Scope::default() };
        let problem = lifetimes(self.graph, &scope).map_err(|error| fault("", error.message(self.graph)))?;
        let mut plan = Plan::empty(&problem);
        let id_of = |buffer: BufferId| {
            let root = problem.buffers[buffer].tensors.first()?;
            self.ids.get(root.0 as usize).copied().filter(|id| *id >= 0)
        };
        let used = problem.buffers.ids().filter_map(|buffer| Some((id_of(buffer)? as u64, 0)));
        let mut pools: BTreeMap<u64, u64> = used.into_iter().collect();
        for (id, pool) in &mut pools {
            let (name, device) = (format!("storage {id}"), String::new());
            *pool = plan.pools.push(Pool { name, size: 0, device, role: PoolRole::Storage }).0.into();
        }
        for (id, buffer) in problem.buffers.enumerate() {
            let Some(&pool) = id_of(id).and_then(|storage| pools.get(&(storage as u64))) else {
                plan.unplanned.push((id, reason(buffer.kind)));
                continue;
            };
            let pool = PoolId(pool as u32);
            plan.places[id] = Some(Place { pool, offset: 0 });
            let pool = &mut plan.pools[pool];
            pool.size = pool.size.max(buffer.size);
            if pool.device.is_empty() {
                pool.device = problem.memories[buffer.memory].device.clone();
            }
        }
        self.takeovers(&problem, &mut plan);
        Ok((problem, plan))
    }

    /// Whether something else ever lies in the storage of a weight. Elsewhere weights are
    /// constants, as in every plan.
    fn weights_share(&self) -> bool {
        let mut root: Vec<TensorId> = self.graph.tensors.ids().collect();
        for node in self.graph.nodes.iter() {
            for (input, output) in node.aliases() {
                root[output.0 as usize] = root[input.0 as usize];
            }
        }
        // By storage: 1 = a weight lies in it, 2 = something else.
        let mut held: BTreeMap<u64, u64> = BTreeMap::new();
        for (&root, &id) in root.iter().zip(self.ids).filter(|(_, id)| **id >= 0) {
            let weight = self.graph.tensors[root].kind == Kind::Weight;
            *held.entry(id as u64).or_default() |= if weight { 1 } else { 2 };
        }
        held.values().any(|&both| both == 3)
    }

    /// Takeovers that the file states. Where the donor lives on, the pass let the output be an
    /// unchanged copy of it.
    fn takeovers(&self, problem: &Problem, plan: &mut Plan) {
        let mut holder: Vec<Option<BufferId>> = vec![None; self.graph.tensors.len()];
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|tensor| holder[tensor.0 as usize] = Some(id));
        }
        for (node, record) in self.file.nodes.iter().enumerate() {
            for entry in self.file.outputs(node) {
                let index = self.takeovers.get(entry).and_then(|index| usize::try_from(*index).ok());
                let donor = index.and_then(|index| holder[*record.inputs.get(index)?]);
                let Some((acceptor, donor)) = holder[entry].zip(donor).filter(|(acceptor, donor)| acceptor != donor)
                else {
                    continue;
                };
                let (to, from) = (problem.buffers[acceptor].live, problem.buffers[donor].live);
                if plan.places[acceptor].is_none() || plan.places[acceptor] != plan.places[donor] {
                    continue;
                }
                if to.start + 1 == from.end && from.start < to.start {
                    plan.shared.push((acceptor, donor));
                } else if to.meets(from) {
                    let (a, b) = (acceptor.min(donor), acceptor.max(donor));
                    plan.quirks.push(Quirk { kind: QuirkKind::SameContents, a, b });
                }
            }
        }
    }

    /// Facts about the plan for the report.
    pub fn remarks(&self, problem: &Problem, plan: &Plan, facts: &mut Vec<Message>, warnings: &mut Vec<Fault>) {
        let total: u64 = plan.pools.iter().map(|pool| pool.size).sum();
        let pools = plan.pools.len() as u64;
        facts.push(Message::new("fact.storages").count("storages", pools).bytes("bytes", total));
        let weights = self.graph.tensors.iter().filter(|tensor| tensor.kind == Kind::Weight).count() as u64;
        if weights > 0 && !problem.buffers.iter().any(|buffer| buffer.kind == Kind::Weight) {
            facts.push(Message::new("fact.weights-apart").count("count", weights));
        }
        let left_out = plan.unplanned.iter().filter(|(_, reason)| *reason == Unplanned::StatedByFile).count() as u64;
        if left_out > 0 {
            warnings.push(Fault::new("attrs.storage_id", Message::new("warning.no-storage").count("count", left_out)));
        }
        let device = |id: BufferId| &problem.memories[problem.buffers[id].memory].device;
        let abroad = plan
            .places
            .enumerate()
            .filter(|(id, place)| place.is_some_and(|place| plan.pools[place.pool].device != *device(*id)));
        let abroad = abroad.count() as u64;
        if abroad > 0 {
            let message = Message::new("warning.two-devices").count("count", abroad);
            warnings.push(Fault::new("attrs.device_index", message));
        }
        let stated = self.file.value("storage_allocated_bytes").and_then(Loose::whole);
        if let Some(stated) = stated.filter(|stated| *stated != total) {
            let message = Message::new("warning.allocated-bytes").bytes("stated", stated).bytes("found", total);
            warnings.push(Fault::new("attrs.storage_allocated_bytes", message));
        }
    }
}

fn reason(kind: Kind) -> Unplanned {
    match kind {
        Kind::Input => Unplanned::InputOfCaller,
        Kind::Weight => Unplanned::WeightIsConstant,
        Kind::Intermediate | Kind::Output => Unplanned::StatedByFile,
    }
}
