//! The broken axis of addresses of plans beside each other.

use std::rc::Rc;

use crate::compare::state::Comparing;
use crate::compare::state::comparison::{Column, Shown};
use memplan_scene::Squeeze;

impl Comparing {
    /// How the axis of each plan that is drawn can be broken, with the plan; all of them lose the
    /// same bytes.
    pub fn squeezes(&self) -> Option<Vec<(&Rc<Shown>, Squeeze)>> {
        let plans: Vec<&Rc<Shown>> =
            self.columns.iter().filter_map(Column::plan).filter(|shown| shown.is_ready()).collect();
        let stretches: Vec<_> = plans.iter().map(|shown| shown.stretch()).collect();
        Squeeze::beside(&stretches).map(|squeezes| plans.into_iter().zip(squeezes).collect())
    }

    /// How the axis of a plan is broken, if it is.
    pub fn squeeze_of(&self, shown: &Rc<Shown>) -> Option<Squeeze> {
        let all = self.squeezes().filter(|_| self.squeezed)?;
        all.into_iter().find(|(other, _)| Rc::ptr_eq(other, shown)).map(|(_, squeeze)| squeeze)
    }
}
