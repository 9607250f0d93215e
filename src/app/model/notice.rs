use crate::base::Message;
use crate::graph::Fault;
use crate::problem::BufferId;

/// A fault that is shown until it is dismissed or mended; the last good picture stays below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    pub title: Message,
    pub faults: Vec<Fault>,
    /// Buffers of the run shown that do not fit into the capacity asked for.
    pub conflict: Vec<BufferId>,
}
