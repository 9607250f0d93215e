//! Runs the newest job in the worker, so that the page contains no planner and stays responsive.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::files::{Pieces, fetch};
use crate::edit::state::encoding::{Encoding, SHARE};
use crate::open::state::document::Job;
use crate::open::state::request::{draft_of, is_answered_by_page, order};
use crate::shell::state::action::{Action, DocumentAction};
use crate::shell::state::notice::Notice;
use gloo_timers::callback::Timeout;
use memplan_core::base::Message;
use memplan_engine::{Answer, FIRST_ANSWERS, first_answer};
use memplan_worker::{Client, FileData, WorkerEvent, WorkerReply, beside};

/// How long a new job waits for the previous one, in milliseconds. Planning usually ends sooner
/// than a new worker starts.
const PATIENCE: u32 = 300;

/// How long a worker that takes much memory is kept for the next request, in milliseconds.
const IDLE: u32 = 5_000;

/// How long an edited graph waits for the next change, in milliseconds.
const TYPING: u32 = 150;

/// The worker, its current job and the one that waits.
#[derive(Default)]
struct Works {
    client: Option<Client>,
    /// Key of the document that the worker holds.
    held: Option<u32>,
    busy: bool,
    /// A worker died since the last job, and a new one was started.
    respawned: bool,
    /// Number of the newest job.
    newest: u32,
    /// The newest job, if the worker is still busy with an older, outdated one.
    next: Option<Drafted>,
    patience: Option<Timeout>,
    /// Runs out when a worker that uses much memory has been idle for a while.
    idle: Option<Timeout>,
    /// Runs out when typing pauses; then the edited graph is planned.
    typing: Option<Timeout>,
}

/// A job, and its draft as bytes if it has one.
struct Drafted {
    job: Rc<Job>,
    draft: Option<FileData>,
}

/// Runs `job` whenever it changes, and stops the worker when there is none any more.
#[hook]
pub fn use_engine(job: Option<Rc<Job>>, send: Callback<Action>) {
    let works = use_mut_ref(Works::default);
    {
        let (works, send) = (works.clone(), send.clone());
        // The worker loads while the page does.
        use_effect_with((), move |_| {
            let client = start(&works, &send).ok();
            works.borrow_mut().client = client;
        });
    }
    let number = job.as_ref().map(|job| job.number);
    use_effect_with(number, move |number| {
        let mut here = works.borrow_mut();
        here.newest = number.unwrap_or(0);
        here.typing = None;
        let Some(job) = job else { return stop(&mut here) };
        if let Some(draft) = job.draft.clone().filter(|_| !is_held(&here, &job)) {
            let works = works.clone();
            let pause = Timeout::new(TYPING, move || {
                encode(works, Encoding::of((*draft).clone()), Pieces::default(), job, send)
            });
            here.typing = Some(pause);
            return;
        }
        drop(here);
        if is_answered_by_page(&job) {
            return spawn_local(answer_first(works, job, send));
        }
        take(&works, Drafted { job, draft: None }, &send);
    });
}

/// Answers the first job of a visit from the page's own file, so that its picture does not wait for
/// the worker. Without that file the worker answers.
async fn answer_first(works: Rc<RefCell<Works>>, job: Rc<Job>, send: Callback<Action>) {
    let contents = fetch(&beside(FIRST_ANSWERS)).await;
    if works.borrow().newest != job.number {
        return;
    }
    match contents.ok().and_then(|contents| first_answer(&contents, &job.planner)) {
        Some(done) => hand_over(job.number, WorkerReply(Ok(Answer::Planned(Box::new(done)))), None, 0, send),
        None => take(&works, Drafted { job, draft: None }, &send),
    }
}

/// Writes the draft of a job, a large one in tasks of their own, and then has the job done.
fn encode(works: Rc<RefCell<Works>>, mut encoding: Encoding, pieces: Pieces, job: Rc<Job>, send: Callback<Action>) {
    if works.borrow().newest != job.number {
        return;
    }
    if encoding.go_on(SHARE) {
        pieces.add(&encoding.take());
        Timeout::new(0, move || encode(works, encoding, pieces, job, send)).forget();
        return;
    }
    // Without room for it the draft is written once more, at once.
    let draft = pieces.join(encoding.finish()).ok();
    take(&works, Drafted { job, draft }, &send);
}

/// Whether the worker holds the document of a job.
fn is_held(here: &Works, job: &Job) -> bool {
    job.same_document && here.held == Some(job.key)
}

fn take(works: &Rc<RefCell<Works>>, task: Drafted, send: &Callback<Action>) {
    let mut here = works.borrow_mut();
    if !here.busy {
        return begin(works, &mut here, task, send);
    }
    here.next = Some(task);
    if here.patience.is_none() {
        let (works, send) = (works.clone(), send.clone());
        // A busy worker reads no messages: the old job ends with its worker.
        here.patience = Some(Timeout::new(PATIENCE, move || {
            let mut here = works.borrow_mut();
            end_worker(&mut here);
            begin_next(&works, &mut here, &send);
        }));
    }
}

