//! Names on buffers, or beside them where a few are shown and the box is too small. A name that
//! would touch something else is left out.

use super::bands;
use super::buffers::{Shown, Visible};
use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::ink::{Color, Part, Texture};
use super::label;
use super::lines::{self, Lines};
use super::mark::{Anchor, Layer, Text};
use crate::base::Names;
use crate::problem::BufferId;
use crate::text;

/// Smallest box with a whole name.
pub const WHOLE: (f64, f64) = (20.0, 13.0);
/// Narrowest box with a name of a letter or two.
const LETTER: f64 = 11.0;
/// Most buffers of which small boxes are named beside them: more would be a crowd.
const FEW: usize = 40;
/// Narrowest box with a shortened name.
const SHORTENED: f64 = 36.0;
/// Narrowest box with everything in one line at its left edge.
const WIDE: f64 = 170.0;
/// Lowest and narrowest box with the size under the name.
const TWO_LINES: (f64, f64) = (44.0, 30.0);

/// Names of all visible buffers but this frame's own, clear of `taken`. No name inside a box leaves
/// it, so these need not be kept clear of each other; names beside boxes go to `taken`.
pub fn draw(
    drawing: &Drawing,
    visible: &Visible,
    lines: &Lines,
    taken: &mut Vec<Rect>,
    blockers: &[BufferId],
    layer: &mut Layer,
) {
    let mut unnamed = Vec::new();
    // Names without their middles: two that are left alike would be taken for one.
    let mut shortened: Names<String, BufferId> = Names::default();
    for shown in visible.shown.iter().filter(|shown| shown.is_named) {
        // Named with its outline, which a chosen place has.
        let is_focus =
            drawing.frame.focus == Some(shown.id) && drawing.frame.settled && drawing.frame.chosen().is_some();
        // A narrow blocker is named by the chip of its candidate, where there are chips.
        let has_chip = shown.rect.w < 48.0 && !drawing.style.narrow && blockers.contains(&shown.id);
        if is_focus || has_chip {
            continue;
        }
        let Some(seen) = shown.rect.cut(&drawing.projection.plot) else { continue };
        let free = |text: &Text| !taken.iter().any(|other| other.meets(&text.bounds()));
        let mut ways = variants(drawing, shown, &seen);
        let label = drawing.run.label(shown.id);
        let is_cut = |text: &&Text| text.words != label && text.words.contains('…');
        let is_own = |text: &Text| shortened.get(&text.words).is_none_or(|other| *other == shown.id);
        ways.retain(|texts| texts.iter().all(free) && texts.iter().filter(is_cut).all(is_own));
        // Beside the lines if there is such a place, otherwise over them.
        let clear = ways.iter().position(|texts| !texts.iter().any(|text| lines.cross(text)));
        if ways.is_empty() {
            unnamed.push((shown, seen));
        }
        for text in ways.into_iter().nth(clear.unwrap_or(0)).into_iter().flatten() {
            if is_cut(&&text) {
                shortened.insert(text.words.clone(), shown.id);
            }
            let part = |part| Color::Buffer(part, shown.class, shown.tone);
            let text = text.halo(part(Part::Fill), 3.0);
            // Letters on a pattern are hard to read.
            if shown.class.texture() != Texture::Solid {
                lines::plate(&text, part(Part::Fill), layer);
            }
            lines.set(text, part(Part::Label), layer);
        }
    }
    if drawing.run.problem.buffers.len() <= FEW && !drawing.style.turned {
        unnamed.into_iter().for_each(|(shown, seen)| beside(drawing, shown, &seen, (visible, lines), taken, layer));
    }
}

/// The whole name above a box, right of it, left of it or below, on empty ground.
fn beside(
    drawing: &Drawing,
    shown: &Shown,
    seen: &Rect,
    (visible, lines): (&Visible, &Lines),
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) {
    // The buffer of this frame is named with its outline.
    if drawing.frame.focus == Some(shown.id) && drawing.frame.settled {
        return;
    }
    let (plot, scale) = (drawing.projection.plot, drawing.style.text_scale);
    let (x, y) = seen.centre();
    let places = [
        ((x, seen.y - 8.0 * scale), Anchor::Middle),
        ((seen.right() + 4.0, y), Anchor::Start),
        ((seen.x - 4.0, y), Anchor::End),
        ((x, seen.bottom() + 8.0 * scale), Anchor::Middle),
    ];
    let name = |(at, anchor)| drawing.name(drawing.run.label(shown.id).to_string(), at, anchor, 10.0);
    let grown: Vec<Rect> = bands::grown(drawing).map(|(_, added)| added).collect();
    let is_free = |text: &Text| {
        let letters = lines::letters(text);
        // Few letters are as high as their font: a neighbour may come this close.
        let near = letters.inset(1.5);
        let is_over = visible.shown.iter().any(|other| other.rect.meets(&near));
        let mut others = taken.iter().chain(&grown);
        plot.holds(&letters) && !lines.cross(text) && !is_over && !others.any(|other| other.meets(&letters))
    };
    if let Some(text) = places.map(name).into_iter().find(is_free) {
        taken.push(text.bounds());
        layer.text(text.halo(Color::Background, 3.0), Color::Muted);
    }
}

