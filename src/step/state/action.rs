//! What can happen while going through a run.

use crate::shell::state::look::LaneShown;
use crate::step::state::breakpoints::{Targets, Wanted};
use crate::step::state::{Outlined, PeakBy};
use memplan_core::problem::BufferId;
use memplan_core::trace::TreeNodeId;
use memplan_replay::Level;

/// A movement of the stepper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    /// To the first frame.
    First,
    /// To the placement of the buffer before.
    PreviousBuffer,
    /// One frame back.
    Previous,
    /// One frame on.
    Next,
    /// To the placement of the next buffer.
    NextBuffer,
    /// To the last frame.
    Last,
}

/// What happens while going through a run.
#[derive(Clone, Debug)]
pub enum StepAction {
    /// Press a button of the stepper.
    Move(Motion),
    /// Go to a frame, by its number.
    Seek(u32),
    /// To the frame that places a buffer.
    SeekBuffer(BufferId),
    /// Count frames at another level of detail.
    Level(Level),
    /// Play, or pause.
    Play(bool),
    /// The next frame of play is due.
    Tick,
    /// Play faster or slower, in frames per 700 ms.
    Speed(f64),
    /// Look for something else.
    Wanted(Wanted),
    /// Another address or step to look for.
    Targets(Targets),
    /// Go to what is looked for.
    RunTo {
        /// Whether it is the next place; otherwise the one before.
        forward: bool,
    },
    /// Stop play at this decision, or no longer.
    BreakHere,
    /// Stop play at this kind of decision, or no longer.
    BreakOn(Wanted),
    /// Stop play nowhere.
    ClearBreaks,
    /// Select a buffer, or none.
    Select(Option<BufferId>),
    /// Point at a candidate of the table, or at none.
    Point(Option<u32>),
    /// Select a node of the tree, or none.
    Node(Option<TreeNodeId>),
    /// Move the cursor to a step, or take it away.
    Cursor(Option<u32>),
    /// Move the cursor to the largest load.
    Fullest {
        /// Whether it goes on to the next step that is as full.
        next: bool,
    },
    /// Group what is alive at the largest load by this.
    PeakBy(PeakBy),
    /// Open a group of that list, or none.
    Outline(Option<Outlined>),
    /// Shows a state of the beam on the plan; none goes back to the plan.
    Lane(Option<LaneShown>),
    /// Have the peak of the plan found out without each of some buffers.
    AskSensitivity(Vec<BufferId>),
}
