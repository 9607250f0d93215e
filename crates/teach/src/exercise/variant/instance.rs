//! An instance with its questions and answers.

use super::difficulty::Difficulty;
use super::facts::{Facts, Question};
use crate::exercise::activity::Kind;
use memplan_core::problem::Problem;
use memplan_formats::import::Document;
use serde_json::Value;

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
    /// The same as programs see it (docs/exercises.md).
    pub record: Value,
    /// What is asked, with the answers.
    pub questions: Vec<Question>,
}
