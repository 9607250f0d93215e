//! A plan into a file: a new root in front of the bytes of the old file, which stay as they are;
//! and another order of operators.
//!
//! Offsets of a flatbuffer point forward. So nothing can be put behind old tables without moving
//! them, but everything can be put in front. Contents keep their alignment, since the new part is a
//! multiple of 16 bytes long.

use super::Refusal;
use super::model::{Model, NAME};
use crate::bytes::{Bytes, damaged};
use memplan_core::base::Message;
use memplan_core::graph::{has_effects, tflite_operator};

/// Fields of the root table that a writer knows.
const KNOWN_FIELDS: usize = 10;
const BUFFERS: usize = 4;
const METADATA: usize = 6;

/// Largest file: offsets have 32 bits, of which readers use 31.
const MAX_FILE: usize = i32::MAX as usize;

/// Returns the file with a plan: one offset a tensor of all subgraphs, -1 for none.
///
/// # Errors
/// A list of another length, and files whose contents do not all lie in the flatbuffer.
pub fn write(data: &[u8], offsets: &[i32]) -> Result<Vec<u8>, Refusal> {
    let model = Model::read(data)?;
    if offsets.len() != model.tensors() {
        let message = Message::new("tflm.count").count("stated", offsets.len() as u64);
        return Err(message.count("tensors", model.tensors()));
    }
    let body = body(&model, offsets);
    let old: Vec<usize> = model.metadata.iter().filter(|(name, ..)| name == NAME).map(|entry| entry.1).collect();
    if let [buffer] = old[..] {
        let table = *model.buffers.get(buffer).ok_or_else(damaged)?;
        let (start, length) = Bytes(data).vector(table, 0, 1)?;
        if length == body.len() {
            let mut written = data.to_vec();
            written[start..start + length].copy_from_slice(&body);
            return Ok(written);
        }
    }
    let mut written = header(data, &model, &body)?;
    if written.len() + data.len() > MAX_FILE {
        return Err(Message::new("tflm.large"));
    }
    written.extend_from_slice(data);
    Ok(written)
}

fn body(model: &Model, offsets: &[i32]) -> Vec<u8> {
    let head = [1, model.graphs.len() as i32, offsets.len() as i32];
    head.iter().chain(offsets).flat_map(|word| word.to_le_bytes()).collect()
}

/// Where an offset leads: to the old file or to the new part.
#[derive(Clone, Copy)]
enum Target {
    Old(usize),
    New(usize),
}

/// The new part while it is made.
#[derive(Default)]
struct Header {
    bytes: Vec<u8>,
    /// Positions of offsets, and where they lead.
    links: Vec<(usize, Target)>,
}

impl Header {
    fn at(&self) -> usize {
        self.bytes.len()
    }

    fn half(&mut self, value: usize) {
        self.bytes.extend((value as u16).to_le_bytes());
    }

    fn word(&mut self, value: usize) {
        self.bytes.extend((value as u32).to_le_bytes());
    }

    fn pad(&mut self, align: usize, rest: usize) {
        while self.at() % align != rest {
            self.bytes.push(0);
        }
    }

    /// Room for an offset; gives its position.
    fn room(&mut self) -> usize {
        self.word(0);
        self.at() - 4
    }

    fn link(&mut self, target: Target) {
        let position = self.room();
        self.links.push((position, target));
    }

    /// Lets the offset at `position` lead here.
    fn lands(&mut self, position: usize) {
        self.links.push((position, Target::New(self.at())));
    }
}