/// Ways to name a box, best first.
fn variants(drawing: &Drawing, shown: &Shown, seen: &Rect) -> Vec<Vec<Text>> {
    if drawing.style.turned {
        return on_end(drawing, shown, seen);
    }
    let (narrow, scale) = (drawing.style.narrow, drawing.style.text_scale);
    let is_own = drawing.frame.focus == Some(shown.id) && drawing.frame.settled;
    let narrowest = if is_own { WHOLE.0 } else { LETTER };
    if seen.w < narrowest * scale || seen.h < WHOLE.1 * scale {
        return Vec::new();
    }
    let mut variants = Vec::new();
    if seen.w > WIDE * scale && !narrow {
        let middle = (seen.x, seen.centre().1);
        // Beside the letter of a tree outline in the corner.
        let edge = 12.0 * scale;
        let corners = [(seen.x, seen.y + edge), (seen.x + 14.0, seen.y + edge), (seen.x, seen.bottom() - edge)];
        let starts: Vec<Point> = if seen.h > 30.0 * scale { [&[middle], &corners[..]].concat() } else { vec![middle] };
        for facts in [3, 2, 1] {
            variants.extend(starts.iter().filter_map(|&start| one_line(drawing, shown, seen, start, facts)));
        }
    }
    let buffer = &drawing.run.problem.buffers[shown.id];
    let size = if narrow { 10.0 } else { 11.0 };
    let pad = if seen.w > 60.0 { 6.0 } else { 2.0_f64.min(seen.w / 10.0) };
    let room = seen.w - 2.0 * pad + 1.0;
    let Some(words) = label::shortened(drawing.run.label(shown.id), room, drawing.style.font(size), false) else {
        return variants;
    };
    if words != drawing.run.label(shown.id) && seen.w < SHORTENED * scale {
        return variants;
    }
    let (x, y) = seen.centre();
    let name = |y: f64| drawing.name(words.clone(), (x, y + 0.5), Anchor::Middle, size);
    let bytes = drawing.name(drawing.style.speech.bytes(buffer.size), (x, y + 8.0 * scale), Anchor::Middle, size - 0.5);
    if seen.w >= TWO_LINES.0 * scale && seen.h >= TWO_LINES.1 * scale && bytes.bounds().w <= room {
        variants.push(vec![name(y - 7.0 * scale), bytes]);
    }
    let steps: &[f64] = match seen.h {
        high if high > 60.0 * scale => &[0.0, 0.25, -0.25, 0.38, -0.38],
        high if high > 30.0 * scale => &[0.0, 0.24, -0.24],
        _ => &[0.0],
    };
    variants.extend(steps.iter().map(|part| vec![name(y + part * seen.h)]));
    // Beside what stands in the middle.
    let middle = name(y);
    if middle.bounds().w + 2.0 * pad <= seen.w / 2.0 {
        let shifted = [0.25, -0.25].map(|part| Text { at: (x + part * seen.w, middle.at.1), ..middle.clone() });
        variants.extend(shifted.map(|text| vec![text]));
    }
    variants
}

/// Names of a box that will stand on end: as wide as it is high here, its lines from left to right.
fn on_end(drawing: &Drawing, shown: &Shown, seen: &Rect) -> Vec<Vec<Text>> {
    let (room, height, scale) = (seen.h - 4.0, seen.w, drawing.style.text_scale);
    let buffer = &drawing.run.problem.buffers[shown.id];
    let size = if drawing.style.narrow { 10.0 } else { 11.0 };
    let words = label::shortened(drawing.run.label(shown.id), room, drawing.style.font(size), false).filter(|words| {
        height >= WHOLE.1 * scale && (*words == drawing.run.label(shown.id) || seen.h >= SHORTENED * scale)
    });
    let Some(words) = words else { return Vec::new() };
    let (x, y) = seen.centre();
    let name = |x: f64| drawing.name(words.clone(), (x, y), Anchor::Middle, size);
    let bytes = drawing.name(drawing.style.speech.bytes(buffer.size), (x + 8.0 * scale, y), Anchor::Middle, size - 0.5);
    let both = height >= TWO_LINES.1 * scale && bytes.bounds().w <= room;
    both.then(|| vec![name(x - 7.0 * scale), bytes]).into_iter().chain([vec![name(x)]]).collect()
}

/// Name, size and live range at the left edge, or only the first `facts` of these.
fn one_line(drawing: &Drawing, shown: &Shown, seen: &Rect, start: Point, facts: usize) -> Option<Vec<Text>> {
    let buffer = &drawing.run.problem.buffers[shown.id];
    let columns = [drawing.style.speech.bytes(buffer.size), text::live(buffer.live.start, buffer.live.end)];
    let (x, y) = (start.0 + 10.0, start.1);
    let words = label::shortened(drawing.run.label(shown.id), seen.w * 0.6, drawing.style.font(12.0), true)?;
    let name = drawing.name(words, (x, y), Anchor::Start, 12.0).bold();
    if facts == 1 {
        return Some(vec![name]);
    }
    let words = columns[..facts - 1].join("\u{2002}");
    let facts = drawing.name(words, (name.bounds().right() + 9.0, y + 0.5), Anchor::Start, 11.0);
    (facts.bounds().right() + 6.0 <= seen.right()).then(|| vec![name, facts])
}
