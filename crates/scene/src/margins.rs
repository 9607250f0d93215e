//! Margins of the panel: what stands around the plot and between the bands, and how much room it
//! takes.

use super::geometry::{Rect, Size};
use super::index::{Index, PoolFacts};
use super::label;
use super::lane_room;
use super::squeeze::Squeeze;
use super::style::Style;
use memplan_core::base::Message;
use memplan_core::plan::{PoolId, PoolRole};

/// Pixels per step from which operations stand under the numbers, shortened if need be.
const OP_NAMES_FROM: f64 = 60.0;

/// Fewest pixels per step at which the names of operations stand on end.
const ON_END_FROM: f64 = 14.0;

/// Most steps of a run whose operations stand on end: more would be a fringe.
const ON_END: u32 = 24;

/// Longest name on end, in px.
const LONGEST: f64 = 56.0;

/// Lowest plot above names on end, in px.
const LOWEST_PLOT: f64 = 96.0;

/// Part of the width that the words beside the lines may take; wider ones stand over the plan.
const BESIDE: f64 = 0.24;

/// A band lower than this cannot be read: it gets a scale of its own, or is folded into its header.
const LOWEST: f64 = 30.0;

/// The same on a phone where the bands of a picture would take half of the panel at that height.
const LOWEST_NARROW: f64 = 20.0;

/// Height of the lowest band of its own scale, as a part of the height from which all bands have
/// the common scale. Those between are drawn between: of two bands, that of more bytes is the
/// higher.
const OWN: f64 = 0.7;

/// Height from which a band shows its load, in px.
pub const READABLE: f64 = OWN * LOWEST - 0.5;

/// Free part of the default view, headers included, over the largest peak of the run.
pub const HEAD_ROOM: f64 = 1.08;

/// Font size of the names of storage blocks beside the plot.
pub const ASIDE: f64 = 10.0;

/// Distance of storage blocks that are named there, in px.
const APART: f64 = 4.0;

/// Font size of the words beside the lines of the only pool.
pub const WORDS: f64 = 12.0;

/// Widths and heights around and between bands, which depend on the run and the style but not on
/// the view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Margins {
    /// The x axis with the names under it.
    pub axis: f64,
    /// Height of the lane of waiting buffers; 0 without one.
    pub lane: f64,
    /// Height of a header.
    head: f64,
    /// Distance of bands without header.
    gap: f64,
    /// Lowest pool in bytes that has a header.
    headed: u64,
    /// Height below which a band has a scale of its own; 0 where all bands have one scale.
    least: f64,
    /// Lowest pool in bytes that has a band although it is lower than `least` at the common scale.
    opened: u64,
    /// Whether storage blocks have headers too.
    storages: bool,
    /// The names of storage blocks stand beside the plot, which has the room of their headers.
    pub named_aside: bool,
    /// Room for operations under the step numbers.
    pub names: f64,
    /// How operations stand there.
    pub op_names: OpNames,
    /// The names of the lines stand over the plan, which has their room.
    pub words_inside: bool,
    /// Addresses of a pool that are drawn lower than to scale.
    squeeze: Option<Squeeze>,
    /// The panel of steps by addresses, inside all margins.
    pub plot: Rect,
}

/// How operations stand under the step numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpNames {
    /// Not at all: there is no room, or nothing to tell apart.
    Absent,
    /// From left to right.
    Level,
    /// From below upwards, where steps are narrow.
    OnEnd,
}

impl Margins {
    /// `span` is the number of steps across the panel.
    pub fn new(index: &Index, size: Size, style: &Style, span: f64) -> Margins {
        let text = style.text_scale;
        let heads = index.pools().len() > 1 || style.narrow;
        let lane = lane_room::height(index, size, style);
        let aside = names_aside(index, size, style);
        let left = (if style.narrow { 40.0 } else { 52.0 } * text).max(aside.unwrap_or(0.0));
        let beside = if style.narrow || heads { 0.0 } else { level_names(index, style) };
        let words_inside = style.words_inside || beside > BESIDE * size.0;
        let right = if style.narrow {
            8.0
        } else if heads || words_inside {
            16.0
        } else {
            // The names of the lines of the only pool stand beside them.
            beside
        };
        let right = right + style.gutter;
        // That their order means nothing stands above all storage blocks.
        let slabs = !style.narrow && index.pools().iter().any(|pool| pool.role == PoolRole::Storage);
        let top = if heads && !slabs { 8.0 } else { 26.0 * text };
        let width = (size.0 - left - right).max(1.0);
        let op_names = op_names(index, style, (width, size.1 - top - 24.0 * text - lane), span);
        let names = match op_names {
            OpNames::Absent => 0.0,
            OpNames::Level => 14.0 * text,
            OpNames::OnEnd => on_end_height(index, style),
        };
        let axis = 24.0 * text + names;
        let head = if !heads {
            0.0
        } else if style.narrow {
            16.0 * text
        } else {
            20.0 * text
        };
        let plot = Rect::new(left, top, width, (size.1 - top - axis - lane).max(1.0));
        let count = index.pools().len().max(1) as f64;
        // Where headers would take a third of the panel, only the larger pools keep theirs.
        let total: f64 = index.pools().iter().map(|pool| pool.extent as f64).sum();
        let headed = if count * head <= plot.h / 3.0 { 0 } else { (total * 2.0 * head / plot.h) as u64 };
        let lowest = if style.narrow && count * LOWEST > plot.h / 2.0 { LOWEST_NARROW } else { LOWEST };
        let least = if index.pools().len() > 1 && !style.turned { lowest } else { 0.0 };
        let gap = if aside.is_some() { APART } else { (plot.h / 10.0 / count).min(2.0) };
        let (named_aside, squeeze) = (aside.is_some(), style.squeeze);
        let storages = !style.turned && !named_aside;
        let opened = 0;
        let margins = Margins {
            axis,
            lane,
            head,
            gap,
            headed,
            storages,
            named_aside,
            least,
            opened,
            names,
            op_names,
            words_inside,
            squeeze,
            plot,
        };
        Margins { opened: margins.opened_from(index.pools()), ..margins }
    }

