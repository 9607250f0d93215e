//! What the page and its worker send each other.

use serde::{Deserialize, Serialize};

use crate::engine::{Export, Job, Measure};

/// What the page asks of the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Open and plan.
    Work(Job),
    /// The same, and the plan as the text of a file.
    Write(Job, Export),
    /// Figures of several plans.
    Measure(Measure),
}
