//! Rules of plans broken, and pairs of buffers.

use super::{Plan, PoolId};
use crate::base::Message;
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

/// Pairs of buffers, in which the order of the two does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferPairs(Vec<(BufferId, BufferId)>);

impl BufferPairs {
    /// Returns a set of these pairs.
    pub fn of(pairs: impl IntoIterator<Item = (BufferId, BufferId)>) -> BufferPairs {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort();
        BufferPairs(pairs)
    }

    /// Returns the pairs that overlap in the system whose planner made the plan, too.
    pub fn quirks(plan: &Plan) -> BufferPairs {
        BufferPairs::of(plan.quirks.iter().map(|quirk| (quirk.a, quirk.b)))
    }

    /// Returns the pairs that overlap.
    pub fn overlaps(violations: &[Violation]) -> BufferPairs {
        BufferPairs::of(violations.iter().filter_map(Violation::overlap))
    }

    /// Returns whether a pair is in the set.
    pub fn contains(&self, a: BufferId, b: BufferId) -> bool {
        self.0.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// Returns whether a violation is the overlap of a pair in the set.
    pub fn has(&self, violation: &Violation) -> bool {
        violation.overlap().is_some_and(|(a, b)| self.contains(a, b))
    }
}

impl Violation {
    /// Returns whether the plan itself names this overlap as one that its original system makes
    /// too. Linear in the quirks: [`faults`](super::faults) leaves out all that are, of many
    /// violations.
    pub fn is_quirk_of(&self, plan: &Plan) -> bool {
        plan.quirks.iter().any(|quirk| self.is_between(quirk.a, quirk.b))
    }

    /// Returns whether it is the overlap of these two buffers.
    pub fn is_between(&self, one: BufferId, other: BufferId) -> bool {
        self.overlap().is_some_and(|pair| pair == (one, other) || pair == (other, one))
    }

    /// Returns the two buffers if it is an overlap.
    pub fn overlap(&self) -> Option<(BufferId, BufferId)> {
        match *self {
            Violation::Overlap { a, b, .. } => Some((a, b)),
            _ => None,
        }
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