    /// Returns the extent from which on bands too low to read are opened: with their headers they
    /// take at most a third of the panel.
    fn opened_from(&self, pools: &[PoolFacts]) -> u64 {
        if self.least == 0.0 {
            return 0;
        }
        let scale = self.fit(pools);
        let is_low = |pool: &&PoolFacts| pool.extent > 0 && self.length_of(pool, scale) > pool.extent as f64 * scale;
        let mut low: Vec<u64> = pools.iter().filter(is_low).map(|pool| pool.extent).collect();
        low.sort_by_key(|&extent| std::cmp::Reverse(extent));
        let room = (self.plot.h / 3.0 / (self.least + self.head)) as usize;
        // Pools of equal size are treated alike.
        low.get(room).map_or(0, |extent| extent + 1)
    }

    /// Returns the scale at which all bands fit into the panel, in pixels a byte.
    pub fn fit(&self, pools: &[PoolFacts]) -> f64 {
        let heads: f64 = pools.iter().map(|pool| self.head_of(pool)).sum();
        let total: f64 = pools.iter().map(|pool| self.height_of(pool)).sum();
        // Very many headers may be taller than the panel: the bands keep a fifth of it.
        let room = (self.plot.h - heads).max(self.plot.h / 5.0).min(self.plot.bottom() / HEAD_ROOM);
        let mut scale = room / total.max(1.0);
        // Bands of their own scale leave less to the others, so that more of these become too low.
        let mut fixed = 0.0;
        loop {
            let (mut own, mut rest) = (0.0, 0.0);
            for pool in pools {
                let (length, natural) = (self.length_of(pool, scale), self.height_of(pool) * scale);
                if length == natural { rest += self.height_of(pool) } else { own += length }
            }
            if own <= fixed || rest == 0.0 {
                return self.within(pools, room, scale);
            }
            fixed = own;
            scale = (room - fixed).max(room / 5.0) / rest;
        }
    }

    /// Returns the scale, or a smaller one at which the bands fit into the room: bands that were
    /// folded, or low, at a smaller scale may be high at this one.
    fn within(&self, pools: &[PoolFacts], room: f64, scale: f64) -> f64 {
        let fits = |scale: f64| pools.iter().map(|pool| self.length_of(pool, scale)).sum::<f64>() <= room * 1.001;
        let mut range = (scale / 4.0, scale);
        if fits(range.1) {
            return scale;
        }
        // Where nearly all bands are just too low, that of the others may be many times too large.
        for _ in 0..16 {
            if fits(range.0) {
                break;
            }
            range = (range.0 / 2.0, range.0);
        }
        if !fits(range.0) {
            return scale;
        }
        for _ in 0..16 {
            let middle = (range.0 + range.1) / 2.0;
            if fits(middle) { range.0 = middle } else { range.1 = middle }
        }
        range.0
    }

    /// Bytes to scale that are as high as a pool.
    pub fn height_of(&self, pool: &PoolFacts) -> f64 {
        pool.extent.saturating_sub(self.squeeze_of(pool.id).map_or(0, |squeeze| squeeze.saved())) as f64
    }

    /// Bytes to scale from address 0 that are as high as an address of a pool is drawn.
    pub fn drawn(&self, pool: PoolId, address: u64) -> f64 {
        self.squeeze_of(pool).map_or(address, |squeeze| squeeze.drawn(address)) as f64
    }

    /// The same for the edge of a view of the only pool, which may lie outside of it.
    pub fn drawn_from(&self, address: f64) -> f64 {
        if address > 0.0 { self.drawn(PoolId(0), address as u64) } else { address }
    }

    /// Returns the address of the only pool that is drawn as high as so many bytes to scale.
    pub fn address(&self, drawn: f64) -> f64 {
        let squeeze = self.squeeze_of(PoolId(0)).filter(|_| drawn > 0.0);
        squeeze.map_or(drawn, |squeeze| squeeze.address(drawn as u64) as f64)
    }

