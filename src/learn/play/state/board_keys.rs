//! What keys do on the plan of a board: all that a pointer does there.

use crate::learn::play::state::Game;
use crate::learn::play::state::action::{BoardField, GameAction};
use crate::shell::state::keys::Command;
use memplan_core::problem::BufferId;

impl Game {
    /// What a key asks for on the plan of a board.
    pub fn asked_of_board(&self, command: Command) -> Option<GameAction> {
        let pieces = &self.breaking()?.board.pieces;
        let count = pieces.len();
        let chosen = self.selected.map(|id| id.0 as usize).filter(|at| *at < count);
        let at = chosen.unwrap_or(0);
        let piece = pieces.get(at)?;
        let earlier = |step: u32| u64::from(step.saturating_sub(1));
        let later = |step: u32| u64::from(step.saturating_add(1));
        let select = |at: usize| Some(GameAction::Select(Some(BufferId(at as u32))));
        let (field, value) = match command {
            Command::NextOnBoard => return select(chosen.map_or(0, |at| (at + 1) % count)),
            Command::PreviousOnBoard => return select(chosen.map_or(count - 1, |at| (at + count - 1) % count)),
            Command::AddBuffer => return Some(GameAction::Add(piece.lower)),
            Command::RemoveBuffer => return chosen.map(GameAction::Remove),
            Command::LargerBuffer => (BoardField::Size, piece.kib + 1),
            Command::SmallerBuffer => (BoardField::Size, piece.kib - 1),
            Command::StartEarlier => (BoardField::From, earlier(piece.lower)),
            Command::StartLater => (BoardField::From, later(piece.lower)),
            Command::EndEarlier => (BoardField::To, earlier(piece.upper)),
            Command::EndLater => (BoardField::To, later(piece.upper)),
            _ => return None,
        };
        // The first key shows which buffer it is about.
        if chosen.is_none() { select(0) } else { Some(GameAction::Resize(at, field, value)) }
    }
}
