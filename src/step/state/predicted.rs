//! What is asked of a run in *Predict*, and the best result, kept between visits.

use crate::learn::lessons::state::progress::{PredictBest, predict_entry};
use crate::open::state::document::Origin;
use crate::shell::state::State;
use memplan_core::problem::Scope;
use memplan_replay::Run;
use memplan_teach::exercise;

impl State {
    /// The first decision from one on that is asked about.
    pub(crate) fn next_asked(&self, from: u32) -> Option<u32> {
        let run = self.document.run.as_ref()?;
        (from..run.timeline.decisions.len() as u32).find(|&decision| self.is_asked(run, decision))
    }

    /// Whether a decision is asked about: with one place only, there is nothing to predict.
    pub(crate) fn is_asked(&self, run: &Run, decision: u32) -> bool {
        let kinds = self.predicting.kinds.as_ref();
        exercise::is_question(run, decision)
            && exercise::choices(run, decision) > 1
            && kinds.is_none_or(|kinds| kinds.contains(&exercise::rule_of(run, decision)))
    }

    /// Keeps the score of a run that was predicted from the first question to the last in one go.
    pub(crate) fn keep_predicted(&mut self) {
        if !self.is_predicted() || self.predicting.again > 0 || self.teaching.assigned.is_some() {
            return;
        }
        let Some(run) = self.document.run.clone() else { return };
        let document = self.document.open.as_ref().map(|document| &document.origin);
        let Some(Origin::Example(example)) = document else { return };
        // Other options and alignments ask other questions.
        let is_as_given = self.document.options.is_empty() && self.document.scope == Scope::default();
        let mut asked = 0..run.timeline.decisions.len() as u32;
        let has_all = asked.all(|at| !self.is_asked(&run, at) || self.predicting.answers.get(&at).is_some());
        let score = self.score();
        if is_as_given && has_all && score.of > 0 {
            let entry = predict_entry(example, &run.planner);
            let kept = PredictBest { right: score.right, of: score.of }.kept();
            let best = self.learning.learned.best.entry(entry).or_insert(kept);
            *best = kept.min(*best);
        }
    }
}