    /// Addresses of a pool that are drawn lower than to scale.
    pub fn squeeze_of(&self, pool: PoolId) -> Option<Squeeze> {
        self.squeeze.filter(|squeeze| squeeze.pool == pool)
    }

    /// Length of a pool's band along the axis of addresses, at a scale of so many pixels a byte; 0
    /// where it is folded.
    pub fn length_of(&self, pool: &PoolFacts, scale: f64) -> f64 {
        let natural = self.height_of(pool) * scale;
        if natural >= self.least || !self.has_head(pool) {
            natural
        } else if pool.extent > 0 && pool.extent >= self.opened {
            OWN * self.least + (1.0 - OWN) * natural
        } else {
            0.0
        }
    }

    /// Height of the header of a pool, or of the gap in its place: bands without headers nearly
    /// touch.
    pub fn head_of(&self, pool: &PoolFacts) -> f64 {
        if self.has_head(pool) {
            self.head
        } else if self.head > 0.0 {
            self.gap
        } else {
            0.0
        }
    }

    /// Returns true if a pool has a header above its band.
    pub fn has_head(&self, pool: &PoolFacts) -> bool {
        self.head > 0.0 && (self.storages || pool.role != PoolRole::Storage) && pool.extent >= self.headed
    }
}

/// Returns the width that the names of storage blocks take beside the plot of a phone; none where
/// they stand in headers, or are too many. Between low blocks there is no room for headers.
fn names_aside(index: &Index, size: Size, style: &Style) -> Option<f64> {
    let is_storage = |pool: &&PoolFacts| pool.role == PoolRole::Storage;
    let last = index.pools().iter().rfind(is_storage).filter(|_| style.narrow && !style.turned)?;
    let least = (style.words(ASIDE) + APART) * index.pools().len() as f64;
    let name = style.speech.say(&Message::new("pool.storage").count("n", last.id.0));
    (least <= size.1 / 2.0).then(|| label::width(&name, style.words(ASIDE), false) + 10.0)
}

/// How operations stand below a plot of this width that shows `span` steps. A run whose names stand
/// on end as a whole has them so in every part, so that the plan keeps its height while it is
/// enlarged. `room` is what the plot and the names have together.
fn op_names(index: &Index, style: &Style, (width, room): Size, span: f64) -> OpNames {
    let (per_step, per_step_of_all) = (width / span.max(f64::MIN_POSITIVE), width / f64::from(index.steps()));
    let widest = index.widest_op() * op_font(style) + 4.0;
    // With swapped axes they stand under one another.
    let from = if style.turned { OP_NAMES_FROM } else { OP_NAMES_FROM.min(widest) };
    let is_level = |per_step: f64| per_step >= from && !(style.turned && style.narrow);
    let is_on_end = index.steps() <= ON_END && !is_level(per_step_of_all) && !style.turned;
    let has_room = room - on_end_height(index, style) >= LOWEST_PLOT * style.text_scale;
    match () {
        () if !index.has_ops() => OpNames::Absent,
        () if is_on_end && !has_room => OpNames::Absent,
        () if is_on_end && per_step_of_all >= ON_END_FROM * style.text_scale => OpNames::OnEnd,
        () if is_level(per_step) => OpNames::Level,
        () => OpNames::Absent,
    }
}

/// Height of names on end.
fn on_end_height(index: &Index, style: &Style) -> f64 {
    (index.widest_op() * op_font(style)).min(LONGEST * style.text_scale) + 6.0
}

/// Font size of operations in px.
pub fn op_font(style: &Style) -> f64 {
    style.font(if style.narrow { 10.0 } else { 11.0 })
}

/// Width of the words beside the lines of the only pool, in any frame of the run.
fn level_names(index: &Index, style: &Style) -> f64 {
    let width = |key: &'static str, bytes: u64, bold: bool| {
        let words = style.speech.say(&Message::new(key).address("peak", bytes).address("bound", bytes));
        label::width(&words, style.words(WORDS), bold)
    };
    let load = if style.show_load { width("stage.load", 0, false) } else { 0.0 };
    let bound = |pool: &PoolFacts| if style.has_bound() { width("stage.bound", pool.bound, false) } else { 0.0 };
    let others = load.max(index.pools().first().map_or(0.0, bound));
    if !style.show_peak {
        return if others > 0.0 { others + 12.0 } else { 16.0 };
    }
    // Before the end the peak is any smaller size: with four digits and a blank, one decimal, or
    // two.
    let smaller =
        (0..4).map(|power| 1 << (10 * power)).flat_map(|unit: u64| [1023 * unit, 54 * unit / 5, 27 * unit / 25]);
    let smaller: Vec<u64> = smaller.collect();
    let so_far = |end: u64| {
        let sizes = smaller.iter().copied().filter(|&bytes| bytes < end).chain([end]);
        sizes.map(|bytes| width("stage.peak-so-far", bytes, true)).fold(0.0, f64::max)
    };
    let peak = |end: u64| width("stage.peak", end, true).max(so_far(end));
    let pool = |pool: &PoolFacts| peak(pool.end).max(others);
    (index.pools().first().map_or(0.0, pool) + 12.0).max(92.0 * style.text_scale)
}
