//! What a term means, shown on the plan while the term is defined.

use super::callouts::callouts;
use super::curves;
use super::drawing::Drawing;
use super::frame_marks::reason;
use super::geometry::{Point, Rect};
use super::ink::{Color, Dash, Ink};
use super::lines::{self, Lines};
use super::mark::{Anchor, Layer, Mark, Shape, Text};
use super::projection::Band;
use super::{gaps, pointer};
use memplan_core::base::{Message, Term};
use memplan_core::plan::PoolRole;
use memplan_core::problem::BufferId;
use memplan_core::trace::TreeNode;

/// Width of a line that is pointed out.
const LINE: f64 = 3.0;

/// Height of a box in which a bracket has room beside the name, in px.
const ROOM: f64 = 60.0;

/// Most places on each side of a step that are tried for the words about the waste, and their
/// distance in px.
const PLACES: u32 = 12;
const PITCH: f64 = 12.0;

/// How much of all else is covered while the load is pointed out.
const VEIL: f64 = 0.6;

/// Lights up what a term means; nothing for a term that is not drawn.
///
/// The names on the plan, `labels`, stay readable: the definition of a term names buffers. In a
/// plan at rest a term about one buffer is shown on the chosen one.
pub fn draw(drawing: &Drawing, term: Term, chosen: Option<BufferId>, labels: &[Mark], layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let bands = drawing.projection.bands.iter().filter(|band| !band.is_bare);
    match term {
        Term::LiveRange | Term::Buffer => focus(drawing, term, chosen, layer),
        Term::Load => {
            layer.rect(plot.inset(-4.0), Ink::fill(Color::Background).alpha(VEIL));
            let curves: Vec<Vec<Point>> = bands.map(|band| line(drawing, band)).collect();
            let lines = Lines::new(curves.clone(), Vec::new());
            for curve in curves {
                layer.push(Shape::Polyline(curve), Ink::line(Color::Load, LINE).round());
            }
            names(&lines, labels, layer);
        }
        Term::LowerBound => bands.for_each(|band| bound(drawing, band, labels, layer)),
        Term::Peak | Term::PeakSoFar => bands.for_each(|band| {
            level(drawing, band.y(drawing.end(band)), [Ink::line(Color::Peak, LINE)], labels, layer);
        }),
        Term::Waste => {
            let mut taken = letters(labels);
            bands.for_each(|band| waste(drawing, band, (labels, &mut taken), layer));
        }
        Term::Gap | Term::Fragmentation => {
            let hatched = gaps::everywhere(drawing, layer);
            let levels = super::bands::level_lines(drawing).into_iter().map(|(y, _)| y).collect();
            let lines = Lines::new(curves::shown(drawing).collect(), levels);
            pointer::again(labels, |label| hatched.iter().any(|(_, rect)| rect.meets(label)), layer);
            gaps::sizes(drawing, &hatched, (&lines, &mut letters(labels)), false, layer);
        }
        Term::Pool | Term::Arena => bands.for_each(|band| pool(drawing, band, layer)),
        Term::Storage => {
            let is_storage = |band: &&Band| drawing.index.pools()[band.pool.0 as usize].role == PoolRole::Storage;
            drawing.projection.bands.iter().filter(is_storage).for_each(|band| pool(drawing, band, layer));
        }
        Term::Temporal | Term::Spatial | Term::Allocation | Term::Empty => nodes(drawing, term, layer),
        _ => {}
    }
}

/// A line across the plot with a halo, in some inks one over the other.
fn level(drawing: &Drawing, y: f64, inks: impl IntoIterator<Item = Ink>, labels: &[Mark], layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let y = drawing.projection.snap(y);
    if y > plot.y - 4.0 && y < plot.bottom() + 4.0 {
        layer.line((plot.x, y), (plot.right(), y), Ink::line(Color::Background, LINE + 3.0));
        inks.into_iter().for_each(|ink| layer.line((plot.x, y), (plot.right(), y), ink));
        let line = Rect::new(plot.x, y - LINE, plot.w, 2.0 * LINE);
        pointer::again(labels, |letters| letters.meets(&line), layer);
        // Numbers and reasons of places stand over the line, too.
        let callouts = if drawing.style.notes { Vec::new() } else { callouts(drawing) };
        callouts.iter().filter(|callout| callout.is_over(&line)).for_each(|over| reason(drawing, over, layer));
    }
}

