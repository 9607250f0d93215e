//! Selection, keyboard focus and what lies under the pointer.

use super::callouts::{self, Callout};
use super::drawing::Drawing;
use super::frame_marks;
use super::gaps;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::lane;
use super::lines;
use super::mark::{Layer, Mark, Shape};
use super::style::Marks;
use super::tree_marks;
use memplan_core::problem::BufferId;

/// Rings over everything else.
pub fn draw(drawing: &Drawing, marks: &Marks, labels: &[Mark], layer: &mut Layer) {
    if let Some(step) = marks.step {
        cursor(drawing, step, labels, layer);
    }
    if let Some(rect) = marks.node.and_then(|node| tree_marks::node_rect(drawing, node)) {
        ring(drawing, rect, Ink::line(Color::Accent, 2.0), labels, layer);
    }
    let pointed = marks.candidate.and_then(|number| callouts::place_of(drawing, number));
    let missed = marks.missed.then(|| frame_marks::missed_rect(drawing)).flatten();
    for rect in pointed.into_iter().chain(missed) {
        layer.rect(rect, Ink::fill(Color::Accent).alpha(0.12));
        ring(drawing, rect, Ink::line(Color::Accent, 2.0), labels, layer);
    }
    if let Some(step) = marks.hovered_step {
        let column = column(drawing, step);
        column.into_iter().for_each(|column| _ = ring(drawing, column, Ink::line(Color::Text, 2.0), labels, layer));
    }
    let mut rings = Vec::new();
    let buffer = |id: BufferId| drawing.rect(id).or_else(|| bar(drawing, id));
    if let Some(rect) = marks.hovered.filter(|_| marks.hovered != marks.selected).and_then(buffer) {
        rings.extend(ring(drawing, rect, Ink::line(Color::Text, 2.0), labels, layer));
    }
    if let Some(id) = marks.selected
        && let Some(rect) = buffer(id)
    {
        let rect = match frame_marks::is_outlined(drawing, id) {
            true => beside_outline(rect),
            // Beside a strip of padding, the ring would hide it.
            false if is_roomy(&rect) => rect.inset(3.5),
            false => rect,
        };
        rings.extend(ring(drawing, rect, Ink::line(Color::Accent, 3.0), labels, layer));
    }
    if let Some(rect) = marks.focused.and_then(buffer) {
        rings.extend(ring(drawing, rect.inset(-3.0), Ink::dashed(Color::Accent, 2.0, Dash::Candidate), labels, layer));
    }
    // Numbers and reasons are read over the rings too.
    if !rings.is_empty() {
        let over = |callout: &Callout| rings.iter().any(|ring| callout.is_over(ring));
        let callouts = callouts::callouts(drawing).into_iter().filter(over);
        callouts.for_each(|callout| frame_marks::reason(drawing, &callout, layer));
    }
}

/// Distance of a ring from the outline of the place taken, so that both are seen whole.
const APART: f64 = 5.5;

/// A ring inside the outline of the place taken, or outside it around a box with no room.
fn beside_outline(rect: Rect) -> Rect {
    rect.inset(if is_roomy(&rect) { APART } else { -APART })
}

fn is_roomy(rect: &Rect) -> bool {
    rect.w.min(rect.h) >= 6.0 * APART
}

/// The bar of a waiting buffer.
fn bar(drawing: &Drawing, id: BufferId) -> Option<Rect> {
    let lane = drawing.projection.lane?;
    lane::waiting(drawing, lane).into_iter().find(|(waiting, _)| *waiting == id).map(|(_, bar)| bar)
}

/// A ring around a box, its halo 2 px wider on both sides; a box too small to see has a ring all
/// the same. It stays inside the panel, or the lane of waiting buffers, so that it covers no axis;
/// words that it would cross are set again over it. Returns what it covers at most.
fn ring(drawing: &Drawing, rect: Rect, ink: Ink, labels: &[Mark], layer: &mut Layer) -> Option<Rect> {
    let width = ink.stroke.map_or(1.0, |stroke| stroke.width);
    let outside = width / 2.0 + 2.0;
    let least = Rect { w: rect.w.max(2.0), h: rect.h.max(2.0), ..rect };
    let (plot, lane) = (drawing.projection.plot, drawing.projection.lane);
    let home = lane.filter(|lane| least.meets(lane)).unwrap_or(plot.inset(outside));
    let rect = least.cut(&home)?;
    layer.push(Shape::Rect(rect), Ink::line(Color::Background, width + 4.0));
    layer.push(Shape::Rect(rect), ink);
    let (outer, inner) = (rect.inset(-outside), rect.inset(outside));
    again(labels, |letters| letters.meets(&outer) && !inner.holds(letters), layer);
    Some(outer)
}

/// Sets words again that something was drawn over.
pub fn again(labels: &[Mark], is_crossed: impl Fn(&Rect) -> bool, layer: &mut Layer) {
    for label in labels {
        let Shape::Text(text) = &label.shape else { continue };
        if let Some((ground, _)) = text.halo.filter(|_| is_crossed(&lines::letters(text))) {
            lines::plate(text, ground, layer);
            layer.marks.push(label.clone());
        }
    }
}

/// The column of a step, as far as it is in sight.
fn column(drawing: &Drawing, step: u32) -> Option<Rect> {
    let plot = drawing.projection.plot;
    let x = |step: u32| drawing.projection.snap(drawing.projection.step_to_x(step as f64));
    Rect::between((x(step), plot.y), (x(step + 1), plot.bottom())).cut(&plot)
}

/// A line at a step with the gaps below the tops of the pools.
fn cursor(drawing: &Drawing, step: u32, labels: &[Mark], layer: &mut Layer) {
    if let Some(column) = column(drawing, step) {
        layer.rect(column, Ink::fill(Color::Accent).alpha(0.10));
        let words = labels.iter().filter_map(|label| match &label.shape {
            Shape::Text(text) => Some(lines::letters(text)),
            _ => None,
        });
        gaps::at_step(drawing, step, words.collect(), layer);
    }
}
