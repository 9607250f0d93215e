//! The scrubber: a bar a frame, as high as the bytes placed, so that the planner's order is seen
//! before it is read.

use super::geometry::{Point, Rect, Size};
use super::ink::{Color, Ink};
use super::mark::{Layer, Scene, Shape};
use super::style::Style;
use memplan_core::trace::Outcome;
use memplan_replay::{Decision, Level, Run};

/// Places frames on the scrubber. Frame 0 lies at its left end, frame `k` in the middle of the
/// `k`-th bar.
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
/// Distance of the base line from the lower edge.
const BASE: f64 = 9.0;
/// Height of a frame that places nothing.
const PROBE: f64 = 3.0;

/// How often something happens in the frames of a bar. Each kind that happens has a part in the
/// mark over the bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Happenings {
    /// The peak grows: a triangle.
    pub growths: u32,
    /// One of several pools is opened: a square, under the triangle if both happen.
    pub pools: u32,
    /// A place is split: a diamond, left out where something else happens.
    pub splits: u32,
}

impl Happenings {
    fn of(run: &Run, decision: &Decision) -> Happenings {
        Happenings {
            growths: decision.grew.into(),
            pools: (run.plan.pools.len() > 1 && decision.opens_pool()).into(),
            splits: (decision.outcome == Outcome::Split).into(),
        }
    }

    fn add(&mut self, other: Happenings) {
        self.growths += other.growths;
        self.pools += other.pools;
        self.splits += other.splits;
    }

    /// Rank among marks that would touch, the most important first; none without a mark.
    fn rank(self) -> Option<u8> {
        [self.growths, self.pools, self.splits].iter().position(|count| *count > 0).map(|rank| rank as u8)
    }
}

/// A mark over the bars of the scrubber.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScrubberMark {
    /// First and last frame of its bar.
    pub frames: (u32, u32),
    /// The middle of the mark.
    pub at: Point,
    /// What happens in these frames.
    pub happens: Happenings,
}

/// One bar: a frame, or several where a frame is narrower than a pixel.
struct Bar {
    /// First and last frame.
    frames: (u32, u32),
    bytes: u64,
    happens: Happenings,
}

/// The bars of a run at one level with their marks: what the scrubber shows at every frame.
pub struct ScrubberBars {
    size: Size,
    scale: ScrubberScale,
    bars: Vec<Bar>,
    heights: Heights,
    marks: Vec<ScrubberMark>,
}

impl ScrubberBars {
    /// The bars on a scrubber of this size; without marks where the peak is kept back.
    pub fn new(run: &Run, level: Level, size: Size, style: &Style) -> ScrubberBars {
        let scale = ScrubberScale::new(run, level, size, style);
        let bars = bars(run, level, &scale);
        let heights = Heights::new(&bars, size);
        let marks = if style.show_peak { marks(&bars, &scale, &heights) } else { Vec::new() };
        ScrubberBars { size, scale, bars, heights, marks }
    }

    /// The marks of the frames up to `known`, in no order.
    pub fn marks_until(&self, known: u32) -> impl Iterator<Item = &ScrubberMark> {
        self.marks.iter().filter(move |mark| mark.frames.1 <= known)
    }

    /// Draws the scrubber with its handle at `frame`. Frames after `known` are bars of the same
    /// height, without marks.
    pub fn scene(&self, frame: u32, known: u32, breakpoints: &[u32]) -> Scene {
        let ScrubberBars { size, scale, heights, .. } = self;
        let base = size.1 - BASE;
        let mut layer = Layer::default();
        let mut passed = Vec::new();
        for bar in &self.bars {
            let (from, to) = (scale.frame_to_x(bar.frames.0), scale.frame_to_x(bar.frames.1));
            let pitch = scale.pitch();
            let widest = if pitch > FEW { BAR.1 } else { BAR.0 };
            // Where there is no room between bars they are an area.
            let gap = if pitch < 4.0 { 0.0 } else { 2.0 };
            let width = (to - from + pitch - gap).min(widest.max(to - from + 1.0));
            let h = heights.of(if bar.frames.1 <= known { bar.bytes } else { 0 });
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
        for mark in self.marks_until(known) {
            draw_mark(mark, if mark.frames.0 <= frame { Color::Text } else { Color::Muted }, &mut layer);
        }
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
        Scene::new(*size, vec![layer])
    }
}

/// Draws the scrubber of a run with its handle at `frame`.
pub fn scrubber(run: &Run, level: Level, frame: u32, size: Size, style: &Style, breakpoints: &[u32]) -> Scene {
    ScrubberBars::new(run, level, size, style).scene(frame, u32::MAX, breakpoints)
}

/// Heights of the bars: linear in bytes, with room for marks above.
struct Heights {
    base: f64,
    most: u64,
}

impl Heights {
    fn new(bars: &[Bar], size: Size) -> Heights {
        Heights { base: size.1 - BASE, most: bars.iter().map(|bar| bar.bytes).max().unwrap_or(0).max(1) }
    }

