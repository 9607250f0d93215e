//! Load over time, in bytes on the same axis as the buffers: what lies between it and the peak is
//! waste.

use super::buffers::Visible;
use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::ink::{Color, Ink};
use super::lines::Lines;
use super::margins::READABLE;
use super::mark::{Anchor, Layer, Shape, Text};
use super::projection::{Band, Projection};
use memplan_core::base::Id;
use memplan_core::plan::PoolRole;
use memplan_core::problem::Load;

/// Height from which a band has the word "load" beside its curve, in px.
const NAMED: f64 = 60.0;

/// The curve of every pool, with a halo.
pub fn loads(drawing: &Drawing, layer: &mut Layer) {
    let width = if drawing.style.narrow { 1.5 } else { 2.0 };
    for line in shown(drawing) {
        layer.push(Shape::Polyline(line.clone()), Ink::line(Color::Background, width + 2.5).alpha(0.85).round());
        layer.push(Shape::Polyline(line), Ink::line(Color::Load, width).round());
    }
}

/// The curve of each band that is high enough for one; none where curves are switched off.
pub fn shown<'a>(drawing: &'a Drawing) -> impl Iterator<Item = Vec<Point>> + 'a {
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    let bands = drawing.projection.bands.iter().filter(|_| drawing.style.show_load);
    bands.filter_map(move |band| {
        let facts = &drawing.index.pools()[band.pool.0 as usize];
        // The boxes of a storage are its load: the curve would only go along their edges.
        let is_plain = band.height() < READABLE || band.is_bare || facts.bound == 0 || facts.role == PoolRole::Storage;
        (!is_plain).then(|| curve(&drawing.projection, &facts.load, from, to, |bytes| band.y(bytes)))
    })
}

/// The step curve of a window; where steps are narrower than a pixel, its upper envelope.
pub fn curve(projection: &Projection, load: &Load, from: u32, to: u32, y: impl Fn(u64) -> f64) -> Vec<Point> {
    envelope(load, from, to, |step| projection.step_to_x(step), y)
}

/// The same with any scale of steps.
pub fn envelope(load: &Load, from: u32, to: u32, x: impl Fn(f64) -> f64, y: impl Fn(u64) -> f64) -> Vec<Point> {
    let x = |step: u32| x(step as f64);
    let is_narrow = |start: u32, end: u32| x(end) - x(start) < 1.0;
    let ends = |(start, end, bytes): (u32, u32, u64)| [(x(start), y(bytes)), (x(end), y(bytes))];
    load.summits(from, to, is_narrow).flat_map(ends).collect()
}

/// The word "load" above a long level stretch of the curve of each band, where nothing is in its
/// way.
pub fn names(drawing: &Drawing, visible: &Visible, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let several = drawing.projection.bands.iter().any(|band| band.head.is_some());
    if !(several || drawing.projection.words_inside) || drawing.style.narrow {
        return;
    }
    let has_curve = |band: &&Band| !band.is_bare && drawing.index.pools()[band.pool.index()].role != PoolRole::Storage;
    let bands = drawing.projection.bands.iter().filter(has_curve);
    let highest = bands.max_by(|a, b| a.height().total_cmp(&b.height()));
    if let Some(band) = highest.filter(|band| band.height() >= NAMED) {
        name(drawing, band, (visible, lines), taken, layer);
    }
}

fn name(
    drawing: &Drawing,
    band: &Band,
    (visible, lines): (&Visible, &Lines),
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) {
    let projection = &drawing.projection;
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let (from, to) = projection.visible_steps(drawing.index);
    let stretches: Vec<(u32, u32, u64)> = facts.load.stretches(from, to).filter(|(.., bytes)| *bytes > 0).collect();
    let word = drawing.words(drawing.word("stage.load"), (0.0, 0.0), Anchor::Middle, 11.5).halo(Color::Background, 4.0);
    let room = word.bounds().w + 4.0;
    for &(start, end, bytes) in stretches.iter().rev() {
        let (left, right) = (projection.step_to_x(start as f64), projection.step_to_x(end as f64));
        // Most stretches of a long run are too short.
        if right - left < room {
            continue;
        }
        let text = Text { at: ((left + right) / 2.0, band.y(bytes) - 10.0), ..word.clone() };
        let bounds = text.bounds();
        let inside = bounds.cut(&projection.plot) == Some(bounds);
        let mut boxes = visible.shown.iter().map(|shown| &shown.rect);
        let is_clear = !lines.cross(&text);
        if inside
            && is_clear
            && !taken.iter().any(|other| other.meets(&bounds))
            && !boxes.any(|rect| rect.meets(&bounds))
        {
            taken.push(bounds);
            layer.text(text, Color::Load);
            return;
        }
    }
}
