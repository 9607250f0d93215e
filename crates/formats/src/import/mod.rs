//! Bytes of a file → graph, buffers or plan. One file or folder per format and one line
//! each in `registry`; the names of formats stand in `memplan_core::graph`.
//!
//! Contents decide, never the file name. Readers collect every fault; nothing in a file is ever
//! run.
//!
//! [`read_own`] alone reads graphs, plans and buffer lists as this project writes them, without the
//! readers of other tools' files: a program can have those beside it instead of in it.

mod answers;
mod aten;
mod build;
mod content;
mod csv;
mod cuda_snapshot;
mod document;
mod executorch;
mod flat;
mod gzip;
mod hlo;
mod loose;
mod memory_graph;
mod memory_plan;
pub mod mlir;
mod names;
mod nnvm;
mod onnx;
mod peak;
pub(crate) mod protobuf;
mod pt2;
mod registry;
mod shape;
mod source;
mod tflite;
mod trace;
mod unshown;

use std::borrow::Cow;

use content::whole;
use memplan_core::base::Message;
use memplan_core::graph::Fault;

pub use answers::{Answers, Constants, EndRule, Parameters, Question, Unsized};
pub use content::Content;
pub use document::Document;
pub use gzip::MAX_UNPACKED;
pub use memplan_core::graph::Format;
pub use onnx::sample as sample_onnx;
pub(crate) use onnx::{dtype as onnx_dtype, elem_of as onnx_elem};
pub use registry::{Imported, Reader};
pub use unshown::Unshown;

/// All readers, in the order in which they are asked.
pub fn readers() -> impl Iterator<Item = &'static Reader> {
    registry::OWN.iter().chain(registry::OTHERS)
}

/// Reads a file, gzip or not.
///
/// # Errors
/// Every fault found, at least one.
pub fn read(bytes: &[u8], answers: Answers) -> Result<Imported, Vec<Fault>> {
    let bytes = unpacked(bytes)?;
    let read = read_own(&bytes, &answers).or_else(|| read_others(&bytes, &answers));
    read.unwrap_or_else(|| read_unclaimed(&bytes, &answers))
}

/// The bytes of a file as readers take them: no longer compressed, and not none.
///
/// # Errors
/// One fault: there are no bytes, or they cannot be unpacked.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Vec<Fault>> {
    if bytes.is_empty() {
        return Err(whole(Message::new("fault.empty-file")));
    }
    if gzip::is_gzip(bytes) { gzip::unpack(bytes).map(Cow::Owned).map_err(whole) } else { Ok(Cow::Borrowed(bytes)) }
}

/// Reads a graph, a plan or a buffer list from unpacked bytes; nothing for files of other tools.
pub fn read_own(bytes: &[u8], answers: &Answers) -> Option<Result<Imported, Vec<Fault>>> {
    read_by(registry::OWN, Content::new(bytes), answers).ok()
}

/// Reads a file of another tool from unpacked bytes; nothing for all others. A program that uses
/// this alone carries no other reader.
pub fn read_others(bytes: &[u8], answers: &Answers) -> Option<Result<Imported, Vec<Fault>>> {
    read_by(registry::OTHERS, Content::new(bytes), answers).ok()
}

/// Reads unpacked bytes that neither [`read_own`] nor [`read_others`] takes: the JSON of a graph or
/// a plan with escaped letters in the name of its format.
///
/// # Errors
/// Every fault found, or why the file is not recognised.
pub fn read_unclaimed(bytes: &[u8], answers: &Answers) -> Result<Imported, Vec<Fault>> {
    let content = Content::new(bytes);
    content.json();
    read_by(registry::OWN, content, answers).unwrap_or_else(|content| Err(content.unrecognised()))
}

/// What the first of some readers that recognises the content makes of it.
///
/// # Errors
/// The content, if none does.
fn read_by<'a>(
    readers: &[Reader],
    content: Content<'a>,
    answers: &Answers,
) -> Result<Result<Imported, Vec<Fault>>, Content<'a>> {
    match readers.iter().find(|reader| reader.recognises(&content)) {
        Some(reader) => Ok(reader.read(content, answers)),
        None => Err(content),
    }
}
