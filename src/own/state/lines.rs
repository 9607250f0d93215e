//! The statements that lead to the place of a buffer, and which of them is looked at.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::document::Document;
use crate::shell::state::State;
use crate::shell::state::action::{Motion, StepAction};
use crate::shell::state::panels::{Mode, Tab};
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_engine::{CodeOf, Followed, OwnTask, is_own};
use memplan_planners as planner;
use memplan_replay::{Frame, Level, Run};
use memplan_teach::choices::has_program;

/// The statements of one decision.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    /// What is known, or why it is not.
    found: Option<Rc<Found>>,
    /// Position of the statement that is looked at; none: the last one.
    pub at: Option<usize>,
    /// Whether steps go through statements before they go through frames.
    pub by_line: bool,
}

#[derive(Clone, PartialEq, Debug)]
struct Found {
    of: FollowedFor,
    result: Result<Followed, Message>,
}

/// What statements belong to.
#[derive(Clone, PartialEq, Debug)]
struct FollowedFor {
    code: CodeOf,
    options: BTreeMap<String, String>,
    document: u32,
    scope: Scope,
    /// None before the first decision, when `order` runs.
    buffer: Option<BufferId>,
}

/// The frame of a moment.
pub fn frame_of(run: &Run, (cursor, looked): &(u32, Option<Vec<(u64, u64)>>)) -> Frame {
    match looked.as_ref().zip(run.timeline.decision_at(*cursor)) {
        Some((looked, decision)) => run.while_deciding(decision, looked),
        None => run.frame(*cursor),
    }
}

impl State {
    /// Whose program decided what is shown; none of a planner that has none.
    pub fn code_of_plan(&self) -> Option<CodeOf> {
        let run = self.document.run.as_ref()?;
        if is_own(&run.planner) {
            return self.own.version(&run.planner).cloned().map(CodeOf::Own);
        }
        let info = planner::info(&run.planner)?;
        let given = self.document.shown.as_ref().map_or(&self.document.options, |job| &job.options);
        let options = info.options(given.iter().map(|(key, value)| (key.as_str(), value.as_str()))).ok()?;
        let changed: Vec<(&str, &str)> = options.changed(info).collect();
        has_program(info.id, &changed).then(|| CodeOf::Classic(info.id.to_string()))
    }

    /// Whether there is a panel *Code*.
    pub fn has_code(&self) -> bool {
        let is_asked = self.predicting.on || self.teaching.assigned.is_some();
        // A page that is one HTML file does not hold what runs programs.
        !is_asked && !self.settings.one_file && (self.own.open || self.code_of_plan().is_some())
    }

    /// Whether the panel *Code* is in sight.
    pub fn shows_code(&self) -> bool {
        let panels = &self.view.panels;
        self.view.mode == Mode::Step
            && panels.tab == Some(Tab::Code)
            && panels.right
            && panels.drawer
            && self.has_code()
    }

    /// The buffer of the shown decision.
    fn buffer_here(&self) -> Option<BufferId> {
        let run = self.document.run.as_ref()?;
        Some(run.timeline.decisions[run.timeline.decision_at(self.stepping.cursor)?].buffer)
    }

    fn to_follow(&self, document: &Document) -> Option<FollowedFor> {
        let (code, buffer) = (self.code_of_plan()?, self.buffer_here());
        let options = self.document.shown.as_ref().map(|job| job.options.clone()).unwrap_or_default();
        Some(FollowedFor { code, options, document: document.key, scope: self.document.scope.clone(), buffer })
    }

    pub(super) fn lines_want(&self, document: &Document) -> Option<OwnTask> {
        if !self.shows_code() || self.stepping.playing || self.shows_before() {
            return None;
        }
        let of = self.to_follow(document)?;
        let is_known = self.own.lines.found.as_ref().is_some_and(|found| found.of == of);
        let FollowedFor { code, options, buffer, .. } = of;
        (!is_known).then_some(OwnTask::Statements { of: code, options, buffer })
    }

    pub(super) fn take_lines(&mut self, task: &OwnTask, result: Result<Followed, Message>) {
        let of = self.document.open.clone().and_then(|document| self.to_follow(&document));
        let is_of = |of: &FollowedFor| matches!(task, OwnTask::Statements { buffer, .. } if *buffer == of.buffer);
        let Some(of) = of.filter(is_of) else { return };
        if !self.own.lines.by_line {
            self.own.lines.at = None;
        }
        self.own.lines.found = Some(Rc::new(Found { of, result }));
    }

