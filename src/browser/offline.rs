//! The page without a network.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/browser/offline.js")]
extern "C" {
    #[wasm_bindgen(js_name = keepOffline)]
    fn keep(ready: &JsValue);
}

/// Lets the browser keep the files of the page once it has nothing else to do. `ready` is called
/// when a new version is available.
pub fn keep_offline(ready: impl FnMut() + 'static) {
    // It is needed as long as the page is there.
    keep(&Closure::<dyn FnMut()>::new(ready).into_js_value());
}
