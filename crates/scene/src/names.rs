//! Names on buffers; where a few are shown, those of boxes too low for words stand on tags, and
//! those of boxes too narrow beside them at the end of a line. A name that would touch something
//! else is left out.

use super::bands;
use super::buffers::{Shown, Visible};
use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::ink::{Color, Ink, Part, Texture};
use super::label;
use super::lines::{self, Lines};
use super::mark::{Anchor, Layer, Shape, Text};
use memplan_core::base::Names;
use memplan_core::problem::BufferId;
use memplan_core::text;

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
    let (mut unnamed, mut struck) = (Vec::new(), Vec::new());
    // Names without their middles: two that are left alike would be taken for one.
    let mut shortened: Names<String, BufferId> = Names::default();
    let over: Vec<&Shown> = visible.shown.iter().filter(|shown| shown.is_over).collect();
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
        // What lies over a box has its own name there.
        let covers = |other: &&&Shown| other.id != shown.id && other.rect.area() <= shown.rect.area();
        let is_covered = |text: &Text| over.iter().filter(covers).any(|other| other.rect.meets(&lines::letters(text)));
        let free = |text: &Text| !taken.iter().any(|other| other.meets(&text.bounds())) && !is_covered(text);
        let mut ways = variants(drawing, shown, &seen);
        let label = drawing.run.label(shown.id);
        let is_cut = |text: &&Text| text.words != label && text.words.contains('…');
        let is_own = |text: &Text| shortened.get(&text.words).is_none_or(|other| *other == shown.id);
        ways.retain(|texts| texts.iter().all(free) && texts.iter().filter(is_cut).all(is_own));
        // Beside the lines if there is such a place, otherwise over curves.
        let clear = ways.iter().position(|texts| !texts.iter().any(|text| lines.cross(text)));
        let clear = clear.or_else(|| ways.iter().position(|texts| !texts.iter().any(|text| lines.strike(text))));
        let is_struck = clear.is_none();
        let Some(texts) = ways.into_iter().nth(clear.unwrap_or(0)) else {
            unnamed.push((shown, seen));
            continue;
        };
        for text in texts.iter().filter(is_cut) {
            shortened.insert(text.words.clone(), shown.id);
        }
        if is_struck {
            struck.push((shown, seen, texts));
        } else {
            inside(shown, texts, lines, layer);
        }
    }
    let are_few = are_few(drawing);
    for (shown, seen, texts) in struck {
        if !are_few || !beside(drawing, shown, &seen, (visible, lines), taken, layer) {
            inside(shown, texts, lines, layer);
        }
    }
    for (shown, seen) in unnamed.into_iter().filter(|_| are_few) {
        beside(drawing, shown, &seen, (visible, lines), taken, layer);
    }
}

/// Sets the name of a box inside it.
fn inside(shown: &Shown, texts: Vec<Text>, lines: &Lines, layer: &mut Layer) {
    for text in texts {
        let part = |part| Color::Buffer(part, shown.class, shown.tone);
        let text = text.halo(part(Part::Fill), 3.0);
        // Letters on a pattern are hard to read.
        if shown.class.texture() != Texture::Solid {
            lines.plate(&text, part(Part::Fill), layer);
        }
        lines.set(text, part(Part::Label), layer);
    }
}

/// Names of boxes too low for words, each on a tag in the colour of its box. Names of other boxes
/// keep clear of them.
pub fn tags(drawing: &Drawing, visible: &Visible, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    if !are_few(drawing) {
        return;
    }
    for shown in visible.shown.iter().filter(|shown| shown.is_named) {
        let is_focus = drawing.frame.focus == Some(shown.id) && drawing.frame.settled;
        let seen = shown.rect.cut(&drawing.projection.plot).filter(|seen| is_low(drawing, seen) && !is_focus);
        if let Some(seen) = seen {
            tag(drawing, shown.id, &seen, (lines, false), taken, layer);
        }
    }
}

/// The boxes in sight of all buffers but one; none where there are many.
pub fn others(drawing: &Drawing, id: BufferId) -> Vec<Rect> {
    let mut found = Vec::new();
    if are_few(drawing) {
        let (from, to) = drawing.projection.visible_steps(drawing.index);
        let is_other = |other: &BufferId| *other != id;
        drawing.index.alive(&drawing.run.problem, from, to, |other| {
            found.extend(Some(other).filter(is_other).and_then(|other| drawing.rect(other)));
        });
    }
    found
}