    pub(super) fn give_up_lines(&mut self, why: &Message) {
        let of = self.document.open.clone().and_then(|document| self.to_follow(&document));
        let is_known = |of: &FollowedFor| self.own.lines.found.as_ref().is_some_and(|found| found.of == *of);
        if let Some(of) = of.filter(|of| !is_known(of)) {
            self.own.lines.found = Some(Rc::new(Found { of, result: Err(why.clone()) }));
        }
    }

    /// The text of the program of the plan shown, whatever decision it was last looked at for.
    pub fn code_shown(&self) -> Option<Rc<str>> {
        let of = self.code_of_plan()?;
        match &of {
            CodeOf::Own(program) => Some(program.code.as_str().into()),
            CodeOf::Classic(_) => {
                let found = self.own.lines.found.as_ref().filter(|found| found.of.code == of)?;
                Some(found.result.as_ref().ok()?.code.as_str().into())
            }
        }
    }

    /// The statements of the shown decision, and the position of the one that is looked at.
    pub fn lines_here(&self) -> Option<(&Followed, usize)> {
        let of = self.to_follow(self.document.open.as_ref()?)?;
        let found = self.own.lines.found.as_ref().filter(|found| found.of == of)?;
        let followed = found.result.as_ref().ok()?;
        let last = followed.statements.kept.len().checked_sub(1)?;
        Some((followed, self.own.lines.at.unwrap_or(last).min(last)))
    }

    /// What the shown decision has looked at before the statement that is looked at: nothing is
    /// placed then. None if that is the last one, which leads to the place, or if none is looked
    /// at.
    fn looked_here(&self) -> Option<Vec<(u64, u64)>> {
        let at = self.own.lines.at.filter(|_| self.shows_code() && !self.stepping.playing)?;
        let Some((followed, at)) = self.lines_here() else {
            // The first statement is on its way.
            return (at == 0 && self.own.lines.by_line && self.own_job().is_some()).then(Vec::new);
        };
        let statements = &followed.statements;
        let looked = statements.kept[..statements.kept.len() - 1].get(at)?.looked as usize;
        Some(statements.places.iter().take(looked).copied().collect())
    }

    /// Whether a step back, and one forth, stays inside the decision while steps go through lines.
    pub fn steps_in_lines(&self) -> (bool, bool) {
        let here = self.lines_here().filter(|_| self.own.lines.by_line && self.shows_code());
        here.map_or((false, false), |(followed, at)| (at > 0, at + 1 < followed.statements.kept.len()))
    }

    /// What the frame shown is made of: the number of events, and what a decision that is followed
    /// statement by statement has looked at so far.
    pub fn moment_shown(&self) -> (u32, Option<Vec<(u64, u64)>>) {
        (self.stepping.cursor, self.looked_here())
    }

    pub(super) fn step_by_lines(&mut self, on: bool) {
        self.own.lines.by_line = on;
        self.own.lines.at = None;
        if on {
            // Statements belong to whole decisions.
            self.stepping.level = Level::Decisions;
            if let Some(run) = &self.document.run {
                let frame = run.timeline.frame_at(Level::Decisions, self.stepping.cursor);
                self.stepping.cursor = run.timeline.events_at(Level::Decisions, frame);
            }
            self.view.panels.tab = Some(Tab::Code);
            (self.view.panels.right, self.view.panels.drawer) = (true, true);
            self.stepping.step = None;
        }
    }

    /// Goes through the statements of a decision before it goes to the next one; returns true if
    /// nothing else is to happen.
    pub(crate) fn line_step(&mut self, action: &StepAction) -> bool {
        if let StepAction::Level(_) = action {
            self.own.lines.by_line = false;
            self.own.lines.at = None;
        }
        if !self.own.lines.by_line || !self.shows_code() {
            return false;
        }
        let here = self.lines_here().map(|(followed, at)| (followed.statements.kept.len(), at));
        match (action, here) {
            (StepAction::Move(Motion::Next), Some((count, at))) if at + 1 < count => self.own.lines.at = Some(at + 1),
            (StepAction::Move(Motion::Previous), Some((_, at))) if at > 0 => self.own.lines.at = Some(at - 1),
            (StepAction::Move(Motion::Next), _) => {
                self.own.lines.at = Some(0);
                return false;
            }
            _ => {
                self.own.lines.at = None;
                return false;
            }
        }
        true
    }
}
