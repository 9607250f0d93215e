//! Reports of a request that is still being answered, and the clock that times it.

use serde::{Deserialize, Serialize};

use super::answer::Done;

/// How far a request is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Units of work that are done.
    pub done: u64,
    /// Units of work in all; 0 if unknown.
    pub total: u64,
    /// Peak of the best plan so far and the bound, in bytes, if the planner is a search that
    /// reports them.
    pub best: Option<(u64, u64)>,
}

/// A clock of a request, in milliseconds; natively one that several threads may read.
#[cfg(not(target_arch = "wasm32"))]
pub type Clock<'a> = dyn Fn() -> f64 + Sync + 'a;
/// A clock of a request, in milliseconds.
#[cfg(target_arch = "wasm32")]
pub type Clock<'a> = dyn Fn() -> f64 + 'a;

/// Receives reports while a request is being answered.
pub trait Listener {
    /// Called whenever the planner has gone on.
    fn progress(&mut self, progress: Progress);

    /// Returns whether the best plan so far is to be reported now: making it takes time.
    fn is_best_due(&mut self) -> bool {
        false
    }

    /// Called with what the answer would be if the search ended now.
    fn best(&mut self, done: Done) {
        let _ = done;
    }
}

/// A listener that ignores every report.
#[derive(Debug)]
pub struct NoListener;

impl Listener for NoListener {
    fn progress(&mut self, _: Progress) {}
}
