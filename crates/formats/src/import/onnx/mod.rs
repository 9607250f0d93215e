//! ONNX models (onnx/onnx `onnx/onnx.proto3`, commit 004aa57f): a graph with the nodes in the order
//! of the file, or sorted as ONNX Runtime sorts them if they cannot run in that order ([`survey`]).
//!
//! What stands for what: an initializer is a weight, also without its data; so is the output of a
//! `Constant` node, which is no step, and of any node that computes from weights alone. Outputs of
//! the graph are outputs, everything else that a node makes is an intermediate. A node that holds
//! graphs is one step ([`bodies`]). `Reshape`, `Flatten`, `Squeeze`, `Unsqueeze` and `Identity` are
//! views of their first input. Shapes come from the file, and where it has none from [`infer`]. A
//! node that calls a function of the file is the nodes of that function ([`functions`]).

mod bodies;
mod common;
mod constant;
mod entries;
mod functions;
mod hints;
mod infer;
mod known;
mod layout;
mod messages;
mod model;
mod node;
mod nodes;
mod notes;
mod sample;
mod sequences;
mod survey;
mod symbols;
mod types;

use memplan_core::base::Message;
use memplan_core::graph::Fault;

use super::answers::{Answers, Constants, Question};
use super::content::{Content, not_recognised, whole};
use super::document::{Document, Parsed};
use super::protobuf;
use super::unshown::Unshown;
use layout::Refusal;
use messages::{Dimension, ValueInfo};
use model::Model;
use nodes::GraphReader;
pub use sample::sample;
pub(crate) use types::{dtype, elem_of};

/// Whether a file is a model. A model begins with its version, a byte that no text begins with; its
/// other bytes may happen to be text.
pub fn sniff(content: &Content) -> bool {
    let may_be = content.bytes().first() == Some(&8) || content.text().is_none();
    may_be && layout::layout(content.bytes()).err() != Some(Refusal::NotOnnx)
}

/// Reads a model.
///
/// # Errors
/// Every fault found: the file breaks off or is damaged, a node reads what nothing makes, nodes
/// read one another in a circle, or a name is made twice.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let bytes = content.bytes();
    let layout = layout::layout(bytes).map_err(|refusal| whole(fault_of(refusal, bytes)))?;
    let inlined = functions::inline(&layout).map_err(whole)?;
    graph(&Model::decode(bytes, &layout, &inlined).map_err(whole)?, answers)
}

fn graph(model: &Model, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let mut reader = GraphReader::of_model(model, answers)?;
    reader.weights();
    reader.inputs();
    reader.nodes();
    reader.returned();
    let values = reader.in_numbers(|held| held.slot.is_none());
    let (builder, common) = reader.finish()?;
    let unshown = Unshown { values, ..common.unshown };
    let notes = common.notes;
    let mut open = answers.clone();
    // Nothing in the graph has these names.
    open.shapes.retain(|name, _| !common.inside.contains(name));
    let built = builder.finish(&open)?;
    let facts = notes.facts(model, (!built.questions.is_empty()).then_some(&answers.file));
    let mut warnings = notes.warnings();
    warnings.extend(built.warnings);
    let mut questions = built.questions;
    if notes.folded_nodes > 0 || answers.constants == Constants::Keep {
        questions.push(Question::Constants);
    }
    let mut facts = facts;
    let document = entries::document(built.graph, model, &mut facts, &mut warnings);
    // Such a plan may be anybody's, also one that this program wrote.
    Ok(Parsed { facts, warnings, questions, is_of_user: true, unshown, ..Parsed::plain(document) })
}

fn fault_of(refusal: Refusal, bytes: &[u8]) -> Message {
    let present = bytes.len();
    match refusal {
        Refusal::NotOnnx => not_recognised(bytes),
        Refusal::Cut { field, needs } => {
            Message::new("fault.onnx-cut").count("present", present as u64).text("field", field).count("needs", needs)
        }
        Refusal::Damaged { field } => Message::new("fault.onnx-field").text("field", field),
        Refusal::TooMany { field } => {
            Message::new("fault.onnx-too-many").text("field", field).count("limit", layout::MAX_ITEMS)
        }
    }
}

/// The extents of a tensor type, if the file states their number.
fn file_dims(info: &ValueInfo) -> Option<&[Dimension]> {
    let kind = info.kind.as_ref()?;
    Some(&kind.tensor.as_ref().or(kind.sparse.as_ref())?.shape.as_ref()?.dim)
}

fn message<M: protobuf::Message>(bytes: &[u8]) -> Result<M, Message> {
    protobuf::read(bytes).map_err(|error| Message::new("fault.onnx-damaged").text("reason", error.to_string()))
}
