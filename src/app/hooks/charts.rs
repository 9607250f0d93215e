//! Charts come with the engine's module, which is loaded into the page when the first one is drawn.

use js_sys::{Promise, Uint8Array, encode_uri_component};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlAnchorElement, HtmlCanvasElement};

use crate::scene::Chart;

#[wasm_bindgen(inline_js = "
let engine;
function load() {
  engine ??= (async () => { const module = await import(new URL('./engine.js', document.baseURI)); await module.default(); return module; })();
  return engine;
}
export async function drawChart(canvas, bytes, dark, scale) { (await load()).drawChart(canvas, bytes, dark, scale); canvas.dataset.drawn = ''; }
export async function chartSvg(bytes, width, height, dark) { return (await load()).chartSvg(bytes, width, height, dark); }
")]
extern "C" {
    #[wasm_bindgen(js_name = drawChart)]
    fn draw(canvas: &HtmlCanvasElement, bytes: Uint8Array, dark: bool, scale: f64) -> Promise;
    #[wasm_bindgen(js_name = chartSvg)]
    fn svg(bytes: Uint8Array, width: f64, height: f64, dark: bool) -> Promise;
}

fn packed(chart: &Chart) -> Uint8Array {
    // Plain values: writing them cannot fail.
    Uint8Array::from(postcard::to_stdvec(chart).unwrap_or_default().as_slice())
}

/// Draws a chart over a canvas; `failed` hears if that is not possible.
pub fn draw_chart(canvas: HtmlCanvasElement, chart: &Chart, dark: bool, scale: f64, failed: impl FnOnce() + 'static) {
    let drawn = draw(&canvas, packed(chart), dark, scale);
    spawn_local(async move {
        if JsFuture::from(drawn).await.is_err() {
            failed();
        }
    });
}

/// Saves a chart as an SVG file of this size.
pub fn save_chart(chart: &Chart, size: (f64, f64), dark: bool) {
    let drawn = svg(packed(chart), size.0, size.1, dark);
    spawn_local(async move {
        if let Some(text) = JsFuture::from(drawn).await.ok().and_then(|text| text.as_string()) {
            download("chart.svg", &format!("data:image/svg+xml;charset=utf-8,{}", encode_uri_component(&text)));
        }
    });
}

/// Saves what a data address holds as a file.
pub fn download(name: &str, address: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let anchor = document.and_then(|document| document.create_element("a").ok()?.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(anchor) = anchor {
        anchor.set_href(address);
        anchor.set_download(name);
        anchor.click();
    }
}
