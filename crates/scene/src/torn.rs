//! The cut through a plan whose axis of addresses is broken ([`super::squeeze`]).

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink};
use super::mark::{Anchor, Layer, Shape, Text};
use memplan_core::base::Message;

/// Width and height of a tooth of the torn edges.
const TOOTH: (f64, f64) = (9.0, 3.0);

/// The strip across the plan where it is cut open.
pub fn strip(drawing: &Drawing) -> Option<Rect> {
    let squeeze = drawing.style.squeeze?;
    let band = drawing.projection.band(squeeze.pool)?;
    let plot = drawing.projection.plot;
    let middle = (band.y(squeeze.from) + band.y(squeeze.to)) / 2.0;
    let high = (band.y(squeeze.from) - band.y(squeeze.to)).abs().min(16.0 * drawing.style.text_scale);
    let strip = Rect::new(plot.x, middle - high / 2.0, plot.w, high);
    (strip.y < plot.bottom() && strip.bottom() > plot.y).then_some(strip)
}

/// The cut through what lies on a strip, with the bytes that are not drawn to scale.
pub fn draw(drawing: &Drawing, strip: Option<Rect>, layer: &mut Layer) {
    let (Some(strip), Some(squeeze)) = (strip, drawing.style.squeeze) else { return };
    layer.rect(strip, Ink::fill(Color::Background));
    for y in [strip.y, strip.bottom()] {
        layer.push(Shape::Polyline(torn(strip.x, strip.right(), y)), Ink::line(Color::Muted, 1.0));
    }
    let words = drawing.say(&Message::new("stage.squeezed").bytes("size", squeeze.to - squeeze.from));
    let size = drawing.words(words, strip.centre(), Anchor::Middle, 10.0);
    if size.bounds().w <= strip.w - 8.0 && strip.h >= size.size {
        layer.text(Text { at: (strip.centre().0, strip.centre().1 + 0.5), ..size }, Color::Muted);
    }
}

/// A zigzag from left to right.
fn torn(from: f64, to: f64, y: f64) -> Vec<(f64, f64)> {
    let count = ((to - from) / TOOTH.0).ceil().max(1.0) as usize;
    let point = |number: usize| {
        let up = if number.is_multiple_of(2) { -TOOTH.1 } else { TOOTH.1 };
        ((from + number as f64 * TOOTH.0).min(to), y + up / 2.0)
    };
    (0..=count).map(point).collect()
}
