//! Gaps: bytes below the top of a pool that nobody uses at some step.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink, Texture};
use super::lines;
use super::mark::{Anchor, Layer};
use super::projection::Band;
use crate::base::{Arrange, SortedMap};
use crate::problem::{BufferId, Live};

/// Most visible buffers whose gaps are all drawn.
const MOST: usize = 2000;
/// Lowest gap with its size in words.
const NAMED: f64 = 14.0;

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

/// All gaps of the visible steps.
pub fn everywhere(drawing: &Drawing, layer: &mut Layer) {
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    for band in &drawing.projection.bands {
        let members = members(drawing, band, from, to);
        if members.len() > MOST {
            continue;
        }
        for gap in gaps(&spans(drawing, &members), drawing.end(band), from, to) {
            if let Some(rect) = visible(drawing, band, &gap) {
                layer.rect(rect, Ink::texture(Color::Hatch, Texture::Gap));
            }
        }
    }
}

/// The gaps of one step with their sizes.
pub fn at_step(drawing: &Drawing, step: u32, layer: &mut Layer) {
    for band in &drawing.projection.bands {
        let members = members(drawing, band, step, step + 1);
        for gap in gaps(&spans(drawing, &members), drawing.end(band), step, step + 1) {
            let Some(rect) = visible(drawing, band, &gap) else { continue };
            layer.rect(rect, Ink::texture(Color::Hatch, Texture::Gap));
            if rect.h >= NAMED && !drawing.style.narrow {
                let words = drawing.style.speech.bytes(gap.to - gap.from);
                let inside = rect.right() + 80.0 > drawing.projection.plot.right();
                let at = (if inside { rect.x - 6.0 } else { rect.right() + 6.0 }, rect.centre().1);
                let anchor = if inside { Anchor::End } else { Anchor::Start };
                let text = drawing.name(words, at, anchor, 11.0).halo(Color::Background, 4.0);
                lines::plate(&text, Color::Background, layer);
                layer.text(text, Color::Muted);
            }
        }
    }
}

fn visible(drawing: &Drawing, band: &Band, gap: &Gap) -> Option<Rect> {
    let rect = drawing.region(band, gap.live, gap.from, gap.to - gap.from);
    rect.cut(&drawing.projection.plot).filter(|rect| rect.w >= 1.0 && rect.h >= 2.0)
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
    edges.arrange();
    edges.dedup();
    let mut open: SortedMap<(u64, u64), u32> = SortedMap::new();
    let mut found = Vec::new();
    for &step in &edges {
        let free = if step < to { free_at(spans, top, step) } else { Vec::new() };
        let closed: Vec<(u64, u64)> = open.keys().filter(|gap| free.binary_search(gap).is_err()).copied().collect();
        for (low, high) in closed {
            let start = open.remove(&(low, high)).unwrap_or(step);
            found.push(Gap { from: low, to: high, live: Live::new(start, step) });
        }
        for gap in free {
            open.or_insert(gap, step);
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
    taken.arrange();
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
