//! The second worker of a long ranking. It holds the document as the first one does, so it is
//! started only once the ranking lasts, and ended with it.

use yew::prelude::*;

use crate::browser::media::cores;
use crate::compare::state::second::SecondAction;
use crate::open::state::document::Job;
use crate::open::state::request::order;
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction};
use gloo_timers::callback::Timeout;
use memplan_engine::{Answer, Comparison};
use memplan_worker::{Client, WorkerEvent, WorkerReply};

/// How long a ranking lasts before it has a second worker, in milliseconds: about what the worker
/// takes to load its program and open a document.
const PATIENCE: u32 = 500;

/// The worker, and the key of the document that it holds.
#[derive(Default)]
struct Works {
    client: Option<Client>,
    held: Option<u32>,
}

/// Offers a second worker to a ranking that lasts, and has its jobs done as long as the view that
/// calls this is shown.
#[hook]
pub fn use_second_worker(state: &State, send: Callback<Action>) {
    let works = use_mut_ref(Works::default);
    let emit =
        use_callback((), move |action: SecondAction, ()| send.emit(Action::Compare(CompareAction::Second(action))));
    {
        let emit = emit.clone();
        use_effect_with(state.lacks_second(), move |&lacks| {
            let offers =
                (lacks && cores() > 1.0).then(|| Timeout::new(PATIENCE, move || emit.emit(SecondAction::Offered)));
            move || drop(offers)
        });
    }
    use_effect_with(state.second_job().cloned(), move |job| {
        let mut here = works.borrow_mut();
        match job {
            Some(job) => here.take(job, &emit),
            None => *here = Works::default(),
        }
    });
}

impl Works {
    /// Has a job done, by a worker that is started for the first one. A job that is no longer
    /// wanted ends with the worker: a busy one reads no messages.
    fn take(&mut self, job: &Job, emit: &Callback<SecondAction>) {
        if self.client.is_none() {
            let answers = emit.clone();
            self.client = Client::new(move |event| {
                answers.emit(match event {
                    WorkerEvent::Reply {
                        job,
                        reply: WorkerReply(Ok(Answer::Compared(Comparison::Ranking(rows)))),
                        ..
                    } => SecondAction::Measured(job, rows),
                    WorkerEvent::Reply { .. } | WorkerEvent::Crashed { .. } | WorkerEvent::Unstarted { .. } => {
                        SecondAction::Failed
                    }
                    WorkerEvent::Progress { .. } | WorkerEvent::Best { .. } | WorkerEvent::Large => return,
                })
            })
            .ok();
            self.held = None;
        }
        match &self.client {
            Some(client) => client.send(order(job, self.held == Some(job.key), None)),
            None => emit.emit(SecondAction::Failed),
        }
        self.held = Some(job.key);
    }
}
