//! Calls of the browser: elements, storage, files, downloads, canvases. Nothing here knows what the
//! page shows. No other folder of the page asks the window or its document
//! (tests/native/floors/globals.rs).

pub mod canvas;
pub mod charts;
pub mod clipboard;
pub mod copied;
pub mod date;
pub mod dialogs;
pub mod dom;
pub mod download;
pub mod files;
pub mod fullscreen;
pub mod idb;
pub mod inside;
pub mod kept;
pub mod later;
pub mod location;
pub mod media;
pub mod offline;
pub mod painting;
pub mod remote;
pub mod rule;
pub mod speaker;
pub mod tabs;
pub mod typing;
pub mod visit;

use wasm_bindgen::JsValue;
use web_sys::Window;

/// The window of the page; none natively, where views are drawn as text.
fn window() -> Option<Window> {
    if cfg!(target_arch = "wasm32") { web_sys::window() } else { None }
}

/// A style as a property of its element: the policy of the page forbids it as an attribute. A view
/// that is drawn as text has none.
pub fn css(style: impl Into<JsValue>) -> JsValue {
    if cfg!(target_arch = "wasm32") { style.into() } else { JsValue::UNDEFINED }
}
