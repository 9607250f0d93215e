//! What can happen to games.

use crate::learn::play::state::address::GameLink;
use crate::open::state::document::Bytes;
use memplan_core::problem::BufferId;
use memplan_teach::exercise::activity::Kind;

/// What happens to a game.
#[derive(Clone, Debug)]
pub enum GameAction {
    /// Open the game of a link.
    Open(Box<GameLink>),
    /// Make a game of the document that is open.
    OfOpen(Kind),
    /// The document of the game was fetched; none: it is not there.
    Fetched(Option<Bytes>),
    /// Select a block, or none.
    Select(Option<BufferId>),
    /// Take a block to an address in bytes; edges within so many bytes attract it.
    Lift(BufferId, u64, u64),
    /// Take a block to the next legal address, up or down.
    Shift(BufferId, bool),
    /// Take a block up or down by its alignment.
    Nudge(BufferId, bool),
    /// Let go of the block in the hand.
    Drop,
    /// Put it back to where it was taken.
    PutBack,
    /// Take a block off the plan.
    TakeOff(BufferId),
    /// Take the last move back.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Begin again.
    Clear,
    /// The next step of help.
    Hint,
    /// Show the plan of a planner, by its id; none: one's own again.
    Show(Option<String>),
    /// Say in words where a planner puts each block; none: no longer.
    Tell(Option<String>),
    /// Move an operator to another position.
    Move(usize, usize),
    /// Have the answer judged.
    Check,
    /// Write into a field of the board, by the number of its row.
    Write(usize, BoardField, String),
    /// Drag an edge of a buffer of the board, by the number of its row.
    Resize(usize, BoardField, u64),
    /// Put another buffer on the board, born at a step.
    Add(u32),
    /// Take a buffer off the board, by the number of its row.
    Remove(usize),
    /// Break another planner.
    Planner(String),
    /// Keep the board.
    Keep,
    /// Go back to a board that was kept.
    Load(String),
    /// Forget a board that was kept.
    Forget(String),
    /// Keep the boards of a file.
    OpenTries(Bytes),
    /// Look at the worst board known.
    Worst,
}

impl GameAction {
    /// Whether it is about boards that were kept or are known, or breaks another planner: not where
    /// a student makes a board.
    pub fn is_of_kept_boards(&self) -> bool {
        matches!(
            self,
            GameAction::Keep
                | GameAction::Load(_)
                | GameAction::Forget(_)
                | GameAction::OpenTries(_)
                | GameAction::Worst
                | GameAction::Planner(_)
        )
    }
}

/// A column of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardField {
    /// The name.
    Name,
    /// The size in KiB.
    Size,
    /// The first step.
    From,
    /// The step after the last one.
    To,
}
