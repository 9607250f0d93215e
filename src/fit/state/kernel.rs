//! A kernel beside the shared memory of a card: what is asked of the engine, and its answer.

use std::rc::Rc;

use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_engine::{Answer, KernelTask, Task};
use memplan_fit::KernelFit;

/// A question about a kernel with its answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KernelAsked {
    /// Key of the document, and the limit as it was typed.
    of: Option<(u32, String)>,
    /// The answer, or why there is none; `None` until the engine has answered.
    pub found: Option<Result<Rc<KernelFit>, Message>>,
}

/// Whether the open kernel fits.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Kernel(_)),
    wants: State::kernel_wants,
    take: |state, _, answer| {
        if let Answer::Kernel(found) = answer {
            state.fitting.kernel.found = Some(found.map(Rc::new));
        }
    },
    give_up: |state, task, why| {
        if task.is_some() {
            state.fitting.kernel.found = Some(Err(why.clone()));
        }
    },
};

impl State {
    /// Whether the buffers shown are those of a kernel.
    pub fn is_kernel(&self) -> bool {
        self.document.run.as_ref().is_some_and(|run| run.problem.kernel.is_some())
    }

    fn kernel_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        if !self.is_kernel() {
            self.fitting.kernel = KernelAsked::default();
            return None;
        }
        let limit = self.fitting.form.memories.first().map(|memory| memory[1].trim().to_string()).unwrap_or_default();
        let of = Some((document.key, limit.clone()));
        if self.fitting.kernel.of == of {
            return None;
        }
        self.fitting.kernel = KernelAsked { of, found: None };
        Some(Task::Kernel(KernelTask { limit: (!limit.is_empty()).then_some(limit) }))
    }
}
