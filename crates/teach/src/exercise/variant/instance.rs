//! An instance with its questions and answers.

use super::kind::{Difficulty, Kind};
use crate::exercise::figure::Figure;
use crate::exercise::operators::Operators;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::Violation;
use memplan_core::problem::{BufferId, Problem};
use memplan_formats::import::Document;

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

    fn message(self) -> Message {
        Message::new(match self {
            FaultKind::Overlap => "variant.fault-overlap",
            FaultKind::Misaligned => "variant.fault-misaligned",
            FaultKind::AbovePeak => "variant.fault-above-peak",
            FaultKind::FreedEarly => "variant.fault-freed-early",
        })
    }
}

/// What is known of an instance. Sizes, loads and peaks in bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum Facts {
    /// Of [`Kind::Predict`].
    Predict {
        /// Every question, in the planner's order: where the buffer really goes.
        places: Vec<Placed>,
        /// Growths while something was free below the top during the whole life of the buffer.
        growths_with_room: u32,
        /// Decisions in which a lower hole was passed over.
        passed_over: u32,
    },
    /// Of [`Kind::Pack`].
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
    /// Of [`Kind::Order`].
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
    /// Of [`Kind::Debug`].
    Debug {
        /// The kind of the fault.
        fault: FaultKind,
        /// What the check of plans finds.
        violation: Violation,
        /// Names of the buffers that take part.
        buffers: Vec<String>,
    },
    /// Of [`Kind::Tetris`].
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
    /// Of [`Kind::Number`]: the figures that are asked about, each with its value.
    Number(Vec<(Figure, u64)>),
}

/// An instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// What it is for.
    pub kind: Kind,
    /// Id of the planner that it was made for.
    pub planner: &'static str,
    /// Where it comes from.
    pub seed: u64,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// How many instances were made until one had the property.
    pub tries: u32,
    /// Buffers; a graph where the planner needs one or operators are ordered; a plan where its
    /// fault is to be found.
    pub document: Document,
    /// The buffers of the document.
    pub problem: Problem,
    /// What is known of it.
    pub facts: Facts,
    /// What is asked, with the answers.
    pub questions: Vec<Question>,
}

fn places_message(places: &[Placed], problem: &Problem) -> Message {
    let mut list = places.iter().rev().map(|placed| {
        let size = problem.buffer_named(&placed.name).map_or(0, |id| problem.buffers[id].size);
        Message::new("variant.at").name("name", placed.name.clone()).span("span", placed.offset, placed.offset + size)
    });
    let last = list.next().unwrap_or_else(|| Message::new("variant.none"));
    list.fold(last, |rest, first| Message::new("variant.then").inner("first", first).inner("rest", rest))
}

impl Facts {
    /// What is asked in words, except for [`Facts::Predict`] and [`Facts::Number`], whose questions
    /// need the run.
    pub(super) fn questions(&self, problem: &Problem) -> Vec<Question> {
        let count = problem.buffers.len();
        match self {
            Facts::Predict { .. } | Facts::Number(_) => Vec::new(),
            Facts::Pack { bound, first_fit, places, .. } => vec![Question {
                ask: Message::new("variant.pack-ask").count("n", count).bytes("bound", *bound).bytes("fit", *first_fit),
                answer: Message::new("variant.pack-answer")
                    .bytes("bound", *bound)
                    .inner("places", places_message(places, problem)),
            }],
            Facts::Order { written, best, order, .. } => vec![Question {
                ask: Message::new("variant.order-ask").count("n", order.len()).bytes("written", *written),
                answer: Message::new("variant.order-answer")
                    .bytes("low", *best)
                    .with("names", Arg::Names(order.clone())),
            }],
            Facts::Debug { fault, violation, .. } => vec![Question {
                ask: Message::new("variant.debug-ask").count("n", count),
                answer: Message::new("variant.debug-answer")
                    .inner("fault", fault.message())
                    .inner("found", debug_words(violation, problem)),
            }],
            Facts::Tetris { order, bound, planner, places } => vec![Question {
                ask: Message::new("variant.tetris-ask")
                    .with("names", Arg::Names(order.clone()))
                    .bytes("bound", *bound)
                    .bytes("peak", *planner),
                answer: Message::new("variant.pack-answer")
                    .bytes("bound", *bound)
                    .inner("places", places_message(places, problem)),
            }],
        }
    }
}

/// A fault in the words of the question, which speaks of a claimed peak and of no pool.
pub fn debug_words(violation: &Violation, problem: &Problem) -> Message {
    let name = |id: BufferId| problem.buffers[id].name.clone();
    match *violation {
        Violation::OutsidePool { buffer, end, size } => {
            Message::new("game.debug-beyond").name("name", name(buffer)).address("end", end).bytes("peak", size)
        }
        Violation::Misaligned { buffer, offset, align } => {
            let message = Message::new("game.debug-misaligned").name("name", name(buffer));
            message.address("at", offset).bytes("align", align)
        }
        _ => violation.message(problem),
    }
}
