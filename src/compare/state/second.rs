//! A long ranking has a second worker, which begins with the planners that take longest while the
//! first one measures the quick ones. They meet in the middle.

use std::rc::Rc;

use crate::compare::state::comparison::Sheet;
use crate::open::state::document::Job;
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use memplan_engine::{CompareTask, MANY, PlannerChoice, RankingEntry, Task};

/// What is known of the second worker.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Second {
    /// What it measures.
    job: Option<Rc<Job>>,
    /// It failed: the first worker measures all that is left.
    failed: bool,
}

/// What happens to the second worker.
#[derive(Clone, Debug)]
pub enum SecondAction {
    /// The ranking lasts long enough for one to pay.
    Offered,
    /// It has answered the job of this number.
    Measured(u32, Vec<RankingEntry>),
    /// It cannot be used, or has ended.
    Failed,
}

impl Second {
    /// The planner that it measures.
    pub fn choice(&self) -> Option<&PlannerChoice> {
        ranked_by(self.job.as_deref()?)
    }
}

/// The planner that a job measures for a ranking.
fn ranked_by(job: &Job) -> Option<&PlannerChoice> {
    match job.task.as_deref() {
        Some(Task::Compare(CompareTask::Ranking(choices))) => choices.first(),
        _ => None,
    }
}

impl State {
    /// Whether a second worker would have something to do. A document that is opened only after a
    /// question is in memory once.
    pub fn lacks_second(&self) -> bool {
        let Second { job, failed } = &self.comparing.second;
        let is_usual = self.document.run.as_ref().is_some_and(|run| run.problem.buffers.len() <= MANY);
        is_usual && self.is_ranking() && job.is_none() && !failed && self.ranked_last().is_some()
    }

    /// What the second worker is to do now.
    pub fn second_job(&self) -> Option<&Rc<Job>> {
        self.comparing.second.job.as_ref().filter(|_| self.is_ranking())
    }

    /// Whether a worker does anything beside planning.
    pub fn is_measuring(&self) -> bool {
        self.job().is_some_and(|job| job.task.is_some()) || self.second_job().is_some()
    }

    pub(crate) fn on_second(&mut self, action: SecondAction) {
        match action {
            SecondAction::Offered if self.lacks_second() => self.ask_second(),
            SecondAction::Offered => {}
            SecondAction::Measured(number, rows) => {
                if self.comparing.second.job.take_if(|job| job.number == number).is_none() {
                    return;
                }
                self.comparing.take_ranked(rows);
                self.ask_second();
            }
            SecondAction::Failed => self.comparing.second = Second { job: None, failed: true },
        }
    }

    fn ask_second(&mut self) {
        let Some((document, choice)) = self.document.open.clone().zip(self.ranked_last().cloned()) else { return };
        let task = Task::Compare(CompareTask::Ranking(vec![choice]));
        self.comparing.second.job = Some(Rc::new(self.job_beside(&document, task)));
    }

    /// Whether a ranking of the document shown is looked at.
    fn is_ranking(&self) -> bool {
        let document = self.document.open.as_ref().map(|document| document.key);
        let is_same = |(key, scope): &(u32, _)| Some(*key) == document && *scope == self.document.scope;
        let is_seen = self.view.mode == Mode::Compare && self.comparing.sheet == Sheet::Ranking;
        is_seen && self.comparing.of.as_ref().is_some_and(is_same)
    }

