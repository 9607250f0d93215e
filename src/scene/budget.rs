//! A budget: a line through the first pool, and what of its buffers lies above.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink, Texture};
use super::lines;
use super::mark::{Anchor, Layer, Mark, Text};
use super::pointer;
use crate::base::Message;

/// Most visible buffers whose parts above the budget are drawn.
const MOST: usize = 2_000;

/// Draws the line with its bytes, and hatches what is above it.
pub fn draw(drawing: &Drawing, budget: u64, labels: &[Mark], layer: &mut Layer) {
    let (projection, plot) = (&drawing.projection, drawing.projection.plot);
    let Some(band) = projection.bands.first().filter(|band| !band.folded) else { return };
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
                layer.rect(rect, Ink::texture(Color::Error, Texture::Waste));
            }
        }
    });
    let y = projection.snap(band.y(budget));
    if y < plot.y - 2.0 || y > plot.bottom() {
        return;
    }
    layer.line((plot.x, y), (plot.right(), y), Ink::line(Color::Background, 4.0).alpha(0.7));
    layer.line((plot.x, y), (plot.right(), y), Ink::line(color, 2.0));
    let line = Rect::new(plot.x, y - 2.0, plot.w, 4.0);
    pointer::again(labels, |letters| letters.meets(&line), layer);
    let words = drawing.say(&Message::new("fit.line").bytes("bytes", budget));
    let at = |below: f64| drawing.words(words.clone(), (plot.right() - 6.0, y + below), Anchor::End, 11.5).bold();
    // Above its line, unless the header of the pool has the peak there.
    let is_taken = |text: &Text| band.head.is_some_and(|head| head.meets(&text.bounds()));
    let text = Some(at(-10.0)).filter(|text| !is_taken(text)).unwrap_or_else(|| at(11.0));
    let text = text.halo(Color::Background, 4.0);
    let bounds = text.bounds();
    if Rect::new(plot.x, plot.y, plot.w, plot.h).contains((bounds.x, bounds.y)) {
        lines::plate(&text, Color::Background, layer);
        layer.text(text, color);
    }
}
