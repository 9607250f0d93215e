//! The cursor on the axis of steps, and the tab that is shown when the user chose none.
//!
//! When a network opens, and at the end of a run, the cursor is set to the step of the largest
//! load. Stepping removes it.

use crate::open::state::document::{Job, Origin};
use crate::open::state::examples::examples;
use crate::shell::state::State;
use crate::shell::state::action::ViewAction;
use crate::shell::state::look::Switch;
use crate::shell::state::panels::{Mode, Tab};
use memplan_core::problem::Fullest;
use memplan_engine::is_own;
use memplan_replay::{Level, Run};

/// What a document shows when it opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// The first placement: an example to learn from.
    Start,
    /// The end of the run, with the reason of the last placement.
    End,
    /// The end of the run, with the cursor at the largest load.
    Peak,
}

impl First {
    /// What a document of this origin shows unless a link asks for something else.
    pub(crate) fn of(origin: &Origin) -> First {
        let Origin::Example(name) = origin else { return First::Peak };
        match examples().iter().find(|example| example.name == *name).map(|example| example.group.as_str()) {
            Some("tiny") => First::Start,
            Some("networks" | "training") => First::Peak,
            // What a page holds that is one HTML file.
            None if !name.contains('/') => First::Peak,
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
        self.view.panels.tab.filter(|tab| *tab != Tab::Code || self.has_code()).unwrap_or(self.fitting_tab())
    }

    /// The tabs of the right panel.
    pub fn right_tabs(&self) -> &'static [Tab] {
        if self.has_code() { &Tab::RIGHT_WITH_CODE } else { &Tab::RIGHT }
    }

    /// The tab of the right panel, which has fewer of them.
    pub fn right_tab(&self) -> Tab {
        self.view.panels.tab.filter(|tab| self.right_tabs().contains(tab)).unwrap_or(self.fitting_tab())
    }

    /// The tab of the right panel that a link has to name.
    pub(crate) fn chosen_panel(&self) -> Option<Tab> {
        let chosen = self.view.panels.tab;
        let chosen = chosen.filter(|tab| self.right_tabs().contains(tab) && *tab != self.fitting_tab());
        match &self.own.link {
            Some(link) => link.panel.or(chosen),
            // Who agrees to a program looks at it, unless the link names another panel.
            None if is_own(&self.document.planner) => Some(self.right_tab()),
            None => chosen,
        }
    }

    fn fitting_tab(&self) -> Tab {
        if self.stepping.step.is_some() { Tab::Peak } else { Tab::Why }
    }

    /// Sets or removes the cursor if an action of the view requires it: *Why* and *State* show a
    /// decision, without a cursor; *Peak* and the slice need one. Returns true if the action is
    /// done with that.
    pub(crate) fn cursor_follows(&mut self, action: &ViewAction) -> bool {
        match action {
            // Without a cursor the plan highlights the decision that the tab explains.
            ViewAction::RightTab(Tab::Why | Tab::State | Tab::Code) => self.stepping.step = None,
            ViewAction::RightTab(Tab::Peak) if self.stepping.step.is_none() => self.go_to_fullest(false),
            // The slice is shown only with a cursor, so this press is meant to show it.
            ViewAction::Switch(Switch::Slice) if self.stepping.step.is_none() => {
                self.view.look.slice = true;
                self.go_to_fullest(false);
                return true;
            }
            _ => {}
        }
        false
    }

    pub(crate) fn move_cursor(&mut self, step: Option<u32>) {
        let last = self.document.run.as_ref().map_or(0, |run| run.problem.steps.saturating_sub(1));
        self.stepping.step = step.map(|step| step.min(last));
        self.stepping.lane = None;
        self.stepping.playing = false;
    }

    pub(crate) fn go_to_fullest(&mut self, next: bool) {
        let fullest = self.document.run.as_ref().map(|run| Fullest::new(run.reached()));
        let from = self.stepping.step.filter(|_| next);
        let found = fullest.and_then(|fullest| from.map_or(fullest.step(), |step| fullest.next(step)));
        if found.is_some() {
            self.move_cursor(found);
        }
    }

    /// Sets the cursor to the step of the largest load, unless the user chose a tab about
    /// decisions, or the page is embedded and so has no panel that explains the cursor.
    pub(crate) fn show_peak(&mut self) {
        let wants_decisions = matches!(self.view.panels.tab, Some(Tab::Why | Tab::State | Tab::Code));
        if self.settings.embed.is_none() && !wants_decisions {
            self.go_to_fullest(false);
        }
    }

    /// Goes to the frame that a new plan begins with: that of the link, else that of the buffer
    /// placed last before, else the first or the last one. `kept` is the number of events after
    /// which that buffer is placed in the new run; `None` if the run before was at its end. Returns
    /// what to show beside the frame, if anything.
    pub(crate) fn begin_at(&mut self, job: &Job, run: &Run, kept: Option<u32>) -> Option<First> {
        let events = |level: Level, frame: u32| run.timeline.events_at(level, frame);
        let is_new = job.draft.is_none() && (!job.same_document || job.place.is_some());
        let frame = job.place.as_ref().and_then(|place| place.frame);
        let (cursor, first) = match (frame, kept) {
            (Some(frame), _) => (events(self.stepping.level, frame), None),
            (None, _) if is_new && First::of(&job.origin) == First::Start => (events(Level::Decisions, 1), None),
            (None, Some(events)) => (events, None),
            (None, None) if is_new => (events(self.stepping.level, u32::MAX), Some(First::of(&job.origin))),
            // Another planner was chosen at the end of a run, or the graph was edited, which keeps
            // the cursor only if it was on.
            (None, None) => {
                let looks = job.draft.is_none() || self.stepping.step.is_some();
                (events(self.stepping.level, u32::MAX), looks.then_some(First::Peak))
            }
        };
        self.stepping.cursor = cursor;
        first
    }
}
