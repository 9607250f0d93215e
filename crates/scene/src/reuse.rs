//! Who used these bytes before: an arrow from the end of the last occupant.

use std::cmp::Reverse;

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink};
use super::lines::Lines;
use super::mark::{Anchor, Layer, Shape};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;

/// Lowest slot whose arrow is named.
const NAMED: f64 = 46.0;

/// The placed buffer that used some of the focus's bytes last before it.
pub fn previous(drawing: &Drawing) -> Option<BufferId> {
    let focus = drawing.frame.focus?;
    let place = drawing.frame.places[focus]?;
    let (size, live) = (drawing.run.problem.buffers[focus].size, drawing.focus_live?);
    let overlap = |id: BufferId| {
        let (other, there) = (&drawing.run.problem.buffers[id], drawing.frame.places[id]?);
        let (from, to) = (place.offset.max(there.offset), (place.offset + size).min(there.offset + other.size));
        (there.pool == place.pool && from < to && other.live.end <= live.start).then(|| (other.live.end, to - from))
    };
    let (earlier, longest) = drawing.run.born_until(live.start);
    let mut last: Option<((u32, u64), Reverse<BufferId>)> = None;
    for id in earlier.filter(|&id| id != focus) {
        let start = drawing.run.problem.buffers[id].live.start;
        if last.is_some_and(|((end, _), _)| start.saturating_add(longest) < end) {
            // Those before it end earlier still.
            break;
        }
        if let Some(rank) = overlap(id) {
            last = last.max(Some((rank, Reverse(id))));
        }
    }
    last.map(|(_, Reverse(id))| id)
}

/// The arrow of a frame.
struct Arrow {
    /// The buffer that it comes from.
    before: BufferId,
    /// Its two ends.
    along: (f64, f64),
    y: f64,
    /// Upper edge of the common bytes.
    upper: f64,
    /// Height of the box that it goes to.
    height: f64,
}

/// The arrow of the frame, if there is room for one.
fn arrow(drawing: &Drawing) -> Option<Arrow> {
    if !drawing.style.show_reuse || !drawing.frame.settled {
        return None;
    }
    let (before, focus) = previous(drawing).zip(drawing.frame.focus)?;
    let (from, to) = (drawing.rect(before)?, drawing.rect(focus)?);
    let plot = drawing.projection.plot;
    let (upper, lower) = (from.y.max(to.y), from.bottom().min(to.bottom()));
    // A quarter below the upper edge: the number of the chosen place stands in the middle.
    let y = (upper + (lower - upper) * 0.26).round() + 0.5;
    let beside = if to.h <= 41.0 || drawing.style.narrow { 22.0 } else { 0.0 };
    let along = (from.right().max(plot.x), to.x - 3.0 - beside);
    let is_seen = along.1 - along.0 >= 12.0 && plot.y <= y && y <= plot.bottom();
    is_seen.then_some(Arrow { before, along, y, upper, height: to.h })
}

/// Whether the frame has an arrow.
pub fn is_drawn(drawing: &Drawing) -> bool {
    arrow(drawing).is_some()
}

/// The arrow, inside the common bytes. Its line goes to `taken`.
pub fn draw(drawing: &Drawing, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let Some(Arrow { before, along: (start, end), y, upper, height }) = arrow(drawing) else { return };
    layer.push(Shape::Circle((start, y), 2.5), Ink::fill(Color::Chosen));
    layer.line((start, y), (end - 3.0, y), Ink::line(Color::Chosen, 1.25));
    layer.push(Shape::Polygon(vec![(end, y), (end - 7.0, y - 4.0), (end - 7.0, y + 4.0)]), Ink::fill(Color::Chosen));
    taken.push(Rect::new(start, y - 1.0, end - start, 2.0));
    if drawing.style.narrow || height < NAMED {
        return;
    }
    let words = drawing.say(&Message::new("stage.reuses").name("name", drawing.run.label(before)));
    let at = ((start + end) / 2.0, y - 9.0);
    let text = drawing.words(words, at, Anchor::Middle, 11.5).halo(Color::Background, 4.0);
    let bounds = text.bounds();
    let fits = bounds.w + 24.0 < end - start && bounds.y >= upper;
    if fits && !taken.iter().any(|other| other.meets(&bounds)) {
        taken.push(bounds);
        lines.set(text, Color::Chosen, layer);
    }
}
