//! What the comparison asks of the engine.

use std::rc::Rc;

use crate::app::model::panels::Mode;
use crate::app::state::comparing::Change;
use crate::app::state::{State, index_of};
use crate::engine::{Choice, Failure, Measured};
use crate::planner;

/// Planners that a comparison begins with beside the one shown.
const USUAL: [&str; 3] = ["inductor-tree", "first-fit", "greedy-by-size"];

impl State {
    /// The planner asked for with its options.
    pub fn choice(&self) -> Choice {
        Choice { planner: self.planner.clone(), options: self.options.clone() }
    }

    /// Has the comparison measured what it lacks, once the engine is free.
    pub(super) fn compare_on(&mut self) {
        let Some(document) = self.document.clone().filter(|_| self.mode == Mode::Compare) else { return };
        if self.job.is_some() || self.run.is_none() {
            return;
        }
        self.comparing.begin((document.key, self.scope.clone()));
        self.fill_columns();
        let Some(task) = self.comparing.wants() else { return };
        self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        if let Some(job) = &mut self.job {
            Rc::make_mut(job).task = Some(Rc::new(task));
        }
    }

    /// A comparison begins with the planner shown and two that differ from it.
    pub(super) fn fill_columns(&mut self) {
        if !self.comparing.columns.is_empty() {
            return;
        }
        let has_graph = self.document.as_ref().is_some_and(|document| document.graph.is_some());
        let applies = |id: &&str| planner::info(id).is_some_and(|info| planner::applicable(info, has_graph).is_ok());
        let first = self.choice();
        self.comparing.apply(Change::Add(first.clone()));
        let others = USUAL.into_iter().filter(applies).filter(|id| *id != first.planner);
        others.take(2).for_each(|id| self.comparing.apply(Change::Add(Choice::of(id))));
    }

    pub(super) fn measured(&mut self, number: u32, result: Result<Measured, Failure>) {
        let Some(job) = self.job.clone().filter(|job| job.number == number) else { return };
        self.end_job();
        let graph = self.document.as_ref().and_then(|document| document.graph.clone());
        match (result, &job.task) {
            (Ok(measured), Some(task)) => self.comparing.take(task, measured, graph.as_ref(), index_of),
            (Err(failure), _) => self.comparing.give_up(&failure.message()),
            (Ok(_), None) => {}
        }
    }
}
