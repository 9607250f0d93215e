//! Notices: a fault, or the outcome of a search that the user stopped.

use std::rc::Rc;

use crate::open::state::document::Job;
use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::problem::BufferId;

/// A notice above the plan. It stays until it is dismissed or its cause is gone; the last good plan
/// stays visible below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    /// The sentence.
    pub title: Message,
    /// The faults of a file, each with its place.
    pub faults: Vec<Fault>,
    /// Buffers of the run shown that do not fit into the capacity asked for.
    pub conflict: Vec<BufferId>,
    /// Whether it confirms what the user asked for and is no error.
    pub quiet: bool,
    /// The job of a document so large that the user must confirm it.
    pub large: Option<Rc<Job>>,
    /// Whether the embedding page gets only a general sentence, so that it learns nothing about
    /// files at other addresses.
    pub private: bool,
}

impl Notice {
    /// A notice of one sentence.
    pub fn of(title: Message) -> Notice {
        Notice { title, faults: Vec::new(), conflict: Vec::new(), quiet: false, large: None, private: false }
    }
}
