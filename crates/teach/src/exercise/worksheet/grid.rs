//! The plans of a worksheet: black on white, and grey only where a place is given.

use memplan_core::base::IdVec;
use memplan_core::base::Unit;
use memplan_core::plan::Place;
use memplan_core::problem::{BufferId, Problem};
use memplan_core::text::live;
use memplan_scene::paint::Theme;
use memplan_scene::paint::svg::to_svg;
use memplan_scene::{Anchor, Color, Dash, Ink, Layer, Rect, Scene, Shape, Size, Text};

/// Room beside the plan: for addresses, the unit, steps, and the names of lines.
const LEFT: f64 = 48.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 22.0;
const RIGHT: f64 = 104.0;

/// Most lines of the grid.
const MOST_LINES: u64 = 20;

/// Fewest lines of a grid that is chosen for the sizes.
const FEWEST_LINES: u64 = 8;

/// Font size of axes and names.
const SMALL: f64 = 11.0;

/// Font size of names on buffers that are lower than a line.
const THIN: f64 = 8.0;

/// The scale of a page, which all its plans share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// Unit of every figure.
    pub unit: Unit,
    /// Bytes of a square of the grid.
    pub square: u64,
    /// Bytes up to the top.
    pub top: u64,
    /// Steps.
    pub steps: u32,
}

impl Scale {
    /// The scale for plans of which the highest ends at `highest`: a few squares more, so that it
    /// is not told.
    pub fn new(unit: Unit, highest: u64, steps: u32, sizes: &[u64]) -> Scale {
        Scale::up_to(unit, highest.saturating_add(highest / 5), steps, sizes)
    }

    /// The scale that ends at the first square that reaches so many bytes. Its squares are those on
    /// whose lines, or halfway between two, most of the sizes end.
    pub fn up_to(unit: Unit, wanted: u64, steps: u32, sizes: &[u64]) -> Scale {
        let wanted = wanted.max(1);
        let lines = |square: u64| wanted.div_ceil(square);
        let usual = (0..63).map(|power| 1_u64 << power).find(|square| lines(*square) <= MOST_LINES);
        let usual = usual.unwrap_or(1 << 62);
        let tens = (0..18).map(|power| 10_u64.pow(power));
        let round = tens.flat_map(|ten| [ten, ten * 2, ten * 5]).filter_map(|times| unit.bytes().checked_mul(times));
        let round = round.filter(|square| (FEWEST_LINES..=MOST_LINES).contains(&lines(*square)));
        let halves = |square: u64| {
            let of =
                |size: &u64| usize::from(size.is_multiple_of(square)) + usize::from((size * 2).is_multiple_of(square));
            sizes.iter().filter(|size| **size < u64::MAX / 2).map(of).sum::<usize>()
        };
        let square = round.fold(usual, |best, square| if halves(square) > halves(best) { square } else { best });
        Scale { unit, square, top: wanted.div_ceil(square) * square, steps: steps.max(1) }
    }
}

/// What is drawn.
pub struct Drawn<'a> {
    pub problem: &'a Problem,
    /// Where buffers lie; those without a place are not drawn.
    pub places: IdVec<BufferId, Option<Place>>,
    /// Whether the place of a buffer is given.
    pub given: &'a dyn Fn(BufferId) -> bool,
    /// Peak and lower bound in bytes with their words, if they are told.
    pub lines: Vec<(u64, String, bool)>,
    /// The word for steps.
    pub step: &'a str,
}

/// A plan, or the grid that is still empty, as SVG.
pub fn plan(drawn: &Drawn, scale: Scale, size: Size, title: &str) -> String {
    let has_lines = !drawn.lines.is_empty();
    let field =
        Rect { x: LEFT, y: TOP, w: size.0 - LEFT - if has_lines { RIGHT } else { 8.0 }, h: size.1 - TOP - BOTTOM };
    let x = |step: u32| field.x + field.w * f64::from(step) / f64::from(scale.steps);
    let y = |bytes: u64| field.y + field.h * (1.0 - bytes as f64 / scale.top as f64);
    let mut layer = Layer::default();
    axes(&mut layer, scale, field, &x, &y);
    layer.text(text((field.x - 6.0, field.y + field.h + 11.0), Anchor::End, SMALL, drawn.step.into()), Color::Muted);
    let mut named = Vec::new();
    for (id, place) in drawn.places.enumerate() {
        let Some(place) = place else { continue };
        let buffer = &drawn.problem.buffers[id];
        let (left, right) = (x(buffer.live.start), x(buffer.live.end));
        let (high, low) = (y(place.offset + buffer.size), y(place.offset));
        let rect = Rect { x: left, y: high, w: right - left, h: low - high };
        let is_given = (drawn.given)(id);
        layer.rect(rect, Ink::fill(if is_given { Color::Sunk } else { Color::Background }));
        layer.push(Shape::Rect(rect), Ink::line(if is_given { Color::Line2 } else { Color::Text }, 1.2));
        named.push((rect, id, is_given));
    }
    for (rect, id, is_given) in named {
        label(&mut layer, rect, &drawn.problem.buffers[id].name, &facts(drawn.problem, id, scale.unit), is_given);
    }
    lines(&mut layer, drawn, field, &y);
    to_svg(&[&Scene::new(size, vec![layer])], size, Theme::Light, title)
}

