//! Everything the page knows, and the one pure function that changes it.

pub mod action;
pub mod address;
pub mod arriving;
pub mod columns;
pub mod defining;
pub mod find;
mod guards;
pub mod introduction;
pub mod keys;
pub mod layout;
pub mod lines;
pub mod link_keys;
pub mod look;
pub mod notice;
pub mod panels;
pub mod settings;
pub mod settings_action;
pub mod shell_words;
#[cfg(test)]
pub(crate) mod tests;
pub mod view;
pub mod view_action;
pub mod visit;

use std::rc::Rc;

use crate::compare::diff::state::Diffing;
use crate::compare::state::Comparing;
use crate::edit::state::EditingState;
use crate::export::state::Writing;
use crate::fit::state::Fitting;
use crate::learn::lessons::state::Learning;
use crate::learn::play::state::Game;
use crate::learn::teacher::state::Teaching;
use crate::open::state::DocumentState;
use crate::own::state::OwnState;
use crate::planners::state::PlannerList;
use crate::shell::state::action::Action;
use crate::shell::state::introduction::Introduction;
use crate::shell::state::settings::Settings;
use crate::shell::state::view::ViewState;
use crate::step::state::Stepping;
use crate::step::state::predicting::Predicting;
use crate::step::state::sensitivity::Sensitivity;

use crate::embed::state::Embed;
use crate::open::state::recovery::Tab;
use crate::present::state::Presenting;
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
    pub planner_list: PlannerList,
    /// Peaks of the plan without one buffer.
    pub sensitivity: Sensitivity,
    /// What makes the graph fit into a memory.
    pub fitting: Fitting,
    /// A plan for the open model.
    pub writing: Writing,
    /// Planners that the user writes.
    pub own: OwnState,
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

    /// The same of a page that is one HTML file.
    pub fn as_one_file(mut self, one_file: bool) -> State {
        self.settings.one_file = one_file;
        self
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

    /// Whether two states differ at most in where the reader stands in the run, and in what the
    /// introduction counts of that.
    pub fn same_beside_place(&self, other: &State) -> bool {
        let (stepping, introduction) = (self.stepping.clone(), self.introduction.clone());
        self.document == other.document && *self == State { stepping, introduction, ..other.clone() }
    }

    /// Returns the next state.
    pub fn reduce(&self, action: Action) -> State {
        let mut next = self.clone();
        next.apply(action);
        next.keep_modes_apart();
        next.ask_on();
        next.learn_on();
        next.exercise_on();
        next
    }

    /// Returns the next state; the same one after an action that changes nothing.
    pub fn next(self: &Rc<State>, action: Action) -> Rc<State> {
        let next = self.reduce(action);
        let is_same = next == **self && next.document.status.has_passed_nothing(&self.document.status);
        if is_same { self.clone() } else { Rc::new(next) }
    }

    pub(crate) fn apply(&mut self, action: Action) {
        if self.is_taken(&action) {
            return;
        }
        match action {
            Action::Document(action) => self.on_document(action),
            Action::Step(action) => self.on_step(action),
            Action::Edit(action) => self.on_edit(action),
            Action::Compare(action) => self.on_compare(action),
            Action::Diff(change) => self.on_diff(change),
            Action::Fit(change) => self.on_fit(change),
            Action::Own(action) => self.on_own(action),
            Action::AskPeak(choice) => self.ask_peak(choice),
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
