//! What the comparison asks of the engine.

use crate::compare::state::Change;
use crate::compare::state::comparison::Sheet;
use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::action::CompareAction;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{Answer, PlannerChoice, Task, ranked};
use memplan_planners as planner;

/// Plans, rankings, sweeps and charts.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Compare(_)),
    wants: State::comparison_wants,
    take: State::take_comparison,
    give_up: |state, _, why| state.comparing.give_up(why),
};

impl State {
    pub(crate) fn on_compare(&mut self, action: CompareAction) {
        match action {
            CompareAction::Change(Change::Replace(number, choice)) if self.comparing.is_beside(number, &choice) => {
                let name = choice.words(self.speech());
                self.view.confirm(Message::new("compare.already").text("name", name));
            }
            CompareAction::Change(change) => {
                if matches!(change, Change::Add(_) | Change::AddHere(_) | Change::Remove(_) | Change::Replace(..)) {
                    self.columns_answer_link();
                }
                self.comparing.apply(change);
            }
            CompareAction::OpenWhatIf => (self.view.mode, self.comparing.sheet) = (Mode::Compare, Sheet::WhatIf),
            CompareAction::OpenPlanners => {
                self.view.mode = Mode::Compare;
                if self.comparing.sheet == Sheet::WhatIf {
                    self.comparing.sheet = Sheet::Columns;
                }
            }
            CompareAction::WhatIf(change) => self.on_whatif(change),
            CompareAction::Second(action) => self.on_second(action),
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
                self.own_follows();
                self.plan_again();
            }
        }
    }

    /// Returns what the comparison measures next.
    fn comparison_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        // What other settings would have done is measured without plans.
        let is_away = self.view.mode != Mode::Compare || self.comparing.sheet == Sheet::WhatIf;
        if is_away || self.document.run.is_none() {
            return None;
        }
        self.comparing.begin((document.key, self.document.scope.clone()));
        self.fill_columns();
        self.comparing.follow(self.choice());
        let mut ranked = ranked(document.graph.is_some(), document.has_plan);
        ranked.extend(self.own.ready().map(|program| PlannerChoice::of(&program.id)));
        self.comparing.begin_ranking(ranked);
        self.comparing.wants().map(Task::Compare)
    }

    fn take_comparison(&mut self, task: &Task<Bytes>, answer: Answer) {
        if let (Task::Compare(task), Answer::Compared(found)) = (task, answer) {
            let graph = self.document.open.as_ref().and_then(|document| document.graph.clone());
            self.comparing.take(task, found, graph.as_ref());
        }
    }

    /// A comparison begins with the planner shown and two that differ from it.
    fn fill_columns(&mut self) {
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
