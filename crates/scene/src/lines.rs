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
}

impl Lines {
    /// Load curves, and lines across the whole panel.
    pub fn new(curves: Vec<Vec<Point>>, levels: Vec<f64>) -> Lines {
        Lines { curves, levels }
    }

    /// Whether a line runs through letters, or touches them.
    pub fn cross(&self, text: &Text) -> bool {
        let letters = letters(text).inset(-HALF);
        let levels = self.levels.iter().any(|&y| letters.y < y && y < letters.bottom());
        levels || self.curves.iter().any(|curve| meets(curve, &letters))
    }

    /// Sets words, on a plate in the colour of their halo if a line runs behind them.
    pub fn set(&self, text: Text, color: Color, layer: &mut Layer) {
        if let Some((ground, _)) = text.halo.filter(|_| self.cross(&text)) {
            plate(&text, ground, layer);
        }
        layer.text(text, color);
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

    #[test]
    fn a_curve_is_met_where_it_runs() {
        let curve = [(0.0, 10.0), (5.0, 10.0), (5.0, 2.0), (9.0, 2.0)];
        let at = |x: f64, y: f64| meets(&curve, &Rect::new(x, y, 1.0, 1.0));
        assert!(at(2.0, 9.5) && at(4.5, 5.0) && at(7.0, 1.5), "level and upright stretches");
        assert!(!at(2.0, 5.0) && !at(7.0, 5.0) && !at(6.0, 9.5) && !at(12.0, 1.5), "beside it");
    }
}
