//! Plans written into ONNX models as entries beside the values, as onnxsim writes them.
//!
//! **From**: onnxsim 0.8.1, `onnxsim/memory_planning.py` (`annotate_memory_plan`); fields of
//! `onnx.proto3` (onnx/onnx 1.23, commit 004aa57f).
//! **What changes**: the metadata of the model, of values, and of graphs in attributes. A tensor
//! that the file does not describe gets a description with type and shape. All else stays byte for
//! byte. What is no tensor ([`Outline::others`]) is not planned.

mod forms;

use std::collections::{BTreeMap, BTreeSet};

pub use forms::Form;

use crate::import::protobuf::{Fields, Payload, put, put_varint};
use crate::import::{onnx_dtype, onnx_elem};
use memplan_core::base::Message;
use memplan_core::graph::Dtype;

/// Why a model cannot get a plan.
pub type Refusal = Message;

/// What the keys begin with.
pub const PREFIX: &str = "onnxsim.";

/// Most values left out that are named.
const NAMED: usize = 20;

/// Deepest nesting of graphs that is followed.
const MAX_DEPTH: u32 = 64;

/// Fields of the messages.
const MODEL_GRAPH: u32 = 7;
const MODEL_ENTRIES: u32 = 14;
const MODEL_FUNCTION: u32 = 25;
const FUNCTION_NAME: u32 = 1;
const FUNCTION_INPUT: u32 = 4;
const FUNCTION_OUTPUT: u32 = 5;
const FUNCTION_NODE: u32 = 7;
const FUNCTION_DOMAIN: u32 = 10;
const GRAPH_NODE: u32 = 1;
const GRAPH_NAME: u32 = 2;
const GRAPH_WEIGHT: u32 = 5;
const GRAPH_INPUT: u32 = 11;
const GRAPH_OUTPUT: u32 = 12;
const GRAPH_INFO: u32 = 13;
const GRAPH_ENTRIES: u32 = 16;
const NODE_ATTRIBUTE: u32 = 5;
const NODE_DOMAIN: u32 = 7;
const ATTRIBUTE_GRAPH: u32 = 6;
const ATTRIBUTE_GRAPHS: u32 = 11;
const ATTRIBUTE_TYPE: u32 = 14;
const INFO_TYPE: u32 = 2;
const INFO_ENTRIES: u32 = 4;
const TYPE_TENSOR: u32 = 1;
const TYPE_OPTIONAL: u32 = 9;

/// A plan as it is written: of the model's graph, or of one in an attribute.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotation {
    /// Bytes of the arena.
    pub arena: u64,
    /// Bytes of all values that are planned, without sharing.
    pub naive: u64,
    /// Names of values that are not planned, in order.
    pub unplanned: Vec<String>,
    /// Bytes kept free for graphs of nodes; written for graphs in attributes only.
    pub reserved: u64,
    /// First byte and bytes of each value.
    pub values: BTreeMap<String, (u64, u64)>,
    /// Types and shapes of values that the file may not describe.
    pub types: BTreeMap<String, (Dtype, Vec<u64>)>,
    /// Plans of the graphs of nodes, in order of nodes and attributes; empty if there are none.
    pub subgraphs: Vec<Annotation>,
}

/// A graph as the file has it, without any inference.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Its name.
    pub name: String,
    /// The attribute that holds it; empty for the model's graph.
    pub attribute: String,
    /// Names of its inputs.
    pub inputs: Vec<String>,
    /// Names of its results.
    pub outputs: Vec<String>,
    /// Names of its initializers.
    pub weights: Vec<String>,
    /// Types and shapes of values: those that are stated in numbers.
    pub values: BTreeMap<String, Described>,
    /// Its nodes.
    pub nodes: Vec<OutlinedNode>,
    /// Words about the graph; of the model's graph those about the model.
    pub entries: BTreeMap<String, String>,
    /// Words about its values.
    pub value_entries: BTreeMap<String, BTreeMap<String, String>>,
    /// Names of its values that are sequences, optional values and the like, and no tensors.
    pub others: BTreeSet<String>,
}

