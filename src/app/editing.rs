//! The graph as it is being edited: the draft, what was done to it, and what is wrong with it.

use crate::base::Message;
use crate::graph::edit::{self, Change, History};
use crate::graph::{Fault, Graph, RawGraph};

/// An edit session of the open document.
#[derive(Clone, PartialEq, Debug)]
pub struct Editing {
    pub draft: RawGraph,
    pub history: History,
    /// What keeps the draft from being planned; the picture then shows the plan before.
    pub faults: Vec<Fault>,
    /// Why the last change asked for was refused.
    pub refused: Option<Message>,
    /// Whether there are changes that no file holds.
    pub unsaved: bool,
}

/// What to do with the draft.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Make(Change),
    /// Mends a fault or a remark in the way that is obvious.
    Mend(Fault),
    Undo,
    Redo,
}

impl Editing {
    pub fn new(graph: &Graph) -> Editing {
        let (history, faults, refused) = (History::default(), Vec::new(), None);
        Editing { draft: RawGraph::from(graph), history, faults, refused, unsaved: false }
    }

    /// A draft from before a reload, with nothing to be undone.
    pub fn recovered(draft: RawGraph) -> Editing {
        Editing { draft, history: History::default(), faults: Vec::new(), refused: None, unsaved: true }
    }

    /// Takes a step; whether the draft is another one now.
    pub fn take(&mut self, step: Step) -> bool {
        self.refused = None;
        let made = match step {
            Step::Undo => self.history.undo(&mut self.draft).is_some(),
            Step::Redo => self.history.redo(&mut self.draft).is_some(),
            Step::Make(wanted) => match edit::change(&self.draft, &wanted) {
                Ok((name, edit)) => {
                    self.history.make(&mut self.draft, name, edit);
                    true
                }
                Err(refused) => {
                    self.refused = Some(refused);
                    false
                }
            },
            Step::Mend(fault) => match edit::remedy(&self.draft, &fault) {
                Some((name, edit)) => {
                    self.history.make(&mut self.draft, name, edit);
                    true
                }
                None => false,
            },
        };
        self.unsaved |= made;
        made
    }
}
