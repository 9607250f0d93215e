//! Which steps and addresses are visible, and how gestures change that.

use super::geometry::{Rect, Size};
use super::index::{Index, PoolFacts};
use super::margins::{HEAD_ROOM, Margins};
use super::style::Style;
use memplan_core::base::Id;
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::Live;

/// Widest step in pixels.
const MAX_PER_STEP: f64 = 400.0;
/// Tallest byte in pixels.
const MAX_PER_BYTE: f64 = 64.0;
/// Longest stack of bands in pixels: beyond it a float no longer holds quarters of a pixel.
const MAX_STACK: f64 = (1u64 << 50) as f64;
/// How much more than the whole may be seen.
const MAX_OUT: f64 = 1.5;

/// The visible part of a run.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct View {
    /// Visible steps, from and to.
    pub time: (f64, f64),
    /// Pixels per byte, one for all bands.
    pub scale: f64,
    /// Pixels by which the bands are moved along the address axis; 0 puts address 0 of the first
    /// band on its edge.
    pub scroll: f64,
}

impl View {
    /// Everything: all steps and the largest extent that any frame of the run has, so that stepping
    /// never rescales.
    pub fn fit(index: &Index, size: Size, style: &Style) -> View {
        View { time: (0.0, index.steps() as f64), scale: fit_scale(index, size, style), scroll: 0.0 }
    }

    /// All steps and one pool.
    pub fn fit_pool(index: &Index, size: Size, style: &Style, pool: PoolId) -> View {
        let Some(facts) = index.pools().get(pool.index()) else { return View::fit(index, size, style) };
        let stack = Stack::new(index, size, style, index.steps() as f64);
        let room = stack.margins.plot.h - stack.margins.head_of(facts);
        let view = View {
            time: (0.0, index.steps() as f64),
            scale: room.max(1.0) / (stack.margins.height_of(facts).max(1.0) * HEAD_ROOM),
            scroll: 0.0,
        };
        let base = stack.base(pool, view.scale);
        View { scroll: base, ..view }.clamped(index, size, style)
    }

    /// All addresses, and the steps around the largest load.
    pub fn fit_largest_load(index: &Index, size: Size, style: &Style) -> View {
        let (steps, at) = (index.steps() as f64, index.total().peak_step() as f64 + 0.5);
        // A twelfth of a long run on both sides, and enough of a short one to see what comes and
        // goes.
        let half = (steps / 12.0).max(5.0).min(steps / 2.0);
        let middle = at.clamp(half, (steps - half).max(half));
        View::fit_addresses(index, size, style, (middle - half, middle + half))
    }

    /// Some steps, and all addresses: the names of so many steps decide how high the panel is.
    fn fit_addresses(index: &Index, size: Size, style: &Style, time: (f64, f64)) -> View {
        let scale = Margins::new(index, size, style, time.1 - time.0).fit(index.pools());
        View { time, scale, scroll: 0.0 }.clamped(index, size, style)
    }

    /// A buffer with as much around it on every side as it is large itself.
    pub fn fit_selection(index: &Index, size: Size, style: &Style, live: Live, place: Place, bytes: u64) -> View {
        let length = live.len().max(1) as f64;
        let stack = Stack::new(index, size, style, 3.0 * length);
        let plot = stack.margins.plot;
        let (low, high) = (
            stack.margins.drawn(place.pool, place.offset),
            stack.margins.drawn(place.pool, place.offset.saturating_add(bytes)),
        );
        let scale = plot.h / (3.0 * (high - low).max(1.0));
        let view = View { time: (live.start as f64 - length, live.end as f64 + length), scale, scroll: 0.0 };
        let view = view.clamped(index, size, style);
        let middle = (low + high) / 2.0;
        let per_byte = stack.per_byte(place.pool, view.scale);
        let scroll = stack.base(place.pool, view.scale) + middle * per_byte - plot.h / 2.0;
        let time = centred(view.time, (live.start as f64 + live.end as f64) / 2.0);
        View { time, scroll, ..view }.clamped(index, size, style)
    }

