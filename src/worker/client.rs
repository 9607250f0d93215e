//! The page's side of the worker. Cancelling is terminating: a busy worker reads no messages.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{Request, WORKER};
use crate::base::Message;
use crate::engine::{Done, Failure, Measured, Progress};

/// What the page hears of a job.
#[derive(Debug)]
pub enum Heard {
    Progress {
        job: u32,
        progress: Progress,
    },
    /// What the job would give if it ended now: the bytes of an answer.
    Best {
        job: u32,
        answer: Vec<u8>,
    },
    Done {
        job: u32,
        result: Box<Result<Done, Failure>>,
    },
    Measured {
        job: u32,
        result: Box<Result<Measured, Failure>>,
    },
    /// The text of a file, or why there is none.
    Written {
        job: u32,
        result: Result<Result<String, Message>, Failure>,
    },
    /// The worker stopped working, for want of memory or by a bug of ours.
    Crashed {
        job: u32,
    },
}

/// A worker and its listeners; dropping it ends the worker.
pub struct Client {
    worker: Worker,
    current: Rc<RefCell<Current>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// A worker reads no message before its module is loaded, so the first job waits here until it says so.
#[derive(Default)]
struct Current {
    ready: bool,
    job: u32,
    waiting: Option<(u32, Vec<u8>)>,
}

impl Client {
    /// Starts the worker that lies beside the page.
    ///
    /// # Errors
    /// What the browser says when it starts no worker.
    pub fn new(heard: impl Fn(Heard) + 'static) -> Result<Client, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(WORKER);
        let worker = Worker::new_with_options("./engine_loader.js", &options)?;
        let current = Rc::new(RefCell::new(Current::default()));
        let heard = Rc::new(heard);
        let on_message = {
            let (heard, current, worker) = (heard.clone(), current.clone(), worker.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                listen(&event, &current, &worker, &*heard)
            })
        };
        let on_error = {
            let current = current.clone();
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                heard(Heard::Crashed { job: current.borrow().job });
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Client { worker, current, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request; its answer comes through the function given to [`Client::new`].
    pub fn send(&self, number: u32, request: &Request) {
        // A request is plain data: writing it cannot fail.
        let bytes = postcard::to_stdvec(request).unwrap_or_default();
        let mut current = self.current.borrow_mut();
        current.job = number;
        if current.ready {
            post(&self.worker, number, &bytes);
        } else {
            current.waiting = Some((number, bytes));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn listen(event: &MessageEvent, current: &RefCell<Current>, worker: &Worker, heard: &dyn Fn(Heard)) {
    let Ok(message) = event.data().dyn_into::<Array>() else { return };
    let job = message.get(0).as_f64().unwrap_or(0.0) as u32;
    match message.get(1).as_string().as_deref() {
        Some("ready") => {
            let mut current = current.borrow_mut();
            current.ready = true;
            if let Some((number, bytes)) = current.waiting.take() {
                post(worker, number, &bytes);
            }
        }
        Some("progress") => {
            let Ok(figures) = message.get(2).dyn_into::<Array>() else { return };
            let figure = |index| figures.get(index).as_f64().unwrap_or(0.0) as u64;
            let best = (figures.length() == 4).then(|| (figure(2), figure(3)));
            heard(Heard::Progress { job, progress: Progress { done: figure(0), total: figure(1), best } });
        }
        Some("best") => {
            let Ok(bytes) = message.get(2).dyn_into::<Uint8Array>() else { return };
            heard(Heard::Best { job, answer: bytes.to_vec() });
        }
        Some("done") => {
            let Ok(bytes) = message.get(2).dyn_into::<Uint8Array>() else { return };
            heard(match postcard::from_bytes(&bytes.to_vec()) {
                Ok(result) => Heard::Done { job, result: Box::new(result) },
                Err(_) => Heard::Crashed { job },
            });
        }
        Some("measured") => {
            let Ok(bytes) = message.get(2).dyn_into::<Uint8Array>() else { return };
            heard(match postcard::from_bytes(&bytes.to_vec()) {
                Ok(result) => Heard::Measured { job, result: Box::new(result) },
                Err(_) => Heard::Crashed { job },
            });
        }
        Some("written") => {
            let Ok(bytes) = message.get(2).dyn_into::<Uint8Array>() else { return };
            heard(match postcard::from_bytes(&bytes.to_vec()) {
                Ok(result) => Heard::Written { job, result },
                Err(_) => Heard::Crashed { job },
            });
        }
        _ => {}
    }
}

fn post(worker: &Worker, number: u32, bytes: &[u8]) {
    let payload = Uint8Array::from(bytes);
    let message = Array::of2(&number.into(), &payload);
    // Failing means that the worker is gone, which its error event tells.
    let _ = worker.post_message_with_transfer(&message, &Array::of1(&payload.buffer()));
}
