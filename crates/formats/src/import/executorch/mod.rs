//! ExecuTorch programs (`.pte`): instructions as nodes, and the places that the ahead-of-time
//! planner gave the values.
//!
//! **From**: pytorch/executorch 1.5.1, `schema/program.fbs` and `exir/emit/_emitter.py`.
//! **Time**: one step an instruction. The planner itself counts nodes of its graph, where
//! placeholders and allocations are nodes too, so the live ranges here are shorter than those it
//! planned for.
//! **Missing**: live ranges (rebuilt), names of most values, which arguments a call writes, views
//! that need no instruction, and all memory inside a delegate.

mod calls;
mod flow;
mod moves;
mod own_plan;
mod schema;
mod steps;
#[cfg(test)]
mod tests;
mod written;

use flow::Flow;
use moves::Moves;
use schema::{ExecutionPlan, Program, Tensor};
use steps::{Instructions, Role};

use super::answers::{self, Answers};
use super::build::{Builder, Slot, unknown_shape};
use super::content::Content;
use super::document::Parsed;
use super::flat;
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Dtype, Fault, Kind, RawDim, UNKNOWN};
use memplan_core::plan::check;

/// `DYNAMIC_BOUND` and `DYNAMIC_UNBOUND` of `TensorShapeDynamism`.
const BOUND: i8 = 1;
const UNBOUND: i8 = 2;

/// Most extents a shape may have (`kTensorDimensionLimit` is 16).
const MAX_RANK: usize = 64;

/// The arena of everything that names no other.
const DEFAULT_ARENA: u32 = 1;

/// Whether a file is a program: `ET` and two digits as identifier.
pub fn sniff(content: &Content) -> bool {
    matches!(content.bytes().get(4..8), Some([b'E', b'T', a, b]) if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Reads a program.
///
/// # Errors
/// Every fault found: what is damaged, or an index that leads nowhere.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let bytes = content.bytes();
    let one = |message: Message| vec![Fault::new("", message)];
    let program_bytes = without_segments(bytes).map_err(one)?;
    let program = flat::root::<Program>(program_bytes).map_err(one)?;
    let plans: Vec<ExecutionPlan> = program.execution_plan().into_iter().flatten().collect();
    let names = plans.iter().map(|plan| plan.name().unwrap_or_default().to_string()).collect();
    let (chosen, mut questions) = answers::model(names, answers).map_err(|fault| vec![fault])?;
    let Some(plan) = plans.get(chosen) else { return Err(one(Message::new("fault.pte-no-method"))) };
    let mut steps = Instructions::read(plan, program_bytes.len(), bytes_of).map_err(|fault| vec![fault])?;
    let flow = if steps.jumps > 0 { Flow::of(&steps) } else { None };
    if let Some(flow) = &flow {
        steps.close_loops(flow);
        steps.open_loops(flow);
    }

    let mut builder = Builder::new(plan.name().unwrap_or("ExecuTorch program"));
    let mut facts = vec![
        Message::new("fact.pte-file").count("version", program.version()).text("method", plan.name().unwrap_or("?")),
        Message::new("fact.pte-lives"),
    ];
    let mut warnings = Vec::new();
    let found = bytes.get(4..8).map(String::from_utf8_lossy).unwrap_or_default();
    if found != "ET12" {
        warnings.push(Fault::new("", Message::new("warning.pte-identifier").text("found", found)));
    }
    let Taken { slots: slots_of, values } = tensors(&steps, &mut builder, &mut facts)?;
    let moves = flow.as_ref().map(|flow| Moves::of(&steps, flow));
    for (at, step) in steps.steps.iter().enumerate() {
        let slots = |values: &[usize]| values.iter().filter_map(|&value| slots_of[value]).collect::<Vec<Slot>>();
        let number = step.number.or(step.outputs.first().copied()).unwrap_or_default();
        let name = format!("{} {number}", step.op);
        let joins = moves.as_ref().and_then(|moves| moves.joins(at)).and_then(|other| slots_of[other]);
        let joins = joins.map(|other| Attr::Text(builder.name_of(other).to_string()));
        let node = builder.node(&name, &step.op, &slots(&step.inputs), &slots(&step.outputs));
        if step.is_view {
            node.attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        }
        node.attrs_mut().extend(joins.map(|other| ("joins".to_string(), other)));
        if !step.window.is_empty() {
            node.attrs_mut().extend(step.window.iter().cloned());
        }
    }
    for (key, count) in [("warning.pte-delegates", steps.delegates), ("warning.pte-jumps", steps.jumps)] {
        if count > 0 {
            warnings.push(Fault::new("", Message::new(key).count("count", count)));
        }
    }
    let built = builder.finish(answers)?;
    warnings.extend(built.warnings);
    questions.extend(built.questions);
    let sizes: Vec<i64> = plan.non_const_buffer_sizes().into_iter().flatten().collect();
    let own = own_plan::Own { values: &values, steps: &steps, flow: flow.as_ref().zip(moves.as_ref()), sizes: &sizes };
    let document = own.document(built.graph, &mut facts).map_err(|fault| vec![fault])?;
    let is_broken = document.own_plan().is_some_and(|(problem, plan)| !check(problem, plan).is_empty());
    if steps.conds() > 1 && is_broken {
        warnings.push(Fault::new("", Message::new("warning.pte-conds")));
    }
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(document) })
}

