//! What was answered in an exercise, and what is posted about it.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::play::state::Game;
use crate::shell::state::State;
use memplan_teach::exercise::{Given, Missed};

/// The report on an exercise that the embedding page gets.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// `started`, `answered` or `done`.
    pub state: &'static str,
    /// Right answers so far.
    pub right: usize,
    /// Answers so far.
    pub answered: usize,
    /// Number of questions.
    pub of: u8,
    /// Whether it is passed.
    pub passed: bool,
    /// The ratio that was reached, in hundredths; none where no ratio is asked for.
    pub ratio: Option<u16>,
    /// The result code; empty until it is done.
    pub code: String,
}

impl State {
    /// Whether an answer of the present instance was shown instead of given.
    pub(super) fn has_given_up(&self) -> bool {
        if self.is_game_assigned() {
            return self.game.as_ref().is_some_and(|game| game.helped);
        }
        if self.asks_lessons() {
            return self.lesson_task().and_then(|task| self.learning.attempts.get(&task.id)).is_some_and(|it| it.shown);
        }
        if self.figures().is_some_and(|figures| figures.answers.iter().any(|answered| answered.shown)) {
            return true;
        }
        self.predicting.answers.values().any(|answer| answer.counts && answer.given == Given::Shown)
    }

    /// Whether each question so far was answered right, with the key of its rule.
    pub fn marks(&self) -> Vec<(bool, String)> {
        let Some(assigned) = &self.teaching.assigned else { return Vec::new() };
        if self.is_game_assigned() {
            let is_begun = !matches!(assigned.stage, Stage::Reading | Stage::Ready | Stage::Making);
            let reached = self.game.as_ref().filter(|_| is_begun).map(|game| game.reached()).unwrap_or_default();
            return reached.into_iter().map(|is_reached| (is_reached, String::new())).collect();
        }
        if self.asks_program() {
            let judged = assigned.writing.verdict().map(|judged| judged.marks()).unwrap_or_default();
            return judged.into_iter().map(|is_right| (is_right, String::new())).collect();
        }
        let mut marks = (*assigned.before).clone();
        if self.asks_lessons() {
            let is_begun = matches!(assigned.stage, Stage::Asking | Stage::Coding | Stage::Done);
            marks.extend(self.lesson_mark().filter(|_| is_begun).map(|is_right| (is_right, String::new())));
            return marks;
        }
        if assigned.stage == Stage::Asking || assigned.stage == Stage::Coding || assigned.stage == Stage::Done {
            let figures = self.figures().into_iter().flat_map(|figures| figures.asked.iter().zip(&figures.answers));
            marks.extend(figures.map(|(figure, answered)| (answered.right, figure.rule().to_string())));
            let counted = self.predicting.answers.values().filter(|answer| answer.counts);
            marks.extend(counted.map(|answer| (answer.is_right(), answer.rule.clone())));
        }
        marks.truncate(assigned.task.as_ref().map_or(0, |task| task.of.into()));
        marks
    }

    /// Returns the report for the embedding page, once the exercise has begun.
    pub fn exercise_progress(&self) -> Option<Progress> {
        let assigned = self.teaching.assigned.as_ref()?;
        let task = assigned.task.as_ref()?;
        let marks = self.marks();
        // Of a result that was kept, the single answers are not known.
        let is_done = assigned.stage == Stage::Done;
        let right = match is_done {
            true => assigned.outcome.right.into(),
            false => marks.iter().filter(|(is_right, _)| *is_right).count(),
        };
        let answered = if is_done && marks.is_empty() { assigned.outcome.of.into() } else { marks.len() };
        let state = match assigned.stage {
            Stage::Reading | Stage::Ready => return None,
            Stage::Done => "done",
            Stage::Making if marks.is_empty() => return None,
            _ if marks.is_empty() || self.is_game_assigned() && right == 0 => "started",
            _ => "answered",
        };
        let ratio = self.game.as_ref().filter(|_| self.is_game_assigned()).and_then(Game::ratio_reached);
        let ratio = if is_done { assigned.outcome.ratio } else { ratio };
        let code = if is_done { assigned.code.clone() } else { String::new() };
        Some(Progress { state, right, answered, of: task.of, passed: right >= task.pass.into(), ratio, code })
    }

    /// Rules that were missed, the most frequent first.
    pub fn missed_rules(&self) -> Vec<Missed> {
        let mut answers = memplan_teach::exercise::Score::default();
        // A game has goals, and a program sets of buffers: no rules.
        let has_rules = !self.is_game_assigned() && !self.asks_lessons() && !self.asks_program();
        let marks = if has_rules { self.marks() } else { Vec::new() };
        for (at, (_, rule)) in (0..).zip(marks).filter(|(_, (is_right, _))| !is_right) {
            match answers.missed.iter_mut().find(|missed| missed.rule == rule) {
                Some(missed) => missed.decisions.push(at),
                None => answers.missed.push(Missed { rule, decisions: vec![at] }),
            }
        }
        answers.by_frequency()
    }

    /// Whether all questions of the exercise are answered.
    pub fn is_full(&self) -> bool {
        let of = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref()).map(|task| task.of);
        of.is_some_and(|of| self.marks().len() >= usize::from(of))
    }

    /// Whether the exercise goes on with another instance.
    pub fn has_next_plan(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| task.doc.is_empty()) && !self.is_full()
    }
}
