//! A step of training over time: the bytes of each class on top of each other, forward and backward
//! pass told apart, at the steps of the plan below. Of an allocator that caches, what it holds and
//! what of it is in use.

use super::cache::CacheLoad;
use super::classes::training_class;
use super::curves::envelope;
use super::drawing::{Drawing, Picture};
use super::geometry::{Point, Rect};
use super::ink::{Color, Dash, Ink, Part, Texture, Tone};
use super::label;
use super::mark::{Anchor, Layer, Scene, Shape, Text};
use super::ticks;
use memplan_core::base::Family;
use memplan_core::problem::{Load, Stratum};

/// Room above the areas for words.
const HEAD: f64 = 22.0;
/// Room below the areas.
const FOOT: f64 = 8.0;
/// Font size of the names of classes.
const NAME: f64 = 11.5;
/// Least distance of numbers.
const APART: f64 = 26.0;
/// Distance of words.
const GAP: f64 = 12.0;

/// Heights over the strip.
struct Scale<'a> {
    drawing: &'a Drawing<'a>,
    plot: Rect,
    most: u64,
    from: u32,
    to: u32,
}

impl Scale<'_> {
    fn y(&self, bytes: u64) -> f64 {
        self.plot.bottom() - self.plot.h * (bytes as f64 / self.most as f64)
    }

    fn x(&self, step: f64) -> f64 {
        self.drawing.projection.step_to_x(step).clamp(self.plot.x, self.plot.right())
    }

    fn line(&self, load: &Load) -> Vec<Point> {
        envelope(load, self.from, self.to, |step| self.x(step), |bytes| self.y(bytes))
    }
}

/// Draws the classes of a run over a plan that is `picture.size` large, in a strip as wide and
/// `height` high; nothing for a run that is no step of training.
pub fn strata(picture: Picture, height: f64) -> Scene {
    let width = picture.size.0;
    let drawing = Drawing::new(picture);
    let mut ground = Layer::default();
    ground.rect(Rect::new(0.0, 0.0, width, height), Ink::fill(Color::Background));
    let plot = Rect { y: HEAD, h: (height - HEAD - FOOT).max(1.0), ..drawing.projection.plot };
    let (from, to) = drawing.projection.visible_steps(drawing.index);
    if let Some(load) = drawing.index.cache() {
        let scale = Scale { drawing: &drawing, plot, most: load.reserved.max().max(1), from, to };
        return Scene::new((width, height), [vec![ground], held(&scale, load)].concat());
    }
    let Some(classes) = drawing.run.classes() else { return Scene::new((width, height), vec![ground]) };
    let all = drawing.run.strata();
    let most = drawing.index.total().max().max(1);
    let scale = Scale { drawing: &drawing, plot, most, from, to };
    let back = scale.x(classes.backward as f64);
    ground.rect(Rect::between((back, HEAD - 20.0), (plot.right(), plot.bottom())), Ink::fill(Color::Panel));
    let mut areas = Layer::clipped(Rect::new(plot.x, 0.0, plot.w, height));
    for stratum in all.iter().rev() {
        area(&scale, stratum, &mut areas);
    }
    if plot.x < back && back < plot.right() {
        let x = drawing.projection.snap(back) + 0.5;
        areas.line((x, 2.0), (x, plot.bottom()), Ink::dashed(Color::Line2, 1.0, Dash::Missed));
    }
    let mut words = Layer::default();
    names(&scale, all, &mut words);
    numbers(&scale, &mut words);
    passes(&scale, back, &mut words);
    cursor(&scale, &mut words);
    words.line((plot.x, plot.bottom() + 0.5), (plot.right(), plot.bottom() + 0.5), Ink::line(Color::Line2, 1.0));
    Scene::new((width, height), vec![ground, areas, words])
}

