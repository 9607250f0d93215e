//! The lines across the panel that words keep clear of: load curves, peaks and bounds.

use super::geometry::{Point, Rect};
use super::ink::{Color, Ink};
use super::mark::{Layer, Text};

/// Half the width of the widest line with its halo, and a little more.
const HALF: f64 = 2.5;
/// Share of the font size that letters fill around their middle: capitals above it, tails below.
const LETTERS: f64 = 0.5;

/// All lines of a picture, computed once.
#[derive(Debug, Default)]
pub struct Lines {
    /// Load curves, each from left to right.
    curves: Vec<Vec<Point>>,
    /// The y of lines across the whole panel.
    levels: Vec<f64>,
    /// The picture is shown with its axes swapped, while words stay upright.
    is_turned: bool,
}

impl Lines {
    /// Load curves, and lines across the whole panel.
    pub fn new(curves: Vec<Vec<Point>>, levels: Vec<f64>) -> Lines {
        Lines { curves, levels, is_turned: false }
    }

    /// The same for a picture that is shown with its axes swapped, or not.
    pub fn turned(self, is_turned: bool) -> Lines {
        Lines { is_turned, ..self }
    }

    /// Whether a line runs through letters, or touches them.
    pub fn cross(&self, text: &Text) -> bool {
        let letters = self.letters(text).inset(-HALF);
        self.levels_in(&letters).next().is_some() || self.curves.iter().any(|curve| meets(curve, &letters))
    }

    /// Whether a line across the whole panel runs through letters: they would look crossed out,
    /// even on a ground of their own.
    pub fn strike(&self, text: &Text) -> bool {
        self.levels_in(&self.letters(text).inset(-1.0)).next().is_some()
    }

    /// The y of the lines across the whole panel that run through a box.
    pub fn levels_in<'l>(&'l self, rect: &Rect) -> impl Iterator<Item = f64> + 'l {
        let (from, to) = (rect.y, rect.bottom());
        self.levels.iter().copied().filter(move |&y| from < y && y < to)
    }

    /// Sets words, on a plate in the colour of their halo if a line runs behind them.
    pub fn set(&self, text: Text, color: Color, layer: &mut Layer) {
        if let Some((ground, _)) = text.halo.filter(|_| self.cross(&text)) {
            self.plate(&text, ground, layer);
        }
        layer.text(text, color);
    }

    /// Crosses words out: a line through the middle of their letters.
    pub fn cross_out(&self, text: &Text, color: Color, layer: &mut Layer) {
        let letters = self.letters(text);
        let (x, y) = text.at;
        let ends = if self.is_turned {
            [(x, letters.y), (x, letters.bottom())]
        } else {
            [(letters.x, y), (letters.right(), y)]
        };
        layer.line(ends[0], ends[1], Ink::line(color, 1.5));
    }

    /// An opaque ground for words that lie over lines or patterns.
    pub fn plate(&self, text: &Text, ground: Color, layer: &mut Layer) {
        let letters = self.letters(text);
        let rect = if self.is_turned {
            Rect { y: letters.y - 2.0, h: letters.h + 4.0, ..letters }
        } else {
            Rect { x: letters.x - 2.0, w: letters.w + 4.0, ..letters }
        };
        layer.rect(rect, Ink::fill(ground));
    }

    /// The box that letters fill in the picture as it is laid out. Words of a picture with swapped
    /// axes stand in the middle of their point, as wide as they are high here.
    fn letters(&self, text: &Text) -> Rect {
        let Rect { w, h, .. } = letters(text);
        let (x, y) = text.at;
        if self.is_turned { Rect::new(x - h / 2.0, y - w / 2.0, h, w) } else { letters(text) }
    }
}

/// The box that letters fill, without the space between lines.
pub fn letters(text: &Text) -> Rect {
    let bounds = text.bounds();
    if text.on_end {
        return Rect { x: text.at.0 - LETTERS * text.size, w: 2.0 * LETTERS * text.size, ..bounds };
    }
    Rect { y: text.at.1 - LETTERS * text.size, h: 2.0 * LETTERS * text.size, ..bounds }
}

/// An opaque ground for words that lie over lines.
pub fn plate(text: &Text, ground: Color, layer: &mut Layer) {
    let letters = letters(text);
    layer.rect(Rect { x: letters.x - 2.0, w: letters.w + 4.0, ..letters }, Ink::fill(ground));
}

/// Whether a curve from left to right, of level and upright stretches, meets a box.
fn meets(curve: &[Point], rect: &Rect) -> bool {
    let first = curve.partition_point(|point| point.0 < rect.x).saturating_sub(1);
    let mut near = curve[first..].windows(2).take_while(|ends| ends[0].0 <= rect.right());
    near.any(|ends| {
        let stretch = Rect::between(ends[0], ends[1]);
        let across = stretch.x < rect.right() && rect.x < stretch.right().max(stretch.x + f64::EPSILON);
        across && stretch.y < rect.bottom() && rect.y < stretch.bottom().max(stretch.y + f64::EPSILON)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchor, Shape};

    #[test]
    fn words_of_a_turned_picture_lie_across_the_axis_of_addresses() {
        let at = (50.0, 50.0);
        let text = |words: &str| Text {
            at,
            anchor: Anchor::Middle,
            size: 10.0,
            bold: false,
            words: words.into(),
            halo: None,
            on_end: false,
        };
        // A line 15 px from the middle of words that are about 60 px wide and 10 px high.
        let lines = |is_turned: bool| Lines::new(Vec::new(), vec![65.0]).turned(is_turned);
        let wide = text("1000 bytes");
        assert!(!lines(false).cross(&wide) && lines(true).cross(&wide) && !lines(true).cross(&text("A")));
        let plate = |is_turned: bool| {
            let mut layer = Layer::default();
            lines(is_turned).plate(&wide, Color::Background, &mut layer);
            layer.marks.into_iter().find_map(|mark| if let Shape::Rect(rect) = mark.shape { Some(rect) } else { None })
        };
        let (level, upright) = (plate(false).expect("a plate"), plate(true).expect("a plate"));
        assert_eq!((level.w, level.h), (upright.h, upright.w));
        assert!(
            (level.centre().0 - upright.centre().0).abs() < 0.5 && (level.centre().1 - upright.centre().1).abs() < 0.5
        );
    }

    #[test]
    fn a_curve_is_met_where_it_runs() {
        let curve = [(0.0, 10.0), (5.0, 10.0), (5.0, 2.0), (9.0, 2.0)];
        let at = |x: f64, y: f64| meets(&curve, &Rect::new(x, y, 1.0, 1.0));
        assert!(at(2.0, 9.5) && at(4.5, 5.0) && at(7.0, 1.5), "level and upright stretches");
        assert!(!at(2.0, 5.0) && !at(7.0, 5.0) && !at(6.0, 9.5) && !at(12.0, 1.5), "beside it");
    }
}
