//! Where steps and addresses lie on the panel, and back.
//!
//! The five buffers of [`memplan_core::problem`] on a panel of 288 × 200 px of a phone, with 40 px
//! a step and 24 px a KiB. Steps run to the right; addresses run upwards while y runs downwards, so
//! `y = 176 - 24 · KiB` and `x = 40 + 40 · step`:
//!
//! ```text
//!   y   KiB
//!  56 -   +------------------------
//!  80 - 4 |   .   .   d   .   .   .
//! 104 - 3 |   .   .   c   c   e   e
//! 128 - 2 |   a   a   c   c   e   e
//! 152 - 1 |   a   a   c   c   e   e
//! 176 - 0 |   .   b   b   b   e   e
//!         +---+---+---+---+---+---+
//!   x     40  80  120 160 200 240 280
//! ```
//!
//! The y beside a row is that of its lower edge. c, of steps 2 to 4 and KiB 1 to 4, is the box from
//! (120, 80) to (200, 152). Above the band, from 40 to 56, stands its header.

use super::geometry::{Rect, Size};
use super::index::{Index, PoolFacts};
use super::margins::{Margins, OpNames};
use super::squeeze::Squeeze;
use super::style::Style;
use super::view::View;
use memplan_core::base::Id;
use memplan_core::plan::PoolId;
use memplan_core::problem::Live;

/// Where margins, steps and bands lie on one panel under one view. All lengths are in css pixels.
#[derive(Clone, PartialEq, Debug)]
pub struct Projection {
    /// Size of the whole picture with its axes.
    pub size: Size,
    /// The panel of steps by addresses.
    pub plot: Rect,
    /// The strip of step numbers under the plot.
    pub axis_x: Rect,
    /// The strip of addresses beside the plot.
    pub axis_y: Rect,
    /// Where waiting buffers are drawn.
    pub lane: Option<Rect>,
    /// How operations stand under the step numbers.
    pub(super) op_names: OpNames,
    /// Whether the names of the lines stand over the plan.
    pub(super) words_inside: bool,
    /// Whether the names of storage blocks stand beside the plot.
    pub(super) named_aside: bool,
    /// One band for each pool, in order of pools, from the start of the address axis on.
    pub bands: Vec<Band>,
    /// Visible steps, from and to.
    time: (f64, f64),
    per_step: f64,
    scale: f64,
    pixel: f64,
}

/// A pool's strip of the panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Band {
    /// The pool that the band shows.
    pub pool: PoolId,
    /// Bytes from the band's zero to its far edge.
    pub bytes: u64,
    /// The header above the band, if it has one.
    pub head: Option<Rect>,
    /// Drawn without levels, numbers and curve: one of very many pools, or folded.
    pub is_bare: bool,
    /// Higher than at the common scale, at which it could not be read.
    pub has_own_scale: bool,
    /// How many times as high as at the common scale.
    pub stretch: f64,
    /// Folded into its header, a line that opens the band when it is clicked.
    pub is_folded: bool,
    /// An address at or near the panel's edge: everything is measured from it, so that floats stay
    /// small.
    origin: u64,
    origin_y: f64,
    /// Pixels per byte in the direction of y; below 0 if addresses run upwards.
    slope: f64,
    /// Addresses that are drawn lower than to scale. The origin counts bytes as they are drawn.
    squeeze: Option<Squeeze>,
    is_upright: bool,
}

impl Projection {
    /// Returns the projection of a run under a view, for a picture of this size.
    pub fn new(index: &Index, view: &View, size: Size, style: &Style) -> Projection {
        let span = (view.time.1 - view.time.0).max(f64::MIN_POSITIVE);
        let margins = Margins::new(index, size, style, span);
        let plot = margins.plot;
        let axis_x = Rect::new(0.0, plot.bottom(), size.0, margins.axis);
        let lane = (margins.lane > 0.0).then(|| Rect::new(plot.x, axis_x.bottom(), plot.w, margins.lane));
        Projection {
            size,
            axis_x,
            axis_y: Rect::new(0.0, 0.0, plot.x, plot.bottom()),
            lane,
            op_names: margins.op_names,
            words_inside: margins.words_inside,
            named_aside: margins.named_aside,
            bands: bands(index, view, &margins, style),
            plot,
            time: view.time,
            per_step: plot.w / span,
            scale: view.scale,
            pixel: style.pixel,
        }
    }

    /// Returns the width of a step in pixels.
    pub fn per_step(&self) -> f64 {
        self.per_step
    }

    /// Returns the height of a byte in pixels, in bands that have the common scale.
    pub fn per_byte(&self) -> f64 {
        self.scale
    }

    /// Returns the x at which a step starts; fractions of steps count.
    pub fn step_to_x(&self, step: f64) -> f64 {
        self.plot.x + (step - self.time.0) * self.per_step
    }

    /// Returns the step at `x` with its fraction, inside the run or not.
    pub fn x_to_step(&self, x: f64) -> f64 {
        self.time.0 + (x - self.plot.x) / self.per_step
    }

    /// Returns the step drawn at `x`, if the run has one there.
    pub fn step_at(&self, x: f64, index: &Index) -> Option<u32> {
        let step = self.x_to_step(x).floor();
        (step >= 0.0 && step < index.steps() as f64).then_some(step as u32)
    }

    /// Returns the visible steps `[from, to)` of the run; partly visible ones count.
    pub fn visible_steps(&self, index: &Index) -> (u32, u32) {
        let from = self.time.0.floor().max(0.0).min(index.steps() as f64);
        let to = self.time.1.ceil().max(from).min(index.steps() as f64);
        (from as u32, to as u32)
    }

