//! What one feature forbids, takes or changes of another: what exercises keep from students, what
//! steps of a presented lesson and of *Predict* are, and what a change of the mode ends.

use crate::learn::exercise::state::stage::Stage;
use crate::shell::state::State;
use crate::shell::state::action::{
    Action, DocumentAction, GameAction, IntroductionAction, LearnAction, Motion, PredictAction, StepAction, ViewAction,
};
use crate::shell::state::look::Switch;
use crate::shell::state::panels::{Mode, Tab};

impl State {
    /// Lets features in the way of an action have it; returns true if nothing else is to happen.
    pub(super) fn is_taken(&mut self, action: &Action) -> bool {
        if !self.exercise_allows(action) {
            return true;
        }
        match action {
            // In front of an audience a step goes through the lesson, not through the run.
            Action::Step(action) if self.present_step(action) => true,
            // While a question is open, a step shows no more than the question may.
            Action::Step(action) if self.predict_step(action) => {
                self.touched();
                true
            }
            Action::Step(action) if self.line_step(action) => {
                self.touched();
                true
            }
            _ => false,
        }
    }

    /// Ends what belongs to a mode that is left.
    pub(super) fn keep_modes_apart(&mut self) {
        if self.predicting.on && self.view.mode != Mode::Step {
            // Other modes show the whole plan.
            self.stop_predicting();
        }
        if self.view.mode != Mode::Fit {
            // No model is saved behind the reader's back.
            self.fitting.saves_model = false;
        }
    }

    /// Changes what is shown, and what follows from that in other features.
    pub(super) fn on_view(&mut self, action: ViewAction) {
        match action {
            ViewAction::Switch(Switch::Minimap) => self.view.look.minimap = Some(!self.shows_minimap()),
            ViewAction::RightTab(Tab::State) => self.introduction.folded = false,
            ViewAction::Viewed(Some(_)) => self.introduction.notes = false,
            _ => {}
        }
        let learned = self.view.mode == Mode::Learn;
        let enters_lessons = matches!(action, ViewAction::Mode(Mode::Learn)) && !learned;
        if matches!(action, ViewAction::Mode(mode) if mode != Mode::Learn) && learned {
            self.leave_lessons();
        }
        let presents = matches!(action, ViewAction::Present(_) | ViewAction::ScreenLeft);
        if !self.cursor_follows(&action) {
            self.view.apply(action);
        }
        // A lesson in front of an audience begins with what its paragraph shows, before any answer.
        if enters_lessons || presents && self.learning.lesson.is_some() && self.view.mode == Mode::Learn {
            self.on_learn(LearnAction::Back);
        }
    }

    /// Whether an exercise lets something happen: its document, its planner and its questions stay.
    fn exercise_allows(&self, action: &Action) -> bool {
        let Some(assigned) = &self.teaching.assigned else { return true };
        match action {
            // The picture stays as it is, so that it reveals no figure.
            Action::Step(action) if self.asks_figures() => matches!(action, StepAction::Select(_)),
            // What the planner does may be looked at as often as one likes.
            Action::Step(action) if self.asks_program() => !matches!(action, StepAction::AskSensitivity(_)),
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
            // Planners run for no one but the question.
            Action::Step(StepAction::AskSensitivity(_)) | Action::AskPeak(_) => false,
            Action::Predict(action) => matches!(
                action,
                PredictAction::Choose(_) | PredictAction::Neighbour { .. } | PredictAction::Check | PredictAction::Show
            ),
            Action::View(action) => {
                !matches!(action, ViewAction::Mode(_) | ViewAction::Overlay(Some(_)) | ViewAction::Present(_))
            }
            Action::Introduction(action) => matches!(action, IntroductionAction::Return(_)),
            Action::Edit(_) | Action::Compare(_) | Action::Diff(_) | Action::Fit(_) | Action::Learn(_) => false,
            Action::Own(_) => false,
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
}
