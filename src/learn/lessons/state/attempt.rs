//! What a reader has tried in an exercise.

use std::collections::BTreeSet;

use crate::learn::lessons::state::writing::Writing;
use memplan_core::plan::Plan;
use memplan_engine::JudgedProgram;
use memplan_teach::lesson::{Judged, LegalPlace, Task, TaskKind};

/// What a reader has tried in an exercise.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attempt {
    /// What was chosen, by id or by address.
    pub chosen: BTreeSet<String>,
    /// What was typed.
    pub text: String,
    /// The order of the operators; empty until one is moved.
    pub order: Vec<usize>,
    /// The plans before each move, the first one first.
    pub before: Vec<Plan>,
    /// The verdict on the last answer.
    pub judged: Option<Judged>,
    /// How many answers were wrong.
    pub wrong: u32,
    /// What was chosen or typed and is wrong: ids, addresses or numbers.
    pub tried: BTreeSet<String>,
    /// How many times something was moved.
    pub moves: u32,
    /// Whether the hint is shown.
    pub hint: bool,
    /// Whether the answer was shown.
    pub shown: bool,
    /// The program, where one is asked for; none before it is changed.
    pub writing: Option<Writing>,
    /// Whether it is over: answered right, or shown.
    pub over: bool,
}

/// Wrong answers after which a hint is offered.
const HINT_AFTER: u32 = 2;

impl Attempt {
    /// Returns true if a hint is offered.
    pub fn offers_hint(&self, task: &Task) -> bool {
        !self.over && !self.hint && task.hint.is_some() && self.wrong >= HINT_AFTER
    }

    /// Returns true if the answer is offered: after the hint, or at the same time where there is
    /// none.
    pub fn offers_answer(&self, task: &Task) -> bool {
        !self.over && (self.hint || task.hint.is_none() && self.wrong >= HINT_AFTER)
    }

    /// Returns how many answers were given so far; one that was repeated counts once.
    pub fn tries(&self) -> usize {
        self.tried.len() + usize::from(self.over)
    }

    /// Whether an earlier program was right, and the last one that was checked is not.
    pub fn was_right_before(&self) -> bool {
        let last = self.writing.as_ref().and_then(Writing::last);
        let is_wrong = |judged: &JudgedProgram| judged.mistake().is_some() || judged.right() < judged.verdicts.len();
        self.over && last.is_some_and(is_wrong)
    }

    /// Notes a move; so many of them count as a wrong answer.
    pub fn move_made(&mut self, moves_a_wrong_answer: u32) {
        self.moves += 1;
        self.wrong = self.wrong.max(self.moves / moves_a_wrong_answer);
    }

    /// Notes a verdict.
    pub fn note(&mut self, judged: Judged) {
        self.wrong += u32::from(!judged.right);
        self.over |= judged.right;
        self.judged = Some(judged);
    }
}

/// The id under which a place is chosen.
pub fn place_id(place: &LegalPlace) -> String {
    place.offset.to_string()
}

/// Whether an exercise is answered with several choices.
pub fn has_several(task: &Task) -> bool {
    matches!(&task.kind, TaskKind::Choose(choices) if choices.iter().filter(|choice| choice.right).count() > 1)
}
