//! The check of any plan, which shares no code with any planner.

use std::collections::BTreeSet;

use super::overlaps::overlaps;
use super::violation::{BufferPairs, Violation};
use super::{Plan, PoolId};
use crate::base::Id;
use crate::graph::Kind;
use crate::problem::{BufferId, Problem};

/// Most overlaps, apart from quirks, that [`check`] looks for: a hundred thousand buffers on the
/// same bytes are five thousand million.
pub const MOST_OVERLAPS: usize = 100_000;

/// Returns every rule that `plan` breaks, in order of buffers; of overlaps at least
/// [`MOST_OVERLAPS`] if there are so many.
pub fn check(problem: &Problem, plan: &Plan) -> Vec<Violation> {
    check_up_to(problem, plan, usize::MAX)
}

/// Returns every rule that `plan` breaks, without the overlaps that its original system makes too.
pub fn faults(problem: &Problem, plan: &Plan) -> Vec<Violation> {
    let quirks = BufferPairs::quirks(plan);
    let mut found = check(problem, plan);
    found.retain(|violation| !quirks.has(violation));
    found
}

/// Returns whether two buffers overlap, other than where the original system makes them overlap
/// too.
pub fn collides(problem: &Problem, plan: &Plan) -> bool {
    let (_, by_pool) = of_buffers(problem, plan);
    let pairs = Pairs::of(plan);
    by_pool.iter().any(|members| {
        overlaps(problem, plan, members, pairs.both(), 1).iter().any(|overlap| !pairs.quirks.has(overlap))
    })
}

/// As [`check`], but no more overlaps are looked for once `most` violations that are no quirks are
/// known.
pub fn check_up_to(problem: &Problem, plan: &Plan, most: usize) -> Vec<Violation> {
    let (mut found, by_pool) = of_buffers(problem, plan);
    for &(acceptor, donor) in &plan.shared {
        if !is_takeover(problem, plan, acceptor, donor) {
            found.push(Violation::BadTakeover { acceptor, donor });
        }
    }
    shared_pools(problem, &by_pool, &mut found);
    let pairs = Pairs::of(plan);
    let mut left = most.saturating_sub(found.len()).min(MOST_OVERLAPS);
    for members in &by_pool {
        let more = overlaps(problem, plan, members, pairs.both(), left);
        left = left.saturating_sub(more.iter().filter(|overlap| !pairs.quirks.has(overlap)).count());
        found.extend(more);
    }
    if let Some(capacity) = problem.capacity {
        let need = plan.peak(problem);
        if need > capacity {
            found.push(Violation::OverCapacity { need, capacity });
        }
    }
    found
}

/// Pairs of buffers that may overlap.
struct Pairs {
    taken: BufferPairs,
    quirks: BufferPairs,
}

impl Pairs {
    fn of(plan: &Plan) -> Pairs {
        Pairs { taken: BufferPairs::of(plan.shared.iter().copied()), quirks: BufferPairs::quirks(plan) }
    }

    fn both(&self) -> (&BufferPairs, &BufferPairs) {
        (&self.taken, &self.quirks)
    }
}

/// Returns the rules that buffers break by themselves, and the buffers of each pool.
fn of_buffers(problem: &Problem, plan: &Plan) -> (Vec<Violation>, Vec<Vec<BufferId>>) {
    let mut found = Vec::new();
    let mut by_pool: Vec<Vec<BufferId>> = vec![Vec::new(); plan.pools.len()];
    let mut left_out = vec![false; problem.buffers.len()];
    for (id, _) in &plan.unplanned {
        if let Some(left_out) = left_out.get_mut(id.index()) {
            *left_out = true;
        }
    }
    for (id, buffer) in problem.buffers.enumerate() {
        let Some(place) = plan.places.get(id).copied().flatten() else {
            if !left_out[id.index()] {
                found.push(Violation::Missing { buffer: id });
            }
            continue;
        };
        if let Some(pool) = plan.pools.get(place.pool) {
            by_pool[place.pool.index()].push(id);
            let end = place.offset.saturating_add(buffer.size);
            if end > pool.size {
                found.push(Violation::OutsidePool { buffer: id, end, size: pool.size });
            }
        } else {
            found.push(Violation::NoPool { buffer: id, pool: place.pool });
        }
        if !place.offset.is_multiple_of(buffer.align) {
            found.push(Violation::Misaligned { buffer: id, offset: place.offset, align: buffer.align });
        }
        if let Some(fixed) = buffer.fixed.filter(|fixed| *fixed != place.offset) {
            found.push(Violation::NotWhereFixed { buffer: id, offset: place.offset, fixed });
        }
    }
    (found, by_pool)
}

