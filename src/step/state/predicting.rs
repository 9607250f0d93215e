//! Predicting: the reader chooses the next buffer's place before the planner shows it. Until the
//! question is answered the page shows a run that ends at the frame before ([`Run::prefix`]), so
//! nothing on it can give the answer away.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::shell::state::State;
use crate::shell::state::action::{Motion, PredictAction, StepAction};
use crate::shell::state::panels::{Mode, Tab};
use crate::step::state::sensitivity::Sensitivity;
use memplan_core::base::Message;
use memplan_core::plan::Place;
use memplan_core::problem::BufferId;
use memplan_replay::{Level, Run};
use memplan_scene::Index;
use memplan_teach::exercise::{self, Answer, Answers, Given, Score};

/// [`Predicting::known`] before the plan is there.
const UNKNOWN: u32 = u32::MAX;

/// How far the questions are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Predicting {
    /// Whether questions are asked.
    pub on: bool,
    /// How many decisions are known: answered, or made where nothing was asked.
    pub known: u32,
    /// The question about the next decision is open; otherwise the last one is looked at.
    pub asking: bool,
    /// Nothing is asked about any decision that comes.
    pub last: bool,
    /// The place that is chosen, not yet checked.
    pub chosen: Option<Place>,
    /// Answers so far.
    pub answers: Rc<Answers>,
    /// Rules whose decisions are asked about; all without it.
    pub kinds: Option<Rc<BTreeSet<String>>>,
    /// A frame beyond the question that the reader wants to go to, and the number of questions that
    /// this would skip.
    pub skip: Option<(u32, u32)>,
    /// How often the questions were begun again.
    pub again: u32,
}

impl Predicting {
    /// Questions that begin when the plan is there: what is shown until then is known already.
    pub fn once_planned(on: bool) -> Predicting {
        Predicting { on, known: UNKNOWN, ..Predicting::default() }
    }

    /// Whether the plan that questions are to be asked about is still on its way.
    pub fn is_waiting(&self) -> bool {
        self.on && self.known == UNKNOWN
    }
}

impl State {
    pub(crate) fn on_predict(&mut self, action: PredictAction) {
        match action {
            PredictAction::Toggle if self.predicting.on => self.stop_predicting(),
            PredictAction::Toggle => self.start_predicting(),
            PredictAction::Choose(place) if self.is_asking() => self.predicting.chosen = Some(place),
            PredictAction::Neighbour { up } if self.is_asking() => self.choose_neighbour(up),
            PredictAction::Check => self.check(),
            PredictAction::Show => self.show_placement(),
            PredictAction::Skip => {
                if let Some((frame, _)) = self.predicting.skip {
                    self.skip_to(frame);
                }
            }
            PredictAction::Stay => self.predicting.skip = None,
            PredictAction::AgainFromMiss => {
                if let Some(first) = self.first_miss() {
                    Rc::make_mut(&mut self.predicting.answers).retain(|&decision, _| decision < first);
                    self.begin_again(first, None);
                }
            }
            PredictAction::AgainKinds => {
                let kinds: BTreeSet<String> = self.score().missed.into_iter().map(|missed| missed.rule).collect();
                if !kinds.is_empty() {
                    self.predicting.answers = Rc::default();
                    self.begin_again(0, Some(Rc::new(kinds)));
                }
            }
            PredictAction::Choose(_) | PredictAction::Neighbour { .. } => {}
        }
    }

    /// Why no questions are asked; nothing where they are, or where there is no run.
    pub fn predict_refusal(&self) -> Option<Message> {
        let run = self.document.run.as_ref()?;
        if self.document.violations.is_empty() {
            exercise::refusal(run)
        } else {
            Some(Message::new("predict.off-invalid"))
        }
    }

    /// Returns true if questions can be asked about the run.
    pub fn can_predict(&self) -> bool {
        // The embedded page has no place for questions, unless it is an exercise.
        let is_shown = self.settings.embed.is_none() || self.teaching.assigned.is_some();
        self.document.run.is_some() && self.predict_refusal().is_none() && is_shown
    }

    /// Returns true if a question is open.
    pub fn is_asking(&self) -> bool {
        self.hides().is_some() && self.predicting.asking
    }

    /// How many decisions may be shown, while others are predicted or figures are asked about.
    pub fn hides(&self) -> Option<u32> {
        let predicted = self.predicting.on.then_some(self.predicting.known);
        let (run, known) = self.document.run.as_ref().zip(predicted.or(self.figures_hide()))?;
        (known < run.timeline.decisions.len() as u32).then_some(known)
    }

