//! Everything the page knows, and the one pure function that changes it.

pub mod action;
pub mod address;
pub mod answers;
pub mod arriving;
pub mod asked;
pub mod assigned;
pub mod companions;
pub mod comparing;
pub mod diffing;
pub mod document;
pub mod document_action;
pub mod editing;
pub mod exercises;
pub mod falling;
pub mod figures;
pub mod find;
pub mod fitting;
pub mod game;
pub mod game_action;
mod gliding;
pub mod introduction;
pub mod learn_action;
pub mod learning;
pub mod life;
pub mod measuring;
pub mod modified;
pub mod offering;
pub mod opening;
pub mod order;
pub mod peak;
pub mod picking;
pub mod planning;
pub mod predict_action;
pub mod predicted;
pub mod predicting;
pub mod presented;
pub mod ranking;
pub mod remote;
pub mod settings;
pub mod speaking;
pub mod squeezing;
pub mod stage;
pub mod stepping;
pub mod sweeping;
pub mod teach_action;
pub mod teaching;
#[cfg(test)]
pub(crate) mod tests;
pub mod together;
pub mod view;
pub mod writing;

use std::rc::Rc;

use action::{Action, LearnAction, ViewAction};
use comparing::Comparing;
use diffing::Diffing;
use document::DocumentState;
use editing::EditingState;
use falling::Falling;
use fitting::Fitting;
use game::Game;
use introduction::Introduction;
use learning::Learning;
use picking::Picking;
use predicting::Predicting;
use settings::Settings;
use stepping::Stepping;
use teaching::Teaching;
use view::ViewState;
use writing::Writing;

use crate::model::embed::Embed;
use crate::model::look::Switch;
use crate::model::panels::{self, Mode};
use crate::model::presenting::Presenting;
use crate::model::recovery::Tab;
use memplan_core::base::Sizes;
use memplan_core::text::Speech;

/// The whole state of the page. Big values are shared, so that a copy is cheap.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// What is open, what is asked of the engine, and what came of it.
    pub document: DocumentState,
    /// Where the reader stands in the run.
    pub stepping: Stepping,
    /// The graph that is edited.
    pub editing: EditingState,
    /// Plans side by side.
    pub comparing: Comparing,
    /// Two documents compared.
    pub diffing: Diffing,
    /// Peaks in the list of planners.
    pub picking: Picking,
    /// Peaks of the plan without one buffer.
    pub falling: Falling,
    /// What makes the graph fit into a memory.
    pub fitting: Fitting,
    /// A plan for the open model.
    pub writing: Writing,
    /// What is shown, and where.
    pub view: ViewState,
    /// What the user chose for good.
    pub settings: Settings,
    /// How far the visitor is.
    pub introduction: Introduction,
    /// Questions about what the planner does next.
    pub predicting: Predicting,
    /// Lessons.
    pub learning: Learning,
    /// The teacher's corner, and the exercise of a student.
    pub teaching: Teaching,
    /// The game that is open.
    pub game: Option<Game>,
}

impl State {
    /// What a page begins with, by itself or as a part of another one, which may be a stranger's.
    pub fn new(embed: Option<Embed>, stranger: bool) -> State {
        State { settings: Settings { embed, stranger, ..Settings::default() }, ..State::default() }
    }

    /// The same in a tab of the browser.
    pub fn in_tab(mut self, tab: Tab) -> State {
        self.editing.tab = Rc::new(tab);
        self
    }

    /// The language of the page.
    pub fn speech(&self) -> Speech {
        // A fault may be a matter of single bytes.
        let is_debugged = self.game_shown().is_some_and(|game| game.finding().is_some());
        let is_exact = is_debugged || self.scene_beside().is_some_and(|scene| scene.exact) && !self.is_away();
        let of_document = || self.document.run.as_ref().map_or_else(Sizes::default, |run| run.problem.sizes());
        let sizes = if is_exact { Sizes::Exact } else { self.sizes_of_figures().unwrap_or_else(of_document) };
        Speech { locale: self.settings.locale, sizes }
    }

    /// Returns how the plan is presented. Without a plan there is nothing to present, only what to
    /// do about that.
    pub fn presenting(&self) -> Option<Presenting> {
        self.view.presenting.filter(|_| self.document.run.is_some())
    }

    /// Returns the next state.
    pub fn reduce(&self, action: Action) -> State {
        let mut next = self.clone();
        next.apply(action);
        if next.predicting.on && next.view.mode != Mode::Step {
            // Other modes show the whole plan.
            next.stop_predicting();
        }
        next.compare_on();
        next.diff_on();
        next.pick_on();
        next.fall_on();
        next.write_on();
        next.fit_on();
        next.learn_on();
        next.exercise_on();
        next
    }

    /// Returns the next state; the same one after an action that changes nothing.
    pub fn next(self: &Rc<State>, action: Action) -> Rc<State> {
        let next = self.reduce(action);
        if next == **self { self.clone() } else { Rc::new(next) }
    }

    /// Returns true if nothing but the progress of a job differs, which only the notice of that job
    /// shows.
    pub fn is_same_but_progress(&self, other: &State) -> bool {
        let State {
            document,
            stepping,
            editing,
            comparing,
            diffing,
            picking,
            falling,
            fitting,
            writing,
            view,
            settings,
            introduction,
            predicting,
            learning,
            teaching,
            game,
        } = self;
        document.is_same_but_progress(&other.document)
            && *stepping == other.stepping
            && *editing == other.editing
            && *comparing == other.comparing
            && *diffing == other.diffing
            && *picking == other.picking
            && *falling == other.falling
            && *fitting == other.fitting
            && *writing == other.writing
            && *view == other.view
            && *settings == other.settings
            && *introduction == other.introduction
            && *predicting == other.predicting
            && *learning == other.learning
            && *teaching == other.teaching
            && *game == other.game
    }

    fn on_view(&mut self, action: ViewAction) {
        match action {
            ViewAction::Switch(Switch::Minimap) => self.view.look.minimap = Some(!self.shows_minimap()),
            ViewAction::RightTab(panels::Tab::State) => self.introduction.folded = false,
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

    fn apply(&mut self, action: Action) {
        if !self.exercise_allows(&action) {
            return;
        }
        match action {
            Action::Document(action) => self.on_document(action),
            Action::Step(action) => self.on_step(action),
            Action::Edit(action) => self.on_edit(action),
            Action::Compare(action) => self.on_compare(action),
            Action::View(action) => self.on_view(action),
            Action::Settings(action) => self.settings.apply(action),
            Action::Introduction(action) => self.on_introduction(action),
            Action::Predict(action) => self.on_predict(action),
            Action::Learn(action) => self.on_learn(action),
            Action::Teach(action) => self.on_teach(action),
            Action::Game(action) => self.on_game(action),
            Action::Fetching { number, is_older: false } => self.document.fetching.document = Some(number),
            Action::Fetching { number, is_older: true } => self.document.fetching.older = Some(number),
            Action::Fetched(number, then) => {
                if self.document.fetching.end(number) {
                    self.apply(*then);
                }
            }
        }
    }
}
