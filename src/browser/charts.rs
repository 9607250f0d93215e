//! Charts come with the engine's module, which is loaded into the page when the first one is drawn.

use js_sys::{Float64Array, Promise, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlCanvasElement;

use crate::browser::download::save_text;
use memplan_scene::Chart;

#[wasm_bindgen(inline_js = "
let engine;
function load() {
  engine ??= (async () => {
    // A page that is one HTML file has the program inside.
    const inside = globalThis.memplanInside;
    const module = await import(inside ? inside.address('engine.js') : new URL('../../engine.js', import.meta.url));
    await module.default(inside && { module_or_path: inside.address('engine_bg.wasm') });
    return module;
  })();
  return engine;
}
export async function drawChart(canvas, bytes, dark, scale) { const spots = (await load()).drawChart(canvas, bytes, dark, scale); canvas.dataset.drawn = ''; return spots; }
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

/// Draws a chart over a canvas; `drawn` gets x and y of each point, or `None` if the chart cannot
/// be drawn.
pub fn draw_chart(
    canvas: HtmlCanvasElement,
    chart: &Chart,
    dark: bool,
    scale: f64,
    drawn: impl FnOnce(Option<Vec<f64>>) + 'static,
) {
    let drawing = draw(&canvas, packed(chart), dark, scale);
    spawn_local(async move {
        let spots = JsFuture::from(drawing).await.ok();
        drawn(spots.map(|spots| spots.unchecked_into::<Float64Array>().to_vec()));
    });
}

/// Saves a chart as an SVG file of this size.
pub fn save_chart(chart: &Chart, size: (f64, f64), dark: bool) {
    let drawn = svg(packed(chart), size.0, size.1, dark);
    spawn_local(async move {
        if let Some(text) = JsFuture::from(drawn).await.ok().and_then(|text| text.as_string()) {
            save_text("chart.svg", &text);
        }
    });
}