fn header(data: &[u8], model: &Model, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let (old, root) = (Bytes(data), model.root);
    let fields = old.fields(root)?.max(METADATA + 1);
    if fields > KNOWN_FIELDS {
        return Err(Message::new("tflm.unknown-fields"));
    }
    for &buffer in &model.buffers {
        if old.u64_of(buffer, 1)? > 1 {
            return Err(Message::new("tflm.outside"));
        }
    }
    for operator in model.graphs.iter().flat_map(|graph| &graph.operators) {
        if old.u64_of(operator.position, 9)? > 1 {
            return Err(Message::new("tflm.outside"));
        }
    }
    let mut new = Header::default();
    new.word(0);
    new.bytes.extend(data.get(4..8).ok_or_else(damaged)?);
    let mut present = Vec::new();
    for field in 0..fields {
        if matches!(field, BUFFERS | METADATA) || old.field(root, field)?.is_some() {
            present.push(field);
        }
    }
    let vtable = new.at();
    new.half(4 + 2 * fields);
    new.half(4 + 4 * present.len());
    for field in 0..fields {
        new.half(present.iter().position(|known| *known == field).map_or(0, |at| 4 + 4 * at));
    }
    new.pad(4, 0);
    let table = new.at();
    new.word(table - vtable);
    let (mut buffers, mut metadata) = (0, 0);
    for &field in &present {
        match field {
            // The version is a number.
            0 => new.word(old.u32_of(root, 0)?),
            BUFFERS => buffers = new.room(),
            METADATA => metadata = new.room(),
            _ => new.link(Target::Old(old.target(root, field)?.ok_or_else(damaged)?)),
        }
    }
    new.lands(buffers);
    new.word(model.buffers.len() + 1);
    model.buffers.iter().for_each(|&buffer| new.link(Target::Old(buffer)));
    let own_buffer = new.room();
    let kept: Vec<usize> = model.metadata.iter().filter(|(name, ..)| name != NAME).map(|entry| entry.2).collect();
    new.lands(metadata);
    new.word(kept.len() + 1);
    kept.iter().for_each(|&entry| new.link(Target::Old(entry)));
    let own_entry = new.room();
    // The entry: name and buffer.
    let vtable = new.at();
    [8, 12, 4, 8].into_iter().for_each(|half| new.half(half));
    new.lands(own_entry);
    new.word(new.at() - vtable);
    let name = new.room();
    new.word(model.buffers.len());
    new.lands(name);
    new.word(NAME.len());
    new.bytes.extend(NAME);
    new.bytes.push(0);
    new.pad(4, 0);
    // The buffer: its data, which begin at a multiple of 16.
    let vtable = new.at();
    [6, 8, 4].into_iter().for_each(|half| new.half(half));
    new.pad(4, 0);
    new.lands(own_buffer);
    new.word(new.at() - vtable);
    let contents = new.room();
    new.pad(16, 12);
    new.lands(contents);
    new.word(body.len());
    new.bytes.extend(body);
    new.pad(16, 0);
    new.links.push((0, Target::New(table)));
    let length = new.at();
    for &(position, target) in &new.links {
        let to = match target {
            Target::Old(to) => length + to,
            Target::New(to) => to,
        };
        new.bytes[position..position + 4].copy_from_slice(&((to - position) as u32).to_le_bytes());
    }
    Ok(new.bytes)
}

/// Returns the file with the operators of a subgraph in another order: `order` gives the old index
/// of each. All other bytes stay.
///
/// # Errors
/// A list that is no permutation, an order that a reader cannot run or that changes the order of
/// operators with state, and files whose metadata name operators by their index.
pub fn reorder(data: &[u8], subgraph: usize, order: &[usize]) -> Result<Vec<u8>, Refusal> {
    let model = Model::read(data)?;
    let graph = model.graphs.get(subgraph).ok_or_else(damaged)?;
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != (0..graph.operators.len()).collect::<Vec<_>>() {
        return Err(Message::new("tflm.no-order"));
    }
    if model.metadata.iter().any(|(name, ..)| name == b"model_control_dependencies") {
        return Err(Message::new("tflm.control-dependencies"));
    }
    let mut at = vec![0; order.len()];
    order.iter().enumerate().for_each(|(position, &operator)| at[operator] = position);
    if edges(graph).into_iter().any(|(first, then)| at[first] > at[then]) {
        return Err(Message::new("tflm.wrong-order"));
    }
    let (start, _) = Bytes(data).vector(graph.position, 3, 4)?;
    let mut written = data.to_vec();
    for (position, &operator) in order.iter().enumerate() {
        let place = start + 4 * position;
        // Tables lie behind the vector that leads to them.
        let distance = graph.operators[operator].position.checked_sub(place).ok_or_else(damaged)?;
        written[place..place + 4].copy_from_slice(&(distance as u32).to_le_bytes());
    }
    Ok(written)
}

/// Orders that must be kept: a maker before its readers, and whatever has state in its order.
fn edges(graph: &super::model::Subgraph) -> Vec<(usize, usize)> {
    let mut makers = vec![None; graph.tensors.len()];
    let (mut found, mut last) = (Vec::new(), None);
    for (number, operator) in graph.operators.iter().enumerate() {
        let read = || operator.inputs.iter().filter_map(|&index| usize::try_from(index).ok());
        found.extend(read().filter_map(|index| Some((makers[index]?, number))));
        operator.outputs.iter().for_each(|&index| makers[index as usize] = Some(number));
        let has_state = !operator.runs.is_empty()
            || tflite_operator(operator.code).is_none_or(has_effects)
            || read().any(|index| graph.tensors[index].is_variable);
        if has_state {
            found.extend(last.map(|last| (last, number)));
            last = Some(number);
        }
    }
    found
}
