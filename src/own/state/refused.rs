//! What is shown if the user's planner does not plan what is open, or not with these options.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::document::Job;
use crate::shell::state::State;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Tab;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_engine::{NoPlan, PlannerChoice, is_own};
use memplan_planners as planner;

impl State {
    /// Takes that the user's planner has no plan; gives it back if nothing is to be done about it.
    /// A document that was just opened is shown with the plan of a planner that fits it, or with
    /// the one that it has, and the mistake beside it. If options were changed, they are again
    /// those of the plan shown.
    pub(crate) fn own_has_no_plan(&mut self, job: &Job, no_plan: NoPlan) -> Option<NoPlan> {
        if !is_own(&job.planner) {
            return Some(no_plan);
        }
        let is_by_own = self.document.run.as_ref().is_some_and(|run| is_own(&run.planner));
        if !is_by_own {
            self.show_without_own(job, no_plan);
            return None;
        }
        let shown = self.document.shown.clone().filter(|shown| shown.planner == job.planner);
        let Some(shown) = shown.filter(|shown| job.same_document && shown.options != job.options) else {
            return Some(no_plan);
        };
        let asked = changed(&job.planner, &job.options, &shown.options);
        let kept = changed(&job.planner, &shown.options, &job.options);
        self.document.options = shown.options.clone();
        let title = Message::new("notice.own-options").text("planner", self.own.name()).text("asked", asked);
        self.note_no_plan(title.text("kept", kept).inner("why", no_plan.why), no_plan.conflict);
        None
    }

    fn show_without_own(&mut self, job: &Job, NoPlan { why, conflict }: NoPlan) {
        let choice = PlannerChoice { planner: job.planner.clone(), options: job.options.clone() };
        self.own.refused = Some(choice);
        if self.own.open {
            self.view.panels.tab = Some(Tab::Code);
        }
        let shown = self.document.shown.as_ref().zip(self.document.run.as_ref());
        if let Some((shown, run)) = shown {
            (self.document.planner, self.document.options) = (run.planner.clone(), shown.options.clone());
        } else {
            self.document.planner.clear();
            self.document.options.clear();
            let place = job.place.clone().unwrap_or_default();
            self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), true, Some(place));
        }
        let title = Message::new("notice.own-refused").text("planner", self.own.name());
        self.note_no_plan(title.inner("why", why), conflict);
    }

    fn note_no_plan(&mut self, title: Message, conflict: Vec<BufferId>) {
        self.document.notice = Some(Rc::new(Notice { conflict, ..Notice::of(title) }));
    }

    /// A document that comes next is planned by the user's planner again.
    pub(crate) fn try_own_again(&mut self) {
        if let Some(choice) = self.own.refused.take().filter(|_| self.own.open) {
            (self.document.planner, self.document.options) = (choice.planner, choice.options);
        }
    }

    /// The options of the user's planner, whether or not it plans what is open.
    pub(super) fn own_options(&self) -> BTreeMap<String, String> {
        match &self.own.refused {
            _ if is_own(&self.document.planner) => self.document.options.clone(),
            Some(choice) => choice.options.clone(),
            None => BTreeMap::new(),
        }
    }
}

/// The values of some options that are different among others, as `k = 4`.
fn changed(id: &str, options: &BTreeMap<String, String>, others: &BTreeMap<String, String>) -> String {
    let specs = planner::info(id).map_or(&[][..], |info| info.options);
    let value = |options: &BTreeMap<String, String>, key: &str, default: &str| {
        options.get(key).map_or_else(|| default.to_string(), String::clone)
    };
    let differs = specs.iter().filter_map(|spec| {
        let one = value(options, spec.key, spec.default);
        (one != value(others, spec.key, spec.default)).then(|| format!("{} = {one}", spec.key))
    });
    differs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
