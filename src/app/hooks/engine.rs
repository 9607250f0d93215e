//! Works off the newest job: small documents in the page, large ones in the worker.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::app::state::{Action, Job, Notice, Progress};
use crate::base::Message;
use crate::link::{self, Client, Desk, Heard, Source};

/// Documents up to this many bytes are read and planned in the page: about two thousand buffers, a few milliseconds.
const SMALL: usize = 400_000;
/// The same for gzip, which packs such files to a tenth.
const SMALL_PACKED: usize = 40_000;

/// The two places of work, and which document each holds.
#[derive(Default)]
struct Works {
    desk: Desk,
    at_desk: Option<Rc<Vec<u8>>>,
    client: Option<Client>,
    at_client: Option<Rc<Vec<u8>>>,
    busy: bool,
}

/// Runs `job` whenever it changes, and stops the worker when there is none any more.
#[hook]
pub fn use_engine(job: Option<Rc<Job>>, send: Callback<Action>) {
    let works = use_mut_ref(Works::default);
    let number = job.as_ref().map(|job| job.number);
    use_effect_with(number, move |_| match job {
        Some(job) if is_small(&job.bytes) => work_here(&works, &job, &send),
        Some(job) => work_there(&works, &job, &send),
        None => stop(&mut works.borrow_mut()),
    });
}

fn is_small(bytes: &[u8]) -> bool {
    bytes.len() <= if bytes.starts_with(&[0x1f, 0x8b]) { SMALL_PACKED } else { SMALL }
}

fn order(job: &Job, known: bool) -> link::Job {
    let source = if known { Source::Keep } else { Source::Bytes { bytes: job.bytes.to_vec(), choices: job.choices } };
    let own_plan = !job.same_document && job.place.is_none();
    let (scope, planner, options) = (job.scope.clone(), job.planner.clone(), job.options.clone());
    link::Job { source, scope, planner, options, own_plan, window: job.window }
}

fn holds(held: &Option<Rc<Vec<u8>>>, job: &Job) -> bool {
    job.same_document && held.as_ref().is_some_and(|held| Rc::ptr_eq(held, &job.bytes))
}

fn work_here(works: &Rc<RefCell<Works>>, job: &Job, send: &Callback<Action>) {
    let result = {
        let mut works = works.borrow_mut();
        stop(&mut works);
        let known = holds(&works.at_desk, job);
        let result = works.desk.work(&order(job, known), &mut |_, _| {});
        if result.is_ok() {
            works.at_desk = Some(job.bytes.clone());
        }
        result
    };
    send.emit(Action::Heard { job: job.number, result: Box::new(result) });
}

fn work_there(works: &Rc<RefCell<Works>>, job: &Rc<Job>, send: &Callback<Action>) {
    let mut here = works.borrow_mut();
    // A busy worker reads no messages: a new job ends the old one with its worker.
    stop(&mut here);
    if here.client.is_none() {
        match start(works, send) {
            Ok(client) => here.client = Some(client),
            Err(_) => {
                let title = Message::new("notice.no-worker");
                send.emit(Action::NotFetched(Notice { title, faults: Vec::new() }));
                return send.emit(Action::Crashed { job: job.number });
            }
        }
    }
    let known = holds(&here.at_client, job);
    if let Some(client) = &here.client {
        client.send(job.number, &order(job, known));
    }
    here.at_client = Some(job.bytes.clone());
    here.busy = true;
}

fn start(works: &Rc<RefCell<Works>>, send: &Callback<Action>) -> Result<Client, wasm_bindgen::JsValue> {
    let (works, send) = (works.clone(), send.clone());
    Client::new(move |heard| match heard {
        Heard::Progress { job, done, total } => send.emit(Action::Progress { job, progress: Progress { done, total } }),
        Heard::Done { job, result } => {
            works.borrow_mut().busy = false;
            send.emit(Action::Heard { job, result });
        }
        Heard::Crashed { job } => {
            let mut works = works.borrow_mut();
            works.busy = false;
            works.at_client = None;
            // Dropped once this call is over: it is the client that is calling.
            let client = works.client.take();
            drop(works);
            gloo_timers::callback::Timeout::new(0, move || drop(client)).forget();
            send.emit(Action::Crashed { job });
        }
    })
}

fn stop(works: &mut Works) {
    if works.busy {
        works.client = None;
        works.at_client = None;
        works.busy = false;
    }
}
