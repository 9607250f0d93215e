//! The slow, obvious check of any plan. It shares no code with any planner, and reports every
//! fault.

use std::collections::BTreeSet;

use super::{Plan, PoolId};
use crate::base::{Arrange, Id, Message};
use crate::graph::Kind;
use crate::problem::{BufferId, Problem};

/// One rule of plans broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// Two buffers hold the same bytes at the same step.
    Overlap {
        /// One buffer.
        a: BufferId,
        /// The other.
        b: BufferId,
        /// Steps in common, from the first to before the second number.
        steps: (u32, u32),
        /// Bytes in common, from the first to before the second number.
        bytes: (u64, u64),
    },
    /// An offset is no multiple of the buffer's alignment.
    Misaligned {
        /// The buffer.
        buffer: BufferId,
        /// Its offset in bytes.
        offset: u64,
        /// Its alignment in bytes.
        align: u64,
    },
    /// A buffer ends above its pool.
    OutsidePool {
        /// The buffer.
        buffer: BufferId,
        /// Its end in bytes from the base of the pool.
        end: u64,
        /// Size of the pool in bytes.
        size: u64,
    },
    /// A buffer names a pool that does not exist.
    NoPool {
        /// The buffer.
        buffer: BufferId,
        /// The pool that it names.
        pool: PoolId,
    },
    /// A buffer is neither placed nor listed as left out.
    Missing {
        /// The buffer.
        buffer: BufferId,
    },
    /// A buffer lies elsewhere than the input fixed it.
    NotWhereFixed {
        /// The buffer.
        buffer: BufferId,
        /// Its offset in bytes.
        offset: u64,
        /// The offset that the input states.
        fixed: u64,
    },
    /// A takeover in which the buffers differ in pool or offset, or have not exactly one step in
    /// common.
    BadTakeover {
        /// The buffer that takes over.
        acceptor: BufferId,
        /// The buffer whose storage is taken over.
        donor: BufferId,
    },
    /// Two buffers of different memories lie in one pool.
    SharedPool {
        /// The first buffer of the pool.
        a: BufferId,
        /// The first one of another memory.
        b: BufferId,
        /// The pool.
        pool: PoolId,
    },
    /// The pools together are larger than the capacity.
    OverCapacity {
        /// Bytes of all pools.
        need: u64,
        /// Bytes that the memory has.
        capacity: u64,
    },
}

impl Violation {
    /// Whether the plan itself names this overlap as one that its original system makes too.
    pub fn is_quirk_of(&self, plan: &Plan) -> bool {
        match *self {
            Violation::Overlap { .. } => plan.quirks.iter().any(|quirk| self.is_between(quirk.a, quirk.b)),
            _ => false,
        }
    }

    /// Whether it is an overlap of these two buffers.
    pub fn is_between(&self, one: BufferId, other: BufferId) -> bool {
        matches!(*self, Violation::Overlap { a, b, .. } if (a, b) == (one, other) || (a, b) == (other, one))
    }

    /// The sentence, with all names and figures.
    pub fn message(&self, problem: &Problem) -> Message {
        let name = |id: BufferId| problem.buffers[id].name.clone();
        match *self {
            Violation::Overlap { a, b, steps, bytes } => Message::new("violation.overlap")
                .name("a", name(a))
                .name("b", name(b))
                .with("live", crate::base::Arg::Live(steps.0, steps.1))
                .with("span", crate::base::Arg::Span(bytes.0, bytes.1)),
            Violation::Misaligned { buffer, offset, align } => Message::new("violation.misaligned")
                .name("name", name(buffer))
                .count("offset", offset)
                .count("align", align),
            Violation::OutsidePool { buffer, end, size } => {
                Message::new("violation.outside-pool").name("name", name(buffer)).count("end", end).count("size", size)
            }
            Violation::NoPool { buffer, pool } => {
                Message::new("violation.no-pool").name("name", name(buffer)).count("pool", pool.0)
            }
            Violation::Missing { buffer } => Message::new("violation.missing").name("name", name(buffer)),
            Violation::NotWhereFixed { buffer, offset, fixed } => Message::new("violation.not-where-fixed")
                .name("name", name(buffer))
                .count("offset", offset)
                .count("fixed", fixed),
            Violation::BadTakeover { acceptor, donor } => {
                Message::new("violation.bad-takeover").name("taker", name(acceptor)).name("donor", name(donor))
            }
            Violation::SharedPool { a, b, pool } => {
                Message::new("violation.shared-pool").name("a", name(a)).name("b", name(b)).count("pool", pool.0)
            }
            Violation::OverCapacity { need, capacity } => {
                Message::new("violation.over-capacity").count("need", need).count("capacity", capacity)
            }
        }
    }
}

