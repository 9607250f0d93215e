//! Charts on the page's canvas. The page loads this program when the first chart is opened, so that
//! it does not carry plotters.

use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use memplan_scene::Chart;
use memplan_scene::paint::{self, Palette, Theme};

fn theme(dark: bool) -> Theme {
    if dark { Theme::Dark } else { Theme::Light }
}

fn chart(bytes: &[u8]) -> Result<Chart, JsValue> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string().into())
}

/// Draws a chart over a canvas; fonts and lines are `scale` times as large. Returns x and y of each
/// point in css pixels.
///
/// # Errors
/// The error of plotters, as text.
#[wasm_bindgen(js_name = drawChart)]
pub fn draw_chart(canvas: HtmlCanvasElement, bytes: &[u8], dark: bool, scale: f64) -> Result<Vec<f64>, JsValue> {
    let chart = chart(bytes)?;
    let backend = CanvasBackend::with_canvas_object(canvas).ok_or(JsValue::NULL)?;
    let drawn = paint::draw_chart(&backend.into_drawing_area(), &chart, &Palette::of(theme(dark)), scale);
    let spots = drawn.map_err(|error| JsValue::from(error.to_string()))?;
    Ok(spots.into_iter().flat_map(|(x, y)| [x / scale, y / scale]).collect())
}

/// Returns the same chart as an SVG document.
///
/// # Errors
/// The error of plotters, as text.
#[wasm_bindgen(js_name = chartSvg)]
pub fn chart_svg(bytes: &[u8], width: f64, height: f64, dark: bool) -> Result<String, JsValue> {
    paint::chart_svg(&chart(bytes)?, (width, height), theme(dark)).map_err(JsValue::from)
}