/// A pool is a region of one memory. The bound is the sum over the memories, so a plan that mixes
/// them could lie below it.
fn shared_pools(problem: &Problem, by_pool: &[Vec<BufferId>], found: &mut Vec<Violation>) {
    for (pool, members) in by_pool.iter().enumerate() {
        let mut met = BTreeSet::new();
        let with_bytes = members.iter().copied().filter(|&id| problem.buffers[id].size > 0);
        let firsts: Vec<BufferId> = with_bytes.filter(|&id| met.insert(problem.buffers[id].memory)).collect();
        if let [a, others @ ..] = firsts.as_slice() {
            let pool = PoolId::from_index(pool);
            found.extend(others.iter().map(|&b| Violation::SharedPool { a: *a, b, pool }));
        }
    }
}

/// Whether a buffer takes over the storage of another: both lie in one place, and the older one
/// ends with the step in which the other begins.
pub fn is_takeover(problem: &Problem, plan: &Plan, acceptor: BufferId, donor: BufferId) -> bool {
    let (to, from) = (&problem.buffers[acceptor], &problem.buffers[donor]);
    let same_place = plan.places[acceptor].is_some() && plan.places[acceptor] == plan.places[donor];
    // An input is there before the first node runs, which may overwrite it.
    let is_first = from.kind == Kind::Input && to.kind != Kind::Input && from.live.start == to.live.start;
    let is_older = from.live.start < to.live.start || is_first;
    same_place && to.live.start + 1 == from.live.end && is_older
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Kind;
    use crate::plan::{Place, Pool, PoolRole};
    use crate::problem::{Buffer, Gap, Live, Memory, MemoryId};

    fn problem(buffers: &[(u64, u32, u32)]) -> Problem {
        let buffer = |(index, &(size, start, end)): (usize, &(u64, u32, u32))| Buffer {
            align: 4,
            ..Buffer::of(format!("b{index}"), size, Live { start, end })
        };
        Problem {
            buffers: buffers.iter().enumerate().map(buffer).collect(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: 10,
            ..Problem::default()
        }
    }

    fn plan(offsets: &[u64], size: u64) -> Plan {
        let place = |&offset: &u64| Some(Place { pool: PoolId(0), offset });
        Plan {
            pools: vec![Pool { name: "p".into(), size, device: "cpu".into(), role: PoolRole::Arena }].into(),
            places: offsets.iter().map(place).collect(),
            ..Plan::default()
        }
    }

    #[test]
    fn touching_in_time_or_space_is_no_collision() {
        let problem = problem(&[(8, 0, 2), (8, 2, 4), (8, 0, 4)]);
        assert_eq!(check(&problem, &plan(&[0, 0, 8], 16)), []);
    }

    #[test]
    fn buffers_of_two_memories_share_no_pool() {
        let mut problem = problem(&[(8, 0, 2), (8, 2, 4), (8, 4, 6), (0, 0, 6)]);
        problem.memories.push(Memory { device: "cpu".into(), mem_id: Some(1) });
        problem.buffers[BufferId(3)].memory = MemoryId(1);
        let shared = plan(&[0, 0, 0, 0], 8);
        assert_eq!(check(&problem, &shared), [], "nothing of the other memory has bytes");
        problem.buffers[BufferId(1)].memory = MemoryId(1);
        problem.buffers[BufferId(2)].memory = MemoryId(1);
        let found = check(&problem, &shared);
        assert_eq!(found, [Violation::SharedPool { a: BufferId(0), b: BufferId(1), pool: PoolId(0) }]);
        let sentence = crate::text::Speech::default().say(&found[0].message(&problem));
        assert_eq!(sentence, "b0 and b1 are in different memories, but share pool 0.");
    }

    #[test]
    fn a_gap_frees_all_bytes_but_its_window() {
        let mut problem = problem(&[(16, 0, 6), (8, 2, 4)]);
        let overlap = |steps, bytes| vec![Violation::Overlap { a: BufferId(0), b: BufferId(1), steps, bytes }];
        assert_eq!(check(&problem, &plan(&[0, 8], 16)), overlap((2, 4), (8, 16)));
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(1, 5), window: None }];
        assert_eq!(check(&problem, &plan(&[0, 8], 16)), []);
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(1, 5), window: Some((0, 8)) }];
        assert_eq!(check(&problem, &plan(&[0, 8], 16)), []);
        assert_eq!(check(&problem, &plan(&[0, 4], 16)), overlap((2, 4), (4, 8)));
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(3, 5), window: None }];
        assert_eq!(check(&problem, &plan(&[0, 8], 16)), overlap((2, 3), (8, 16)));
    }

    #[test]
    fn every_fault_is_reported() {
        let problem = problem(&[(8, 0, 3), (8, 2, 4), (8, 0, 4), (0, 0, 9)]);
        let found = check(&problem, &plan(&[0, 4, 6, 0], 12));
        assert_eq!(
            found,
            [
                Violation::OutsidePool { buffer: BufferId(2), end: 14, size: 12 },
                Violation::Misaligned { buffer: BufferId(2), offset: 6, align: 4 },
                Violation::Overlap { a: BufferId(0), b: BufferId(1), steps: (2, 3), bytes: (4, 8) },
                Violation::Overlap { a: BufferId(0), b: BufferId(2), steps: (0, 3), bytes: (6, 8) },
                Violation::Overlap { a: BufferId(1), b: BufferId(2), steps: (2, 4), bytes: (6, 12) },
            ]
        );
    }

    #[test]
    fn a_takeover_needs_one_common_step_and_the_same_place() {
        let problem = problem(&[(8, 0, 3), (8, 2, 4), (8, 1, 4)]);
        let mut taken = plan(&[0, 0, 8], 16);
        taken.shared = vec![(BufferId(1), BufferId(0))];
        assert_eq!(check(&problem, &taken), []);
        taken.shared = vec![(BufferId(1), BufferId(0)), (BufferId(2), BufferId(0))];
        assert_eq!(check(&problem, &taken), [Violation::BadTakeover { acceptor: BufferId(2), donor: BufferId(0) }]);
        // Of two that live from the same step only an input is older.
        let mut problem = self::problem(&[(8, 0, 1), (8, 0, 4)]);
        let mut taken = plan(&[0, 0], 8);
        taken.shared = vec![(BufferId(1), BufferId(0))];
        assert_eq!(check(&problem, &taken).len(), 1);
        problem.buffers[BufferId(0)].kind = Kind::Input;
        assert_eq!(check(&problem, &taken), []);
    }

    #[test]
    fn a_crowd_on_the_same_bytes_is_told_in_part() {
        let crowd = problem(&[(8, 0, 9); 300]);
        let plan = plan(&[0; 300], 8);
        assert_eq!(check(&crowd, &plan).len(), 300 * 299 / 2);
        let some = check_up_to(&crowd, &plan, 1000);
        assert!((1000..1300).contains(&some.len()), "{}", some.len());
        assert_eq!(some, check_up_to(&crowd, &plan, 1000));
    }
}
