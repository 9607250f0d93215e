//! What features ask the engine about the open document.

use crate::open::state::document::{Bytes, Document};
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_engine::{Answer, Task};

/// A feature's questions: what it lacks, and where the answers go. The table in
/// `open/state/next_query.rs` has them in the order in which they are asked.
pub struct Query {
    /// Returns true for a task of this feature.
    pub is_of: fn(&Task<Bytes>) -> bool,
    /// Returns what the feature asks next, now that the engine is free; none where nothing lacks.
    pub wants: fn(&mut State, &Document) -> Option<Task<Bytes>>,
    /// Takes the answer to a task of the feature.
    pub take: fn(&mut State, &Task<Bytes>, Answer),
    /// Goes without an answer, for a reason: to this task of the feature, or to whatever it would
    /// ask next.
    pub give_up: fn(&mut State, Option<&Task<Bytes>>, &Message),
}
