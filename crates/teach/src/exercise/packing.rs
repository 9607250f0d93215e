//! Buffers of one arena, moved by hand.

use serde::{Deserialize, Serialize};

use memplan_core::base::{IdVec, align_up};
use memplan_core::plan::{Place, Plan};
use memplan_core::problem::{Buffer, BufferId, Problem};

/// A buffer at its place, in a list from which it is moved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// First step, and the step after the last one.
    pub live: (u32, u32),
    /// First byte.
    pub offset: u64,
}

/// Returns the buffers that a plan places, in order of ids.
pub fn standing(problem: &Problem, plan: &Plan) -> Vec<(BufferId, Standing)> {
    let placed = problem.buffers.enumerate().filter_map(|(id, buffer)| Some((id, buffer, plan.places[id]?.offset)));
    let of = |(id, buffer, offset): (BufferId, &Buffer, u64)| {
        let live = (buffer.live.start, buffer.live.end);
        (id, Standing { name: buffer.name.clone(), size: buffer.size, live, offset })
    };
    placed.map(of).collect()
}

/// Returns the legal addresses of a buffer among the others of a plan, rising: the lowest and the
/// highest of each gap that is large enough, and the one on top. The buffer's own address is one of
/// them only if it is such an end.
pub fn addresses(problem: &Problem, places: &IdVec<BufferId, Option<Place>>, id: BufferId) -> Vec<u64> {
    let wanted = &problem.buffers[id];
    let align = wanted.align.max(1);
    let mut taken: Vec<(u64, u64)> = problem
        .buffers
        .enumerate()
        .filter(|(other, buffer)| *other != id && buffer.size > 0 && buffer.live.meets(wanted.live))
        .filter_map(|(other, buffer)| places[other].map(|place| (place.offset, place.offset + buffer.size)))
        .collect();
    taken.sort_by_key(|&span| span);
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

/// Where everything lies by its offset in one arena; none for what waits.
pub type Offsets = IdVec<BufferId, Option<u64>>;

/// Returns the buffers that lie somewhere and are alive at the same time as one, with their first
/// and last address.
fn beside<'a>(problem: &'a Problem, offsets: &'a Offsets, id: BufferId) -> impl Iterator<Item = (BufferId, u64, u64)> {
    let live = problem.buffers[id].live;
    let others = problem.buffers.enumerate().filter(move |(other, _)| *other != id);
    let alive = others.filter(move |(_, buffer)| buffer.size > 0 && buffer.live.meets(live));
    alive.filter_map(|(other, buffer)| offsets[other].map(|from| (other, from, from.saturating_add(buffer.size))))
}

/// Returns the legal addresses of a buffer as ranges, both ends included and multiples of its
/// alignment, rising; the last one has no end.
pub fn ranges(problem: &Problem, offsets: &Offsets, id: BufferId) -> Vec<(u64, u64)> {
    let (size, align) = (problem.buffers[id].size, problem.buffers[id].align.max(1));
    let mut taken: Vec<(u64, u64)> = beside(problem, offsets, id).map(|(_, from, to)| (from, to)).collect();
    taken.sort_by_key(|&span| span);
    let (mut found, mut end) = (Vec::new(), 0);
    for (from, to) in taken {
        let low = align_up(end, align);
        if low.saturating_add(size) <= from {
            found.push((low, (from - size) / align * align));
        }
        end = end.max(to);
    }
    found.push((align_up(end, align), u64::MAX));
    found
}

/// Returns the legal address of a buffer that is nearest to one that is wanted, the lower of two.
pub fn nearest(problem: &Problem, offsets: &Offsets, id: BufferId, wanted: u64) -> u64 {
    let align = problem.buffers[id].align.max(1);
    let down = wanted / align * align;
    let near = ranges(problem, offsets, id)
        .into_iter()
        .flat_map(|(low, high)| [down, down.saturating_add(align)].map(|offset| offset.clamp(low, high.max(low))));
    near.min_by_key(|&offset| (offset.abs_diff(wanted), offset)).unwrap_or(down)
}