    fn of(&self, bytes: u64) -> f64 {
        PROBE + (self.base - 18.0).max(1.0) * (bytes as f64 / self.most as f64)
    }
}

/// Bars from left to right, at most one a pixel.
fn bars(run: &Run, level: Level, scale: &ScrubberScale) -> Vec<Bar> {
    let timeline = &run.timeline;
    let at_once = (1.5 / scale.pitch()).ceil().max(1.0) as u32;
    let bar = |first: u32| {
        let last = (first + at_once - 1).min(scale.bars);
        let mut bar = Bar { frames: (first, last), bytes: 0, happens: Happenings::default() };
        for frame in first..=last {
            let events = timeline.events_at(level, frame);
            let Some(decision) = timeline.decision_at(events).map(|index| &timeline.decisions[index]) else { continue };
            // A frame in the middle of a decision places nothing yet.
            // One without a placement has no bytes, or is not to be known yet.
            if decision.end <= events && decision.outcome != Outcome::Nothing {
                bar.bytes = bar.bytes.max(run.problem.buffers[decision.buffer].size);
                bar.happens.add(Happenings::of(run, decision));
            }
        }
        bar
    };
    (1..=scale.bars).step_by(at_once as usize).map(bar).collect()
}

/// Marks over the bars; where they would touch, the less important one is left out.
fn marks(bars: &[Bar], scale: &ScrubberScale, heights: &Heights) -> Vec<ScrubberMark> {
    let mut marks: Vec<ScrubberMark> = Vec::new();
    let x = |bar: &Bar| (scale.frame_to_x(bar.frames.0) + scale.frame_to_x(bar.frames.1)) / 2.0;
    for rank in 0..3 {
        let mut free: Vec<f64> = marks.iter().map(|mark| mark.at.0).collect();
        free.sort_by(f64::total_cmp);
        let mut last = f64::NEG_INFINITY;
        for bar in bars.iter().filter(|bar| bar.happens.rank() == Some(rank)) {
            let x = x(bar);
            let next = free.partition_point(|&other| other < x);
            let near = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|index| free.get(index));
            if x - last >= MARK_PITCH && near.into_iter().all(|other| (x - other).abs() >= MARK_PITCH) {
                let at = (x, heights.base - heights.of(bar.bytes) - 7.0);
                marks.push(ScrubberMark { frames: bar.frames, at, happens: bar.happens });
                last = x;
            }
        }
    }
    marks
}

fn draw_mark(mark: &ScrubberMark, color: Color, layer: &mut Layer) {
    let (x, y) = mark.at;
    let triangle = |y: f64, half: f64, height: f64| {
        Shape::Polygon(vec![(x, y - height / 2.0), (x + half, y + height / 2.0), (x - half, y + height / 2.0)])
    };
    match (mark.happens.growths > 0, mark.happens.pools > 0) {
        (true, true) => {
            layer.push(triangle(y - 4.0, 4.5, 5.0), Ink::fill(color));
            layer.rect(Rect::new(x - 3.0, y - 0.5, 6.0, 5.0), Ink::fill(color));
        }
        (true, false) => layer.push(triangle(y - 0.5, 4.5, 8.0), Ink::fill(color)),
        (false, true) => layer.rect(Rect::new(x - 3.5, y - 3.5, 7.0, 7.0), Ink::fill(color)),
        (false, false) => {
            let diamond = vec![(x, y - 3.0), (x + 3.0, y), (x, y + 3.0), (x - 3.0, y)];
            layer.push(Shape::Polygon(diamond), Ink::line(color, 1.25));
        }
    }
}

/// The frame at `x` on the scrubber.
pub fn scrubber_frame_at(run: &Run, level: Level, size: Size, style: &Style, x: f64) -> u32 {
    ScrubberScale::new(run, level, size, style).frame_at(x)
}
