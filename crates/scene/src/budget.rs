//! Lines through the first pool: a budget, with what of its buffers lies above, and the peak that a
//! plan claims.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::mark::{Anchor, Layer, Mark, Shape, Text};
use super::{frame_marks, lines, lit, pointer};
use memplan_core::base::Message;

/// Most visible buffers whose parts above the budget are drawn.
const MOST: usize = 2_000;

/// Draws the line with its bytes, and tints what is above it.
pub fn draw(drawing: &Drawing, budget: u64, labels: &[Mark], layer: &mut Layer) {
    let (projection, plot) = (&drawing.projection, drawing.projection.plot);
    let Some(band) = projection.bands.first().filter(|band| !band.is_bare) else { return };
    let is_over = drawing.end(band) > budget;
    let color = if is_over { Color::Error } else { Color::Accent };
    let problem = &drawing.run.problem;
    let (from, to) = projection.visible_steps(drawing.index);
    let mut count = 0;
    drawing.index.alive(problem, from, to, |id| {
        let Some(place) = drawing.frame.places[id].filter(|place| place.pool == band.pool) else { return };
        let (buffer, top) = (&problem.buffers[id], place.offset + problem.buffers[id].size);
        count += 1;
        if top > budget && count <= MOST {
            let from = place.offset.max(budget);
            if let Some(rect) = drawing.region(band, buffer.live, from, top - from).cut(&plot) {
                layer.rect(rect, Ink::fill(Color::Error).alpha(frame_marks::TINT));
            }
        }
    });
    let words = Message::new("fit.line").bytes("bytes", budget);
    line(drawing, budget, (words, &[]), Ink::line(color, 2.0), labels, layer);
}

/// Draws the line of the peak that a plan claims, whatever its buffers take.
pub fn claim(drawing: &Drawing, peak: u64, labels: &[Mark], layer: &mut Layer) {
    let words = Message::new("stage.claimed-peak").bytes("peak", peak);
    // What of a buffer lies above the line is what is asked about: the words keep off the boxes.
    let boxes: Vec<Rect> = lit::boxes(drawing, drawing.projection.visible_steps(drawing.index)).collect();
    line(drawing, peak, (words, &boxes), Ink::dashed(Color::Peak, 2.0, Dash::Candidate), labels, layer);
}

/// Distance of two places along a line that are tried for its words, in px.
const PITCH: f64 = 16.0;

/// A line across the first pool at an address, with its words, which stand clear of `boxes` where
/// there is room.
fn line(
    drawing: &Drawing,
    address: u64,
    (words, boxes): (Message, &[Rect]),
    ink: Ink,
    labels: &[Mark],
    layer: &mut Layer,
) {
    let (projection, plot, color) = (&drawing.projection, drawing.projection.plot, ink.color);
    let Some(band) = projection.bands.first().filter(|band| !band.is_bare) else { return };
    let y = projection.snap(band.y(address));
    if y < plot.y - 2.0 || y > plot.bottom() {
        return;
    }
    layer.line((plot.x, y), (plot.right(), y), Ink::line(Color::Background, 4.0).alpha(0.7));
    layer.line((plot.x, y), (plot.right(), y), ink);
    let line = Rect::new(plot.x, y - 2.0, plot.w, 4.0);
    pointer::again(labels, |letters| letters.meets(&line), layer);
    let words = drawing.say(&words);
    let at = |(x, anchor): (f64, Anchor), below: f64| drawing.words(words.clone(), (x, y + below), anchor, 11.5).bold();
    let (right, left) = ((plot.right() - 6.0, Anchor::End), (plot.x + 6.0, Anchor::Start));
    let header = super::bands::header_words(drawing);
    let apart = header.map(|text| text.bounds().inset(-6.0));
    let others: Vec<Rect> = labels.iter().filter_map(letters).chain(apart).collect();
    let is_clear = |text: &Text| !others.iter().any(|other| other.meets(&lines::letters(text)));
    // On another line the words would seem to be about that one.
    let levels = super::bands::level_lines(drawing).into_iter().map(|(level, _)| level);
    let levels: Vec<f64> = levels.filter(|level| (level - y).abs() > 3.0).collect();
    let is_on_line = |text: &Text| {
        let letters = lines::letters(text).inset(-1.0);
        levels.iter().any(|&level| letters.y < level && level < letters.bottom())
    };
    let is_free = |text: &&Text| is_clear(text) && !is_on_line(text);
    // Above its line at the right, or the first place after that where neither other words nor
    // another line are; never over the numbers of an axis. At the left, a header has room.
    let places = [(right, -10.0), (right, 11.0), (left, -10.0), (left, 11.0)];
    let texts: Vec<Text> = places.into_iter().map(|(end, below)| at(end, below)).collect();
    let has_header = band.head.is_some() && drawing.index.pools().len() == 1;
    let inside = |text: &&Text| {
        let above = if has_header && text.anchor == Anchor::Start { plot.y } else { 0.0 };
        Rect::new(plot.x, plot.y - above, plot.w, plot.h + above).holds(&lines::letters(text))
    };
    // Clear of boxes: the same places, then all others along the line.
    let slots = (1..(plot.w / PITCH) as u32).map(|slot| (right.0 - f64::from(slot) * PITCH, Anchor::End));
    let along = slots.filter(|_| !boxes.is_empty()).flat_map(|end| [at(end, -10.0), at(end, 11.0)]);
    let along: Vec<Text> = along.collect();
    let is_off = |text: &&Text| !boxes.iter().any(|other| other.meets(&lines::letters(text).inset(-3.0)));
    let clear = texts.iter().chain(&along).filter(inside).find(|text| is_free(text) && is_off(text));
    let inside: Vec<&Text> = texts.iter().filter(inside).collect();
    let Some(text) = clear.or(inside.iter().copied().find(is_free)).or(inside.first().copied()) else { return };
    let text = text.clone().halo(Color::Background, 4.0);
    lines::plate(&text, Color::Background, layer);
    layer.text(text, color);
}

/// The box of the letters of a mark that is a text.
fn letters(mark: &Mark) -> Option<Rect> {
    match &mark.shape {
        Shape::Text(text) => Some(lines::letters(text)),
        _ => None,
    }
}