/// The flatbuffer without the segments of data that may follow it, by the extended header.
fn without_segments(bytes: &[u8]) -> Result<&[u8], Message> {
    let Some((b"eh00", rest)) = bytes.get(8..).and_then(|rest| rest.split_first_chunk::<4>()) else {
        return Ok(bytes);
    };
    let size = rest.get(4..12).and_then(|size| size.try_into().ok()).map(u64::from_le_bytes);
    let whole = size.and_then(|size| bytes.get(..usize::try_from(size).ok()?));
    whole.ok_or_else(|| {
        let message = Message::new("fault.flat-short").count("length", bytes.len() as u64);
        message.count("end", size.unwrap_or(32)).text("field", "extended_header.program_size")
    })
}

/// Which value became which tensor.
struct Taken {
    /// The tensor of each value.
    slots: Vec<Option<Slot>>,
    /// The value of each tensor, in the order of the graph.
    values: Vec<usize>,
}

/// Puts the tensors in use into the graph.
fn tensors(steps: &Instructions, builder: &mut Builder, facts: &mut Vec<Message>) -> Result<Taken, Vec<Fault>> {
    let (mut slots, mut values) = (vec![None; steps.roles.len()], Vec::new());
    let (mut bounded, mut states) = (0u64, 0u64);
    for (value, (role, tensor)) in steps.roles.iter().zip(&steps.tensors).enumerate() {
        let (Some(role), Some(tensor)) = (role, tensor) else { continue };
        if tensor.sizes().is_some_and(|sizes| sizes.len() > MAX_RANK) {
            let message = Message::new("fault.rank").count("limit", MAX_RANK);
            return Err(vec![Fault::new(format!("values[{value}].sizes"), message)]);
        }
        let kind = match role {
            Role::Input | Role::State => Kind::Input,
            Role::Constant => Kind::Weight,
            Role::Made if steps.is_output(value) => Kind::Output,
            Role::Made => Kind::Intermediate,
        };
        bounded += u64::from(tensor.shape_dynamism() == BOUND);
        states += u64::from(*role == Role::State);
        let name = tensor.extra_tensor_info().and_then(|extra| extra.fully_qualified_name());
        let name = name.filter(|name| !name.is_empty()).map_or_else(|| format!("value {value}"), str::to_string);
        let (dtype, bits) = element(tensor.scalar_type());
        let shape = shape(tensor, bits);
        let slot = builder.tensor(&name, dtype, shape, kind);
        let arena = tensor.allocation_info().map(|place| place.memory_id()).filter(|&id| id > DEFAULT_ARENA);
        if let Some(raw) = builder.tensor_mut(slot) {
            raw.mem_id = arena;
        }
        slots[value] = Some(slot);
        values.push(value);
    }
    let counts = [
        ("fact.pte-bounds", bounded),
        ("fact.pte-states", states),
        ("fact.pte-views", steps.views),
        ("fact.pte-scratch", steps.scratch),
    ];
    for (key, count) in counts {
        if count > 0 {
            facts.push(Message::new(key).count("count", count));
        }
    }
    Ok(Taken { slots, values })
}

/// Bytes of a tensor; none if its type is not known or its size has no upper bound.
fn bytes_of(tensor: &Tensor) -> Option<u64> {
    let bits = element(tensor.scalar_type()).1;
    if bits == 0 || tensor.shape_dynamism() == UNBOUND {
        return None;
    }
    let mut extents = tensor.sizes().into_iter().flatten().take(MAX_RANK).map(|extent| u64::try_from(extent).ok());
    let elements = extents.try_fold(1u64, |all, extent| all.checked_mul(extent?))?;
    Some(elements.checked_mul(bits)?.div_ceil(8))
}

fn shape(tensor: &Tensor, bits: u64) -> Vec<RawDim> {
    if tensor.shape_dynamism() == UNBOUND || bits == 0 {
        return unknown_shape();
    }
    let extent = |extent: i32| match u64::try_from(extent) {
        Ok(extent) => RawDim::Fixed(extent),
        Err(_) => RawDim::Text(UNKNOWN.to_string()),
    };
    tensor.sizes().into_iter().flatten().map(extent).collect()
}

/// The element type of a `ScalarType` and its bits; 0 bits for a type that is not supported.
fn element(number: i8) -> (Dtype, u64) {
    let dtype = match number {
        0 | 13 => Dtype::UInt8,
        1 | 12 => Dtype::Int8,
        2 => Dtype::Int16,
        3 | 14 => Dtype::Int32,
        4 => Dtype::Int64,
        5 => Dtype::Float16,
        6 => Dtype::Float32,
        7 => Dtype::Float64,
        9 => Dtype::Complex64,
        10 => Dtype::Complex128,
        11 => Dtype::Bool,
        15 => Dtype::BFloat16,
        23 => Dtype::Float8E5M2,
        24 => Dtype::Float8E4M3Fn,
        25 => Dtype::Float8E5M2Fnuz,
        26 => Dtype::Float8E4M3Fnuz,
        27 => Dtype::UInt16,
        28 => Dtype::UInt32,
        29 => Dtype::UInt64,
        _ => return (Dtype::UInt8, 0),
    };
    (dtype, dtype.bits())
}
