//! Typing for the user: what is inserted this way can be undone by the keys of the browser.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::HtmlTextAreaElement;

use crate::browser::dom::by_id;

#[wasm_bindgen(inline_js = "export function insertText(text) { document.execCommand('insertText', false, text); }
export function eraseText() { document.execCommand('delete'); }")]
extern "C" {
    /// Takes away what is selected in the field that has the focus.
    #[wasm_bindgen(js_name = eraseText)]
    pub fn erase();

    /// Puts a text in place of what is selected in the field that has the focus.
    #[wasm_bindgen(js_name = insertText)]
    pub fn insert(text: &str);
}

/// Puts a text in place of all that stands in a field.
pub fn rewrite(id: &str, text: &str) {
    if let Some(field) = by_id(id).and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok())
        && field.focus().is_ok()
    {
        field.select();
        insert(text);
    }
}
