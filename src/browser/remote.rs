//! Downloads of documents from an address, with limits on size and on time without data.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    AbortController, Blob, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials, RequestInit, RequestMode,
    Response,
};

use crate::browser::window;
use crate::open::state::sites::Missing;
use gloo_timers::callback::Timeout;
use memplan_worker::FileData;

/// How long nothing may come, in milliseconds.
const PATIENCE: u32 = 30_000;

/// How often progress is reported at most, in milliseconds.
const REPORT_EVERY: f64 = 200.0;

/// What a download reports.
pub enum DownloadEvent {
    /// Bytes received and, if the site states it, bytes in all.
    Progress(u64, Option<u64>),
    /// The file, or why there is none.
    Over(Result<FileData, Missing>),
}

/// A running download. Dropping it aborts the request, and nothing more is reported.
pub struct Download {
    controller: AbortController,
    is_wanted: Rc<Cell<bool>>,
}

impl Download {
    /// Starts to fetch at most `limit` bytes. A request to the `own` site follows no redirect to
    /// another one.
    pub fn begin(address: String, own: bool, limit: f64, report: impl Fn(DownloadEvent) + 'static) -> Option<Download> {
        let controller = AbortController::new().ok()?;
        let is_wanted = Rc::new(Cell::new(true));
        let (aborts, wanted) = (controller.clone(), is_wanted.clone());
        spawn_local(async move {
            let send = |what| {
                if wanted.get() {
                    report(what);
                }
            };
            let result = receive(&address, own, limit, &aborts, &send).await;
            // The rest of a body that is not read would otherwise still be transferred.
            aborts.abort();
            send(DownloadEvent::Over(result));
        });
        Some(Download { controller, is_wanted })
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        self.is_wanted.set(false);
        self.controller.abort();
    }
}

async fn receive(
    address: &str,
    own: bool,
    limit: f64,
    controller: &AbortController,
    send: &impl Fn(DownloadEvent),
) -> Result<FileData, Missing> {
    let patience = Patience::new(controller);
    let response = respond(address, own, controller).await.map_err(|_| patience.missing())?;
    if !response.ok() {
        return Err(Missing::Status(response.status()));
    }
    let length = response.headers().get("content-length").ok().flatten();
    let total: Option<u64> = length.and_then(|length| length.parse().ok());
    if total.is_some_and(|total| total as f64 > limit) {
        return Err(Missing::Large);
    }
    let (chunks, mut bytes, mut reported) = (Array::new(), 0.0, 0.0);
    if let Some(body) = response.body() {
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        loop {
            patience.again();
            let piece = JsFuture::from(reader.read()).await.map_err(|_| patience.missing())?;
            let Some(chunk) =
                Reflect::get(&piece, &"value".into()).ok().and_then(|value| value.dyn_into::<Uint8Array>().ok())
            else {
                break;
            };
            bytes += f64::from(chunk.length());
            if bytes > limit {
                return Err(Missing::Large);
            }
            chunks.push(&chunk);
            let now = js_sys::Date::now();
            if now - reported > REPORT_EVERY {
                reported = now;
                // The length of a compressed body is that before it is unpacked.
                send(DownloadEvent::Progress(bytes as u64, total.filter(|total| *total as f64 >= bytes)));
            }
        }
    }
    Blob::new_with_u8_array_sequence(&chunks).map(FileData::from).map_err(|_| Missing::Refused)
}

/// Sends the request, without cookies and without a referrer.
async fn respond(address: &str, own: bool, controller: &AbortController) -> Result<Response, JsValue> {
    let init = RequestInit::new();
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init.set_mode(if own { RequestMode::SameOrigin } else { RequestMode::Cors });
    init.set_signal(Some(&controller.signal()));
    let window = window().ok_or(JsValue::NULL)?;
    JsFuture::from(window.fetch_with_str_and_init(address, &init)).await?.dyn_into()
}

/// Aborts a download that has received nothing for some time.
struct Patience {
    controller: AbortController,
    is_over: Rc<Cell<bool>>,
    timer: Cell<Option<Timeout>>,
}

impl Patience {
    fn new(controller: &AbortController) -> Patience {
        let patience =
            Patience { controller: controller.clone(), is_over: Rc::new(Cell::new(false)), timer: Cell::new(None) };
        patience.again();
        patience
    }

    /// Starts the time anew: something arrived.
    fn again(&self) {
        let (controller, is_over) = (self.controller.clone(), self.is_over.clone());
        self.timer.set(Some(Timeout::new(PATIENCE, move || {
            is_over.set(true);
            controller.abort();
        })));
    }

    /// Returns why a request or its body failed.
    fn missing(&self) -> Missing {
        if self.is_over.get() { Missing::Silent } else { Missing::Refused }
    }
}
