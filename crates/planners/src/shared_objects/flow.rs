//! The cheapest way to hand buffers on: every buffer takes over from one that is dead by its birth,
//! or begins a new object.
//!
//! A new object costs the size of its first buffer; taking over costs the bytes by which the taker
//! is larger than its donor; nobody gives twice. That is a flow of minimum cost of one unit a
//! buffer, and since each taker has a way of its own to a new object, an assignment: takers come in
//! order of birth, each by the cheapest path in which earlier takers change their donors.
//! Potentials keep all costs at 0 or above, so that one walk in order of distance finds the path.

use memplan_core::base::IdVec;
use memplan_core::problem::{Branches, BufferId, Problem};

/// Sizes beyond it count as it, so that sums of a few stay in range.
const MOST: u64 = 1 << 60;
const FAR: i64 = i64::MAX;

pub struct Flow<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    /// Small before large, equal ones by position in the input: a walk that meets equals takes the
    /// first.
    donors: Vec<Donor>,
    /// Distance of each donor on the walk, and the taker before it.
    walk: Vec<(i64, BufferId)>,
    /// Index in `donors` of the one that each buffer takes over from.
    source: IdVec<BufferId, Option<usize>>,
    potential: IdVec<BufferId, i64>,
}

struct Donor {
    buffer: BufferId,
    size: i64,
    end: u32,
    potential: i64,
    acceptor: Option<BufferId>,
    is_reached: bool,
}

/// What came of a new taker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// Bytes by which the cost of the flow grows.
    pub cost: u64,
    /// Earlier takers that change their donor, or begin an object, for it.
    pub changed: u32,
}

/// Where the walk ends.
enum End {
    Donor(usize),
    New(BufferId),
}

fn bytes(size: u64) -> i64 {
    size.min(MOST) as i64
}

impl<'a> Flow<'a> {
    /// A flow of nothing among `buffers`, which are of one memory.
    pub fn new(problem: &'a Problem, branches: &'a Branches, buffers: impl Iterator<Item = BufferId>) -> Flow<'a> {
        let donor = |buffer: BufferId| {
            let facts = &problem.buffers[buffer];
            Donor {
                buffer,
                size: bytes(facts.size),
                end: facts.live.end,
                potential: 0,
                acceptor: None,
                is_reached: false,
            }
        };
        let mut donors: Vec<Donor> = buffers.map(donor).collect();
        donors.sort_by_key(|donor| (donor.size, donor.buffer));
        Flow {
            problem,
            branches,
            walk: Vec::new(),
            donors,
            source: IdVec::from_elem(None, problem.buffers.len()),
            potential: IdVec::from_elem(0, problem.buffers.len()),
        }
    }

    /// The buffer that `taker` takes over from.
    pub fn donor(&self, acceptor: BufferId) -> Option<BufferId> {
        self.source[acceptor].map(|index| self.donors[index].buffer)
    }

    /// Brings one more taker into the flow.
    pub fn add(&mut self, acceptor: BufferId) -> Path {
        self.walk.clear();
        self.walk.resize(self.donors.len(), (FAR, acceptor));
        self.donors.iter_mut().for_each(|donor| donor.is_reached = false);
        // Takers on the walk with their distances, and donors with theirs.
        let mut acceptors = vec![(acceptor, 0)];
        let mut reached: Vec<(usize, i64)> = Vec::new();
        let mut cheapest_new = (FAR, acceptor);
        let (end, cost) = loop {
            let (at, distance) = acceptors[acceptors.len() - 1];
            let new = distance + bytes(self.problem.buffers[at].size) - self.potential[at];
            if new < cheapest_new.0 {
                cheapest_new = (new, at);
            }
            let nearest = self.look(at, distance);
            match nearest {
                Some((next, distance)) if distance <= cheapest_new.0 => {
                    let donor = &mut self.donors[next];
                    let Some(other) = donor.acceptor else { break (End::Donor(next), distance) };
                    donor.is_reached = true;
                    reached.push((next, distance));
                    acceptors.push((other, distance));
                }
                _ => break (End::New(cheapest_new.1), cheapest_new.0),
            }
        };
        for &(at, distance) in &acceptors {
            self.potential[at] += cost - distance;
        }
        for &(index, distance) in &reached {
            self.donors[index].potential -= cost - distance;
        }
        Path { cost: cost.unsigned_abs(), changed: self.turn(acceptor, end) }
    }

    /// Goes on from a taker at a distance; gives the nearest donor that the walk has not reached.
    /// At equal distances one that is free comes first, then the first of the list.
    fn look(&mut self, at: BufferId, distance: i64) -> Option<(usize, i64)> {
        let facts = &self.problem.buffers[at];
        let (size, start, base) = (bytes(facts.size), facts.live.start, distance - self.potential[at]);
        let mut nearest: Option<(i64, bool, usize)> = None;
        for (index, (donor, (known, from))) in self.donors.iter().zip(&mut self.walk).enumerate() {
            if donor.is_reached {
                continue;
            }
            if donor.end <= start {
                let here = base + (size - donor.size).max(0) - donor.potential;
                if here < *known && self.branches.allow(donor.buffer, at) {
                    (*known, *from) = (here, at);
                }
            }
            let found = (*known, donor.acceptor.is_some(), index);
            if *known < FAR && nearest.is_none_or(|nearest| found < nearest) {
                nearest = Some(found);
            }
        }
        nearest.map(|(distance, _, index)| (index, distance))
    }

    /// Changes the donors along the walk back from its end to `taker`; gives how many earlier
    /// takers change.
    fn turn(&mut self, acceptor: BufferId, end: End) -> u32 {
        let mut changed = 0;
        let (mut at, mut next) = match end {
            End::Donor(index) => (self.walk[index].1, Some(index)),
            End::New(at) => (at, None),
        };
        loop {
            let before = std::mem::replace(&mut self.source[at], next);
            if let Some(index) = next {
                self.donors[index].acceptor = Some(at);
            }
            if at == acceptor {
                return changed;
            }
            changed += 1;
            // A taker that was on the way to here had a donor, by which the walk reached it.
            let Some(index) = before else { return changed };
            (at, next) = (self.walk[index].1, Some(index));
        }
    }
}
