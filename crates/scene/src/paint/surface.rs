//! What a scene is painted on.

use crate::{Layer, Mark, Scene, Shape};

/// A target of painting: two calls around each layer, one for each run of marks of one ink.
pub trait Surface {
    /// A layer begins; its clip holds until it ends.
    fn begin(&mut self, layer: &Layer);

    /// Marks in painting order that share shape kind, ink and edge: set up once, draw all.
    fn run(&mut self, marks: &[Mark]);

    /// Ends the layer that was begun last.
    fn end(&mut self);
}

/// Paints a scene from back to front.
pub fn draw(scene: &Scene, surface: &mut impl Surface) {
    for layer in &scene.layers {
        surface.begin(layer);
        for run in layer.marks.chunk_by(alike) {
            surface.run(run);
        }
        surface.end();
    }
}

/// Paints the marks of a scene that are wanted, from back to front. Runs stay apart that others lie
/// between.
pub fn draw_wanted(scene: &Scene, surface: &mut impl Surface, wanted: impl Fn(&Mark) -> bool) {
    for layer in &scene.layers {
        surface.begin(layer);
        for run in layer.marks.chunk_by(alike) {
            let marks: Vec<Mark> = run.iter().filter(|mark| wanted(mark)).cloned().collect();
            surface.run(&marks);
        }
        surface.end();
    }
}

fn alike(a: &Mark, b: &Mark) -> bool {
    a.ink == b.ink
        && a.edge == b.edge
        && std::mem::discriminant(&a.shape) == std::mem::discriminant(&b.shape)
        && !is_text(a)
}

/// Words differ in font and place: each is a run of its own.
fn is_text(mark: &Mark) -> bool {
    matches!(mark.shape, Shape::Text(_))
}
