//! The worker's end: requests are run one after the other.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent, Response};

use super::WORKER;
use super::file::read;
use super::life::{beside, hold};
use super::message::WorkerReply;
use super::packing::{unpack, with_files};
use super::parts::take_parts;
use memplan_core::text::Locale;
use memplan_engine::BUILD;
use memplan_engine::{
    Done, Engine, Failure, Listener, OwnProgram, Progress, Request, bytes_of_readers, fetch_readers, fetch_writer,
    lacks_readers, lacks_writer, register_own,
};

/// Bytes of memory from which on the page gets a message: a program never gives any back.
const LARGE: f64 = (1u64 << 30) as f64;

/// Shortest time between two progress messages, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// Shortest time between two plans of a running search, in milliseconds.
const BEST_EVERY: f64 = 500.0;

/// Answers requests for as long as the worker lives. Does nothing outside the page's own worker:
/// elsewhere the program is used for its functions, and the messages belong to others.
pub fn serve() {
    let Ok(port) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    if port.name() != WORKER {
        return;
    }
    let engine = Rc::new(RefCell::new(Engine::default()));
    let scope = port.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((job, request, files, own)) = received(&event) else { return };
        let (engine, port) = (engine.clone(), port.clone());
        // The page sends the next request after the reply, so nothing else runs while files and
        // readers are on their way.
        spawn_local(async move {
            let mut reply = match read_all(files).await {
                Ok(files) => reply(&engine, &port, job, &with_files(request, files), &own).await,
                Err(_) => WorkerReply(Err(Failure::NotRead)),
            };
            let written = reply.take_written(handle);
            // Plain values: writing them cannot fail.
            for part in take_parts(&mut reply) {
                send(&port, job, "part", &postcard::to_stdvec(&part).unwrap_or_default(), None);
            }
            send(&port, job, "reply", &postcard::to_stdvec(&reply).unwrap_or_default(), written);
            if bytes_held() > LARGE {
                // It fails if the page is gone.
                let _ = port.post_message(&Array::of2(&job.into(), &"large".into()));
            }
        });
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    introduce(&scope);
}

/// Returns the bytes of memory that this program and the readers take.
fn bytes_held() -> f64 {
    core::arch::wasm32::memory_size::<0>() as f64 * 65_536.0 + bytes_of_readers()
}

/// Says which sources this program was compiled of, then which lock is held as long as the worker
/// lives. These fail only if the page is gone.
fn introduce(port: &DedicatedWorkerGlobalScope) {
    let _ = port.post_message(&Array::of3(&0.into(), &"ready".into(), &(BUILD as f64).into()));
    let port = port.clone();
    let held = Closure::once_into_js(move |lock: JsValue| {
        let _ = port.post_message(&Array::of3(&0.into(), &"alive".into(), &lock));
    });
    hold(held.unchecked_ref());
}

/// Returns the parts of a message `[job number, request, files, own planners]`.
fn received(event: &MessageEvent) -> Option<(f64, Request<()>, Array, Vec<OwnProgram>)> {
    let message = event.data().dyn_into::<Array>().ok()?;
    let bytes = |at: u32| message.get(at).dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec());
    let own = postcard::from_bytes(&bytes(3)?).ok()?;
    Some((message.get(0).as_f64()?, unpack(&bytes(1)?)?, message.get(2).dyn_into().ok()?, own))
}

/// Copies files into the memory of this program.
async fn read_all(files: Array) -> Result<Vec<Vec<u8>>, JsValue> {
    let mut copied = Vec::new();
    for file in files.iter() {
        copied.push(read(file).await?.to_vec());
    }
    Ok(copied)
}

/// Returns the engine's reply, after the readers of other tools' files, and what runs planners of
/// users, have been fetched if the request needs them.
async fn reply(
    engine: &RefCell<Engine>,
    port: &DedicatedWorkerGlobalScope,
    job: f64,
    request: &Request,
    own: &[OwnProgram],
) -> WorkerReply {
    let run = || {
        own.iter().try_for_each(register_own)?;
        let now = js_sys::Date::now();
        let mut page = PageListener { port, job, last_progress: now, last_best: now };
        // Dates have whole milliseconds; a planner may take less.
        let performance = port.performance();
        let clock = || performance.as_ref().map_or_else(js_sys::Date::now, |performance| performance.now());
        engine.borrow_mut().answer(request, &clock, &mut page)
    };
    if let Some(locale) = request.task.locale()
        && learn(port, locale).await.is_err()
    {
        return WorkerReply(Err(Failure::NoWords(locale)));
    }
    let mut result = run();
    if lacks_writer(&result) && fetch_writer().await.is_ok() {
        result = run();
    }
    if lacks_readers(&result) && fetch_readers().await.is_ok() {
        result = run();
    }
    WorkerReply(result)
}

/// Fetches the words of a language unless they are known.
async fn learn(port: &DedicatedWorkerGlobalScope, locale: Locale) -> Result<(), JsValue> {
    if locale.is_known() {
        return Ok(());
    }
    let response: Response = JsFuture::from(port.fetch_with_str(&beside(&locale.file()))).await?.dyn_into()?;
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    // What a site sends in place of a missing file is no table of words.
    if locale.learn(&text) { Ok(()) } else { Err(JsValue::NULL) }
}

/// Passes reports on to the page, each kind at most once in its interval.
struct PageListener<'a> {
    port: &'a DedicatedWorkerGlobalScope,
    job: f64,
    /// When the page was last sent progress, and when a plan, in milliseconds since 1970.
    last_progress: f64,
    last_best: f64,
}

impl Listener for PageListener<'_> {
    fn progress(&mut self, progress: Progress) {
        let now = js_sys::Date::now();
        if now - self.last_progress >= PROGRESS_EVERY {
            self.last_progress = now;
            let (peak, bound) = progress.best.unwrap_or_default();
            let figures = [progress.done, progress.total, peak, bound].map(|figure| JsValue::from(figure as f64));
            let figures: Array = figures[..if progress.best.is_some() { 4 } else { 2 }].iter().collect();
            // It fails if the page is gone.
            let _ = self.port.post_message(&Array::of3(&self.job.into(), &"progress".into(), &figures));
        }
    }

    fn is_best_due(&mut self) -> bool {
        js_sys::Date::now() - self.last_best >= BEST_EVERY
    }

    fn best(&mut self, done: Done) {
        send(self.port, self.job, "best-so-far", &postcard::to_stdvec(&done).unwrap_or_default(), None);
        self.last_best = js_sys::Date::now();
    }
}

/// Returns a handle of a file with these bytes; none if the browser has no room for it.
fn handle(bytes: &[u8]) -> Option<Blob> {
    Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).ok()
}

/// Posts a message `[job number, kind, payload, file]`; the payload is transferred, the file is
/// shared.
fn send(port: &DedicatedWorkerGlobalScope, job: f64, kind: &str, bytes: &[u8], file: Option<Blob>) {
    let payload = Uint8Array::from(bytes);
    let message = Array::of3(&job.into(), &kind.into(), &payload);
    file.iter().for_each(|file| _ = message.push(file));
    // It fails if the page is gone.
    let _ = port.post_message_with_transfer(&message, &Array::of1(&payload.buffer()));
}
