//! An arena as buffers for the planners, and a plan of them as offsets for the file.

use super::model::{Model, NAME, RESHAPE};
use super::{ALIGN, Arena, Refusal, Who, arena};
use memplan_core::base::{Id, Message};
use memplan_core::graph::Kind;
use memplan_core::plan::{Plan, PoolRole};
use memplan_core::problem::{Buffer, BufferId, Live, Memory, MemoryId, Problem};

/// Largest address that a file can state.
const MAX_ADDRESS: u64 = i32::MAX as u64;

/// The requests of an arena as buffers in the same order: sizes rounded to 16, times as steps from
/// 0.
pub fn problem(model: &Model, arena: &Arena, name: &str) -> Problem {
    // Time -1, of what nothing reaches, is step 0.
    let step = |time: i64| (time + 1) as u32;
    let buffer = |request: &super::Request| Buffer {
        name: match request.who {
            Who::Tensor(index) => model.graphs[request.subgraph].tensors[index].name.clone(),
            Who::Scratch(index) => format!("scratch of operator {index}"),
        },
        size: request.size,
        live: Live::new(step(request.first), step(request.last.max(request.first)) + 1),
        align: ALIGN,
        memory: MemoryId::from_index(0),
        kind: Kind::Intermediate,
        fixed: None,
        gaps: Vec::new(),
        tensors: Vec::new(),
        stack: None,
        kernel: None,
    };
    let buffers: Vec<Buffer> = arena.requests.iter().map(buffer).collect();
    Problem {
        name: name.into(),
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

/// The offsets for the file, one a tensor of all subgraphs: those of the plan for what it places,
/// -1 for contents of the file, variables, empty tensors and working memory. Where a variable of a
/// later subgraph would read the entry of another tensor, that entry is -1 too, since the variable
/// would have no bytes otherwise.
///
/// # Errors
/// A plan without addresses, or of several regions, or that leaves a buffer out.
pub fn offsets(model: &Model, arena: &Arena, plan: &Plan) -> Result<Vec<i32>, Refusal> {
    let is_arena = |role: PoolRole| !matches!(role, PoolRole::Storage | PoolRole::Figure);
    if plan.pools.len() > 1 || !plan.pools.iter().all(|pool| is_arena(pool.role)) {
        return Err(Message::new("tflm.one-arena"));
    }
    let mut base = Vec::new();
    for graph in &model.graphs {
        base.push(base.last().copied().unwrap_or(0) + graph.tensors.len());
    }
    let start = |subgraph: usize| subgraph.checked_sub(1).map_or(0, |before| base[before]);
    let mut offsets = vec![-1; model.tensors()];
    for (number, request) in arena.requests.iter().enumerate() {
        let place = plan.places.get(BufferId::from_index(number)).copied().flatten();
        let place = place.ok_or_else(|| Message::new("tflm.left-out"))?;
        if let Who::Tensor(index) = request.who {
            let offset = i32::try_from(place.offset).map_err(|_| Message::new("tflm.large"))?;
            offsets[start(request.subgraph) + index] = offset;
        }
    }
    for graph in model.graphs.iter().skip(1) {
        for (index, _) in graph.tensors.iter().enumerate().filter(|(_, tensor)| tensor.is_variable) {
            offsets[index] = -1;
        }
    }
    Ok(offsets)
}

/// The arena with these offsets, which break no rule.
///
/// # Errors
/// The first rule that is broken: an address that is no multiple of 16 or too large, a place for
/// what needs none, a variable without bytes, or two that share bytes while both are in use.
pub fn check(
    model: &Model,
    offsets: &[i32],
    extra: &dyn Fn(usize, usize) -> Option<Vec<u64>>,
) -> Result<Arena, Refusal> {
    let arena = arena(model, Some(offsets), extra)?;
    let tensors = model.graphs.iter().flat_map(|graph| &graph.tensors);
    for (tensor, &offset) in tensors.zip(offsets) {
        let is_planned = !tensor.is_constant && !tensor.is_variable && tensor.bytes > 0;
        let end = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(super::model::rounded(tensor.bytes)));
        let is_right = match end {
            None => offset == -1,
            Some(end) => is_planned && offset % ALIGN as i32 == 0 && end <= MAX_ADDRESS,
        };
        if !is_right {
            let message = Message::new("tflm.bad-offset").name("name", tensor.name.clone());
            return Err(message.text("offset", offset.to_string()));
        }
    }
    if let Some(&(subgraph, index)) = arena.lost.first() {
        let name = model.graphs[subgraph].tensors[index].name.clone();
        return Err(Message::new("tflm.lost-variable").name("name", name));
    }
    if let Some(&(a, b)) = arena.overlaps().first() {
        let message = Message::new("tflm.overlap").name("a", name_of(model, &arena, a));
        return Err(message.name("b", name_of(model, &arena, b)));
    }
    Ok(arena)
}

fn name_of(model: &Model, arena: &Arena, at: usize) -> String {
    let request = &arena.requests[at];
    match request.who {
        Who::Tensor(index) => model.graphs[request.subgraph].tensors[index].name.clone(),
        Who::Scratch(index) => format!("scratch of operator {index}"),
    }
}

/// Checks that a model brings no plan that only its maker understands: one in which tensors share
/// bytes while both are in use, as inside the memory of an accelerator. What is only reshaped may
/// lie anywhere: its kernel copies if it has to.
///
/// # Errors
/// Two tensors that share bytes in the plan of the file.
pub fn check_replaceable(model: &Model, data: &[u8]) -> Result<(), Refusal> {
    // A list of another length is no plan of this model, and TensorFlow Lite Micro does not load
    // it.
    let Ok(Some(stated)) = model.plan(data) else { return Ok(()) };
    let own = arena(model, Some(&stated), &|_, _| None)?;
    let is_moved = |a: usize, b: usize| {
        let (first, second) = (&own.requests[a], &own.requests[b]);
        let (Who::Tensor(a), Who::Tensor(b)) = (first.who, second.who) else { return false };
        let graph = &model.graphs[first.subgraph];
        let operators = graph.operators.iter().filter(|operator| operator.code == RESHAPE);
        let mut pairs = operators.filter_map(|operator| Some((*operator.inputs.first()?, *operator.outputs.first()?)));
        first.subgraph == second.subgraph
            && pairs.any(|pair| [(a as i32, b as i32), (b as i32, a as i32)].contains(&pair))
    };
    // Working memory has no place of its own in the file.
    let is_stated = |at: usize| own.requests[at].fixed.is_some();
    let shared = own.overlaps().into_iter().find(|&(a, b)| is_stated(a) && is_stated(b) && !is_moved(a, b));
    let Some((a, b)) = shared else { return Ok(()) };
    let message = Message::new("tflm.kept").name("a", name_of(model, &own, a)).name("b", name_of(model, &own, b));
    Err(message.bytes("head", own.head))
}

/// Reads a written file again: the plan is the one meant, all contents are those of the old file,
/// and they lie as many bytes from a multiple of 16 as before.
///
/// # Errors
/// The first difference.
pub fn read_back(old: &[u8], new: &[u8], offsets: &[i32]) -> Result<(), Refusal> {
    let (before, after) = (Model::read(old)?, Model::read(new)?);
    let differs = |what: &'static str| Err(Message::new("tflm.differs").text("what", what));
    if after.plan(new)?.as_deref() != Some(offsets) {
        return differs("plan");
    }
    let contents = |data: &[u8], table: usize| -> Result<(Vec<u8>, usize), Refusal> {
        let bytes = crate::bytes::Bytes(data);
        Ok((bytes.data(table, 0)?.to_vec(), bytes.vector(table, 0, 1)?.0 % ALIGN as usize))
    };
    let own = |model: &Model| model.metadata.iter().rev().find(|(name, ..)| name == NAME).map(|entry| entry.1);
    let plans = [own(&before), own(&after)];
    for (number, (&a, &b)) in before.buffers.iter().zip(&after.buffers).enumerate() {
        if !plans.contains(&Some(number)) && contents(old, a)? != contents(new, b)? {
            return differs("contents");
        }
    }
    let shapes = |model: &Model| -> Vec<(String, u8, Vec<u64>, bool, bool)> {
        let tensors = model.graphs.iter().flat_map(|graph| &graph.tensors);
        let shape = |tensor: &super::model::Tensor| {
            (tensor.name.clone(), tensor.dtype, tensor.shape.clone(), tensor.is_constant, tensor.is_variable)
        };
        tensors.map(shape).collect()
    };
    if before.buffers.len() > after.buffers.len() || shapes(&before) != shapes(&after) {
        return differs("tensors");
    }
    let operators = |model: &Model| -> Vec<(i32, Vec<i32>, Vec<i32>)> {
        let operators = model.graphs.iter().flat_map(|graph| &graph.operators);
        operators.map(|operator| (operator.code, operator.inputs.clone(), operator.outputs.clone())).collect()
    };
    if operators(&before) != operators(&after) {
        return differs("operators");
    }
    Ok(())
}
