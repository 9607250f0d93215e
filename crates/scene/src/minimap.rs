//! The whole run in a strip: load, bound and peak, with the visible steps as a frame.

use super::curves;
use super::drawing::Picture;
use super::geometry::{Rect, Size};
use super::index::Index;
use super::ink::{Color, Dash, Ink};
use super::margins::Margins;
use super::mark::{Anchor, Layer, Scene, Shape, Text};
use super::style::Style;
use super::view::View;

/// What a press on the minimap takes hold of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grip {
    /// The left edge of the frame.
    From,
    /// The right edge.
    To,
    /// The frame itself.
    Inside,
    /// The strip beside it: a new window begins here.
    Outside,
}

/// Places steps on the minimap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MinimapScale {
    /// Left end of the strip: the start of step 0.
    pub from_x: f64,
    /// Right end: the end of the last step.
    pub to_x: f64,
    steps: f64,
}

impl MinimapScale {
    /// The scale of a strip as wide as the panel, so that both start at the same x.
    pub fn new(index: &Index, size: Size, style: &Style) -> MinimapScale {
        let margins = Margins::new(index, size, style, f64::MAX);
        MinimapScale { from_x: margins.plot.x, to_x: margins.plot.right(), steps: index.steps() as f64 }
    }

    /// Returns the x of a step.
    pub fn step_to_x(&self, step: f64) -> f64 {
        self.from_x + (self.to_x - self.from_x) * step / self.steps
    }

    /// Returns the step at `x`, with its fraction, within the run.
    pub fn x_to_step(&self, x: f64) -> f64 {
        ((x - self.from_x) / (self.to_x - self.from_x) * self.steps).clamp(0.0, self.steps)
    }

    /// What lies at `x`. Edges are grips of 12 px.
    pub fn grip(&self, view: &View, x: f64) -> Grip {
        let (from, to) = (self.step_to_x(view.time.0.max(0.0)), self.step_to_x(view.time.1.min(self.steps)));
        match x {
            _ if (x - from).abs() <= 6.0 && (x - from).abs() <= (x - to).abs() => Grip::From,
            _ if (x - to).abs() <= 6.0 => Grip::To,
            _ if from < x && x < to => Grip::Inside,
            _ => Grip::Outside,
        }
    }

    /// The view after a drag from `from_x` to `x` that began on `grip` with the view `start`. Not
    /// yet clamped.
    pub fn dragged(&self, start: &View, grip: Grip, from_x: f64, x: f64) -> View {
        let (from, to) = start.time;
        let moved = (x - from_x) / (self.to_x - self.from_x) * self.steps;
        let least = (to - from).min(1.0);
        let time = match grip {
            Grip::From => ((from + moved).min(to - least), to),
            Grip::To => (from, (to + moved).max(from + least)),
            Grip::Inside => (from + moved, to + moved),
            Grip::Outside => {
                let (a, b) = (self.x_to_step(from_x), self.x_to_step(x));
                (a.min(b), a.max(b).max(a.min(b) + least))
            }
        };
        View { time, ..*start }
    }

    /// The view with the step at `x` in its middle.
    pub fn centred(&self, start: &View, x: f64) -> View {
        let half = (start.time.1 - start.time.0) / 2.0;
        let middle = self.x_to_step(x);
        View { time: (middle - half, middle + half), ..*start }
    }
}

/// Height of the handles at the edges of the frame.
const HANDLE: f64 = 14.0;

/// Draws the minimap: load of everything, peak of the run, the one lower bound, this frame's
/// buffer, and the view. What the plan keeps back is kept back here.
pub fn minimap(picture: Picture) -> Scene {
    let Picture { run, index, frame, view, size, style } = picture;
    let scale = MinimapScale::new(index, size, style);
    let (top, bottom) = (7.0, (size.1 - 6.0).max(8.0));
    let peak: u64 = index.pools().iter().map(|pool| pool.end).sum();
    let most = peak.max(index.total().max()).max(1);
    let y = |bytes: u64| bottom - (bottom - top) * (bytes as f64 / most as f64);
    let (left, right) = (scale.from_x, scale.to_x);

    let mut layer = Layer::default();
    layer.rect(Rect::new(0.0, 0.0, size.0, size.1), Ink::fill(Color::Background));
    let x = |step: f64| scale.step_to_x(step.clamp(0.0, scale.steps));
    let (from, to) = (x(view.time.0), x(view.time.1));
    layer.rect(Rect::between((from, 2.0), (to, size.1 - 2.0)), Ink::fill(Color::AccentSoft));
    let line = curves::envelope(index.total(), 0, index.steps(), |step| scale.step_to_x(step), y);
    let mut area = line.clone();
    area.extend([(right, bottom), (left, bottom)]);
    if style.show_load {
        layer.push(Shape::Polygon(area), Ink::fill(Color::Load).alpha(0.22));
    }
    if let Some(live) = frame.focus.map(|focus| run.problem.buffers[focus].live) {
        let (from, to) = (x(live.start as f64), x(live.end as f64));
        layer.rect(Rect::new(from, bottom + 1.0, (to - from).max(2.0), 2.5), Ink::fill(Color::Chosen));
    }
    if style.show_load {
        layer.push(Shape::Polyline(line), Ink::line(Color::Load, 1.25));
    }
    let level = |bytes: u64| (y(bytes) - 0.5).round() + 0.5;
    layer.line((left, level(peak)), (right, level(peak)), Ink::line(Color::Peak, 1.25));
    let bound = run.metrics.lower_bound;
    let under = if bound == peak { 1.5 } else { 0.0 };
    if style.has_bound() {
        let y = level(bound) + under;
        layer.line((left, y), (right, y), Ink::dashed(Color::Bound, 1.5, Dash::Bound));
    }

    layer.push(Shape::Rect(Rect::between((from - 0.5, 2.5), (to + 0.5, size.1 - 2.5))), Ink::line(Color::Accent, 1.0));
    for edge in [from - 0.5, to + 0.5] {
        layer.rect(Rect::new(edge - 2.0, (size.1 - HANDLE) / 2.0, 4.0, HANDLE), Ink::fill(Color::Accent));
    }
    if !style.narrow && style.show_load {
        let words = style.speech.word("stage.load");
        let at = (left - 10.0, size.1 / 2.0);
        let text =
            Text { at, anchor: Anchor::End, size: style.words(11.0), bold: false, words, halo: None, on_end: false };
        layer.text(text, Color::Load);
    }
    Scene::new(size, vec![layer])
}
