//! What only a browser can show: painting on a canvas and how long it takes, and what JavaScript is
//! given.
#![cfg(target_arch = "wasm32")]

mod api;
// What the program `engine` exports.
mod copies;
mod engine;
#[path = "../../crates/worker/src/bin/engine/api.rs"]
mod interface;
mod moving;
mod painting;
mod rendering;
mod timing;

use std::time::Duration;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

/// Waits until a condition holds, looking in tasks of its own.
///
/// # Panics
/// With what was waited for, after some seconds: enough for a busy machine.
async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        yew::platform::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never: {what}");
}

/// Gives the program its words, which the page fetches.
fn learn_words() {
    use memplan_core::text::Locale;
    assert!(Locale::En.learn(include_str!("../../crates/core/locales/en.json")));
    assert!(Locale::Zh.learn(include_str!("../../crates/core/locales/zh.json")));
}
