//! A symbol of MXNet or NNVM: a graph without shapes. The user states those of its inputs; the rest
//! follows from the operators, or stays unknown and is asked for.

use std::collections::{BTreeMap, HashSet};

use super::super::answers::{Answers, Extent, Question};
use super::super::build::{Builder, Slot, unknown_shape};
use super::super::content::Content;
use super::super::document::{Document, Parsed};
use super::super::shape;
use super::executor::{TYPE_FLAGS, slot};
use super::file::{File, Node, Shapes, outline};
use super::roles::Roles;
use super::shapes::{Call, Shape, infer};
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Dtype, Fault, Kind, RawDim, attrs};

/// Walks through the nodes at most so often: what a later node requires of a variable helps earlier
/// ones only then.
const PASSES: usize = 4;

/// Whether a file has the outline without shapes.
pub fn sniff(content: &Content) -> bool {
    outline(content) == Some(Shapes::Asked)
}

/// Turns the outline into a graph of as many known shapes as there are.
///
/// # Errors
/// The first fault of the outline, or every fault of the graph.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let file = &File::read(content.into_object()?)?;
    let roles = Roles::of(file, answers);
    let (mut shapes, mut types) = stated(file, &roles, answers)?;
    let mut stuck: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..PASSES {
        let known = shapes.iter().flatten().count();
        stuck = pass(file, &mut shapes, &mut types)?;
        if shapes.iter().flatten().count() == known {
            break;
        }
    }
    let mut builder = Builder::new(&roles.graph_name);
    let mut slots: Vec<Slot> = Vec::with_capacity(file.entries());
    for (node, record) in file.nodes.iter().enumerate() {
        for (output, entry) in file.outputs(node).enumerate() {
            let shape = shapes[entry].as_ref().map(|shape| shape.iter().map(shape::Extent::raw).collect());
            let kind = roles.kind(file, node, entry);
            let shape = shape.unwrap_or_else(unknown_shape);
            let dtype = types[entry].unwrap_or(Dtype::Float32);
            slots.push(builder.tensor(&roles.name(file, node, output), dtype, shape, kind));
        }
        if record.op.is_none() {
            continue;
        }
        let inputs: Vec<Slot> =
            record.inputs.iter().map(|&entry| slot(&slots, entry, node)).collect::<Result<_, _>>()?;
        let made = builder.node(&record.name, record.operator(), &inputs, &slots[file.outputs(node)]);
        made.attrs = attrs(record.attrs.iter().map(|(key, value)| (key.clone(), Attr::Text(value.clone()))));
    }
    let built = builder.finish(answers)?;
    let mut questions = built.questions;
    let mut warnings = built.warnings;
    let open = inputs_first(&mut questions, &built.graph);
    if !open && !stuck.is_empty() {
        let ops: Vec<String> = stuck.keys().take(12).cloned().collect();
        let message = Message::new("warning.shapes-unknown").count("count", stuck.values().sum::<u64>());
        warnings.push(Fault::new("nodes", message.text("ops", ops.join(", "))));
    }
    if roles.asked {
        questions.push(Question::Parameters);
    }
    let mut facts = roles.facts(file);
    facts.push(Message::new("fact.shapes-inferred"));
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(Document::Graph(built.graph)) })
}

/// While an input of the graph has no shape, that alone is asked: the others follow from it.
fn inputs_first(questions: &mut [Question], graph: &memplan_core::graph::Graph) -> bool {
    let inputs: HashSet<&str> =
        graph.tensors.iter().filter(|tensor| tensor.kind == Kind::Input).map(|tensor| tensor.name.as_str()).collect();
    let mut open = false;
    for question in questions {
        if let Question::Shapes(list) = question {
            // Labels follow from what the loss reads.
            let is_input = |name: &str| inputs.contains(name) && !name.ends_with("_label");
            open = list.iter().any(|one| is_input(&one.tensor));
            if open {
                list.retain(|one| is_input(&one.tensor));
            }
        }
    }
    open
}

type Known = (Vec<Option<Shape>>, Vec<Option<Dtype>>);

/// Shapes and types that the user or the variable itself states.
fn stated(file: &File, roles: &Roles, answers: &Answers) -> Result<Known, Vec<Fault>> {
    let (mut shapes, mut types) = (vec![None; file.entries()], vec![None; file.entries()]);
    for (node, record) in file.nodes.iter().enumerate() {
        for (output, entry) in file.outputs(node).enumerate() {
            if record.op.is_none() {
                shapes[entry] = own_shape(record);
                types[entry] = record.attr("__dtype__").and_then(flag);
            }
            let Some(stated) = answers.stated(&roles.name(file, node, output)).map_err(|fault| vec![fault])? else {
                continue;
            };
            types[entry] = stated.dtype.or(types[entry]);
            if let Extent::Shape(shape) = stated.extent {
                let fixed = shape.into_iter().map(|dim| match dim {
                    RawDim::Fixed(extent) => i64::try_from(extent).ok().map(shape::Extent::Known),
                    RawDim::Text(_) => None,
                });
                shapes[entry] = fixed.collect();
            }
        }
    }
    Ok((shapes, types))
}

/// `__shape__`, in which 0 and -1 stand for what is not known yet.
fn own_shape(node: &Node) -> Option<Shape> {
    let call = Call { node, inputs: Vec::new(), outputs: 1 };
    let extents = call.numbers(&["__shape__"])?;
    extents.into_iter().map(|extent| (extent > 0).then_some(shape::Extent::Known(extent))).collect()
}

fn flag(text: &str) -> Option<Dtype> {
    let by_number = text.parse::<usize>().ok().and_then(|flag| TYPE_FLAGS.get(flag).copied());
    by_number.or_else(|| Dtype::from_name(text))
}

/// One walk in node order. Gives the operators that stayed without a shape although their data has
/// one.
fn pass(
    file: &File,
    shapes: &mut [Option<Shape>],
    types: &mut [Option<Dtype>],
) -> Result<BTreeMap<String, u64>, Vec<Fault>> {
    let mut stuck = BTreeMap::new();
    for (index, node) in file.nodes.iter().enumerate().filter(|(_, node)| node.op.is_some()) {
        let outputs = file.outputs(index);
        let inputs = node.inputs.iter().map(|&entry| shapes[entry].clone()).collect();
        let mut call = Call { node, inputs, outputs: outputs.len() };
        let inferred = infer(&mut call);
        let ready = node.inputs.first().is_none_or(|&entry| shapes[entry].is_some());
        for (&entry, shape) in node.inputs.iter().zip(call.inputs) {
            if shapes[entry].is_none() {
                shapes[entry] = shape;
            }
        }
        for (entry, shape) in outputs.clone().zip(inferred.into_iter().flatten()) {
            shapes[entry].get_or_insert(shape);
        }
        if ready && outputs.clone().any(|entry| shapes[entry].is_none()) {
            *stuck.entry(node.operator().to_string()).or_insert(0) += 1;
        }
        let cast = node.attr("dtype").and_then(flag);
        // Indices come in as whole numbers of any type; what they pick has the type of the table.
        let data = node.inputs.get(usize::from(node.operator() == "Embedding"));
        let dtype = cast.or_else(|| data.and_then(|&entry| types[entry]));
        for entry in outputs {
            types[entry] = types[entry].or(dtype);
        }
    }
    Ok(stuck)
}
