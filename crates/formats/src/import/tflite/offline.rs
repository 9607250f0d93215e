//! The plan that the maker of a file may put in for TensorFlow Lite Micro.
//!
//! **From**: tensorflow/tflite-micro, `tensorflow/lite/micro/docs/memory_management.md`, *Offline
//! planned tensor allocations*. Words of 32 bits, low byte first: version, number of subgraphs,
//! number *n* of offsets, then *n* offsets for the tensors of all subgraphs one after the other; -1
//! = planned at run time.

use super::schema::Model;
use crate::import::Document;
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Graph, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolRole, Unplanned};
use memplan_core::problem::{Scope, lifetimes};

const NAME: &str = "OfflineMemoryAllocation";

/// Words before the first offset.
const HEAD: usize = 3;

/// The offset of every tensor of the file, if it brings a plan.
///
/// # Errors
/// A plan whose length differs from the stated one, or that does not fit the model's `tensors`.
pub fn offsets(model: &Model, tensors: usize) -> Result<Option<Vec<i32>>, Message> {
    // Of several, TensorFlow Lite Micro takes the last.
    let entry = model.metadata().into_iter().flatten().rfind(|entry| entry.name() == Some(NAME));
    let Some(entry) = entry else { return Ok(None) };
    let buffers = model.buffers();
    let buffer = buffers.and_then(|buffers| {
        let index = entry.buffer() as usize;
        (index < buffers.len()).then(|| buffers.get(index))
    });
    let data = buffer.and_then(|buffer| buffer.data()).map_or(&[][..], |data| data.bytes());
    let words: Vec<i32> = data.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
    let stated = words.get(HEAD - 1).copied().unwrap_or(-1);
    let offsets = words.get(HEAD..).unwrap_or_default();
    if usize::try_from(stated) != Ok(offsets.len()) || offsets.len() != tensors {
        let message = Message::new("warning.tflite-offline").text("stated", stated.to_string());
        return Err(message.count("present", offsets.len()).count("tensors", tensors));
    }
    Ok(Some(offsets.to_vec()))
}

/// The graph as its plan takes it. TensorFlow Lite Micro shares no storage between input and
/// output unless the plan gives both one place.
fn as_planned(graph: &Graph, offsets: &[Option<u64>]) -> Graph {
    let mut planned = graph.clone();
    let place = |tensor: TensorId| offsets.get(tensor.0 as usize).copied().flatten();
    for node in planned.nodes.iter_mut() {
        let is_whole = matches!(node.attrs.get("alias"), Some(Attr::Text(_)));
        let is_moved = |(input, output)| place(input).is_none() || place(input) != place(output);
        if is_whole && node.aliases().any(is_moved) {
            node.attrs_mut().remove("alias");
        }
    }
    planned
}

/// The graph with its plan, if anything is placed.
pub fn document(graph: Graph, offsets: &[Option<u64>], facts: &mut Vec<Message>) -> Document {
    // Without sizes there is nothing to draw yet; the question for them has been asked.
    let Ok(problem) = lifetimes(&as_planned(&graph, offsets), &Scope::default()) else {
        return Document::Graph(graph);
    };
    let mut plan = Plan::empty(&problem);
    let device = problem.memories.iter().next().map(|memory| memory.device.clone()).unwrap_or_default();
    let pool = plan.pools.push(Pool { name: "arena head".into(), size: 0, device, role: PoolRole::Arena });
    let mut placed = 0u64;
    for (id, buffer) in problem.buffers.enumerate() {
        let offset = buffer.tensors.first().and_then(|tensor| offsets.get(tensor.0 as usize).copied().flatten());
        match offset {
            Some(offset) => {
                plan.places[id] = Some(Place { pool, offset });
                let size = &mut plan.pools[pool].size;
                *size = (*size).max(offset.saturating_add(buffer.size));
                placed += 1;
            }
            None => plan.unplanned.push((id, Unplanned::StatedByFile)),
        }
    }
    if placed == 0 {
        return Document::Graph(graph);
    }
    // Where the plan gives a result the place of an operand that ends there, it overwrites it.
    for pair in &problem.inplace {
        let (input, output) = (&problem.buffers[pair.input], &problem.buffers[pair.output]);
        let is_same = plan.places[pair.input].is_some() && plan.places[pair.input] == plan.places[pair.output];
        let is_older = input.live.start < output.live.start;
        if is_same && is_older && input.size == output.size && input.live.end == output.live.start + 1 {
            plan.shared.push((pair.output, pair.input));
        }
    }
    facts.push(Message::new("fact.tflite-offline").count("placed", placed).count("rest", plan.unplanned.len()));
    Document::Planned(graph, problem, plan)
}