/// Size and live range on a buffer that has room for them.
fn facts(problem: &Problem, id: BufferId, unit: Unit) -> String {
    let buffer = &problem.buffers[id];
    format!("{} {}", unit.words(buffer.size), live(buffer.live.start, buffer.live.end))
}

fn text(at: (f64, f64), anchor: Anchor, size: f64, words: String) -> Text {
    Text { at, anchor, size, bold: false, words, halo: None, on_end: false }
}

fn label(layer: &mut Layer, rect: Rect, name: &str, facts: &str, is_given: bool) {
    let color = if is_given { Color::Muted } else { Color::Text };
    let middle = rect.y + rect.h / 2.0;
    if rect.h < SMALL + 1.0 {
        // A thin one has its name across its edges.
        let ground = if is_given { Color::Sunk } else { Color::Background };
        let name = text((rect.x + 6.0, middle), Anchor::Start, THIN, name.to_string()).bold().halo(ground, 2.0);
        if name.bounds().w + 8.0 <= rect.w {
            layer.text(name, color);
        }
        return;
    }
    let size = SMALL;
    let name = text((rect.x + 6.0, middle), Anchor::Start, size, name.to_string()).bold();
    let taken = name.bounds();
    let facts = text((rect.x + 12.0 + taken.w, middle), Anchor::Start, size, facts.to_string());
    let room = rect.x + rect.w - 4.0;
    if taken.x + taken.w > room {
        return;
    }
    layer.text(name, color);
    if facts.bounds().x + facts.bounds().w <= room {
        layer.text(facts, color);
    }
}

fn axes(layer: &mut Layer, scale: Scale, field: Rect, x: &dyn Fn(u32) -> f64, y: &dyn Fn(u64) -> f64) {
    // A low picture has fewer figures than squares.
    let apart = (0..8)
        .map(|power| 1_u64 << power)
        .find(|&apart| field.h / ((scale.top / scale.square) as f64) * apart as f64 >= SMALL + 2.0);
    for at in 0..=scale.top / scale.square {
        let bytes = at * scale.square;
        layer.line((field.x, y(bytes)), (field.x + field.w, y(bytes)), Ink::line(Color::Line, 1.0));
        if at % apart.unwrap_or(1) == 0 {
            let words = text((field.x - 6.0, y(bytes)), Anchor::End, SMALL, scale.unit.tick(bytes));
            layer.text(words, Color::Muted);
        }
    }
    let every =
        (1..=scale.steps).find(|every| field.w / f64::from(scale.steps) * f64::from(*every) >= 22.0).unwrap_or(1);
    for step in 0..=scale.steps {
        layer.line((x(step), field.y), (x(step), field.y + field.h), Ink::line(Color::Line, 1.0));
        if step % every == 0 {
            let words = text((x(step), field.y + field.h + 11.0), Anchor::Middle, SMALL, step.to_string());
            layer.text(words, Color::Muted);
        }
    }
    let floor = field.y + field.h;
    layer.line((field.x, floor), (field.x + field.w, floor), Ink::line(Color::Line2, 1.0));
    layer.text(text((field.x - 6.0, 8.0), Anchor::End, SMALL, scale.unit.name().into()), Color::Muted);
}

fn lines(layer: &mut Layer, drawn: &Drawn, field: Rect, y: &dyn Fn(u64) -> f64) {
    let end = field.x + field.w;
    let mut last: Option<f64> = None;
    for (bytes, words, is_bound) in &drawn.lines {
        let at = y(*bytes);
        let ink = match is_bound {
            true => Ink::dashed(Color::Text, 1.5, Dash::Bound),
            false => Ink::line(Color::Text, 2.0),
        };
        layer.line((field.x, at), (end, at), ink);
        // Words of lines that lie together stand one below the other.
        let beside = last.map_or(at, |last: f64| if (at - last).abs() < SMALL + 2.0 { last + SMALL + 2.0 } else { at });
        layer.text(text((end + 6.0, beside), Anchor::Start, SMALL, words.clone()), Color::Text);
        last = Some(beside);
    }
}
