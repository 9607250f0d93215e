//! Boards on which a planner wastes much, as values.

use serde::Serialize;

use super::settings::field_path;
use super::{ApiError, Code, ExerciseSettings, chosen};
use memplan_core::base::Message;
use memplan_teach::exercise::board::{Board, search_worst};

/// The worst board that a search found (docs/exercises.md).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardRecord {
    /// What it is for: `break`.
    pub kind: &'static str,
    /// Id of the planner.
    pub planner: &'static str,
    /// Where the search comes from.
    pub seed: u64,
    /// Its buffers as a link has them.
    pub board: String,
    /// What the planner needs, in bytes.
    pub peak: u64,
    /// The lower bound, in bytes.
    pub bound: u64,
    /// Peak over bound.
    pub ratio: f64,
}

/// Looks for a board on which the planner wastes as much as possible. Without tries it is the board
/// that was given.
///
/// # Errors
/// [`Code::Planner`]; [`Code::Argument`] for a text that is no board; [`Code::Infeasible`] where
/// the planner gives no plan.
pub fn worst_board(wanted: &ExerciseSettings) -> Result<BoardRecord, ApiError> {
    let (planner, _) = chosen(&wanted.planner, [])?;
    let start = wanted.board.as_deref().map(Board::read).transpose();
    let path = field_path("wanted", "board");
    let start = start.map_err(|fault| ApiError::new(Code::Argument, path, fault.message()))?;
    let found = search_worst(planner, start.as_ref(), wanted.seed, wanted.tries);
    let (board, worst) = found.ok_or_else(|| ApiError::new(Code::Infeasible, "", Message::new("board.none")))?;
    Ok(BoardRecord {
        kind: wanted.kind.name(),
        planner: planner.info().id,
        seed: wanted.seed,
        board: board.write(),
        peak: worst.peak,
        bound: worst.bound,
        ratio: worst.value(),
    })
}
