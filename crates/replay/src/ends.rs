//! Who makes a buffer and who reads it last, in one line.

use super::run::Run;
use memplan_core::base::{Family, Id};
use memplan_core::graph::{Kind, NodeId};
use memplan_core::problem::{BufferId, ends};
use memplan_core::text::Speech;

/// Returns `conv2d 18 → add 92`: the operator and the step of the node that makes a buffer, and of
/// the last that reads it. Without a graph only the steps are known.
pub fn made_and_read(run: &Run, speech: Speech, id: BufferId) -> String {
    let ends = run.graph.as_ref().map(|graph| ends(graph, &run.problem.buffers[id]));
    made_and_read_by(run, speech, id, ends.unwrap_or_default())
}

/// The same where the two nodes are known.
pub fn made_and_read_by(
    run: &Run,
    speech: Speech,
    id: BufferId,
    (maker, reader): (Option<NodeId>, Option<NodeId>),
) -> String {
    let buffer = &run.problem.buffers[id];
    let (first, last) = (buffer.live.start, buffer.live.end.saturating_sub(1));
    let Some(graph) = &run.graph else { return format!("{first} → {last}") };
    let node = |node: NodeId| format!("{} {}", graph.nodes[node].op, node.index());
    let from = maker.map_or_else(|| speech.word(&Family::KIND.of([buffer.kind.name()])), node);
    let to = match (reader, buffer.kind) {
        (Some(reader), _) => node(reader),
        (None, Kind::Output) => speech.word(&Family::KIND.of([buffer.kind.name()])),
        (None, Kind::Weight) => last.to_string(),
        (None, _) => speech.word("peak.unread"),
    };
    format!("{from} → {to}")
}