    /// Returns true if all questions are answered.
    pub fn is_predicted(&self) -> bool {
        let is_begun = self.predicting.on && !self.predicting.is_waiting();
        is_begun && self.document.run.is_some() && self.hides().is_none()
    }

    /// The first decision that was asked about and not answered right.
    pub fn first_miss(&self) -> Option<u32> {
        let is_miss = |(_, answer): &(&u32, &Answer)| answer.counts && !answer.is_right();
        self.predicting.answers.iter().find(is_miss).map(|(&decision, _)| decision)
    }

    /// What the answers add up to.
    pub fn score(&self) -> Score {
        Score::new(&self.predicting.answers)
    }

    /// The answer to what the present frame shows, if it was asked about.
    pub fn answer_here(&self) -> Option<(u32, &Answer)> {
        let decision = self.frame().checked_sub(1).filter(|_| self.predicting.on && !self.is_asking())?;
        self.predicting.answers.get(&decision).map(|answer| (decision, answer))
    }

    /// The state as it may be shown, around a run that ends with what is known.
    pub fn masked(&self, run: Rc<Run>) -> State {
        let mut shown = self.clone();
        shown.document.run = Some(run);
        // The notice of a stopped search states how good its plan is.
        shown.document.notice = shown.document.notice.filter(|notice| !notice.quiet);
        shown.sensitivity = Sensitivity::default();
        shown
    }

    fn start_predicting(&mut self) {
        match self.predict_refusal() {
            Some(why) => return self.view.confirm(why),
            None if !self.can_predict() => return,
            None => {}
        }
        self.predicting = Predicting { on: true, ..Predicting::default() };
        self.view.mode = Mode::Step;
        self.view.overlay = None;
        self.begin_predicting();
    }

    /// Opens the panel in which questions are asked.
    fn show_questions(&mut self) {
        self.view.panels.tab = Some(Tab::Why);
        (self.view.panels.right, self.view.panels.drawer) = (true, true);
    }

    /// Asks from the present frame on; from the first one if the run is over.
    pub(crate) fn begin_predicting(&mut self) {
        if !self.predicting.on {
            return;
        }
        if !self.can_predict() || self.view.mode != Mode::Step {
            if let Some(why) = self.predict_refusal() {
                self.view.confirm(why);
            }
            return self.stop_predicting();
        }
        self.stepping.level = Level::Decisions;
        let from = if self.at_end() { 0 } else { self.frame() };
        self.predicting = Predicting { on: true, ..Predicting::default() };
        self.show_questions();
        self.ask_from(from);
    }

    pub(crate) fn stop_predicting(&mut self) {
        self.predicting = Predicting::default();
    }

    fn begin_again(&mut self, from: u32, kinds: Option<Rc<BTreeSet<String>>>) {
        self.predicting.kinds = kinds;
        self.predicting.again += 1;
        self.ask_from(from);
    }

    /// Asks the first question from a decision on; all before it is known.
    fn ask_from(&mut self, decision: u32) {
        let Some(count) = self.document.run.as_ref().map(|run| run.timeline.decisions.len() as u32) else { return };
        let next = self.next_asked(decision);
        self.reveal(next.unwrap_or(count));
        self.predicting.asking = next.is_some();
    }

    /// Shows the frame after a number of decisions.
    fn reveal(&mut self, decisions: u32) {
        let last = self.next_asked(decisions).is_none();
        let predicting = &mut self.predicting;
        (predicting.known, predicting.last) = (decisions, last);
        (predicting.asking, predicting.chosen, predicting.skip) = (false, None, None);
        self.stepping.playing = false;
        self.seek(decisions);
        self.keep_predicted();
    }

    fn answer(&mut self, answer: Answer) {
        let decision = self.predicting.known;
        // The first answer stands.
        Rc::make_mut(&mut self.predicting.answers).entry(decision).or_insert(answer);
        self.reveal(decision + 1);
    }

    fn check(&mut self) {
        let Some(run) = self.document.run.clone().filter(|_| self.is_asking()) else { return };
        let Some(guess) = self.predicting.chosen else { return };
        if let Some(judged) = exercise::judge(&run, self.predicting.known, guess) {
            self.answer(Answer::guessed(guess, &judged));
        }
    }

    fn show_placement(&mut self) {
        if let Some(run) = self.document.run.clone().filter(|_| self.is_asking()) {
            self.answer(Answer::none(&run, self.predicting.known, Given::Shown));
        }
    }

