//! Instances to practise on, as values.

use serde::Serialize;
use serde_json::Value;

use super::{ApiError, Code, ExerciseSettings, chosen, plan_file, say};
use memplan_core::graph::Graph;
use memplan_core::text::Locale;
use memplan_formats::export;
use memplan_formats::import::Document;
use memplan_teach::exercise::variant::{Instance, VariantError, as_graph, generate};

/// A question with its answer, in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QuestionRecord {
    /// What is asked.
    pub ask: String,
    /// What is right; none where answers are kept back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// An instance as programs see it (docs/exercises.md).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExerciseRecord {
    /// What it is for.
    pub kind: &'static str,
    /// Id of the planner.
    pub planner: &'static str,
    /// Where it comes from.
    pub seed: u64,
    /// How hard it is.
    pub difficulty: u8,
    /// How many instances were made until one had the property.
    pub tries: u32,
    /// The buffers or operators as a `memory-graph/1` object.
    pub document: Value,
    /// The plan with a fault, as a `memory-plan/1` object; none if no fault is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
    /// What is asked.
    pub questions: Vec<QuestionRecord>,
    /// What is known of it; none where answers are kept back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Value>,
}

impl ExerciseRecord {
    /// The record of an instance.
    pub fn new(instance: &Instance, with_answers: bool, locale: Locale) -> ExerciseRecord {
        let question = |question: &memplan_teach::exercise::variant::Question| QuestionRecord {
            ask: say(&question.ask, locale),
            answer: with_answers.then(|| say(&question.answer, locale)),
        };
        let plan = match &instance.document {
            Document::Plan(problem, plan) => {
                let file = plan_file(problem, plan, instance.planner, Default::default());
                Some(serde_json::to_value(file).unwrap_or_default())
            }
            _ => None,
        };
        ExerciseRecord {
            kind: instance.kind.name(),
            planner: instance.planner,
            seed: instance.seed,
            difficulty: instance.difficulty.number(),
            tries: instance.tries,
            document: serde_json::from_str(&export::graph(&graph_of(instance))).unwrap_or_default(),
            plan,
            questions: instance.questions.iter().map(question).collect(),
            facts: with_answers.then(|| instance.record.clone()),
        }
    }
}

/// The graph of an instance; of buffers one with the same live ranges.
pub fn graph_of(instance: &Instance) -> Graph {
    instance.document.graph().cloned().unwrap_or_else(|| as_graph(&instance.problem))
}

/// Makes the instance of a seed.
///
/// # Errors
/// [`Code::Planner`]; [`Code::Argument`] for a kind without instances; [`Code::Refused`] where the
/// planner is not for the kind or no instance has the property wanted.
pub fn exercise(wanted: &ExerciseSettings) -> Result<Instance, ApiError> {
    let (planner, _) = chosen(&wanted.planner, [])?;
    generate(wanted.kind, planner, wanted.seed, wanted.difficulty).map_err(|error| {
        let code = if matches!(error, VariantError::NoInstance(_)) { Code::Argument } else { Code::Refused };
        let path = if matches!(error, VariantError::NoInstance(_)) { "kind" } else { "" };
        ApiError::new(code, path, error.message())
    })
}
