//! `memory-frames/1`: every moment of a run as JSON, each as what changed in it
//! (docs/memory-frame.md).

use serde::Serialize;
use serde_json::{Map, Value};

use super::frame::{CandidateRecord, Focus, Placed, Spot};
use super::{list, member};
use memplan_core::base::{Arg, Message};

/// A run, frame by frame.
#[derive(Clone, Debug)]
pub struct FramesRecord {
    /// Name of the graph or buffer list.
    pub graph: String,
    /// Registry id of the planner.
    pub planner: String,
    /// What people call a planner that a user wrote.
    pub planner_name: Option<&'static str>,
    /// Name of the level whose frames are counted: decisions, candidates or events.
    pub level: &'static str,
    /// All frames of the level in order.
    pub frames: Vec<FrameChanges>,
}

/// One frame: what happened between the one before and this one.
#[derive(Clone, Debug, Serialize)]
pub struct FrameChanges {
    /// Number of the frame at its level; 0 = nothing placed.
    pub frame: u32,
    /// The planner's events since the frame before, as [`memplan_core::trace::Event`] names them.
    pub events: Vec<memplan_core::trace::Event>,
    /// The buffer that the frame is about, if it is about one.
    pub focus: Option<Focus>,
    /// Whether the focus has its place at this moment.
    pub settled: bool,
    /// What became of the focus, as a word of the format; none if nothing was decided.
    pub outcome: Option<&'static str>,
    /// The place of the focus, if it has one.
    pub placed: Option<Placed>,
    /// Highest end of all pools together at this moment, in bytes.
    pub peak: u64,
    /// The same one frame before.
    pub peak_before: u64,
    /// Names of buffers released since the frame before.
    pub freed: Vec<String>,
    /// Places that the planner looked at for the focus.
    pub candidates: Vec<CandidateRecord>,
    /// A free legal place that the planner did not see although it let the arena grow.
    pub missed: Option<Spot>,
    /// The buffers that a picture of this frame draws attention to: the focus, what is in its way,
    /// what was freed.
    pub highlighted: Vec<String>,
    /// The explanation of the frame.
    pub why: Reason,
}

/// The explanation as keys of the locale files with their arguments.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    /// What happened.
    pub headline: MessageRecord,
    /// One message for each place looked at.
    pub candidates: Vec<MessageRecord>,
    /// What else the planner reported in this decision.
    pub notes: Vec<MessageRecord>,
    /// The rule that decided.
    pub rule: Option<MessageRecord>,
    /// What the decision did to the peak.
    pub effect: Option<MessageRecord>,
    /// Function of the original system that decides this.
    pub source: Option<&'static str>,
}

/// A message: its key, and its arguments as plain values. Live ranges and spans are `[start, end)`
/// pairs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MessageRecord {
    /// Key of the sentence in the locale files.
    pub key: String,
    /// Arguments by name.
    pub args: Map<String, Value>,
}

impl MessageRecord {
    /// The record of a message.
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
        Arg::Frames(frames) => frames.clone().into(),
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
    record.planner_name.iter().for_each(|name| member(&mut text, "planner_name", name));
    member(&mut text, "level", record.level);
    list(&mut text, "frames", record.frames.iter());
    text.push_str("\n}\n");
    text
}
