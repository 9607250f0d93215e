//! Selection, keyboard focus and what lies under the pointer.

use super::callouts::{self, Callout};
use super::drawing::Drawing;
use super::frame_marks;
use super::gaps;
use super::geometry::{Point, Rect};
use super::ink::{Color, Dash, Ink};
use super::lane;
use super::lines;
use super::mark::{Anchor, Layer, Mark, Shape, Text};
use super::names;
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
            true => beside_outline(rect, &drawing.projection.plot),
            // Beside a strip of padding, the ring would hide it.
            false if is_roomy(&rect) => rect.inset(3.5),
            false => rect,
        };
        rings.extend(ring(drawing, rect, Ink::line(Color::Accent, 3.0), labels, layer));
        name(drawing, id, labels, layer);
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

/// Most boxes in sight of which the name of the chosen one keeps clear.
const MOST: usize = 500;

/// Beside the chosen buffer, its name at the end of a line where its box has no room for it: the
/// text speaks of it.
fn name(drawing: &Drawing, id: BufferId, labels: &[Mark], layer: &mut Layer) {
    let label = drawing.run.label(id);
    let is_own = |mark: &Mark| match &mark.shape {
        Shape::Text(text) => text.words.split('\u{2002}').next() == Some(label),
        _ => false,
    };
    // The buffer of this frame is named with its outline.
    let is_now = drawing.frame.focus == Some(id) && drawing.frame.settled;
    if is_now || drawing.style.turned || drawing.style.notes || labels.iter().any(is_own) {
        return;
    }
    let plot = drawing.projection.plot;
    let seen = drawing.rect(id).filter(|_| !drawing.is_unseen(id)).and_then(|rect| rect.cut(&plot));
    // A box with room has a shortened name.
    let Some(seen) = seen.filter(|seen| seen.h < names::WHOLE.1 || seen.w < names::WHOLE.0) else { return };
    let mut boxes: Vec<Rect> = Vec::new();
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    drawing.index.alive(&drawing.run.problem, from, to, |id| boxes.extend(drawing.rect(id)));
    boxes.truncate(MOST);
    let letters = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(lines::letters(text)) } else { None };
    let mut taken: Vec<Rect> = labels.iter().filter_map(letters).collect();
    for callout in callouts::callouts(drawing) {
        taken.push(callout.badge_box());
        taken.extend(callout.chip.map(|(chip, _)| chip));
    }
    taken.push(seen);
    let line = 16.0 * drawing.style.text_scale;
    let (x, y) = seen.centre();
    let text = |(x, y): Point, anchor: Anchor| {
        drawing.name(label.to_string(), (x, y), anchor, 11.0).bold().halo(Color::Background, 3.0)
    };
    let heights = (1..=6).map(|lines| f64::from(lines) * line);
    let over =
        heights.flat_map(|away| [((x, seen.y), (x, seen.y - away)), ((x, seen.bottom()), (x, seen.bottom() + away))]);
    let over = over.map(|(from, at)| (from, text(at, Anchor::Middle)));
    let sides =
        [((seen.right(), y), (seen.right() + 12.0, y), Anchor::Start), ((seen.x, y), (seen.x - 12.0, y), Anchor::End)];
    let sides = sides.map(|(from, at, anchor)| (from, text(at, anchor)));
    let is_free = |(from, text): &(Point, Text)| {
        let letters = lines::letters(text).inset(-1.0);
        let leader = Rect::between(*from, text.at).inset(-1.0);
        let is_met = |other: &Rect| other.meets(&letters) || *other != seen && other.meets(&leader);
        plot.holds(&letters) && !taken.iter().any(is_met)
    };
    let free: Vec<(Point, Text)> = sides.into_iter().chain(over).filter(is_free).collect();
    let on_ground = |(_, text): &(Point, Text)| !boxes.iter().any(|other| other.meets(&lines::letters(text)));
    let at = free.iter().position(on_ground).unwrap_or(0);
    let Some((from, text)) = free.into_iter().nth(at) else { return };
    layer.line(from, text.at, Ink::line(Color::Background, 3.0));
    layer.line(from, text.at, Ink::line(Color::Accent, 1.0));
    lines::plate(&text, Color::Background, layer);
    layer.text(text, Color::Accent);
}

/// Distance of a ring from the outline of the place taken, so that both are seen whole.
const APART: f64 = 5.5;

/// Least side of a box whose ring stands inside its outline where the panel ends beside it, in px.
const TIGHT: f64 = 4.0 * APART;

/// A ring inside the outline of the place taken, or outside it around a box with no room. At the
/// edge of the panel a ring outside would be cut, and would cross the outline.
fn beside_outline(rect: Rect, panel: &Rect) -> Rect {
    let outside = rect.inset(-APART);
    let is_inside = is_roomy(&rect) || rect.w.min(rect.h) >= TIGHT && !panel.holds(&outside);
    if is_inside { rect.inset(APART) } else { outside }
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
