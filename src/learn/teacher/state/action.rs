//! Everything that can happen in the teacher's corner and to the exercise of a student.

use crate::learn::lessons::state::writing::WriteAction;
use crate::learn::teacher::state::form::{Corner, Field};
use memplan_engine::{Failure, PictureLook, Taught};

/// What happens in the teacher's corner, or to an exercise.
#[derive(Clone, Debug)]
pub enum TeachAction {
    /// Go to a part of the teacher's corner.
    Corner(Corner),
    /// Fill a field.
    Write(Field, String),
    /// Check the lines that were pasted; seconds since 1970.
    Check(u64),
    /// The link of the form was copied or opened.
    LinkTaken,
    /// Make the worksheet and show it.
    Preview,
    /// Make the worksheet and save it as a file.
    Sheet,
    /// The worker answered the request with this number; none: it is gone.
    Answered(u32, Option<Result<Taught, Failure>>),
    /// Open the exercise of a link.
    Open(String),
    /// Leave the exercise.
    Leave,
    /// The student's name.
    Name(String),
    /// Begin, or begin again.
    Begin,
    /// Look at the rule before an answer.
    Help,
    /// Go on with the next instance.
    NextPlan,
    /// To a figure that is asked about.
    Figure(FigureAction),
    /// To the program that is asked for.
    Program(WriteAction),
    /// End with a result code; seconds since 1970.
    Finish(u64),
    /// Show the questions once more with pictures: those of a row that was checked, or one's own.
    Pictures(Option<usize>, PictureLook),
    /// Show a result that was kept: name and code.
    Restore(String, String),
}

/// What happens to a figure that is asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FigureAction {
    /// Write an answer.
    Write(String),
    /// Have it judged.
    Check,
    /// Show the value instead.
    Show,
    /// Go on to the next figure of the document.
    Next,
}
