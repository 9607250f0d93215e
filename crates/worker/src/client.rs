//! The page's end of the line to a worker. To cancel a job, the page terminates the worker: a busy
//! worker reads no messages.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, Event, MessageEvent, Worker};

use super::WORKER;
use super::file::FileData;
use super::life::{Watch, start_worker};
use super::message::{Unstarted, WorkerEvent, WorkerRequest};
use super::packing::pack;
use super::parts::Arrived;
use memplan_engine::BUILD;
use memplan_engine::Progress;

/// A worker and its listeners; dropping it ends the worker.
pub struct Client {
    worker: Worker,
    pending: Rc<RefCell<Pending>>,
    /// Detects a worker that ends without a message; dropped before the page ends the worker
    /// itself.
    watch: Rc<RefCell<Option<Watch>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// What the page waits for: the start of the worker, and the reply to the newest job.
#[derive(Default)]
struct Pending {
    /// Whether the worker's program is loaded, of the page's version.
    is_ready: bool,
    /// Number of the newest job.
    job: u32,
    /// The request to send once the worker is ready: earlier messages would be lost.
    request: Option<WorkerRequest>,
    /// The parts of the next reply that have arrived.
    parts: Arrived,
}

impl Client {
    /// Starts a worker; `receive` is called for every event of it, also if its program cannot be
    /// loaded.
    ///
    /// # Errors
    /// The browser's error if it cannot create a worker.
    pub fn new(receive: impl Fn(WorkerEvent) + 'static) -> Result<Client, JsValue> {
        let worker = start_worker(WORKER)?;
        let pending = Rc::new(RefCell::new(Pending::default()));
        let watch = Rc::new(RefCell::new(None));
        let receive: Rc<dyn Fn(WorkerEvent)> = Rc::new(receive);
        let on_message = {
            let (receive, pending, worker, watch) = (receive.clone(), pending.clone(), worker.clone(), watch.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(lock) = lock(&event) {
                    *watch.borrow_mut() = Some(watching(&lock, &pending, &receive));
                } else if let Some(event) = read(&event, &pending, &worker) {
                    receive(event);
                }
            })
        };
        let on_error = {
            let pending = pending.clone();
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                let (is_ready, job) = (pending.borrow().is_ready, pending.borrow().job);
                receive(if is_ready {
                    WorkerEvent::Crashed { job }
                } else {
                    WorkerEvent::Unstarted { job, why: Unstarted::Missing }
                });
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Client { worker, pending, watch, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request; its reply is passed to the function given to [`Client::new`]. A worker
    /// takes one request at a time.
    pub fn send(&self, request: WorkerRequest) {
        let mut pending = self.pending.borrow_mut();
        pending.job = request.job;
        if pending.is_ready {
            post(&self.worker, request);
        } else {
            pending.request = Some(request);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.watch.take();
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Returns the name of the lock that the worker holds as long as it lives, if the message is about
/// that.
fn lock(event: &MessageEvent) -> Option<String> {
    let message = event.data().dyn_into::<Array>().ok()?;
    message.get(2).as_string().filter(|_| message.get(1).as_string().as_deref() == Some("alive"))
}

/// Reports a crash when the worker that holds the lock has ended.
fn watching(lock: &str, pending: &Rc<RefCell<Pending>>, receive: &Rc<dyn Fn(WorkerEvent)>) -> Watch {
    let (pending, receive) = (pending.clone(), receive.clone());
    Watch::on(lock, move || {
        let job = pending.borrow().job;
        receive(WorkerEvent::Crashed { job });
    })
}

/// Reads a message `[job number, kind, payload, file]`, which may lack the last two. Returns the
/// event to pass on; none if the message concerns this end alone, or is unknown.
fn read(event: &MessageEvent, pending: &RefCell<Pending>, worker: &Worker) -> Option<WorkerEvent> {
    let message = event.data().dyn_into::<Array>().ok()?;
    let job = message.get(0).as_f64().unwrap_or(0.0) as u32;
    let bytes = || Some(message.get(2).dyn_into::<Uint8Array>().ok()?.to_vec());
    match message.get(1).as_string()?.as_str() {
        "missing" => Some(WorkerEvent::Unstarted { job: pending.borrow().job, why: Unstarted::Missing }),
        "ready" => {
            let mut pending = pending.borrow_mut();
            if message.get(2).as_f64() != Some(BUILD as f64) {
                return Some(WorkerEvent::Unstarted { job: pending.job, why: Unstarted::OtherVersion });
            }
            pending.is_ready = true;
            if let Some(request) = pending.request.take() {
                post(worker, request);
            }
            None
        }
        "large" => Some(WorkerEvent::Large),
        "progress" => {
            let figures = message.get(2).dyn_into::<Array>().ok()?;
            let figure = |index| figures.get(index).as_f64().unwrap_or(0.0) as u64;
            let best = (figures.length() == 4).then(|| (figure(2), figure(3)));
            Some(WorkerEvent::Progress { job, progress: Progress { done: figure(0), total: figure(1), best } })
        }
        "best-so-far" => Some(WorkerEvent::Best { job, answer: bytes()? }),
        "part" => {
            if let Ok(part) = postcard::from_bytes(&bytes()?) {
                pending.borrow_mut().parts.add(part);
            }
            None
        }
        "reply" => {
            let parts = std::mem::take(&mut pending.borrow_mut().parts);
            Some(match postcard::from_bytes(&bytes()?) {
                Ok(mut reply) => {
                    parts.complete(&mut reply);
                    let written = message.get(3).dyn_into::<Blob>().ok().map(FileData::from);
                    WorkerEvent::Reply { job, reply, written }
                }
                Err(_) => WorkerEvent::Crashed { job },
            })
        }
        _ => None,
    }
}

/// Posts a message `[job number, request, files, own planners]`. Files are handles, which are
/// shared, or bytes, which are transferred.
fn post(worker: &Worker, request: WorkerRequest) {
    let (bytes, files) = pack(request.request);
    let bytes = Uint8Array::from(bytes.as_slice());
    let transferred = Array::of1(&bytes.buffer());
    let files: Array = files.iter().map(|file| file.to_js()).collect();
    for file in files.iter() {
        if let Ok(array) = file.dyn_into::<Uint8Array>() {
            transferred.push(&array.buffer());
        }
    }
    // Plain values: writing them cannot fail.
    let own = Uint8Array::from(postcard::to_stdvec(&request.own).unwrap_or_default().as_slice());
    let message = Array::of4(&request.job.into(), &bytes, &files, &own);
    // Posting fails if the worker is gone; that has been reported already.
    let _ = worker.post_message_with_transfer(&message, &transferred);
}
