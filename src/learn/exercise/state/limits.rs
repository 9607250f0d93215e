//! What an exercise keeps back. `src/shell/state/guards.rs` says what it lets happen.

use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_teach::exercise::link::Help;
use memplan_teach::lesson::Hidden;

impl State {
    /// Whether the exercise keeps a part of the picture back.
    pub fn exercise_hides(&self, hidden: Hidden) -> bool {
        if self.has_open_figures() {
            return true;
        }
        use memplan_teach::exercise::link::Hidden as Kept;
        let kept = match hidden {
            Hidden::Load => Kept::Curve,
            Hidden::Bound => Kept::Bound,
            Hidden::Peak => Kept::Peak,
            // Exercises have no such part.
            Hidden::Alive => return false,
        };
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| task.hide.contains(&kept))
    }

    /// Whether hints are given: not in an exercise without help.
    pub fn may_hint(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_none_or(|task| task.help != Help::None)
    }

    /// That the link asks about one decision, and neither it nor any after it is a question;
    /// nothing while the plan is awaited.
    pub(super) fn no_question(&self) -> Option<Message> {
        let task = self.teaching.assigned.as_ref()?.task.as_ref()?;
        let decision = task.decision.filter(|_| task.ask.is_empty())?;
        let run = self.document.run.as_ref().filter(|_| self.predicting.on && !self.predicting.is_waiting())?;
        // From the end of a run, the first question is asked.
        let is_none = decision as usize >= run.timeline.decisions.len() || !self.predicting.asking;
        is_none.then(|| Message::new("exercise.no-question").count("n", decision))
    }
}
