//! The exercise of a student: opened by a link, done with the questions of *Predict*, ended with a
//! result code.

pub mod figures;
mod lessons;
mod limits;
mod marks;
mod programs;
pub mod results;
pub mod stage;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::learn::exercise::state::figures::Figures;
use crate::learn::exercise::state::stage::Stage;
use crate::learn::lessons::state::writing::Writing;
use crate::learn::play::state::Game;
use crate::learn::play::state::address::{GameLink, GameOf};
use crate::learn::teacher::state::action::TeachAction;
use crate::open::state::document::{Bytes, Origin};
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{AskedPicture, Assignment, Failure, GameRequest, Taught, TeachTask};
use memplan_formats::import::Answers;
use memplan_teach::exercise::activity::Buffers;
use memplan_teach::exercise::code::{Outcome, minute_of};
use memplan_teach::exercise::variant::{Difficulty, seed_for};

/// An exercise with what was done in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Assigned {
    /// Its link.
    pub link: String,
    /// What the link asks, once it is read.
    pub task: Option<Rc<Assignment>>,
    /// Name of the student.
    pub name: String,
    /// How far it is.
    pub stage: Stage,
    /// Counts the instances from 0.
    pub round: u32,
    /// Whether each question of the instances before was answered right, with the key of its rule.
    pub before: Rc<Vec<(bool, String)>>,
    /// Figures that are asked about the present document.
    pub figures: Option<Rc<Figures>>,
    /// The program, where one is asked for.
    pub writing: Writing,
    /// Whether help was looked at.
    pub helped: bool,
    /// Whether an answer was shown.
    pub shown: bool,
    /// Counts the attempts from 1.
    pub attempts: u8,
    /// When it was handed in, in seconds since 1970, as long as the best plan of its blocks is
    /// still looked for.
    pub handed_in: Option<u64>,
    /// The result, once it is over.
    pub outcome: Outcome,
    /// Its code.
    pub code: String,
    /// The questions with their answers and pictures, once they are over and asked for.
    pub pictures: Option<Rc<Vec<AskedPicture>>>,
    /// Name and code of a result that was kept, to be shown once the link is read.
    kept: Option<(String, String)>,
    /// Why it does not go on.
    pub failure: Option<Message>,
}

impl Assigned {
    fn new(link: String) -> Assigned {
        Assigned {
            link,
            task: None,
            name: String::new(),
            stage: Stage::Reading,
            round: 0,
            before: Rc::default(),
            figures: None,
            writing: Writing::default(),
            helped: false,
            shown: false,
            attempts: 0,
            handed_in: None,
            outcome: Outcome::default(),
            code: String::new(),
            pictures: None,
            kept: None,
            failure: None,
        }
    }

    /// Whether the student may begin: for the first time, or again.
    pub fn may_begin(&self) -> bool {
        let tries = self.task.as_ref().and_then(|task| task.tries);
        let is_waiting = matches!(self.stage, Stage::Ready | Stage::Done);
        is_waiting && !self.name.trim().is_empty() && tries.is_none_or(|tries| self.attempts < tries)
    }

    /// The example or the address that the page has to fetch.
    pub fn fetched(&self) -> Option<&str> {
        let task = self.task.as_ref().filter(|task| self.stage == Stage::Making && !task.kind.is_game())?;
        let doc = &task.doc;
        (doc.starts_with("ex:") || doc.starts_with("url:")).then_some(doc)
    }
}

/// The game that an exercise is, for a student; none where it asks questions.
fn game_of(task: &Assignment, name: &str) -> Option<GameLink> {
    let kind = Some(task.kind).filter(|kind| kind.is_game())?;
    let of = match task.seed {
        _ if kind.activity().buffers == Buffers::Board => GameOf::Board,
        Some((seed, difficulty)) => GameOf::Seed(seed_for(seed, name), Difficulty::new(difficulty).unwrap_or_default()),
        None => GameOf::Document(task.doc.clone(), task.name.clone()),
    };
    let par = task.beat.map(u64::from);
    Some(GameLink { planner: task.planner.clone(), par, ..GameLink::new(kind, of) })
}

