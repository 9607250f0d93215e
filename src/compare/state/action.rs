//! What can happen to plans side by side.

use crate::compare::state::Change;
use crate::compare::state::second::SecondAction;
use crate::compare::state::whatif::WhatIfChange;
use memplan_core::problem::Scope;
use memplan_engine::PlannerChoice;

/// What happens to the comparison.
#[derive(Clone, Debug)]
pub enum CompareAction {
    /// Change the comparison.
    Change(Change),
    /// The table of other settings.
    OpenWhatIf,
    /// Planners side by side, where a table of settings or two documents were.
    OpenPlanners,
    /// Change the table of other settings.
    WhatIf(WhatIfChange),
    /// To the second worker.
    Second(SecondAction),
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