    /// The next place of the list, or the one before.
    fn choose_neighbour(&mut self, up: bool) {
        let Some(run) = self.document.run.clone() else { return };
        let Some(buffer) = self.asked_buffer(&run) else { return };
        let list = exercise::options(&run, &run.frame(self.stepping.cursor), buffer);
        let spots: Vec<Place> = list.iter().map(exercise::Place::spot).collect();
        let here = self.predicting.chosen.and_then(|chosen| spots.iter().position(|spot| *spot == chosen));
        let last = spots.len().saturating_sub(1);
        let next = match (here, up) {
            (None, true) => last,
            (None, false) => 0,
            // The list runs down the page.
            (Some(here), true) => here.saturating_sub(1),
            (Some(here), false) => (here + 1).min(last),
        };
        self.predicting.chosen = spots.get(next).copied();
    }

    /// The buffer that the open question is about.
    pub fn asked_buffer(&self, run: &Run) -> Option<BufferId> {
        let decision = run.timeline.decisions.get(self.predicting.known as usize)?;
        self.is_asking().then_some(decision.buffer)
    }

    /// Passes over all questions before a frame.
    fn skip_to(&mut self, frame: u32) {
        let Some(run) = self.document.run.clone() else { return };
        for decision in self.predicting.known..frame {
            if self.is_asked(&run, decision) {
                let answer = Answer::none(&run, decision, Given::Skipped);
                Rc::make_mut(&mut self.predicting.answers).entry(decision).or_insert(answer);
            }
        }
        self.reveal(frame);
    }

    /// Takes a step of the reader while questions are asked; false for one that gives nothing away.
    pub(crate) fn predict_step(&mut self, action: &StepAction) -> bool {
        if !self.predicting.on || self.predicting.is_waiting() || self.document.run.is_none() {
            return false;
        }
        let (frame, last) = (self.frame(), self.frames() - 1);
        let to = match *action {
            StepAction::Move(Motion::Next | Motion::NextBuffer) if frame < self.predicting.known => frame + 1,
            StepAction::Move(Motion::Next | Motion::NextBuffer) => {
                if !self.is_asking() {
                    self.ask_from(self.predicting.known);
                } else if self.presenting().is_some() {
                    // In front of an audience nobody answers, so the next step shows the answer.
                    self.show_placement();
                }
                return true;
            }
            StepAction::Move(Motion::Previous | Motion::PreviousBuffer) => frame.saturating_sub(1),
            StepAction::Move(Motion::First) => 0,
            StepAction::Move(Motion::Last) => last,
            StepAction::Seek(frame) => frame.min(last),
            StepAction::SeekBuffer(buffer) => {
                let Some(run) = self.document.run.clone() else { return true };
                self.stepping.selection = run.problem.buffers.get(buffer).map(|_| buffer);
                run.timeline.decision_of(buffer).map_or(frame, |decision| decision as u32 + 1)
            }
            // All of them would reveal or count what is not known yet.
            StepAction::Level(_)
            | StepAction::Play(_)
            | StepAction::Tick
            | StepAction::RunTo { .. }
            | StepAction::Lane(Some(_)) => return true,
            _ => return false,
        };
        self.go_to(to);
        true
    }

    /// Goes to a frame that is known; asks before questions are skipped.
    fn go_to(&mut self, frame: u32) {
        let known = self.predicting.known;
        if frame == self.frame() {
            self.predicting.skip = None;
            return;
        }
        if frame > known {
            // In front of an audience there is no panel that could ask.
            if self.presenting().is_some() {
                return self.skip_to(frame);
            }
            self.show_questions();
            let Some(run) = self.document.run.clone() else { return };
            let count = (known..frame).filter(|&decision| self.is_asked(&run, decision)).count() as u32;
            self.predicting.skip = Some((frame, count));
            return;
        }
        (self.predicting.asking, self.predicting.chosen, self.predicting.skip) = (false, None, None);
        self.seek(frame);
    }
}

/// What the scene knows of a run of which so many decisions are known: nothing of it depends on
/// those that come. Where figures are asked about, the heights are rounded, as they follow from the
/// lower bound.
pub fn index_so_far(index: Index, run: &Run, known: u32, asks_figures: bool) -> Index {
    let mut heights = exercise::ceilings(run, known);
    if asks_figures {
        heights.iter_mut().for_each(|height| *height = height.checked_next_power_of_two().unwrap_or(*height));
    }
    index.so_far(&run.problem, &heights)
}
