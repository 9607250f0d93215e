//! How a plan differs from another one of the same buffers, along the decisions of that other one.

use std::collections::BTreeMap;

use super::Run;
use memplan_core::base::IdVec;
use memplan_core::plan::{Place, PoolRole};
use memplan_core::problem::BufferId;

/// Where a plan differs from the plan of a reference run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Differences {
    /// Decisions of the reference, by index in rising order, whose buffer lies elsewhere in the
    /// plan.
    pub elsewhere: Vec<u32>,
    /// Number of decisions of the reference.
    pub decisions: u32,
    /// Number of buffers that the plan places and the reference leaves out.
    pub more: u32,
}

impl Differences {
    /// Returns true if every buffer that one of the plans places lies at the same place in the
    /// other.
    pub fn is_identical(&self) -> bool {
        self.elsewhere.is_empty() && self.more == 0
    }
}

/// Where a buffer of one run lies in the plan of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twin {
    /// Its place there.
    pub place: Place,
    /// Whether that counts as the place that it has in its own plan.
    pub same: bool,
}

/// Walks the decisions of the reference and notes those whose buffer lies elsewhere in the plan of
/// `other` ([`twins`]), or has a place in one of the plans only.
pub fn differences(reference: &Run, other: &Run) -> Differences {
    let twins = twins(reference, other);
    let is_placed = |id: BufferId| reference.plan.places[id].is_some();
    let lies_elsewhere = |id: BufferId| match twins[id] {
        Some(twin) => !twin.same,
        None => is_placed(id),
    };
    let decisions = &reference.timeline.decisions;
    let elsewhere = (0..).zip(decisions).filter(|(_, decision)| lies_elsewhere(decision.buffer));
    let common = twins.enumerate().filter(|&(id, twin)| is_placed(id) && twin.is_some());
    let placed = other.plan.places.iter().flatten().count();
    Differences {
        elsewhere: elsewhere.map(|(number, _)| number).collect(),
        decisions: decisions.len() as u32,
        more: (placed - common.count()) as u32,
    }
}

/// Where each buffer of a run lies in the plan of `other`; none without a place there. A place is
/// the same if pool and offset are. If one of the plans has a single arena, pools have no
/// counterparts and offsets alone are compared. A buffer in a storage has no address: its place is
/// the same if it shares the storage with the same buffers.
pub fn twins(run: &Run, other: &Run) -> IdVec<BufferId, Option<Twin>> {
    let pairs: IdVec<BufferId, Option<BufferId>> =
        run.problem.buffers.ids().map(|id| counterpart(run, id, other)).collect();
    let only_offsets = [run, other].iter().any(|run| run.plan.pools.len() <= 1);
    let has_storage = |run: &Run| run.plan.pools.iter().any(|pool| pool.role == PoolRole::Storage);
    let same_slot = if has_storage(run) || has_storage(other) { slots(run, other, &pairs) } else { IdVec::default() };
    let twin = |id: BufferId| {
        let place = pairs[id].and_then(|twin| other.plan.places[twin])?;
        let same = match run.plan.places[id] {
            Some(here) if is_storage(run, here) || is_storage(other, place) => same_slot[id],
            Some(here) => here.offset == place.offset && (here.pool == place.pool || only_offsets),
            None => false,
        };
        Some(Twin { place, same })
    };
    run.problem.buffers.ids().map(twin).collect()
}

/// The buffer of another run with the same name.
pub fn counterpart(run: &Run, id: BufferId, other: &Run) -> Option<BufferId> {
    let name = &run.problem.buffers.get(id)?.name;
    match other.problem.buffers.get(id) {
        Some(buffer) if buffer.name == *name => Some(id),
        _ => other.buffer_named(name),
    }
}

fn is_storage(run: &Run, place: Place) -> bool {
    run.plan.pools.get(place.pool).is_some_and(|pool| pool.role == PoolRole::Storage)
}