/// Returns the bytes of which all addresses are multiples where buffers lie on top of each other
/// from 0 on: the greatest common divisor of their sizes, each rounded up to its alignment.
fn grain(problem: &Problem) -> u64 {
    let sizes = problem.buffers.iter().map(|buffer| align_up(buffer.size, buffer.align.max(1)));
    sizes.fold(0, gcd).max(1)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the address that a buffer snaps to: 0, or where it meets an edge of one that is alive at
/// the same time, if that is within `reach`; otherwise the nearest address at which one may begin
/// or end among buffers that lie on top of each other.
pub fn snapped(problem: &Problem, offsets: &Offsets, id: BufferId, wanted: u64, reach: u64) -> u64 {
    let (size, align) = (problem.buffers[id].size, problem.buffers[id].align.max(1));
    let edges = beside(problem, offsets, id).flat_map(|(_, from, to)| {
        let below = from.checked_sub(size).map(|under| under / align * align);
        [Some(align_up(to, align)), below]
    });
    let targets = edges.flatten().chain([0]);
    let nearest = targets.min_by_key(|&target| (target.abs_diff(wanted), target)).unwrap_or(0);
    if nearest.abs_diff(wanted) <= reach {
        return nearest;
    }
    let pitch = Some(grain(problem)).filter(|grain| grain.is_multiple_of(align)).unwrap_or(align);
    wanted.saturating_add(pitch / 2) / pitch * pitch
}

/// Returns the buffers that are in the way of one at an address, in order of birth.
pub fn in_the_way(problem: &Problem, offsets: &Offsets, id: BufferId, offset: u64) -> Vec<BufferId> {
    let end = offset.saturating_add(problem.buffers[id].size);
    let meets = beside(problem, offsets, id).filter(|&(_, from, to)| from < end && offset < to);
    meets.map(|(other, ..)| other).collect()
}

/// Returns the highest end.
pub fn peak(problem: &Problem, offsets: &Offsets) -> u64 {
    let ends = problem.buffers.enumerate().filter_map(|(id, buffer)| Some(offsets[id]?.saturating_add(buffer.size)));
    ends.max().unwrap_or(0)
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
    use memplan_core::plan::check;
    use memplan_core::problem::five_buffers;
    use memplan_core::trace::Silent;
    use memplan_planners::{self as planner, Input};

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

    /// Two blocks of 2 and 4 bytes with a hole of 3 between them, and one of 2 bytes that is alive
    /// with both.
    fn hole(align: u64) -> (Problem, Offsets) {
        let mut problem = five_buffers::problem();
        let first = problem.buffers[BufferId(0)].clone();
        let with = |size: u64| memplan_core::problem::Buffer { size, align, ..first.clone() };
        problem.buffers = [with(2), with(4), with(2)].into_iter().collect();
        (problem, [Some(0), Some(5), None].into_iter().collect())
    }

    const THIRD: BufferId = BufferId(2);

    #[test]
    fn the_nearest_legal_address_is_found() {
        let (problem, offsets) = hole(1);
        assert_eq!(ranges(&problem, &offsets, THIRD), [(2, 3), (9, u64::MAX)]);
        let near = |wanted: u64| nearest(&problem, &offsets, THIRD, wanted);
        assert_eq!([0, 2, 3, 6, 7, 9, 20].map(near), [2, 2, 3, 3, 9, 9, 20]);
        let tie = nearest(&problem, &[Some(0), Some(4), None].into_iter().collect(), THIRD, 5);
        assert_eq!(tie, 2, "2 and 8 are as near: the lower one");
        let (problem, offsets) = hole(2);
        assert_eq!(ranges(&problem, &offsets, THIRD), [(2, 2), (10, u64::MAX)]);
        assert_eq!(nearest(&problem, &offsets, THIRD, 11), 10);
    }

    #[test]
    fn edges_attract_within_reach() {
        let (problem, offsets) = hole(1);
        let snap = |wanted: u64, reach: u64| snapped(&problem, &offsets, THIRD, wanted, reach);
        assert_eq!((snap(1, 1), snap(4, 1), snap(6, 1), snap(7, 2)), (0, 3, 6, 9));
        assert_eq!(in_the_way(&problem, &offsets, THIRD, 1), [BufferId(0)]);
        assert_eq!(in_the_way(&problem, &offsets, THIRD, 4), [BufferId(1)]);
        assert_eq!(in_the_way(&problem, &offsets, THIRD, 3), []);
        assert_eq!(peak(&problem, &offsets), 9);
    }

    #[test]
    fn away_from_edges_only_addresses_remain_that_sizes_add_up_to() {
        let (mut problem, offsets) = hole(1);
        problem.buffers.iter_mut().for_each(|buffer| buffer.size *= 96);
        let snap = |problem: &Problem, wanted: u64| snapped(problem, &offsets, THIRD, wanted, 0);
        assert_eq!([700, 767, 769, 900].map(|wanted| snap(&problem, wanted)), [768, 768, 768, 960]);
        // An alignment that the sizes do not have counts as it is.
        problem.buffers[THIRD].align = 512;
        assert_eq!([700, 769, 900].map(|wanted| snap(&problem, wanted)), [512, 1024, 1024]);
    }

    #[test]
    fn a_gap_offers_both_its_ends() {
        let (problem, plan) = planned();
        let kib = 1024;
        // b lies over a; d is live with b and c, and c is on top of them: a leaves its place at
        // step 2.
        let d = problem.buffer_named("d").expect("the fourth buffer");
        let offered = addresses(&problem, &plan.places, d);
        assert!(offered.contains(&0) && offered.contains(&kib), "{offered:?}");
    }
}
