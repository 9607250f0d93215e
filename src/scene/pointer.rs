//! Selection, keyboard focus and what lies under the pointer.

use super::axes;
use super::callouts;
use super::drawing::Drawing;
use super::frame_marks;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::mark::{Layer, Shape};
use super::style::Marks;
use super::tree_marks;
use super::waste;
use crate::problem::BufferId;

/// Rings over everything else.
pub fn draw(drawing: &Drawing, marks: &Marks, layer: &mut Layer) {
    if let Some(step) = marks.step {
        cursor(drawing, step, layer);
    }
    if let Some(rect) = marks.node.and_then(|node| tree_marks::node_rect(drawing, node)) {
        ring(drawing, rect, Ink::line(Color::Accent, 2.0), layer);
    }
    let pointed = marks.candidate.and_then(|number| callouts::place_of(drawing, number));
    let missed = marks.missed.then(|| frame_marks::missed_rect(drawing)).flatten();
    for rect in pointed.into_iter().chain(missed) {
        layer.rect(rect, Ink::fill(Color::Accent).alpha(0.12));
        ring(drawing, rect, Ink::line(Color::Accent, 2.0), layer);
    }
    let buffer = |id: BufferId| drawing.rect(id).or_else(|| bar(drawing, id));
    if let Some(rect) = marks.hovered.filter(|_| marks.hovered != marks.selected).and_then(buffer) {
        ring(drawing, rect, Ink::line(Color::Text, 2.0), layer);
    }
    if let Some(rect) = marks.selected.and_then(buffer) {
        ring(drawing, rect, Ink::line(Color::Accent, 3.0), layer);
        // Reasons beside the selected buffer are read over its ring.
        let reasons = callouts::callouts(drawing).into_iter();
        reasons
            .filter(|callout| callout.is_over(&rect))
            .for_each(|callout| frame_marks::reason(drawing, &callout, layer));
    }
    if let Some(rect) = marks.focused.and_then(buffer) {
        ring(drawing, rect.inset(-3.0), Ink::dashed(Color::Accent, 2.0, Dash::Candidate), layer);
    }
}

/// The bar of a waiting buffer.
fn bar(drawing: &Drawing, id: BufferId) -> Option<Rect> {
    let lane = drawing.projection.lane?;
    axes::waiting(drawing, lane).into_iter().find(|(waiting, _)| *waiting == id).map(|(_, bar)| bar)
}

/// A ring around a box, its halo 2 px wider on both sides; a box too small to see has a ring all the same.
fn ring(drawing: &Drawing, rect: Rect, ink: Ink, layer: &mut Layer) {
    let least = Rect { w: rect.w.max(2.0), h: rect.h.max(2.0), ..rect };
    let frame = drawing.projection.plot.inset(-12.0);
    let bounds = Rect { h: drawing.projection.size.1 - frame.y, ..frame };
    let Some(rect) = least.cut(&bounds) else { return };
    let width = ink.stroke.map_or(1.0, |stroke| stroke.width);
    layer.push(Shape::Rect(rect), Ink::line(Color::Background, width + 4.0));
    layer.push(Shape::Rect(rect), ink);
}

/// A line at a step with the gaps below the tops of the pools.
fn cursor(drawing: &Drawing, step: u32, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let x = |step: u32| drawing.projection.snap(drawing.projection.step_to_x(step as f64));
    if let Some(column) = Rect::between((x(step), plot.y), (x(step + 1), plot.bottom())).cut(&plot) {
        layer.rect(column, Ink::fill(Color::Accent).alpha(0.10));
        waste::at_step(drawing, step, layer);
    }
}
