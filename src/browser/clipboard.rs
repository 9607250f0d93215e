//! The clipboard of the system.

use js_sys::Reflect;
use wasm_bindgen_futures::JsFuture;

use crate::browser::window;

/// Puts a text on the clipboard; false if the browser refuses.
pub async fn put_on_clipboard(text: &str) -> bool {
    let Some(navigator) = window().map(|window| window.navigator()) else { return false };
    // A page that is not served over HTTPS has no clipboard at all, and asking it fails like a
    // refusal.
    let has_clipboard = Reflect::get(&navigator, &"clipboard".into())
        .is_ok_and(|clipboard| !clipboard.is_undefined() && !clipboard.is_null());
    has_clipboard && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}
