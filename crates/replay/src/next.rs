//! The buffer that is placed next, as a question.

use super::frame::Frame;
use super::run::Run;
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;

/// Most buffers that are named.
const NAMED: usize = 3;

/// What waits after a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Next {
    /// The buffer that is placed next.
    pub buffer: BufferId,
    /// Its name, size and live range.
    pub title: Message,
    /// Which placed buffers it may share no bytes with.
    pub beside: Message,
}

/// Returns the buffer that is placed after a frame; none at the last frame.
pub fn next(run: &Run, frame: &Frame) -> Option<Next> {
    let number = frame.decision.map_or(0, |decision| decision + usize::from(frame.settled));
    let buffer = run.timeline.decisions.get(number)?.buffer;
    let wanted = &run.problem.buffers[buffer];
    let (first, last) = (wanted.live.start, wanted.live.end.saturating_sub(1));
    let key = if last <= first { "next.one-step" } else { "next.steps" };
    let title = Message::new(key).name("name", wanted.name.clone()).bytes("size", wanted.size);
    let together = |(id, place): (BufferId, &Option<_>)| {
        let other = &run.problem.buffers[id];
        (place.is_some() && other.size > 0 && other.live.meets(wanted.live)).then(|| other.name.clone())
    };
    let mut names: Vec<String> = frame.places.enumerate().filter_map(together).collect();
    let count = names.len() as u64;
    let key = match names.len() {
        0 => "next.alone",
        count if count <= NAMED => "next.beside",
        _ => "next.beside-many",
    };
    names.truncate(NAMED);
    let beside = Message::new(key).name("name", wanted.name.clone()).count("n", count).with("names", Arg::Names(names));
    Some(Next { buffer, title: title.count("first", first).count("last", last), beside })
}
