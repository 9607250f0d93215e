//! A page that is one HTML file, with everything that it needs inside, and how such a file is made.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use crate::browser::download::save;
use crate::browser::window;
use crate::open::state::document::OnePage;

#[wasm_bindgen(module = "/src/browser/inside.js")]
extern "C" {
    #[wasm_bindgen(js_name = isInside)]
    fn is_inside() -> bool;
    #[wasm_bindgen(js_name = linkInside)]
    fn link() -> String;
    #[wasm_bindgen(js_name = nearby)]
    fn address(path: &str) -> Option<String>;
    #[wasm_bindgen(catch, js_name = makePage)]
    async fn make(title: &str, link: &str, path: &str, contents: Uint8Array) -> Result<JsValue, JsValue>;
}

/// Whether the page is one HTML file.
pub fn is_one_file() -> bool {
    window().is_some() && is_inside()
}

/// Where the file leads that the page is; empty for a page of a site.
pub fn link_inside() -> String {
    if window().is_some() { link() } else { String::new() }
}

/// The address of a file beside the page, such as an example. A page that is one HTML file has none
/// for what is not inside.
pub fn nearby(path: &str) -> Option<String> {
    if window().is_some() { address(path) } else { Some(format!("./{path}")) }
}

/// Saves a document with this page around it as one HTML file; false if the files of the page could
/// not be had.
pub async fn save_page(name: &str, contents: &[u8], page: &OnePage) -> bool {
    let made = make(&page.title, &page.link, &page.path, Uint8Array::from(contents)).await;
    let blob = made.ok().and_then(|made| made.dyn_into::<Blob>().ok());
    blob.inspect(|blob| save(name, blob)).is_some()
}
