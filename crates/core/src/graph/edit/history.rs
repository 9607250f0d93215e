//! What was done to a draft, by name, and back again.

use serde::{Deserialize, Serialize};

use super::{Draft, Edit};
use crate::base::Message;

/// Steps that can be taken back.
pub const STEPS: usize = 200;

/// A step that was made or taken back: its name and the edit that undoes it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Revision {
    name: Message,
    back: Edit,
}

/// Steps in order; those after the present one can be made again.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct History {
    past: Vec<Revision>,
    future: Vec<Revision>,
}

impl History {
    /// Makes a step. Drops the steps that were taken back before, and the oldest step beyond
    /// [`STEPS`].
    pub fn make(&mut self, draft: &mut Draft, name: Message, edit: Edit) {
        let back = draft.apply(edit);
        self.future.clear();
        self.past.push(Revision { name, back });
        if self.past.len() > STEPS {
            self.past.remove(0);
        }
    }

    /// Takes the last step back and returns its name; nothing if there is none.
    pub fn undo(&mut self, draft: &mut Draft) -> Option<Message> {
        let Revision { name, back } = self.past.pop()?;
        let back = draft.apply(back);
        self.future.push(Revision { name: name.clone(), back });
        Some(name)
    }

    /// Makes the step taken back last again and returns its name; nothing if there is none.
    pub fn redo(&mut self, draft: &mut Draft) -> Option<Message> {
        let Revision { name, back } = self.future.pop()?;
        let back = draft.apply(back);
        self.past.push(Revision { name: name.clone(), back });
        Some(name)
    }

    /// Names of the steps made, the oldest first.
    pub fn made(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.past.iter().map(|revision| &revision.name)
    }

    /// Names of the steps that can be made again, the next first.
    pub fn undone(&self) -> impl Iterator<Item = &Message> {
        self.future.iter().rev().map(|revision| &revision.name)
    }
}
