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
pub struct Sensitivity {
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
            state.take_sensitivity(buffers, &peaks);
        }
    },
    give_up: |state, task, _| {
        if let Some(Task::Without(_, buffers)) = task {
            state.take_sensitivity(buffers, &[]);
        }
    },
};

impl State {
    /// The peak of the plan shown without a buffer, if it was asked for and is known.
    pub fn peak_without(&self, id: BufferId) -> Option<u64> {
        let same = self.sensitivity.of.is_some() && self.sensitivity.of == self.sensitivity_of();
        self.sensitivity.known.get(&id).copied().flatten().filter(|_| same)
    }

    /// What peaks without a buffer belong to; none where the planner is not run again: a search
    /// would take too long each time.
    fn sensitivity_of(&self) -> Option<(u32, Scope, PlannerChoice)> {
        let (document, run) = self.document.open.as_ref().zip(self.document.run.as_ref())?;
        let choice = self.choice();
        let is_quick = planner::info(&choice.planner).is_some_and(|info| info.effort != Effort::Search);
        let is_shown = run.planner == choice.planner && choice.planner != IMPORTED && self.editing.session.is_none();
        (is_quick && is_shown).then(|| (document.key, self.document.scope.clone(), choice))
    }

    pub(crate) fn ask_sensitivity(&mut self, buffers: Vec<BufferId>) {
        let Some(of) = self.sensitivity_of() else { return };
        if self.sensitivity.of.as_ref() != Some(&of) {
            self.sensitivity = Sensitivity { of: Some(of), ..Sensitivity::default() };
        }
        let known = self.sensitivity.known.clone();
        self.sensitivity.asked = buffers.into_iter().filter(|id| !known.contains_key(id)).collect();
    }

    /// Returns how to find out what was asked for.
    fn sensitivity_wants(&mut self) -> Option<Task<Bytes>> {
        if self.sensitivity.asked.is_empty() {
            return None;
        }
        if self.sensitivity.of != self.sensitivity_of() {
            self.sensitivity = Sensitivity::default();
            return None;
        }
        Some(Task::Without(self.choice(), self.sensitivity.asked.clone()))
    }

    /// Takes the peaks that a task asked for; without an answer they are not asked for again.
    fn take_sensitivity(&mut self, buffers: &[BufferId], peaks: &[Option<u64>]) {
        let peaks = peaks.iter().copied().chain(std::iter::repeat(None));
        Rc::make_mut(&mut self.sensitivity.known).extend(buffers.iter().copied().zip(peaks));
        self.sensitivity.asked.retain(|id| !buffers.contains(id));
    }
}
