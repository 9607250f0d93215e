//! What only a browser can show: painting on a canvas and how long it takes, and what JavaScript is
//! given.
#![cfg(target_arch = "wasm32")]

mod api;
mod copies;
mod engine;
mod painting;
mod rendering;
mod timing;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

/// Gives the program its words, which the page fetches.
fn learn_words() {
    use memplan::text::Locale;
    assert!(Locale::En.learn(include_str!("../../www/locales/en.json")));
    assert!(Locale::Zh.learn(include_str!("../../www/locales/zh.json")));
}
