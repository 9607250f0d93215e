//! The board of Break: it is edited, the planner runs after each change, the best tries are kept.

use std::rc::Rc;

use crate::app::model::learning::Try;
use crate::app::state::State;
use crate::app::state::game::{Game, Table};
use crate::app::state::game_action::{BoardField, GameAction};
use crate::base::{Arrange, Message, Undo};
use crate::engine::{Broken, GameRequest, TeachRequest};
use crate::exercise::board::{Board, MAX_BUFFERS, MAX_KIB, MAX_STEP, Piece, Ratio};
use crate::problem::BufferId;
use crate::replay::{Run, why};

/// Where a game begins: three buffers, which every planner packs well.
const START: &str = "A.64.0.2_B.32.1.3_C.64.2.4";

/// Tries that are kept for a planner.
const KEPT: usize = 20;

/// The board with what the planner makes of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Breaking {
    /// What is edited.
    pub board: Board,
    /// What can be taken back and done again.
    pub undo: Undo<Board>,
    /// What the planner made of the last board that it was asked about.
    pub tried: Option<Rc<Tried>>,
    /// The board that it was asked about last.
    asked: Option<Board>,
    /// Whether the worst board known has been looked at: what follows is not one's own.
    pub worst_shown: bool,
}

/// A board with its plan.
#[derive(Debug)]
pub struct Tried {
    /// The board.
    pub board: Board,
    /// Its run, to be drawn.
    pub run: Rc<Run>,
    /// Peak and bound.
    pub ratio: Ratio,
    /// The worst board known for the planner, with its peak and bound.
    pub worst: Option<(Board, Ratio)>,
}

impl PartialEq for Tried {
    fn eq(&self, other: &Tried) -> bool {
        self.board == other.board && self.run.planner == other.run.planner
    }
}

impl Breaking {
    /// The board of a link, or the one to begin with.
    pub fn new(text: &str) -> Breaking {
        let board = Board::read(text).or_else(|_| Board::read(START)).unwrap_or_default();
        Breaking { board, undo: Undo::default(), tried: None, asked: None, worst_shown: false }
    }

    /// What the planner made of the board as it is; none while it is at work.
    pub fn here(&self) -> Option<&Tried> {
        self.tried.as_deref().filter(|tried| tried.board == self.board)
    }

    fn change(&mut self, board: Board) {
        if board != self.board {
            self.undo.note(std::mem::replace(&mut self.board, board));
        }
    }

    fn changed(&self, at: usize, change: impl FnOnce(&mut Piece)) -> Board {
        let mut board = self.board.clone();
        if let Some(piece) = board.pieces.get_mut(at) {
            change(piece);
        }
        board
    }

    fn with_another(&self, lower: u32) -> Board {
        let mut board = self.board.clone();
        let is_free = |name: &String| board.pieces.iter().all(|piece| piece.name != *name);
        let name = ('A'..='Z').map(|letter| letter.to_string()).find(is_free);
        if let Some(name) = name.filter(|_| board.pieces.len() < MAX_BUFFERS) {
            let lower = lower.min(MAX_STEP - 1);
            board.pieces.push(Piece { name, kib: 32, lower, upper: (lower + 2).min(MAX_STEP) });
        }
        board
    }
}

impl State {
    pub(super) fn on_board(&mut self, action: GameAction) {
        let Some(game) = &mut self.game else { return };
        let Table::Board(breaking) = &mut game.table else { return };
        game.said = None;
        match action {
            GameAction::Write(at, field, text) => match written(breaking, at, field, &text) {
                Ok(board) => breaking.change(board),
                Err(why) => game.said = Some(why),
            },
            GameAction::Resize(at, field, value) => {
                let Some(piece) = breaking.board.pieces.get(at).cloned() else { return };
                let board = breaking.changed(at, |own| match field {
                    BoardField::Size => own.kib = value.clamp(1, MAX_KIB),
                    BoardField::From => own.lower = (value as u32).min(piece.upper - 1),
                    BoardField::To => own.upper = (value as u32).clamp(piece.lower + 1, MAX_STEP),
                    BoardField::Name => {}
                });
                // A movement of the pointer is one change.
                if game.drags {
                    breaking.board = board;
                } else if board != breaking.board {
                    breaking.change(board);
                    game.drags = true;
                }
            }
            GameAction::Drop => game.drags = false,
            GameAction::Add(lower) => breaking.change(breaking.with_another(lower)),
            GameAction::Remove(at) if breaking.board.pieces.len() > 1 => {
                let mut board = breaking.board.clone();
                board.pieces.remove(at.min(board.pieces.len() - 1));
                breaking.change(board);
            }
            GameAction::Undo => breaking.undo.undo(&mut breaking.board),
            GameAction::Redo => breaking.undo.redo(&mut breaking.board),
            GameAction::Clear => breaking.change(Board::read(START).unwrap_or_default()),
            GameAction::Select(id) => game.selected = id,
            GameAction::Worst => {
                let worst = breaking.tried.as_ref().and_then(|tried| tried.worst.clone());
                breaking.worst_shown |= worst.is_some();
                worst.into_iter().for_each(|(board, _)| breaking.change(board));
            }
            GameAction::Load(text) => Board::read(&text).into_iter().for_each(|board| breaking.change(board)),
            GameAction::Planner(planner) => {
                game.link.planner = planner;
                game.link.par = None;
                (breaking.tried, breaking.asked) = (None, None);
            }
            GameAction::Keep => self.keep_try(true),
            GameAction::Forget(text) => {
                let planner = game.link.planner.clone();
                self.learning.learned.tries.or_insert(planner, Vec::new()).retain(|kept| kept.board != text);
            }
            _ => {}
        }
        self.run_board();
    }

