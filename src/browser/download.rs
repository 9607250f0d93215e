//! Files go out as downloads: nothing leaves the browser.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use crate::browser::dom::{create, document};
use gloo_timers::callback::Timeout;

/// Saves a text under a name whose suffix is that of its type.
pub fn save_text(name: &str, text: &str) {
    save_bytes(name, text.as_bytes());
}

/// Saves a file under a name whose suffix is that of its type.
pub fn save_bytes(name: &str, contents: &[u8]) {
    let kind = match name.rsplit_once('.').map_or("", |(_, suffix)| suffix) {
        "json" => "application/json",
        "csv" => "text/csv",
        "svg" => "image/svg+xml",
        "tflite" => "application/octet-stream",
        _ => "text/plain",
    };
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = Array::of1(&Uint8Array::from(contents));
    if let Ok(blob) = Blob::new_with_blob_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Saves what a canvas shows as PNG.
pub fn save_picture(canvas: &HtmlCanvasElement, name: String) {
    let done = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            save(&name, &blob);
        }
    });
    // Only a canvas with pictures of other sites refuses.
    let _ = canvas.to_blob(done.unchecked_ref());
}

/// Has the browser save a blob.
pub fn save(name: &str, blob: &Blob) {
    let Some(link) = create("a").and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) else { return };
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The browser reads the blob after the click is over.
    Timeout::new(10_000, move || {
        // An address that is gone needs no revoking.
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
}

/// Hands a file, a `Blob` or a `Uint8Array`, to the browser, as a press on a link to it would.
pub fn download(name: &str, file: &JsValue, kind: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = Array::of1(file);
    let url = Url::create_object_url_with_blob(&Blob::new_with_blob_sequence_and_options(&parts, &options)?)?;
    let link: HtmlAnchorElement = document().ok_or(JsValue::NULL)?.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser has taken the file when the call is back.
    Url::revoke_object_url(&url)
}