/// Every rule that `plan` breaks, in order of buffers.
pub fn check(problem: &Problem, plan: &Plan) -> Vec<Violation> {
    check_up_to(problem, plan, usize::MAX)
}

/// The same, but no more overlaps are looked for once `most` violations are known: a thousand
/// buffers on the same bytes are half a million overlaps.
pub fn check_up_to(problem: &Problem, plan: &Plan, most: usize) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut by_pool: Vec<Vec<BufferId>> = vec![Vec::new(); plan.pools.len()];
    for (id, buffer) in problem.buffers.enumerate() {
        let Some(place) = plan.places.get(id).copied().flatten() else {
            if !plan.unplanned.iter().any(|(left_out, _)| *left_out == id) {
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
    for &(acceptor, donor) in &plan.shared {
        if !is_takeover(problem, plan, acceptor, donor) {
            found.push(Violation::BadTakeover { acceptor, donor });
        }
    }
    shared_pools(problem, &by_pool, &mut found);
    for members in &mut by_pool {
        overlaps(problem, plan, members, most, &mut found);
    }
    if let Some(capacity) = problem.capacity {
        let need = plan.peak(problem);
        if need > capacity {
            found.push(Violation::OverCapacity { need, capacity });
        }
    }
    found
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

/// A sweep over starts: only buffers still alive are compared, so plans of a hundred thousand
/// buffers are checked too.
fn overlaps(problem: &Problem, plan: &Plan, members: &mut [BufferId], most: usize, found: &mut Vec<Violation>) {
    members.arrange_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut alive: Vec<BufferId> = Vec::new();
    let mut pairs = Vec::new();
    for &id in members.iter() {
        let buffer = &problem.buffers[id];
        alive.retain(|&other| problem.buffers[other].live.end > buffer.live.start);
        if found.len() + pairs.len() >= most {
            break;
        }
        for &other in &alive {
            if let Some(violation) = overlap(problem, plan, other.min(id), other.max(id)) {
                pairs.push((other.min(id), other.max(id), violation));
            }
        }
        if !buffer.live.is_empty() {
            alive.push(id);
        }
    }
    pairs.arrange_by_key(|(a, b, _)| (*a, *b));
    found.extend(pairs.into_iter().map(|(_, _, violation)| violation));
}

fn overlap(problem: &Problem, plan: &Plan, a: BufferId, b: BufferId) -> Option<Violation> {
    let place = |id: BufferId| plan.places[id].map_or(0, |place| place.offset);
    let (first, second) = (&problem.buffers[a], &problem.buffers[b]);
    if !(first.gaps.is_empty() && second.gaps.is_empty()) {
        return overlap_beside_gaps(problem, plan, a, b);
    }
    let steps = (first.live.start.max(second.live.start), first.live.end.min(second.live.end));
    let end_of = |id: BufferId, size: u64| place(id).saturating_add(size);
    let bytes = (place(a).max(place(b)), end_of(a, first.size).min(end_of(b, second.size)));
    let takeover = plan.shared.contains(&(a, b)) || plan.shared.contains(&(b, a));
    (steps.0 < steps.1 && bytes.0 < bytes.1 && !takeover).then_some(Violation::Overlap { a, b, steps, bytes })
}

/// The first steps in which two buffers use the same bytes, where a gap may keep one out of the
/// other's way.
fn overlap_beside_gaps(problem: &Problem, plan: &Plan, a: BufferId, b: BufferId) -> Option<Violation> {
    let place = |id: BufferId| plan.places[id].map_or(0, |place| place.offset);
    let takeover = plan.shared.contains(&(a, b)) || plan.shared.contains(&(b, a));
    // Both lives are gone through once, however many gaps they have.
    let (first, second) = (problem.buffers[a].spans(), problem.buffers[b].spans());
    let (mut one, mut other) = (first.iter().peekable(), second.iter().peekable());
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let steps = (left.live.start.max(right.live.start), left.live.end.min(right.live.end));
        let from = place(a).saturating_add(left.low).max(place(b).saturating_add(right.low));
        let to = place(a).saturating_add(left.high).min(place(b).saturating_add(right.high));
        if steps.0 < steps.1 && from < to {
            return (!takeover).then_some(Violation::Overlap { a, b, steps, bytes: (from, to) });
        }
        if left.live.end <= right.live.end {
            one.next()
        } else {
            other.next()
        };
    }
    None
}

fn is_takeover(problem: &Problem, plan: &Plan, acceptor: BufferId, donor: BufferId) -> bool {
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
