//! The pieces of buffers in a picture, and the inks of those too small to be drawn by themselves.

use super::density;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Class, Color, Ink, Part, Tone};
use memplan_core::plan::Place;
use memplan_core::problem::{BufferId, Live};

/// Smallest side drawn as a rectangle of its own; thinner ones are added up.
pub const SMALLEST: f64 = 1.0;

/// Visits each piece of a buffer at a place that meets the plot: its box, not yet on device pixels,
/// and whether it is too small to be drawn by itself.
pub fn pieces(drawing: &Drawing, id: BufferId, place: Place, mut visit: impl FnMut(Rect, bool)) {
    let (projection, buffer) = (&drawing.projection, &drawing.run.problem.buffers[id]);
    let Some(band) = projection.band(place.pool).filter(|band| buffer.size > 0 && !band.is_folded) else { return };
    let mut piece = |live: Live, low: u64, high: u64| {
        let exact = projection.exact(band, live, place.offset + low, high - low);
        if exact.meets(&projection.plot) {
            visit(exact, exact.w < SMALLEST || exact.h < SMALLEST);
        }
    };
    if buffer.gaps.is_empty() {
        return piece(buffer.live, 0, buffer.size);
    }
    buffer.spans().into_iter().for_each(|span| piece(span.live, span.low, span.high));
}

/// The inks of small buffers of a kind: a few thin ones are mostly border, many together are an
/// area.
pub fn inks((tone, class): (Tone, Class)) -> density::Inks {
    [Part::Border, Part::Fill].map(|part| Ink::fill(Color::Buffer(part, class, tone)))
}