/// Both curves of an allocator: what lies between them is hatched, as it is in the segments below.
fn held(scale: &Scale, load: &CacheLoad) -> Vec<Layer> {
    let (drawing, plot) = (scale.drawing, scale.plot);
    let mut areas = Layer::clipped(Rect::new(plot.x, 0.0, plot.w, plot.bottom()));
    for (start, end, reserved) in load.reserved.stretches(scale.from, scale.to).filter(|held| held.2 > 0) {
        let corners = ((scale.x(start.into()), scale.y(reserved)), (scale.x(end.into()), plot.bottom()));
        areas.rect(Rect::between(corners.0, corners.1), Ink::texture(Color::Hatch, Texture::Gap));
    }
    let [reserved, allocated] = [&load.reserved, &load.allocated].map(|load| scale.line(load));
    let mut used = allocated.clone();
    if let (Some(first), Some(last)) = (allocated.first(), allocated.last()) {
        used.extend([(last.0, plot.bottom()), (first.0, plot.bottom())]);
    }
    areas.push(Shape::Polygon(used), Ink::fill(Color::Panel));
    areas.push(Shape::Polyline(allocated), Ink::line(Color::Load, 1.5));
    areas.push(Shape::Polyline(reserved), Ink::line(Color::Peak, 2.0));
    let mut words = Layer::default();
    let mut x = plot.x;
    let curves = [("panel.cache.reserved", Color::Text), ("panel.cache.allocated", Color::Load)];
    for (key, color) in curves.into_iter().chain([("panel.cache.unused", Color::Muted)]) {
        let text = drawing.words(drawing.word(key), (x, 9.0), Anchor::Start, 11.5).bold();
        let end = x + label::width(&text.words, text.size, true);
        // What has no room is left out.
        if end <= plot.right() {
            words.text(text, color);
        }
        x = end + GAP;
    }
    numbers(scale, &mut words);
    if let Some(id) = drawing.frame.focus {
        let x = scale.x(f64::from(drawing.run.problem.buffers[id].live.start) + 0.5);
        words.line((x, HEAD - 4.0), (x, plot.bottom()), Ink::line(Color::Accent, 1.5));
    }
    cursor(scale, &mut words);
    words.line((plot.x, plot.bottom() + 0.5), (plot.right(), plot.bottom() + 0.5), Ink::line(Color::Line2, 1.0));
    vec![areas, words]
}

/// All up to the top of a class; the classes below it are drawn over it.
fn area(scale: &Scale, stratum: &Stratum, layer: &mut Layer) {
    let class = training_class(stratum.class);
    let line = scale.line(&stratum.up_to);
    let mut area = line.clone();
    if let (Some(first), Some(last)) = (line.first(), line.last()) {
        area.extend([(last.0, scale.plot.bottom()), (first.0, scale.plot.bottom())]);
    }
    layer.push(Shape::Polygon(area), Ink::fill(Color::Buffer(Part::Fill, class, Tone::Full)));
    layer.push(Shape::Polyline(line), Ink::line(Color::Buffer(Part::Border, class, Tone::Full), 1.0));
}

/// The name of each class where it has most room; none where it has too little.
fn names(scale: &Scale, all: &[Stratum], layer: &mut Layer) {
    let mut below: Option<&Load> = None;
    for stratum in all {
        let class = training_class(stratum.class);
        let words = scale.drawing.style.speech.word(&Family::KIND.of([stratum.class.name()]));
        let text = scale.drawing.words(words, (0.0, 0.0), Anchor::Middle, NAME);
        let bounds = text.bounds();
        if let Some((x, y, _)) = room(scale, stratum, below, bounds.w + GAP).filter(|room| room.2 >= bounds.h) {
            layer.text(Text { at: (x, y), ..text }.bold(), Color::Buffer(Part::Label, class, Tone::Full));
        }
        below = Some(&stratum.up_to);
    }
}

