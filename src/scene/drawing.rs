//! One frame under one view: what all drawers share.

use super::geometry::{Point, Rect, Size};
use super::index::Index;
use super::mark::{Anchor, Text};
use super::projection::{Band, Projection};
use super::style::Style;
use super::view::View;
use crate::base::Message;
use crate::problem::{BufferId, Live};
use crate::replay::{Frame, Run};

/// Run, frame and projection together.
pub struct Drawing<'a> {
    pub run: &'a Run,
    pub index: &'a Index,
    pub frame: &'a Frame,
    pub style: &'a Style,
    pub projection: Projection,
    /// Life of the buffer of this frame.
    pub focus_live: Option<Live>,
}

impl<'a> Drawing<'a> {
    pub fn new(
        run: &'a Run,
        index: &'a Index,
        frame: &'a Frame,
        view: &View,
        size: Size,
        style: &'a Style,
    ) -> Drawing<'a> {
        let at_step = style.at_step.map(|step| Live { start: step, end: step.saturating_add(1) });
        let focus_live = at_step.or_else(|| frame.focus.map(|focus| run.problem.buffers[focus].live));
        Drawing { run, index, frame, style, projection: Projection::new(index, view, size, style), focus_live }
    }

    /// Where a placed buffer lies, edges on device pixels.
    pub fn rect(&self, id: BufferId) -> Option<Rect> {
        let place = self.frame.places[id]?;
        let buffer = &self.run.problem.buffers[id];
        if buffer.size == 0 || buffer.live.is_empty() {
            return None;
        }
        let band = self.projection.band(place.pool)?;
        let rect = self.projection.exact(band, buffer.live, place.offset, buffer.size);
        Some(self.projection.snapped(rect))
    }

    /// A stretch of addresses over a life, edges on device pixels.
    pub fn region(&self, band: &Band, live: Live, offset: u64, bytes: u64) -> Rect {
        self.projection.snapped(self.projection.exact(band, live, offset, bytes))
    }

    /// End of a pool at this moment.
    pub fn end(&self, band: &Band) -> u64 {
        let pools = self.index.pools();
        let figure = pools.get(band.pool.0 as usize).filter(|pool| pool.role == crate::plan::PoolRole::Figure);
        let now = self.frame.pools.get(band.pool.0 as usize).map_or(0, |pool| pool.end);
        figure.map_or(now, |pool| pool.end)
    }

    /// Left and right edge of the life of this frame's buffer.
    pub fn column(&self) -> Option<(f64, f64)> {
        let live = self.focus_live.filter(|live| !live.is_empty())?;
        let x = |step: u32| self.projection.snap(self.projection.step_to_x(step as f64));
        Some((x(live.start), x(live.end)))
    }

    pub fn say(&self, message: &Message) -> String {
        self.style.speech.say(message)
    }

    pub fn word(&self, key: &'static str) -> String {
        self.style.speech.word(key)
    }

    /// Names and numbers.
    pub fn name(&self, words: String, at: Point, anchor: Anchor, size: f64) -> Text {
        Text { at, anchor, size: self.style.font(size), bold: false, words, halo: None }
    }

    /// Words of the interface.
    pub fn words(&self, words: String, at: Point, anchor: Anchor, size: f64) -> Text {
        Text { at, anchor, size: self.style.words(size), bold: false, words, halo: None }
    }
}
