//! What keys ask for, as actions.

use crate::compare::diff::state::DiffChange;
use crate::compare::state::Change;
use crate::edit::state::draft::EditCommand;
use crate::fit::state::FitChange;
use crate::open::state::sites::RemoteChange;
use crate::shell::state::State;
use crate::shell::state::action::{
    Action, CompareAction, DocumentAction, EditAction, GameAction, LearnAction, Motion, PredictAction, StepAction,
    ViewAction,
};
use crate::shell::state::defining::Defining;
use crate::shell::state::keys::Command;
use crate::shell::state::look::Switch;
use crate::shell::state::panels::{Mode, Overlay};
use crate::step::state::speeds::SPEEDS;
use memplan_replay::Level;
use memplan_scene::Filter;

impl State {
    /// Returns the action that a key asks for at the moment; none where the key has no use, or
    /// needs more than an action.
    pub fn asked(&self, command: Command) -> Option<Action> {
        let has_run = self.document.run.is_some();
        if self.view.mode == Mode::Diff && self.presenting().is_none() {
            return self.asked_of_diff(command);
        }
        if self.view.mode == Mode::Fit && self.presenting().is_none() {
            return self.asked_of_fit(command);
        }
        Some(match command {
            Command::Next => self.moved_by(Motion::Next, Change::Move(1)),
            Command::Previous => self.moved_by(Motion::Previous, Change::Move(-1)),
            Command::NextBuffer => self.moved_by(Motion::NextBuffer, Change::Move(10)),
            Command::PreviousBuffer => self.moved_by(Motion::PreviousBuffer, Change::Move(-10)),
            Command::First => self.moved_by(Motion::First, Change::Position(Some(0))),
            Command::Last => self.moved_by(Motion::Last, Change::Position(None)),
            Command::NextDifference => Action::Compare(CompareAction::Change(Change::Difference { forward: true })),
            Command::PreviousDifference => {
                Action::Compare(CompareAction::Change(Change::Difference { forward: false }))
            }
            // Nothing plays while questions are asked: Space chooses a place there.
            Command::Play if !self.predicting.on => Action::Step(StepAction::Play(!self.stepping.playing)),
            Command::NextEvent => Action::Step(StepAction::RunTo { forward: true }),
            Command::PreviousEvent => Action::Step(StepAction::RunTo { forward: false }),
            Command::Break => Action::Step(StepAction::BreakHere),
            Command::Slower => Action::Step(StepAction::Speed(neighbour(self.stepping.speed, false))),
            Command::Faster => Action::Step(StepAction::Speed(neighbour(self.stepping.speed, true))),
            Command::LevelAll => Action::Step(StepAction::Level(Level::All)),
            Command::LevelDecisions => Action::Step(StepAction::Level(Level::Decisions)),
            Command::LevelOutcomes => Action::Step(StepAction::Level(Level::Outcomes)),
            Command::LeftPanel => Action::View(ViewAction::ToggleLeft),
            Command::RightPanel => Action::View(ViewAction::ToggleRight),
            Command::Panels => Action::View(ViewAction::ToggleBoth),
            Command::NextPlanner => Action::Document(DocumentAction::NextPlanner { forward: true }),
            Command::PreviousPlanner => Action::Document(DocumentAction::NextPlanner { forward: false }),
            Command::Compare if has_run => Action::Compare(CompareAction::AddToComparison),
            Command::Waste => Action::View(ViewAction::Switch(Switch::Waste)),
            Command::Tree => Action::View(ViewAction::Switch(Switch::Tree)),
            Command::Minimap => Action::View(ViewAction::Switch(Switch::Minimap)),
            Command::Present if has_run => Action::View(ViewAction::Present(self.view.presenting.is_none())),
            Command::Blank => Action::View(ViewAction::Blank),
            Command::Highlight => Action::View(ViewAction::Highlight),
            Command::Picture if has_run => Action::View(ViewAction::Overlay(Some(Overlay::Picture))),
            Command::Fullest | Command::NextFullest if self.view.mode == Mode::Step => {
                Action::Step(StepAction::Fullest { next: command == Command::NextFullest })
            }
            Command::Slice if self.view.mode == Mode::Step => Action::View(ViewAction::Switch(Switch::Slice)),
            Command::Picker => Action::View(ViewAction::Overlay(Some(Overlay::Planners))),
            Command::NextParagraph => Action::Learn(LearnAction::NextParagraph { forward: true }),
            Command::PreviousParagraph => Action::Learn(LearnAction::NextParagraph { forward: false }),
            Command::NextExercise => Action::Learn(LearnAction::Go(self.next_exercise()?)),
            Command::Save => Action::Edit(EditAction::Save),
            Command::Undo if self.game_shown().is_some() => Action::Game(GameAction::Undo),
            Command::Redo if self.game_shown().is_some() => Action::Game(GameAction::Redo),
            Command::Undo if self.editing.session.is_some() => Action::Edit(EditAction::Change(EditCommand::Undo)),
            Command::Redo if self.editing.session.is_some() => Action::Edit(EditAction::Change(EditCommand::Redo)),
            Command::Escape => self.escaped(),
            Command::Find if has_run => Action::View(ViewAction::Overlay(Some(Overlay::Find))),
            Command::Predict if self.predicting.on || self.view.mode == Mode::Step && self.presenting().is_none() => {
                Action::Predict(PredictAction::Toggle)
            }
            Command::PlaceAbove => Action::Predict(PredictAction::Neighbour { up: true }),
            Command::PlaceBelow => Action::Predict(PredictAction::Neighbour { up: false }),
            Command::CheckPlace => Action::Predict(PredictAction::Check),
            Command::Help => Action::View(ViewAction::Overlay(Some(Overlay::Help))),
            _ => return None,
        })
    }

