//! The scrubber of a comparison: that of the reference, and below it where the other plans differ.

use super::geometry::{Rect, Size};
use super::ink::{Color, Ink};
use super::mark::{Layer, Scene};
use super::scrubber::{ScrubberScale, scrubber};
use super::style::Style;
use memplan_replay::{Differences, Level, Run};

/// Height of a row of marks with its distance to the next, and of a mark.
const ROW: (f64, f64) = (5.0, 3.0);
/// Widest mark: that of a bar.
const WIDEST: f64 = 14.0;

/// Draws the scrubber of a reference, one frame a decision; each of the others has a row of marks
/// under the bars, strong where the buffer of that decision lies elsewhere in its plan.
pub fn scrubber_of_many(run: &Run, frame: u32, size: Size, style: &Style, others: &[&Differences]) -> Scene {
    let rows = ROW.0 * others.len() as f64;
    let upper = (size.0, (size.1 - rows).max(1.0));
    let scale = ScrubberScale::new(run, Level::Decisions, upper, style);
    let pitch = scale.pitch();
    let width = (pitch - 2.0).clamp(1.0, WIDEST);
    let last = run.timeline.decisions.len() as u32;
    let mut marks = Layer::default();
    for (row, other) in others.iter().enumerate() {
        let y = upper.1 - 1.0 + ROW.0 * row as f64;
        // Marks narrower than a pixel are one line, and those that differ lie over it.
        let (from, to) = (scale.frame_to_x(1) - width / 2.0, scale.frame_to_x(last) + width / 2.0);
        if pitch < 4.0 {
            marks.rect(Rect::new(from, y, to - from, ROW.1), Ink::fill(Color::Line));
        } else {
            let same = (1..=last).filter(|frame| other.elsewhere.binary_search(&(frame - 1)).is_err());
            same.for_each(|frame| {
                marks.rect(Rect::new(scale.frame_to_x(frame) - width / 2.0, y, width, ROW.1), Ink::fill(Color::Line2));
            });
        }
        let mut drawn_to = f64::NEG_INFINITY;
        for &number in &other.elsewhere {
            let x = scale.frame_to_x(number + 1) - width / 2.0;
            // At most one mark a pixel.
            if x >= drawn_to + 1.0 - width {
                marks.rect(Rect::new(x, y, width, ROW.1), Ink::fill(Color::Chosen));
                drawn_to = x + width;
            }
        }
    }
    let mut scene = scrubber(run, Level::Decisions, frame, upper, style, &[]);
    scene.layers.insert(0, marks);
    Scene::new(size, scene.layers)
}
