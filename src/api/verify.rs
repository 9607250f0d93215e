//! Does a plan keep the rules? Every rule broken as a plain value.

use serde::Serialize;

use super::{Code, Refusal, say};
use crate::base::Message;
use crate::import::Document;
use crate::plan::{Plan, Violation, check};
use crate::problem::{BufferId, Problem};
use crate::text::Locale;

/// A rule that a plan breaks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// `overlap`, `misaligned`, `outside-pool`, `no-pool`, `missing`, `not-where-fixed`, `bad-takeover` or `over-capacity`.
    pub kind: &'static str,
    pub message: String,
    /// Names of the buffers it is about.
    pub buffers: Vec<String>,
    /// Whether the plan itself names it as an overlap that its original system makes too: then it is no mistake of the plan.
    pub quirk: bool,
}

/// Every rule that the plan of a document breaks; none for a valid one.
///
/// # Errors
/// [`Code::NoPlan`] when the document holds none.
pub fn verify(document: &Document, locale: Locale) -> Result<Vec<Finding>, Refusal> {
    let no_plan = || Refusal::new(Code::NoPlan, "", Message::new("api.no-plan"));
    let (problem, plan) = document.own_plan().ok_or_else(no_plan)?;
    let finding = |violation: &Violation| finding(problem, plan, violation, locale);
    Ok(check(problem, plan).iter().map(finding).collect())
}

/// Whether a plan breaks no rule. A planner that only computes a figure has no places to break one with.
pub fn is_valid(problem: &Problem, plan: &Plan) -> bool {
    plan.places.iter().all(Option::is_none) || check(problem, plan).iter().all(|violation| violation.is_quirk_of(plan))
}

fn finding(problem: &Problem, plan: &Plan, violation: &Violation, locale: Locale) -> Finding {
    let (kind, buffers): (_, Vec<BufferId>) = match *violation {
        Violation::Overlap { a, b, .. } => ("overlap", vec![a, b]),
        Violation::Misaligned { buffer, .. } => ("misaligned", vec![buffer]),
        Violation::OutsidePool { buffer, .. } => ("outside-pool", vec![buffer]),
        Violation::NoPool { buffer, .. } => ("no-pool", vec![buffer]),
        Violation::Missing { buffer } => ("missing", vec![buffer]),
        Violation::NotWhereFixed { buffer, .. } => ("not-where-fixed", vec![buffer]),
        Violation::BadTakeover { acceptor, donor } => ("bad-takeover", vec![acceptor, donor]),
        Violation::OverCapacity { .. } => ("over-capacity", Vec::new()),
    };
    Finding {
        kind,
        message: say(&violation.message(problem), locale),
        buffers: buffers.into_iter().map(|id| problem.buffers[id].name.clone()).collect(),
        quirk: violation.is_quirk_of(plan),
    }
}
