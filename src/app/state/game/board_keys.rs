//! What keys do on the plan of a board: all that a pointer does there.

use crate::app::state::game::Game;
use crate::app::state::game_action::{BoardField, GameAction};
use crate::problem::BufferId;

impl Game {
    /// What a key asks for on the plan of a board. With Shift the arrows to the sides move the left edge.
    pub fn board_key(&self, key: &str, shift: bool) -> Option<GameAction> {
        let pieces = &self.breaking()?.board.pieces;
        let count = pieces.len();
        let chosen = self.selected.map(|id| id.0 as usize).filter(|at| *at < count);
        let at = chosen.unwrap_or(0);
        let piece = pieces.get(at)?;
        let step = |step: u32, up: bool| u64::from(if up { step.saturating_add(1) } else { step.saturating_sub(1) });
        let select = |at: usize| Some(GameAction::Select(Some(BufferId(at as u32))));
        let is_up = matches!(key, "ArrowUp" | "ArrowRight");
        match key {
            "PageDown" => select(chosen.map_or(0, |at| (at + 1) % count)),
            "PageUp" => select(chosen.map_or(count - 1, |at| (at + count - 1) % count)),
            "Enter" => Some(GameAction::Add(piece.lower)),
            "Delete" | "Backspace" => chosen.map(GameAction::Remove),
            // The first arrow shows which buffer it is about.
            "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" if chosen.is_none() => select(0),
            "ArrowUp" => Some(GameAction::Resize(at, BoardField::Size, piece.kib + 1)),
            "ArrowDown" => Some(GameAction::Resize(at, BoardField::Size, piece.kib - 1)),
            "ArrowLeft" | "ArrowRight" if shift => {
                Some(GameAction::Resize(at, BoardField::From, step(piece.lower, is_up)))
            }
            "ArrowLeft" | "ArrowRight" => Some(GameAction::Resize(at, BoardField::To, step(piece.upper, is_up))),
            _ => None,
        }
    }
}
