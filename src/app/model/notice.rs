//! What went wrong.

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
    /// A document so large that the user is asked before it is planned.
    pub large: Option<Rc<Job>>,
}

impl Notice {
    /// A notice of one sentence.
    pub fn of(title: Message) -> Notice {
        Notice { title, faults: Vec::new(), conflict: Vec::new(), large: None }
    }
}
