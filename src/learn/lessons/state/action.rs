//! What can happen to lessons and their exercises.

use std::rc::Rc;

use crate::learn::lessons::state::progress::{LearnPlace, Learned};
use crate::learn::lessons::state::writing::WriteAction;
use memplan_core::problem::BufferId;
use memplan_teach::lesson::{IndexEntry, Lesson};

/// What happens to lessons.
#[derive(Clone, Debug)]
pub enum LearnAction {
    /// Go to the index, or to a paragraph of a lesson.
    Open(LearnPlace),
    /// The index is there.
    Index(Rc<Vec<IndexEntry>>),
    /// A lesson is there.
    Lesson(Rc<Lesson>),
    /// Index or lesson could not be fetched.
    Failed,
    /// The reader has reached a paragraph, by its place.
    Paragraph(usize),
    /// Go to a paragraph, by its place.
    Go(usize),
    /// A buffer was clicked on the plan: it is chosen where the exercise beside it asks for
    /// buffers.
    Pick(BufferId),
    /// The next paragraph, or the one before.
    NextParagraph {
        /// Whether it is the next one.
        forward: bool,
    },
    /// Show the scene of a paragraph, by its place, also to a reader who looks around.
    Show(usize),
    /// Show what the lesson shows here.
    Back,
    /// Answer an exercise, by its id.
    Task(String, TaskAction),
    /// Drag a buffer of the plan to a legal address, where the exercise beside it asks for that.
    Drag {
        /// The buffer.
        buffer: BufferId,
        /// The address in bytes.
        offset: u64,
        /// Whether the same movement of the pointer has moved it before.
        goes_on: bool,
    },
    /// What was done in all lessons.
    Learned(Learned),
}

/// What a reader does in an exercise.
#[derive(Clone, PartialEq, Debug)]
pub enum TaskAction {
    /// Choose something by its id, or take the choice back.
    Choose(String),
    /// Type an answer.
    Type(String),
    /// Have the answer judged.
    Check,
    /// See the hint.
    Hint,
    /// See the answer.
    ShowMe,
    /// Move an operator to another position.
    Move {
        /// Where it is.
        from: usize,
        /// Where it shall be.
        to: usize,
    },
    /// Move a buffer to the next legal address.
    Shift {
        /// The buffer.
        buffer: BufferId,
        /// Whether it is moved up.
        up: bool,
    },
    /// Move a buffer to an address.
    Put {
        /// The buffer.
        buffer: BufferId,
        /// The address in bytes.
        offset: u64,
        /// Whether it belongs to the move before: both are taken back together.
        goes_on: bool,
    },
    /// Change the program, or have it judged.
    Program(WriteAction),
    /// Take the last move back.
    Undo,
    /// Begin anew.
    Again,
}
