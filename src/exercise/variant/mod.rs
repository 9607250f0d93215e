//! Instances to practise on, from a seed: the same seed gives the same instance on the page, on the
//! command line and in JavaScript, now and later (a test pins several).
//!
//! An instance is shown only if it has a property that makes it worth the time. Instances are made
//! one after the other from the numbers of one generator (SplitMix64, `dice.rs`), which begins at
//! the seed, the kind and the difficulty, until one has the property; after [`TRIES`]
//! ([`TRIES_OF_SEARCH`] where the planner searches) there is none, and that is said. The planner
//! has a part in the property, not in the numbers.
//!
//! | kind | instance | property |
//! |---|---|---|
//! | predict | 6 to 7, 8 to 10 or 11 to 14 buffers | the peak grows while something is free below the top (once, once, twice), and lower holes are passed over (once, twice, three times); at least four questions have a choice |
//! | pack | 4 to 6, 7 to 9 or 10 to 14 blocks | exact search proves that a plan reaches the bound; first fit misses it |
//! | break | none | there are only the limits of the board |
//! | order | 5, 7 or 9 operators | of all orders, tried one by one, the best has a highest load below that of the order as written: by anything, a tenth, three twentieths |
//! | debug | 5 to 6, 7 to 9 or 10 to 13 buffers | the check of plans finds exactly one fault, of the kind that was planted |
//! | tetris | 6 to 8, 9 to 11 or 12 to 16 blocks | exact search proves that a plan reaches the bound; the planner misses it |
//! | number | 6 to 7, 8 to 10 or 11 to 14 buffers in at least five steps | the peak is above the bound; at the step asked about, the likeliest mistakes give another load, and it is not the highest |

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

use self::attempt::{Miss, Wish};
use super::dice::Dice;
use crate::base::{MAX_SAFE, Message};
use crate::graph::Graph;
use crate::planner::{Effort, Planner};
use crate::problem::Problem;

pub use instance::{Facts, FaultKind, Instance, Placed, Question};
pub use kind::{Difficulty, Kind};
pub use number::{FEWEST_BUFFERS, FEWEST_STEPS};
pub use order::{Placing, of_buffers};
pub use perfect::{BUFFERS, Perfect, perfect};

/// Most instances that are made until one has the property wanted.
pub const TRIES: u32 = 2_000;

/// The same for planners that search, which take longer.
pub const TRIES_OF_SEARCH: u32 = 200;

/// Largest seed: the largest whole number that JavaScript has exactly.
pub const MAX_SEED: u64 = MAX_SAFE;

/// Why there is no instance.
#[derive(Clone, PartialEq, Debug)]
pub enum VariantError {
    /// The kind has no instances.
    NoInstance(Kind),
    /// The planner is not for this kind, for a reason.
    Refused(Message),
    /// So many were made, and none has the property.
    NoneFound(u32),
}

impl VariantError {
    /// The reason in words.
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

/// Makes the instance of a seed.
///
/// # Errors
/// [`VariantError`] where there is none.
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
    let mut wish = Wish { planner, difficulty, name: &name, dice: &mut dice };
    let most = if planner.info().effort == Effort::Search { TRIES_OF_SEARCH } else { TRIES };
    for tries in 1..=most {
        match attempt(&mut wish) {
            Ok(found) => {
                let attempt::Found { document, problem, facts, questions } = found;
                let planner = planner.info().id;
                return Ok(Instance { kind, planner, seed, difficulty, tries, document, problem, facts, questions });
            }
            Err(Miss::Never(reason)) => return Err(VariantError::Refused(reason)),
            Err(Miss::Another) => {}
        }
    }
    Err(VariantError::NoneFound(most))
}

/// The seed of one student: that of the exercise, mixed with the letters of the name (its UTF-8
/// bytes without blanks around them, one after the other, each by `Dice::of`). It is at most
/// [`MAX_SEED`].
pub fn seed_for(seed: u64, name: &str) -> u64 {
    let letters: Vec<u64> = name.trim().bytes().map(u64::from).collect();
    Dice::of(seed, &letters).number() & MAX_SEED
}

/// Buffers as a graph with the same live ranges: a node for each step makes what is born there and
/// reads what ends there.
pub fn as_graph(problem: &Problem) -> Graph {
    make::graph(problem)
}

#[cfg(test)]
mod tests;
