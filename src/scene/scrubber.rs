//! The scrubber: a bar a frame, as high as the bytes placed, so that the planner's order is seen before it is read.

use super::geometry::{Rect, Size};
use super::ink::{Color, Ink};
use super::mark::{Layer, Scene, Shape};
use super::style::Style;
use crate::base::Arrange;
use crate::replay::{Decision, Level, Run};
use crate::trace::Outcome;

/// Places frames on the scrubber. Frame 0 lies at its left end, frame `k` in the middle of the `k`-th bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScrubberScale {
    from_x: f64,
    to_x: f64,
    /// Frames after frame 0.
    bars: u32,
}

impl ScrubberScale {
    /// The scale of a bar of this size for the frames of a level.
    pub fn new(run: &Run, level: Level, size: Size, style: &Style) -> ScrubberScale {
        let gutter = if style.narrow { 14.0 } else { 16.0 };
        let to_x = (size.0 - gutter).max(gutter + 1.0);
        ScrubberScale { from_x: gutter, to_x, bars: run.timeline.frames(level).saturating_sub(1) }
    }

    /// Width of a frame.
    pub fn pitch(&self) -> f64 {
        (self.to_x - self.from_x) / self.bars.max(1) as f64
    }

    /// Returns the x of a frame; frames past the last count as the last.
    pub fn frame_to_x(&self, frame: u32) -> f64 {
        if frame == 0 { self.from_x } else { self.from_x + (frame.min(self.bars) as f64 - 0.5) * self.pitch() }
    }

    /// Returns the frame at `x`, the first or the last one beyond the ends.
    pub fn frame_at(&self, x: f64) -> u32 {
        ((x - self.from_x) / self.pitch()).ceil().clamp(0.0, self.bars as f64) as u32
    }
}

/// Widest bar, and widest where frames are few.
const BAR: (f64, f64) = (14.0, 24.0);
/// From this pitch on frames are few.
const FEW: f64 = 40.0;
/// Least distance of two marks.
const MARK_PITCH: f64 = 9.0;
/// Height of a frame that places nothing.
const PROBE: f64 = 3.0;

/// What a frame is marked with, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Growth,
    NewPool,
    Split,
}

/// One bar: a frame, or several where a frame is narrower than a pixel.
struct Bar {
    /// First and last frame.
    frames: (u32, u32),
    bytes: u64,
    event: Option<Event>,
}

/// Draws the scrubber with its handle at `frame`.
pub fn scrubber(run: &Run, level: Level, frame: u32, size: Size, style: &Style, breakpoints: &[u32]) -> Scene {
    let scale = ScrubberScale::new(run, level, size, style);
    let base = size.1 - 9.0;
    let bars = bars(run, level, &scale);
    let most = bars.iter().map(|bar| bar.bytes).max().unwrap_or(0).max(1);
    let height = |bytes: u64| PROBE + (base - 18.0).max(1.0) * (bytes as f64 / most as f64);
    let mut layer = Layer::default();
    let mut passed = Vec::new();
    for bar in &bars {
        let (from, to) = (scale.frame_to_x(bar.frames.0), scale.frame_to_x(bar.frames.1));
        let pitch = scale.pitch();
        let widest = if pitch > FEW { BAR.1 } else { BAR.0 };
        // Where there is no room between bars they are an area.
        let gap = if pitch < 4.0 { 0.0 } else { 2.0 };
        let width = (to - from + pitch - gap).min(widest.max(to - from + 1.0));
        let h = height(bar.bytes);
        let rect = Rect::new((from + to) / 2.0 - width / 2.0, base - h, width, h);
        let here = bar.frames.0 <= frame && frame <= bar.frames.1;
        let played = bar.frames.0 <= frame;
        let ink = match (here, played) {
            (true, _) => Ink::fill(Color::Chosen),
            (_, true) => Ink::fill(Color::Accent),
            _ => Ink::fill(Color::Faint).alpha(0.45),
        };
        passed.push((ink, rect));
    }
    // Bars of one colour together, so that a painter sets it once.
    for wanted in [Color::Faint, Color::Accent, Color::Chosen] {
        passed.iter().filter(|(ink, _)| ink.color == wanted).for_each(|&(ink, rect)| layer.rect(rect, ink));
    }
    marks(&bars, &scale, frame, |bytes| base - height(bytes) - 7.0, &mut layer);
    let line = (base - 0.5).round() + 0.5;
    layer.line((scale.from_x, line), (scale.to_x, line), Ink::line(Color::Line2, 1.0));
    for &at in breakpoints {
        let x = scale.frame_to_x(at).round() + 0.5;
        layer.line((x, 6.0), (x, base), Ink::line(Color::Error, 1.0));
        layer.push(Shape::Polygon(vec![(x, 2.0), (x + 7.0, 5.5), (x, 9.0)]), Ink::fill(Color::Error));
    }
    let x = scale.frame_to_x(frame);
    layer.rect(Rect::new(x - 1.0, 4.0, 2.0, base - 4.0), Ink::fill(Color::Chosen));
    layer.push(Shape::Circle((x, base), 5.5), Ink::fill(Color::Panel));
    layer.push(Shape::Circle((x, base), 5.5), Ink::line(Color::Chosen, 2.5));
    Scene::new(size, vec![layer])
}