    /// Steps wider by `factor`; the step at `about` px from the left edge of the panel stays where
    /// it is.
    #[must_use]
    pub fn zoom_time(self, index: &Index, size: Size, style: &Style, about: f64, factor: f64) -> View {
        let plot = Margins::new(index, size, style, self.time.1 - self.time.0).plot;
        let part = ((about - plot.x) / plot.w).clamp(0.0, 1.0);
        let span = self.time.1 - self.time.0;
        let still = self.time.0 + part * span;
        let limits = span_limits(index, plot.w);
        let span = (span / factor).clamp(limits.0, limits.1);
        let from = still - part * span;
        View { time: (from, from + span), ..self }.clamped(index, size, style)
    }

    /// Bytes taller by `factor`; the address at `about` px from the upper edge of the panel stays
    /// where it is.
    #[must_use]
    pub fn zoom_scale(self, index: &Index, size: Size, style: &Style, about: f64, factor: f64) -> View {
        let stack = Stack::new(index, size, style, self.time.1 - self.time.0);
        let plot = stack.margins.plot;
        let about = about.clamp(plot.y, plot.bottom());
        let from_edge = if style.axis_at_bottom { plot.bottom() - about } else { about - plot.y };
        let limits = scale_limits(index, size, style);
        let scale = (self.scale * factor).clamp(limits.0, limits.1);
        let along = self.scroll + from_edge;
        let scroll = stack.moved(along, self.scale, scale) - from_edge;
        View { scale, scroll, ..self }.clamped(index, size, style)
    }

    /// Both at once, for pinches and wheels.
    #[must_use]
    pub fn zoom(self, index: &Index, size: Size, style: &Style, about: (f64, f64), factor: f64) -> View {
        self.zoom_time(index, size, style, about.0, factor).zoom_scale(index, size, style, about.1, factor)
    }

    /// The picture follows the pointer by `by` px.
    #[must_use]
    pub fn pan(self, index: &Index, size: Size, style: &Style, by: (f64, f64)) -> View {
        let plot = Margins::new(index, size, style, self.time.1 - self.time.0).plot;
        let steps = by.0 * (self.time.1 - self.time.0) / plot.w;
        let scroll = if style.axis_at_bottom { self.scroll + by.1 } else { self.scroll - by.1 };
        View { time: (self.time.0 - steps, self.time.1 - steps), scroll, ..self }.clamped(index, size, style)
    }

    /// The steps and addresses inside a box of the panel.
    #[must_use]
    pub fn zoom_to(self, index: &Index, size: Size, style: &Style, rect: Rect) -> View {
        let stack = Stack::new(index, size, style, self.time.1 - self.time.0);
        let plot = stack.margins.plot;
        let Some(rect) = rect.cut(&plot) else { return self };
        let per_step = plot.w / (self.time.1 - self.time.0);
        let step = |x: f64| self.time.0 + (x - plot.x) / per_step;
        let limits = scale_limits(index, size, style);
        let scale = (self.scale * plot.h / rect.h.max(1.0)).clamp(limits.0, limits.1);
        let near = if style.axis_at_bottom { plot.bottom() - rect.bottom() } else { rect.y - plot.y };
        let scroll = stack.moved(self.scroll + near, self.scale, scale);
        View { time: (step(rect.x), step(rect.right())), scale, scroll }.clamped(index, size, style)
    }

    /// A view on the way to another one: `part` of it, from 0 to 1. Edges move evenly, so nothing
    /// swings out of sight.
    #[must_use]
    pub fn towards(self, to: View, part: f64) -> View {
        let between = |from: f64, to: f64| from + (to - from) * part;
        let time = (between(self.time.0, to.time.0), between(self.time.1, to.time.1));
        let scale = 1.0 / between(1.0 / self.scale, 1.0 / to.scale);
        View { time, scale, scroll: between(self.scroll / self.scale, to.scroll / to.scale) * scale }
    }