/// Whether each buffer shares its slot, which is its pool and offset, with the same buffers in both
/// plans. Buffers that only one of the plans places are left aside.
fn slots(reference: &Run, other: &Run, pairs: &IdVec<BufferId, Option<BufferId>>) -> IdVec<BufferId, bool> {
    let mut slots: [BTreeMap<(u32, u64), Vec<BufferId>>; 2] = Default::default();
    let slot = |place: Place| (place.pool.0, place.offset);
    let places = |id: BufferId| Some([slot(reference.plan.places[id]?), slot(other.plan.places[pairs[id]?]?)]);
    for id in reference.problem.buffers.ids() {
        if let Some(places) = places(id) {
            places.into_iter().zip(&mut slots).for_each(|(place, slots)| slots.entry(place).or_default().push(id));
        }
    }
    // The same two slots are compared once, however many buffers they have.
    let mut known: BTreeMap<[(u32, u64); 2], bool> = BTreeMap::new();
    let mut is_same = |id: BufferId| {
        let Some(places) = places(id) else { return false };
        *known.entry(places).or_insert_with(|| slots[0].get(&places[0]) == slots[1].get(&places[1]))
    };
    reference.problem.buffers.ids().map(&mut is_same).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::plan::Plan;
    use memplan_core::problem::{Problem, five_buffers};
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input};
    use std::rc::Rc;

    fn run(problem: &Problem, planner: &str) -> Run {
        let planner = planner::find(planner).expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        Run::new(Rc::new(problem.clone()), planner::origin(planner.info().id, 1), plan, recorder.events)
    }

    #[test]
    fn a_plan_is_identical_to_itself_whatever_the_numbers_of_its_buffers() {
        let problem = five_buffers::problem();
        let turned = Problem { buffers: problem.buffers.iter().rev().cloned().collect(), ..problem.clone() };
        for planner in ["first-fit", "shared-objects-by-size"] {
            let run = run(&problem, planner);
            assert!(differences(&run, &run).is_identical(), "{planner}");
            let places: Vec<_> = run.plan.places.iter().rev().copied().collect();
            let plan = Plan { places: places.into(), ..run.plan.clone() };
            let renumbered = Run::new(Rc::new(turned.clone()), planner::origin(planner, 1), plan, Vec::new());
            assert!(differences(&run, &renumbered).is_identical(), "{planner}");
        }
    }

    #[test]
    fn a_moved_buffer_and_one_without_a_place_lie_elsewhere() {
        let reference = run(&five_buffers::problem(), "first-fit");
        let mut plan = reference.plan.clone();
        let decided: Vec<BufferId> = reference.timeline.decisions.iter().map(|decision| decision.buffer).collect();
        plan.places[decided[3]].as_mut().expect("placed").offset += 64;
        plan.places[decided[1]] = None;
        let other = Run::new(reference.problem.clone(), planner::origin("first-fit", 1), plan, Vec::new());
        let found = differences(&reference, &other);
        assert_eq!((found.elsewhere, found.decisions, found.more), (vec![1, 3], 5, 0));
        let back = differences(&other, &reference);
        assert_eq!((back.decisions, back.more), (0, 1), "what only one of them places is counted");
    }

    #[test]
    fn numbers_of_storages_do_not_matter_but_who_shares_them_does() {
        let reference = run(&five_buffers::problem(), "shared-objects-by-size");
        let renamed = |swap: [u32; 2]| {
            let mut plan = reference.plan.clone();
            plan.places.iter_mut().flatten().for_each(|place| {
                let at = swap.iter().position(|&pool| pool == place.pool.0);
                place.pool.0 = at.map_or(place.pool.0, |at| swap[1 - at]);
            });
            Run::new(reference.problem.clone(), planner::origin("first-fit", 1), plan, Vec::new())
        };
        assert!(reference.plan.pools.len() > 1);
        assert!(differences(&reference, &renamed([0, 1])).is_identical());
        let mut apart = reference.plan.clone();
        let shared = apart
            .places
            .ids()
            .find(|&id| reference.plan.places.iter().filter(|place| **place == reference.plan.places[id]).count() > 1);
        let shared = shared.expect("two buffers in one storage");
        let pool = reference.plan.pools.iter().next().expect("a storage").clone();
        apart.pools = reference.plan.pools.iter().cloned().chain([pool]).collect();
        apart.places[shared].as_mut().expect("placed").pool.0 = reference.plan.pools.len() as u32;
        let other = Run::new(reference.problem.clone(), planner::origin("first-fit", 1), apart, Vec::new());
        let found = differences(&reference, &other);
        assert!(found.elsewhere.len() > 1 && found.elsewhere.len() < 5, "{found:?}");
    }
}