/// A bracket over the life of this frame's buffer, or of the chosen one, or its outline.
fn focus(drawing: &Drawing, term: Term, chosen: Option<BufferId>, layer: &mut Layer) {
    let Some(id) = drawing.frame.focus.or(chosen) else { return };
    let Some(live) = drawing.run.problem.buffers.get(id).map(|buffer| buffer.live) else { return };
    let x = |step: u32| drawing.projection.snap(drawing.projection.step_to_x(f64::from(step)));
    let (left, right) = (x(live.start), x(live.end));
    let plot = drawing.projection.plot;
    let rect = drawing.rect(id).and_then(|rect| rect.cut(&plot));
    if let Some(rect) = rect.filter(|_| term == Term::Buffer) {
        layer.rect(rect, Ink::line(Color::Background, LINE + 3.0));
        return layer.rect(rect, Ink::line(Color::Accent, LINE));
    }
    // The name of the buffer stands in the middle of its box: below it, if there is room.
    let below = |rect: Rect| if rect.h >= ROOM { rect.bottom() - 8.0 } else { rect.centre().1 };
    let y = rect.map_or(plot.bottom() - 12.0, below);
    bracket(layer, (left + 1.0, y), (right - 1.0, y));
    let words = memplan_core::text::live(live.start, live.end);
    let text = drawing.name(words, ((left + right) / 2.0, y - 12.0), Anchor::Middle, 12.0).bold();
    layer.text(text.halo(Color::Background, 4.0), Color::Text);
}

/// A line with a stop at each end, over a halo; level or upright.
pub fn bracket(layer: &mut Layer, from: Point, to: Point) {
    let (dx, dy) = if from.1 == to.1 { (0.0, 5.0) } else { (5.0, 0.0) };
    let stop = |at: Point| ((at.0 - dx, at.1 - dy), (at.0 + dx, at.1 + dy));
    let lines = vec![(from, to), stop(from), stop(to)];
    layer.push(Shape::Lines(lines.clone()), Ink::line(Color::Background, 4.0).alpha(0.7));
    layer.push(Shape::Lines(lines), Ink::line(Color::Text, 1.5));
}

fn line(drawing: &Drawing, band: &Band) -> Vec<Point> {
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    curves::curve(&drawing.projection, &facts.load, from, to, |bytes| band.y(bytes))
}

/// The names on the plan once more, on the veil and not on grounds of their own; only those that a
/// curve crosses keep a halo.
fn names(curves: &Lines, labels: &[Mark], layer: &mut Layer) {
    for label in labels {
        let Shape::Text(text) = &label.shape else { continue };
        let halo = Some((Color::Background, 4.0)).filter(|_| curves.cross(text));
        let shape = Shape::Text(Box::new(Text { halo, ..(**text).clone() }));
        layer.marks.push(Mark { shape, ..label.clone() });
    }
}

/// The line of the bound, and the steps of the largest load below it.
fn bound(drawing: &Drawing, band: &Band, labels: &[Mark], layer: &mut Layer) {
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    if facts.bound == 0 {
        return;
    }
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    for (start, end, _) in facts.load.stretches(from, to).filter(|(.., bytes)| *bytes == facts.load.max()) {
        let x = |step: u32| drawing.projection.snap(drawing.projection.step_to_x(step as f64));
        let column = Rect::between((x(start), band.y(facts.bound)), (x(end).max(x(start) + 2.0), band.zero_y()));
        if let Some(column) = column.cut(&drawing.projection.plot) {
            layer.rect(column, Ink::fill(Color::Bound).alpha(0.18));
        }
    }
    // Between the dashes the peak is seen if it is at its bound.
    let is_peak = drawing.style.show_peak && drawing.end(band) == facts.bound;
    let peak = is_peak.then(|| Ink::line(Color::Peak, LINE));
    let bound = Ink::dashed(Color::Bound, LINE, Dash::Bound);
    level(drawing, band.y(facts.bound), peak.into_iter().chain([bound]), labels, layer);
}

