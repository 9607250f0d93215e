//! Gaps: bytes below the top of a pool that no placed buffer covers at some step. They alone are
//! hatched, and each says how many bytes it has, where there is room for that.

use std::collections::BTreeMap;

use super::drawing::Drawing;
use super::geometry::{Point, Rect};
use super::ink::{Color, Ink, Texture};
use super::lines::{self, Lines};
use super::mark::{Anchor, Layer, Text};
use super::projection::Band;
use memplan_core::plan::PoolRole;
use memplan_core::problem::{BufferId, Live};

/// Most visible buffers whose gaps are all drawn.
const MOST: usize = 2000;
/// Most gaps that say how large they are: more would be a crowd.
const FEW: usize = 60;
/// Font size of what a gap says.
const FONT: f64 = 11.0;
/// Length of the line from words to what they are about.
const LEADER: f64 = 10.0;

/// A free stretch of addresses that stays the same over some steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gap {
    /// First free byte, from the base of the pool.
    pub from: u64,
    /// First byte after it.
    pub to: u64,
    /// The steps over which it stays the same.
    pub live: Live,
}

/// Gaps as they are drawn.
pub type Hatched = Vec<(Gap, Rect)>;

/// Hatches all gaps of the visible steps.
pub fn everywhere(drawing: &Drawing, layer: &mut Layer) -> Hatched {
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    let bands = drawing.projection.bands.iter();
    bands.flat_map(|band| between(drawing, band, (from, to), layer)).collect()
}

/// Hatches the gaps of a pool in some steps.
pub fn between(drawing: &Drawing, band: &Band, steps: (u32, u32), layer: &mut Layer) -> Hatched {
    hatch(seen(drawing, band, steps, 2.0), layer)
}

/// The same where the gaps are what is pointed out: lower ones are hatched, too.
pub fn pointed_out(drawing: &Drawing, band: &Band, steps: (u32, u32), layer: &mut Layer) -> Hatched {
    hatch(seen(drawing, band, steps, 1.0), layer)
}

fn hatch(hatched: Hatched, layer: &mut Layer) -> Hatched {
    hatched.iter().for_each(|(_, rect)| layer.rect(*rect, Ink::texture(Color::Hatch, Texture::Gap)));
    hatched
}

/// The gaps of a pool in some steps that are at least so many px high.
fn seen(drawing: &Drawing, band: &Band, (from, to): (u32, u32), least: f64) -> Hatched {
    let members = members(drawing, band, from, to);
    // A figure without offsets has no gaps at all.
    let is_figure = drawing.index.pools()[band.pool.0 as usize].role == PoolRole::Figure;
    if members.len() > MOST || is_figure {
        return Vec::new();
    }
    let found = gaps(&spans(drawing, &members), drawing.end(band), from, to);
    let visible = |gap: &Gap| {
        let rect = drawing.region(band, gap.live, gap.from, gap.to - gap.from);
        rect.cut(&drawing.projection.plot).filter(|rect| rect.w >= 1.0 && rect.h >= least)
    };
    found.into_iter().filter_map(|gap| Some((gap, visible(&gap)?))).collect()
}

/// Writes into each gap how large it is, clear of `taken`. Where `beside` is set, gaps too small
/// for words have them beside them, at the end of a line.
pub fn sizes(
    drawing: &Drawing,
    hatched: &Hatched,
    (lines, taken): (&Lines, &mut Vec<Rect>),
    beside: bool,
    layer: &mut Layer,
) {
    if hatched.len() > FEW || drawing.style.turned {
        return;
    }
    for (gap, rect) in hatched {
        let words = drawing.style.speech.bytes(gap.to - gap.from);
        if !inside(drawing, &words, rect, (lines, taken), layer) && beside {
            led(drawing, &words, (rect.x, rect.right(), rect.centre().1), Color::Text, taken, layer);
        }
    }
}

/// Words in a box, in its middle or where there is room beside other words, off the lines if they
/// can be. Returns false if there is no room.
pub fn inside(
    drawing: &Drawing,
    words: &str,
    rect: &Rect,
    (lines, taken): (&Lines, &mut Vec<Rect>),
    layer: &mut Layer,
) -> bool {
    let (x, y) = rect.centre();
    let text = |(dx, dy): (f64, f64)| {
        let at = (x + dx * rect.w, y + dy * rect.h);
        drawing.name(words.to_string(), at, Anchor::Middle, FONT).halo(Color::Background, 3.0)
    };
    let parts = [0.0, 0.25, -0.25, 0.36, -0.36];
    let places = parts.into_iter().flat_map(|dy| parts.map(|dx| (dx, dy))).map(text);
    let is_free = |text: &Text| {
        let letters = lines::letters(text).inset(-1.0);
        rect.holds(&letters) && !taken.iter().any(|other| other.meets(&letters))
    };
    let free: Vec<Text> = places.filter(is_free).collect();
    let clear = free.iter().position(|text| !lines.cross(text)).unwrap_or(0);
    let Some(text) = free.into_iter().nth(clear) else { return false };
    taken.push(text.bounds());
    lines::plate(&text, Color::Background, layer);
    layer.text(text, Color::Text);
    true
}

