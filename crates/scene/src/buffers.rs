//! Rectangles of the placed buffers, with patterns, padding and the density of those too small to
//! see.

use std::collections::{BTreeMap, BTreeSet};

use super::crowd::{Summed, crowd};
use super::density;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Class, Color, Ink, Part, Texture, Tone};
use super::mark::{Layer, Mark, Shape};
use super::overlaid;
use super::pieces::{inks, pieces};
use memplan_core::base::{Message, align_up};
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_core::problem::{BufferId, Live};
use std::cmp::Reverse;

/// Smallest side with a border.
const BORDERED: f64 = 4.0;
/// Lowest padding that is hatched.
const PADDED: f64 = 1.5;
/// A visible buffer that is drawn by itself, or one of the pieces of a buffer with gaps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shown {
    /// The buffer.
    pub id: BufferId,
    /// Whether it carries the name: the largest piece does.
    pub is_named: bool,
    /// Whether it lies over a larger one, as in a plan that breaks a rule.
    pub is_over: bool,
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
    small: Small,
}

/// What is too small to be drawn one by one.
#[derive(Debug)]
enum Small {
    Each(Vec<Shown>),
    Summed(Summed),
}

impl Default for Small {
    fn default() -> Small {
        Small::Each(Vec::new())
    }
}

impl Visible {
    /// The placed buffers within the plot.
    pub fn new(drawing: &Drawing) -> Visible {
        let mut visible = Visible::default();
        let Some((large, summed)) = crowd(drawing) else { return Visible::one_by_one(drawing) };
        visible.small = Small::Summed(summed);
        large.into_iter().for_each(|id| visible.take(drawing, id));
        visible.arranged()
    }

    /// The same, with all buffers looked at.
    fn one_by_one(drawing: &Drawing) -> Visible {
        let mut visible = Visible::default();
        let (from, to) = drawing.projection.visible_steps(drawing.index);
        drawing.index.alive(&drawing.run.problem, from, to, |id| visible.take(drawing, id));
        visible.arranged()
    }

    /// Sorts out what lies over another one.
    fn arranged(self) -> Visible {
        let mut visible = self;
        let boxes: Vec<Rect> = visible.shown.iter().map(|shown| shown.rect).collect();
        for (shown, (rect, is_over)) in visible.shown.iter_mut().zip(overlaid::arranged(&boxes)) {
            (shown.rect, shown.is_over) = (rect, is_over);
        }
        visible
    }

    /// Takes the pieces of a buffer.
    fn take(&mut self, drawing: &Drawing, id: BufferId) {
        let Some(place) = drawing.frame.places[id] else { return };
        let class = drawing.class(id);
        if drawing.style.filter.hides(class) {
            return;
        }
        let (projection, buffer) = (&drawing.projection, &drawing.run.problem.buffers[id]);
        let tone = drawing.tone(class, buffer.live);
        let first = self.shown.len();
        pieces(drawing, id, place, |exact, is_small| {
            let shown = |rect| Shown { id, is_named: true, is_over: false, rect, class, tone };
            match &mut self.small {
                Small::Each(small) if is_small => small.push(shown(exact)),
                Small::Summed(_) if is_small => {}
                _ => self.shown.extend(projection.cut(projection.snapped(exact)).map(shown)),
            }
        });
        if buffer.gaps.is_empty() {
            return;
        }
        let pieces = &mut self.shown[first..];
        let area = |shown: &Shown| shown.rect.w * shown.rect.h;
        let largest = (0..pieces.len()).max_by(|&a, &b| area(&pieces[a]).total_cmp(&area(&pieces[b])));
        pieces.iter_mut().enumerate().for_each(|(at, piece)| piece.is_named = Some(at) == largest);
    }

    /// How many are too small to be drawn one by one.
    pub fn merged(&self) -> u32 {
        match &self.small {
            Small::Each(small) => small.len() as u32,
            Small::Summed(summed) => summed.merged,
        }
    }

