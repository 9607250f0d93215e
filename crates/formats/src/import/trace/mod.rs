//! Chrome traces (JSON, as `chrome://tracing` and Perfetto read them) that show memory. Each writer
//! gives events its own meaning; the `args` of the events identify the writer.

mod easy;
mod executorch;
mod profiler;
#[cfg(test)]
mod tests;

use super::answers::Answers;
use super::content::Content;
use super::document::Parsed;
use super::loose::{Loose, Object};
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Whether a file is a trace.
pub fn sniff(content: &Content) -> bool {
    content.json().and_then(events).is_some()
}

/// The events of a trace: the list under `traceEvents`, or a list of objects with a phase, `ph`.
fn events<'t, 'a>(top: &'t Loose<'a>) -> Option<&'t [Loose<'a>]> {
    match top {
        Loose::Object(top) => match top.get("traceEvents") {
            Some(Loose::List(events)) => Some(events),
            _ => None,
        },
        Loose::List(events) => match events.first() {
            Some(Loose::Object(first)) if first.get("ph").is_some() => Some(events),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a trace.
///
/// # Errors
/// Broken JSON, no event that shows memory, or every fault of the events that do.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    let top = content.into_json()?;
    let events = events(&top).unwrap_or_default();
    if events.iter().any(executorch::tells) {
        return executorch::read(events);
    }
    if events.iter().any(profiler::tells) {
        return profiler::read(events);
    }
    if events.iter().any(easy::is_buffer) {
        let bare = Object::default();
        return easy::read(if let Loose::Object(top) = &top { top } else { &bare }, events);
    }
    Err(vec![Fault::new("traceEvents", Message::new("fault.trace-no-memory").count("events", events.len()))])
}