/// At the first step of the largest load: the gaps, which are as large as the waste together, and a
/// bracket from the bound to the peak.
fn waste(drawing: &Drawing, band: &Band, (labels, taken): (&[Mark], &mut Vec<Rect>), layer: &mut Layer) {
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let (end, plot) = (drawing.end(band), drawing.projection.plot);
    level(drawing, band.y(facts.bound), [Ink::dashed(Color::Bound, LINE, Dash::Bound)], labels, layer);
    level(drawing, band.y(end), [Ink::line(Color::Peak, LINE)], labels, layer);
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    let fullest = facts.load.stretches(from, to).find(|(.., bytes)| *bytes == facts.bound);
    // Before all buffers are placed nothing is known of the waste.
    let Some((start, stop, _)) = fullest.filter(|_| end > facts.bound && drawing.run.is_over(drawing.frame)) else {
        return;
    };
    let x = |step: u32| drawing.projection.snap(drawing.projection.step_to_x(step as f64));
    let (left, right) = (x(start), x(stop).max(x(start) + 2.0));
    let hatched = gaps::pointed_out(drawing, band, (start, stop), layer);
    for (_, rect) in &hatched {
        // Of a low gap an outline would leave nothing.
        if rect.h >= 6.0 {
            layer.rect(*rect, Ink::line(Color::Text, 1.0));
        }
        pointer::again(labels, |label| label.meets(rect), layer);
    }
    let words = drawing.say(&Message::new("stage.waste").bytes("bytes", end - facts.bound));
    // Where one line has no room, the bytes stand on a second one.
    let ways = [Some(vec![words.as_str()]), words.split_once(' ').map(|(first, rest)| vec![first, rest])];
    let (y, size) = ((band.y(end) + band.y(facts.bound)) / 2.0, if drawing.style.narrow { 11.0 } else { 12.0 });
    let set = |way: &[&str], x: f64, anchor: Anchor| -> Vec<Text> {
        let line = |(line, words): (usize, &&str)| {
            let text = drawing.words(words.to_string(), (x, y), anchor, size).bold().halo(Color::Background, 4.0);
            let down = (line as f64 - (way.len() - 1) as f64 / 2.0) * 1.2 * text.size;
            // The last line stands above the bound: boxes lie below it.
            let last = band.y(facts.bound) - 0.6 * text.size - (way.len() - 1 - line) as f64 * 1.2 * text.size;
            let y = if way.len() > 1 && band.is_upright() { (y + down).min(last) } else { y + down };
            Text { at: (x, y), ..text }
        };
        way.iter().enumerate().map(line).collect()
    };
    // Left of the step or right of it, if there is room for the words too; further away where names
    // or the edges of boxes are in the way: both lines go across the whole panel.
    let away = (0..PLACES).map(|place| 8.0 + PITCH * f64::from(place));
    let away = away.flat_map(|away| [(left - away, -8.0, Anchor::End), (right + away, 8.0, Anchor::Start)]);
    let place =
        |(x, away, anchor): (f64, f64, Anchor)| ways.iter().flatten().map(move |way| (x, x + away, anchor, way));
    let sides = away.flat_map(place).map(|(x, at, anchor, way)| (x, set(way, at, anchor)));
    let is_seen = |(_, texts): &(f64, Vec<Text>)| texts.iter().all(|text| plot.holds(&lines::letters(text)));
    let sides: Vec<(f64, Vec<Text>)> = sides.filter(is_seen).collect();
    let upright = |x: f64| Rect::between((x - 6.0, band.y(facts.bound)), (x + 6.0, band.y(end)));
    let is_over = |(x, texts): &(f64, Vec<Text>)| {
        let meets =
            |other: &Rect| other.meets(&upright(*x)) || texts.iter().any(|text| other.meets(&lines::letters(text)));
        letters(labels).iter().any(meets)
    };
    let boxes: Vec<Rect> = boxes(drawing, (from, to)).collect();
    let is_cut = |(_, texts): &(f64, Vec<Text>)| {
        let edges = boxes.iter().flat_map(|rect| rect.edges(2.0));
        edges.into_iter().any(|edge| texts.iter().any(|text| edge.meets(&lines::letters(text))))
    };
    // A bracket along the edge of a box would seem to be a part of it.
    let is_along = |(x, _): &(f64, Vec<Text>)| {
        let edges =
            boxes.iter().flat_map(|rect| [rect.x, rect.right()].map(|at| Rect { x: at - 1.0, w: 2.0, ..*rect }));
        edges.into_iter().any(|edge| edge.meets(&upright(*x)))
    };
    // On a box it would seem to be a part of that, too.
    let is_on = |(x, texts): &(f64, Vec<Text>)| {
        let meets =
            |rect: &Rect| rect.meets(&upright(*x)) || texts.iter().any(|text| rect.meets(&lines::letters(text)));
        boxes.iter().any(meets)
    };
    let is_clear = |side: &(f64, Vec<Text>)| !is_over(side) && !is_cut(side) && !is_along(side);
    let clear = sides.iter().position(|side| is_clear(side) && !is_on(side));
    let clear = clear.or_else(|| sides.iter().position(is_clear));
    let clear = clear.or_else(|| sides.iter().position(|side| !is_over(side) && !is_cut(side)));
    let clear = clear.or_else(|| sides.iter().position(|side| !is_over(side)));
    let Some((x, texts)) = sides.into_iter().nth(clear.unwrap_or(0)) else { return };
    bracket(layer, (x, band.y(facts.bound)), (x, band.y(end)));
    taken.push(upright(x));
    for text in texts {
        lines::plate(&text, Color::Background, layer);
        taken.push(text.bounds());
        layer.text(text, Color::Text);
    }
    let lines = Lines::new(vec![line(drawing, band)], Vec::new());
    gaps::sizes(drawing, &hatched, (&lines, taken), true, layer);
}