    /// The smallest of them by bytes times steps.
    pub fn smallest(&self, drawing: &Drawing) -> Option<BufferId> {
        let buffers = &drawing.run.problem.buffers;
        let extent = |id: &BufferId| buffers[*id].size.saturating_mul(buffers[*id].live.len() as u64);
        match &self.small {
            Small::Each(small) => small.iter().map(|shown| shown.id).min_by_key(extent),
            Small::Summed(summed) => summed.smallest,
        }
    }
}

/// Draws all that is visible.
pub fn draw(drawing: &Drawing, visible: &Visible, layer: &mut Layer) {
    match &visible.small {
        Small::Each(small) => densities(drawing, small, layer),
        Small::Summed(summed) => layer.marks.extend(summed.density.marks.iter().cloned()),
    }
    // Sorted by ink, so that a painter sets each colour once; pale ones below.
    let mut by_ink: BTreeMap<(Reverse<Tone>, Class, bool), Vec<&Shown>> = BTreeMap::new();
    for run in visible.shown.chunk_by(|a, b| ink_key(a) == ink_key(b)) {
        by_ink.entry(ink_key(&run[0])).or_default().extend(run.iter().filter(|shown| !shown.is_over));
    }
    by_ink.values().flatten().for_each(|shown| filled(drawing, shown, layer));
    by_ink.values().flatten().for_each(|shown| textured(shown, layer));
    let mut over: Vec<&Shown> = visible.shown.iter().filter(|shown| shown.is_over).collect();
    over.sort_by(|a, b| b.rect.area().total_cmp(&a.rect.area()));
    for shown in over {
        // A painter draws the borders of equal boxes before their fills, so this border is a box of
        // its own.
        let (Reverse(tone), class, _) = ink_key(shown);
        layer.rect(shown.rect, Ink::fill(Color::Buffer(Part::Border, class, tone)));
        let mut mark = Mark::new(Shape::Rect(shown.rect.inset(1.0)), Ink::fill(Color::Buffer(Part::Fill, class, tone)));
        mark.title = drawing.style.titles.then(|| title(drawing, shown.id).into());
        layer.marks.push(mark);
        textured(shown, layer);
    }
    // Far out no padding is high enough to be seen.
    let storages = drawing.index.pools().iter().any(|pool| pool.role == PoolRole::Storage);
    let is_seen = drawing.run.granule() as f64 * drawing.projection.per_byte() >= PADDED;
    // Where all gaps are hatched, these bytes are hatched with them.
    if (storages || is_seen) && !drawing.style.show_waste {
        visible.shown.iter().filter(|shown| shown.is_named).for_each(|shown| unused(drawing, shown, layer));
    }
}

fn filled(drawing: &Drawing, shown: &Shown, layer: &mut Layer) {
    let (Reverse(tone), class, bordered) = ink_key(shown);
    let mut mark = Mark::new(Shape::Rect(shown.rect), Ink::fill(Color::Buffer(Part::Fill, class, tone)));
    mark.edge = bordered.then_some(Color::Buffer(Part::Border, class, tone));
    mark.title = drawing.style.titles.then(|| title(drawing, shown.id).into());
    layer.marks.push(mark);
}

fn textured(shown: &Shown, layer: &mut Layer) {
    let (Reverse(tone), class, bordered) = ink_key(shown);
    if bordered && class.texture() != Texture::Solid {
        let alpha = if tone == Tone::Full { 0.45 } else { 0.30 };
        let ink = Ink::texture(Color::Buffer(Part::Border, class, Tone::Full), class.texture()).alpha(alpha);
        layer.rect(shown.rect.inset(1.0), ink);
    }
}

fn ink_key(shown: &Shown) -> (Reverse<Tone>, Class, bool) {
    (Reverse(shown.tone), shown.class, shown.rect.w >= BORDERED && shown.rect.h >= BORDERED)
}

