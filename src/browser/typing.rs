//! Typing for the user: what is inserted this way can be undone by the keys of the browser.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(inline_js = "export function insertText(text) { document.execCommand('insertText', false, text); }")]
extern "C" {
    /// Puts a text in place of what is selected in the field that has the focus.
    #[wasm_bindgen(js_name = insertText)]
    pub fn insert(text: &str);
}
