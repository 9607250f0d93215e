//! Going through a run.

pub mod action;
pub mod breakpoints;
pub mod link_keys;
pub mod offering;
pub mod peak;
pub mod predict_action;
pub mod predicted;
pub mod predicting;
pub mod sensitivity;
pub mod speeds;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::shell::state::State;
use crate::shell::state::action::{Motion, StepAction};
use crate::shell::state::look::LaneShown;
use crate::shell::state::panels::Mode;
use crate::step::state::breakpoints::{Breaks, Wanted};
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Shared};
use memplan_core::trace::TreeNodeId;
use memplan_replay::{Level, Run, is_fresh};

/// How what is alive at the largest load is grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PeakBy {
    /// By the modules of the network.
    #[default]
    Module,
    /// By the lines of the program.
    Line,
    /// By what training holds it for.
    Class,
}

impl PeakBy {
    /// Key of its word.
    pub const fn key(self) -> &'static str {
        match self {
            PeakBy::Module => "peak.by.module",
            PeakBy::Line => "peak.by.line",
            PeakBy::Class => "peak.by.class",
        }
    }
}

/// A group of the panel *Peak* that is open: its buffers are outlined on the plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Outlined {
    /// What they have in common.
    pub shared: Shared,
    /// The buffers.
    pub buffers: Rc<Vec<BufferId>>,
}

/// Where the reader stands in the run, and what is pointed out there.
#[derive(Clone, PartialEq, Debug)]
pub struct Stepping {
    /// What a frame is.
    pub level: Level,
    /// Number of events applied.
    pub cursor: u32,
    /// The selected buffer.
    pub selection: Option<BufferId>,
    /// Candidate pointed at in the Why table.
    pub candidate: Option<u32>,
    /// The selected node of the tree.
    pub node: Option<TreeNodeId>,
    /// Step of the cursor; none while the run is gone through.
    pub step: Option<u32>,
    /// The state of a beam shown on the plan until the next step.
    pub lane: Option<LaneShown>,
    /// Whether the run is played.
    pub playing: bool,
    /// Frames per 700 ms.
    pub speed: f64,
    /// What is looked for.
    pub wanted: Wanted,
    /// What stops play.
    pub breaks: Breaks,
    /// How the panel *Peak* groups what is alive.
    pub peak_by: PeakBy,
    /// The group of it that is open.
    pub outlined: Option<Outlined>,
}

impl Default for Stepping {
    fn default() -> Self {
        Stepping {
            level: Level::Decisions,
            cursor: 0,
            selection: None,
            candidate: None,
            node: None,
            step: None,
            lane: None,
            playing: false,
            speed: 1.0,
            wanted: Wanted::Growth,
            breaks: Breaks::default(),
            peak_by: PeakBy::default(),
            outlined: None,
        }
    }
}

impl State {
    pub(crate) fn on_step(&mut self, action: StepAction) {
        let before = self.stepping.cursor;
        let by_hand = matches!(
            action,
            StepAction::Move(_) | StepAction::Seek(_) | StepAction::SeekBuffer(_) | StepAction::RunTo { .. }
        );
        if by_hand || matches!(action, StepAction::Select(_) | StepAction::Play(_) | StepAction::Level(_)) {
            self.touched();
        }
        self.step(action);
        if by_hand {
            self.learning.gliding = false;
            self.count_steps(before);
        }
    }

