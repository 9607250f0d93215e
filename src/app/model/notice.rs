//! What went wrong, or what came of something that the user has stopped.

use std::rc::Rc;

use crate::app::model::document::Job;
use crate::base::Message;
use crate::graph::Fault;
use crate::problem::BufferId;

/// A fault that is shown until it is dismissed or mended; the last good picture stays below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    /// What went wrong.
    pub title: Message,
    /// Where, if it is a file that is wrong.
    pub faults: Vec<Fault>,
    /// Buffers of the run shown that do not fit into the capacity asked for.
    pub conflict: Vec<BufferId>,
    /// Whether it only states what the user has asked for: nothing went wrong.
    pub quiet: bool,
    /// A document so large that the user is asked before it is planned.
    pub large: Option<Rc<Job>>,
    /// Whether the page around this one hears no more of it than that something is missing.
    pub untold: bool,
}

impl Notice {
    /// A notice of one sentence.
    pub fn of(title: Message) -> Notice {
        Notice { title, faults: Vec::new(), conflict: Vec::new(), quiet: false, large: None, untold: false }
    }
}
