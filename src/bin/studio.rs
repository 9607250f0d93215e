//! The page with every mode: loaded beside the first, smaller one when the graph is edited or planners are compared.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// Draws the page; `leave`, if it is a function, ends the program before and gives what it leaves.
///
/// # Errors
/// The words of the page could not be fetched; nothing was ended.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
pub async fn resume(leave: JsValue) -> Result<(), JsValue> {
    memplan::app::resume(leave).await
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