    fn step(&mut self, action: StepAction) {
        match action {
            StepAction::Move(motion) => self.go(motion),
            StepAction::Seek(frame) => self.seek(frame),
            StepAction::SeekBuffer(buffer) => {
                let Some(buffer) = self.known(buffer) else { return };
                if let Some(run) = &self.document.run
                    && let Some(decision) = run.timeline.decision_of(buffer)
                {
                    self.stepping.cursor = run.timeline.decisions[decision].end;
                    self.moved();
                }
                self.stepping.selection = Some(buffer);
            }
            StepAction::Level(level) => {
                // The moment stays; only its number is another.
                self.stepping.level = level;
            }
            StepAction::Play(playing) => self.play(playing),
            StepAction::Tick => {
                if !self.glide() {
                    self.tick();
                }
            }
            StepAction::Speed(speed) => self.stepping.speed = speed,
            StepAction::Wanted(wanted) => self.stepping.wanted = wanted,
            StepAction::Targets(targets) => self.stepping.breaks.targets = targets,
            StepAction::RunTo { forward } => match self.find(self.stepping.wanted, forward) {
                Some(frame) => self.seek(frame),
                None => self.view.confirm(Message::new("toast.not-found")),
            },
            StepAction::BreakHere => self.toggle_break(),
            StepAction::BreakOn(wanted) => {
                if !self.stepping.breaks.kinds.remove(&wanted) {
                    self.stepping.breaks.kinds.insert(wanted);
                }
            }
            StepAction::ClearBreaks => {
                self.stepping.breaks = Breaks { targets: self.stepping.breaks.targets, ..Breaks::default() }
            }
            StepAction::Select(selection) => {
                self.stepping.selection = selection.and_then(|buffer| self.known(buffer));
                self.stepping.node = None;
            }
            StepAction::Point(candidate) => self.stepping.candidate = candidate,
            StepAction::Node(node) => self.stepping.node = node,
            StepAction::Cursor(step) => self.move_cursor(step),
            StepAction::Fullest { next } => self.go_to_fullest(next),
            StepAction::PeakBy(by) => {
                self.stepping.peak_by = by;
                self.stepping.outlined = None;
            }
            StepAction::Outline(outlined) => self.stepping.outlined = outlined,
            StepAction::AskSensitivity(buffers) => self.ask_sensitivity(buffers),
            StepAction::Lane(lane) => {
                self.stepping.step = None;
                self.stepping.lane = lane;
                self.stepping.playing = false;
            }
        }
    }

    /// A buffer that the run has: what was drawn of another run may still ask for one of that.
    fn known(&self, buffer: BufferId) -> Option<BufferId> {
        self.document.run.as_ref()?.problem.buffers.get(buffer).map(|_| buffer)
    }

    /// Frame number at the present level.
    pub fn frame(&self) -> u32 {
        self.document.run.as_ref().map_or(0, |run| run.timeline.frame_at(self.stepping.level, self.stepping.cursor))
    }

    /// Number of frames at the present level.
    pub fn frames(&self) -> u32 {
        self.document.run.as_ref().map_or(1, |run| run.timeline.frames(self.stepping.level).max(1))
    }

    /// Number of events applied one frame earlier; none at the first frame.
    pub fn cursor_before(&self) -> Option<u32> {
        let run = self.document.run.as_ref()?;
        Some(run.timeline.events_at(self.stepping.level, self.frame().checked_sub(1)?))
    }

    /// Whether the cursor stands at the last event.
    pub fn at_end(&self) -> bool {
        self.frame() + 1 >= self.frames()
    }

    /// The nearest frame after (before) the present one at which what is wanted happens, as a frame
    /// number.
    pub fn find(&self, wanted: Wanted, forward: bool) -> Option<u32> {
        let run = self.document.run.as_ref()?;
        let here = run.timeline.frame_at(Level::Decisions, self.stepping.cursor) as i64;
        let decisions = &run.timeline.decisions;
        let happens = |index: i64| self.happens(run, wanted, index as usize - 1);
        let found = if forward {
            (here + 1..=decisions.len() as i64).find(|&frame| happens(frame))
        } else {
            (1..here).rev().find(|&frame| happens(frame))
        };
        let frame = found?;
        Some(run.timeline.frame_at(self.stepping.level, decisions[frame as usize - 1].end))
    }

    /// Whether a decision is of the wanted kind.
    pub(crate) fn happens(&self, run: &Run, wanted: Wanted, decision: usize) -> bool {
        let facts = &run.timeline.decisions[decision];
        match wanted {
            Wanted::Growth => facts.grew,
            Wanted::NewPool => facts.opens_pool(),
            Wanted::Fresh => is_fresh(run, decision),
            Wanted::Rejected => run.rejected(decision),
            Wanted::Selection => Some(facts.buffer) == self.stepping.selection,
            Wanted::Address => run.lies_on(facts.buffer, self.stepping.breaks.targets.address),
            Wanted::Step => run.problem.buffers[facts.buffer].live.contains(self.stepping.breaks.targets.step),
            Wanted::Node => self.stepping.node.is_some_and(|node| run.touches(decision, node)),
        }
    }