/// Where the questions begin that are about a whole plan.
pub fn first_frame() -> LinkPlace {
    LinkPlace { frame: Some(0), selection: None, step: None }
}

/// Where the questions of an exercise begin.
pub fn first_frame_of(task: &Assignment) -> LinkPlace {
    // What is shown of a plan whose figures are asked about is known once it is there.
    let decision = task.decision.filter(|_| task.ask.is_empty());
    LinkPlace { frame: decision.or(Some(0)), ..first_frame() }
}

impl State {
    pub(crate) fn open_exercise(&mut self, link: String) {
        self.teaching.assigned = Some(Assigned::new(link.clone()));
        self.view.overlay = None;
        self.view.presenting = None;
        // What a lesson or a game still waits for would find nobody there.
        (self.view.mode, self.game) = (Mode::Step, None);
        self.introduction.notes = false;
        self.stop_predicting();
        self.want(TeachTask::Read(link));
    }

    pub(crate) fn exercise_answered(&mut self, answer: Result<Taught, Failure>) {
        let Some(assigned) = &mut self.teaching.assigned else { return };
        match answer {
            Ok(Taught::Read(task)) => {
                task.locale.into_iter().for_each(|locale| self.settings.locale = locale);
                assigned.task = Some(Rc::new(*task));
                assigned.stage = Stage::Ready;
                if let Some((name, code)) = assigned.kept.take() {
                    self.on_exercise(TeachAction::Restore(name, code));
                }
            }
            Ok(Taught::Made(bytes)) => {
                let name = assigned.name.clone();
                self.ask_about_document(Some((name, bytes.into())));
            }
            Ok(Taught::Pictures(list)) => assigned.pictures = Some(Rc::new(list)),
            Ok(Taught::Code(code)) => {
                assigned.code = code;
                assigned.stage = Stage::Done;
            }
            // Unless the student has begun meanwhile.
            Ok(Taught::Restored(kept)) if assigned.stage == Stage::Ready => {
                (assigned.name, assigned.code) = (kept.name, kept.code);
                (assigned.outcome, assigned.attempts) = (kept.outcome, kept.outcome.attempts);
                assigned.stage = Stage::Done;
            }
            Ok(_) => {}
            Err(failure) => {
                assigned.failure = Some(failure.message());
                assigned.stage = match assigned.stage {
                    Stage::Making => Stage::Ready,
                    Stage::Coding => Stage::Asking,
                    other => other,
                };
            }
        }
    }

    pub(crate) fn on_exercise(&mut self, action: TeachAction) {
        let (marks, shown) = (self.marks(), self.has_given_up());
        let Some(assigned) = &mut self.teaching.assigned else { return };
        match action {
            TeachAction::Name(name) => assigned.name = name,
            TeachAction::Begin if assigned.may_begin() => {
                assigned.attempts = assigned.attempts.saturating_add(1);
                (assigned.round, assigned.before) = (0, Rc::default());
                (assigned.helped, assigned.shown, assigned.pictures) = (false, false, None);
                let template = assigned.task.as_ref().map_or("", |task| &task.template);
                let kept = Some(&*assigned.writing.code).filter(|code| !code.is_empty());
                assigned.writing = Writing::of(kept.unwrap_or(template));
                self.make_plan();
            }
            TeachAction::Figure(action) => self.on_figure(action),
            TeachAction::Program(action) => self.on_program(action),
            TeachAction::Help => assigned.helped = true,
            TeachAction::NextPlan if assigned.stage == Stage::Asking => {
                assigned.shown |= shown;
                assigned.before = Rc::new(marks);
                assigned.round += 1;
                self.make_plan();
            }
            TeachAction::Finish(seconds) if assigned.stage == Stage::Asking => self.finish(seconds),
            TeachAction::Restore(name, code) if assigned.stage == Stage::Reading => assigned.kept = Some((name, code)),
            TeachAction::Restore(name, code) if assigned.stage == Stage::Ready => {
                let link = assigned.link.clone();
                self.want(TeachTask::Restore { link, name, code });
            }
            _ => {}
        }
    }

