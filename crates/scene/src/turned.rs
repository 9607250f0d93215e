//! A picture with its axes swapped: addresses across from the left, time down. It is laid out as
//! always in a panel as wide as this one is high, and its corners are swapped; words stay upright,
//! so they are laid out for boxes that stand on end.

use super::geometry::{Point, Size};
use super::label;
use super::mark::{Anchor, Scene, Text};

/// The panel to lay a picture out in that is shown with swapped axes in a panel of this size.
pub fn turned_size(size: Size) -> Size {
    (size.1, size.0)
}

/// Where a point of the panel lies in the picture as it was laid out. `size` is that of the panel.
pub fn unturned(point: Point, size: Size) -> Point {
    (point.1, size.0 - point.0)
}

/// The picture with its axes swapped, for a panel of this size.
pub fn turned(scene: Scene, size: Size) -> Scene {
    let at = |(x, y): Point| (size.0 - y, x);
    let words = |text: Text| {
        let half = label::width(&text.words, text.size, text.bold) / 2.0;
        let (x, y) = at(text.at);
        // Words in the middle of their point may reach over the edge of the panel.
        Text { at: (x.min(size.0 - half - 2.0).max(half + 2.0), y), anchor: Anchor::Middle, ..text }
    };
    scene.mapped(size, at, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Color, Ink, Layer, Rect, Shape};

    #[test]
    fn the_lower_left_corner_becomes_the_upper_left_one() {
        let panel = (300.0, 200.0);
        let laid_out = turned_size(panel);
        // Step 0 at address 0 lies below on the left of the picture laid out.
        let mut layer = Layer::clipped(Rect::new(0.0, 0.0, laid_out.0, laid_out.1));
        layer.rect(Rect::new(0.0, laid_out.1 - 10.0, 40.0, 10.0), Ink::fill(Color::Text));
        let scene = turned(Scene::new(laid_out, vec![layer]), panel);
        assert_eq!(scene.layers[0].clip, Some(Rect::new(0.0, 0.0, 300.0, 200.0)));
        assert_eq!(scene.layers[0].marks[0].shape, Shape::Rect(Rect::new(0.0, 0.0, 10.0, 40.0)));
        assert_eq!(unturned((5.0, 20.0), panel), (20.0, 295.0));
    }
}