    /// How many decisions are of a kind.
    pub fn count(&self, wanted: Wanted) -> usize {
        let Some(run) = &self.document.run else { return 0 };
        (0..run.timeline.decisions.len()).filter(|&decision| self.happens(run, wanted, decision)).count()
    }

    pub(crate) fn breaks_at(&self, run: &Run, cursor: u32) -> bool {
        let frame = run.timeline.frame_at(Level::Decisions, cursor);
        let Some(decision) = frame.checked_sub(1) else { return false };
        let settled = run.timeline.decisions[decision as usize].end == cursor;
        let kinds = self.stepping.breaks.kinds.iter().any(|&kind| self.happens(run, kind, decision as usize));
        settled && (kinds || self.stepping.breaks.decisions.contains(&decision))
    }

    pub(crate) fn go(&mut self, motion: Motion) {
        let Some(run) = self.document.run.clone() else { return };
        let (frame, last) = (self.frame(), self.frames() - 1);
        let buffers = run.timeline.frame_at(Level::Decisions, self.stepping.cursor);
        match motion {
            Motion::First => self.seek(0),
            Motion::Last => {
                self.seek(last);
                self.show_peak();
            }
            Motion::Previous => self.seek(frame.saturating_sub(1)),
            Motion::Next => self.seek((frame + 1).min(last)),
            Motion::PreviousBuffer | Motion::NextBuffer => {
                let frame = if motion == Motion::NextBuffer { buffers + 1 } else { buffers.saturating_sub(1) };
                let events = run.timeline.events_at(Level::Decisions, frame);
                self.seek(run.timeline.frame_at(self.stepping.level, events));
            }
        }
    }

    pub(crate) fn seek(&mut self, frame: u32) {
        if let Some(run) = &self.document.run {
            self.stepping.cursor = run.timeline.events_at(self.stepping.level, frame);
            self.moved();
        }
    }

    pub(crate) fn moved(&mut self) {
        self.stepping.candidate = None;
        self.stepping.step = None;
        self.stepping.lane = None;
    }

    /// Whether the columns of the comparison are stepped: an audience sees the plan alone, whatever
    /// the mode.
    pub(crate) fn steps_columns(&self) -> bool {
        self.view.mode == Mode::Compare && self.presenting().is_none()
    }

    /// Plays, or pauses; at the end, play begins at the first frame.
    fn play(&mut self, playing: bool) {
        if self.steps_columns() {
            if playing && self.comparing.is_finished() {
                self.comparing.go_to(Some(0));
            }
            self.stepping.playing = playing && self.comparing.reference().is_some();
            return;
        }
        if playing && self.at_end() {
            self.seek(0);
        }
        self.stepping.playing = playing && self.document.run.is_some();
    }

    /// Another number for every moment of what is played.
    pub fn playhead(&self) -> u32 {
        if self.steps_columns() { self.comparing.playhead() } else { self.stepping.cursor }
    }

    pub(crate) fn tick(&mut self) {
        if self.steps_columns() {
            if self.stepping.playing {
                self.comparing.go_on(1);
                self.stepping.playing = !self.comparing.is_finished();
            }
            return;
        }
        let Some(run) = self.document.run.clone().filter(|_| self.stepping.playing) else { return };
        if let Some((first, last)) = self.settings.embed.and_then(|embed| embed.lap)
            && (self.at_end() || self.frame() >= last)
        {
            return self.seek(first);
        }
        self.go(Motion::Next);
        let laps = self.settings.embed.is_some_and(|embed| embed.lap.is_some());
        if self.at_end() && !laps || self.breaks_at(&run, self.stepping.cursor) {
            self.stepping.playing = false;
        }
    }

    pub(crate) fn toggle_break(&mut self) {
        let Some(run) = &self.document.run else { return };
        let Some(decision) = run.timeline.decision_at(self.stepping.cursor) else { return };
        if !self.stepping.breaks.decisions.remove(&(decision as u32)) {
            self.stepping.breaks.decisions.insert(decision as u32);
        }
    }
}
