//! What the worker is asked for a job.

use crate::app::model::document::Job;
use crate::engine::{self, Measure, Source};
use crate::worker::Request;

/// Returns the request for a job; `known` if the worker still holds its document.
pub fn order(job: &Job, known: bool) -> Request {
    let source = match &job.draft {
        _ if known => Source::Keep,
        Some(draft) => Source::Draft(Box::new((**draft).clone())),
        None => Source::Bytes { bytes: job.bytes.to_vec(), choices: job.choices.clone() },
    };
    let own_plan = !job.same_document && job.place.is_none() && job.draft.is_none();
    if let Some(task) = &job.task {
        return Request::Measure(Measure { source, scope: job.scope.clone(), task: (**task).clone() });
    }
    let (scope, planner, options) = (job.scope.clone(), job.planner.clone(), job.options.clone());
    let work = engine::Job { source, scope, planner, options, own_plan, window: job.window, diagram: job.diagram };
    match job.export {
        None => Request::Work(work),
        Some(export) => Request::Write(work, export),
    }
}
