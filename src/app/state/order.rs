//! A job → what is asked of the worker.

use crate::app::model::document::Job;
use crate::engine::{MeasureRequest, PlanRequest, Source};
use crate::worker::{WorkerCommand, WorkerRequest};

/// Returns the request of a job. `is_held` says that the worker holds the job's document.
pub fn order(job: &Job, is_held: bool) -> WorkerRequest {
    let source = match &job.draft {
        _ if is_held => Source::Keep,
        Some(draft) => Source::Draft(Box::new((**draft).clone())),
        None => Source::File { file: job.bytes.clone(), choices: job.choices.clone() },
    };
    let scope = job.scope.clone();
    if let Some(task) = &job.task {
        let command = WorkerCommand::Measure(MeasureRequest { source, scope, task: (**task).clone() });
        return WorkerRequest { job: job.number, command };
    }
    let request = PlanRequest {
        source,
        scope,
        planner: job.planner.clone(),
        options: job.options.clone(),
        // A file that is opened by hand is first shown with its own plan.
        own_plan: !job.same_document && job.place.is_none() && job.draft.is_none(),
        window: job.window,
        diagram: job.diagram,
    };
    let command = match job.export {
        None => WorkerCommand::Plan(request),
        Some(export) => WorkerCommand::Export(request, export),
    };
    WorkerRequest { job: job.number, command }
}
