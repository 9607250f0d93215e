//! The readers of other tools' files, fetched beside the engine when the first such file comes.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// Reads a file by the choices made for it. They, and the document or the faults, are bytes that `engine` alone understands.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub fn read(bytes: &[u8], choices: &[u8]) -> Vec<u8> {
    memplan::engine::read_packed(bytes, choices)
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
