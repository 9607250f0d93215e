//! A value as a property, or as the key of what is kept.

use std::ops::Deref;
use std::rc::Rc;

/// A value that is equal to itself alone: comparing two runs or frames would take longer than
/// drawing them. As a key it keeps its value alive, so that no other one is ever found in its
/// place.
pub struct Same<T>(pub Rc<T>);

impl<T> Clone for Same<T> {
    fn clone(&self) -> Same<T> {
        Same(self.0.clone())
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Same<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Same<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<&Rc<T>> for Same<T> {
    fn from(value: &Rc<T>) -> Same<T> {
        Same(value.clone())
    }
}