    /// Returns the band of a pool; none if the run has no such pool.
    pub fn band(&self, pool: PoolId) -> Option<&Band> {
        self.bands.get(pool.index())
    }

    /// Returns the y of an address of a pool; none if the run has no such pool.
    pub fn address_to_y(&self, pool: PoolId, address: u64) -> Option<f64> {
        self.band(pool).map(|band| band.y(address))
    }

    /// Returns the pool and the address under `y`; none between the bands.
    pub fn y_to_address(&self, y: f64) -> Option<(PoolId, u64)> {
        self.bands.iter().find_map(|band| band.address(y).map(|address| (band.pool, address)))
    }

    /// Returns the edge of a device pixel that is nearest to a coordinate.
    pub fn snap(&self, value: f64) -> f64 {
        // Not `round`, because `floor` is one instruction of WebAssembly.
        (value / self.pixel + 0.5).floor() * self.pixel
    }

    /// Returns the box of `size` bytes from `offset` over a live range, not yet on device pixels.
    pub fn exact(&self, band: &Band, live: Live, offset: u64, size: u64) -> Rect {
        let (x, right) = (self.step_to_x(live.start as f64), self.step_to_x(live.end as f64));
        Rect::between((x, band.y(offset)), (right, band.y(offset.saturating_add(size))))
    }

    /// Returns a box with its edges moved to device pixels, so that neighbours still meet.
    pub fn snapped(&self, rect: Rect) -> Rect {
        let (x, y) = (self.snap(rect.x), self.snap(rect.y));
        Rect::new(x, y, self.snap(rect.right()) - x, self.snap(rect.bottom()) - y)
    }

    /// Returns the part of a box that lies in the plot or up to 8 px outside, if there is one: new
    /// edges are out of sight, and coordinates stay small.
    pub fn cut(&self, rect: Rect) -> Option<Rect> {
        rect.cut(&self.plot.inset(-8.0))
    }

    /// Returns the size of a device pixel in css pixels.
    pub fn pixel(&self) -> f64 {
        self.pixel
    }
}

impl Band {
    /// Returns the y of an address.
    pub fn y(&self, address: u64) -> f64 {
        let address = self.squeeze.map_or(address, |squeeze| squeeze.drawn(address));
        let distance =
            if address >= self.origin { (address - self.origin) as f64 } else { -((self.origin - address) as f64) };
        self.origin_y + distance * self.slope
    }

    /// Returns the address under `y`, if the band is not folded and reaches there.
    pub fn address(&self, y: f64) -> Option<u64> {
        if self.is_folded {
            return None;
        }
        let distance = ((y - self.origin_y) / self.slope).floor();
        let address = if distance >= 0.0 {
            self.origin.checked_add(distance as u64)?
        } else {
            self.origin.checked_sub(-distance as u64)?
        };
        let address = self.squeeze.map_or(address, |squeeze| squeeze.address(address));
        (address < self.bytes).then_some(address)
    }

    /// Returns the y of the edge at address 0.
    pub fn zero_y(&self) -> f64 {
        self.y(0)
    }

    /// Returns the y of the edge at the largest address.
    pub fn far_y(&self) -> f64 {
        self.y(self.bytes)
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> f64 {
        (self.zero_y() - self.far_y()).abs()
    }

    /// Returns the y of the upper and of the lower edge.
    pub fn edges(&self) -> (f64, f64) {
        let (a, b) = (self.zero_y(), self.far_y());
        (a.min(b), a.max(b))
    }

    /// Returns true if addresses run upwards: address 0 is at the lower edge.
    pub fn is_upright(&self) -> bool {
        self.is_upright
    }
}

/// Returns the bands, one after the other along the address axis, each with its header above it.
fn bands(index: &Index, view: &View, margins: &Margins, style: &Style) -> Vec<Band> {
    let up = style.axis_at_bottom;
    let plot = margins.plot;
    let mut along = 0.0;
    let band = |(number, facts): (usize, &PoolFacts)| {
        let head = margins.head_of(facts);
        let (length, natural) = (margins.length_of(facts, view.scale), margins.height_of(facts) * view.scale);
        let scale = if length == natural { view.scale } else { length / margins.height_of(facts).max(1.0) };
        let base = if up { along } else { along + head };
        along += length + head;
        // Distance of the panel's edge from the band's zero.
        let hidden = view.scroll - base;
        let cut = hidden > 0.0 && scale > 0.0;
        let rest = if cut { hidden.rem_euclid(scale) } else { hidden };
        let origin = if cut { ((hidden - rest) / scale).round() as u64 } else { 0 };
        let origin_y = if up { plot.bottom() + rest } else { plot.y - rest };
        let has_head = margins.has_head(facts);
        let mut band = Band {
            pool: PoolId(number as u32),
            bytes: facts.extent,
            head: None,
            is_bare: !has_head && index.pools().len() > 1,
            has_own_scale: length > natural,
            stretch: if length > natural { length / natural } else { 1.0 },
            is_folded: has_head && length == 0.0 && index.pools().len() > 1,
            origin,
            origin_y,
            slope: if up { -scale } else { scale },
            squeeze: margins.squeeze_of(facts.id),
            is_upright: up,
        };
        band.is_bare |= band.is_folded;
        if has_head {
            band.head = Some(Rect::new(plot.x, band.edges().0 - head, plot.w, head));
        }
        band
    };
    index.pools().iter().enumerate().map(band).collect()
}
