//! The plan that the maker of a file may put in for TensorFlow Lite Micro.
//!
//! **From**: tensorflow/tflite-micro, `tensorflow/lite/micro/docs/memory_management.md`, *Offline
//! planned tensor allocations*. Words of 32 bits, low byte first: version, number of subgraphs,
//! number *n* of offsets, then *n* offsets for the tensors of all subgraphs one after the other; -1
//! = planned at run time.

use super::schema::Model;
use crate::base::Message;
use crate::graph::Graph;
use crate::import::Document;
use crate::plan::{Place, Plan, Pool, PoolRole, Unplanned};
use crate::problem::{Scope, Views, lifetimes};

const NAME: &str = "OfflineMemoryAllocation";

/// Words before the first offset.
const HEAD: usize = 3;

/// The offset of every tensor of the file, if it brings a plan.
///
/// # Errors
/// A plan whose length differs from the stated one, or that does not fit the model's `tensors`.
pub fn offsets(model: &Model, tensors: usize) -> Result<Option<Vec<i32>>, Message> {
    let entry = model.metadata().into_iter().flatten().find(|entry| entry.name() == Some(NAME));
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

/// The graph with its plan, if anything is placed. TensorFlow Lite Micro shares no storage between
/// input and output.
pub fn document(graph: Graph, offsets: &[Option<u64>], facts: &mut Vec<Message>) -> Document {
    let scope = Scope { views: Views::Copy, ..Scope::default() };
    // Without sizes there is nothing to draw yet; the question for them has been asked.
    let Ok(problem) = lifetimes(&graph, &scope) else { return Document::Graph(graph) };
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
    facts.push(Message::new("fact.tflite-offline").count("placed", placed).count("rest", plan.unplanned.len()));
    Document::Planned(graph, problem, plan)
}
