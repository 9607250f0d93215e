//! MLIR as text: kernels of Triton, functions with `memref.alloc`, and IREE's
//! `stream.resource.pack`.
//!
//! One parser ([`text`]) reads operations, regions and blocks of any dialect. Three readers look
//! for what they know; what they leave out is named in the report.

pub mod code;
pub mod kernel;
pub mod memref;
pub mod pack;
pub mod text;
pub mod ttgir;

#[cfg(test)]
mod tests;

use super::content::Content;
use super::csv::MAX_STEPS;
use memplan_core::base::{Message, Names};
use memplan_core::graph::Fault;
use memplan_core::problem::{Buffer, Memory, Problem};
use text::{Op, begin};

/// What MLIR prints above each version of a dump of several passes.
const DUMP: &str = "// -----// IR Dump";

/// Whether a file is MLIR as text, maybe behind what a program printed before, and holds all of
/// `words`.
fn is_mlir(content: &Content, words: &[&str]) -> bool {
    let start = content.start();
    begin(start).is_some() && words.iter().all(|word| start.contains(word))
}

/// All operations of a name, in order, wherever they stand.
fn all<'m, 't>(ops: &'m [Op<'t>], name: &str) -> Vec<&'m Op<'t>> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Op> = ops.iter().rev().collect();
    while let Some(op) = waiting.pop() {
        if op.name == name {
            found.push(op);
        }
        let inside: Vec<&Op> =
            op.regions.iter().flat_map(|(region, _)| &region.blocks).flat_map(|block| &block.ops).collect();
        waiting.extend(inside.into_iter().rev());
    }
    found
}

/// A list of buffers in one memory.
///
/// # Errors
/// Names, sizes or lives that cannot be shown.
fn problem(name: &str, device: &str, steps: u32, mut buffers: Vec<Buffer>) -> Result<Problem, Vec<Fault>> {
    let mut taken: Names<String, u64> = Names::default();
    buffers.iter_mut().for_each(|buffer| buffer.name = super::build::unique(&mut taken, &buffer.name));
    if u64::from(steps) > MAX_STEPS {
        return Err(vec![Fault::new("", Message::new("fault.mlir-many"))]);
    }
    let problem = Problem {
        name: name.to_string(),
        steps: steps.max(1),
        buffers: buffers.into(),
        memories: vec![Memory { device: device.to_string(), mem_id: None }].into(),
        ..Problem::default()
    };
    if !problem.total_is_safe(1) {
        return Err(vec![Fault::new("", Message::new("fault.sum-too-large"))]);
    }
    Ok(problem)
}