fn densities(drawing: &Drawing, merged: &[Shown], layer: &mut Layer) {
    let keys: BTreeSet<(Tone, Class)> = merged.iter().map(|shown| (shown.tone, shown.class)).collect();
    let keys: Vec<(Tone, Class)> = keys.into_iter().collect();
    let inks: Vec<density::Inks> = keys.iter().map(|&key| inks(key)).collect();
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
        _ => align_up(end, drawing.run.granule()).min(drawing.end(band)),
    };
    if end >= up_to {
        return;
    }
    let rect = drawing.region(band, buffer.live, end, up_to - end);
    let seen = drawing.projection.cut(rect).filter(|rect| rect.h >= PADDED && rect.w >= BORDERED);
    let Some(rect) = seen else { return };
    let above = Above::of(drawing, place.pool, buffer.live, (end, up_to));
    // Padding is for what lies on it; at the top there is none.
    if !above.is_on && (above.is_any || facts.role == PoolRole::Storage) {
        layer.rect(rect, Ink::texture(Color::Buffer(Part::Border, shown.class, shown.tone), Texture::Padding));
    }
}

/// What lies above a buffer while it is alive.
#[derive(Clone, Copy, Default)]
struct Above {
    /// Another one lies on some of the bytes: planners may align less than the run.
    is_on: bool,
    /// Another one lies higher.
    is_any: bool,
}

impl Above {
    fn of(drawing: &Drawing, pool: PoolId, live: Live, (from, to): (u64, u64)) -> Above {
        let mut above = Above::default();
        drawing.index.alive(&drawing.run.problem, live.start, live.end, |id| {
            let size = drawing.run.problem.buffers[id].size;
            let here = drawing.frame.places[id].filter(|place: &Place| place.pool == pool);
            let Some(Place { offset, .. }) = here else { return };
            above.is_on |= offset < to && from < offset.saturating_add(size);
            above.is_any |= offset >= to;
        });
        above
    }
}

