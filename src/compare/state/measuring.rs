//! What the comparison asks of the engine.

use crate::compare::state::Change;
use crate::shell::state::State;
use crate::shell::state::action::CompareAction;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{PlannerChoice, Task, ranked};
use memplan_planners as planner;

impl State {
    pub(crate) fn on_compare(&mut self, action: CompareAction) {
        match action {
            CompareAction::Change(Change::Replace(number, choice)) if self.comparing.is_beside(number, &choice) => {
                let name = choice.words(self.speech());
                self.view.confirm(Message::new("compare.already").text("name", name));
            }
            CompareAction::Change(change) => self.comparing.apply(change),
            CompareAction::AddPlanner(choice) => self.add_planner(choice),
            CompareAction::AddToComparison => {
                self.view.mode = Mode::Compare;
                // The first one is put beside two others.
                if !self.comparing.columns.is_empty() {
                    self.comparing.apply(Change::Add(self.choice()));
                }
            }
            CompareAction::OpenInSteps { choice, scope } => {
                self.view.mode = Mode::Step;
                self.document.scope = scope;
                self.document.planner = choice.planner;
                self.document.is_fitted = false;
                self.document.options = choice.options;
                self.plan_again();
            }
        }
    }

    /// Has the comparison measured what it lacks, once the engine is free.
    pub(crate) fn compare_on(&mut self) {
        let Some(document) = self.document.open.clone().filter(|_| self.view.mode == Mode::Compare) else { return };
        if !self.document.life.is_idle() || self.document.run.is_none() {
            return;
        }
        self.comparing.begin((document.key, self.document.scope.clone()));
        self.fill_columns();
        self.comparing.begin_ranking(ranked(document.graph.is_some(), document.has_plan));
        let Some(task) = self.comparing.wants() else { return };
        self.ask(&document, Task::Compare(task));
    }

    /// A comparison begins with the planner shown and two that differ from it.
    pub(crate) fn fill_columns(&mut self) {
        if !self.comparing.columns.is_empty() {
            return;
        }
        let has_graph = self.document.open.as_ref().is_some_and(|document| document.graph.is_some());
        let applies = |id: &&str| planner::info(id).is_some_and(|info| planner::applicable(info, has_graph).is_ok());
        let first = self.choice();
        self.comparing.apply(Change::Add(first.clone()));
        let others = planner::USUAL.into_iter().filter(applies).filter(|id| *id != first.planner);
        others.take(2).for_each(|id| self.comparing.apply(Change::Add(PlannerChoice::of(id))));
    }
}
