//! What can happen to planners that the user writes.

use std::rc::Rc;

use crate::own::state::kept::Kept;

/// What happens to the user's own planner.
#[derive(Clone, Debug)]
pub enum OwnAction {
    /// Open the editor.
    Write,
    /// Open the editor with the program of a classic planner: its name, and the text.
    Begin(Rc<str>, Rc<str>),
    /// Open the editor with a file: its name, and the text.
    File(Rc<str>, Rc<str>),
    /// Open the editor with a program of the list.
    Open(usize),
    /// Put another program of the list into the editor.
    Select(usize),
    /// A new program.
    New,
    /// A copy of the program in the editor.
    Duplicate,
    /// Another name for the program in the editor.
    Rename(Rc<str>),
    /// Take the program in the editor off the list.
    Delete,
    /// The text of a program was changed: the key of the program, and the text. Another program may
    /// stand in the editor by now.
    Type(Option<u32>, Rc<str>),
    /// Let the editor fill a small screen, or not.
    Enlarge(bool),
    /// The browser kept these programs.
    Kept(Kept),
    /// Put the deleted program of this key on the list again.
    BringBack(u32),
    /// Run the program of the link.
    Agree,
    /// Do not run it.
    Refuse,
    /// Look at a statement of the shown decision.
    At(usize),
    /// Step line by line, or not.
    Lines(bool),
    /// Check the text once more, after the check was stopped.
    Again,
}