/// What a file states about a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Described {
    /// Its element type, if it is one that has a size.
    pub dtype: Option<Dtype>,
    /// Its extents; none for a shape that is not stated, or not in numbers.
    pub shape: Option<Vec<u64>>,
    /// What it is; none if no type is stated.
    pub form: Option<Form>,
}

/// A node of an [`Outline`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutlinedNode {
    /// Its operator.
    pub op: String,
    /// The domain of its operator; empty for ONNX itself.
    pub domain: String,
    /// Whether a type in its attributes is that of a sequence or a map, or holds one.
    pub holds_composed: bool,
    /// Names of its operands; an empty one is missing.
    pub inputs: Vec<String>,
    /// Names of its results.
    pub outputs: Vec<String>,
    /// Graphs in its attributes, in order.
    pub subgraphs: Vec<Outline>,
}

/// A function that nodes of a model call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct OutlinedFunction {
    domain: String,
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    nodes: Vec<OutlinedNode>,
}

impl Annotation {
    /// The totals as entries, in the order in which they are written.
    pub fn totals(&self, is_inside: bool) -> Vec<(String, String)> {
        let ratio = if self.naive == 0 { 0.0 } else { 1.0 - self.arena as f64 / self.naive as f64 };
        let mut totals = vec![
            ("arena_bytes", self.arena.to_string()),
            ("naive_bytes", self.naive.to_string()),
            ("compression_ratio", format!("{ratio:.4}")),
            ("unplanned_count", self.unplanned.len().to_string()),
        ];
        if !self.unplanned.is_empty() {
            let mut names = self.unplanned[..self.unplanned.len().min(NAMED)].join(", ");
            if self.unplanned.len() > NAMED {
                names.push_str(&format!(", ... (+{} more)", self.unplanned.len() - NAMED));
            }
            totals.push(("unplanned", names));
        }
        if is_inside && self.reserved > 0 {
            totals.push(("subgraph_reserved_bytes", self.reserved.to_string()));
        }
        totals.into_iter().map(|(key, value)| (format!("{PREFIX}memory_plan_{key}"), value)).collect()
    }

    /// The entries of a value.
    fn of_value(&self, name: &str) -> Option<Vec<(String, String)>> {
        let (offset, size) = self.values.get(name)?;
        let entry = |key: &str, value: &u64| (format!("{PREFIX}{key}"), value.to_string());
        Some(vec![entry("mem_offset", offset), entry("mem_size", size)])
    }
}

fn damaged() -> Refusal {
    Message::new("onnx-plan.damaged")
}

/// The tag of a field, what it holds, and its bytes in the file.
type RawField<'a> = (u32, Payload<'a>, &'a [u8]);

/// The fields of a message.
fn fields(message: &[u8]) -> Result<Vec<RawField<'_>>, Refusal> {
    let mut found = Vec::new();
    let mut fields = Fields { rest: message };
    loop {
        let before = fields.rest;
        let Some(field) = fields.next() else { return Ok(found) };
        let (tag, payload) = field.map_err(|_| damaged())?;
        found.push((tag, payload, &before[..before.len() - fields.rest.len()]));
    }
}

fn text(payload: &Payload) -> Result<String, Refusal> {
    match payload {
        Payload::Bytes(bytes) => std::str::from_utf8(bytes).map(str::to_string).map_err(|_| damaged()),
        _ => Err(damaged()),
    }
}

/// The text of the last field with this tag.
fn text_of(message: &[u8], wanted: u32) -> Result<String, Refusal> {
    let found = fields(message)?.into_iter().rev().find(|(tag, ..)| *tag == wanted);
    found.map_or_else(|| Ok(String::new()), |(_, payload, _)| text(&payload))
}

fn entry_of(message: &[u8]) -> Result<(String, String), Refusal> {
    Ok((text_of(message, 1)?, text_of(message, 2)?))
}

