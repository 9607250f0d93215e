//! The index of the run shown, kept beside it: all modes draw the same run.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use memplan_replay::Run;
use memplan_scene::Index;

/// Buffers of a run whose index is worked out together with the first picture. That of a larger run
/// takes a task of its own.
pub const AT_ONCE: usize = 20_000;

/// The index of the run asked for last. All copies share it.
#[derive(Clone, Debug, Default)]
pub struct LastIndex(Rc<RefCell<Option<Indexed>>>);

#[derive(Clone, Debug)]
struct Indexed {
    run: Weak<Run>,
    index: Rc<Index>,
}

impl PartialEq for LastIndex {
    /// It follows from the run: no two differ while the runs are the same.
    fn eq(&self, _: &LastIndex) -> bool {
        true
    }
}

impl LastIndex {
    /// Returns the index of a run, worked out if the one before was another run.
    pub fn of(&self, run: &Rc<Run>) -> Rc<Index> {
        if let Some(index) = self.known(run) {
            return index;
        }
        let index = Rc::new(Index::of(run));
        *self.0.borrow_mut() = Some(Indexed { run: Rc::downgrade(run), index: index.clone() });
        index
    }

    /// Whether the run can be drawn at once.
    pub fn is_ready(&self, run: &Rc<Run>) -> bool {
        run.problem.buffers.len() <= AT_ONCE || self.known(run).is_some()
    }

    fn known(&self, run: &Rc<Run>) -> Option<Rc<Index>> {
        let last = self.0.borrow();
        // A weak pointer keeps the address from being used again.
        last.as_ref().filter(|last| last.run.as_ptr() == Rc::as_ptr(run)).map(|last| last.index.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::plan::Plan;
    use memplan_core::problem::Problem;
    use memplan_planners::origin;

    #[test]
    fn the_index_of_a_run_is_worked_out_once() {
        let made = || {
            let problem = Rc::new(Problem::default());
            Rc::new(Run::new(problem, origin("first-fit", 1), Plan::default(), Vec::new()))
        };
        let (last, first, second) = (LastIndex::default(), made(), made());
        let index = last.clone().of(&first);
        assert!(Rc::ptr_eq(&index, &last.of(&first)), "copies share it");
        assert!(!Rc::ptr_eq(&index, &last.of(&second)), "another run has another index");
    }
}
