//! The cursor on the axis of steps, and the tab that fits what is done.
//!
//! The cursor stands at the step of the largest load when a network opens and at the end of a run. Stepping takes it away.

use crate::app::model::document::{Job, Origin};
use crate::app::model::examples::examples;
use crate::app::model::look::Switch;
use crate::app::model::panels::{Mode, Tab};
use crate::app::state::State;
use crate::app::state::action::ViewAction;
use crate::problem::Fullest;
use crate::replay::{Level, Run};

/// What a document shows when it opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum First {
    /// The first placement: an example to learn from.
    Start,
    /// The end of the run, with the reason of the last placement.
    End,
    /// The end of the run, with the cursor at the largest load.
    Peak,
}

impl First {
    /// What a document of this origin shows unless a link says otherwise.
    pub(super) fn of(origin: &Origin) -> First {
        let Origin::Example(name) = origin else { return First::Peak };
        match examples().iter().find(|example| example.name == *name).map(|example| example.group.as_str()) {
            Some("tiny") => First::Start,
            Some("networks" | "training") => First::Peak,
            _ => First::End,
        }
    }
}

impl State {
    /// The step of the cursor on the plan, where the page shows one.
    pub fn shown_step(&self) -> Option<u32> {
        let has_cursor = matches!(self.view.mode, Mode::Step | Mode::Learn);
        // What a presented lesson asks about a step needs that step to be seen.
        let is_presented = self.presenting().is_some() && self.presented_lesson().is_none();
        self.stepping.step.filter(|_| has_cursor && self.stepping.lane.is_none() && !is_presented)
    }

    /// The tab of the drawer: the one that was chosen, else the one that fits what is done.
    pub fn tab(&self) -> Tab {
        self.view.panels.tab.unwrap_or(self.fitting_tab())
    }

    /// The tab of the right panel, which has fewer of them.
    pub fn right_tab(&self) -> Tab {
        self.view.panels.tab.filter(|tab| Tab::RIGHT.contains(tab)).unwrap_or(self.fitting_tab())
    }

    /// The tab of the right panel that a link has to name.
    pub(super) fn chosen_panel(&self) -> Option<Tab> {
        self.view.panels.tab.filter(|tab| Tab::RIGHT.contains(tab) && *tab != self.fitting_tab())
    }

    fn fitting_tab(&self) -> Tab {
        if self.stepping.step.is_some() { Tab::Peak } else { Tab::Why }
    }

    /// Moves the cursor, or takes it away, where that belongs to what the reader wants to see; true if nothing is left to do.
    pub(super) fn cursor_follows(&mut self, action: &ViewAction) -> bool {
        match action {
            // The decision is drawn where its reason is read.
            ViewAction::RightTab(Tab::Why | Tab::State) => self.stepping.step = None,
            ViewAction::RightTab(Tab::Peak) if self.stepping.step.is_none() => self.go_to_fullest(false),
            // Without a cursor there is no slice to switch off.
            ViewAction::Switch(Switch::Slice) if self.stepping.step.is_none() => {
                self.view.look.slice = true;
                self.go_to_fullest(false);
                return true;
            }
            _ => {}
        }
        false
    }

    pub(super) fn move_cursor(&mut self, step: Option<u32>) {
        let last = self.document.run.as_ref().map_or(0, |run| run.problem.steps.saturating_sub(1));
        self.stepping.step = step.map(|step| step.min(last));
        self.stepping.lane = None;
        self.stepping.playing = false;
    }

    pub(super) fn go_to_fullest(&mut self, next: bool) {
        let fullest = self.document.run.as_ref().map(|run| Fullest::new(&run.problem));
        let from = self.stepping.step.filter(|_| next);
        let found = fullest.and_then(|fullest| from.map_or(fullest.step(), |step| fullest.next(step)));
        if found.is_some() {
            self.move_cursor(found);
        }
    }

    /// Puts the cursor to the largest load, unless the reader wants to see decisions or there is no panel that says what it is.
    pub(super) fn show_peak(&mut self) {
        let wants_decisions = matches!(self.view.panels.tab, Some(Tab::Why | Tab::State));
        if self.settings.embed.is_none() && !wants_decisions {
            self.go_to_fullest(false);
        }
    }

    /// Stands where a new plan is to be seen. `kept` is the number of events after which the same buffer has its place as
    /// before, if the run was not at its end.
    pub(super) fn begin_at(&mut self, job: &Job, run: &Run, kept: Option<u32>) -> Option<First> {
        let events = |level: Level, frame: u32| run.timeline.events_at(level, frame);
        let is_new = job.draft.is_none() && (!job.same_document || job.place.is_some());
        let frame = job.place.as_ref().and_then(|place| place.frame);
        let (cursor, first) = match (frame, kept) {
            (Some(frame), _) => (events(self.stepping.level, frame), None),
            (None, _) if is_new && First::of(&job.origin) == First::Start => (events(Level::Decisions, 1), None),
            (None, Some(events)) => (events, None),
            (None, None) if is_new => (events(self.stepping.level, u32::MAX), Some(First::of(&job.origin))),
            // Another planner at the end of the run; an edited graph stays as it was looked at.
            (None, None) => {
                let looks = job.draft.is_none() || self.stepping.step.is_some();
                (events(self.stepping.level, u32::MAX), looks.then_some(First::Peak))
            }
        };
        self.stepping.cursor = cursor;
        first
    }
}
