//! The graph as it is being edited: the draft, what was done to it, and what is wrong with it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use memplan_core::base::Message;
use memplan_core::graph::edit::{self, Change, Draft, History};
use memplan_core::graph::{Fault, Graph};

/// An edit session of the open document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Editing {
    /// The graph as it is now, faulty or not.
    pub draft: Draft,
    /// What was done to it.
    pub history: History,
    /// What keeps the draft from being planned; the picture then shows the plan before.
    pub faults: Vec<Fault>,
    /// Why the last change asked for was refused.
    pub refused: Option<Message>,
    /// Whether there are changes that no file holds.
    pub unsaved: bool,
    /// The last step was typed into a field and goes on there: all that is typed stays one step.
    #[serde(skip)]
    typing: Option<Typing>,
}

/// A graph and its draft.
#[derive(Clone, Debug)]
pub struct Drafted {
    /// The graph.
    pub graph: Rc<Graph>,
    /// It as it would be edited.
    pub draft: Rc<Draft>,
}

impl PartialEq for Drafted {
    /// The draft follows from the graph, and graphs are told apart by where they are.
    fn eq(&self, other: &Drafted) -> bool {
        Rc::ptr_eq(&self.graph, &other.graph)
    }
}

/// A field that is typed into.
#[derive(Clone, PartialEq, Debug)]
struct Typing {
    /// What was done before anything was typed into it.
    history: History,
    /// Whether there were changes then that no file holds.
    unsaved: bool,
    /// Whether the draft holds what was typed.
    made: bool,
}

/// A change of the draft that is asked for: of what, or which way through the history.
#[derive(Clone, PartialEq, Debug)]
pub enum EditCommand {
    /// Change the draft.
    Make(Change),
    /// Sets a field while it is typed into: all of it is one step, and a text that is refused is no
    /// step at all.
    Type(Change),
    /// The field is left.
    Leave,
    /// What was typed into the field is given up.
    Cancel,
    /// Mends a fault or a remark in the way that is obvious.
    Mend(Fault),
    /// Take the last change back.
    Undo,
    /// Make the change again that was taken back last.
    Redo,
}

impl Editing {
    /// Begins to edit a graph.
    pub fn new(draft: Draft) -> Editing {
        let (history, faults, refused) = (History::default(), Vec::new(), None);
        Editing { draft, history, faults, refused, unsaved: false, typing: None }
    }

    /// Returns the session as bytes; `draft` is the draft as bytes, or the end of them.
    pub fn kept(&self, draft: Vec<u8>) -> Vec<u8> {
        // Postcard writes one field after the other, and the draft is the first.
        let rest = (&self.history, &self.faults, &self.refused, self.unsaved);
        postcard::to_extend(&rest, draft).unwrap_or_default()
    }

    /// Begins anew after a reload: what was typed is done, and what is wrong will be found again.
    pub fn recovered(&mut self) {
        (self.faults, self.refused) = (Vec::new(), None);
        (self.unsaved, self.typing) = (true, None);
    }

    /// Carries out a command; returns whether it changed the draft.
    pub fn take(&mut self, command: EditCommand) -> bool {
        if command == EditCommand::Leave {
            // What was refused is still to be read.
            self.typing = None;
            return false;
        }
        self.refused = None;
        let typing = self.typing.take();
        let made = match command {
            EditCommand::Leave => false,
            EditCommand::Cancel => return self.take_back(typing),
            EditCommand::Type(wanted) => return self.type_on(typing, &wanted),
            EditCommand::Undo => self.history.undo(&mut self.draft).is_some(),
            EditCommand::Redo => self.history.redo(&mut self.draft).is_some(),
            EditCommand::Make(wanted) => match edit::change(&self.draft, &wanted) {
                Ok((name, edit)) => {
                    self.history.make(&mut self.draft, name, edit);
                    true
                }
                Err(refused) => {
                    self.refused = Some(refused);
                    false
                }
            },
            EditCommand::Mend(fault) => match edit::remedy(&self.draft, &fault) {
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

    /// Sets the field to the text that it holds now. The draft is that of before the typing if the
    /// text is refused: part of a text is never what was meant.
    fn type_on(&mut self, typing: Option<Typing>, wanted: &Change) -> bool {
        let (history, unsaved) = match &typing {
            Some(typing) => (typing.history.clone(), typing.unsaved),
            None => (self.history.clone(), self.unsaved),
        };
        let changed = self.take_back(typing);
        let made = match edit::change(&self.draft, wanted) {
            Ok((name, edit)) => {
                self.history.make(&mut self.draft, name, edit);
                self.unsaved = true;
                true
            }
            Err(refused) => {
                self.refused = Some(refused);
                false
            }
        };
        self.typing = Some(Typing { history, unsaved, made });
        changed || made
    }

    /// Restores draft and history of before the typing; whether the draft is another one now.
    fn take_back(&mut self, typing: Option<Typing>) -> bool {
        let Some(typing) = typing else { return false };
        if typing.made {
            self.history.undo(&mut self.draft);
        }
        (self.history, self.unsaved) = (typing.history, typing.unsaved);
        typing.made
    }
}
