//! Whether a worker lives, and where its program lies.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/worker/life.js")]
extern "C" {
    /// Returns the address of a file that lies where the programs of the page do.
    pub fn beside(file: &str) -> String;

    /// Takes a lock for as long as this worker lives, and tells its name.
    pub(super) fn hold(told: &Function);

    /// Tells once nobody holds a lock any more.
    #[wasm_bindgen(js_name = onceFree)]
    fn once_free(name: &str, told: &Function) -> Stop;

    type Stop;
    #[wasm_bindgen(method)]
    fn abort(this: &Stop);
}

/// Waits for the end of a worker; dropping it ends the wait.
pub(super) struct Watch {
    stop: Stop,
    _told: Closure<dyn FnMut()>,
}

impl Watch {
    /// Calls `told` when the worker that holds this lock is gone.
    pub(super) fn on(lock: &str, told: impl FnMut() + 'static) -> Watch {
        let told = Closure::<dyn FnMut()>::new(told);
        Watch { stop: once_free(lock, told.as_ref().unchecked_ref()), _told: told }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.abort();
    }
}
