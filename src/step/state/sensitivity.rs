//! By how much the peak of the plan falls without a buffer: the planner runs again, once for each
//! buffer that is asked about.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::document::Bytes;
use crate::open::state::query::Query;
use crate::shell::state::State;
use memplan_core::problem::{BufferId, Scope};
use memplan_engine::{Answer, IMPORTED, PlannerChoice, Task};
use memplan_planners::{self as planner, Effort};

/// Peaks of the plan shown without one buffer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Falling {
    /// What is known; none where there is no plan without the buffer.
    known: Rc<BTreeMap<BufferId, Option<u64>>>,
    /// What was asked for and is not known.
    asked: Vec<BufferId>,
    /// The document, its scope and the planner that all of this belongs to.
    of: Option<(u32, Scope, PlannerChoice)>,
}

/// Peaks without single buffers.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Without(..)),
    wants: |state, _| state.sensitivity_wants(),
    take: |state, task, answer| {
        if let (Task::Without(_, buffers), Answer::Without(peaks)) = (task, answer) {
            state.take_falls(buffers, &peaks);
        }
    },
    give_up: |state, task, _| {
        if let Some(Task::Without(_, buffers)) = task {
            state.take_falls(buffers, &[]);
        }
    },
};

impl State {
    /// The peak of the plan shown without a buffer, if it was asked for and is known.
    pub fn peak_without(&self, id: BufferId) -> Option<u64> {
        let same = self.falling.of.is_some() && self.falling.of == self.falling_of();
        self.falling.known.get(&id).copied().flatten().filter(|_| same)
    }

    /// What peaks without a buffer belong to; none where the planner is not run again: a search
    /// would take too long each time.
    fn falling_of(&self) -> Option<(u32, Scope, PlannerChoice)> {
        let (document, run) = self.document.open.as_ref().zip(self.document.run.as_ref())?;
        let choice = self.choice();
        let is_quick = planner::info(&choice.planner).is_some_and(|info| info.effort != Effort::Search);
        let is_shown = run.planner == choice.planner && choice.planner != IMPORTED && self.editing.session.is_none();
        (is_quick && is_shown).then(|| (document.key, self.document.scope.clone(), choice))
    }

    pub(crate) fn ask_falls(&mut self, buffers: Vec<BufferId>) {
        let Some(of) = self.falling_of() else { return };
        if self.falling.of.as_ref() != Some(&of) {
            self.falling = Falling { of: Some(of), ..Falling::default() };
        }
        let known = self.falling.known.clone();
        self.falling.asked = buffers.into_iter().filter(|id| !known.contains_key(id)).collect();
    }

    /// Returns how to find out what was asked for.
    fn sensitivity_wants(&mut self) -> Option<Task<Bytes>> {
        if self.falling.asked.is_empty() {
            return None;
        }
        if self.falling.of != self.falling_of() {
            self.falling = Falling::default();
            return None;
        }
        Some(Task::Without(self.choice(), self.falling.asked.clone()))
    }

    /// Takes the peaks that a task asked for; without an answer they are not asked for again.
    fn take_falls(&mut self, buffers: &[BufferId], peaks: &[Option<u64>]) {
        let peaks = peaks.iter().copied().chain(std::iter::repeat(None));
        Rc::make_mut(&mut self.falling.known).extend(buffers.iter().copied().zip(peaks));
        self.falling.asked.retain(|id| !buffers.contains(id));
    }
}