/// Name, size, life and address of a buffer in words.
pub fn title(drawing: &Drawing, id: BufferId) -> String {
    let buffer = &drawing.run.problem.buffers[id];
    let offset = drawing.frame.places[id].map_or(0, |place| place.offset);
    let message = Message::new("stage.buffer")
        .name("name", buffer.name.clone())
        .bytes("size", buffer.size)
        .with("live", memplan_core::base::Arg::Live(buffer.live.start, buffer.live.end))
        .with("span", memplan_core::base::Arg::Span(offset, offset + buffer.size));
    drawing.say(&message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Picture;
    use crate::{ColorBy, Filter, Index, Marks, Size, Style, View, stage};
    use memplan_core::problem::Gap;
    use memplan_planners::origin;
    use memplan_replay::{Level, Run};

    const SIZE: Size = (800.0, 600.0);

    #[test]
    fn a_buffer_with_gaps_is_drawn_where_it_is_in_use() {
        // 64 bytes, of which only the upper half is in use in steps 0 to 4, so that 32 bytes lie
        // below.
        let whole = crate::tests::run(&[(64, 0, 8, 0, 0), (32, 0, 4, 0, 0)]);
        let mut problem = (*whole.problem).clone();
        problem.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(0, 4), window: Some((32, 64)) }];
        let run = Run::new(problem.into(), origin("first-fit", 1), whole.plan.clone(), whole.timeline.events.clone());
        let (index, style) = (Index::new(&run), Style { show_load: false, ..Style::default() });
        let (view, frame) = (View::fit(&index, SIZE, &style), run.frame(run.timeline.events.len() as u32));
        assert_eq!((index.total().max(), index.pools()[0].bound, run.metrics.peak), (64, 64, 64));
        let drawing = Drawing::new(Picture::new(&run, &index, &frame, &view, SIZE, &style));
        let visible = Visible::new(&drawing);
        let band = &drawing.projection.bands[0];
        let rect =
            |live: Live, offset, bytes| drawing.projection.snapped(drawing.projection.exact(band, live, offset, bytes));
        let pieces: Vec<(u32, bool, Rect)> =
            visible.shown.iter().map(|shown| (shown.id.0, shown.is_named, shown.rect)).collect();
        assert_eq!(
            pieces,
            [
                (0, false, rect(Live::new(0, 4), 32, 32)),
                (0, true, rect(Live::new(4, 8), 0, 64)),
                (1, true, rect(Live::new(0, 4), 0, 32)),
            ]
        );
        let stage = stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &Marks::default());
        let is_name = |mark: &&Mark| matches!(&mark.shape, Shape::Text(text) if text.words == "b64");
        assert_eq!(stage.base.marks().filter(is_name).count(), 1);
    }

    #[test]
    fn padding_is_drawn_below_another_buffer_and_not_at_the_top() {
        let whole = crate::tests::run(&[(40, 0, 4, 0, 0), (40, 0, 2, 0, 64), (40, 4, 6, 0, 0)]);
        let run = Run::new(whole.problem.clone(), origin("first-fit", 64), whole.plan, whole.timeline.events);
        let (index, style) = (Index::new(&run), Style::default());
        let (view, frame) = (View::fit(&index, SIZE, &style), run.frame(run.timeline.events.len() as u32));
        let stage = stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &Marks::default());
        let is_padding = |mark: &&Mark| mark.ink.texture == Texture::Padding;
        let padded: Vec<&Mark> = stage.base.marks().filter(is_padding).collect();
        let drawing = Drawing::new(Picture::new(&run, &index, &frame, &view, SIZE, &style));
        let below = drawing.region(&drawing.projection.bands[0], Live::new(0, 4), 40, 24);
        assert_eq!(padded.len(), 1);
        assert_eq!(padded[0].shape, Shape::Rect(below));
    }
    /// Buffers of many sizes and lives over many steps: most are too small to be drawn one by one.
    fn many() -> Run {
        let mut state = 5u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut buffer = |number: u32| {
            let start = number / 2;
            let end = start + 1 + if number % 50 == 7 { 400 } else { random(9) as u32 };
            (1 + random(900), start, end, 0, 1000 * (u64::from(number) % 40))
        };
        crate::tests::run(&(0..3000).map(&mut buffer).collect::<Vec<_>>())
    }

    #[test]
    fn a_crowd_that_is_kept_is_drawn_as_if_all_were_looked_at() {
        let run = many();
        let index = Index::new(&run);
        let mut filter = Filter::default();
        filter.hide(Class::Step(4));
        let styles = [
            Style { dim: true, ..Style::default() },
            Style { color_by: ColorBy::Size, ..Style::default() },
            Style { color_by: ColorBy::Pool, dim: false, ..Style::default() },
            Style { color_by: ColorBy::Lifetime, filter, ..Style::default() },
        ];
        let last = run.timeline.decisions.len() as u32;
        let whole = View::fit(&index, SIZE, &styles[0]);
        let part = View { time: (300.0, 700.0), ..whole };
        let mut merged = BTreeSet::new();
        for (style, view) in styles.iter().flat_map(|style| [(style, whole), (style, part)]) {
            for number in [1500, 1501, 1502, 1501, 1400, 700, 1503, last, last - 1, 0, 1] {
                let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
                let drawing = Drawing::new(Picture::new(&run, &index, &frame, &view, SIZE, style));
                let [kept, plain] = [Visible::new(&drawing), Visible::one_by_one(&drawing)];
                assert_eq!(kept.shown, plain.shown, "{number}");
                assert_eq!(kept.merged(), plain.merged(), "{number}");
                assert_eq!(kept.smallest(&drawing), plain.smallest(&drawing), "{number}");
                let drawn = |visible: &Visible| {
                    let mut layer = Layer::default();
                    draw(&drawing, visible, &mut layer);
                    layer
                };
                assert_eq!(drawn(&kept), drawn(&plain), "{number}");
                merged.insert(kept.merged());
            }
        }
        assert!(merged.len() > 5 && merged.last() > Some(&1000), "{merged:?}");
    }

    #[test]
    fn a_step_in_a_crowd_is_quick_and_a_new_view_is_not() {
        let run = many();
        let (index, style) = (Index::new(&run), Style::default());
        let view = View::fit(&index, SIZE, &style);
        let quick = |number: u32, view: &View| {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let picture = Picture::new(&run, &index, &frame, view, SIZE, &style);
            let quick = crate::is_quick(picture);
            Visible::new(&Drawing::new(picture));
            quick
        };
        assert!(!quick(900, &view), "the first picture");
        assert!(quick(901, &view) && quick(900, &view));
        assert!(!quick(3000, &view), "far away");
        assert!(!quick(3000, &View { time: (1.0, 600.0), ..view }), "another view");
    }
}
