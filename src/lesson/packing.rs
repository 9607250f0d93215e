//! Buffers of one arena, moved by hand.

use crate::base::{Arrange, IdVec, align_up};
use crate::plan::{Place, Plan};
use crate::problem::{BufferId, Problem};

/// Returns the legal addresses of a buffer among the others of a plan, rising: the lowest and the highest of each gap that is
/// large enough, and the one on top. The buffer's own address is one of them only if it is such an end.
pub fn addresses(problem: &Problem, places: &IdVec<BufferId, Option<Place>>, id: BufferId) -> Vec<u64> {
    let wanted = &problem.buffers[id];
    let align = wanted.align.max(1);
    let mut taken: Vec<(u64, u64)> = problem
        .buffers
        .enumerate()
        .filter(|(other, buffer)| *other != id && buffer.size > 0 && buffer.live.meets(wanted.live))
        .filter_map(|(other, buffer)| places[other].map(|place| (place.offset, place.offset + buffer.size)))
        .collect();
    taken.arrange_by_key(|&span| span);
    let (mut found, mut end) = (Vec::new(), 0);
    for (from, to) in taken {
        let low = align_up(end, align);
        if low + wanted.size <= from {
            found.extend([low, (from - wanted.size) / align * align]);
        }
        end = end.max(to);
    }
    found.push(align_up(end, align));
    found.dedup();
    found
}

/// Returns the plan with a buffer at another address.
pub fn moved(problem: &Problem, plan: &Plan, id: BufferId, offset: u64) -> Plan {
    let mut plan = plan.clone();
    if let Some(place) = &mut plan.places[id] {
        place.offset = offset;
        let pool = place.pool;
        let ends = problem.buffers.enumerate().filter_map(|(other, buffer)| {
            plan.places[other].filter(|place| place.pool == pool).map(|place| place.offset + buffer.size)
        });
        let end = ends.max().unwrap_or(0);
        plan.pools[pool].size = end;
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::check;
    use crate::planner::{self, Input};
    use crate::problem::five_buffers;
    use crate::trace::Silent;

    fn planned() -> (Problem, Plan) {
        let problem = five_buffers::problem();
        let planner = planner::find("naive").expect("registered");
        let input = Input { problem: &problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("planned");
        (problem, plan)
    }

    #[test]
    fn every_address_offered_is_legal() {
        let (problem, mut plan) = planned();
        for id in problem.buffers.ids() {
            let offered = addresses(&problem, &plan.places, id);
            assert!(offered.is_sorted() && !offered.is_empty());
            for &offset in &offered {
                let there = moved(&problem, &plan, id, offset);
                assert!(check(&problem, &there).is_empty(), "{id:?} at {offset}");
            }
            // The lowest one: the plan gets no higher.
            let before = plan.peak(&problem);
            plan = moved(&problem, &plan, id, offered[0]);
            assert!(plan.peak(&problem) <= before);
        }
        assert!(plan.peak(&problem) < problem.unshared());
    }

    #[test]
    fn a_gap_offers_both_its_ends() {
        let (problem, plan) = planned();
        let kib = 1024;
        // b lies over a; d is live with b and c, and c is on top of them: a leaves its place at step 2.
        let d = problem.buffer_named("d").expect("the fourth buffer");
        let offered = addresses(&problem, &plan.places, d);
        assert!(offered.contains(&0) && offered.contains(&kib), "{offered:?}");
    }
}
