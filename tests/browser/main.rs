//! What only a browser can show: painting on a canvas and how long it takes, and what JavaScript is given.
#![cfg(target_arch = "wasm32")]

mod api;
mod copies;
mod engine;
mod painting;
mod rendering;
mod timing;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);
