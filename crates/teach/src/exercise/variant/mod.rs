//! Instances to practise on, from a seed: the same seed gives the same instance on the page, on the
//! command line and in JavaScript, now and later (a test pins several).
//!
//! An instance is returned only if it has a property that makes it worth the student's time. One
//! random generator (SplitMix64, `dice.rs`), seeded with the seed, the kind and the difficulty,
//! makes instances until one has the property. After [`TRIES`] instances, or [`TRIES_OF_SEARCH`] if
//! the planner searches, [`generate`] returns [`VariantError::NoneFound`]. The planner decides
//! whether an instance has the property; the random numbers do not depend on it.
//!
//! Where the table has three values, they are for the difficulties 1, 2 and 3.
//!
//! | kind | instance | property |
//! |---|---|---|
//! | predict | 6 to 7, 8 to 10 or 11 to 14 buffers | the peak grows although something is free below the top (at least once, once, twice), and lower holes are passed over (at least once, twice, three times); at least four questions have more than one place to choose from |
//! | pack | 4 to 6, 7 to 9 or 10 to 14 blocks | exact search proves that a plan reaches the bound; first fit misses it |
//! | break | none: the exercise has limits of the board only | |
//! | order | 5, 7 or 9 operators | the highest load of the best of all orders is below that of the order as written: by any amount, at least 10 %, at least 15 % |
//! | debug | 5 to 6, 7 to 9 or 10 to 13 buffers | the check of plans finds exactly one fault, of the kind that was planted |
//! | tetris | 6 to 8, 9 to 11 or 12 to 16 blocks | exact search proves that a plan reaches the bound; the planner misses it |
//! | number | 6 to 7, 8 to 10 or 11 to 14 buffers in at least five steps | the peak is above the bound; at the step asked about, the likeliest mistakes give another load than the right one, which is not the highest |

mod attempt;
mod debug;
mod instance;
mod kind;
mod make;
mod number;
mod order;
mod pack;
mod perfect;
mod predict;

use std::fmt;

use self::attempt::{InstanceConfig, Rejection};
use super::dice::Dice;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::Graph;
use memplan_core::problem::Problem;
use memplan_planners::{Effort, Planner};

pub use instance::{Facts, FaultKind, Instance, Placed, Question, debug_words};
pub use kind::{Difficulty, Kind};
pub use number::{FEWEST_BUFFERS, FEWEST_STEPS};
pub use order::{Placing, of_buffers};
pub use perfect::{BUFFERS, Perfect, perfect};

/// Most instances that [`generate`] makes in search of one with the property.
pub const TRIES: u32 = 2_000;

/// The same for planners that search, because they take longer.
pub const TRIES_OF_SEARCH: u32 = 200;

/// Largest seed: JavaScript represents all whole numbers up to it exactly.
pub const MAX_SEED: u64 = MAX_SAFE;

/// Why there is no instance.
#[derive(Clone, PartialEq, Debug)]
pub enum VariantError {
    /// The kind has no instances.
    NoInstance(Kind),
    /// The planner is not for exercises of this kind, for this reason.
    Refused(Message),
    /// So many instances were made, and none has the property.
    NoneFound(u32),
}

impl VariantError {
    /// Returns the reason as a message.
    pub fn message(&self) -> Message {
        match self {
            VariantError::NoInstance(kind) => Message::new("variant.no-instance").text("kind", kind.name()),
            VariantError::Refused(reason) => reason.clone(),
            VariantError::NoneFound(tries) => Message::new("variant.none-found").count("n", *tries),
        }
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VariantError::NoInstance(kind) => write!(f, "exercises of kind {} have no instances", kind.name()),
            VariantError::Refused(reason) => write!(f, "{}", reason.key),
            VariantError::NoneFound(tries) => write!(f, "none of {tries} instances has the property"),
        }
    }
}

impl std::error::Error for VariantError {}

/// Returns the instance of a seed.
///
/// # Errors
/// Why there is none, as [`VariantError`] lists.
pub fn generate(
    kind: Kind,
    planner: &'static dyn Planner,
    seed: u64,
    difficulty: Difficulty,
) -> Result<Instance, VariantError> {
    let attempt = match kind {
        Kind::Predict => predict::attempt,
        Kind::Pack => pack::attempt,
        Kind::Break => return Err(VariantError::NoInstance(kind)),
        Kind::Order => order::attempt,
        Kind::Debug => debug::attempt,
        Kind::Tetris => pack::tetris,
        Kind::Number => number::attempt,
    };
    let name = format!("{}-{}-{seed}", kind.name(), difficulty.number());
    let mut dice = Dice::of(seed, &[kind.number(), u64::from(difficulty.number())]);
    let mut config = InstanceConfig { planner, difficulty, name: &name, dice: &mut dice };
    let limit = if planner.info().effort == Effort::Search { TRIES_OF_SEARCH } else { TRIES };
    for tries in 1..=limit {
        match attempt(&mut config) {
            Ok(found) => {
                let attempt::Candidate { document, problem, facts, questions } = found;
                let planner = planner.info().id;
                return Ok(Instance { kind, planner, seed, difficulty, tries, document, problem, facts, questions });
            }
            Err(Rejection::Never(reason)) => return Err(VariantError::Refused(reason)),
            Err(Rejection::Another) => {}
        }
    }
    Err(VariantError::NoneFound(limit))
}

/// Returns the seed of one student: the seed of the exercise, into which `Dice::of` mixes the UTF-8
/// bytes of the name, without blanks around it, one by one. It is at most [`MAX_SEED`].
pub fn seed_for(seed: u64, name: &str) -> u64 {
    let bytes: Vec<u64> = name.trim().bytes().map(u64::from).collect();
    Dice::of(seed, &bytes).number() & MAX_SEED
}

/// Returns a graph with the live ranges of some buffers: the node of each step makes the buffers
/// that begin there and reads those whose last step it is.
pub fn as_graph(problem: &Problem) -> Graph {
    make::graph(problem)
}

#[cfg(test)]
mod tests;