/// The boxes of the buffers in some steps, as far as they are seen.
pub fn boxes(drawing: &Drawing, (from, to): (u32, u32)) -> impl Iterator<Item = Rect> {
    let mut found = Vec::new();
    drawing.index.alive(&drawing.run.problem, from, to, |id| found.extend(drawing.rect(id)));
    let plot = drawing.projection.plot;
    found.into_iter().filter_map(move |rect| rect.cut(&plot))
}

/// The boxes of words on the plan.
pub fn letters(labels: &[Mark]) -> Vec<Rect> {
    let text = |mark: &Mark| match &mark.shape {
        Shape::Text(text) => Some(lines::letters(text)),
        _ => None,
    };
    labels.iter().filter_map(text).collect()
}

/// The bytes of a pool as far as they are used.
fn pool(drawing: &Drawing, band: &Band, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let rect = Rect::between((plot.x, band.y(drawing.end(band))), (plot.right(), band.zero_y()));
    if let Some(rect) = rect.cut(&plot).filter(|rect| rect.h >= 1.0) {
        layer.rect(rect, Ink::fill(Color::Accent).alpha(0.12));
        layer.rect(rect.inset(1.0), Ink::line(Color::Accent, 2.0));
    }
}

/// The nodes of a kind.
fn nodes(drawing: &Drawing, term: Term, layer: &mut Layer) {
    for region in drawing.frame.layouts.iter().flat_map(|layout| &layout.regions) {
        let is_wanted = match &drawing.frame.state.tree.nodes[region.node] {
            TreeNode::Temporal { .. } => term == Term::Temporal,
            TreeNode::Spatial { .. } => term == Term::Spatial,
            TreeNode::Leaf { .. } => term == Term::Allocation,
            TreeNode::Empty { .. } => term == Term::Empty,
        };
        let rect = super::tree_marks::node_rect(drawing, region.node).filter(|_| is_wanted);
        if let Some(rect) = rect.and_then(|rect| rect.cut(&drawing.projection.plot)) {
            layer.rect(rect, Ink::fill(Color::Accent).alpha(0.08));
            layer.rect(rect.inset(1.0), Ink::line(Color::Accent, 2.0));
        }
    }
}
