//! The page without a network.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/app/browser/offline.js")]
extern "C" {
    #[wasm_bindgen(js_name = keepOffline)]
    fn keep(told: &JsValue);
}

/// Lets the browser keep the files of the page once it has nothing else to do. `told` is called when a new version is at hand.
pub fn keep_offline(told: impl FnMut() + 'static) {
    // It is needed as long as the page is there.
    keep(&Closure::<dyn FnMut()>::new(told).into_js_value());
}
