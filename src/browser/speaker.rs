//! The speaker's window beside a presented plan.

use wasm_bindgen::prelude::*;

use memplan_worker::beside;

#[wasm_bindgen(module = "/src/browser/speaker.js")]
extern "C" {
    #[wasm_bindgen(js_name = openSpeaker)]
    fn open(address: &str, told: &JsValue) -> bool;

    /// Sends the window what it shows; nothing without a window.
    pub fn speak(text: &str);

    /// Closes the window: nothing is presented any more.
    #[wasm_bindgen(js_name = closeSpeaker)]
    pub fn close_speaker();
}

/// Opens the window, which calls `told` with what its keys ask for; false if the browser refuses,
/// as it does unless this is called by a click.
pub fn open_speaker(told: impl FnMut(String) + 'static) -> bool {
    let told = Closure::<dyn FnMut(String)>::new(told);
    open(&beside("speaker.html"), &told.into_js_value())
}
