//! A plan of the comparison as a property.

use std::rc::Rc;

use crate::app::model::comparison::Shown;

/// A plan as a property: equal while it is the same one.
#[derive(Clone)]
pub struct SharedPlan(pub Rc<Shown>);

impl PartialEq for SharedPlan {
    fn eq(&self, other: &SharedPlan) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
