//! What can happen to planners that the user writes.

use std::rc::Rc;

/// What happens to the user's own planner.
#[derive(Clone, Debug)]
pub enum OwnAction {
    /// Open the editor.
    Write,
    /// Open the editor with this text.
    Begin(Rc<str>),
    /// Open the editor with the text of a file.
    File(Rc<str>),
    /// The text was changed.
    Type(Rc<str>),
    /// The browser kept this text.
    Kept(Rc<str>),
    /// Put the text of before in place of the present one.
    BringBack,
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
