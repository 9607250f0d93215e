//! The tabs of the page.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use crate::open::state::recovery::Tab;

#[wasm_bindgen(module = "/src/browser/tabs.js")]
extern "C" {
    #[wasm_bindgen(js_name = openTab)]
    fn open() -> Array;
    #[wasm_bindgen(catch, js_name = stillOpen)]
    async fn open_of(tabs: Array) -> Result<JsValue, JsValue>;
}

/// Names this tab.
pub fn open_tab() -> Tab {
    let names = open();
    let name = |at| names.get(at).as_string().unwrap_or_default();
    Tab { name: name(0), before: name(1) }
}

/// Returns those of some tabs that are still open.
pub async fn still_open(tabs: &[&str]) -> Vec<String> {
    let asked: Array = tabs.iter().map(|tab| JsString::from(*tab)).collect();
    let open = open_of(asked).await.ok().and_then(|open| open.dyn_into::<Array>().ok()).unwrap_or_default();
    open.iter().filter_map(|tab| tab.as_string()).collect()
}
