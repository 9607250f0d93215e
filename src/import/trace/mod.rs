//! Chrome trace JSON (Trace Event Format) of memory plans. Which layout a file has is told by its events.

mod easy;
#[cfg(test)]
mod tests;

use super::loose::{Loose, Object};
use super::{Imported, whole};
use crate::base::Message;
use crate::graph::Fault;

/// Whether an object is a trace.
pub fn is_trace(top: &Object) -> bool {
    matches!(top.get("traceEvents"), Some(Loose::List(_)))
}

/// Reads a trace.
///
/// # Errors
/// Every fault with its place, or that the trace shows no memory.
pub fn read(top: &Object) -> Result<Imported, Vec<Fault>> {
    let Some(Loose::List(events)) = top.get("traceEvents") else {
        return Err(whole(Message::new("fault.trace-no-memory")));
    };
    if events.iter().any(easy::is_buffer) {
        easy::read(top, events)
    } else {
        Err(whole(Message::new("fault.trace-no-memory")))
    }
}
