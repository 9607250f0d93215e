//! Figures that an exercise asks about: one after the other about each document. Until all are
//! answered the page shows a run that ends before any of them can be seen.

use std::rc::Rc;

use crate::learn::exercise::state::stage::Stage;
use crate::learn::teacher::state::action::FigureAction;
use crate::shell::state::State;
use memplan_core::base::{Message, Sizes};
use memplan_replay::Run;
use memplan_teach::exercise::activity::Asks;
use memplan_teach::exercise::figure::{Figure, unasked};
use memplan_teach::lesson::{Feedback, amounts, judge_number};

/// Bytes of all buffers from which sizes are long numbers without a larger unit.
const SHORT: u64 = 100_000;

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
    /// The feedback: what was mistaken for it, then the rule, then how the value comes about.
    pub feedback: Vec<Message>,
}

impl Figures {
    /// The figures of a run of which at most so many decisions are shown.
    fn new(run: &Run, asked: Vec<Figure>, most: Option<u32>) -> Figures {
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
    fn known(&self) -> Option<u32> {
        self.shown[self.answers.len().min(self.shown.len())..].iter().copied().min()
    }
}

impl State {
    /// Whether the exercise asks about figures.
    pub fn asks_figures(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| task.kind.activity().asks == Asks::Figures)
    }

    /// The figures that are asked about, once the document is here.
    pub fn figures(&self) -> Option<&Figures> {
        self.teaching.assigned.as_ref().filter(|_| self.asks_figures())?.figures.as_deref()
    }

    /// Whether figures of the document are still open, so that nothing may reveal them.
    pub fn has_open_figures(&self) -> bool {
        self.asks_figures() && self.figures().is_none_or(|figures| !figures.is_over())
    }

    /// The unit in which nothing is rounded where figures are worked out, and where places of few
    /// bytes are predicted, as in the lessons; none elsewhere.
    pub(crate) fn sizes_of_figures(&self) -> Option<Sizes> {
        let run = self.document.run.as_ref().filter(|_| self.asks_figures() || self.predicting.on)?;
        let sizes = || run.problem.buffers.iter().map(|buffer| buffer.size);
        let is_whole = sizes().all(|size| size.is_multiple_of(1024));
        let is_short = sizes().fold(0, u64::saturating_add) < SHORT;
        match (is_whole, self.asks_figures()) {
            (true, true) => Some(Sizes::InKib),
            (false, asks) if asks || is_short => Some(Sizes::Exact),
            _ => None,
        }
    }

    /// How many decisions may be shown as long as figures are open.
    pub(crate) fn figures_hide(&self) -> Option<u32> {
        self.figures()?.known()
    }

    /// Asks about the document that has come; returns why it cannot.
    pub(crate) fn ask_figures(&mut self) -> Option<Message> {
        let run = self.document.run.clone()?;
        let assigned = self.teaching.assigned.as_mut()?;
        let task = assigned.task.clone()?;
        if let Some(why) = unasked(&run, &task.ask) {
            return Some(why);
        }
        // An exercise may end before the last figure of its last document.
        let left = usize::from(task.of).saturating_sub(assigned.before.len());
        let asked: Vec<Figure> = task.ask.iter().take(left).cloned().collect();
        let figures = Figures::new(&run, asked, task.decision);
        let known = figures.known().unwrap_or(0);
        (assigned.figures, assigned.stage) = (Some(Rc::new(figures)), Stage::Asking);
        self.stepping.level = memplan_replay::Level::Decisions;
        self.seek(known);
        None
    }

    pub(crate) fn on_figure(&mut self, action: FigureAction) {
        let Some(run) = self.document.run.clone() else { return };
        let Some(assigned) = self.teaching.assigned.as_mut().filter(|assigned| assigned.stage == Stage::Asking) else {
            return;
        };
        let Some(figures) = assigned.figures.as_mut().map(Rc::make_mut) else { return };
        match action {
            FigureAction::Write(text) => (figures.text, figures.unread) = (text, None),
            FigureAction::Check if !figures.text.trim().is_empty() => {
                let Some(at) = figures.open() else { return };
                match answered(&run, &figures.asked, at, &figures.text) {
                    Ok(answered) => figures.answer(answered),
                    Err(why) => figures.unread = Some(why),
                }
            }
            FigureAction::Show => {
                let Some(at) = figures.open() else { return };
                let figure = &figures.asked[at];
                let feedback = vec![Message::new(figure.rule()), figure.solution(&run)];
                figures.answer(Answered { right: false, shown: true, feedback });
            }
            FigureAction::Next if !figures.is_over() => {
                (figures.looks, figures.unread) = (false, None);
                figures.text.clear();
            }
            FigureAction::Check | FigureAction::Next => {}
        }
        let to = match figures.known() {
            Some(known) => known,
            None => run.timeline.decisions.len() as u32,
        };
        if to != self.frame() {
            self.seek(to);
        }
    }
}

impl Figures {
    fn answer(&mut self, answered: Answered) {
        self.answers.push(answered);
        (self.looks, self.unread) = (true, None);
    }
}

/// Judges what was written about one of the figures; an error gives the reason why it is no answer.
fn answered(run: &Run, asked: &[Figure], at: usize, text: &str) -> Result<Answered, Message> {
    let figure = &asked[at];
    let is = |value: u64| judge_number(text, true, value as f64, 0, &[]).right;
    let judged = judge_number(text, true, figure.value(run).unwrap_or(0) as f64, 0, &[]);
    let solution = figure.solution(run);
    if judged.right {
        return Ok(Answered { right: true, shown: false, feedback: vec![solution] });
    }
    let given = amounts(text, true);
    let general = match judged.feedback {
        Some(Feedback::General(message)) => message,
        _ => Message::new(figure.rule()),
    };
    let Some(&largest) = given.last() else { return Err(general) };
    // Sentences that would reveal a figure that is still open are left out.
    let open: Vec<u64> = asked[at + 1..].iter().filter_map(|figure| figure.value(run)).collect();
    let idea = figure.misses(run).into_iter().find(|(miss, _)| is(*miss) && !open.contains(miss));
    let mut feedback = match idea {
        Some((_, idea)) => vec![idea],
        None => figure.feedback_of(run, largest as u64),
    };
    if feedback.is_empty() {
        feedback.push(general);
    }
    feedback.extend([Message::new(figure.rule()), solution]);
    Ok(Answered { right: false, shown: false, feedback })
}
