//! One frame under one view: what every part of the picture is drawn from.

use super::geometry::{Point, Rect, Size};
use super::index::Index;
use super::mark::{Anchor, Text};
use super::projection::{Band, Projection};
use super::style::Style;
use super::view::View;
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Live};
use memplan_replay::{Frame, Run};

/// One frame of a run, as a view shows it on a panel.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// The run that is shown.
    pub run: &'a Run,
    /// Facts of the run that hold for all its frames.
    pub index: &'a Index,
    /// The moment that is shown.
    pub frame: &'a Frame,
    /// The steps and addresses that are shown.
    pub view: &'a View,
    /// Width and height of the panel, in px.
    pub size: Size,
    /// What the reader has switched on.
    pub style: &'a Style,
}

impl<'a> Picture<'a> {
    /// Puts the parts together.
    pub fn new(
        run: &'a Run,
        index: &'a Index,
        frame: &'a Frame,
        view: &'a View,
        size: Size,
        style: &'a Style,
    ) -> Picture<'a> {
        Picture { run, index, frame, view, size, style }
    }
}

/// A run, one of its frames, and where its steps and addresses lie on the panel.
pub struct Drawing<'a> {
    /// The run that is shown.
    pub run: &'a Run,
    /// Facts of the run that hold for all its frames.
    pub index: &'a Index,
    /// The moment that is shown.
    pub frame: &'a Frame,
    /// What the reader has switched on.
    pub style: &'a Style,
    /// Where steps and addresses lie.
    pub projection: Projection,
    /// The live range of the buffer that this frame places; of a frame that places none, the step
    /// chosen instead.
    pub focus_live: Option<Live>,
}

impl<'a> Drawing<'a> {
    /// Works out where the steps and addresses of a picture lie.
    pub fn new(picture: Picture<'a>) -> Drawing<'a> {
        let Picture { run, index, frame, view, size, style } = picture;
        // A decision is drawn where its buffer lives, whatever step the reader looks at.
        let at_step = style.at_step.map(|step| Live { start: step, end: step.saturating_add(1) });
        let focus_live = frame.focus.map(|focus| run.problem.buffers[focus].live).or(at_step);
        Drawing { run, index, frame, style, projection: Projection::new(index, view, size, style), focus_live }
    }

    /// Returns the box of a placed buffer, with its edges on device pixels; none for one without
    /// place or size.
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

    /// Returns true if a buffer lies in a pool that is folded into its header, or is hidden with
    /// its class.
    pub fn is_unseen(&self, id: BufferId) -> bool {
        let band = self.frame.places[id].and_then(|place| self.projection.band(place.pool));
        band.is_some_and(|band| band.is_folded) || self.style.filter.hides(self.class(id))
    }

    /// Returns the box of `bytes` bytes from `offset` over a live range, with its edges on device
    /// pixels.
    pub fn region(&self, band: &Band, live: Live, offset: u64, bytes: u64) -> Rect {
        self.projection.snapped(self.projection.exact(band, live, offset, bytes))
    }

    /// Returns the end of a pool at this moment, in bytes.
    pub fn end(&self, band: &Band) -> u64 {
        let pools = self.index.pools();
        let figure = pools.get(band.pool.0 as usize).filter(|pool| pool.role == memplan_core::plan::PoolRole::Figure);
        let now = self.frame.pools.get(band.pool.0 as usize).map_or(0, |pool| pool.end);
        figure.map_or(now, |pool| pool.end)
    }

    /// Returns the left and right edge of the live range of this frame's buffer.
    pub fn column(&self) -> Option<(f64, f64)> {
        let live = self.focus_live.filter(|live| !live.is_empty())?;
        let x = |step: u32| self.projection.snap(self.projection.step_to_x(step as f64));
        Some((x(live.start), x(live.end)))
    }

    /// Returns a message as a sentence of the interface.
    pub fn say(&self, message: &Message) -> String {
        self.style.speech.say(message)
    }

    /// Returns a word of the interface by its key.
    pub fn word(&self, key: &'static str) -> String {
        self.style.speech.word(key)
    }

    /// Sets names and numbers: their font size follows the text scale.
    pub fn name(&self, words: String, at: Point, anchor: Anchor, size: f64) -> Text {
        Text { at, anchor, size: self.style.font(size), bold: false, words, halo: None, on_end: false }
    }

    /// Sets words of the interface: as [`Drawing::name`], but Chinese is never smaller than 12 px.
    pub fn words(&self, words: String, at: Point, anchor: Anchor, size: f64) -> Text {
        Text { at, anchor, size: self.style.words(size), bold: false, words, halo: None, on_end: false }
    }
}