/// Bars from left to right, at most one a pixel.
fn bars(run: &Run, level: Level, scale: &ScrubberScale) -> Vec<Bar> {
    let timeline = &run.timeline;
    let at_once = (1.5 / scale.pitch()).ceil().max(1.0) as u32;
    let bar = |first: u32| {
        let last = (first + at_once - 1).min(scale.bars);
        let mut bar = Bar { frames: (first, last), bytes: 0, event: None };
        for frame in first..=last {
            let events = timeline.events_at(level, frame);
            let Some(decision) = timeline.decision_at(events).map(|index| &timeline.decisions[index]) else { continue };
            // A frame in the middle of a decision places nothing yet.
            if decision.end <= events {
                bar.bytes = bar.bytes.max(run.problem.buffers[decision.buffer].size);
                bar.event = [bar.event, event(decision)].into_iter().flatten().min();
            }
        }
        bar
    };
    (1..=scale.bars).step_by(at_once as usize).map(bar).collect()
}

fn event(decision: &Decision) -> Option<Event> {
    match decision.outcome {
        Outcome::NewPool => Some(Event::NewPool),
        Outcome::Apart | Outcome::Stated => None,
        _ if decision.grew => Some(Event::Growth),
        Outcome::Grow | Outcome::AtEnd => Some(Event::Growth),
        Outcome::Split => Some(Event::Split),
        Outcome::Enlarge => Some(Event::Growth),
        Outcome::NewStorage => Some(Event::NewPool),
        Outcome::Exact | Outcome::Nothing | Outcome::Reuse | Outcome::InPlace | Outcome::Gap => None,
    }
}

/// Marks over the bars; where they would touch, the less important one is left out.
fn marks(bars: &[Bar], scale: &ScrubberScale, frame: u32, y: impl Fn(u64) -> f64, layer: &mut Layer) {
    let mut marked: Vec<(&Bar, Event, f64)> = Vec::new();
    let x = |bar: &Bar| (scale.frame_to_x(bar.frames.0) + scale.frame_to_x(bar.frames.1)) / 2.0;
    for wanted in [Event::Growth, Event::NewPool, Event::Split] {
        let mut free: Vec<f64> = marked.iter().map(|&(.., x)| x).collect();
        free.arrange_by(f64::total_cmp);
        let mut last = f64::NEG_INFINITY;
        for bar in bars.iter().filter(|bar| bar.event == Some(wanted)) {
            let x = x(bar);
            let next = free.partition_point(|&other| other < x);
            let near = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|index| free.get(index));
            if x - last >= MARK_PITCH && near.into_iter().all(|other| (x - other).abs() >= MARK_PITCH) {
                marked.push((bar, wanted, x));
                last = x;
            }
        }
    }
    for (bar, event, x) in marked {
        let color = if bar.frames.0 <= frame { Color::Text } else { Color::Muted };
        let y = y(bar.bytes);
        match event {
            Event::Growth => {
                let triangle = vec![(x, y - 4.5), (x + 4.5, y + 3.5), (x - 4.5, y + 3.5)];
                layer.push(Shape::Polygon(triangle), Ink::fill(color));
            }
            Event::NewPool => layer.rect(Rect::new(x - 3.5, y - 3.5, 7.0, 7.0), Ink::fill(color)),
            Event::Split => {
                let diamond = vec![(x, y - 3.0), (x + 3.0, y), (x, y + 3.0), (x - 3.0, y)];
                layer.push(Shape::Polygon(diamond), Ink::line(color, 1.25));
            }
        }
    }
}

/// The frame at `x` on the scrubber.
pub fn scrubber_frame_at(run: &Run, level: Level, size: Size, style: &Style, x: f64) -> u32 {
    ScrubberScale::new(run, level, size, style).frame_at(x)
}
