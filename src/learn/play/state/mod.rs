//! Games under Learn: the instance, the moves, and the sentences about them.

pub mod action;
pub mod address;
pub mod blocks;
mod board_keys;
pub mod breaking;
pub mod debug;
pub mod link;
pub mod link_keys;
pub mod order;
pub mod overlay;
#[cfg(test)]
pub(crate) mod tests;
mod tries;

use std::rc::Rc;

use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::state::action::GameAction;
use crate::learn::play::state::address::{GameLink, GameOf};
use crate::learn::play::state::breaking::Breaking;
use crate::learn::play::state::debug::Finding;
use crate::learn::play::state::order::Ordering;
use crate::open::state::document::Bytes;
use crate::shell::state::State;
use crate::shell::state::action::LearnAction;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_engine::{BLOCKS, Deal, DealFrom, Failure, GameRequest, Gamed, OPERATORS, Proved, TeachTask};
use memplan_formats::import::Answers;
use memplan_teach::exercise::activity::Kind;
use memplan_teach::exercise::tray::Tray;

/// A game that is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    /// The game, as in its link.
    pub link: GameLink,
    /// The document that it is of, once it is here, and how that is read.
    pub file: Option<(Bytes, Answers)>,
    /// What was dealt.
    pub deal: Option<Rc<Deal>>,
    /// What is known of the best plan.
    pub proved: Option<Rc<Proved>>,
    /// Why it cannot be played.
    pub failure: Option<Message>,
    /// What lies on the table.
    pub table: Table,
    /// The block that is selected.
    pub selected: Option<BufferId>,
    /// The sentence about the last move.
    pub feedback: Option<Message>,
    /// Steps of help that were taken.
    pub hints: u8,
    /// What the last step of help says about blocks.
    pub told: Option<Message>,
    /// Whether a planner's plan was looked at, or the place of a block in an optimal one.
    pub helped: bool,
    /// Whether a hint was asked for.
    pub hinted: bool,
    /// The planner whose plan is shown in place of one's own.
    pub shown: Option<String>,
    /// The planner whose plan stands beside one's own in words.
    pub beside_in_words: Option<String>,
    /// The best result so far: the smallest peak or highest load in bytes, or the number of tries.
    pub best: Option<u64>,
    /// An edge of the board is being dragged.
    pub drags: bool,
}

/// What lies on the table.
#[derive(Clone, PartialEq, Debug)]
pub enum Table {
    /// Nothing yet.
    Empty,
    /// Blocks to be placed.
    Blocks(Tray),
    /// Rows to be put in order.
    Order(Ordering),
    /// A plan whose fault is to be found.
    Debug(Finding),
    /// Buffers that a planner is to pack badly.
    Board(Breaking),
}

impl Game {
    fn new(link: GameLink) -> Game {
        Game {
            link,
            file: None,
            deal: None,
            proved: None,
            failure: None,
            table: Table::Empty,
            selected: None,
            feedback: None,
            hints: 0,
            told: None,
            hinted: false,
            helped: false,
            shown: None,
            beside_in_words: None,
            best: None,
            drags: false,
        }
    }

    /// The example that the page has to fetch.
    pub fn wanted(&self) -> Option<&str> {
        match &self.link.of {
            GameOf::Document(doc, _) if self.file.is_none() && self.failure.is_none() => doc.strip_prefix("ex:"),
            _ => None,
        }
    }

    /// Which of its goals are reached.
    pub fn reached(&self) -> Vec<bool> {
        match &self.table {
            Table::Blocks(_) => self.marks().to_vec(),
            Table::Order(ordering) => {
                let best = self.deal.as_ref().map_or(0, |deal| deal.best_order.0);
                // Where nothing is below the order as written, there is nothing to be done.
                let (load, written) = (ordering.load(), ordering.written());
                vec![load < written || written <= best, load <= best]
            }
            Table::Debug(finding) => vec![finding.over && !self.helped],
            Table::Board(_) => self.is_beaten().into_iter().collect(),
            Table::Empty => Vec::new(),
        }
    }

    /// The blocks on the table.
    pub fn tray(&self) -> Option<&Tray> {
        match &self.table {
            Table::Blocks(tray) => Some(tray),
            _ => None,
        }
    }
}

impl State {
    pub(crate) fn on_game(&mut self, action: GameAction) {
        match action {
            GameAction::Open(link) => self.open_game(*link),
            GameAction::OfOpen(kind) => self.game_of_open(kind),
            GameAction::Fetched(bytes) => self.game_fetched(bytes),
            other => match self.game.as_ref().map(|game| &game.table) {
                Some(Table::Blocks(_)) => self.on_blocks(other),
                Some(Table::Order(_)) => self.on_order(other),
                Some(Table::Debug(_)) => self.on_debug(other),
                Some(Table::Board(_)) => self.on_board(other),
                Some(Table::Empty) | None => {}
            },
        }
    }

    pub(crate) fn open_game(&mut self, link: GameLink) {
        if self.teaching.assigned.is_none() {
            self.on_learn(LearnAction::Open(LearnPlace::default()));
        }
        let best = link.entry().and_then(|entry| self.learning.learned.best.get(&entry).copied());
        let mut game = Game { best, ..Game::new(link) };
        if let GameOf::Document(doc, _) = &game.link.of
            && doc.starts_with("z:")
        {
            game.file = Some((doc.clone().into_bytes().into(), Answers::default()));
        }
        let refused = |address| Message::new("game.not-fetched").text("address", address);
        game.failure = game.link.distant().map(refused);
        if game.link.of == GameOf::Board {
            game.table = Table::Board(Breaking::new(&game.link.done));
        }
        self.game = Some(game);
        // What was asked for before is of no use here.
        self.teaching.wanted = None;
        self.deal();
        self.run_board();
    }

