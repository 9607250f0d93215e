//! Element types of storages, for planners that hand a storage on to tensors of one type alone.

use super::Run;
use memplan_core::base::IdVec;
use memplan_core::graph::Dtype;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;

/// The type of each storage, by the first buffer in it.
struct Types(IdVec<PoolId, Option<Dtype>>);

/// Returns the element type of what lies in a storage; none without a graph.
pub fn storage_type(run: &Run, storage: PoolId) -> Option<Dtype> {
    run.known(types).0.get(storage).copied().flatten()
}

/// Returns the element type of a buffer; none without a graph.
pub fn type_of(run: &Run, buffer: BufferId) -> Option<Dtype> {
    let &root = run.problem.buffers[buffer].tensors.first()?;
    Some(run.graph.as_ref()?.tensors.get(root)?.dtype)
}

fn types(run: &Run) -> Types {
    let mut types = IdVec::from_elem(None, run.plan.pools.len());
    for (buffer, place) in run.plan.places.enumerate() {
        if let Some(place) = place
            && types[place.pool].is_none()
        {
            types[place.pool] = type_of(run, buffer);
        }
    }
    Types(types)
}
