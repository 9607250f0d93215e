//! A job → what is asked of the worker.

use crate::open::state::document::{Job, Origin};
use memplan_engine::{PlanTask, Request, START, Source, Task, is_answered_first};
use memplan_worker::{FileData, WorkerRequest};

/// Returns the draft of a job as bytes; none for a job without one.
pub fn draft_of(job: &Job) -> Option<FileData> {
    // Plain values: writing them cannot fail.
    Some(postcard::to_stdvec(&**job.draft.as_ref()?).unwrap_or_default().into())
}

/// Returns true for the first job of a visit if its answer was made when the page was built.
pub fn is_answered_by_page(job: &Job) -> bool {
    let is_start = matches!(&job.origin, Origin::Example(name) if name == START);
    is_start && job.number == 1 && job.draft.is_none() && is_answered_first(&order(job, false, None).request)
}

/// Returns the request of a job. `is_held`: the worker holds the job's document; `draft` is that of
/// the job as bytes.
pub fn order(job: &Job, is_held: bool, draft: Option<FileData>) -> WorkerRequest {
    let source = match draft {
        _ if is_held => Source::Keep,
        Some(draft) => Source::Draft(draft),
        None => Source::File { file: job.bytes.clone(), choices: job.choices.clone() },
    };
    let plan = || PlanTask {
        planner: job.planner.clone(),
        options: job.options.clone(),
        // A file that is opened by hand is first shown with its own plan.
        own_plan: !job.same_document && job.place.is_none() && job.draft.is_none(),
        window: job.window,
        diagram: job.diagram,
    };
    let task = match (&job.task, job.export) {
        (Some(task), _) => (**task).clone(),
        (None, Some(export)) => Task::Export(plan(), export),
        (None, None) => Task::Plan(plan()),
    };
    let request = Request { source, scope: job.scope.clone(), task };
    WorkerRequest { job: job.number, request, own: job.own.to_vec() }
}
