//! Planners that users write, which the engine fetches when the first of them is asked for.

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// Answers a question about a program of a user. Question and answer are encoded.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub fn answer(ask: &[u8]) -> Vec<u8> {
    memplan_own::answer_packed(ask)
}

/// The sources that this program was compiled of.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub fn build() -> f64 {
    memplan_engine::BUILD as f64
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
