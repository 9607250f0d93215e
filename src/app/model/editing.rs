//! The graph as it is being edited: the draft, what was done to it, and what is wrong with it.

use serde::{Deserialize, Serialize};

use crate::base::Message;
use crate::graph::edit::{self, Change, History};
use crate::graph::{Fault, Graph, RawGraph};

/// An edit session of the open document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Editing {
    /// The graph as it is now, faulty or not.
    pub draft: RawGraph,
    /// What was done to it.
    pub history: History,
    /// What keeps the draft from being planned; the picture then shows the plan before.
    pub faults: Vec<Fault>,
    /// Why the last change asked for was refused.
    pub refused: Option<Message>,
    /// Whether there are changes that no file holds.
    pub unsaved: bool,
    /// The last step was typed into a field and goes on there: it stays one step.
    typing: bool,
}

/// What to do with the draft.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Change the draft.
    Make(Change),
    /// Sets a field while it is typed into: all of it is one step.
    Type(Change),
    /// The field is left.
    Leave,
    /// Mends a fault or a remark in the way that is obvious.
    Mend(Fault),
    /// Take the last change back.
    Undo,
    /// Make the change again that was taken back last.
    Redo,
}

impl Editing {
    /// Begins to edit a graph.
    pub fn new(graph: &Graph) -> Editing {
        let (history, faults, refused) = (History::default(), Vec::new(), None);
        Editing { draft: RawGraph::from(graph), history, faults, refused, unsaved: false, typing: false }
    }

    /// Begins anew after a reload: what was typed is done, and what is wrong will be found again.
    pub fn recovered(&mut self) {
        (self.faults, self.refused) = (Vec::new(), None);
        (self.unsaved, self.typing) = (true, false);
    }

    /// Takes a step; whether the draft is another one now.
    pub fn take(&mut self, step: Step) -> bool {
        if step == Step::Leave {
            // What was refused is still to be read.
            self.typing = false;
            return false;
        }
        self.refused = None;
        let goes_on = std::mem::replace(&mut self.typing, matches!(step, Step::Type(_)));
        let made = match step {
            Step::Leave => false,
            Step::Type(wanted) => {
                let before = goes_on.then(|| self.history.undo(&mut self.draft)).flatten();
                match edit::change(&self.draft, &wanted) {
                    Ok((name, edit)) => {
                        self.history.make(&mut self.draft, name, edit);
                        true
                    }
                    Err(refused) => {
                        // What was understood last stays.
                        before.and_then(|_| self.history.redo(&mut self.draft));
                        self.typing = goes_on;
                        self.refused = Some(refused);
                        false
                    }
                }
            }
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
