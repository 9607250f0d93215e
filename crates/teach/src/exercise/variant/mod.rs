//! Instances to practise on, from a seed: the same seed gives the same instance on the page, on the
//! command line and in JavaScript, now and later (a test pins several).
//!
//! An instance is returned only if it has a property that makes it worth the student's time. One
//! random generator (SplitMix64, `dice.rs`), seeded with the seed, the kind and the difficulty,
//! makes instances until one has the property. After [`TRIES`] instances, or [`TRIES_OF_SEARCH`] if
//! the planner searches, [`generate`] returns [`VariantError::NoneFound`]. The planner decides
//! whether an instance has the property; the random numbers do not depend on it.
//!
//! The kinds say what their instances are like, and which property they have
//! (`exercise::activity`).

pub(super) mod attempt;
mod difficulty;
pub(super) mod facts;
mod instance;
pub(super) mod make;
mod perfect;

use std::fmt;

use self::attempt::{InstanceConfig, Rejection};
use super::activity::Kind;
use super::dice::Dice;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::Graph;
use memplan_core::problem::Problem;
use memplan_planners::{Effort, Planner};

pub use difficulty::Difficulty;
pub use facts::{Facts, FaultKind, Placed, Question};
pub use instance::Instance;
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
    let (Some(attempt), Some(practice)) = (kind.attempt(), kind.activity().practice) else {
        return Err(VariantError::NoInstance(kind));
    };
    let name = format!("{}-{}-{seed}", kind.name(), difficulty.number());
    let mut dice = Dice::of(seed, &[practice.number, u64::from(difficulty.number())]);
    let mut config = InstanceConfig { planner, difficulty, name: &name, dice: &mut dice };
    let limit = if planner.info().effort == Effort::Search { TRIES_OF_SEARCH } else { TRIES };
    for tries in 1..=limit {
        match attempt(&mut config) {
            Ok(found) => {
                let attempt::Candidate { document, problem, facts, record, questions } = found;
                return Ok(Instance {
                    kind,
                    planner: planner.info().id,
                    seed,
                    difficulty,
                    tries,
                    document,
                    problem,
                    facts,
                    record,
                    questions,
                });
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
