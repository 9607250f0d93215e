//! What can happen to the edited graph.

use crate::edit::state::draft::{Drafted, EditCommand};
use crate::open::state::recovery::{Recovery, Unkept};
use memplan_core::base::Message;

/// What happens to the edited graph.
#[derive(Clone, Debug)]
pub enum EditAction {
    /// Change the graph, or take a change back.
    Change(EditCommand),
    /// The open graph has been made ready to be changed.
    Drafted(Drafted),
    /// Go on with a draft of before, by its key.
    Recover(String),
    /// Drafts of before were found.
    Found(Vec<Recovery>),
    /// A draft of before is not wanted, by its key.
    Discard(String),
    /// The browser keeps the draft.
    Kept,
    /// The browser does not keep the draft, which is only here.
    NotKept(Unkept),
    /// Put the graph into a file.
    Save,
    /// There is no such file, with the reason.
    NotSaved(Message),
    /// The draft is in a file now.
    Saved,
    /// The graph is wanted as a diagram, or no longer.
    Diagram(bool),
}