    /// The planner that takes longest of those that nobody measures; none if it is the only one
    /// left, which the first worker measures.
    fn ranked_last(&self) -> Option<&PlannerChoice> {
        let first = self.job().and_then(|job| ranked_by(job));
        let mut left = self.comparing.unranked.iter().filter(|choice| Some(*choice) != first);
        let last = left.next_back()?;
        (first.is_some() || left.next().is_some()).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::state::Change;
    use crate::shell::state::action::{Action, CompareAction, DocumentAction, ViewAction};
    use crate::testing::{answered, done, opened};
    use memplan_core::base::Message;
    use memplan_engine::{Answer, Comparison};

    fn change(change: Change) -> Action {
        Action::Compare(CompareAction::Change(change))
    }

    fn second(action: SecondAction) -> Action {
        Action::Compare(CompareAction::Second(action))
    }

    fn rows(choice: &PlannerChoice) -> Vec<RankingEntry> {
        vec![RankingEntry { choice: choice.clone(), result: Err(Message::new("compare.waiting")) }]
    }

    /// A page on which a ranking of the example has begun.
    fn ranking() -> State {
        let mut state = opened().reduce(Action::View(ViewAction::Mode(Mode::Compare)));
        state = state.reduce(change(Change::Sheet(Sheet::Ranking)));
        while first_measures(&state).is_none() {
            state = done(state);
        }
        state
    }

    fn first_measures(state: &State) -> Option<PlannerChoice> {
        state.job().and_then(|job| ranked_by(job)).cloned()
    }

    fn second_measures(state: &State) -> Option<PlannerChoice> {
        state.second_job().and_then(|job| ranked_by(job)).cloned()
    }

    fn first_answers(state: &State) -> State {
        let (job, choice) = state.job().zip(first_measures(state)).expect("a job");
        state.reduce(answered(job.number, Ok(Answer::Compared(Comparison::Ranking(rows(&choice))))))
    }

    fn second_answers(state: &State) -> State {
        let (job, choice) = state.second_job().zip(second_measures(state)).expect("a job");
        state.reduce(second(SecondAction::Measured(job.number, rows(&choice))))
    }

    #[test]
    fn two_workers_share_the_planners_of_a_ranking() {
        let mut orders = Vec::new();
        // The second one answers once while the first one answers so many times.
        for pace in [1, 3, 100] {
            let mut state = ranking();
            let all = state.comparing.unranked.clone();
            assert!(all.len() > 20 && state.lacks_second() && state.second_job().is_none());
            state = state.reduce(second(SecondAction::Offered));
            assert!(!state.lacks_second());
            let (mut by_first, mut by_second) = (Vec::new(), Vec::new());
            for turn in 1..=all.len() {
                let (first, beside) = (first_measures(&state), second_measures(&state));
                assert_ne!(first, beside, "no planner is measured twice");
                if beside.is_some() && (turn % (pace + 1) == 0 || first.is_none()) {
                    by_second.extend(beside);
                    state = second_answers(&state);
                } else {
                    by_first.extend(first);
                    state = first_answers(&state);
                }
            }
            assert_eq!((first_measures(&state), second_measures(&state)), (None, None));
            assert!(!state.lacks_second() && state.comparing.unranked.is_empty());
            by_second.reverse();
            assert_eq!([by_first, by_second].concat(), all, "quick ones here, slow ones there");
            let rows = state.comparing.ranking.as_ref().expect("a ranking");
            orders.push(rows.iter().map(|row| row.choice.clone()).collect::<Vec<_>>());
        }
        // No plan and an equal need: nothing else decides the order.
        assert!(orders.iter().all(|order| *order == orders[0]), "{orders:?}");
    }

    #[test]
    fn a_second_worker_that_fails_leaves_all_to_the_first_one() {
        let mut state = ranking();
        let all = state.comparing.unranked.clone();
        state = all_actions(state, [second(SecondAction::Offered), second(SecondAction::Failed)]);
        let mut by_first = Vec::new();
        while let Some(choice) = first_measures(&state) {
            by_first.push(choice);
            state = first_answers(&state);
            assert!(!state.lacks_second() && state.second_job().is_none());
        }
        assert_eq!(by_first, all);
        // Another ranking tries once more.
        assert!(state.reduce(change(Change::RankAgain)).lacks_second());
    }

    #[test]
    fn who_cancels_or_looks_elsewhere_ends_the_second_worker() {
        let state = ranking().reduce(second(SecondAction::Offered));
        let job = state.second_job().cloned().expect("a job");
        let choice = second_measures(&state).expect("a planner");
        let late = second(SecondAction::Measured(job.number, rows(&choice)));
        let cancelled = state.reduce(Action::Document(DocumentAction::Cancel));
        assert!(cancelled.second_job().is_none() && cancelled.comparing.unranked.is_empty());
        let count = |state: &State| state.comparing.ranking.as_ref().map(|rows| rows.len());
        assert_eq!(count(&cancelled.reduce(late.clone())), count(&cancelled));
        let again = state.reduce(change(Change::RankAgain));
        assert!(again.second_job().is_none());
        assert_eq!(count(&again.reduce(late)), count(&again));
        for away in [Action::View(ViewAction::Mode(Mode::Step)), change(Change::Sheet(Sheet::Charts))] {
            let away = state.reduce(away);
            assert!(away.second_job().is_none() && !away.lacks_second());
            let back = Action::View(ViewAction::Mode(Mode::Compare));
            let back = all_actions(away, [back, change(Change::Sheet(Sheet::Ranking))]);
            assert_eq!(back.second_job(), Some(&job), "it goes on where it was");
        }
    }

    #[test]
    fn the_last_planner_of_a_ranking_needs_no_second_worker() {
        let mut state = ranking();
        while state.comparing.unranked.len() > 1 {
            state = first_answers(&state);
        }
        assert!(first_measures(&state).is_some() && !state.lacks_second());
        assert!(state.reduce(second(SecondAction::Offered)).second_job().is_none());
    }

    fn all_actions(state: State, actions: impl IntoIterator<Item = Action>) -> State {
        actions.into_iter().fold(state, |state, action| state.reduce(action))
    }
}
