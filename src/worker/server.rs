//! The worker's side: a request is `[job number, bytes]`, an answer `[job number, kind, bytes]`; bytes are transferred.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{Request, WORKER};
use crate::engine::{Desk, Done, Failure, Listener, Progress, fetch_readers};

/// Shortest time between two progress messages, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// Shortest time between two plans of a search that goes on, in milliseconds.
const BEST_EVERY: f64 = 500.0;

/// Listens for jobs for as long as the worker lives. Only in the worker that a page of ours has started: in others the module
/// is used for its functions, and the messages are their own.
pub fn serve() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    if scope.name() != WORKER {
        return;
    }
    let desk = Rc::new(RefCell::new(Desk::default()));
    let port = scope.clone();
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((number, request)) = asked(&event) else { return };
        let (desk, port) = (desk.clone(), port.clone());
        // The page asks for nothing else before it has the answer, so that jobs keep their order while readers are fetched.
        spawn_local(async move {
            let mut answer = answered(&mut desk.borrow_mut(), &port, number, &request);
            if answer.lacks_readers && fetch_readers().await.is_ok() {
                answer = answered(&mut desk.borrow_mut(), &port, number, &request);
            }
            send(&port, number, answer.kind, &answer.bytes);
        });
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    send(&scope, 0.0, "ready", &[]);
}

/// The page that waits for a job.
struct Page<'a> {
    port: &'a DedicatedWorkerGlobalScope,
    number: f64,
    /// When it last heard of progress, and when it was last given a plan.
    told: f64,
    given: f64,
}

impl Listener for Page<'_> {
    fn progress(&mut self, progress: Progress) {
        let now = js_sys::Date::now();
        if now - self.told >= PROGRESS_EVERY {
            self.told = now;
            let (peak, bound) = progress.best.unwrap_or_default();
            let figures = [progress.done, progress.total, peak, bound].map(|figure| JsValue::from(figure as f64));
            let figures: Array = figures[..if progress.best.is_some() { 4 } else { 2 }].iter().collect();
            // A page that is gone needs no progress.
            let _ = self.port.post_message(&Array::of3(&self.number.into(), &"progress".into(), &figures));
        }
    }

    fn wants_best(&mut self) -> bool {
        js_sys::Date::now() - self.given >= BEST_EVERY
    }

    fn best(&mut self, done: Done) {
        // The same form as the answer of a job that ended.
        let done: Result<Done, Failure> = Ok(done);
        send(self.port, self.number, "best", &postcard::to_stdvec(&done).unwrap_or_default());
        self.given = js_sys::Date::now();
    }
}

struct Answer {
    kind: &'static str,
    bytes: Vec<u8>,
    lacks_readers: bool,
}

impl Answer {
    fn of<T: Serialize>(kind: &'static str, result: &Result<T, Failure>) -> Answer {
        // Plain values: writing them cannot fail.
        let bytes = postcard::to_stdvec(result).unwrap_or_default();
        Answer { kind, bytes, lacks_readers: matches!(result, Err(Failure::NoReaders)) }
    }
}

fn asked(event: &MessageEvent) -> Option<(f64, Request)> {
    let request = event.data().dyn_into::<Array>().ok()?;
    let number = request.get(0).as_f64()?;
    let bytes = request.get(1).dyn_into::<Uint8Array>().ok()?.to_vec();
    Some((number, postcard::from_bytes(&bytes).ok()?))
}

fn answered(desk: &mut Desk, port: &DedicatedWorkerGlobalScope, number: f64, request: &Request) -> Answer {
    let now = js_sys::Date::now();
    let mut page = Page { port, number, told: now, given: now };
    match request {
        Request::Work(job) => Answer::of("done", &desk.work(job, &mut page)),
        Request::Write(job, export) => Answer::of("written", &desk.write(job, *export, &mut page)),
        Request::Measure(measure) => {
            // Dates count whole milliseconds; a planner may take less.
            let performance = port.performance();
            let clock = || performance.as_ref().map_or_else(js_sys::Date::now, |performance| performance.now());
            Answer::of("measured", &desk.measure(measure, &clock, &mut page))
        }
    }
}

fn send(port: &DedicatedWorkerGlobalScope, number: f64, kind: &str, bytes: &[u8]) {
    let payload = Uint8Array::from(bytes);
    let message = Array::of3(&number.into(), &kind.into(), &payload);
    // A page that is gone needs no answer.
    let _ = port.post_message_with_transfer(&message, &Array::of1(&payload.buffer()));
}
