use crate::base::Message;
use crate::graph::Fault;

/// A fault that is shown until it is dismissed or mended; the last good picture stays below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    pub title: Message,
    pub faults: Vec<Fault>,
}
