//! The worker's side: a request is `[job number, bytes]`, an answer `[job number, kind, bytes]`; bytes are transferred.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{Desk, Request, WORKER};

/// Shortest time between two progress messages, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

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
        if let Some((number, kind, answer)) = answer(&mut desk.borrow_mut(), &port, &event) {
            send(&port, number, kind, &answer);
        }
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    send(&scope, 0.0, "ready", &[]);
}

type Answer = (f64, &'static str, Vec<u8>);

fn answer(desk: &mut Desk, port: &DedicatedWorkerGlobalScope, event: &MessageEvent) -> Option<Answer> {
    let request = event.data().dyn_into::<Array>().ok()?;
    let number = request.get(0).as_f64()?;
    let bytes = request.get(1).dyn_into::<Uint8Array>().ok()?.to_vec();
    let request: Request = postcard::from_bytes(&bytes).ok()?;
    drop(bytes);
    let mut last = js_sys::Date::now();
    let mut pulse = |done: u64, total: u64| {
        let now = js_sys::Date::now();
        if now - last >= PROGRESS_EVERY {
            last = now;
            let progress = Array::of3(
                &number.into(),
                &"progress".into(),
                &Array::of2(&(done as f64).into(), &(total as f64).into()),
            );
            // A page that is gone needs no progress.
            let _ = port.post_message(&progress);
        }
    };
    let (kind, answer) = match request {
        Request::Work(job) => ("done", postcard::to_stdvec(&desk.work(&job, &mut pulse))),
        Request::Write(job, export) => ("written", postcard::to_stdvec(&desk.write(&job, export, &mut pulse))),
        Request::Measure(measure) => {
            // Dates count whole milliseconds; a planner may take less.
            let performance = port.performance();
            let clock = || performance.as_ref().map_or_else(js_sys::Date::now, |performance| performance.now());
            ("measured", postcard::to_stdvec(&desk.measure(&measure, &clock, &mut pulse)))
        }
    };
    Some((number, kind, answer.ok()?))
}

fn send(port: &DedicatedWorkerGlobalScope, number: f64, kind: &str, bytes: &[u8]) {
    let payload = Uint8Array::from(bytes);
    let message = Array::of3(&number.into(), &kind.into(), &payload);
    // A page that is gone needs no answer.
    let _ = port.post_message_with_transfer(&message, &Array::of1(&payload.buffer()));
}
