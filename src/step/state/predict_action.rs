//! Everything that can happen to the questions of *Predict*.

use memplan_core::plan::Place;

/// What happens to questions about what the planner does next.
#[derive(Clone, Copy, Debug)]
pub enum PredictAction {
    /// Ask from the present frame on, or stop asking.
    Toggle,
    /// Choose a place.
    Choose(Place),
    /// Choose the place beside the one that is chosen.
    Neighbour {
        /// Whether it is the one above in the list.
        up: bool,
    },
    /// Compare the chosen place with what the planner does.
    Check,
    /// Show what the planner does.
    Show,
    /// Pass over the questions before the frame that was asked for.
    Skip,
    /// Stay at the question.
    Stay,
    /// Ask again from the first question that was not answered right.
    AgainFromMiss,
    /// Ask again about decisions whose rules were missed.
    AgainKinds,
}
