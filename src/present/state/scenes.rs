//! A lesson in front of an audience: from scene to scene, with every answer kept back until it is
//! asked for.

use std::rc::Rc;

use crate::learn::lessons::state::progress::{scene_of, task_of};
use crate::shell::state::State;
use crate::shell::state::action::{Motion, StepAction};
use crate::shell::state::panels::Mode;
use memplan_teach::lesson::{Lesson, Task};

/// Paragraphs at which a presented lesson stops: those with a scene of their own, small plans or an
/// exercise.
fn stops(lesson: &Lesson) -> Vec<usize> {
    let is_new = |at: usize| at == 0 || scene_of(lesson, at) != scene_of(lesson, at - 1);
    let has_more = |at: usize| !lesson.paragraphs[at].plans.is_empty() || task_of(lesson, at).is_some();
    (0..lesson.paragraphs.len()).filter(|&at| is_new(at) || has_more(at)).collect()
}

impl State {
    /// The lesson that is presented.
    pub fn presented_lesson(&self) -> Option<&Rc<Lesson>> {
        let is_shown = self.view.mode == Mode::Learn && self.view.presenting.is_some();
        self.learning.lesson.as_ref().filter(|_| is_shown)
    }

    /// The exercise that is presented, and whether its answer is shown.
    pub fn presented_task(&self) -> Option<(&Task, bool)> {
        let task = task_of(self.presented_lesson()?, self.learning.staged)?;
        Some((task, self.view.presenting.is_some_and(|presenting| presenting.revealed)))
    }

    /// How many stops of the presented lesson are behind, and how many there are.
    pub fn presented_stops(&self) -> Option<(usize, usize)> {
        let stops = stops(self.presented_lesson()?);
        Some((stops.iter().filter(|&&stop| stop <= self.learning.staged).count(), stops.len()))
    }

    /// The stop that the presented lesson shows next: this one again while its answer is kept back.
    pub fn next_stop(&self) -> Option<usize> {
        let (lesson, at) = (self.presented_lesson()?, self.learning.staged);
        let is_hidden = self.presented_task().is_some_and(|(_, revealed)| !revealed);
        if is_hidden { Some(at) } else { stops(lesson).into_iter().find(|&stop| stop > at) }
    }

    /// Takes a step through the presented lesson; false for everything else.
    pub(crate) fn present_step(&mut self, action: &StepAction) -> bool {
        let Some(lesson) = self.presented_lesson().cloned() else { return false };
        let StepAction::Move(motion) = action else { return false };
        let (at, stops) = (self.learning.staged, stops(&lesson));
        let hidden = self.presented_task().is_some_and(|(_, revealed)| !revealed);
        let shown = self.presented_task().is_some_and(|(_, revealed)| revealed);
        let next = match motion {
            Motion::Next | Motion::NextBuffer if hidden => Some(at),
            Motion::Next | Motion::NextBuffer => stops.iter().copied().find(|&stop| stop > at),
            Motion::Previous | Motion::PreviousBuffer if shown => Some(at),
            Motion::Previous | Motion::PreviousBuffer => stops.iter().copied().rfind(|&stop| stop < at),
            Motion::First => stops.first().copied(),
            Motion::Last => stops.last().copied(),
        };
        if let Some(next) = next {
            let reveals = hidden && matches!(motion, Motion::Next | Motion::NextBuffer);
            self.view.presenting.iter_mut().for_each(|presenting| presenting.revealed = reveals);
            self.show_stop(next);
        }
        true
    }
}