/// Whether small boxes are named too: a picture of many has no room for that.
fn are_few(drawing: &Drawing) -> bool {
    drawing.run.problem.buffers.len() <= FEW && !drawing.style.turned
}

fn is_low(drawing: &Drawing, seen: &Rect) -> bool {
    seen.h < WHOLE.1 * drawing.style.text_scale
}

/// Radius of the corners of a tag.
const CORNER: f64 = 6.0;

/// Most places along a box that are tried for its tag.
const SLOTS: usize = 12;

/// Name and size, or the name alone, on a tag at the left end of a low box, or further along it
/// where something else is there; moved down or up where it would cover a line across the panel.
/// Returns false if the box is too short.
pub fn tag(
    drawing: &Drawing,
    id: BufferId,
    seen: &Rect,
    (lines, is_bold): (&Lines, bool),
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) -> bool {
    let (plot, size) = (drawing.projection.plot, if drawing.style.narrow { 10.0 } else { 11.0 });
    let buffer = &drawing.run.problem.buffers[id];
    let label = drawing.run.label(id);
    let ways = [format!("{label}\u{2002}{}", drawing.style.speech.bytes(buffer.size)), label.to_string()];
    let mut free: Vec<(Rect, Text)> = Vec::new();
    for (words, share) in ways.into_iter().zip([0.5, 1.0]) {
        let text = Text { bold: is_bold, ..drawing.name(words, (0.0, 0.0), Anchor::Start, size) };
        let (w, h) = (text.bounds().w + 6.0, text.size * 1.25);
        if w > seen.w * share {
            continue;
        }
        let inside = |y: f64| y.clamp(plot.y, (plot.bottom() - h).max(plot.y));
        let middle = inside(seen.centre().1 - h / 2.0);
        let near = Rect::new(seen.x, middle - h, seen.w, 3.0 * h);
        let moved = lines.levels_in(&near).flat_map(|level| [level + 2.0, level - 2.0 - h]).map(inside);
        // A tag elsewhere would seem to be that of another box.
        let moved = moved.filter(|y| y + h > seen.y + 1.0 && *y < seen.bottom() - 1.0);
        for y in [middle].into_iter().chain(moved) {
            let slots = (0..SLOTS).map(|slot| seen.x + slot as f64 * (w + 4.0));
            let slots = slots.map(|x| Rect::new(off_middles(drawing, seen, x, w), y, w, h));
            let slots = slots.filter(|slot| slot.right() <= seen.right() + 0.5);
            let slots = slots.filter(|slot| !taken.iter().any(|other| other.meets(slot)));
            let set = |slot: &Rect| Text { at: (slot.x + 3.0, slot.centre().1 + 0.5), ..text.clone() };
            free.extend(slots.map(|slot| (slot, set(&slot))));
        }
    }
    let covers_level = |slot: &Rect| lines.levels_in(&slot.inset(-1.0)).next().is_some();
    let clear = free.iter().position(|(slot, text)| !covers_level(slot) && !lines.cross(text));
    let clear = clear.or_else(|| free.iter().position(|(slot, _)| !covers_level(slot)));
    let Some((slot, text)) = free.into_iter().nth(clear.unwrap_or(0)) else { return false };
    let class = drawing.class(id);
    let part = |part| Color::Buffer(part, class, drawing.tone(class, buffer.live));
    // Round corners: a tag is no buffer.
    layer.push(Shape::Round(slot, CORNER), Ink::fill(part(Part::Fill)));
    layer.push(Shape::Round(slot.inset(0.5), CORNER), Ink::line(part(Part::Border), 1.0));
    layer.text(text.halo(part(Part::Fill), 2.0), part(Part::Label));
    taken.push(slot);
    true
}

/// How far an end of a tag stays off the line of a cursor, in px.
const OFF: f64 = 5.0;

