//! The links of a game.

use crate::app::model::game::{GameLink, GameOf};
use crate::app::state::game::{Game, Table};
use crate::base::{Family, Message};
use crate::planner;
use crate::text::Speech;

impl Game {
    /// What it is called: its kind, and what it is about.
    pub fn title(&self, speech: Speech) -> String {
        let kind = speech.word(&Family::GAME.of([self.link.kind.name()]));
        let about = match &self.link.of {
            GameOf::Document(doc, name) if name.is_empty() => doc.rsplit(['/', ':']).next().unwrap_or(doc).to_string(),
            GameOf::Document(_, name) => name.clone(),
            GameOf::Seed(seed, difficulty) => {
                speech.say(&Message::new("game.seed").count("seed", *seed).count("level", difficulty.number()))
            }
            GameOf::Board => planner::info(&self.link.planner).map_or_else(String::new, |info| info.title(speech).1),
        };
        format!("{kind} · {about}")
    }

    /// The link with what was done.
    pub fn link_here(&self) -> GameLink {
        let done = match &self.table {
            Table::Blocks(tray) => tray.text(),
            Table::Board(breaking) => breaking.board.write(),
            Table::Empty => self.link.done.clone(),
        };
        GameLink { done, ..self.link.clone() }
    }

    /// The link that sends the game to somebody else: without the solution, with what is to be beaten.
    pub fn challenge(&self) -> GameLink {
        GameLink { done: String::new(), par: self.best.or(self.link.par), ..self.link.clone() }
    }
}
