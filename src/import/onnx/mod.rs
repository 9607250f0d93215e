//! ONNX models (onnx/onnx `onnx/onnx.proto3`, commit 004aa57f): a graph with the nodes in the order of the file.
//!
//! What stands for what: an initializer is a weight, also without its data; so is the output of a `Constant` node, which is no
//! step. Outputs of the graph are outputs, everything else that a node makes is an intermediate. `Reshape`, `Flatten`,
//! `Squeeze`, `Unsqueeze` and `Identity` are views of their first input. Shapes come from the file, and where it has none from
//! [`infer`]. A node that calls a function of the file is the nodes of that function ([`functions`]).

mod constant;
mod extent;
mod fields;
mod functions;
mod hints;
mod infer;
mod layout;
mod messages;
mod model;
mod node;
mod nodes;
mod notes;
mod sample;
mod symbols;
mod types;

use crate::base::Message;
use crate::graph::Fault;

use super::{Choices, Document, Format, Imported, whole};
use layout::Refusal;
use messages::{Dimension, ValueInfo};
use model::Model;
use nodes::Reading;
pub use sample::sample;

/// Reads a model; `None` if this is no ONNX file.
///
/// # Errors
/// Every fault found: the file breaks off or is damaged, a node reads what no node before it makes, a name is made twice, or
/// nodes hold graphs of their own.
pub fn read(bytes: &[u8], choices: &Choices) -> Option<Result<Imported, Vec<Fault>>> {
    let layout = match layout::layout(bytes) {
        Ok(layout) => layout,
        Err(refusal) => return fault_of(refusal, bytes.len()).map(|message| Err(whole(message))),
    };
    let inlined = match functions::inline(&layout) {
        Ok(inlined) => inlined,
        Err(message) => return Some(Err(whole(message))),
    };
    Some(Model::decode(bytes, &layout, &inlined).map_err(whole).and_then(|model| imported(&model, choices)))
}

fn imported(model: &Model, choices: &Choices) -> Result<Imported, Vec<Fault>> {
    model.refuse_bodies()?;
    let mut reading = Reading::new(model, choices);
    reading.weights();
    reading.inputs();
    reading.nodes();
    let (builder, notes) = reading.finish()?;
    let built = builder.finish(choices)?;
    let facts = notes.facts(model, (!built.questions.is_empty()).then_some(&choices.file));
    let mut warnings = notes.warnings();
    warnings.extend(built.warnings);
    let document = Document::Graph(built.graph);
    Ok(Imported { document, format: Format::Onnx, facts, warnings, questions: built.questions })
}

fn fault_of(refusal: Refusal, present: usize) -> Option<Message> {
    Some(match refusal {
        Refusal::NotOnnx => return None,
        Refusal::Cut { field, needs } => {
            Message::new("fault.onnx-cut").count("present", present as u64).text("field", field).count("needs", needs)
        }
        Refusal::Damaged { field } => Message::new("fault.onnx-field").text("field", field),
        Refusal::TooMany { field } => {
            Message::new("fault.onnx-too-many").text("field", field).count("limit", layout::MAX_ITEMS)
        }
    })
}

/// The extents of a tensor type, if the file states their number.
fn file_dims(info: &ValueInfo) -> Option<&[Dimension]> {
    let kind = info.kind.as_ref()?;
    Some(&kind.tensor.as_ref().or(kind.sparse.as_ref())?.shape.as_ref()?.dim)
}

fn message<M: prost::Message + Default>(bytes: &[u8]) -> Result<M, Message> {
    M::decode(bytes).map_err(|error| Message::new("fault.onnx-damaged").text("reason", error.to_string()))
}
