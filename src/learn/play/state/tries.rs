//! Boards of Break that are kept: the best ones, those of a file, and their small pictures.

use crate::learn::lessons::state::progress::Try;
use crate::learn::play::state::{Game, Table};
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_engine::{GameRequest, TeachTask, Tries, TriesFrom};
use memplan_teach::exercise::board::Ratio;

/// Own boards that are kept for a planner, and as many of files.
const KEPT: usize = 20;

impl State {
    /// Keeps the board if it is better than those before, or if that is wanted.
    pub(super) fn keep_try(&mut self, wanted: bool) {
        let Some(Game { table: Table::Board(breaking), link, .. }) = &self.game else { return };
        // An exercise stores nothing.
        let Some(tried) = breaking.here().filter(|_| self.teaching.assigned.is_none()) else { return };
        let learned = &mut self.learning.learned;
        let is_own = !breaking.worst_shown || tried.worst.as_ref().is_none_or(|(worst, _)| *worst != tried.board);
        let best = learned.best_try(&link.planner).map_or(Ratio { peak: 1, bound: 1 }, Try::ratio);
        if !is_own || !(wanted || tried.ratio.is_kept_beside(best)) {
            return;
        }
        let Ratio { peak, bound } = tried.ratio;
        let kept = Try { board: tried.board.write(), peak, bound, opened: false };
        keep(learned.tries.entry(link.planner.clone()).or_default(), kept);
    }

    /// Asks for the pictures of kept boards that have none yet.
    pub(super) fn draw_tries(&mut self) {
        if self.teaching.assigned.is_some() {
            return;
        }
        let Some(Game { table: Table::Board(breaking), link, .. }) = &mut self.game else { return };
        let kept = self.learning.learned.tries.get(&link.planner).into_iter().flatten();
        let boards = kept.map(|kept| kept.board.clone()).filter(|board| !breaking.pictures.contains_key(board));
        let boards: Vec<String> = boards.collect();
        if boards.is_empty() {
            return;
        }
        // No board is asked about twice.
        boards.iter().cloned().for_each(|board| _ = breaking.pictures.insert(board, Vec::new()));
        let planner = link.planner.clone();
        self.want(TeachTask::Game(GameRequest::Tries(TriesFrom::Kept { planner, boards })));
    }

    pub(super) fn tries_answered(&mut self, tries: Tries) {
        let Some(Game { table: Table::Board(breaking), link, feedback, .. }) = &mut self.game else { return };
        if link.planner != tries.planner {
            (link.planner, link.par) = (tries.planner, None);
            breaking.is_of_another_planner();
        }
        let list = self.learning.learned.tries.entry(link.planner.clone()).or_default();
        if tries.opened {
            let (known, of) = (list.clone(), tries.boards.len());
            for tried in &tries.boards {
                keep(list, Try { board: tried.board.clone(), peak: tried.peak, bound: tried.bound, opened: true });
            }
            let is_new = |kept: &&Try| !known.iter().any(|known| known.board == kept.board);
            let n = list.iter().filter(is_new).count();
            let key = if n == of { "game.opened" } else { "game.opened-some" };
            *feedback = Some(Message::new(key).count("n", n).count("of", of).count("most", KEPT));
        }
        breaking.pictures.extend(tries.boards.into_iter().map(|tried| (tried.board, tried.boxes)));
        // Boards that are not listed have no picture.
        breaking.pictures.retain(|board, _| list.iter().any(|kept| kept.board == *board));
        self.run_board();
    }
}

/// Adds a board to those kept, the largest ratio first, unless it is one of them.
fn keep(list: &mut Vec<Try>, kept: Try) {
    if list.iter().any(|known| known.board == kept.board) {
        return;
    }
    list.push(kept);
    // By whole millionths: ratios are small.
    list[..].sort_by_key(|kept| u64::MAX - (kept.ratio().value() * 1e6) as u64);
    let mut counts = [0; 2];
    list.retain(|kept| {
        let count = &mut counts[usize::from(kept.opened)];
        *count += 1;
        *count <= KEPT
    });
}
