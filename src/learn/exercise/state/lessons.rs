//! An exercise of questions that the lessons ask: each is shown as its lesson shows it, with the
//! scene beside it, and its first answer counts.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::lessons::state::progress::{LearnPlace, task_named};
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_teach::lesson::Task;

impl State {
    /// Whether the exercise asks questions of lessons.
    pub fn asks_lessons(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| !task.lessons.is_empty())
    }

    /// The question of this round: the number of its lesson, and its id.
    fn lesson_question(&self) -> Option<(u32, String)> {
        let assigned = self.teaching.assigned.as_ref()?;
        assigned.task.as_ref()?.lessons.get(assigned.round as usize).cloned()
    }

    /// Opens the lesson of the question.
    pub(super) fn open_question(&mut self) {
        let Some((lesson, _)) = self.lesson_question() else { return };
        if self.teaching.assigned.as_ref().is_some_and(|assigned| assigned.round == 0) {
            self.learning.attempts.clear();
        }
        self.open_lesson(LearnPlace { lesson: Some(lesson), paragraph: 0 });
    }

    /// Goes to the question once its lesson is there.
    pub(super) fn find_question(&mut self) {
        let Some((number, id)) = self.lesson_question() else { return };
        let lesson = self.learning.lesson.clone().filter(|lesson| lesson.number == number);
        let found = lesson.as_ref().map(|lesson| task_named(lesson, &id).map(|(at, _)| at));
        let stage = match found {
            Some(Some(at)) => {
                self.show_stop(at);
                Stage::Asking
            }
            None if !self.learning.failed => return,
            _ => Stage::Ready,
        };
        let Some(assigned) = &mut self.teaching.assigned else { return };
        assigned.stage = stage;
        if stage == Stage::Ready {
            let missing = Message::new("exercise.no-lesson").count("n", number).text("id", id);
            assigned.failure = Some(missing);
        }
    }

    /// The question of a lesson that is asked, also once it is answered.
    pub fn lesson_task(&self) -> Option<&Task> {
        let (_, id) = self.lesson_question().filter(|_| self.asks_lessons())?;
        self.staged_task().filter(|task| task.id == id)
    }

    /// Whether the question of this round was answered right; none as long as it is open. Only the
    /// first answer counts; moves are no answers.
    pub(super) fn lesson_mark(&self) -> Option<bool> {
        let attempt = self.learning.attempts.get(&self.lesson_task()?.id).filter(|attempt| attempt.over)?;
        Some(!attempt.shown && attempt.tried.is_empty())
    }
}
