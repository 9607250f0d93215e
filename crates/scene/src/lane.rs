//! The lane of buffers not yet placed: boxes with names for a short run, thin bars for a longer
//! one.

use super::axes::y_gap;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink, Part, Tone};
use super::label::{shortened, width};
use super::lane_room::{PAD, boxes, row, rows_shown};
use super::mark::{Anchor, Layer, Mark, Shape};
use super::rows::pack;
use memplan_core::problem::BufferId;

/// One box or bar a buffer over its life, in order of placement; the next one in the colour of what
/// happens now.
pub fn draw(drawing: &Drawing, layer: &mut Layer) {
    let Some(lane) = drawing.projection.lane else { return };
    let waiting = waiting(drawing, lane);
    if waiting.is_empty() {
        return;
    }
    let are_boxes = boxes(drawing.index, drawing.projection.size, drawing.style).is_some();
    for (number, &(id, rect)) in waiting.iter().enumerate() {
        let Some(rect) = rect.cut(&lane) else { continue };
        let is_next = number == 0 && !drawing.style.any_waits;
        if are_boxes {
            named(drawing, id, rect, is_next, layer);
        } else {
            layer.rect(rect, Ink::fill(if is_next { Color::Chosen } else { Color::Faint }));
        }
    }
    let x = lane.x - y_gap(drawing);
    let count = drawing.run.timeline.decisions.len() - first_waiting(drawing);
    if drawing.style.narrow {
        // Beside the last row: how many more there are.
        if let Some(more) = count.checked_sub(waiting.len()).filter(|more| *more > 0 && are_boxes) {
            let y = lane.bottom() - PAD - row(drawing.style).0 / 2.0;
            layer.text(drawing.name(format!("+{more}"), (x, y), Anchor::End, 11.0), Color::Muted);
        }
        return;
    }
    layer.text(drawing.words(drawing.word("stage.waiting"), (x, lane.y + 4.0), Anchor::End, 11.0), Color::Muted);
    layer.text(drawing.name(count.to_string(), (x, lane.y + 17.0), Anchor::End, 11.0), Color::Muted);
}

/// A box with its name, and its size if there is room.
fn named(drawing: &Drawing, id: BufferId, rect: Rect, is_next: bool, layer: &mut Layer) {
    let part = |part| match (is_next, part) {
        (true, Part::Fill) => Color::ChosenSoft,
        (true, _) => Color::Chosen,
        (false, Part::Label) => Color::Text,
        (false, part) => Color::Buffer(part, drawing.class(id), Tone::Pale),
    };
    let mut mark = Mark::new(Shape::Rect(rect), Ink::fill(part(Part::Fill)));
    mark.edge = Some(part(Part::Border));
    layer.marks.push(mark);
    let buffer = &drawing.run.problem.buffers[id];
    let size = if drawing.style.narrow { 10.0 } else { 11.0 };
    let at = (rect.x + 5.0, rect.centre().1 + 0.5);
    let room = rect.w - 8.0;
    let (label, font) = (drawing.run.label(id), drawing.style.font(size));
    let Some(words) = shortened(label, room, font, true).or_else(|| tail(label, room, font)) else { return };
    let is_whole = words == drawing.run.label(id);
    let name = drawing.name(words, at, Anchor::Start, size).bold();
    let next = name.bounds().right() + 5.0;
    // The halo lets a ring be drawn under the name.
    layer.text(name.halo(part(Part::Fill), 3.0), part(Part::Label));
    let bytes = drawing.name(drawing.style.speech.bytes(buffer.size), (next, at.1), Anchor::Start, size);
    if is_whole && bytes.bounds().right() <= rect.right() - 3.0 {
        layer.text(bytes.halo(part(Part::Fill), 3.0), if is_next { Color::Chosen } else { Color::Muted });
    }
}

/// The end of a name that is too long to be cut in its middle: numbers at the end tell names apart.
fn tail(label: &str, room: f64, font: f64) -> Option<String> {
    let letters = label.chars().count().min(24);
    let cut = |kept: usize| std::iter::once('…').chain(label.chars().skip(label.chars().count() - kept)).collect();
    (2..letters).rev().map(cut).find(|words: &String| width(words, font, true) <= room)
}

/// The number of the decision about the first buffer that waits.
fn first_waiting(drawing: &Drawing) -> usize {
    drawing.frame.decision.map_or(0, |decision| decision + drawing.frame.settled as usize)
}

/// Waiting buffers with their boxes or bars, the next one first; of boxes, those for which there is
/// room.
pub fn waiting(drawing: &Drawing, lane: Rect) -> Vec<(BufferId, Rect)> {
    let timeline = &drawing.run.timeline;
    let ids: Vec<BufferId> =
        timeline.decisions.iter().skip(first_waiting(drawing)).map(|decision| decision.buffer).collect();
    let live = |id: BufferId| drawing.run.problem.buffers[id].live;
    let rows = pack(ids.iter().map(|&id| live(id)));
    let count = rows.iter().max().map_or(1, |row| row + 1);
    let (top, height, pitch, shown) = match boxes(drawing.index, drawing.projection.size, drawing.style) {
        // Boxes of other rows come up as those before them are placed.
        Some(_) => {
            let shown = rows_shown(drawing.index, drawing.projection.size, drawing.style);
            (PAD, row(drawing.style).0, row(drawing.style).1, shown)
        }
        None => {
            // Many rows are drawn closer rather than cut off.
            let pitch = (4.0_f64).min((lane.h - 4.0) / count as f64);
            (2.0, (pitch * 0.625).max(0.5), pitch, count)
        }
    };
    let place = |(id, row): (BufferId, usize)| {
        let x = drawing.projection.step_to_x(live(id).start as f64);
        let w = (drawing.projection.step_to_x(live(id).end as f64) - x - 1.5).max(1.0);
        (id, Rect::new(x + 0.5, lane.y + top + row as f64 * pitch, w, height))
    };
    ids.into_iter().zip(rows).filter(|(_, row)| *row < shown).map(place).collect()
}
