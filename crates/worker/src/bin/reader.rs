//! The readers of other tools' files, which the engine fetches when the first such file is opened.

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// Reads a file that is no longer compressed. `answers` and the result, the document or its faults,
/// are encoded by `engine`.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub fn read(bytes: &[u8], answers: &[u8]) -> Vec<u8> {
    memplan_engine::read_packed(bytes, answers)
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
