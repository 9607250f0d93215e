//! TTGIR, Triton's code for a GPU: the buffers of shared memory of a kernel, and where a dump after
//! Triton's allocation has them.

use super::kernel::{KernelBuffer, KernelFunction, functions};
use super::text::{Module, parse, whole};
use super::{DUMP, is_mlir, problem};
use crate::import::answers::Answers;
use crate::import::content::Content;
use crate::import::document::{Document, Parsed};
use memplan_core::base::{IdVec, Message};
use memplan_core::graph::Fault;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, Kernel, Live, Problem, lower_bound};

/// Name of the memory that a block of threads shares.
const MEMORY: &str = "shared memory";

/// Whether a file is text with a function of Triton.
pub fn sniff(content: &Content) -> bool {
    is_mlir(content, &["tt.func", "ttg."])
}

/// Reads the function whose buffers need most at once.
///
/// # Errors
/// Brackets that are left open, and files without a buffer.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    let module = parse(last_dump(content.text().unwrap_or_default()))?;
    let functions = functions(&module);
    let mut best: Option<(&KernelFunction, Problem, u64)> = None;
    for function in &functions {
        let problem = listed(function)?;
        let bound = lower_bound(&problem);
        if !problem.buffers.is_empty() && best.as_ref().is_none_or(|(.., other)| bound > *other) {
            best = Some((function, problem, bound));
        }
    }
    let Some((function, mut problem, _)) = best else {
        return Err(vec![Fault::new("", Message::new("fault.ttgir-nothing"))]);
    };
    let mut facts = Vec::new();
    if functions.len() > 1 {
        let others = functions.len() as u64 - 1;
        facts.push(Message::new("fact.ttgir-function").text("name", &function.name).count("n", others));
    }
    let unsized_scratch = function.buffers.iter().filter(|buffer| buffer.size.is_none()).count() as u64;
    let stated = module.ops.first().and_then(|op| op.attribute("ttg.shared")).and_then(whole);
    // After the allocation, an operation without an offset needs none.
    let scratch = unsized_scratch + if stated.is_none() { u64::from(function.scratch) } else { 0 };
    problem.kernel = Some(Kernel {
        target: target(&module),
        unsized_scratch: scratch as u32,
        left_out: (function.unknown.len() + function.calls.len()) as u32,
        stated,
    });
    if scratch > 0 {
        facts.push(Message::new("fact.ttgir-scratch").count("n", scratch));
    }
    if !function.calls.is_empty() {
        facts.push(Message::new("fact.ttgir-calls").text("names", function.calls.join(", ")));
    }
    facts.extend(stated.map(|bytes| Message::new("fact.ttgir-shared").bytes("size", bytes)));
    if problem.buffers.iter().any(|buffer| buffer.kernel.as_ref().is_some_and(|facts| facts.region.is_some())) {
        facts.push(Message::new("fact.ttgir-regions"));
    }
    let warning = |(line, kind): &(u32, String)| {
        Fault::new(format!("line {line}"), Message::new("warning.ttgir-type").text("type", kind))
    };
    let warnings = function.unknown.iter().map(warning).collect();
    let document = match plan(function, &problem, stated) {
        Some(plan) => Document::Plan(problem, plan),
        None => Document::Buffers(problem),
    };
    Ok(Parsed { facts, warnings, ..Parsed::plain(document) })
}

/// The chip that a module was compiled for.
fn target(module: &Module) -> Option<String> {
    let (_, behind) = module.ops.first()?.head.split_once("ttg.target")?;
    behind.split('"').nth(1).map(str::to_string)
}

/// The last module with a kernel that a dump of several passes holds, or the whole text. Debug
/// lines of the allocation between modules are left out.
fn last_dump(text: &str) -> &str {
    let mut begins: Vec<usize> = text.match_indices(DUMP).map(|(at, _)| at).collect();
    begins.push(text.len());
    let parts = begins.windows(2).map(|part| &text[part[0]..part[1]]);
    let found = parts.rev().find(|part| part.contains("tt.func") && part.contains("ttg."));
    found.map_or(text, |part| &part[..part.find("\n[allocation-shared-memory]").unwrap_or(part.len())])
}

fn with_size(function: &KernelFunction) -> impl Iterator<Item = (&KernelBuffer, u64)> {
    function.buffers.iter().filter_map(|buffer| Some((buffer, buffer.size.filter(|&size| size > 0)?)))
}

/// The buffers of known size as a problem.
fn listed(function: &KernelFunction) -> Result<Problem, Vec<Fault>> {
    let buffer = |(buffer, size): (&KernelBuffer, u64)| Buffer {
        align: buffer.align,
        kernel: Some(Box::new(buffer.facts)),
        ..Buffer::of(&buffer.name, size, Live::new(buffer.live.0, buffer.live.1))
    };
    problem(&function.name, MEMORY, function.ops, with_size(function).map(buffer).collect())
}

/// The plan of the file, if it states an offset for every buffer of known size.
fn plan(function: &KernelFunction, problem: &Problem, stated: Option<u64>) -> Option<Plan> {
    let offsets: Option<Vec<u64>> = with_size(function).map(|(buffer, _)| buffer.offset).collect();
    let offsets = offsets?;
    let ends = offsets.iter().zip(problem.buffers.iter()).map(|(offset, buffer)| offset.saturating_add(buffer.size));
    let size = ends.max().unwrap_or(0).max(stated.unwrap_or(0));
    let pool = Pool { name: "arena".into(), size, device: MEMORY.into(), role: PoolRole::Arena };
    let places: IdVec<_, _> = offsets.into_iter().map(|offset| Some(Place { pool: PoolId(0), offset })).collect();
    Some(Plan { pools: vec![pool].into(), places, ..Plan::default() })
}
