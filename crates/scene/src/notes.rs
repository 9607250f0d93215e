//! Notes on the plan of a first visit: what a box, the curve and the line are.

use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::ink::{Class, Color, Part, Tone};
use super::lit::bracket;
use super::mark::{Anchor, Layer, Text};
use memplan_core::base::Message;
use memplan_core::problem::Buffer;

/// Distance of lines of words, as a share of the font size.
const LEADING: f64 = 1.35;

/// Height of a box from which on its life is told in it, in px.
const TALL: f64 = 90.0;

/// Brackets over this frame's buffer, and words beside the curve, the bound and the empty part.
/// Their boxes go to `taken`.
pub fn draw(drawing: &Drawing, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let Some((focus, rect)) = drawing.frame.focus.and_then(|id| Some((id, drawing.rect(id)?))) else { return };
    let Some(rect) = rect.cut(&drawing.projection.plot) else { return };
    let buffer = &drawing.run.problem.buffers[focus];
    let color = Color::Buffer(Part::Label, drawing.class(focus), Tone::Full);
    let mut notes = Notes { drawing, taken, layer };
    if drawing.style.narrow && rect.h < TALL {
        let live = memplan_core::text::live(buffer.live.start, buffer.live.end);
        let words = format!("{}  {}, {live}", buffer.name, drawing.style.speech.bytes(buffer.size));
        return notes.put(drawing.words(words, rect.centre(), Anchor::Middle, 12.0), color);
    }
    notes.size(rect, buffer);
    notes.life(rect, buffer, color);
    notes.name(rect, buffer, color);
    if drawing.style.narrow {
        // The words about everything else need the width of a larger window.
        return;
    }
    notes.curve();
    notes.line();
    notes.empty(rect);
}

struct Notes<'a, 'd> {
    drawing: &'a Drawing<'d>,
    taken: &'a mut Vec<Rect>,
    layer: &'a mut Layer,
}

impl Notes<'_, '_> {
    /// Sets words unless something is in their way.
    fn put(&mut self, text: Text, color: Color) {
        let bounds = text.bounds();
        if self.is_free(&bounds) {
            self.taken.push(bounds);
            self.layer.text(text, color);
        }
    }

    fn is_free(&self, bounds: &Rect) -> bool {
        // There is room for a line above the plot.
        let plot = self.drawing.projection.plot;
        let inside =
            bounds.x >= plot.x && bounds.right() <= plot.right() && bounds.y >= 2.0 && bounds.bottom() <= plot.bottom();
        inside && !self.taken.iter().any(|other| other.meets(bounds))
    }

    fn name(&mut self, rect: Rect, buffer: &Buffer, color: Color) {
        let at = (rect.x + 12.0, rect.y + 18.0);
        self.put(self.drawing.name(buffer.name.clone(), at, Anchor::Start, 12.0).bold(), color);
    }

    /// The live range as the width of the box.
    fn life(&mut self, rect: Rect, buffer: &Buffer, color: Color) {
        let (middle, y) = (rect.centre().0, rect.y + rect.h * 0.36);
        if rect.h < TALL {
            return;
        }
        bracket(self.layer, (rect.x + 2.0, y), (rect.right() - 2.0, y));
        let words = Message::new("stage.notes.live").live("live", buffer.live.start, buffer.live.end);
        let fill = Color::Buffer(Part::Fill, Class::Category(0), Tone::Full);
        let text = |words: String, y: f64| self.drawing.words(words, (middle, y), Anchor::Middle, 12.0).halo(fill, 3.0);
        let above = text(self.drawing.say(&words), y - 13.0).bold();
        let last = buffer.live.end.saturating_sub(1);
        let words = Message::new("stage.notes.made").count("first", buffer.live.start).count("last", last);
        let below = text(self.drawing.say(&words), y + 15.0);
        self.put(above, color);
        if below.bounds().w <= rect.w - 8.0 {
            self.put(below, color);
        }
    }

    /// The bytes as the height of the box.
    fn size(&mut self, rect: Rect, buffer: &Buffer) {
        let x = rect.right() + 16.0;
        bracket(self.layer, (x, rect.y + 2.0), (x, rect.bottom() - 2.0));
        let words = self.drawing.say(&Message::new("stage.notes.bytes").bytes("size", buffer.size));
        self.put(self.drawing.words(words, (x + 9.0, rect.centre().1), Anchor::Start, 12.0).bold(), Color::Text);
    }

    /// Several lines, the middle of the first one at a point.
    fn lines(&mut self, words: &str, at: Point, anchor: Anchor, (color, ground): (Color, Color)) {
        let lines: Vec<&str> = words.split('\n').collect();
        let text = |(number, line): (usize, &&str)| {
            let text = self.drawing.words(line.to_string(), at, anchor, 12.0);
            let y = at.1 + number as f64 * text.size * LEADING;
            Text { at: (at.0, y), ..text.halo(ground, 3.0) }
        };
        let texts: Vec<Text> = lines.iter().enumerate().map(text).collect();
        if texts.iter().all(|text| self.is_free(&text.bounds())) {
            texts.into_iter().for_each(|text| self.put(text, color));
        }
    }

    /// Beside a fall of the load, below the level before it.
    fn curve(&mut self) {
        let (drawing, projection) = (self.drawing, &self.drawing.projection);
        let Some((band, facts)) = projection.bands.first().zip(drawing.index.pools().first()) else { return };
        let levels: Vec<_> = facts.load.stretches(0, drawing.index.steps()).collect();
        let words = drawing.word("stage.notes.load");
        // The deepest fall that leaves room at its right.
        let falls = levels.windows(2).filter(|pair| pair[1].2 < pair[0].2).map(|pair| (pair[0].2, pair[1]));
        let falls = falls.filter(|(_, after)| after.1 < drawing.index.steps());
        let Some((before, (step, ..))) = falls.max_by_key(|(before, after)| before - after.2) else {
            return;
        };
        let at = (projection.step_to_x(step as f64) + 7.0, band.y(before) + 14.0);
        self.lines(&words, at, Anchor::Start, (Color::Load, Color::Sunk));
    }

    /// Above the line of the bound.
    fn line(&mut self) {
        let (drawing, projection) = (self.drawing, &self.drawing.projection);
        let Some((band, facts)) = projection.bands.first().zip(drawing.index.pools().first()) else { return };
        let at = (projection.plot.right() - 8.0, band.y(facts.bound) - 12.0);
        self.lines(&drawing.word("stage.notes.bound"), at, Anchor::End, (Color::Bound, Color::Background));
    }

    /// In the empty part right of the box.
    fn empty(&mut self, rect: Rect) {
        let drawing = self.drawing;
        let waiting = drawing.run.timeline.decisions.len() as u64 - u64::from(drawing.frame.placed);
        let words = drawing.say(&Message::new("stage.notes.empty").count("n", waiting));
        let right = drawing.projection.plot.right();
        let at = (rect.right() + (right - rect.right()) * 0.52, rect.y + rect.h * 0.44);
        self.lines(&words, at, Anchor::Middle, (Color::Muted, Color::Background));
    }
}
