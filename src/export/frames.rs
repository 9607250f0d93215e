//! `memory-frames/1`: every moment of a run as JSON, each as what changed in it (docs/memory-frame.md).

use serde::Serialize;
use serde_json::{Map, Value};

use super::frame::{CandidateRecord, Focus, Placed, Spot};
use super::{list, member};
use crate::base::{Arg, Message};

/// A run, frame by frame.
#[derive(Clone, Debug)]
pub struct FramesRecord {
    pub graph: String,
    pub planner: String,
    pub level: &'static str,
    pub frames: Vec<FrameChanges>,
}

/// One frame: what happened between the one before and this one.
#[derive(Clone, Debug, Serialize)]
pub struct FrameChanges {
    pub frame: u32,
    /// The planner's events since the frame before, as [`crate::trace::Event`] names them.
    pub events: Vec<crate::trace::Event>,
    pub focus: Option<Focus>,
    /// Whether the focus has its place at this moment.
    pub settled: bool,
    pub outcome: Option<&'static str>,
    /// The place of the focus, if it has one.
    pub placed: Option<Placed>,
    pub peak: u64,
    pub peak_before: u64,
    pub freed: Vec<String>,
    pub candidates: Vec<CandidateRecord>,
    pub missed: Option<Spot>,
    /// The buffers that a picture of this frame draws attention to: the focus, what is in its way, what was freed.
    pub highlighted: Vec<String>,
    pub why: Reason,
}

/// The explanation as keys of the locale files with their arguments.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    pub headline: MessageRecord,
    pub candidates: Vec<MessageRecord>,
    pub notes: Vec<MessageRecord>,
    pub rule: Option<MessageRecord>,
    pub effect: Option<MessageRecord>,
    pub source: Option<&'static str>,
}

/// A message: its key, and its arguments as plain values. Live ranges and spans are `[start, end)` pairs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MessageRecord {
    pub key: String,
    pub args: Map<String, Value>,
}

impl MessageRecord {
    pub fn new(message: &Message) -> MessageRecord {
        let args = message.args.iter().map(|(name, arg)| (name.to_string(), value(arg)));
        MessageRecord { key: message.key.to_string(), args: args.collect() }
    }
}

fn value(arg: &Arg) -> Value {
    match arg {
        Arg::Text(text) | Arg::Name(text) => text.as_str().into(),
        Arg::Count(number) | Arg::Bytes(number) | Arg::Address(number) => (*number).into(),
        Arg::Live(start, end) => vec![*start, *end].into(),
        Arg::Span(from, to) => vec![*from, *to].into(),
        Arg::Names(names) => names.clone().into(),
        Arg::Inner(message) => {
            let MessageRecord { key, args } = MessageRecord::new(message);
            Value::Object(Map::from_iter([("key".to_string(), key.into()), ("args".to_string(), args.into())]))
        }
    }
}

/// The file text, one frame a line.
pub fn frames(record: &FramesRecord) -> String {
    let mut text = String::from("{\"format\":\"memory-frames/1\"");
    member(&mut text, "graph", &record.graph);
    member(&mut text, "planner", &record.planner);
    member(&mut text, "level", record.level);
    list(&mut text, "frames", record.frames.iter());
    text.push_str("\n}\n");
    text
}
