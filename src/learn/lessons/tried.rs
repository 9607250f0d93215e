//! An exercise and its answers so far, for the parts of its box.

use yew::prelude::*;

use crate::context::Page;
use crate::learn::lessons::state::progress::Attempt;
use crate::learn::lessons::state::writing::WriteAction;
use crate::shell::state::action::{Action, LearnAction, TaskAction};
use memplan_teach::lesson::Task;

/// An exercise with what was tried so far.
pub struct Tried<'a> {
    pub page: &'a Page,
    pub task: &'a Task,
    pub attempt: &'a Attempt,
}

impl Tried<'_> {
    /// An event handler that answers.
    pub fn on<E: 'static>(&self, action: impl Fn() -> TaskAction + 'static) -> Callback<E> {
        let id = self.task.id.clone();
        self.page.on(move || Action::Learn(LearnAction::Task(id.clone(), action())))
    }

    /// An event handler that changes or judges a program.
    pub fn on_write(&self) -> Callback<WriteAction> {
        let (id, send) = (self.task.id.clone(), self.page.send.clone());
        Callback::from(move |action| {
            send.emit(Action::Learn(LearnAction::Task(id.clone(), TaskAction::Program(action))))
        })
    }

    /// The element id of a part of its box.
    pub fn part(&self, part: &str) -> String {
        part_of(self.task, part)
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.attempt.over
    }
}

/// The element id of a part of the box of an exercise.
pub fn part_of(task: &Task, part: &str) -> String {
    format!("task-{}-{part}", task.id)
}