/// Moves a tag of a width so that no end of it touches the middle of a step, where the line of a
/// cursor may stand: that runs behind a tag, not along it.
fn off_middles(drawing: &Drawing, seen: &Rect, x: f64, w: f64) -> f64 {
    let projection = &drawing.projection;
    let middle = |x: f64| projection.step_to_x(projection.x_to_step(x).floor() + 0.5);
    let (start, end) = (middle(x), middle(x + w));
    // Where steps are this narrow, some line is always near.
    if projection.step_to_x(1.0) - projection.step_to_x(0.0) < 6.0 * OFF {
        return x;
    }
    if (x - start).abs() < OFF {
        return start + OFF;
    }
    let before = end - OFF - w;
    match (x + w - end).abs() < OFF {
        true if before >= seen.x => before,
        true => end + OFF - w,
        false => x,
    }
}

/// The whole name above a box, right of it, left of it or below, on empty ground, with a line to
/// the box. Returns false if there is no such place.
fn beside(
    drawing: &Drawing,
    shown: &Shown,
    seen: &Rect,
    (visible, lines): (&Visible, &Lines),
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) -> bool {
    // The buffer of this frame is named with its outline, and a low box on its tag.
    if drawing.frame.focus == Some(shown.id) && drawing.frame.settled || is_low(drawing, seen) {
        return false;
    }
    let (plot, scale) = (drawing.projection.plot, drawing.style.text_scale);
    let (x, y) = seen.centre();
    let places = [
        ((x, seen.y), (x, seen.y - 14.0 * scale), Anchor::Middle),
        ((seen.right(), y), (seen.right() + 9.0, y), Anchor::Start),
        ((seen.x, y), (seen.x - 9.0, y), Anchor::End),
        ((x, seen.bottom()), (x, seen.bottom() + 14.0 * scale), Anchor::Middle),
    ];
    let name = |(from, at, anchor)| (from, drawing.name(drawing.run.label(shown.id).to_string(), at, anchor, 10.0));
    let grown: Vec<Rect> = bands::grown(drawing).map(|(_, added)| added).collect();
    let is_free = |(_, text): &(Point, Text)| {
        let letters = lines::letters(text);
        // Few letters are as high as their font: a neighbour may come this close.
        let near = letters.inset(1.5);
        let is_over = visible.shown.iter().any(|other| other.rect.meets(&near));
        let mut others = taken.iter().chain(&grown);
        plot.holds(&letters) && !lines.cross(text) && !is_over && !others.any(|other| other.meets(&letters))
    };
    // A line through another box would lead to that one.
    let is_led = |(from, text): &(Point, Text)| {
        let line = Rect::between(*from, text.at).inset(-1.0);
        let is_through = |other: &&Shown| other.id != shown.id && !other.rect.holds(seen) && other.rect.meets(&line);
        !taken.iter().any(|other| other.meets(&line)) && !visible.shown.iter().any(|other| is_through(&other))
    };
    let found = places.map(name).into_iter().find(|place| is_free(place) && is_led(place));
    let Some((from, text)) = found else { return false };
    taken.push(text.bounds());
    let letters = lines::letters(&text);
    let near = |at: f64, from: f64, to: f64| at.clamp(from, to);
    let to = (near(from.0, letters.x - 1.0, letters.right() + 1.0), near(from.1, letters.y, letters.bottom()));
    layer.line(from, to, Ink::line(Color::Muted, 1.0));
    layer.text(text.halo(Color::Background, 3.0), Color::Muted);
    true
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
        let aside = |down: &f64| [0.25, -0.25].map(|part| (x + part * seen.w, middle.at.1 + down * seen.h));
        let shifted = steps.iter().flat_map(aside).map(|at| Text { at, ..middle.clone() });
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
    let bytes = |x: f64| drawing.name(drawing.style.speech.bytes(buffer.size), (x, y), Anchor::Middle, size - 0.5);
    let both = |x: f64| vec![name(x - 7.0 * scale), bytes(x + 8.0 * scale)];
    let has_both = height >= TWO_LINES.1 * scale && bytes(x).bounds().w <= room;
    // Clear of a line through the middle.
    let shifts =
        |least: f64| [0.0, 0.25, -0.25, 0.34, -0.34].into_iter().take(if height > least * scale { 5 } else { 1 });
    let pairs = shifts(80.0).filter(|_| has_both).map(|part| both(x + part * height));
    pairs.chain(shifts(40.0).map(|part| vec![name(x + part * height)])).collect()
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
