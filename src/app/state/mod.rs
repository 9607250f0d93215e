//! Everything the page knows, and the one pure function that changes it.

pub mod action;
pub mod address;
pub mod answers;
pub mod comparing;
pub mod document;
pub mod editing;
pub mod find;
pub mod life;
pub mod measuring;
pub mod modified;
pub mod opening;
pub mod order;
pub mod planning;
pub mod settings;
pub mod stepping;
#[cfg(test)]
mod tests;
pub mod view;

use std::rc::Rc;

use action::Action;
use comparing::Comparing;
use document::DocumentState;
use editing::EditingState;
use settings::Settings;
use stepping::Stepping;
use view::ViewState;

use crate::app::model::embed::Embed;
use crate::base::Unit;
use crate::replay::Run;
use crate::scene::Index;
use crate::text::Speech;

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
    /// What is shown, and where.
    pub view: ViewState,
    /// What the user chose for good.
    pub settings: Settings,
}

impl State {
    /// What a page begins with, by itself or as a part of another one.
    pub fn new(embed: Option<Embed>) -> State {
        State { settings: Settings { embed, ..Settings::default() }, ..State::default() }
    }

    /// Language and the unit that fits the largest figure of the run.
    pub fn speech(&self) -> Speech {
        let run = self.document.run.as_ref();
        let largest = run.map_or(0, |run| run.metrics.peak.max(run.metrics.lower_bound));
        Speech { locale: self.settings.locale, unit: Unit::for_largest(largest) }
    }

    /// Returns the next state.
    pub fn reduce(&self, action: Action) -> State {
        let mut next = self.clone();
        next.apply(action);
        next.compare_on();
        next
    }

    /// Returns the next state; the same one after an action that changes nothing.
    pub fn next(self: &Rc<State>, action: Action) -> Rc<State> {
        let next = self.reduce(action);
        if next == **self { self.clone() } else { Rc::new(next) }
    }

    /// Returns true if nothing but the progress of a job differs, which only the notice of that job shows.
    pub fn is_same_but_progress(&self, other: &State) -> bool {
        let State { document, stepping, editing, comparing, view, settings } = self;
        document.is_same_but_progress(&other.document)
            && *stepping == other.stepping
            && *editing == other.editing
            && *comparing == other.comparing
            && *view == other.view
            && *settings == other.settings
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Document(action) => self.on_document(action),
            Action::Step(action) => self.on_step(action),
            Action::Edit(action) => self.on_edit(action),
            Action::Compare(action) => self.on_compare(action),
            Action::View(action) => self.view.apply(action),
            Action::Settings(action) => self.settings.apply(action),
        }
    }
}

/// What the scene knows of a run whatever the frame.
pub fn index_of(run: &Run) -> Index {
    let index = Index::new(run);
    match &run.graph {
        Some(graph) => index.with_ops(&run.problem, graph.nodes.iter().map(|node| node.op.clone()).collect()),
        None => index,
    }
}

/// The example that opens at the start.
pub const START: &str = "teaching";
