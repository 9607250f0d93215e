//! What can happen to plans side by side.

use crate::compare::state::Change;
use memplan_core::problem::Scope;
use memplan_engine::PlannerChoice;

/// What happens to the comparison.
#[derive(Clone, Debug)]
pub enum CompareAction {
    /// Change the comparison.
    Change(Change),
    /// A planner beside the one shown, for the comparison.
    AddPlanner(PlannerChoice),
    /// The present planner beside what is compared.
    AddToComparison,
    /// A plan of a comparison, frame by frame.
    OpenInSteps {
        /// The planner and its options.
        choice: PlannerChoice,
        /// What is planned.
        scope: Scope,
    },
}