    /// The nearest view within the limits: never a step wider than 400 px, a byte taller than 64
    /// px, more than 1.5 times the whole, or a panel with its middle outside the run.
    #[must_use]
    pub fn clamped(self, index: &Index, size: Size, style: &Style) -> View {
        let stack = Stack::new(index, size, style, self.time.1 - self.time.0);
        let plot = stack.margins.plot;
        let steps = index.steps() as f64;
        let finite = |value: f64, other: f64| if value.is_finite() { value } else { other };
        let limits = span_limits(index, plot.w);
        let (from, to) = (finite(self.time.0, 0.0), finite(self.time.1, steps));
        let span = (to - from).clamp(limits.0, limits.1);
        let middle = ((from + to) / 2.0).clamp(0.0, steps);
        let limits = scale_limits(index, size, style);
        let scale = finite(self.scale, limits.0).clamp(limits.0, limits.1);
        let half = plot.h / 2.0;
        let scroll = (finite(self.scroll, 0.0) + half).clamp(0.0, stack.length(scale).max(plot.h)) - half;
        View { time: (middle - span / 2.0, middle + span / 2.0), scale, scroll }
    }
}

/// A view in the units of the plan, so that it can be shown in a panel of another size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// Visible steps, from and to.
    pub steps: (f64, f64),
    /// Bytes along the address axis over all bands; none: all addresses.
    pub bytes: Option<(f64, f64)>,
}

impl Window {
    /// What a view shows, to hundredths of a step and whole bytes.
    pub fn of(view: View, index: &Index, size: Size, style: &Style) -> Window {
        let step = |step: f64| (step * 100.0).round() / 100.0;
        let margins = Margins::new(index, size, style, view.time.1 - view.time.0);
        let byte = |pixels: f64| margins.address((pixels / view.scale).round());
        let bytes = (byte(view.scroll), byte(view.scroll + margins.plot.h));
        Window { steps: (step(view.time.0), step(view.time.1)), bytes: Some(bytes) }
    }

    /// Returns the view that shows these steps and bytes on a panel of this size.
    pub fn view(self, index: &Index, size: Size, style: &Style) -> View {
        let steps = self.steps;
        let Some(bytes) = self.bytes else {
            return View::fit_addresses(index, size, style, steps);
        };
        let margins = Margins::new(index, size, style, steps.1 - steps.0);
        let bytes = (margins.drawn_from(bytes.0), margins.drawn_from(bytes.1));
        let scale = margins.plot.h / (bytes.1 - bytes.0).max(f64::MIN_POSITIVE);
        View { time: steps, scale, scroll: bytes.0 * scale }.clamped(index, size, style)
    }
}

/// Where a picture of the panel goes when the view changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shift {
    /// The panel when the picture was made.
    pub from: Rect,
    /// Where that part of the run lies now; it may reach beyond the panel.
    pub to: Rect,
    /// The panel now.
    pub panel: Rect,
}

impl Shift {
    /// From the view that the picture was made under to another one of the same run.
    pub fn new(before: View, now: View, index: &Index, size: Size, style: &Style) -> Shift {
        let from = Margins::new(index, size, style, before.time.1 - before.time.0).plot;
        let stack = Stack::new(index, size, style, now.time.1 - now.time.0);
        let panel = stack.margins.plot;
        let per_step = panel.w / (now.time.1 - now.time.0).max(f64::MIN_POSITIVE);
        let x = |step: f64| panel.x + (step - now.time.0) * per_step;
        let y = |from_edge: f64| {
            let along = stack.moved(before.scroll + from_edge, before.scale, now.scale) - now.scroll;
            if style.axis_at_bottom { panel.bottom() - along } else { panel.y + along }
        };
        let (near, far) = (y(0.0), y(from.h));
        Shift { from, to: Rect::between((x(before.time.0), near), (x(before.time.1), far)), panel }
    }

