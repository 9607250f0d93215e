//! The readers of other tools' files, which the engine fetches when the first such file is opened.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// Reads a file. `choices` and the result, the document or its faults, are encoded by `engine`.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub fn read(bytes: &[u8], choices: &[u8]) -> Vec<u8> {
    memplan::engine::read_packed(bytes, choices)
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
