//! `memory-problem/1`: a problem as one JSON object for a program in any language, and the answer
//! of that program: a list of offsets, or lines of events.

use std::collections::BTreeMap;

use memplan_core::base::{MAX_SAFE, Message, Names, suggest};
use memplan_core::graph::Graph;
use memplan_core::problem::{Buffer, BufferId, Problem};
use memplan_planners::Options;
use serde::Serialize;
use serde_json::Value;

use crate::calls::Call;
use crate::facts::{ProblemFacts, facts};

/// Name of the format.
pub const FORMAT: &str = "memory-problem/1";

#[derive(Serialize)]
struct ProblemRecord {
    format: &'static str,
    #[serde(flatten)]
    facts: ProblemFacts,
    options: BTreeMap<String, String>,
}

/// Returns a problem as JSON, with the options of the planner.
pub fn problem_text(problem: &Problem, graph: Option<&Graph>, options: &Options) -> String {
    let record = ProblemRecord { format: FORMAT, facts: facts(problem, graph), options: options.to_map() };
    serde_json::to_string(&record).unwrap_or_default()
}

/// Reads an answer.
///
/// # Errors
/// The first line that is no answer, and why.
pub fn calls(answer: &str, problem: &Problem) -> Result<Vec<Call>, Message> {
    let text = answer.trim();
    if text.is_empty() {
        return Err(Message::new("own-planner.answer-empty"));
    }
    if let Ok(Value::Array(offsets)) = serde_json::from_str::<Value>(text) {
        return listed(&offsets, problem);
    }
    let mut named: Names<&str, BufferId> = Names::default();
    for (id, buffer) in problem.buffers.enumerate() {
        named.entry(buffer.name.as_str()).or_insert(id);
    }
    let reader = Reader { problem, named };
    let mut calls = Vec::new();
    for (number, line) in answer.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at =
            |reason| Message::new("own-planner.answer-line").count("line", number as u64 + 1).inner("reason", reason);
        calls.push(reader.call(line).map_err(at)?);
    }
    let mut lines = vec![None; problem.buffers.len()];
    for (number, call) in calls.iter().enumerate() {
        if let Call::Place { buffer, .. } | Call::Look { buffer, .. } = call {
            let name = || problem.buffers[*buffer].name.clone();
            if lines[buffer.0 as usize].is_some() {
                return Err(Message::new("own-planner.answer-late")
                    .name("name", name())
                    .count("event", number as u64 + 1));
            }
            if matches!(call, Call::Place { .. }) {
                lines[buffer.0 as usize] = Some(number);
            }
        }
    }
    Ok(calls)
}

/// Offsets in the order of the buffers.
fn listed(offsets: &[Value], problem: &Problem) -> Result<Vec<Call>, Message> {
    if offsets.len() != problem.buffers.len() {
        let message = Message::new("own-planner.answer-count").count("found", offsets.len() as u64);
        return Err(message.count("n", problem.buffers.len() as u64));
    }
    let place = |((id, buffer), value): ((BufferId, &Buffer), &Value)| {
        let refused = || Message::new("own-planner.answer-offset").text("offset", value.to_string());
        let refused =
            || Message::new("own-planner.answer-of").name("name", buffer.name.clone()).inner("reason", refused());
        Ok(Call::Place { buffer: id, offset: offset(value).ok_or_else(refused)?, line: 0 })
    };
    problem.buffers.enumerate().zip(offsets).map(place).collect()
}

fn offset(value: &Value) -> Option<u64> {
    value.as_u64().filter(|&offset| offset <= MAX_SAFE)
}

struct Reader<'a> {
    problem: &'a Problem,
    named: Names<&'a str, BufferId>,
}

impl Reader<'_> {
    fn call(&self, line: &str) -> Result<Call, Message> {
        let value: Value = serde_json::from_str(line)
            .map_err(|error| Message::new("own-planner.answer-json").text("reason", error.to_string()))?;
        let kind = || Message::new("own-planner.answer-kind");
        let event = value.as_object().ok_or_else(kind)?;
        let line = event.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        if let Some(text) = event.get("note") {
            let text = text.as_str().map_or_else(|| text.to_string(), str::to_string);
            return Ok(Call::Note { text, line });
        }
        let (named, is_place) = match (event.get("place"), event.get("look")) {
            (Some(named), None) => (named, true),
            (None, Some(named)) => (named, false),
            _ => return Err(kind()),
        };
        let buffer = self.buffer(named)?;
        let value = event.get("offset").unwrap_or(&Value::Null);
        let offset =
            offset(value).ok_or_else(|| Message::new("own-planner.answer-offset").text("offset", value.to_string()))?;
        if is_place {
            return Ok(Call::Place { buffer, offset, line });
        }
        let reason = event.get("reason").and_then(Value::as_str).unwrap_or_default().to_string();
        Ok(Call::Look { buffer, offset, reason, line })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.problem.buffers.iter().map(|buffer| buffer.name.as_str())
    }

    /// A buffer by its name or its position.
    fn buffer(&self, named: &Value) -> Result<BufferId, Message> {
        if let Some(name) = named.as_str() {
            let missing = || Message::new("own-planner.answer-buffer").text("name", name);
            return self.named.get(name).copied().ok_or_else(|| suggest(missing(), name, self.names()));
        }
        let id = named.as_u64().filter(|&id| id < self.problem.buffers.len() as u64);
        id.map(|id| BufferId(id as u32))
            .ok_or_else(|| Message::new("own-planner.answer-buffer").text("name", named.to_string()))
    }
}
