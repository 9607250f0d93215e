//! Who hears of a job while it is done.

use serde::{Deserialize, Serialize};

use super::Done;

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
    /// Peak of the best plan so far and the bound, in bytes, where a search tells them.
    pub best: Option<(u64, u64)>,
}

/// Hears of a job while it is done.
pub trait Listener {
    fn progress(&mut self, progress: Progress);

    /// Whether this is a moment to be given the best plan so far: making it takes time.
    fn wants_best(&mut self) -> bool {
        false
    }

    /// What the job would give if it ended now.
    fn best(&mut self, done: Done) {
        let _ = done;
    }
}

/// Hears nothing.
#[derive(Debug)]
pub struct Deaf;

impl Listener for Deaf {
    fn progress(&mut self, _: Progress) {}
}
