//! Asks the engine, whenever it is free, for the next thing that a feature lacks.

use crate::compare::diff::state as diff;
use crate::compare::state::{measuring as compare, whatif};
use crate::export::state as export;
use crate::fit::state::{kernel, queries as fit};
use crate::open::state::document::Bytes;
use crate::open::state::query::Query;
use crate::own::state as own;
use crate::planners::state as planners;
use crate::shell::state::State;
use crate::step::state::sensitivity;
use memplan_core::base::Message;
use memplan_engine::{Answer, Task};

/// The questions of all features, the most urgent first. A new one is a line here.
const QUERIES: [&Query; 9] = [
    &own::QUERY,
    &compare::QUERY,
    &whatif::QUERY,
    &diff::QUERY,
    &kernel::QUERY,
    &planners::QUERY,
    &sensitivity::QUERY,
    &export::QUERY,
    &fit::QUERY,
];

impl State {
    /// Asks the most urgent question, if the engine is free.
    pub(crate) fn ask_on(&mut self) {
        for query in QUERIES {
            let Some(document) = self.document.open.clone().filter(|_| self.document.status.is_idle()) else { return };
            if let Some(task) = (query.wants)(self, &document) {
                self.ask(&document, task);
            }
        }
    }

    /// Hands the answer to a task to the feature that asked. What teachers ask goes to a worker of
    /// its own.
    pub(super) fn take_answer_of(&mut self, task: &Task<Bytes>, answer: Answer) {
        if let Some(query) = QUERIES.into_iter().find(|query| (query.is_of)(task)) {
            (query.take)(self, task, answer);
        }
    }

    /// Tells the feature that asked that there is no answer.
    pub(super) fn give_up(&mut self, task: &Task<Bytes>, why: &Message) {
        if let Some(query) = QUERIES.into_iter().find(|query| (query.is_of)(task)) {
            (query.give_up)(self, Some(task), why);
        }
    }

    /// Ends all asking, whoever would be next: the reader cancelled, or the worker is gone.
    pub(super) fn give_up_all(&mut self, task: Option<&Task<Bytes>>, why: &Message) {
        for query in QUERIES {
            (query.give_up)(self, task.filter(|task| (query.is_of)(task)), why);
        }
    }
}
