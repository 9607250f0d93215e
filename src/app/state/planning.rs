//! What is asked of the engine: the open document with a planner, its options and its scope, from the panels or from a link.

use std::rc::Rc;

use crate::app::model::document::{Bytes, Job, Origin};
use crate::app::model::link::{LinkPlace, Restored};
use crate::app::model::panels::Mode;
use crate::app::state::State;
use crate::app::state::action::Action;
use crate::app::state::comparing::Change;
use crate::base::Message;
use crate::engine::IMPORTED;
use crate::import::Choices;
use crate::planner;

/// Decisions before and after the present one whose places looked at are kept.
const LOOKED_AT: u32 = 100;

impl State {
    pub(super) fn submit(
        &mut self,
        origin: Origin,
        bytes: Bytes,
        choices: Choices,
        same: bool,
        place: Option<LinkPlace>,
    ) {
        self.jobs += 1;
        self.playing = false;
        self.progress = None;
        let key = self.document.as_ref().filter(|_| same).map_or(self.jobs, |document| document.key);
        let choices = Choices { file: origin.name().into(), ..choices };
        self.job = Some(Rc::new(Job {
            number: self.jobs,
            key,
            origin,
            draft: None,
            bytes,
            choices,
            scope: self.scope.clone(),
            planner: self.planner.clone(),
            options: self.options.clone(),
            same_document: same,
            place,
            window: None,
            diagram: self.wants_diagram,
            task: None,
            export: None,
        }));
    }

    pub(super) fn plan_again(&mut self) {
        self.awaited = None;
        if let Some(job) = self.job.clone().filter(|job| !job.same_document) {
            // A file on its way in is not thrown away for a new planner.
            self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), false, job.place.clone());
            if let Some(next) = &mut self.job {
                Rc::make_mut(next).draft = job.draft.clone();
            }
        } else if let Some(document) = self.document.clone() {
            self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        }
    }

    /// The same run once more, with the places looked at around the present decision.
    pub(super) fn look_closely(&mut self) {
        let decision = self.run.as_ref().and_then(|run| run.timeline.decision_at(self.cursor));
        let Some(decision) = decision else { return };
        self.plan_again();
        if let Some(job) = &mut self.job {
            let decision = decision as u32;
            Rc::make_mut(job).window = Some((decision.saturating_sub(LOOKED_AT), decision + LOOKED_AT));
        }
    }

    pub(super) fn restore(&mut self, restored: Restored) {
        self.visiting = true;
        self.awaited = None;
        self.notice = None;
        let known = |id: &String| id == IMPORTED || planner::info(id).is_some();
        let mut refused = Vec::new();
        if let Some(id) = restored.planner {
            if known(&id) {
                self.planner = id;
            } else {
                refused.push(id);
            }
        }
        self.options.clear();
        let info = planner::info(&self.planner);
        for (key, value) in restored.options {
            if info.is_some_and(|info| info.options([(key.as_str(), value.as_str())]).is_ok()) {
                self.options.insert(key, value);
            } else {
                refused.push(format!("{key}:{value}"));
            }
        }
        if !refused.is_empty() {
            self.toast_message(Message::new("toast.refused").text("values", refused.join(", ")));
        }
        self.scope = restored.scope.unwrap_or_default();
        self.level = restored.level.unwrap_or_default();
        self.color_by = restored.color_by.unwrap_or_default();
        self.view = restored.view;
        self.breaks = restored.breaks;
        self.mode = Mode::Step;
        if let Some(compared) = restored.compared {
            self.mode = Mode::Compare;
            self.comparing.apply(Change::Restore(Box::new(compared)));
        }
        if let Some(locale) = restored.locale {
            self.locale = locale;
        }
        if let Some(theme) = restored.theme {
            self.theme = theme;
        }
    }

    pub(super) fn next_planner(&mut self, forward: bool) {
        let has_graph = self.document.as_ref().is_some_and(|document| document.graph.is_some());
        let mut ids: Vec<&str> = planner::INFOS
            .iter()
            .filter(|info| planner::applicable(info, has_graph).is_ok())
            .map(|info| info.id)
            .collect();
        if self.document.as_ref().is_some_and(|document| document.has_plan) {
            ids.insert(0, IMPORTED);
        }
        let here = ids.iter().position(|id| *id == self.planner).unwrap_or(0);
        let step = if forward { 1 } else { ids.len() - 1 };
        let id = ids[(here + step) % ids.len()].to_string();
        self.apply(Action::Planner(id));
    }
}
