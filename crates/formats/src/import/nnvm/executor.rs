//! A graph with shapes and storage ids: what TVM's graph executor runs and what NNVM's memory pass
//! writes.
//!
//! Source: apache/tvm `src/runtime/graph_executor/graph_executor.{h,cc}` (0.6.1 and later),
//! `nnvm/src/pass/plan_memory.cc` (v0.6.1, also in MXNet 1.9.1). Storage ids below 0 have no
//! storage of the plan: -1 a variable, -2 memory of the caller, -3 memory made while running.
//! `storage_inplace_index` names the input whose storage an output took over.

use super::super::answers::{Answers, Question};
use super::super::build::{Builder, Slot};
use super::super::content::Content;
use super::super::document::{Document, Parsed};
use super::super::loose::Loose;
use super::file::{File, Shapes, fault, outline, wrong_type};
use super::own::Own;
use super::roles::Roles;
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Dtype, Fault, RawDim, UNKNOWN, attrs, device_name};

/// Type flags of MXNet (`mshadow/base.h`) and NNVM (`nnvm/top/tensor.h`), which agree as far as
/// this.
pub const TYPE_FLAGS: [Dtype; 7] =
    [Dtype::Float32, Dtype::Float64, Dtype::Float16, Dtype::UInt8, Dtype::Int32, Dtype::Int8, Dtype::Int64];

/// Whether a file has the outline with shapes.
pub fn sniff(content: &Content) -> bool {
    outline(content) == Some(Shapes::Stated)
}

/// Turns the outline and its lists into a graph, with its plan if there is one.
///
/// # Errors
/// The first fault of the outline, or every fault of the graph.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let file = &File::read(content.into_object()?)?;
    let shapes = file.per_entry("shape")?.unwrap_or_default();
    let types = types(file)?;
    let storages = storages(file, "storage_id")?;
    let takeovers = storages_or_none(file, "storage_inplace_index")?;
    let devices = file.per_entry("device_index")?;
    let roles = Roles::of(file, answers);

    let mut builder = Builder::new(&roles.graph_name);
    let mut slots: Vec<Slot> = Vec::with_capacity(file.entries());
    for (node, record) in file.nodes.iter().enumerate() {
        for (output, entry) in file.outputs(node).enumerate() {
            let (dtype, lanes) = types.get(entry).copied().unwrap_or((Dtype::Float32, 1));
            let name = roles.name(file, node, output);
            let shape = shape(&shapes[entry], entry)?;
            let bytes = bytes(&shape, dtype, lanes);
            let kind = roles.kind(file, node, entry);
            let slot = builder.tensor(&name, dtype, shape, kind);
            if let Some(tensor) = builder.tensor_mut(slot) {
                tensor.bytes = bytes;
                tensor.device = devices.and_then(|devices| devices[entry].whole()).map(device_name);
            }
            slots.push(slot);
        }
        let Some(_) = &record.op else { continue };
        let inputs: Vec<Slot> =
            record.inputs.iter().map(|&entry| slot(&slots, entry, node)).collect::<Result<_, _>>()?;
        let outputs = &slots[file.outputs(node)];
        let made = builder.node(&record.name, record.operator(), &inputs, outputs);
        let is_own = |key: &str| !matches!(key, "func_name" | "num_inputs" | "num_outputs" | "flatten_data");
        let own = record.attrs.iter().filter(|(key, _)| is_own(key));
        made.attrs = attrs(own.map(|(key, value)| (key.clone(), Attr::Text(value.clone()))));
        // `__nop` computes nothing (`GraphExecutor::SetupOpExecs`): the output is the input under
        // another name.
        let first = record.inputs.first().zip(file.outputs(node).next());
        let same = first.zip(storages.as_ref()).is_some_and(|((&from, to), ids)| ids[from] == ids[to]);
        if record.operator() == "__nop" && same {
            made.attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        }
        let (permissions, ignored) = roles.noted_permissions(node, inputs.len(), outputs.len());
        (made.inplace, made.ignore_inputs) = (permissions, ignored);
        for (output, entry) in file.outputs(node).enumerate() {
            let taken = takeovers.as_ref().and_then(|indices| usize::try_from(indices[entry]).ok());
            let Some((index, &from)) = taken.and_then(|index| Some((index, record.inputs.get(index)?))) else {
                continue;
            };
            let fixed = |entry: usize| shape(&shapes[entry], entry).ok().zip(types.get(entry));
            let pair = u32::try_from(index).ok().zip(u32::try_from(output).ok());
            // A permission is between equal sizes; a takeover in the plan may be between different
            // ones.
            if let Some(pair) = pair.filter(|pair| fixed(from) == fixed(entry) && !made.inplace.contains(pair)) {
                made.inplace.push(pair);
            }
        }
    }
    let built = builder.finish(answers)?;
    let mut facts = roles.facts(file);
    let mut warnings = built.warnings;
    let mut questions = built.questions;
    if roles.asked {
        questions.push(Question::Parameters);
    }
    let sized = !questions.iter().any(|question| matches!(question, Question::Shapes(_)));
    let document = match storages.filter(|_| sized) {
        Some(ids) => {
            let own = Own { file, graph: &built.graph, ids: &ids, takeovers: takeovers.as_deref().unwrap_or_default() };
            let (problem, plan) = own.plan()?;
            own.remarks(&problem, &plan, &mut facts, &mut warnings);
            Document::Planned(built.graph, problem, plan)
        }
        None => Document::Graph(built.graph),
    };
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(document) })
}

