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
    /// A card or a size as it was typed; empty for the card that the kernel was compiled for.
    pub limit: String,
    /// The limit of a link, until its kernel is open.
    pub linked: Option<String>,
    /// Key of the document, and the limit that was asked about.
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
        let is_kernel = self.is_kernel();
        let asked = &mut self.fitting.kernel;
        if !is_kernel {
            *asked = KernelAsked { linked: asked.linked.take(), ..KernelAsked::default() };
            return None;
        }
        // A limit is meant for one kernel.
        if asked.of.as_ref().is_none_or(|(key, _)| *key != document.key) {
            asked.limit = asked.linked.take().unwrap_or_default();
        }
        let of = Some((document.key, asked.limit.clone()));
        if asked.of != of {
            asked.found = None;
            asked.of = of;
        }
        let limit = (!asked.limit.is_empty()).then(|| asked.limit.clone());
        asked.found.is_none().then_some(Task::Kernel(KernelTask { limit }))
    }
}
