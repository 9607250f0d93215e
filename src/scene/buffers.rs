//! Rectangles of the placed buffers, with patterns, padding and the density of those too small to see.

use super::density;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Class, Color, Ink, Part, Texture, Tone};
use super::mark::{Layer, Mark, Shape};
use crate::base::{Arrange, Message, SortedMap, align_up};
use crate::plan::PoolRole;
use crate::problem::BufferId;
use std::cmp::Reverse;

/// Smallest side drawn as a rectangle of its own; thinner ones are added up.
const SMALLEST: f64 = 1.0;
/// Smallest side with a border.
const BORDERED: f64 = 4.0;
/// Lowest padding that is hatched.
const PADDED: f64 = 1.5;
/// A visible buffer that is drawn by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shown {
    /// The buffer.
    pub id: BufferId,
    /// Cut to a little more than the plot.
    pub rect: Rect,
    /// Its class under the chosen way of colouring.
    pub class: Class,
    /// Full colour, or pale where it cannot matter to this frame.
    pub tone: Tone,
}

/// What is visible of a frame.
#[derive(Debug, Default)]
pub struct Visible {
    /// Buffers of at least a pixel, in order of birth.
    pub shown: Vec<Shown>,
    /// Smaller ones.
    pub merged: Vec<Shown>,
}

impl Visible {
    /// The placed buffers within the plot.
    pub fn new(drawing: &Drawing) -> Visible {
        let mut visible = Visible::default();
        let projection = &drawing.projection;
        let (from, to) = projection.visible_steps(drawing.index);
        let problem = &drawing.run.problem;
        drawing.index.alive(problem, from, to, |id| {
            let buffer = &problem.buffers[id];
            let Some(place) = drawing.frame.places[id] else { return };
            let Some(band) = projection.band(place.pool).filter(|band| buffer.size > 0 && !band.is_line) else {
                return;
            };
            let exact = projection.exact(band, buffer.live, place.offset, buffer.size);
            let class = drawing.class(id);
            if !exact.meets(&projection.plot) || drawing.style.filter.hides(class) {
                return;
            }
            let small = exact.w < SMALLEST || exact.h < SMALLEST;
            let rect = if small { Some(exact) } else { projection.cut(projection.snapped(exact)) };
            let tone = drawing.tone(class, buffer.live);
            let list = if small { &mut visible.merged } else { &mut visible.shown };
            list.extend(rect.map(|rect| Shown { id, rect, class, tone }));
        });
        visible
    }

    /// The smallest of the merged ones by bytes times steps.
    pub fn smallest(&self, drawing: &Drawing) -> Option<BufferId> {
        let buffers = &drawing.run.problem.buffers;
        let extent = |id: &BufferId| buffers[*id].size.saturating_mul(buffers[*id].live.len() as u64);
        self.merged.iter().map(|shown| shown.id).min_by_key(extent)
    }
}

/// Draws all that is visible.
pub fn draw(drawing: &Drawing, visible: &Visible, layer: &mut Layer) {
    densities(drawing, &visible.merged, layer);
    // Sorted by ink, so that a painter sets each colour once; pale ones below.
    let mut by_ink: SortedMap<(Reverse<Tone>, Class, bool), Vec<&Shown>> = SortedMap::new();
    for run in visible.shown.chunk_by(|a, b| ink_key(a) == ink_key(b)) {
        by_ink.or_insert(ink_key(&run[0]), Vec::new()).extend(run);
    }
    for (&(Reverse(tone), class, bordered), list) in &by_ink {
        for shown in list {
            let mut mark = Mark::new(Shape::Rect(shown.rect), Ink::fill(Color::Buffer(Part::Fill, class, tone)));
            mark.edge = bordered.then_some(Color::Buffer(Part::Border, class, tone));
            mark.title = drawing.style.titles.then(|| title(drawing, shown.id).into());
            layer.marks.push(mark);
        }
    }
    let textured = by_ink.iter().filter(|((_, class, bordered), _)| *bordered && class.texture() != Texture::Solid);
    for (&(Reverse(tone), class, _), list) in textured {
        let alpha = if tone == Tone::Full { 0.45 } else { 0.30 };
        let ink = Ink::texture(Color::Buffer(Part::Border, class, Tone::Full), class.texture()).alpha(alpha);
        list.iter().for_each(|shown| layer.rect(shown.rect.inset(1.0), ink));
    }
    // Far out no padding is high enough to be seen.
    let storages = drawing.index.pools().iter().any(|pool| pool.role == PoolRole::Storage);
    if storages || drawing.run.align as f64 * drawing.projection.per_byte() >= PADDED {
        visible.shown.iter().for_each(|shown| unused(drawing, shown, layer));
    }
}

fn ink_key(shown: &Shown) -> (Reverse<Tone>, Class, bool) {
    (Reverse(shown.tone), shown.class, shown.rect.w >= BORDERED && shown.rect.h >= BORDERED)
}

fn densities(drawing: &Drawing, merged: &[Shown], layer: &mut Layer) {
    let mut keys: Vec<(Tone, Class)> = merged.iter().map(|shown| (shown.tone, shown.class)).collect();
    keys.arrange();
    keys.dedup();
    // A few thin buffers are mostly border, many together are an area.
    let ink = |part, (tone, class)| Ink::fill(Color::Buffer(part, class, tone));
    let inks: Vec<density::Inks> =
        keys.iter().map(|&key| [Part::Border, Part::Fill].map(|part| ink(part, key))).collect();
    let number = |shown: &Shown| keys.binary_search(&(shown.tone, shown.class)).unwrap_or(0);
    let boxes: Vec<(usize, Rect)> = merged.iter().map(|shown| (number(shown), shown.rect)).collect();
    density::draw(drawing.projection.plot, &boxes, &inks, layer);
}

/// Alignment bytes on top of a buffer, or what it leaves unused of its storage block.
fn unused(drawing: &Drawing, shown: &Shown, layer: &mut Layer) {
    let buffer = &drawing.run.problem.buffers[shown.id];
    let Some((place, band)) =
        drawing.frame.places[shown.id].and_then(|place| Some((place, drawing.projection.band(place.pool)?)))
    else {
        return;
    };
    let end = place.offset + buffer.size;
    let facts = &drawing.index.pools()[place.pool.0 as usize];
    let up_to = match facts.role {
        PoolRole::Storage => drawing.end(band),
        _ => align_up(end, drawing.run.align).min(drawing.end(band)),
    };
    if end >= up_to {
        return;
    }
    let rect = drawing.region(band, buffer.live, end, up_to - end);
    if let Some(rect) = drawing.projection.cut(rect).filter(|rect| rect.h >= PADDED && rect.w >= BORDERED) {
        layer.rect(rect, Ink::texture(Color::Buffer(Part::Border, shown.class, shown.tone), Texture::Padding));
    }
}

/// Name, size, life and address of a buffer in words.
pub fn title(drawing: &Drawing, id: BufferId) -> String {
    let buffer = &drawing.run.problem.buffers[id];
    let offset = drawing.frame.places[id].map_or(0, |place| place.offset);
    let message = Message::new("stage.buffer")
        .name("name", buffer.name.clone())
        .bytes("size", buffer.size)
        .with("live", crate::base::Arg::Live(buffer.live.start, buffer.live.end))
        .with("span", crate::base::Arg::Span(offset, offset + buffer.size));
    drawing.say(&message)
}