fn put_entries(to: &mut Vec<u8>, tag: u32, entries: &[(String, String)]) {
    for (key, value) in entries {
        let mut entry = Vec::new();
        put(&mut entry, 1, key.as_bytes());
        put(&mut entry, 2, value.as_bytes());
        put(to, tag, &entry);
    }
}

/// Reads the outline of a model.
///
/// # Errors
/// The file is damaged, or graphs are nested too deep.
pub fn outline(model: &[u8]) -> Result<Outline, Refusal> {
    let mut found = Outline::default();
    let (mut entries, mut functions) = (BTreeMap::new(), Vec::new());
    for (tag, payload, _) in fields(model)? {
        match (tag, payload) {
            (MODEL_GRAPH, Payload::Bytes(graph)) => found = outline_of(graph, 0)?,
            (MODEL_ENTRIES, Payload::Bytes(entry)) => entries.extend([entry_of(entry)?]),
            (MODEL_FUNCTION, Payload::Bytes(function)) => functions.push(function_of(function)?),
            _ => {}
        }
    }
    forms::find(&mut found, &functions);
    Ok(Outline { entries, ..found })
}

fn function_of(function: &[u8]) -> Result<OutlinedFunction, Refusal> {
    let mut found = OutlinedFunction::default();
    for (tag, payload, _) in fields(function)? {
        match (tag, &payload) {
            (FUNCTION_NAME, _) => found.name = text(&payload)?,
            (FUNCTION_DOMAIN, _) => found.domain = text(&payload)?,
            (FUNCTION_INPUT, _) => found.inputs.push(text(&payload)?),
            (FUNCTION_OUTPUT, _) => found.outputs.push(text(&payload)?),
            (FUNCTION_NODE, Payload::Bytes(node)) => found.nodes.push(node_of(node, 0)?),
            _ => {}
        }
    }
    Ok(found)
}

fn outline_of(graph: &[u8], depth: u32) -> Result<Outline, Refusal> {
    if depth > MAX_DEPTH {
        return Err(damaged());
    }
    let mut found = Outline::default();
    // Later records win: inputs, results, descriptions, whatever their order in the file.
    let mut described: BTreeMap<u32, Vec<(String, Described)>> = BTreeMap::new();
    for (tag, payload, _) in fields(graph)? {
        let Payload::Bytes(part) = payload else { continue };
        match tag {
            GRAPH_NAME => found.name = text(&payload)?,
            GRAPH_NODE => found.nodes.push(node_of(part, depth)?),
            GRAPH_WEIGHT => found.weights.push(text_of(part, 8)?),
            GRAPH_ENTRIES => found.entries.extend([entry_of(part)?]),
            GRAPH_INPUT | GRAPH_OUTPUT | GRAPH_INFO => {
                let name = text_of(part, 1)?;
                let entries = found.value_entries.entry(name.clone()).or_default();
                for (tag, payload, _) in fields(part)? {
                    if let (INFO_ENTRIES, Payload::Bytes(entry)) = (tag, payload) {
                        entries.extend([entry_of(entry)?]);
                    }
                }
                match tag {
                    GRAPH_INPUT => found.inputs.push(name.clone()),
                    GRAPH_OUTPUT => found.outputs.push(name.clone()),
                    _ => {}
                }
                described.entry(tag).or_default().push((name, described_by(part)?));
            }
            _ => {}
        }
    }
    found.values = described.into_values().flatten().collect();
    found.value_entries.retain(|_, entries| !entries.is_empty());
    Ok(found)
}

