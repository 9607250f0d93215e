//! The tail of an arena: what TensorFlow Lite Micro keeps beside the planned head.
//!
//! **From**: tensorflow/tflite-micro 90b983c, `micro_allocator.cc`, `micro_interpreter.cc`,
//! `micro_interpreter_graph.cc`. Sizes are those of its recording interpreter in a build for 64
//! bits; one for 32 bits and the plain interpreter need less, as pointers are half as large.

use std::collections::{BTreeMap, BTreeSet};

use super::ALIGN;
use super::kernels::KernelNeeds;
use super::model::{ASSIGN_VARIABLE, Model, Operator, Options, Subgraph};
use memplan_core::base::{MAX_SAFE, align_up};
use memplan_core::graph::tflite_operator;

/// Bytes of what every model needs: two allocators and a planner, and the allocator of options.
const START: [u64; 4] = [104, 72, 272, 16];
const PER_SUBGRAPH: u64 = 24;
const PER_TENSOR: u64 = 24;
const PER_OPERATOR: u64 = 64;
/// A tensor as the caller sees it, and the numbers it is quantised with.
const CALLERS_TENSOR: u64 = 64;
const QUANTISATION: u64 = 24;
const POINTER: u64 = 8;
/// The list of variables with names, and each of them.
const RESOURCES: u64 = 16;
const PER_RESOURCE: u64 = 40;

/// Bytes taken for a while to load a model: of each request for working memory, and of so many
/// more; then, to plan, of each tensor and request, of each subgraph, and of each buffer that is
/// planned; and what is lost as each of them begins at a multiple of 16.
const PER_SCRATCH: u64 = 16;
const SPARE_SCRATCH: u64 = 12;
const PER_LIFETIME: u64 = 32;
const PER_START: u64 = 8;
const PER_BUFFER: u64 = 40;
const LOST: u64 = 16;

/// The part of an arena that is not planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tail {
    /// Its bytes. Less than there will be if it is not known.
    pub bytes: u64,
    /// Whether the kernels of all operators are known.
    pub is_known: bool,
    /// Bytes of the whole arena while the model is loaded: of a small one more than it needs then.
    /// At most a few hundred too many, and never too few.
    pub to_load: u64,
}

/// Bytes taken one below the other from the end of the arena, which is a multiple of 16.
#[derive(Default)]
struct Stack {
    used: u64,
}

impl Stack {
    fn take(&mut self, bytes: u64, align: u64) {
        // Larger ones are refused elsewhere; here they need not be exact.
        self.used = align_up(self.used.saturating_add(bytes).min(MAX_SAFE), align);
    }
}

/// Returns the tail of a model whose operators ask for `needs`, subgraph by subgraph, with
/// variables of these bytes and so many requests for working memory and buffers to plan.
pub(super) fn tail<'n>(
    model: &Model,
    needs: impl Iterator<Item = Option<&'n KernelNeeds>> + Clone,
    variables: &[u64],
    [scratch, buffers]: [u64; 2],
) -> Tail {
    let mut stack = Stack::default();
    START[..3].iter().for_each(|&bytes| stack.take(bytes, POINTER));
    let resources = resources(model);
    if !resources.is_empty() {
        stack.take(RESOURCES, ALIGN);
        stack.take(PER_RESOURCE * resources.len() as u64, ALIGN);
    }
    stack.take(START[3], POINTER);
    stack.take(PER_SUBGRAPH * model.graphs.len() as u64, POINTER);
    for graph in &model.graphs {
        stack.take(PER_TENSOR * graph.tensors.len() as u64, POINTER);
    }
    for graph in &model.graphs {
        stack.take(PER_OPERATOR * graph.operators.len() as u64, POINTER);
    }
    for &(bytes, align) in needs.clone().flatten().filter_map(|needs| needs.options.as_ref()) {
        stack.take(bytes, align);
    }
    // All kernels take what they remember before the first of them looks at its operands.
    for &bytes in needs.clone().flatten().filter_map(|needs| needs.kept.first()) {
        stack.take(bytes, ALIGN);
    }
    let mut looking = 0;
    let operators = model.graphs.iter().flat_map(|graph| graph.operators.iter().map(move |one| (graph, one)));
    for ((graph, operator), needs) in operators.zip(needs.clone()) {
        for &bytes in needs.into_iter().flat_map(|needs| needs.kept.iter().skip(1)) {
            stack.take(bytes, ALIGN);
        }
        let used = align_up(stack.used + POINTER * scratch, ALIGN);
        looking = looking.max(used.saturating_add(operands(graph, operator)));
    }
    let assigned = assigned(model);
    for &bytes in assigned.values().flatten() {
        stack.take(bytes, ALIGN);
    }
    if scratch > 0 {
        stack.take(POINTER * scratch, POINTER);
    }
    variables.iter().for_each(|&bytes| stack.take(bytes, ALIGN));
    let tensors = model.tensors() as u64;
    let starts = align_up(PER_START * model.graphs.len() as u64, ALIGN);
    let planning = PER_LIFETIME * (tensors + scratch) + starts + align_up(PER_BUFFER * buffers, ALIGN);
    let planning = align_up(stack.used, ALIGN).saturating_add(planning);
    let to_load = looking.max(planning).saturating_add(PER_SCRATCH * (scratch + SPARE_SCRATCH) + LOST);
    if let Some(graph) = model.graphs.first() {
        callers(&mut stack, graph);
    }
    let is_known = needs.clone().all(|needs| needs.is_some()) && assigned.values().all(Option::is_some);
    Tail { bytes: align_up(stack.used, ALIGN), is_known, to_load }
}

