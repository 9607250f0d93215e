//! What an exercise keeps back and what it lets happen.

use crate::state::State;
use crate::state::action::{
    Action, DocumentAction, GameAction, IntroductionAction, LearnAction, Motion, PredictAction, StepAction, ViewAction,
};
use crate::state::stage::Stage;
use memplan_teach::exercise::link::Help;
use memplan_teach::lesson::Hidden;

impl State {
    /// Whether the exercise keeps a part of the picture back.
    pub fn exercise_hides(&self, hidden: Hidden) -> bool {
        if self.has_open_figures() {
            return true;
        }
        use memplan_teach::exercise::link::Hidden as Kept;
        let kept = match hidden {
            Hidden::Load => Kept::Curve,
            Hidden::Bound => Kept::Bound,
            Hidden::Peak => Kept::Peak,
            // Exercises have no such part.
            Hidden::Alive => return false,
        };
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| task.hide.contains(&kept))
    }

    /// Whether an exercise lets something happen: its document, its planner and its questions stay.
    pub(in crate::state) fn exercise_allows(&self, action: &Action) -> bool {
        let Some(assigned) = &self.teaching.assigned else { return true };
        match action {
            // The picture stays as it is, so that it reveals no figure.
            Action::Step(action) if self.asks_figures() => matches!(action, StepAction::Select(_)),
            // The plan belongs to the question.
            Action::Step(action) if self.asks_lessons() => {
                matches!(action, StepAction::Select(_) | StepAction::Point(_) | StepAction::Tick)
            }
            Action::Learn(action) if self.asks_lessons() => self.lesson_allows(action),
            Action::Document(action) => !matches!(
                action,
                DocumentAction::Open { place: None, .. }
                    | DocumentAction::OpenAll(_)
                    | DocumentAction::Answers(_)
                    | DocumentAction::Export(_)
                    | DocumentAction::Write(_)
                    | DocumentAction::Planner(_)
                    | DocumentAction::NextPlanner { .. }
                    | DocumentAction::Option { .. }
                    | DocumentAction::Options(_)
                    | DocumentAction::ResetOptions
                    | DocumentAction::ResetAll
                    | DocumentAction::LookClosely
                    | DocumentAction::Scope(_)
            ),
            Action::Step(StepAction::Move(Motion::Next | Motion::NextBuffer)) => {
                assigned.stage == Stage::Asking && !(self.is_full() && self.frame() >= self.predicting.known)
            }
            // Nothing is skipped.
            Action::Step(StepAction::Move(Motion::Last) | StepAction::Seek(_) | StepAction::SeekBuffer(_)) => false,
            Action::Predict(action) => matches!(
                action,
                PredictAction::Choose(_) | PredictAction::Neighbour { .. } | PredictAction::Check | PredictAction::Show
            ),
            Action::View(action) => {
                !matches!(action, ViewAction::Mode(_) | ViewAction::Overlay(Some(_)) | ViewAction::Present(_))
            }
            Action::Introduction(action) => matches!(action, IntroductionAction::Return(_)),
            Action::Edit(_) | Action::Compare(_) | Action::Learn(_) => false,
            Action::Game(action) => {
                let is_refused = matches!(
                    action,
                    GameAction::Open(_) | GameAction::OfOpen(_) | GameAction::Show(_) | GameAction::Tell(_)
                ) || action.is_of_kept_boards();
                let is_under_way = matches!(assigned.stage, Stage::Making | Stage::Asking);
                is_under_way && !is_refused && (self.may_hint() || !matches!(action, GameAction::Hint))
            }
            // What is fetched is asked about once it is there.
            Action::Fetching { .. } | Action::Fetched(..) => true,
            Action::Step(_) | Action::Settings(_) | Action::Teach(_) => true,
        }
    }

    /// Whether something happens to the lesson of a question: it comes, or is answered.
    fn lesson_allows(&self, action: &LearnAction) -> bool {
        match action {
            LearnAction::Index(_) | LearnAction::Lesson(_) | LearnAction::Failed | LearnAction::Learned(_) => true,
            LearnAction::Pick(_) | LearnAction::Drag { .. } => true,
            LearnAction::Task(id, _) => self.lesson_task().is_some_and(|task| task.id == *id),
            _ => false,
        }
    }

    /// Whether hints are given: not in an exercise without help.
    pub fn may_hint(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_none_or(|task| task.help != Help::None)
    }
}
