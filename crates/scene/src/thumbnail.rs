//! A plan as a picture on a card: boxes and the lower bound, without words.

use super::geometry::{Rect, Size};
use super::ink::{Class, Color, Dash, Ink, Part, Tone};
use super::mark::{Layer, Mark, Scene, Shape};

/// A box of a small picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Small {
    /// First step and the step after the last one.
    pub steps: (u32, u32),
    /// First byte and the byte after the last one.
    pub bytes: (u64, u64),
    /// How strongly it is drawn.
    pub tone: Tone,
    /// The box that the picture is about.
    pub chosen: bool,
}

/// Room above the highest box, as a share of its top.
const ABOVE: f64 = 0.04;

/// Lowest box in px.
const LOWEST: f64 = 2.0;

/// Draws boxes over the whole size, with the lower bound in bytes as a dashed line.
pub fn thumbnail(boxes: &[Small], bound: u64, size: Size) -> Scene {
    thumbnail_to(boxes, bound, 0, size)
}

/// Like [`thumbnail`], with at least `most` bytes over the height: pictures beside one another have
/// one scale.
pub fn thumbnail_to(boxes: &[Small], bound: u64, most: u64, size: Size) -> Scene {
    let steps = boxes.iter().map(|small| small.steps.1).max().unwrap_or(1).max(1);
    let top = boxes.iter().map(|small| small.bytes.1).max().unwrap_or(1).max(bound).max(most).max(1);
    let x = |step: u32| size.0 * step as f64 / steps as f64;
    let y = |bytes: u64| size.1 - size.1 * bytes as f64 / (top as f64 * (1.0 + ABOVE));
    let mut layer = Layer::default();
    for small in boxes {
        let rect = Rect::between((x(small.steps.0), y(small.bytes.0)), (x(small.steps.1), y(small.bytes.1)));
        // A box too low to see is seen all the same.
        let rect = Rect { y: rect.y.min(rect.bottom() - LOWEST).max(0.0), h: rect.h.max(LOWEST), ..rect };
        let color = |part| Color::Buffer(part, Class::Category(0), small.tone);
        let fill = if small.chosen { Color::Chosen } else { color(Part::Fill) };
        let mut mark = Mark::new(Shape::Rect(rect), Ink::fill(fill));
        mark.edge = (!small.chosen).then_some(color(Part::Border));
        layer.marks.push(mark);
    }
    layer.line((0.0, y(bound)), (size.0, y(bound)), Ink::dashed(Color::Bound, 1.25, Dash::Level));
    Scene::new(size, vec![layer])
}
