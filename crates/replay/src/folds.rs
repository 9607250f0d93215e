//! Where a run keeps what has been worked out about its events ([`super::fold`]).

use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// What has been worked out about the events of a run.
#[derive(Default)]
pub struct Folds {
    /// Folds, by their types.
    pub(super) tracks: RefCell<BTreeMap<TypeId, Box<dyn Any>>>,
    /// What is worked out once, by its type.
    pub(super) known: RefCell<BTreeMap<TypeId, Rc<dyn Any>>>,
    /// By note: the numbers of its events.
    pub(super) notes: OnceCell<Vec<Vec<u32>>>,
}

impl fmt::Debug for Folds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Folds").finish_non_exhaustive()
    }
}