    /// Whether the picture is still worth showing: not stretched much, and most of the panel
    /// covered by it.
    pub fn is_small(&self) -> bool {
        let stretch = [self.to.w / self.from.w.max(1.0), self.to.h / self.from.h.max(1.0)];
        let covered = self.to.cut(&self.panel).map_or(0.0, |rect| rect.w * rect.h);
        stretch.iter().all(|stretch| (0.6..=1.8).contains(stretch)) && covered >= 0.7 * self.panel.w * self.panel.h
    }
}

fn centred(time: (f64, f64), middle: f64) -> (f64, f64) {
    let half = (time.1 - time.0) / 2.0;
    (middle - half, middle + half)
}

/// Fewest and most steps across the panel.
fn span_limits(index: &Index, width: f64) -> (f64, f64) {
    let steps = index.steps() as f64;
    ((width / MAX_PER_STEP).min(steps), steps * MAX_OUT)
}

/// Smallest and largest scale.
fn scale_limits(index: &Index, size: Size, style: &Style) -> (f64, f64) {
    let fit = fit_scale(index, size, style);
    let total: f64 = index.pools().iter().map(|pool| pool.extent as f64).sum();
    (fit / MAX_OUT, MAX_PER_BYTE.min(MAX_STACK / total.max(1.0)).max(fit))
}

fn fit_scale(index: &Index, size: Size, style: &Style) -> f64 {
    Margins::new(index, size, style, index.steps() as f64).fit(index.pools())
}

/// The bands end to end, as lengths along the address axis.
struct Stack<'a> {
    index: &'a Index,
    margins: Margins,
    up: bool,
}

impl<'a> Stack<'a> {
    fn new(index: &'a Index, size: Size, style: &Style, span: f64) -> Stack<'a> {
        Stack { index, margins: Margins::new(index, size, style, span), up: style.axis_at_bottom }
    }

    /// Length of all bands with their headers.
    fn length(&self, scale: f64) -> f64 {
        let part = |pool: &PoolFacts| self.margins.head_of(pool) + self.margins.length_of(pool, scale);
        self.index.pools().iter().map(part).sum()
    }

    /// Distance of a pool's zero from the zero of the axis.
    fn base(&self, pool: PoolId, scale: f64) -> f64 {
        let pools = self.index.pools();
        let part = |pool: &PoolFacts| self.margins.head_of(pool) + self.margins.length_of(pool, scale);
        let passed: f64 = pools[..pool.index().min(pools.len())].iter().map(part).sum();
        let own = pools.get(pool.index()).map_or(0.0, |pool| self.margins.head_of(pool));
        if self.up { passed } else { passed + own }
    }

    /// Pixels a byte of a pool, whose band may have a scale of its own.
    fn per_byte(&self, pool: PoolId, scale: f64) -> f64 {
        let facts = self.index.pools().get(pool.index()).filter(|facts| facts.extent > 0);
        facts.map_or(scale, |facts| self.margins.length_of(facts, scale) / self.margins.height_of(facts).max(1.0))
    }

    /// Where a point of the stack lies when the scale changes: bands stretch, headers do not.
    fn moved(&self, along: f64, scale: f64, new_scale: f64) -> f64 {
        let (mut passed, mut moved) = (0.0, 0.0);
        for pool in self.index.pools() {
            let head = (self.margins.head_of(pool), self.margins.head_of(pool));
            let band = (self.margins.length_of(pool, scale), self.margins.length_of(pool, new_scale));
            for (old, new) in if self.up { [band, head] } else { [head, band] } {
                if along < passed + old {
                    return moved + (along - passed) * new / old;
                }
                passed += old;
                moved += new;
            }
        }
        moved + (along - passed)
    }
}
