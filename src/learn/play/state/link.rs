//! The links of a game.

use crate::learn::play::state::address::GameLink;
use crate::learn::play::state::{Game, Table};
use memplan_core::base::Message;
use memplan_core::text::Speech;

impl Game {
    /// What it is called.
    pub fn title(&self, speech: Speech) -> String {
        self.link.title(speech)
    }

    /// The link with what was done.
    pub fn link_here(&self) -> GameLink {
        let done = match &self.table {
            Table::Blocks(tray) => tray.text(),
            Table::Board(breaking) => breaking.board.write(),
            Table::Order(ordering) => ordering.text(),
            Table::Debug(_) => String::new(),
            Table::Empty => self.link.done.clone(),
        };
        GameLink { done, ..self.link.clone() }
    }

    /// The best result as a sentence with a link; none before there is one.
    pub fn result(&self, link: &str, speech: Speech) -> Option<Message> {
        let (best, deal) = (self.best?, self.deal.as_ref()?);
        let message = match &self.table {
            Table::Blocks(_) => {
                Message::new("game.result").bytes("peak", best).bytes("bound", deal.bound).bytes("rival", self.rival())
            }
            Table::Order(ordering) => {
                Message::new("game.result-order").bytes("load", best).bytes("written", ordering.written())
            }
            Table::Debug(_) => Message::new("game.result-debug").count("n", best),
            Table::Board(_) | Table::Empty => return None,
        };
        Some(message.text("title", self.title(speech)).text("link", link))
    }

    /// The link that sends the game to somebody else: without the solution, with what is to be
    /// beaten.
    pub fn challenge(&self) -> GameLink {
        let is_tries = matches!(self.table, Table::Debug(_));
        let own = self.best.filter(|_| !is_tries);
        let par = own.into_iter().chain(self.link.par).min();
        GameLink { done: String::new(), par, ..self.link.clone() }
    }
}
