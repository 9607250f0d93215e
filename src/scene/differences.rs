//! Where a plan differs from another one of the same buffers.

use super::drawing::Drawing;
use super::geometry::{Rect, Size};
use super::index::Index;
use super::ink::{Color, Dash, Ink};
use super::mark::{Layer, Scene, Shape};
use super::style::Style;
use super::view::View;
use crate::plan::Place;
use crate::problem::BufferId;
use crate::replay::{Frame, Run};

/// Most lines to where buffers are in the other plan.
const MOST: usize = 300;

/// Buffers at the same address in both plans are faded; a line leads from each other one to its address in `reference`.
pub fn differences(
    run: &Run,
    index: &Index,
    frame: &Frame,
    view: &View,
    size: Size,
    style: &Style,
    reference: &Run,
) -> Scene {
    let drawing = Drawing::new(run, index, frame, view, size, style);
    let mut layer = Layer::clipped(drawing.projection.plot);
    let mut lines = 0;
    // Where all is in one pool, addresses alone are compared.
    let only = drawing.projection.bands.first().filter(|_| drawing.projection.bands.len() == 1);
    let same = |there: Place, here: Place| there.offset == here.offset && (there.pool == here.pool || only.is_some());
    for (id, buffer) in run.problem.buffers.enumerate() {
        let Some(rect) = drawing.rect(id).filter(|rect| rect.meets(&drawing.projection.plot)) else { continue };
        let there = other(run, reference, id).and_then(|other| reference.plan.places[other]);
        if matches!((there, frame.places[id]), (Some(there), Some(here)) if same(there, here)) {
            layer.rect(rect, Ink::fill(Color::Background).alpha(0.72));
            continue;
        }
        let Some(place) = there.filter(|_| lines < MOST) else { continue };
        // The same pool may not exist here.
        let Some(band) = only.or_else(|| drawing.projection.band(place.pool)) else { continue };
        let away: Rect =
            drawing.projection.snapped(drawing.projection.exact(band, buffer.live, place.offset, buffer.size));
        let (from, to) = (rect.centre(), away.centre());
        layer.push(Shape::Rect(away), Ink::dashed(Color::Chosen, 1.0, Dash::Missed));
        layer.line(from, to, Ink::line(Color::Chosen, 1.0));
        layer.push(Shape::Circle(from, 2.0), Ink::fill(Color::Chosen));
        lines += 1;
    }
    Scene::new(size, vec![layer])
}

/// The buffer of the same name in the other plan.
fn other(run: &Run, reference: &Run, id: BufferId) -> Option<BufferId> {
    let name = &run.problem.buffers[id].name;
    match reference.problem.buffers.get(id) {
        Some(buffer) if buffer.name == *name => Some(id),
        _ => reference.problem.buffer_named(name),
    }
}