fn begin(works: &Rc<RefCell<Works>>, here: &mut Works, Drafted { job, draft }: Drafted, send: &Callback<Action>) {
    if here.client.is_none() {
        match start(works, send) {
            Ok(client) => here.client = Some(client),
            Err(_) => {
                let title = Message::new("notice.no-worker");
                send.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
                return send.emit(Action::Document(DocumentAction::Crashed { job: job.number }));
            }
        }
    }
    let known = is_held(here, &job);
    // The worker that held the document is gone.
    let draft = draft.or_else(|| if known { None } else { draft_of(&job) });
    if let Some(client) = &here.client {
        client.send(order(&job, known, draft));
    }
    here.held = Some(job.key);
    here.idle = None;
    here.busy = true;
    here.respawned = false;
}

fn start(works: &Rc<RefCell<Works>>, send: &Callback<Action>) -> Result<Client, wasm_bindgen::JsValue> {
    let (works, send) = (works.clone(), send.clone());
    Client::new(move |event| match event {
        WorkerEvent::Progress { job, progress } => {
            send.emit(Action::Document(DocumentAction::Progress { job, progress }))
        }
        WorkerEvent::Best { job, answer } => {
            send.emit(Action::Document(DocumentAction::Best { job, answer: Rc::new(answer) }))
        }
        WorkerEvent::Reply { job, reply, written } => {
            go_on(&works, &send);
            hand_over(job, reply, written, 0, send.clone());
        }
        WorkerEvent::Large => replace(&works, &send),
        WorkerEvent::Crashed { job } => {
            lose(&works);
            if !works.borrow().busy {
                return respawn(&works, &send);
            }
            go_on(&works, &send);
            send.emit(Action::Document(DocumentAction::Crashed { job }));
        }
        WorkerEvent::Unstarted { job, why } => {
            lose(&works);
            go_on(&works, &send);
            send.emit(Action::Document(DocumentAction::Unstarted(job, why)));
        }
    })
}

/// Discards a worker that failed or is outdated.
fn lose(works: &Rc<RefCell<Works>>) {
    let client = {
        let mut here = works.borrow_mut();
        here.held = None;
        here.client.take()
    };
    // Dropped once this call is over: it is the client that is calling.
    Timeout::new(0, move || drop(client)).forget();
}

/// Starts another worker in place of one that takes much memory, once nothing has been asked of it
/// for a while. The next request opens the document anew.
fn replace(works: &Rc<RefCell<Works>>, send: &Callback<Action>) {
    let (waiting, works, send) = (works.clone(), works.clone(), send.clone());
    waiting.borrow_mut().idle = Some(Timeout::new(IDLE, move || {
        if !works.borrow().busy {
            lose(&works);
            let client = start(&works, &send).ok();
            works.borrow_mut().client = client;
        }
    }));
}

/// Starts a worker in place of one that died while it had nothing to do, so that the next document
/// need not wait for it. Once for each job: where workers die by themselves the next one is started
/// when it is needed.
fn respawn(works: &Rc<RefCell<Works>>, send: &Callback<Action>) {
    if !std::mem::replace(&mut works.borrow_mut().respawned, true) {
        let client = start(works, send).ok();
        works.borrow_mut().client = client;
    }
}

/// Makes the plans of a reply ready from this one on, each in tasks of its own, and then sends the
/// reply as an action.
fn hand_over(job: u32, mut reply: WorkerReply, written: Option<FileData>, number: usize, send: Callback<Action>) {
    let task = move || {
        let mut plans = reply.plans_mut();
        if let Some(plan) = plans.get_mut(number) {
            let next = if plan.build_timeline() { number } else { number + 1 };
            return hand_over(job, reply, written, next, send);
        }
        send.emit(Action::Document(DocumentAction::Answered { job, result: Box::new(reply.0), written }));
    };
    Timeout::new(0, task).forget();
}

/// The job before is over: the newest one, if another came meanwhile.
fn go_on(works: &Rc<RefCell<Works>>, send: &Callback<Action>) {
    let mut here = works.borrow_mut();
    here.busy = false;
    begin_next(works, &mut here, send);
}

/// Starts the waiting job. A job that is no longer the newest is dropped: the newest will be sent
/// after typing or encoding.
fn begin_next(works: &Rc<RefCell<Works>>, here: &mut Works, send: &Callback<Action>) {
    here.patience = None;
    let newest = here.newest;
    if let Some(task) = here.next.take().filter(|task| task.job.number == newest) {
        begin(works, here, task, send);
    }
}

/// Stops the worker and drops the waiting job, because no job is wanted.
fn stop(here: &mut Works) {
    here.next = None;
    here.typing = None;
    here.patience = None;
    end_worker(here);
}

/// Ends the worker if it is busy.
fn end_worker(here: &mut Works) {
    if here.busy {
        here.client = None;
        here.held = None;
        here.busy = false;
    }
}
