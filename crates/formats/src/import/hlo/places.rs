//! Where the values lie: the allocations of the buffer assignment, and who takes over whose bytes.

use std::collections::BTreeMap;

use super::graph::Slots;
use super::module::Module;
use super::values::Values;
use super::wire::BufferAssignmentProto;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::{Graph, HandOver, Idle, Kind, NodeId, Stated, TensorId};

/// Values of one set in one place whose live ranges touch.
pub struct Run {
    /// Index of the allocation.
    pub allocation: usize,
    /// Bytes from the start of the allocation.
    pub offset: u64,
    pub size: u64,
    /// First and last step.
    pub live: (u32, u32),
    /// By start; at least one.
    pub values: Vec<usize>,
}

/// Returns the runs of all values that live and have a place, by set and start.
///
/// # Errors
/// A place beyond what an address can be.
pub fn runs(values: &Values, assignment: &BufferAssignmentProto) -> Result<Vec<Run>, Message> {
    let mut places: Vec<Option<(usize, u64, u64)>> = vec![None; values.all.len()];
    for (index, allocation) in assignment.allocations.iter().enumerate() {
        for assigned in &allocation.assigned {
            let size = |size: i64| u64::try_from(size).ok().filter(|&size| size <= MAX_SAFE);
            let place = size(assigned.offset).zip(size(assigned.size));
            let place = place.filter(|(offset, size)| offset + size <= MAX_SAFE);
            let (offset, size) =
                place.ok_or_else(|| Message::new("fault.hlo-size").text("id", assigned.buffer.to_string()))?;
            if let Some(value) = values.find(assigned.buffer) {
                places[value] = Some((index, offset, size));
            }
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for set in &values.sets {
        let first = runs.len();
        for &value in set {
            let (Some(live), Some((allocation, offset, size))) = (values.all[value].live, places[value]) else {
                continue;
            };
            match runs[first..].last_mut() {
                Some(run) if live.0 <= run.live.1 && (run.allocation, run.offset) == (allocation, offset) => {
                    run.live.1 = run.live.1.max(live.1);
                    run.values.push(value);
                }
                _ => runs.push(Run { allocation, offset, size, live, values: vec![value] }),
            }
        }
    }
    Ok(runs)
}

/// Returns the pairs `(donor, acceptor)` of runs: both lie at the same bytes of an allocation that
/// is not thread-local, and the acceptor starts at the step in which the donor ends.
pub fn takeovers(runs: &[Run], assignment: &BufferAssignmentProto) -> Vec<(usize, usize)> {
    let shared = |run: &Run| !assignment.allocations[run.allocation].is_thread_local;
    let mut ending: BTreeMap<(usize, u64, u32), Vec<usize>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| shared(run)) {
        ending.entry((run.allocation, run.offset, run.live.1)).or_default().push(index);
    }
    let mut pairs = Vec::new();
    for (acceptor, run) in runs.iter().enumerate().filter(|(_, run)| shared(run)) {
        let donors = ending.get(&(run.allocation, run.offset, run.live.0)).into_iter().flatten();
        // Of a damaged file thousands could end there, and only the first is needed.
        let donor = donors.take(MOST_DONORS).find(|&&donor| donor != acceptor && runs[donor].live.0 < run.live.0);
        pairs.extend(donor.map(|&donor| (donor, acceptor)));
    }
    pairs
}

/// Donors that are looked at for a acceptor.
const MOST_DONORS: usize = 100;

/// Returns what the assignment states of the storages of the graph's tensors; nothing without runs.
pub fn stated(
    module: &Module,
    values: &Values,
    runs: &[Run],
    takeovers: &[(usize, usize)],
    slots: &Slots,
    graph: &Graph,
) -> Stated {
    let set_of = |run: &Run| values.all[run.values[0]].set;
    let tensor_of = |run: &Run| slots[set_of(run)].map(|slot| TensorId(slot.0 as u32));
    let name_at = |step: u32| graph.nodes.get(NodeId(step)).map(|node| node.name.clone());
    let mut stated = Stated { inputs_are_there: !runs.is_empty(), ..Stated::default() };
    for (index, run) in runs.iter().enumerate() {
        let Some(tensor) = tensor_of(run) else { continue };
        if run.live.1 >= module.end() && graph.tensors[tensor].kind == Kind::Input {
            stated.kept.push(tensor);
        }
        // The runs of a set stand one after the other.
        let next = runs.get(index + 1).filter(|next| set_of(next) == set_of(run));
        let names = next.and_then(|next| name_at(run.live.1).zip(name_at(next.live.0)));
        stated.idle.extend(names.map(|(from, until)| Idle { tensor, from, until }));
    }
    let pair = |&(donor, acceptor): &(usize, usize)| tensor_of(&runs[donor]).zip(tensor_of(&runs[acceptor]));
    let pairs = takeovers.iter().filter_map(pair).filter(|(donor, acceptor)| donor != acceptor);
    stated.handed = pairs.map(|(donor, acceptor)| HandOver { donor, acceptor }).collect();
    stated
}
