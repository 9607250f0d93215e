//! Sweeps of all compared planners, measured one after the other as soon as they are looked at.

use std::rc::Rc;

use crate::compare::state::Comparing;
use crate::compare::state::comparison::{Sheet, Swept};
use memplan_engine::{CompareTask, IMPORTED, PlannerChoice};
use memplan_worker::FileData;

impl Comparing {
    /// Planners of which a value can be varied: the plan of a file stays as it is.
    pub fn variable(&self) -> Vec<&PlannerChoice> {
        self.columns.iter().map(|column| &column.choice).filter(|choice| choice.planner != IMPORTED).collect()
    }

    /// The sweep of what is varied with a planner, once measured.
    pub fn swept(&self, choice: &PlannerChoice) -> Option<&Rc<Swept>> {
        self.sweeps.iter().find(|swept| swept.vary == self.vary && swept.choice == *choice)
    }

    /// The first planner without a sweep, while sweeps are looked at.
    pub fn next_sweep(&self) -> Option<CompareTask<FileData>> {
        let choice = self.unswept().next().filter(|_| self.sheet == Sheet::Sweep)?;
        Some(CompareTask::Sweep(choice.clone(), self.vary.clone()))
    }

    /// Adds a sweep.
    pub fn add_swept(&mut self, swept: Swept) {
        self.sweeps.retain(|other| other.choice != swept.choice || other.vary != swept.vary);
        self.sweeps.push(Rc::new(swept));
    }

    /// Measures no more planners: those left have no points.
    pub fn end_sweeps(&mut self) {
        if self.sheet != Sheet::Sweep {
            return;
        }
        let left: Vec<PlannerChoice> = self.unswept().cloned().collect();
        for choice in left {
            self.add_swept(Swept { choice, vary: self.vary.clone(), points: Vec::new() });
        }
    }

    fn unswept(&self) -> impl Iterator<Item = &PlannerChoice> {
        self.variable().into_iter().filter(|choice| self.swept(choice).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::state::Change;
    use memplan_core::base::Message;
    use memplan_engine::{Comparison, Vary};

    #[test]
    fn every_planner_is_swept_without_being_asked() {
        let mut comparing = Comparing { sheet: Sheet::Columns, ..Comparing::default() };
        [IMPORTED, "first-fit", "best-fit"]
            .into_iter()
            .for_each(|id| comparing.apply(Change::Add(PlannerChoice::of(id))));
        // Columns come first; they are given up here.
        comparing.give_up(&Message::new("compare.waiting"));
        assert_eq!(comparing.wants(), None, "nobody looks at sweeps");
        comparing.apply(Change::Sheet(Sheet::Sweep));
        let mut order = Vec::new();
        while let Some(task @ CompareTask::Sweep(..)) = comparing.wants() {
            let CompareTask::Sweep(choice, _) = &task else { break };
            order.push(choice.text());
            comparing.take(&task, Comparison::Sweep(Vec::new()), None);
            assert!(order.len() < 9, "{order:?}");
        }
        assert_eq!(order, ["first-fit", "best-fit"]);
        comparing.apply(Change::SweepAgain);
        assert!(comparing.wants().is_some());
        comparing.give_up(&Message::new("compare.waiting"));
        assert_eq!(comparing.wants(), None, "who cancels is not asked again");
        comparing.apply(Change::Vary(Vary::Option("k".into())));
        assert!(comparing.wants().is_some());
    }
}