fn node_of(node: &[u8], depth: u32) -> Result<OutlinedNode, Refusal> {
    let mut found = OutlinedNode::default();
    for (tag, payload, _) in fields(node)? {
        match (tag, &payload) {
            (1, _) => found.inputs.push(text(&payload)?),
            (2, _) => found.outputs.push(text(&payload)?),
            (4, _) => found.op = text(&payload)?,
            (NODE_DOMAIN, _) => found.domain = text(&payload)?,
            (NODE_ATTRIBUTE, Payload::Bytes(attribute)) => {
                for (tag, payload, _) in fields(attribute)? {
                    match (tag, payload) {
                        (ATTRIBUTE_GRAPH | ATTRIBUTE_GRAPHS, Payload::Bytes(graph)) => {
                            let inner = outline_of(graph, depth + 1)?;
                            found.subgraphs.push(Outline { attribute: text_of(attribute, 1)?, ..inner });
                        }
                        (ATTRIBUTE_TYPE, Payload::Bytes(kind)) => {
                            found.holds_composed |= form_of(kind, 0)?.is_some_and(|form| form.is_composed);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Type and shape of a value's description.
fn described_by(info: &[u8]) -> Result<Described, Refusal> {
    let part = |message: &[u8], wanted: u32| -> Result<Option<Vec<u8>>, Refusal> {
        let found = fields(message)?.into_iter().rev().find(|(tag, ..)| *tag == wanted);
        Ok(found
            .and_then(|(_, payload, _)| if let Payload::Bytes(bytes) = payload { Some(bytes.to_vec()) } else { None }))
    };
    let Some(kind) = part(info, INFO_TYPE)? else { return Ok(Described::default()) };
    let mut found = Described { form: form_of(&kind, 0)?, ..Described::default() };
    let Some(tensor) = part(&kind, TYPE_TENSOR)? else { return Ok(found) };
    for (tag, payload, _) in fields(&tensor)? {
        match (tag, payload) {
            (1, Payload::Number(elem)) => found.dtype = i32::try_from(elem).ok().and_then(onnx_dtype),
            (2, Payload::Bytes(shape)) => {
                let mut extents = Some(Vec::new());
                for (tag, payload, _) in fields(shape)? {
                    let (1, Payload::Bytes(dim)) = (tag, payload) else { continue };
                    let extent = fields(dim)?.into_iter().rev().find_map(|(tag, payload, _)| match (tag, payload) {
                        (1, Payload::Number(extent)) => i64::try_from(extent).ok().map(i64::unsigned_abs),
                        _ => None,
                    });
                    extents = extents.zip(extent).map(|(mut extents, extent)| {
                        extents.push(extent);
                        extents
                    });
                }
                found.shape = extents;
            }
            _ => {}
        }
    }
    Ok(found)
}

/// What a value of this type is; none for a type that says nothing.
fn form_of(kind: &[u8], depth: u32) -> Result<Option<Form>, Refusal> {
    if depth > MAX_DEPTH {
        return Err(damaged());
    }
    let held = fields(kind)?.into_iter().rev().find_map(|(tag, payload, _)| match payload {
        Payload::Bytes(held) if tag <= TYPE_OPTIONAL && tag != 6 => Some((tag, held)),
        _ => None,
    });
    Ok(match held {
        Some((TYPE_OPTIONAL, optional)) => {
            // The message holds the type of the value.
            let inner = fields(optional)?.into_iter().rev().find(|(tag, ..)| *tag == 1);
            let inner = match inner {
                Some((_, Payload::Bytes(kind), _)) => form_of(kind, depth + 1)?,
                _ => None,
            };
            Some(Form { is_optional: true, is_composed: inner.is_some_and(|form| form.is_composed) })
        }
        Some((tag, _)) => Some(Form { is_optional: false, is_composed: tag != TYPE_TENSOR }),
        None => None,
    })
}

/// Writes a plan into a model. Entries of an earlier plan go.
///
/// # Errors
/// The file is damaged.
pub fn annotate(model: &[u8], annotation: &Annotation) -> Result<Vec<u8>, Refusal> {
    let mut written = Vec::with_capacity(model.len() + model.len() / 4);
    for (tag, payload, bytes) in fields(model)? {
        match (tag, payload) {
            (MODEL_GRAPH, Payload::Bytes(graph)) => {
                put(&mut written, MODEL_GRAPH, &graph_with(graph, annotation, 0)?);
            }
            (MODEL_ENTRIES, Payload::Bytes(entry)) if is_ours(entry)? => {}
            _ => written.extend_from_slice(bytes),
        }
    }
    put_entries(&mut written, MODEL_ENTRIES, &annotation.totals(false));
    Ok(written)
}

/// Whether an entry is one of a plan.
fn is_ours(entry: &[u8]) -> Result<bool, Refusal> {
    let (key, _) = entry_of(entry)?;
    let ending = key.strip_prefix(PREFIX).unwrap_or_default();
    Ok(ending == "mem_offset" || ending == "mem_size" || ending.starts_with("memory_plan_"))
}

fn graph_with(graph: &[u8], annotation: &Annotation, depth: u32) -> Result<Vec<u8>, Refusal> {
    let mut written = Vec::with_capacity(graph.len() + graph.len() / 4);
    let mut inner = annotation.subgraphs.iter();
    let (mut described, mut made): (BTreeSet<String>, BTreeSet<String>) = (BTreeSet::new(), BTreeSet::new());
    for (tag, payload, bytes) in fields(graph)? {
        match (tag, payload) {
            (GRAPH_NODE, Payload::Bytes(node)) => {
                let results = fields(node)?.into_iter().filter(|(tag, ..)| *tag == 2);
                for (_, payload, _) in results {
                    made.insert(text(&payload)?);
                }
                match node_with(node, &mut inner, depth)? {
                    Some(node) => put(&mut written, GRAPH_NODE, &node),
                    None => written.extend_from_slice(bytes),
                }
            }
            (GRAPH_INPUT | GRAPH_OUTPUT | GRAPH_INFO, Payload::Bytes(info)) => {
                let name = text_of(info, 1)?;
                put(&mut written, tag, &info_with(info, annotation.of_value(&name))?);
                described.insert(name);
            }
            (GRAPH_ENTRIES, Payload::Bytes(entry)) if depth > 0 && is_ours(entry)? => {}
            _ => written.extend_from_slice(bytes),
        }
    }
    for (name, (dtype, shape)) in &annotation.types {
        let entries = annotation.of_value(name).filter(|_| made.contains(name) && !described.contains(name));
        if let Some(entries) = entries {
            put(&mut written, GRAPH_INFO, &description(name, *dtype, shape, &entries));
        }
    }
    if depth > 0 {
        put_entries(&mut written, GRAPH_ENTRIES, &annotation.totals(true));
    }
    Ok(written)
}

/// The node with plans of its graphs; none if it has no graphs, or these no plans.
fn node_with<'a>(
    node: &[u8],
    inner: &mut impl Iterator<Item = &'a Annotation>,
    depth: u32,
) -> Result<Option<Vec<u8>>, Refusal> {
    if depth > MAX_DEPTH {
        return Err(damaged());
    }
    let (mut written, mut has_plans) = (Vec::with_capacity(node.len()), false);
    for (tag, payload, bytes) in fields(node)? {
        let (NODE_ATTRIBUTE, Payload::Bytes(attribute)) = (tag, payload) else {
            written.extend_from_slice(bytes);
            continue;
        };
        let mut changed = Vec::with_capacity(attribute.len());
        for (tag, payload, bytes) in fields(attribute)? {
            match (tag, payload) {
                (ATTRIBUTE_GRAPH | ATTRIBUTE_GRAPHS, Payload::Bytes(graph)) => match inner.next() {
                    Some(annotation) => {
                        has_plans = true;
                        put(&mut changed, tag, &graph_with(graph, annotation, depth + 1)?);
                    }
                    None => changed.extend_from_slice(bytes),
                },
                _ => changed.extend_from_slice(bytes),
            }
        }
        put(&mut written, NODE_ATTRIBUTE, &changed);
    }
    Ok(has_plans.then_some(written))
}

fn info_with(info: &[u8], entries: Option<Vec<(String, String)>>) -> Result<Vec<u8>, Refusal> {
    let mut written = Vec::with_capacity(info.len() + 64);
    for (tag, payload, bytes) in fields(info)? {
        match (tag, payload) {
            (INFO_ENTRIES, Payload::Bytes(entry)) if is_ours(entry)? => {}
            _ => written.extend_from_slice(bytes),
        }
    }
    put_entries(&mut written, INFO_ENTRIES, &entries.unwrap_or_default());
    Ok(written)
}

/// The description of a value that has none.
fn description(name: &str, dtype: Dtype, shape: &[u64], entries: &[(String, String)]) -> Vec<u8> {
    let mut extents = Vec::new();
    for &extent in shape {
        let mut dim = vec![1 << 3];
        put_varint(&mut dim, extent);
        put(&mut extents, 1, &dim);
    }
    let mut tensor = vec![1 << 3];
    put_varint(&mut tensor, onnx_elem(dtype).unsigned_abs().into());
    put(&mut tensor, 2, &extents);
    let (mut kind, mut info) = (Vec::new(), Vec::new());
    put(&mut kind, 1, &tensor);
    put(&mut info, 1, name.as_bytes());
    put(&mut info, 2, &kind);
    put_entries(&mut info, INFO_ENTRIES, entries);
    info
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{self, Answers, Document, sample_onnx};

    fn annotation(values: &[(&str, u64, u64)]) -> Annotation {
        Annotation {
            arena: 96,
            naive: 128,
            unplanned: vec!["s".into()],
            values: values.iter().map(|&(name, offset, size)| (name.to_string(), (offset, size))).collect(),
            types: values.iter().map(|&(name, ..)| (name.to_string(), (Dtype::Float32, vec![1, 64, 56, 56]))).collect(),
            ..Annotation::default()
        }
    }

    #[test]
    fn totals_are_those_of_the_original() {
        let mut totals = annotation(&[]);
        let values =
            |totals: &Annotation, inside| totals.totals(inside).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(values(&totals, false), ["96", "128", "0.2500", "1", "s"]);
        totals.unplanned = (0..23).map(|number| format!("v{number}")).collect();
        totals.reserved = 8;
        let more = values(&totals, true);
        assert!(more[4].ends_with("v19, ... (+3 more)") && more[5] == "8", "{more:?}");
        let empty = Annotation::default();
        assert_eq!(values(&empty, false), ["0", "0", "0.0000", "0"]);
    }

    /// A value that the file does not describe gets a description; entries of an earlier plan go.
    #[test]
    fn a_plan_is_written_and_read_again() {
        let model = sample_onnx(100, 0, false);
        let name = "/features/layer.0/Conv_output_0";
        let bytes = 4 * 64 * 56 * 56;
        let first = annotate(&model, &annotation(&[("t0", 0, bytes), (name, bytes, bytes)])).expect("sound");
        let again = annotate(&first, &annotation(&[(name, 64, bytes)])).expect("sound");
        let outline = outline(&again).expect("sound");
        assert_eq!(outline.value_entries.keys().collect::<Vec<_>>(), [name]);
        assert_eq!(outline.value_entries[name]["onnxsim.mem_offset"], "64");
        assert_eq!(outline.entries["onnxsim.memory_plan_arena_bytes"], "96");
        assert_eq!(outline.values[name].shape, Some(vec![1, 64, 56, 56]));
        let read = import::read(&first, Answers::default()).expect("a model");
        let Document::Planned(_, problem, plan) = read.document else { panic!("a plan") };
        let offset = |name: &str| plan.places[problem.buffer_named(name).expect("named")].map(|place| place.offset);
        assert_eq!((offset("t0"), offset(name), offset("t1")), (Some(0), Some(bytes), None));
        assert!(matches!(import::read(&model, Answers::default()).expect("a model").document, Document::Graph(_)));
        assert_eq!(annotate(&model[..model.len() - 1], &annotation(&[])), Err(damaged()));
    }
}
