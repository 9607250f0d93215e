//! Boards of Break that are kept, and those of a file: how far the planner is above the bound, and
//! its plan as a small picture.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, refused};
use memplan_core::base::Message;
use memplan_core::plan::PlanBox;
use memplan_planners::{self as planner, Planner};
use memplan_teach::exercise::board::{self, Board};
use memplan_teach::exercise::board_file;

/// Boards to be measured. `F` stands for a file, as in [`super::Source`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TriesFrom<F = Vec<u8>> {
    /// Boards as links have them.
    Kept {
        /// Id of the planner.
        planner: String,
        /// The boards.
        boards: Vec<String>,
    },
    /// A file of boards.
    File(F),
}

/// Measured boards of a planner; those of which it gives no plan are left out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tries {
    /// Id of the planner.
    pub planner: String,
    /// Whether a file held them.
    pub opened: bool,
    /// The boards.
    pub boards: Vec<TriedBoard>,
}

/// A board with what a planner makes of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TriedBoard {
    /// The board as a link has it.
    pub board: String,
    /// Peak in bytes.
    pub peak: u64,
    /// Lower bound in bytes.
    pub bound: u64,
    /// The plan.
    pub boxes: Vec<PlanBox>,
}

impl<F> TriesFrom<F> {
    /// Returns the same with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> TriesFrom<G> {
        match self {
            TriesFrom::Kept { planner, boards } => TriesFrom::Kept { planner, boards },
            TriesFrom::File(file) => TriesFrom::File(map(file)),
        }
    }
}

/// The planner of this id.
///
/// # Errors
/// There is none.
pub(super) fn find(id: &str) -> Result<&'static dyn Planner, Failure> {
    planner::find(id).ok_or_else(|| refused(Message::new("fault.unknown-planner").text("id", id)))
}

/// Measures boards.
///
/// # Errors
/// The planner is not known, or the file has no boards.
pub(super) fn tries(from: &TriesFrom) -> Result<Tries, Failure> {
    let (planner, boards, opened) = match from {
        TriesFrom::Kept { planner, boards } => {
            (planner.clone(), boards.iter().filter_map(|text| Board::read(text).ok()).collect(), false)
        }
        TriesFrom::File(file) => {
            let (planner, boards) = board_file::read(file).map_err(refused)?;
            (planner, boards, true)
        }
    };
    let algorithm = find(&planner)?;
    let tried = |board: &Board| {
        let (made, ratio) = board::planned(algorithm, board)?;
        let boxes = made.plan.boxes(&made.problem);
        Some(TriedBoard { board: board.write(), peak: ratio.peak, bound: ratio.bound, boxes })
    };
    Ok(Tries { planner, opened, boards: boards.iter().filter_map(tried).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIN: &str = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    const KIB: u64 = 1024;

    #[test]
    fn boards_are_measured_and_drawn() {
        let kept = TriesFrom::Kept { planner: "first-fit".into(), boards: vec![PIN.into(), "nothing".into()] };
        let measured = tries(&kept).expect("measured");
        let [tried] = measured.boards.as_slice() else { panic!("{measured:?}") };
        assert_eq!((tried.peak, tried.bound), (192 * KIB, 112 * KIB));
        assert_eq!(tried.boxes[1], (0, 3, 80 * KIB, 96 * KIB), "on top of A");
        let file = board_file::write("first-fit", [PIN].into_iter());
        let opened = tries(&TriesFrom::File(file.into_bytes())).expect("opened");
        assert_eq!((opened.opened, opened.boards), (true, measured.boards));
        assert!(tries(&TriesFrom::File(b"{}".to_vec())).is_err());
    }
}
