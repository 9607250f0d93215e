//! Everything that can happen to the state of the page, by the part of the state that it changes.

use crate::compare::diff::state::DiffChange;
use crate::fit::state::FitChange;
use memplan_engine::PlannerChoice;

pub use crate::compare::state::action::CompareAction;
pub use crate::edit::state::action::EditAction;
pub use crate::learn::lessons::state::action::{LearnAction, TaskAction};
pub use crate::learn::play::state::action::GameAction;
pub use crate::learn::teacher::state::action::{FigureAction, TeachAction};
pub use crate::open::state::action::DocumentAction;
pub use crate::own::state::action::OwnAction;
pub use crate::shell::state::introduction::IntroductionAction;
pub use crate::shell::state::settings_action::SettingsAction;
pub use crate::shell::state::view_action::{LinkForm, ViewAction};
pub use crate::step::state::action::{Motion, StepAction};
pub use crate::step::state::predict_action::PredictAction;

/// Something that happens to the state.
#[derive(Clone, Debug)]
pub enum Action {
    /// To what is open, what is asked of the engine, and what came of it.
    Document(DocumentAction),
    /// To where the reader stands in the run.
    Step(StepAction),
    /// To the graph that is edited.
    Edit(EditAction),
    /// To the comparison.
    Compare(CompareAction),
    /// To the comparison of two documents.
    Diff(DiffChange),
    /// To what makes the graph fit.
    Fit(FitChange),
    /// To planners that the user writes.
    Own(OwnAction),
    /// Have the peak of a planner measured that takes long.
    AskPeak(PlannerChoice),
    /// To what is shown, and where.
    View(ViewAction),
    /// To what the user chose for good.
    Settings(SettingsAction),
    /// To how far the visitor is.
    Introduction(IntroductionAction),
    /// To questions about what the planner does next.
    Predict(PredictAction),
    /// To lessons.
    Learn(LearnAction),
    /// To the teacher's corner, or to the exercise of a student.
    Teach(TeachAction),
    /// To a game.
    Game(GameAction),
    /// The page fetches a document.
    Fetching {
        /// Its number.
        number: u32,
        /// Whether it is the one to compare with.
        is_older: bool,
    },
    /// What is done now that the document with this number is there, or is not; nothing if another
    /// one was wanted meanwhile.
    Fetched(u32, Box<Action>),
}