/// Words beside what lies from `left` to `right` at a height, at the end of a line that leads
/// there. Returns false if there is no room.
pub fn led(
    drawing: &Drawing,
    words: &str,
    (left, right, y): (f64, f64, f64),
    color: Color,
    taken: &mut Vec<Rect>,
    layer: &mut Layer,
) -> bool {
    let (plot, line) = (drawing.projection.plot, 15.0 * drawing.style.text_scale);
    let heights = [0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0].map(|lines| y + lines * line);
    let ends = [(right, LEADER, Anchor::Start), (left, -LEADER, Anchor::End)];
    let place = |(x, away, anchor): (f64, f64, Anchor), height: f64| {
        let text = drawing.name(words.to_string(), (x + 1.2 * away, height), anchor, FONT);
        ((x, y), (x + away, height), text.halo(Color::Background, 3.0))
    };
    let places = heights.into_iter().flat_map(|height| ends.map(|end| place(end, height)));
    let is_free = |(.., text): &(Point, Point, Text)| {
        let letters = lines::letters(text).inset(-1.0);
        plot.holds(&letters) && !taken.iter().any(|other| other.meets(&letters))
    };
    let Some((from, to, text)) = places.into_iter().find(is_free) else { return false };
    taken.push(text.bounds());
    layer.line(from, to, Ink::line(Color::Background, 3.0));
    layer.line(from, to, Ink::line(color, 1.0));
    lines::plate(&text, Color::Background, layer);
    layer.text(text, color);
    true
}

/// The gaps of one step with their sizes.
pub fn at_step(drawing: &Drawing, step: u32, mut taken: Vec<Rect>, layer: &mut Layer) {
    let bands = drawing.projection.bands.iter();
    let hatched: Hatched = bands.flat_map(|band| between(drawing, band, (step, step + 1), layer)).collect();
    if !drawing.style.narrow {
        sizes(drawing, &hatched, (&Lines::default(), &mut taken), true, layer);
    }
}

/// Placed buffers of a pool alive within some steps.
pub(super) fn members(drawing: &Drawing, band: &Band, from: u32, to: u32) -> Vec<BufferId> {
    let mut members = Vec::new();
    drawing.index.alive(&drawing.run.problem, from, to, |id| {
        let here = drawing.frame.places[id].is_some_and(|place| place.pool == band.pool);
        if here && drawing.run.problem.buffers[id].size > 0 {
            members.push(id);
        }
    });
    members
}

/// The free parts of a stretch of addresses over a live range.
pub fn within(drawing: &Drawing, band: &Band, live: Live, (low, high): (u64, u64)) -> Vec<Rect> {
    let members = members(drawing, band, live.start, live.end);
    let spans = spans(drawing, &members);
    let is_in = |(of, from, to): &(Live, u64, u64)| of.meets(live) && *from < high && low < *to;
    if !spans.iter().any(is_in) {
        return vec![drawing.region(band, live, low, high - low)];
    }
    let found = gaps(&spans, high, live.start, live.end).into_iter().filter(|gap| gap.to > low);
    found.map(|gap| drawing.region(band, gap.live, gap.from.max(low), gap.to - gap.from.max(low))).collect()
}

/// The bytes that buffers use in their pool, and when.
fn spans(drawing: &Drawing, members: &[BufferId]) -> Vec<(Live, u64, u64)> {
    let spans = |&id: &BufferId| {
        let offset = drawing.frame.places[id]?.offset;
        let spans = drawing.run.problem.buffers[id].spans();
        Some(spans.into_iter().map(move |span| (span.live, offset + span.low, offset + span.high)))
    };
    members.iter().filter_map(spans).flatten().collect()
}

/// Free stretches below `top` within `from..to`, each as long as it stays the same.
fn gaps(spans: &[(Live, u64, u64)], top: u64, from: u32, to: u32) -> Vec<Gap> {
    let mut edges: Vec<u32> = spans.iter().flat_map(|(live, ..)| [live.start, live.end]).collect();
    edges.extend([from, to]);
    edges.retain(|edge| (from..=to).contains(edge));
    edges.sort();
    edges.dedup();
    let mut open: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    let mut found = Vec::new();
    for &step in &edges {
        let free = if step < to { free_at(spans, top, step) } else { Vec::new() };
        let closed: Vec<(u64, u64)> = open.keys().filter(|gap| free.binary_search(gap).is_err()).copied().collect();
        for (low, high) in closed {
            let start = open.remove(&(low, high)).unwrap_or(step);
            found.push(Gap { from: low, to: high, live: Live::new(start, step) });
        }
        for gap in free {
            open.entry(gap).or_insert(step);
        }
    }
    found
}

/// Free stretches of one step, rising.
fn free_at(spans: &[(Live, u64, u64)], top: u64, step: u32) -> Vec<(u64, u64)> {
    let taken = spans.iter().filter(|(live, ..)| live.contains(step)).map(|&(_, from, to)| (from, to));
    free_between(taken.collect(), top)
}

/// Free stretches between those that are taken, rising.
pub(super) fn free_between(mut taken: Vec<(u64, u64)>, top: u64) -> Vec<(u64, u64)> {
    taken.sort();
    let mut free = Vec::new();
    let mut end = 0;
    for (from, to) in taken {
        if from > end {
            free.push((end, from.min(top)));
        }
        end = end.max(to);
    }
    if end < top {
        free.push((end, top));
    }
    free.retain(|(from, to)| from < to);
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lasts_as_long_as_it_stays_the_same() {
        let spans = [(Live::new(0, 4), 0, 4), (Live::new(1, 3), 6, 8), (Live::new(3, 4), 4, 8)];
        let gap = |from, to, start, end| Gap { from, to, live: Live::new(start, end) };
        let mut found = gaps(&spans, 8, 0, 5);
        found.sort();
        assert_eq!(found, [gap(0, 8, 4, 5), gap(4, 6, 1, 3), gap(4, 8, 0, 1)]);
        assert_eq!(gaps(&[], 8, 0, 2), [gap(0, 8, 0, 2)]);
        assert_eq!(gaps(&[], 0, 0, 2), []);
    }
}