    /// The same where two documents are compared: nothing is stepped.
    fn asked_of_diff(&self, command: Command) -> Option<Action> {
        let diff = |change| Some(Action::Diff(change));
        match command {
            Command::NextDifference => diff(DiffChange::Next { forward: true }),
            Command::PreviousDifference => diff(DiffChange::Next { forward: false }),
            Command::Picker => Some(Action::View(ViewAction::Overlay(Some(Overlay::Planners)))),
            Command::Help => Some(Action::View(ViewAction::Overlay(Some(Overlay::Help)))),
            Command::Escape => Some(self.escaped()),
            _ => None,
        }
    }

    /// The same where a budget is met: changes are applied and taken back.
    fn asked_of_fit(&self, command: Command) -> Option<Action> {
        let fit = |change| Some(Action::Fit(change));
        match command {
            Command::Next => fit(FitChange::Next { forward: true }),
            Command::Previous => fit(FitChange::Next { forward: false }),
            Command::First => fit(FitChange::Move(0)),
            Command::Last => fit(FitChange::Move(usize::MAX)),
            Command::Undo => fit(FitChange::Undo),
            Command::Redo => fit(FitChange::Redo),
            Command::Help => Some(Action::View(ViewAction::Overlay(Some(Overlay::Help)))),
            Command::Escape => Some(self.escaped()),
            _ => None,
        }
    }

    /// A movement of the stepper, or of all columns.
    fn moved_by(&self, motion: Motion, columns: Change) -> Action {
        if self.steps_columns() {
            Action::Compare(CompareAction::Change(columns))
        } else {
            Action::Step(StepAction::Move(motion))
        }
    }

    /// What Escape closes: the topmost thing that is open.
    fn escaped(&self) -> Action {
        // In front of an audience only the list of keys lies over the plan.
        if self.presenting().is_some() && self.view.overlay != Some(Overlay::Help) {
            Action::View(ViewAction::Present(false))
        } else if self.view.defined.is_some() {
            Action::View(ViewAction::Define(Defining::Close))
        } else if self.view.overlay.is_some() {
            Action::View(ViewAction::Overlay(self.view.overlay))
        } else if self.document.remote.is_some() {
            Action::Document(DocumentAction::Remote(RemoteChange::Drop))
        } else if self.document.notice.is_some() {
            Action::Document(DocumentAction::DismissNotice)
        } else if self.is_away() {
            Action::Learn(LearnAction::Back)
        } else if self.view.mode == Mode::Diff {
            Action::Diff(DiffChange::Select(0, None))
        } else if self.stepping.lane.is_some() {
            Action::Step(StepAction::Lane(None))
        } else if self.view.filter != Filter::default() {
            Action::View(ViewAction::ShowAll)
        } else {
            Action::Step(StepAction::Select(None))
        }
    }
}

fn neighbour(speed: f64, faster: bool) -> f64 {
    let here = SPEEDS.iter().position(|known| *known >= speed).unwrap_or(2);
    SPEEDS[if faster { (here + 1).min(SPEEDS.len() - 1) } else { here.saturating_sub(1) }]
}
