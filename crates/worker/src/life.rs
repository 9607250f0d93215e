//! Detects the end of a worker by a lock of the browser, and finds its program.

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::Worker;

#[wasm_bindgen(module = "/src/life.js")]
extern "C" {
    /// Returns the address of a file in the folder of the page's programs.
    pub fn beside(file: &str) -> String;

    /// Starts the worker of this name.
    #[wasm_bindgen(catch, js_name = startWorker)]
    pub(super) fn start_worker(name: &str) -> Result<Worker, JsValue>;

    /// Takes a lock that the browser releases when this worker ends, and calls `held` with its
    /// name.
    pub(super) fn hold(held: &Function);

    /// Calls `freed` when the lock is released.
    #[wasm_bindgen(js_name = onceFree)]
    fn once_free(name: &str, freed: &Function) -> Stop;

    type Stop;
    #[wasm_bindgen(method)]
    fn abort(this: &Stop);
}

/// Waits for the end of a worker; dropping it ends the wait.
pub(super) struct Watch {
    stop: Stop,
    _ended: Closure<dyn FnMut()>,
}

impl Watch {
    /// Calls `ended` when the worker that holds this lock has ended.
    pub(super) fn on(lock: &str, ended: impl FnMut() + 'static) -> Watch {
        let ended = Closure::<dyn FnMut()>::new(ended);
        Watch { stop: once_free(lock, ended.as_ref().unchecked_ref()), _ended: ended }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.abort();
    }
}
