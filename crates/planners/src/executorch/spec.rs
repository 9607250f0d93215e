//! What an algorithm is given and what it answers: tensor specs, settings, arenas.

use std::collections::BTreeMap;

use crate::PlanError;
use memplan_core::base::{Message, align_up};
use memplan_core::problem::{BufferId, Live, Problem};

/// The arena of a spec that names none.
pub const DEFAULT_ARENA: u32 = 1;

/// Alignment of a spec at birth and the default of the planning pass, in bytes.
pub const ALIGN: u64 = 16;

/// A tensor to be placed, `TensorSpec` of the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The buffer that events name.
    pub buffer: BufferId,
    /// Bytes reserved, not rounded.
    pub bytes: u64,
    /// Bytes held at the values shown: less than `bytes` when room for an upper bound is reserved.
    pub held: u64,
    /// Steps at which it holds a value.
    pub live: Live,
    /// Arena set beforehand.
    pub mem_id: Option<u32>,
    /// Alignment it carries when it is collected: the greedy planner orders by sizes rounded to
    /// this.
    pub align: u64,
    /// It lies inside the bytes of another spec.
    pub base: Option<Base>,
}

/// Where a spec lies inside another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Base {
    /// Index of the spec whose bytes it uses.
    pub spec: usize,
    /// Bytes from that spec's start.
    pub offset: u64,
}

/// What the pass asks of an algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Alignment in bytes that every spec is given when its turn comes.
    pub align: u64,
    /// Bytes kept free at the bottom of each arena, for the branches of control flow.
    pub reserved: BTreeMap<u32, u64>,
    /// Bytes added to each arena in use by the greedy planner.
    pub padding: u64,
}

/// Where a spec lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// Number of the arena.
    pub mem_id: u32,
    /// Bytes from the base of the arena.
    pub offset: u64,
    /// Index of the shared object within its arena; 0 where the algorithm has none.
    pub object: u32,
}

/// The answer of an algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Size of each arena in bytes.
    pub arenas: BTreeMap<u32, u64>,
    /// One entry a spec, in their order.
    pub places: Vec<Option<Assigned>>,
}

/// Why an algorithm gives no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The first free object is too small: the alignment asked for has broken the order of sizes.
    NotSorted,
    /// A spec stored in another one, which this algorithm does not take.
    Backed,
    /// A spec stored in one that has no place, or outside its bytes.
    BadBase,
    /// No memory of the hierarchy takes a spec.
    NoMemory {
        /// Bytes of the spec.
        need: u64,
        /// Bytes of the largest memory.
        have: u64,
    },
    /// A map of memory banks does not suit the specs.
    Bank(BankFault),
    /// The algorithms of a suite use different arenas.
    OtherArenas,
    /// A suite of no algorithms.
    NoAlgorithm,
    /// Stopped from outside.
    Cancelled,
}

/// What is wrong with a bank, or too large for it. Sizes in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BankFault {
    /// Its alignment is no multiple of the graph's.
    Align {
        /// Name of the bank.
        bank: String,
        /// Alignment of the graph.
        align: u64,
    },
    /// A pinned spec does not fit.
    Pinned {
        /// The buffer of the spec.
        buffer: BufferId,
        /// Name of the bank.
        bank: String,
        /// Bytes that it takes.
        need: u64,
        /// Bytes left in the bank.
        left: u64,
        /// Bytes of the bank.
        size: u64,
    },
    /// No bank takes a spec.
    Nowhere {
        /// The buffer of the spec.
        buffer: BufferId,
        /// Its bytes as the first bank rounds them.
        need: u64,
        /// Each bank with its bytes left and its size.
        left: String,
    },
    /// What is reserved alone is larger than the bank.
    Reserved {
        /// Name of the bank.
        bank: String,
        /// Bytes that it needs.
        need: u64,
        /// Its size.
        have: u64,
    },
}

impl Refusal {
    /// The refusal in words; `problem` has the names.
    pub fn explain(self, problem: &Problem) -> PlanError {
        let refused = |key: &'static str| PlanError::Refused(Message::new(key));
        match self {
            Refusal::NotSorted => refused("fault.executorch-order"),
            Refusal::Backed => refused("fault.executorch-backed"),
            Refusal::BadBase => refused("fault.executorch-base"),
            Refusal::OtherArenas => refused("fault.executorch-arenas"),
            Refusal::NoAlgorithm => refused("fault.executorch-no-algorithm"),
            Refusal::NoMemory { need, have } => PlanError::Refused(
                Message::new("fault.executorch-memories-full").count("need", need).count("have", have),
            ),
            Refusal::Bank(fault) => PlanError::Refused(fault.message(problem)),
            Refusal::Cancelled => PlanError::Cancelled,
        }
    }
}

impl BankFault {
    fn message(self, problem: &Problem) -> Message {
        let name = |buffer: BufferId| problem.buffers[buffer].name.clone();
        match self {
            BankFault::Align { bank, align } => {
                Message::new("fault.executorch-bank-align").text("bank", bank).count("align", align)
            }
            BankFault::Pinned { buffer, bank, need, left, size } => Message::new("fault.executorch-bank-pinned")
                .name("name", name(buffer))
                .text("bank", bank)
                .count("need", need)
                .count("left", left)
                .count("size", size),
            BankFault::Nowhere { buffer, need, left } => Message::new("fault.executorch-bank-nowhere")
                .name("name", name(buffer))
                .count("need", need)
                .text("banks", left),
            BankFault::Reserved { bank, need, have } => Message::new("fault.executorch-bank-reserved")
                .text("bank", bank)
                .count("need", need)
                .count("have", have),
        }
    }
}

impl Spec {
    /// Returns the number of its arena: the one named, else [`DEFAULT_ARENA`].
    pub fn arena(&self) -> u32 {
        self.mem_id.unwrap_or(DEFAULT_ARENA)
    }

    /// Bytes taken at an alignment.
    pub fn size(&self, align: u64) -> u64 {
        align_up(self.bytes, align)
    }
}

impl Settings {
    /// Returns the usual settings with this alignment in bytes.
    pub fn new(align: u64) -> Settings {
        Settings { align, reserved: BTreeMap::new(), padding: 0 }
    }

    /// Returns the bytes reserved at the base of an arena.
    pub fn reserved(&self, arena: u32) -> u64 {
        self.reserved.get(&arena).copied().unwrap_or(0)
    }
}

impl Answer {
    /// Sum of the arenas, by which a suite compares.
    pub fn total(&self) -> u64 {
        self.arenas.values().sum()
    }

    /// Number of entries of the original's list of sizes, which is indexed by arena and has at
    /// least two.
    pub fn entries(&self) -> u32 {
        self.arenas.keys().last().map_or(2, |&last| last.saturating_add(1).max(2))
    }
}
