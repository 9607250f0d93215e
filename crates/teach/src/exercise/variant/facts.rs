//! What is known of an instance, and what is asked about it.

use crate::exercise::figure::Figure;
use crate::exercise::operators::Operators;
use memplan_core::base::Message;
use memplan_core::plan::Violation;
use memplan_core::problem::Problem;
use serde_json::{Value, json};

/// A question with its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// What is asked.
    pub ask: Message,
    /// What is right.
    pub answer: Message,
}

/// A place that a planner takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Name of the buffer.
    pub name: String,
    /// Its pool.
    pub pool: u32,
    /// Its offset in bytes.
    pub offset: u64,
    /// By how many bytes the peak rose.
    pub grew: u64,
}

/// Which rule of plans is broken on purpose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// Two buffers hold the same bytes during two steps or more.
    Overlap,
    /// An offset is no multiple of the alignment.
    Misaligned,
    /// A buffer ends above the peak that the plan claims.
    AbovePeak,
    /// The bytes of a buffer are given away at the last step of its life.
    FreedEarly,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 4] =
        [FaultKind::Overlap, FaultKind::AbovePeak, FaultKind::Misaligned, FaultKind::FreedEarly];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Overlap => "overlap",
            FaultKind::Misaligned => "misaligned",
            FaultKind::AbovePeak => "above-peak",
            FaultKind::FreedEarly => "freed-early",
        }
    }
}

/// What is known of an instance. Sizes, loads and peaks in bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum Facts {
    /// Of `predict`.
    Predict {
        /// Every question, in the planner's order: where the buffer really goes.
        places: Vec<Placed>,
        /// Growths while something was free below the top during the whole life of the buffer.
        growths_with_room: u32,
        /// Decisions in which a lower hole was passed over.
        passed_over: u32,
    },
    /// Of `pack`.
    Pack {
        /// The lower bound, which a plan reaches: proved by exact search.
        bound: u64,
        /// What first fit reaches.
        first_fit: u64,
        /// What the planner of the exercise reaches.
        planner: u64,
        /// A plan that reaches the bound: names and offsets.
        places: Vec<Placed>,
    },
    /// Of `order`.
    Order {
        /// Highest load of the order as written.
        written: u64,
        /// Smallest highest load of all orders: all were tried.
        best: u64,
        /// Names of the operators in an order that has it.
        order: Vec<String>,
        /// The operators, to judge other orders.
        operators: Operators,
    },
    /// Of `debug`.
    Debug {
        /// The kind of the fault.
        fault: FaultKind,
        /// What the check of plans finds.
        violation: Violation,
        /// Names of the buffers that take part.
        buffers: Vec<String>,
    },
    /// Of `tetris`.
    Tetris {
        /// Names in the order in which they are to be placed: the planner's.
        order: Vec<String>,
        /// The lower bound, which a plan reaches: proved by exact search.
        bound: u64,
        /// What the planner reaches.
        planner: u64,
        /// A plan that reaches the bound, in the same order.
        places: Vec<Placed>,
    },
    /// Of `write`.
    Write {
        /// What the planner reaches.
        peak: u64,
        /// The lower bound.
        bound: u64,
        /// Where the planner puts the buffers.
        places: Vec<Placed>,
    },
    /// Of `number`: the figures that are asked about, each with its value.
    Number(Vec<(Figure, u64)>),
}

/// Where buffers lie, in words.
pub fn words_of(places: &[Placed], problem: &Problem) -> Message {
    let mut list = places.iter().rev().map(|placed| {
        let size = problem.buffer_named(&placed.name).map_or(0, |id| problem.buffers[id].size);
        Message::new("variant.at").name("name", placed.name.clone()).span("span", placed.offset, placed.offset + size)
    });
    let last = list.next().unwrap_or_else(|| Message::new("variant.none"));
    list.fold(last, |rest, first| Message::new("variant.then").inner("first", first).inner("rest", rest))
}

/// Where buffers lie, as programs see it.
pub fn record_of(places: &[Placed]) -> Value {
    let place = |placed: &Placed| json!({ "name": placed.name, "pool": placed.pool, "offset": placed.offset });
    places.iter().map(place).collect()
}
