//! Margins of the panel: what stands around the plot and between the bands, and how much room it takes.

use super::geometry::{Rect, Size};
use super::index::{Index, PoolFacts};
use super::label;
use super::style::Style;
use crate::base::Message;
use crate::plan::PoolRole;

/// Pixels per step from which operations stand under the numbers.
const OP_NAMES_FROM: f64 = 60.0;

/// Font size of the words beside the lines of the only pool.
pub const WORDS: f64 = 12.0;

/// Widths and heights around and between bands, which depend on the run and the style but not on the view.
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
    /// Room for operations under the step numbers.
    pub names: f64,
    /// The panel of steps by addresses, inside all margins.
    pub plot: Rect,
}

impl Margins {
    /// `span` is the number of steps across the panel.
    pub fn new(index: &Index, size: Size, style: &Style, span: f64) -> Margins {
        let text = style.text_scale;
        let heads = index.pools().len() > 1 || style.narrow;
        let lane = style.show_waiting && !style.narrow && index.buffers() <= Style::MAX_WAITING;
        let lane = if lane { 26.0 * text } else { 0.0 };
        let left = if style.narrow { 40.0 } else { 52.0 } * text;
        let right = match heads {
            true if style.narrow => 8.0,
            true => 16.0,
            // The names of the lines of the only pool stand beside them.
            false => level_names(index, style).max(92.0 * text),
        };
        // Storage blocks have no headers: what they are stands above them all.
        let slabs = !style.narrow && index.pools().iter().any(|pool| pool.role == PoolRole::Storage);
        let top = if heads && !slabs { 8.0 } else { 26.0 * text };
        let width = (size.0 - left - right).max(1.0);
        let op_names = index.has_ops() && !style.narrow && width / span.max(f64::MIN_POSITIVE) >= OP_NAMES_FROM;
        let names = if op_names { 14.0 * text } else { 0.0 };
        let axis = 24.0 * text + names;
        let head = match heads {
            true if style.narrow => 16.0 * text,
            true => 20.0 * text,
            false => 0.0,
        };
        let plot = Rect::new(left, top, width, (size.1 - top - axis - lane).max(1.0));
        let count = index.pools().len().max(1) as f64;
        // Where headers would take a third of the panel, only the larger pools keep theirs.
        let total: f64 = index.pools().iter().map(|pool| pool.extent as f64).sum();
        let headed = if count * head <= plot.h / 3.0 { 0 } else { (total * 2.0 * head / plot.h) as u64 };
        Margins { axis, lane, head, gap: (plot.h / 10.0 / count).min(2.0), headed, names, plot }
    }

    /// Height of the header of a pool, or of the gap in its place. Storage blocks are slabs that nearly touch.
    pub fn head_of(&self, pool: &PoolFacts) -> f64 {
        match self.has_head(pool) {
            true => self.head,
            false if self.head > 0.0 => self.gap,
            false => 0.0,
        }
    }

    /// Returns true if a pool has a header above its band.
    pub fn has_head(&self, pool: &PoolFacts) -> bool {
        self.head > 0.0 && pool.role != PoolRole::Storage && pool.extent >= self.headed
    }
}

/// Width of the words beside the lines of the only pool, as they are at the end of the run.
fn level_names(index: &Index, style: &Style) -> f64 {
    let width = |key: &'static str, bytes: u64, bold: bool| {
        let words = style.speech.say(&Message::new(key).address("peak", bytes).address("bound", bytes));
        label::width(&words, style.words(WORDS), bold)
    };
    let pool = |pool: &PoolFacts| width("stage.peak", pool.end, true).max(width("stage.bound", pool.bound, false));
    index.pools().first().map_or(0.0, pool) + 12.0
}