/// Returns the bytes of the operands of an operator while its kernel is prepared. Some kernels look
/// at operands a second time, by a helper, before they give the first ones back.
fn operands(graph: &Subgraph, operator: &Operator) -> u64 {
    let (inputs, outputs) = (&operator.inputs, &operator.outputs);
    let again = match tflite_operator(operator.code).unwrap_or_default() {
        "CONV_2D" | "DEPTHWISE_CONV_2D" | "TRANSPOSE_CONV" => 2,
        "MEAN" | "SUM" | "REDUCE_MAX" | "REDUCE_MIN" | "CONCATENATION" | "LOGISTIC" | "TANH" => 1,
        _ => 0,
    };
    let twice = inputs.iter().take(again).chain(outputs.iter().take(again));
    let used = inputs.iter().chain(outputs).chain(twice);
    let tensors = used.filter_map(|&index| graph.tensors.get(usize::try_from(index).ok()?));
    let bytes = |scales: u64| if scales > 0 { align_up(QUANTISATION + 4 + 4 * scales, ALIGN) } else { 0 };
    tensors.map(|tensor| CALLERS_TENSOR + bytes(tensor.scales)).sum()
}

/// Takes the bytes of inputs and outputs as the caller sees them.
fn callers(stack: &mut Stack, graph: &Subgraph) {
    for list in [&graph.inputs, &graph.outputs] {
        if list.is_empty() {
            continue;
        }
        stack.take(POINTER * list.len() as u64, ALIGN);
        for tensor in list.iter().map(|&index| &graph.tensors[index as usize]) {
            stack.take(CALLERS_TENSOR, POINTER);
            if tensor.scales > 0 {
                stack.take(QUANTISATION, POINTER);
                stack.take(4 + 4 * tensor.scales, 4);
            }
        }
    }
}

/// Returns the names of the variables that have one.
fn resources<'m>(model: &'m Model) -> BTreeSet<&'m str> {
    let operators = model.graphs.iter().flat_map(|graph| &graph.operators);
    let name = |operator: &'m Operator| match &operator.options {
        Options::Variable(name) => Some(name.as_str()),
        _ => None,
    };
    operators.filter_map(name).collect()
}

/// Returns the bytes of each variable with a name, as the first operator that writes it has them;
/// none, by no name, if it is not known which variable is written.
fn assigned(model: &Model) -> BTreeMap<Option<&str>, Option<u64>> {
    let mut found = BTreeMap::new();
    for graph in &model.graphs {
        let mut named: BTreeMap<i32, &str> = BTreeMap::new();
        for operator in &graph.operators {
            match (&operator.options, &operator.outputs[..], &operator.inputs[..]) {
                (Options::Variable(name), &[handle, ..], _) => _ = named.insert(handle, name),
                (_, _, &[handle, value, ..]) if operator.code == ASSIGN_VARIABLE => {
                    let value = usize::try_from(value).ok().and_then(|value| graph.tensors.get(value));
                    match (named.get(&handle), value) {
                        (Some(&name), Some(value)) => _ = found.entry(Some(name)).or_insert(Some(value.bytes)),
                        _ => _ = found.insert(None, None),
                    }
                }
                _ => {}
            }
        }
    }
    found
}
