//! What is asked of the engine: the open document with a planner, its options and its scope, from
//! the panels or from a link.

use std::rc::Rc;

use crate::compare::state::Change;
use crate::learn::teacher::state::form::{Corner, Field};
use crate::open::state::document::{Bytes, Document, Job, Origin};
use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::status::{Status, Working};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, TeachAction};
use crate::shell::state::panels::Mode;
use crate::step::state::predicting::Predicting;
use memplan_core::base::Message;
use memplan_engine::{IMPORTED, OWN_NAME, PlannerChoice, Task, is_own};
use memplan_formats::import::Answers;
use memplan_planners as planner;

/// Decisions before and after the present one whose places looked at are kept.
const LOOKED_AT: u32 = 100;

impl State {
    /// The planner asked for with its options.
    pub fn choice(&self) -> PlannerChoice {
        PlannerChoice { planner: self.document.planner.clone(), options: self.document.options.clone() }
    }

    pub(crate) fn submit(
        &mut self,
        origin: Origin,
        bytes: Bytes,
        choices: Answers,
        same: bool,
        place: Option<LinkPlace>,
    ) {
        self.stepping.playing = false;
        self.document.status = Status::Working(Working::on(self.new_job(origin, bytes, choices, same, place)));
    }

    fn new_job(&mut self, origin: Origin, bytes: Bytes, choices: Answers, same: bool, place: Option<LinkPlace>) -> Job {
        self.document.jobs += 1;
        let key = self.document.open.as_ref().filter(|_| same).map_or(self.document.jobs, |document| document.key);
        let choices = Answers { file: origin.name().into(), ..choices };
        Job {
            number: self.document.jobs,
            key,
            origin,
            draft: None,
            bytes,
            choices,
            scope: self.document.scope.clone(),
            planner: self.document.planner.clone(),
            options: self.document.options.clone(),
            same_document: same,
            place,
            window: None,
            diagram: self.editing.wants_diagram,
            task: None,
            export: None,
            own: self.own.versions(),
        }
    }

    /// Asks the engine for something of the open document.
    pub(crate) fn ask(&mut self, document: &Document, task: Task<Bytes>) {
        self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        if let Some(job) = self.job_mut() {
            job.task = Some(Rc::new(task));
        }
    }

    /// Returns a job that asks another worker for something of the open document, while the engine
    /// does something else.
    pub(crate) fn job_beside(&mut self, document: &Document, task: Task<Bytes>) -> Job {
        let (origin, bytes, choices) = (document.origin.clone(), document.bytes.clone(), document.choices.clone());
        Job { task: Some(Rc::new(task)), ..self.new_job(origin, bytes, choices, true, None) }
    }

    pub(crate) fn plan_again(&mut self) {
        self.document.status.take_awaited();
        if let Some(job) = self.job().cloned().filter(|job| !job.same_document) {
            // A file on its way in is not thrown away for a new planner.
            self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), false, job.place.clone());
            if let Some(next) = self.job_mut() {
                next.draft = job.draft.clone();
            }
        } else if let Some(document) = self.document.open.clone() {
            self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        }
    }

    /// Whether another plan is on its way, so that what is shown is the plan of before: of another
    /// document, another planner, other options or another scope.
    pub fn shows_before(&self) -> bool {
        let asked = self.job().filter(|job| job.task.is_none() && job.export.is_none());
        let Some((job, run)) = asked.zip(self.document.run.as_ref()) else { return false };
        let is_same = |shown: &Job| shown.options == job.options && shown.scope == job.scope;
        !job.same_document || job.planner != run.planner || !self.document.shown.as_deref().is_some_and(is_same)
    }

    /// The same run once more, with the places looked at around the present decision.
    pub(crate) fn look_closely(&mut self) {
        let decision = self.document.run.as_ref().and_then(|run| run.timeline.decision_at(self.stepping.cursor));
        let Some(decision) = decision else { return };
        self.plan_again();
        if let Some(job) = self.job_mut() {
            let decision = decision as u32;
            job.window = Some((decision.saturating_sub(LOOKED_AT), decision + LOOKED_AT));
        }
    }

    pub(crate) fn restore(&mut self, mut restored: Restored) {
        self.document.status.follow();
        self.document.notice = None;
        let known = |id: &String| id == IMPORTED || planner::info(id).is_some();
        let mut refused = Vec::new();
        self.restore_own(&mut restored);
        if let Some(id) = restored.planner {
            if known(&id) {
                self.document.planner = id;
                self.document.is_fitted = false;
            } else {
                refused.push(if is_own(&id) { OWN_NAME.to_string() } else { id });
            }
        }
        self.own_follows();
        self.document.options.clear();
        let info = planner::info(&self.document.planner);
        for (key, value) in restored.options {
            if info.is_some_and(|info| info.options([(key.as_str(), value.as_str())]).is_ok()) {
                self.document.options.insert(key, value);
            } else {
                refused.push(format!("{key}:{value}"));
            }
        }
        if !refused.is_empty() {
            self.view.confirm(Message::new("toast.refused").text("values", refused.join(", ")));
        }
        self.document.scope = restored.scope.unwrap_or_default();
        self.stepping.level = restored.level.unwrap_or_default();
        self.view.color_by = restored.color_by.unwrap_or_default();
        self.view.filter = restored.filter;
        self.view.window = restored.view;
        self.view.panels.tab = restored.panel;
        self.view.look.slice = !restored.no_slice;
        self.stepping.breaks = restored.breaks;
        let presenting = self.view.presenting;
        self.view.presenting = restored.present.then(|| presenting.unwrap_or_default());
        // The questions begin when the plan is there.
        self.predicting = Predicting::once_planned(restored.predict);
        let learns = restored.learn.is_some() || restored.teach.is_some();
        self.view.mode = if learns { Mode::Learn } else { Mode::Step };
        if let Some(compared) = restored.compared {
            self.view.mode = Mode::Compare;
            self.comparing.apply(Change::Restore(Box::new(compared)));
        }
        if let Some(diff) = restored.diff {
            self.restore_diff(diff);
        }
        self.fitting.kernel.linked = restored.card;
        if let Some(fit) = restored.fit {
            self.restore_fit(fit);
        }
        if let Some(locale) = restored.locale {
            self.settings.locale = locale;
        }
        if let Some(theme) = restored.theme {
            self.settings.theme = theme;
        }
        if let Some(given) = restored.given {
            self.on_teach(TeachAction::Corner(Corner::Sheet));
            self.on_teach(TeachAction::Write(Field::Given, given.to_string()));
        }
    }

    pub(crate) fn next_planner(&mut self, forward: bool) {
        let has_graph = self.document.open.as_ref().is_some_and(|document| document.graph.is_some());
        let mut ids: Vec<&str> = planner::INFOS
            .iter()
            .filter(|info| planner::applicable(info, has_graph).is_ok())
            .map(|info| info.id)
            .collect();
        if self.document.open.as_ref().is_some_and(|document| document.has_plan) {
            ids.insert(0, IMPORTED);
        }
        let here = ids.iter().position(|id| *id == self.document.planner).unwrap_or(0);
        let step = if forward { 1 } else { ids.len() - 1 };
        let id = ids[(here + step) % ids.len()].to_string();
        self.apply(Action::Document(DocumentAction::Planner(id)));
    }
}