    /// The document that is open becomes a game.
    fn game_of_open(&mut self, kind: Kind) {
        let Some(document) = self.document.open.clone() else { return };
        let Some(offered) = self.offered() else { return };
        let mut link = GameLink::new(kind, GameOf::Document(offered.doc, offered.name));
        link.scope = self.document.scope.clone();
        if link.is_in_turn() {
            link.planner = offered.planner;
        }
        self.open_game(link);
        if let Some(game) = &mut self.game {
            let choices = Answers { file: document.name.clone(), ..document.choices.clone() };
            (game.file, game.failure) = (Some((document.bytes.clone(), choices)), None);
        }
        self.deal();
    }

    fn game_fetched(&mut self, bytes: Option<Bytes>) {
        let Some(game) = self.game.as_mut().filter(|game| game.wanted().is_some()) else { return };
        match bytes {
            Some(bytes) => game.file = Some((bytes, Answers::default())),
            None => {
                game.failure = Some(Message::new("notice.no-example").text("name", game.wanted().unwrap_or_default()))
            }
        }
        self.deal();
    }

    /// Has the game dealt, if what it is about is here.
    fn deal(&mut self) {
        let Some(game) = self.game.as_ref().filter(|game| game.failure.is_none()) else { return };
        let from = match (&game.link.of, &game.file) {
            (GameOf::Seed(seed, difficulty), _) => DealFrom::Seed(*seed, difficulty.number()),
            (GameOf::Document(..), Some((file, choices))) => {
                DealFrom::File { file: file.clone(), choices: choices.clone(), scope: game.link.scope.clone() }
            }
            (GameOf::Document(..) | GameOf::Board, _) => return,
        };
        let (kind, planner) = (game.link.kind, game.link.planner.clone());
        // While the user's planner is open, it is one of those that are to be beaten. A class has
        // the same ladder everywhere.
        let own = self.own_planner().filter(|_| self.teaching.assigned.is_none()).map(String::from);
        self.want(TeachTask::Game(GameRequest::Deal { kind, planner, from, own }));
    }

    /// Keeps the best result, the smallest number, unless it was copied.
    pub(crate) fn note_result(&mut self, result: u64) {
        let Some(game) = self.game.as_mut() else { return };
        if game.helped || game.best.is_some_and(|best| best <= result) {
            return;
        }
        game.best = Some(result);
        let entry = game.link.entry().filter(|_| self.teaching.assigned.is_none());
        if let Some(entry) = entry {
            self.learning.learned.best.insert(entry, result);
        }
    }

    /// The worker's answer to what the game asked.
    pub(crate) fn game_answered(&mut self, answer: Result<Gamed, Failure>) {
        let Some(game) = &mut self.game else { return };
        match answer {
            Ok(Gamed::Dealt(deal)) => {
                let deal = Rc::new(*deal);
                game.proved = deal.proved.clone().map(Rc::new);
                let problem = Rc::new(deal.problem.clone());
                let blocks = || Tray::new(problem.clone(), deal.order.clone()).with_places(&game.link.done);
                game.table = match (&deal.operators, Finding::new(&deal)) {
                    (Some(operators), _) => Table::Order(Ordering::new(operators.clone(), &game.link.done)),
                    (None, Some(finding)) => Table::Debug(finding),
                    (None, None) => Table::Blocks(blocks()),
                };
                game.deal = Some(deal);
                if game.proved.is_none() && game.tray().is_some() {
                    self.want(TeachTask::Game(GameRequest::Prove(Box::new((*problem).clone()))));
                }
            }
            Ok(Gamed::Proved(proved)) => game.proved = Some(Rc::new(proved)),
            Ok(Gamed::Broken(broken)) => self.board_answered(broken.map(|broken| *broken)),
            Ok(Gamed::Tries(tries)) => self.tries_answered(tries),
            Err(failure) if game.link.of == GameOf::Board => {
                game.feedback = Some(failure.message());
                self.run_board();
            }
            // Without a proof the game goes on; without blocks there is none.
            Err(failure) if game.deal.is_none() => game.failure = Some(failure.message()),
            Err(_) => {}
        }
    }

    /// Whether the document that is open is small enough for a game of a kind.
    pub fn fits_game(&self, kind: Kind) -> bool {
        let count = self.document.run.as_ref().map_or(0, |run| run.problem.buffers.len());
        let graph = self.document.open.as_ref().and_then(|document| document.graph.as_ref());
        // Where there are no operators, buffers are put in order.
        let fits = kind != Kind::Order || graph.is_none_or(|graph| (2..=OPERATORS).contains(&graph.nodes.len()));
        fits && (BLOCKS.0..=BLOCKS.1).contains(&count)
    }

    /// The game that is shown: it belongs to Learn, and to the exercise of a student.
    pub fn game_shown(&self) -> Option<&Game> {
        let learns = self.view.mode == Mode::Learn || self.teaching.assigned.is_some();
        self.game.as_ref().filter(|_| learns)
    }
}
