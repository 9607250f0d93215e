//! The board of Break: it is edited, the planner runs after each change, the best tries are kept.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::learn::play::state::action::{BoardField, GameAction};
use crate::learn::play::state::{Game, Table};
use crate::shell::state::State;
use memplan_core::base::{Message, Undo};
use memplan_core::plan::PlanBox;
use memplan_core::problem::BufferId;
use memplan_engine::{Broken, GameRequest, TeachTask, TriesFrom};
use memplan_replay::{Run, why};
use memplan_teach::exercise::board::{Board, MAX_BUFFERS, MAX_KIB, MAX_STEP, Piece, Ratio};

/// Where a game begins: three buffers, which every planner packs well.
const START: &str = "A.64.0.2_B.32.1.3_C.64.2.4";

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
    /// The largest ratio of a board that was made here.
    best: Option<Ratio>,
    /// Whether the worst board known has been looked at: what follows is not one's own.
    pub worst_shown: bool,
    /// What was written last and refused.
    pub refused: Option<Refused>,
    /// Small pictures of kept boards; empty as long as the planner is at work, and where it gives
    /// no plan.
    pub pictures: BTreeMap<String, Vec<PlanBox>>,
}

/// What was written into a field of the board and cannot be.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused {
    /// Number of the row.
    pub row: usize,
    /// The column.
    pub field: BoardField,
    /// The text as it was written.
    pub text: String,
    /// Why it cannot be.
    pub why: Message,
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
        Breaking {
            board,
            undo: Undo::default(),
            tried: None,
            asked: None,
            best: None,
            worst_shown: false,
            refused: None,
            pictures: BTreeMap::new(),
        }
    }

    /// What the planner made of the board as it is; none while it is at work.
    pub fn here(&self) -> Option<&Tried> {
        self.tried.as_deref().filter(|tried| tried.board == self.board)
    }

    /// What is known of the board and of those kept is of the planner before.
    pub(super) fn is_of_another_planner(&mut self) {
        (self.tried, self.asked, self.best) = (None, None, None);
        self.pictures = BTreeMap::new();
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
        // Whoever goes on to another field or another box still reads why a text was refused.
        if !matches!(action, GameAction::Select(_) | GameAction::Drop) {
            (game.feedback, breaking.refused) = (None, None);
        }
        match action {
            GameAction::Write(row, field, text) => match written(breaking, row, field, &text) {
                Ok(board) => breaking.change(board),
                Err(why) => breaking.refused = Some(Refused { row, field, text, why }),
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
            GameAction::Add(lower) => {
                breaking.change(breaking.with_another(lower));
                game.selected = Some(BufferId(breaking.board.pieces.len() as u32 - 1));
            }
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
                breaking.is_of_another_planner();
                self.teaching.wanted = None;
            }
            GameAction::Keep => self.keep_try(true),
            GameAction::Forget(text) => {
                let planner = game.link.planner.clone();
                self.learning.learned.tries.entry(planner).or_default().retain(|kept| kept.board != text);
            }
            GameAction::OpenTries(file) => {
                // What is at work for the board or its pictures is asked for again afterwards.
                breaking.asked = None;
                breaking.pictures.retain(|_, boxes| !boxes.is_empty());
                self.want(TeachTask::Game(GameRequest::Tries(TriesFrom::File(file))));
            }
            _ => {}
        }
        self.run_board();
    }

    /// Has the planner run on the board, and then on those kept, unless it is at work: then it runs
    /// once that is done.
    pub(super) fn run_board(&mut self) {
        let Some(Game { table: Table::Board(breaking), link, .. }) = &mut self.game else { return };
        let wanted = self.teaching.wanted.as_ref().map(|wanted| &wanted.request);
        if matches!(wanted, Some(TeachTask::Game(GameRequest::Break { .. } | GameRequest::Tries(_))))
            || !breaking.board.faults().is_empty()
        {
            return;
        }
        if breaking.asked.as_ref() == Some(&breaking.board) {
            return self.draw_tries();
        }
        breaking.asked = Some(breaking.board.clone());
        let (planner, board) = (link.planner.clone(), breaking.board.write());
        self.want(TeachTask::Game(GameRequest::Break { planner, board }));
    }

    pub(super) fn board_answered(&mut self, broken: Option<Broken>) {
        let Some(Game { table: Table::Board(breaking), feedback, .. }) = &mut self.game else { return };
        let Some(board) = breaking.asked.clone() else { return };
        match broken {
            Some(Broken { planned, peak, bound, worst }) => {
                let worst =
                    worst.and_then(|(board, peak, bound)| Some((Board::read(&board).ok()?, Ratio { peak, bound })));
                let run = Rc::new(planned.into_run(None));
                breaking.pictures.insert(board.write(), run.plan.boxes(&run.problem));
                let ratio = Ratio { peak, bound };
                breaking.best = breaking.best.filter(|best| !ratio.beats(*best)).or(Some(ratio));
                breaking.tried = Some(Rc::new(Tried { board, run, ratio, worst }));
                self.keep_try(false);
            }
            None => {
                breaking.tried = None;
                *feedback = Some(Message::new("game.no-plan"));
            }
        }
        self.run_board();
    }
}

/// The board with what was written into a field.
fn written(breaking: &Breaking, at: usize, field: BoardField, text: &str) -> Result<Board, Message> {
    let least = u64::from(field == BoardField::Size);
    let most = if field == BoardField::Size { MAX_KIB } else { MAX_STEP.into() };
    let number = || {
        let typed = text.trim();
        let is_below = typed.strip_prefix(['-', '\u{2212}']).is_some_and(|rest| rest.parse::<u64>().is_ok());
        let key = match field {
            BoardField::Size if is_below => "game.number-size",
            _ if is_below => "game.number-step",
            _ => "game.no-number",
        };
        let why = || Message::new(key).text("text", typed).count("least", least).count("most", most);
        typed.parse::<u64>().map_err(|_| why())
    };
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

    /// The largest ratio of the boards that were made here, in hundredths.
    pub fn ratio_reached(&self) -> Option<u16> {
        let breaking = self.breaking()?;
        Some(breaking.best.map_or(100, Ratio::hundredths))
    }

    /// Whether the ratio to be beaten is beaten by a board that was made here; none where there is
    /// no such ratio.
    pub fn is_beaten(&self) -> Option<bool> {
        let par = self.link.par?;
        self.ratio_reached().map(|ratio| u64::from(ratio) > par)
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
    let frame = |decision: &memplan_replay::Decision| run.frame(decision.end);
    let grown = run.timeline.decisions.iter().rev().map(frame).find(|frame| frame.peak > frame.peak_before)?;
    Some(why(run, &grown).headline)
}