    /// Has the planner run on the board, unless it is at work: then it runs once that is done.
    pub(super) fn run_board(&mut self) {
        let Some(Game { table: Table::Board(breaking), link, .. }) = &mut self.game else { return };
        let is_waiting = breaking.asked.is_some() && self.teaching.wanted.is_some();
        let is_known = breaking.asked.as_ref() == Some(&breaking.board);
        if is_waiting || is_known || !breaking.board.faults().is_empty() {
            return;
        }
        breaking.asked = Some(breaking.board.clone());
        let (planner, board) = (link.planner.clone(), breaking.board.write());
        self.want(TeachRequest::Game(GameRequest::Break { planner, board }));
    }

    pub(super) fn board_answered(&mut self, broken: Option<Broken>) {
        let Some(Game { table: Table::Board(breaking), said, .. }) = &mut self.game else { return };
        let Some(board) = breaking.asked.clone() else { return };
        match broken {
            Some(Broken { planned, peak, bound, worst }) => {
                let worst =
                    worst.and_then(|(board, peak, bound)| Some((Board::read(&board).ok()?, Ratio { peak, bound })));
                let run = Rc::new(planned.into_run(None));
                breaking.tried = Some(Rc::new(Tried { board, run, ratio: Ratio { peak, bound }, worst }));
                self.keep_try(false);
            }
            None => {
                breaking.tried = None;
                *said = Some(Message::new("game.no-plan"));
            }
        }
        self.run_board();
    }

    /// Keeps the board if it is better than those before, or if that is wanted.
    fn keep_try(&mut self, wanted: bool) {
        let Some(Game { table: Table::Board(breaking), link, .. }) = &self.game else { return };
        let Some(tried) = breaking.here() else { return };
        let is_own = !breaking.worst_shown || tried.worst.as_ref().is_none_or(|(worst, _)| *worst != tried.board);
        let kept = self.learning.learned.tries.get(&link.planner);
        let best = kept.and_then(|kept| kept.first()).map_or(Ratio { peak: 1, bound: 1 }, Try::ratio);
        let is_known = kept.is_some_and(|kept| kept.iter().any(|kept| kept.board == tried.board.write()));
        if is_known || !is_own || !(wanted || tried.ratio.is_kept_beside(best)) {
            return;
        }
        let kept = Try { board: tried.board.write(), peak: tried.ratio.peak, bound: tried.ratio.bound };
        let list = self.learning.learned.tries.or_insert(link.planner.clone(), Vec::new());
        list.push(kept);
        sort_tries(list);
    }
}

/// The largest ratio first, and no more than are kept.
fn sort_tries(list: &mut Vec<Try>) {
    // By whole millionths: ratios are small.
    list[..].arrange_by_key(|kept| u64::MAX - (kept.ratio().value() * 1e6) as u64);
    list.truncate(KEPT);
}

/// The board with what was written into a field.
fn written(breaking: &Breaking, at: usize, field: BoardField, text: &str) -> Result<Board, Message> {
    let number = || text.trim().parse::<u64>().map_err(|_| Message::new("game.no-number").text("text", text));
    let board = match field {
        BoardField::Name => breaking.changed(at, |piece| piece.name = text.trim().to_string()),
        BoardField::Size => {
            let kib = number()?;
            breaking.changed(at, |piece| piece.kib = kib)
        }
        BoardField::From | BoardField::To => {
            let step = u32::try_from(number()?).unwrap_or(u32::MAX);
            breaking
                .changed(at, |piece| if field == BoardField::From { piece.lower = step } else { piece.upper = step })
        }
    };
    board.faults().first().map_or(Ok(board.clone()), |fault| Err(fault.message()))
}

impl Game {
    /// The buffer of a run that is selected here.
    pub fn selected_in(&self, run: &Run) -> Option<BufferId> {
        match self.breaking() {
            Some(breaking) => run.buffer_named(&breaking.board.pieces.get(self.selected?.0 as usize)?.name),
            None => self.selected,
        }
    }

    /// The board.
    pub fn breaking(&self) -> Option<&Breaking> {
        match &self.table {
            Table::Board(breaking) => Some(breaking),
            _ => None,
        }
    }
}

/// What happened when the peak rose last.
pub fn last_growth(run: &Run) -> Option<Message> {
    let frame = |decision: &crate::replay::Decision| run.frame(decision.end);
    let grown = run.timeline.decisions.iter().rev().map(frame).find(|frame| frame.peak > frame.peak_before)?;
    Some(why(run, &grown).headline)
}