/// A read of what no earlier node makes would never run.
pub fn slot(slots: &[Slot], entry: usize, node: usize) -> Result<Slot, Vec<Fault>> {
    let late = || fault(format!("nodes[{node}].inputs"), Message::new("fault.nnvm-order").count("node", node as u64));
    slots.get(entry).copied().ok_or_else(late)
}

fn shape(value: &Loose, entry: usize) -> Result<Vec<RawDim>, Vec<Fault>> {
    let path = || format!("attrs.shape[{entry}]");
    let Loose::List(extents) = value else { return Err(wrong_type(path(), "type.list", value)) };
    let extent = |extent: &Loose| match extent {
        Loose::Whole(extent) => Ok(RawDim::Fixed(*extent)),
        // -1: any extent.
        Loose::Negative(_) => Ok(RawDim::Text(UNKNOWN.into())),
        other => Err(wrong_type(path(), "type.whole", other)),
    };
    extents.iter().map(extent).collect()
}

/// Element type and lanes of each entry.
fn types(file: &File) -> Result<Vec<(Dtype, u64)>, Vec<Fault>> {
    let (key, items) = match (file.per_entry("dltype")?, file.per_entry("dtype")?) {
        (Some(items), _) => ("dltype", items),
        (None, Some(items)) => ("dtype", items),
        (None, None) => return Ok(Vec::new()),
    };
    let of = |(entry, item): (usize, &Loose)| {
        let found = match item {
            Loose::Text(text) => parse_type(text),
            Loose::Whole(flag) => usize::try_from(*flag).ok().and_then(|flag| Some((*TYPE_FLAGS.get(flag)?, 1))),
            _ => None,
        };
        let unknown =
            || Message::new("fault.dtype").text("found", item.text().map_or_else(|| item.excerpt(40), str::to_string));
        found.ok_or_else(|| fault(format!("attrs.{key}[{entry}]"), unknown()))
    };
    items.iter().enumerate().map(of).collect()
}

/// `float32`, `int8x4`: DLPack's names, in which `uint1` is a bool and `handle` a pointer. A name
/// may have an `x` of its own.
fn parse_type(text: &str) -> Option<(Dtype, u64)> {
    if let Some(dtype) = Dtype::from_name(text) {
        return Some((dtype, 1));
    }
    let (base, lanes) = match text.rsplit_once('x') {
        Some((base, lanes)) if !base.is_empty() => (base, lanes.parse().ok().filter(|lanes| *lanes > 0)?),
        _ => (text, 1),
    };
    let dtype = match base {
        "uint1" => Dtype::Bool,
        "handle" => Dtype::UInt64,
        _ => Dtype::from_name(base)?,
    };
    Some((dtype, lanes))
}

/// The size, where it is not simply type times shape: lanes multiply, and every element takes whole
/// bytes (`GraphExecutor::SetupStorage`).
fn bytes(shape: &[RawDim], dtype: Dtype, lanes: u64) -> Option<u64> {
    let bits = dtype.bits().checked_mul(lanes)?;
    if lanes == 1 && bits.is_multiple_of(8) {
        return None;
    }
    let mut bytes = bits.div_ceil(8);
    for dim in shape {
        let RawDim::Fixed(extent) = dim else { return None };
        // Too large for any number: `graph::check` reports it.
        bytes = bytes.saturating_mul(*extent);
    }
    Some(bytes)
}

fn storages(file: &File, key: &'static str) -> Result<Option<Vec<i64>>, Vec<Fault>> {
    let Some(items) = file.per_entry(key)? else { return Ok(None) };
    let id = |(entry, item): (usize, &Loose)| match item {
        Loose::Whole(id) if *id <= i32::MAX as u64 => Ok(*id as i64),
        Loose::Negative(id) => Ok(*id),
        other => Err(wrong_type(format!("attrs.{key}[{entry}]"), "type.index", other)),
    };
    items.iter().enumerate().map(id).collect::<Result<_, _>>().map(Some)
}

/// Some writers keep the list empty.
fn storages_or_none(file: &File, key: &'static str) -> Result<Option<Vec<i64>>, Vec<Fault>> {
    match file.value(key) {
        Some(Loose::List(items)) if items.is_empty() => Ok(None),
        _ => storages(file, key),
    }
}
