//! A lesson is left: what was tried in it is kept, and its plan is not.

use crate::learn::lessons::state::answering::BY_HAND;
use crate::shell::state::State;

impl State {
    /// Lessons are left: a plan that was made by hand is not the planner's.
    pub(crate) fn leave_lessons(&mut self) {
        if self.document.run.as_ref().is_some_and(|run| run.planner == BY_HAND) {
            self.plan_again();
        }
    }

    /// Puts aside what was tried in the lesson of before, and takes up what was tried in the
    /// present one. Each question of an exercise begins anew.
    pub(super) fn change_attempts(&mut self, before: Option<u32>) {
        let attempts = std::mem::take(&mut self.learning.attempts);
        if self.teaching.assigned.is_some() {
            return;
        }
        before.into_iter().for_each(|lesson| drop(self.learning.left.insert(lesson, attempts.clone())));
        let left = self.learning.place.lesson.and_then(|lesson| self.learning.left.remove(&lesson));
        self.learning.attempts = left.unwrap_or_default();
    }
}
