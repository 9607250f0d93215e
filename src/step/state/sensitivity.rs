//! By how much the peak of the plan falls without a buffer: the planner runs again, once for each
//! buffer that is asked about.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::shell::state::State;
use memplan_core::problem::{BufferId, Scope};
use memplan_engine::{IMPORTED, PlannerChoice, Task};
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

    /// Has the engine find out what was asked for, once it is free.
    pub(crate) fn fall_on(&mut self) {
        if self.falling.asked.is_empty() || !self.document.life.is_idle() {
            return;
        }
        let Some(document) = self.document.open.clone() else { return };
        if self.falling.of != self.falling_of() {
            self.falling = Falling::default();
            return;
        }
        let task = Task::Without(self.choice(), self.falling.asked.clone());
        self.ask(&document, task);
    }

    /// Takes the peaks that a task asked for; without an answer they are not asked for again.
    pub(crate) fn take_falls(&mut self, buffers: &[BufferId], peaks: &[Option<u64>]) {
        let peaks = peaks.iter().copied().chain(std::iter::repeat(None));
        Rc::make_mut(&mut self.falling.known).extend(buffers.iter().copied().zip(peaks));
        self.falling.asked.retain(|id| !buffers.contains(id));
    }
}
