//! Another plan of the same buffers, pale over the one that is drawn.

use super::drawing::{Drawing, Picture};
use super::ink::{Color, Dash, Ink};
use super::label;
use super::mark::{Anchor, Layer};
use memplan_core::base::IdVec;
use memplan_core::plan::Place;
use memplan_core::problem::BufferId;

/// Font size of names, and in boxes lower than that, in px.
const NAME: f64 = 11.0;
const SMALL: f64 = 9.0;

/// Lowest box with a name, in px.
const LOW: f64 = 6.0;

/// Draws boxes with dashed edges where buffers lie in the other plan, with their names if there is
/// room.
pub fn ghost(picture: Picture, places: &IdVec<BufferId, Option<Place>>) -> Layer {
    let Picture { run, style, .. } = picture;
    let drawing = Drawing::new(picture);
    let mut layer = Layer::clipped(drawing.projection.plot);
    for (id, buffer) in run.problem.buffers.enumerate() {
        let place = places.get(id).copied().flatten().filter(|_| buffer.size > 0);
        let Some((place, band)) = place.and_then(|place| Some((place, drawing.projection.band(place.pool)?))) else {
            continue;
        };
        let rect = drawing.region(band, buffer.live, place.offset, buffer.size);
        layer.rect(rect, Ink::fill(Color::Background).alpha(0.55));
        layer.rect(rect, Ink::fill(Color::Accent).alpha(0.14));
        layer.rect(rect.inset(0.5), Ink::dashed(Color::Accent, 1.25, Dash::Candidate));
        let size = if rect.h >= NAME { NAME } else { SMALL };
        let name = label::shortened(run.label(id), rect.w - 6.0, style.font(size), true).filter(|_| rect.h >= LOW);
        if let Some(name) = name {
            let text = drawing.name(name, rect.centre(), Anchor::Middle, size).bold();
            layer.text(text.halo(Color::Background, 3.0), Color::Accent);
        }
    }
    layer
}
