//! The cursor on the axis of steps: a line through all bands with its number, and marks at the
//! steps of the largest load.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::index::Index;
use super::ink::{Color, Ink};
use super::mark::{Anchor, Layer, Mark, Shape};
use super::style::Style;
use super::{axes, pointer};

/// Most steps of the largest load that are marked beside the cursor.
const MOST: usize = 4;

/// Draws the line and the numbers. The line runs behind `labels`.
pub fn draw(drawing: &Drawing, step: u32, labels: &[Mark], layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let x_of = |step: u32| drawing.projection.step_to_x(f64::from(step) + 0.5);
    let is_seen = |x: f64| (plot.x..=plot.right()).contains(&x);
    let numbers = numbers(drawing);
    let mut taken: Vec<Rect> = Vec::new();
    let mut flag = |step: u32, is_cursor: bool, layer: &mut Layer| {
        let (x, scale) = (x_of(step), drawing.style.text_scale);
        if !is_seen(x) {
            return;
        }
        let at = (x, plot.bottom() + 12.5 * scale);
        let text = drawing.name(step.to_string(), at, Anchor::Middle, 11.0).bold();
        let bounds = text.bounds();
        let frame = Rect::new(bounds.x - 5.0, at.1 - 8.0 * scale, bounds.w + 10.0, 16.0 * scale);
        if taken.iter().any(|other| other.meets(&frame)) {
            return;
        }
        // Half a number of the axis would be read as another one.
        for number in
            numbers.iter().filter(|number| number.meets(&frame) && !taken.iter().any(|other| other.meets(number)))
        {
            layer.rect(*number, Ink::fill(Color::Background));
        }
        taken.push(frame);
        let ground = if is_cursor { Color::Accent } else { Color::Background };
        layer.push(Shape::Round(frame, 2.0), Ink::fill(ground));
        if !is_cursor {
            layer.line((x, plot.bottom()), (x, frame.y), Ink::line(Color::Accent, 2.0));
            layer.push(Shape::Round(frame.inset(0.5), 2.0), Ink::line(Color::Accent, 1.0));
        }
        layer.text(text, if is_cursor { Color::Background } else { Color::Accent });
    };
    let x = drawing.projection.snap(x_of(step)) + 0.5;
    if is_seen(x) {
        layer.line((x, plot.y), (x, plot.bottom() + 5.0), Ink::line(Color::Background, 3.5).alpha(0.7));
        layer.line((x, plot.y), (x, plot.bottom() + 5.0), Ink::line(Color::Accent, 1.5));
        let line = Rect::new(x - 2.0, plot.y, 4.0, plot.h);
        pointer::again(labels, |letters| letters.meets(&line), layer);
    }
    flag(step, true, layer);
    fullest_steps(drawing.index, drawing.style, step).into_iter().for_each(|start| flag(start, false, layer));
}

/// The first steps of the stretches of the largest load that are marked beside a cursor.
pub fn fullest_steps(index: &Index, style: &Style, cursor: u32) -> Vec<u32> {
    let load = index.total();
    let most = load.max();
    let fullest = load.stretches(0, index.steps()).filter(|stretch| stretch.2 == most && most > 0);
    // Where the bound is kept back, the steps that reach it are, too.
    let others = fullest.filter(|_| style.show_bound).filter(|(start, end, _)| !(*start..*end).contains(&cursor));
    others.take(MOST).map(|(start, ..)| start).collect()
}

/// The boxes of the numbers on the axis.
fn numbers(drawing: &Drawing) -> Vec<Rect> {
    let mut axis = Layer::default();
    axes::x_numbers(drawing, &mut axis);
    let texts =
        axis.marks.iter().filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text) } else { None });
    // The others are the title and the names of operators.
    texts
        .filter(|text| text.words.chars().all(|c| c.is_ascii_digit() || c.is_whitespace()))
        .map(|text| text.bounds())
        .collect()
}
