//! Figures that an exercise asks about, with the answers.

use crate::base::Message;
use crate::exercise::figure::Figure;
use crate::replay::Run;

/// The figures of the present document with the answers so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    /// What is asked, in this order.
    pub asked: Vec<Figure>,
    /// The questions in words.
    pub questions: Vec<Message>,
    /// Answers, as many as were given.
    pub answers: Vec<Answered>,
    /// How many decisions may be shown at most as long as each figure is open.
    shown: Vec<u32>,
    /// What is written into the field.
    pub text: String,
    /// Why what is written is no answer.
    pub unread: Option<Message>,
    /// Whether the last answer is looked at; otherwise the next question is open.
    pub looks: bool,
}

/// An answer that was given, or shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Answered {
    /// Whether it is right.
    pub right: bool,
    /// Whether it was shown.
    pub shown: bool,
    /// What is said about it: what was mistaken for it, then the rule, then how the value comes about.
    pub said: Vec<Message>,
}

impl Figures {
    /// The figures of a run of which at most so many decisions are shown.
    pub fn new(run: &Run, asked: Vec<Figure>, most: Option<u32>) -> Figures {
        let shown = asked.iter().map(|figure| figure.shown(run).min(most.unwrap_or(u32::MAX))).collect();
        let questions = asked.iter().map(|figure| figure.ask(run)).collect();
        Figures { shown, questions, asked, ..Figures::default() }
    }

    /// The figure whose question is open, by its number.
    pub fn open(&self) -> Option<usize> {
        (!self.looks && self.answers.len() < self.asked.len()).then_some(self.answers.len())
    }

    /// Whether all of them are answered.
    pub fn is_over(&self) -> bool {
        self.answers.len() >= self.asked.len()
    }

    /// How many decisions may be shown, as long as figures are open.
    pub fn known(&self) -> Option<u32> {
        self.shown[self.answers.len().min(self.shown.len())..].iter().copied().min()
    }

    /// Notes an answer, which is looked at until the next question.
    pub fn answer(&mut self, answered: Answered) {
        self.answers.push(answered);
        (self.looks, self.unread) = (true, None);
    }
}
