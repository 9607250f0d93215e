//! Going through a run.

use crate::app::model::breakpoints::Wanted;
use crate::app::state::State;
use crate::app::state::action::Motion;
use crate::replay::{Level, Run, is_fresh};

impl State {
    /// Frame number at the present level.
    pub fn frame(&self) -> u32 {
        self.run.as_ref().map_or(0, |run| run.timeline.frame_at(self.level, self.cursor))
    }

    /// Number of frames at the present level.
    pub fn frames(&self) -> u32 {
        self.run.as_ref().map_or(1, |run| run.timeline.frames(self.level).max(1))
    }

    /// Number of events applied one frame earlier; none at the first frame.
    pub fn cursor_before(&self) -> Option<u32> {
        let run = self.run.as_ref()?;
        Some(run.timeline.events_at(self.level, self.frame().checked_sub(1)?))
    }

    /// Whether the cursor stands at the last event.
    pub fn at_end(&self) -> bool {
        self.frame() + 1 >= self.frames()
    }

    /// The nearest frame after (before) the present one at which what is wanted happens, as a frame number.
    pub fn find(&self, wanted: Wanted, forward: bool) -> Option<u32> {
        let run = self.run.as_ref()?;
        let here = run.timeline.frame_at(Level::Decisions, self.cursor) as i64;
        let decisions = &run.timeline.decisions;
        let happens = |index: i64| self.happens(run, wanted, index as usize - 1);
        let found = if forward {
            (here + 1..=decisions.len() as i64).find(|&frame| happens(frame))
        } else {
            (1..here).rev().find(|&frame| happens(frame))
        };
        let frame = found?;
        Some(run.timeline.frame_at(self.level, decisions[frame as usize - 1].end))
    }

    /// Whether a decision is of the wanted kind.
    pub(super) fn happens(&self, run: &Run, wanted: Wanted, decision: usize) -> bool {
        let facts = &run.timeline.decisions[decision];
        match wanted {
            Wanted::Growth => facts.grew,
            Wanted::NewPool => facts.outcome == crate::trace::Outcome::NewPool,
            Wanted::Fresh => is_fresh(run, decision),
            Wanted::Rejected => run.rejected(decision),
            Wanted::Selection => Some(facts.buffer) == self.selection,
            Wanted::Address => run.lies_on(facts.buffer, self.breaks.targets.address),
            Wanted::Step => run.problem.buffers[facts.buffer].live.contains(self.breaks.targets.step),
            Wanted::Node => self.node.is_some_and(|node| run.touches(decision, node)),
        }
    }

    /// How many decisions are of a kind.
    pub fn count(&self, wanted: Wanted) -> usize {
        let Some(run) = &self.run else { return 0 };
        (0..run.timeline.decisions.len()).filter(|&decision| self.happens(run, wanted, decision)).count()
    }

    pub(super) fn breaks_at(&self, run: &Run, cursor: u32) -> bool {
        let frame = run.timeline.frame_at(Level::Decisions, cursor);
        let Some(decision) = frame.checked_sub(1) else { return false };
        let settled = run.timeline.decisions[decision as usize].end == cursor;
        let kinds = self.breaks.kinds.iter().any(|&kind| self.happens(run, kind, decision as usize));
        settled && (kinds || self.breaks.decisions.contains(&decision))
    }

    pub(super) fn go(&mut self, motion: Motion) {
        let Some(run) = self.run.clone() else { return };
        let (frame, last) = (self.frame(), self.frames() - 1);
        let buffers = run.timeline.frame_at(Level::Decisions, self.cursor);
        match motion {
            Motion::First => self.seek(0),
            Motion::Last => self.seek(last),
            Motion::Previous => self.seek(frame.saturating_sub(1)),
            Motion::Next => self.seek((frame + 1).min(last)),
            Motion::PreviousBuffer | Motion::NextBuffer => {
                let frame = if motion == Motion::NextBuffer { buffers + 1 } else { buffers.saturating_sub(1) };
                let events = run.timeline.events_at(Level::Decisions, frame);
                self.seek(run.timeline.frame_at(self.level, events));
            }
        }
    }

    pub(super) fn seek(&mut self, frame: u32) {
        if let Some(run) = &self.run {
            self.cursor = run.timeline.events_at(self.level, frame);
            self.moved();
        }
    }

    pub(super) fn moved(&mut self) {
        self.candidate = None;
        self.lane = None;
    }

    pub(super) fn tick(&mut self) {
        let Some(run) = self.run.clone().filter(|_| self.playing) else { return };
        if let Some((first, last)) = self.embed.and_then(|embed| embed.lap)
            && (self.at_end() || self.frame() >= last)
        {
            return self.seek(first);
        }
        self.go(Motion::Next);
        let laps = self.embed.is_some_and(|embed| embed.lap.is_some());
        if self.at_end() && !laps || self.breaks_at(&run, self.cursor) {
            self.playing = false;
        }
    }

    pub(super) fn toggle_break(&mut self) {
        let Some(run) = &self.run else { return };
        let Some(decision) = run.timeline.decision_at(self.cursor) else { return };
        if !self.breaks.decisions.remove(&(decision as u32)) {
            self.breaks.decisions.insert(decision as u32);
        }
    }
}