/// The middle and the height of the highest box of a width that lies within a class.
fn room(scale: &Scale, stratum: &Stratum, below: Option<&Load>, width: f64) -> Option<(f64, f64, f64)> {
    // One sample for each few pixels is enough for words.
    let count = (scale.plot.w / 4.0) as usize;
    let step = |at: usize| {
        let x = scale.plot.x + (at as f64 + 0.5) * 4.0;
        (scale.drawing.projection.x_to_step(x).max(0.0) as u32).min(scale.to.saturating_sub(1))
    };
    let edges = |at: usize| {
        let step = step(at);
        (scale.y(stratum.up_to.at(step)), scale.y(below.map_or(0, |load| load.at(step))))
    };
    let edges: Vec<(f64, f64)> = (0..count).map(edges).collect();
    let wide = (width / 4.0).ceil() as usize;
    let boxes = edges.windows(wide.max(1)).enumerate().map(|(at, window)| {
        let top = window.iter().map(|edge| edge.0).fold(f64::MIN, f64::max);
        let bottom = window.iter().map(|edge| edge.1).fold(f64::MAX, f64::min);
        (scale.plot.x + (at as f64 + wide as f64 / 2.0) * 4.0, (top + bottom) / 2.0, bottom - top)
    });
    boxes.reduce(|best, one| if one.2 > best.2 { one } else { best })
}

/// The numbers of the axis: the largest load, 0, and what is between.
fn numbers(scale: &Scale, layer: &mut Layer) {
    let (drawing, plot) = (scale.drawing, scale.plot);
    let pitch = ticks::byte_pitch(plot.h / scale.most as f64, APART);
    let unit = ticks::axis_unit(drawing.style.speech.sizes, pitch, scale.most);
    let room = (plot.x - 8.0).max(0.0);
    let mut number = |bytes: u64, strong: bool| {
        let y = scale.y(bytes);
        let figure = ticks::tick_figure(unit, bytes, room, 11.0, strong);
        let text = drawing.words(figure, (plot.x - 6.0, y), Anchor::End, 11.0);
        let text = if strong { text.bold() } else { text };
        layer.text(text, if strong { Color::Text } else { Color::Muted });
        layer.line((plot.x - 3.0, y), (plot.x, y), Ink::line(Color::Line2, 1.0));
    };
    number(scale.most, true);
    let clear = |bytes: &u64| scale.y(*bytes) - scale.y(scale.most) >= APART / 2.0;
    (0..)
        .map(|at| at * pitch)
        .take_while(|&bytes| bytes < scale.most)
        .filter(clear)
        .for_each(|bytes| number(bytes, false));
}

/// What the strip shows, and which pass is where; words that would touch are left out.
fn passes(scale: &Scale, back: f64, layer: &mut Layer) {
    let (drawing, plot) = (scale.drawing, scale.plot);
    let title = drawing.words(drawing.word("strata.title"), (plot.x, 9.0), Anchor::Start, 11.5).bold();
    let end = plot.x + label::width(&title.words, title.size, true);
    layer.text(title, Color::Text);
    for (key, from, to) in [("strata.forward", plot.x, back), ("strata.backward", back, plot.right())] {
        let text = drawing.words(drawing.word(key), ((from + to) / 2.0, 9.0), Anchor::Middle, 11.0);
        let bounds = text.bounds();
        // Within its pass, and behind the title.
        let shift = (end + GAP - bounds.x).max(0.0);
        if bounds.right() + shift <= to - 2.0 && bounds.x + shift >= from + 2.0 {
            layer.text(Text { at: (text.at.0 + shift, text.at.1), ..text }, Color::Muted);
        }
    }
}

/// The step that the reader looks at.
fn cursor(scale: &Scale, layer: &mut Layer) {
    let Some(step) = scale.drawing.style.at_step else { return };
    let x = scale.drawing.projection.step_to_x(step as f64 + 0.5);
    if scale.plot.x <= x && x <= scale.plot.right() {
        layer.line((x, HEAD - 4.0), (x, scale.plot.bottom()), Ink::line(Color::Accent, 1.5));
    }
}
