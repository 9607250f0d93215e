//! Asks a worker for teachers and students. It is a worker of its own, started with the first
//! request, so that the plan that is shown and what is asked beside it do not wait for each other.

use std::rc::Rc;

use yew::prelude::*;

use crate::learn::teacher::state::Wanted;
use crate::shell::state::action::{Action, TeachAction};
use memplan_engine::{Answer, Failure, OwnProgram, Request, Taught};
use memplan_worker::{Client, WorkerEvent, WorkerReply, WorkerRequest};

/// The worker, and whether it is at work.
#[derive(Default)]
struct Works {
    client: Option<Client>,
    busy: bool,
}

/// Sends each request to the worker. A busy one reads no messages: it is ended, and the newest
/// request has a new one. It may name planners that the user wrote.
#[hook]
pub fn use_teaching(wanted: Option<Rc<Wanted>>, own: Rc<Vec<OwnProgram>>, send: Callback<Action>) {
    let works = use_mut_ref(Works::default);
    use_effect_with(wanted, move |wanted| {
        let Some(wanted) = wanted else { return };
        let mut here = works.borrow_mut();
        if here.busy {
            here.client = None;
        }
        let number = wanted.number;
        if here.client.is_none() {
            let (works, send) = (works.clone(), send.clone());
            here.client = Client::new(move |event| {
                let (job, answer) = match event {
                    WorkerEvent::Reply { job, reply: WorkerReply(result), .. } => (job, taught(result)),
                    WorkerEvent::Crashed { job } | WorkerEvent::Unstarted { job, .. } => (job, None),
                    _ => return,
                };
                // A worker that is gone cannot be dropped while it calls: the next request does
                // that.
                works.borrow_mut().busy = answer.is_none();
                send.emit(Action::Teach(TeachAction::Answered(job, answer)));
            })
            .ok();
        }
        match &here.client {
            Some(client) => {
                client.send(WorkerRequest {
                    job: number,
                    request: Request::teach(wanted.request.clone()),
                    own: own.to_vec(),
                });
                here.busy = true;
            }
            None => send.emit(Action::Teach(TeachAction::Answered(number, None))),
        }
    });
}

/// What a teacher or a student asked for; none if the answer is to something else.
fn taught(result: Result<Answer, Failure>) -> Option<Result<Taught, Failure>> {
    match result {
        Ok(Answer::Taught(taught)) => Some(Ok(taught)),
        Ok(_) => None,
        Err(failure) => Some(Err(failure)),
    }
}