    /// Has the next document of the exercise made or opened.
    fn make_plan(&mut self) {
        let Some(assigned) = &mut self.teaching.assigned else { return };
        let Some(task) = assigned.task.clone() else { return };
        assigned.stage = Stage::Making;
        // The answer to what was asked before would stop it.
        self.teaching.wanted = None;
        (assigned.failure, assigned.figures) = (None, None);
        self.document.notice = None;
        let (link, name, round) = (assigned.link.clone(), assigned.name.clone(), assigned.round);
        if let Some(game) = game_of(&task, &name) {
            return self.open_game(game);
        }
        if !task.lessons.is_empty() {
            return self.open_question();
        }
        match task.doc.split_once(':') {
            None => self.want(TeachTask::Make { link, name, round }),
            Some(("z", _)) => self.ask_about_document(Some((task.name.clone(), task.doc.clone().into_bytes().into()))),
            Some(_) => self.ask_about_document(None),
        }
    }

    /// Shows the planner on a set of buffers that a program did not get right, at a frame.
    fn show_failed(&mut self, document: Vec<u8>, frame: u32) {
        let name = self.teaching.assigned.as_ref().map(|assigned| assigned.name.clone()).unwrap_or_default();
        self.restore(self.restored_for_exercise());
        let place = LinkPlace { frame: Some(frame), ..first_frame() };
        self.open(Origin::File(name), document.into(), Answers::default(), Some(place));
    }

    /// Opens a document, or waits for one that the page fetches, to ask about it.
    fn ask_about_document(&mut self, document: Option<(String, Bytes)>) {
        self.restore(self.restored_for_exercise());
        if let Some((name, bytes)) = document {
            let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.clone()).unwrap_or_default();
            self.open(Origin::File(name), bytes, Answers::default(), Some(first_frame_of(&task)));
        }
    }

    /// Planner, options and questions of the exercise.
    pub fn restored_for_exercise(&self) -> Restored {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.clone()).unwrap_or_default();
        Restored {
            planner: Some(task.planner.clone()),
            options: task.options.iter().cloned().collect(),
            predict: task.ask.is_empty() && task.template.is_empty(),
            ..Restored::default()
        }
    }

    /// Whether the exercise is a game.
    pub fn is_game_assigned(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| task.kind.is_game())
    }

    /// Whether the exact search is at work for the game.
    pub(super) fn is_proving(&self) -> bool {
        let wanted = self.teaching.wanted.as_ref().map(|wanted| &wanted.request);
        // Or the planner for a board that was changed last.
        matches!(wanted, Some(TeachTask::Game(GameRequest::Prove(_) | GameRequest::Break { .. })))
    }

    pub(super) fn finish(&mut self, seconds: u64) {
        // A goal may be reached that is known only once the search is done.
        if self.is_proving() && self.marks().iter().any(|(is_reached, _)| !is_reached) {
            let Some(assigned) = &mut self.teaching.assigned else { return };
            assigned.handed_in = Some(seconds);
            assigned.stage = Stage::Coding;
            return;
        }
        let answers: Vec<bool> = self.marks().into_iter().map(|(is_right, _)| is_right).collect();
        let shown = self.has_given_up();
        let helped = self.is_game_assigned() && self.game.as_ref().is_some_and(|game| game.hinted || game.helped);
        let ratio = self.game.as_ref().filter(|_| self.is_game_assigned()).and_then(Game::ratio_reached);
        let Some(assigned) = &mut self.teaching.assigned else { return };
        assigned.helped |= helped;
        let of = assigned.task.as_ref().map_or(0, |task| task.of);
        let answers: Vec<bool> = (0..usize::from(of)).map(|at| answers.get(at).copied().unwrap_or(false)).collect();
        assigned.outcome = Outcome {
            right: answers.iter().filter(|is_right| **is_right).count() as u8,
            of,
            attempts: assigned.attempts,
            helped: assigned.helped,
            shown: assigned.shown || shown,
            minute: minute_of(seconds),
            ratio,
        };
        assigned.stage = Stage::Coding;
        let (link, name, outcome) = (assigned.link.clone(), assigned.name.clone(), assigned.outcome);
        self.want(TeachTask::Code { link, name, outcome, answers });
    }
}
