//! Planners that are no part of memplan: a program registers them while it runs, under ids such as
//! the path of a file. From then on [`crate::find`] and [`crate::info()`] know them, and so does
//! everything that takes the id of a planner. They stand in no list.
//!
//! Only the program itself registers planners. An id in a file or a link never makes one.

use std::sync::{PoisonError, RwLock};

use super::{Planner, outside};

static REGISTERED: RwLock<Vec<&'static dyn Planner>> = RwLock::new(Vec::new());

/// Registers a planner for the rest of the run of this program, in place of one with the same id.
pub fn register(planner: Box<dyn Planner>) {
    let planner: &'static dyn Planner = Box::leak(planner);
    let mut all = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    all.retain(|other| other.info().id != planner.info().id);
    all.push(planner);
}

/// Returns the registered planner with this id.
pub fn find(id: &str) -> Option<&'static dyn Planner> {
    let all = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().copied().find(|planner| planner.info().id == id);
    found.or_else(|| outside::find(id).map(|program| program as &dyn Planner))
}
