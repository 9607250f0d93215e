//! Checks a plan and returns every rule that it breaks, as plain values for JavaScript.

use serde::Serialize;

use super::{ApiError, Code, say};
use memplan_core::base::Message;
use memplan_core::plan::{BufferPairs, Plan, Violation, check, faults};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::text::Locale;
use memplan_formats::import::Document;

/// A rule that a plan breaks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// `overlap`, `misaligned`, `outside-pool`, `no-pool`, `missing`, `not-where-fixed`,
    /// `bad-takeover`, `shared-pool` or `over-capacity`.
    pub kind: &'static str,
    /// The sentence.
    pub message: String,
    /// Names of the buffers concerned.
    pub buffers: Vec<String>,
    /// Whether the plan lists this overlap as a quirk, an overlap that the original system makes
    /// too. A quirk is no fault.
    pub quirk: bool,
}

/// Returns every rule that the plan of a document breaks.
///
/// # Errors
/// [`Code::NoPlan`] if the document holds no plan; [`Code::Misread`] if the plan is that of a
/// shipped system and contradicts what was read.
pub fn verify(document: &Document, locale: Locale) -> Result<Vec<Finding>, ApiError> {
    let no_plan = || ApiError::new(Code::NoPlan, "", Message::new("api.no-plan"));
    let (problem, plan) = document.own_plan().ok_or_else(no_plan)?;
    ApiError::unless_misread(document)?;
    let quirks = BufferPairs::quirks(plan);
    let finding = |violation: &Violation| finding(problem, violation, quirks.has(violation), locale);
    Ok(check(problem, plan).iter().map(finding).collect())
}

/// Returns true if a plan breaks no rule, apart from its quirks. A planner that only computes a
/// figure places no buffer: its plan is valid, too.
pub fn is_valid(problem: &Problem, plan: &Plan) -> bool {
    plan.places.iter().all(Option::is_none) || faults(problem, plan).is_empty()
}

fn finding(problem: &Problem, violation: &Violation, quirk: bool, locale: Locale) -> Finding {
    let (kind, buffers): (_, Vec<BufferId>) = match *violation {
        Violation::Overlap { a, b, .. } => ("overlap", vec![a, b]),
        Violation::Misaligned { buffer, .. } => ("misaligned", vec![buffer]),
        Violation::OutsidePool { buffer, .. } => ("outside-pool", vec![buffer]),
        Violation::NoPool { buffer, .. } => ("no-pool", vec![buffer]),
        Violation::Missing { buffer } => ("missing", vec![buffer]),
        Violation::NotWhereFixed { buffer, .. } => ("not-where-fixed", vec![buffer]),
        Violation::BadTakeover { acceptor, donor } => ("bad-takeover", vec![acceptor, donor]),
        Violation::SharedPool { a, b, .. } => ("shared-pool", vec![a, b]),
        Violation::OverCapacity { .. } => ("over-capacity", Vec::new()),
    };
    Finding {
        kind,
        message: say(&violation.message(problem), locale),
        buffers: buffers.into_iter().map(|id| problem.buffers[id].name.clone()).collect(),
        quirk,
    }
}
