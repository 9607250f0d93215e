//! Functions with `memref.alloc` and `memref.dealloc`: the buffers that MLIR's static memory
//! planner places, with their lives in operations of the entry block.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{CodeOp, flows};
use super::kernel::{CodeReader, bits, extents, split, symbol};
use super::text::{Op, arguments, parse, whole};
use super::{all, is_mlir, problem};
use crate::import::answers::Answers;
use crate::import::content::Content;
use crate::import::document::{Document, Parsed};
use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::problem::{Buffer, Live};

/// Operations whose result is a view of their first operand.
const VIEWS: [&str; 13] = [
    "memref.subview",
    "memref.view",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.transpose",
    "memref.memory_space_cast",
    "memref.reshape",
    "memref.assume_alignment",
    // Its first result is the buffer; releases that MLIR inserts go through it.
    "memref.extract_strided_metadata",
    "vector.type_cast",
    "amdgpu.fat_raw_buffer_cast",
];

const ALLOC: &str = "memref.alloc";

/// Whether a file is text with a function that allocates.
pub fn sniff(content: &Content) -> bool {
    is_mlir(content, &[ALLOC]) && !content.start().contains("ttg.") && !content.start().contains("stream.resource.pack")
}

/// Reads the first function that allocates.
///
/// # Errors
/// What stops MLIR's pass, too: allocations without a release, or one in another block; functions
/// without any.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    let module = parse(content.text().unwrap_or_default())?;
    let allocates = |op: &&&Op| !all(std::slice::from_ref(**op), ALLOC).is_empty();
    let functions = all(&module.ops, "func.func");
    let found: Vec<&Op> = functions.iter().filter(allocates).copied().collect();
    let Some(function) = found.first() else {
        return Err(vec![Fault::new("", Message::new("fault.mlir-nothing"))]);
    };
    let name = symbol(function.head).unwrap_or_default();
    let (buffers, steps, skipped) = candidates(function)?;
    let mut facts = Vec::new();
    if found.len() > 1 {
        facts.push(Message::new("fact.mlir-function").text("name", name).count("n", found.len() as u64 - 1));
    }
    let warning = |(line, name, why): (u32, String, &'static str)| {
        Fault::new(format!("line {line}"), Message::new(why).name("name", name))
    };
    let warnings = skipped.into_iter().map(warning).collect();
    let document = Document::Buffers(problem(name, "cpu", steps, buffers)?);
    Ok(Parsed { facts, warnings, ..Parsed::plain(document) })
}

/// Allocations that are left alone: line, name and reason.
type Skipped = Vec<(u32, String, &'static str)>;

fn candidates(function: &Op) -> Result<(Vec<Buffer>, u32, Skipped), Vec<Fault>> {
    let fault = |line: u32, key: &'static str| vec![Fault::new(format!("line {line}"), Message::new(key))];
    if function.head.split_once("->").is_some_and(|(_, results)| results.contains("memref<")) {
        return Err(fault(function.line, "fault.mlir-result"));
    }
    let Some((body, _)) = function.regions.first() else {
        return Err(fault(function.line, "fault.mlir-nothing"));
    };
    let mut reader = CodeReader::default();
    let code = reader.region(body, &arguments(function.head));
    // In the order of the text: each operation, the index of the one of the entry block that it is
    // or stands in, and whether it is that one.
    let mut listed: Vec<(&CodeOp, u32, bool)> = Vec::new();
    for (number, block) in code.iter().enumerate() {
        for (index, op) in block.ops.iter().enumerate() {
            let index = if number == 0 { index as u32 } else { u32::MAX };
            let before = listed.len();
            let mut waiting = vec![op];
            while let Some(op) = waiting.pop() {
                listed.push((op, index, listed.len() == before && number == 0));
                waiting.extend(op.regions.iter().flatten().flat_map(|block| &block.ops).rev());
            }
        }
    }
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut back: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (from, to) in flows(&code, &|name| VIEWS.contains(&name)) {
        next.entry(from).or_default().push(to);
        back.entry(to).or_default().push(from);
    }
    let reach = |from: u32, edges: &BTreeMap<u32, Vec<u32>>| {
        let (mut found, mut waiting) = (BTreeSet::from([from]), vec![from]);
        while let Some(value) = waiting.pop() {
            waiting.extend(edges.get(&value).into_iter().flatten().filter(|&&other| found.insert(other)));
        }
        found
    };
    let mut released: Vec<(u32, u32)> = Vec::new();
    let mut allocs: Vec<(u32, &Op, u32, u64)> = Vec::new();
    let mut nested: BTreeSet<u32> = BTreeSet::new();
    let mut skipped: Skipped = Vec::new();
    for (op, &(flow, step, is_direct)) in reader.ops.iter().zip(&listed) {
        let Some(op) = *op else { continue };
        let name = || op.results.first().map_or(String::new(), |(name, _)| name.trim_start_matches('%').to_string());
        match (op.name, flow.ins.first().copied().flatten(), flow.outs.first().copied().flatten()) {
            ("memref.dealloc", Some(value), _) => released.push((value, step)),
            (ALLOC, _, Some(value)) => match bytes(op.head) {
                Bytes::Dynamic => skipped.push((op.line, name(), "warning.mlir-dynamic")),
                Bytes::Unknown => skipped.push((op.line, name(), "warning.mlir-type")),
                Bytes::Known(_) if !is_direct => {
                    nested.insert(value);
                    skipped.push((op.line, name(), "warning.mlir-nested"));
                }
                Bytes::Known(bytes) => allocs.push((value, op, step, bytes)),
            },
            _ => {}
        }
    }
    let mut buffers = Vec::new();
    for (value, op, start, bytes) in allocs {
        let same = reach(value, &next);
        let ends: Vec<&(u32, u32)> = released.iter().filter(|(freed, _)| same.contains(freed)).collect();
        let name = op.results.first().map_or("", |(name, _)| name.trim_start_matches('%'));
        if ends.is_empty() {
            return Err(fault(op.line, "fault.mlir-no-dealloc"));
        }
        if ends.iter().any(|(_, step)| *step == u32::MAX) {
            return Err(fault(op.line, "fault.mlir-block"));
        }
        if ends.iter().any(|(freed, _)| reach(*freed, &back).iter().any(|other| nested.contains(other))) {
            skipped.push((op.line, name.to_string(), "warning.mlir-frees-nested"));
            continue;
        }
        let end = ends.iter().map(|(_, step)| *step).max().unwrap_or(start);
        let align = op.attribute("alignment").and_then(whole).filter(|align| align.is_power_of_two()).unwrap_or(1);
        buffers.push(Buffer { align, ..Buffer::of(name, bytes, Live::new(start, end.max(start + 1))) });
    }
    Ok((buffers, code.first().map_or(0, |entry| entry.ops.len()) as u32, skipped))
}

enum Bytes {
    Known(u64),
    Dynamic,
    Unknown,
}

/// The bytes of the type `memref<2x3xf32, layout, space>` in a text.
fn bytes(text: &str) -> Bytes {
    let Some((_, inside)) = text.rsplit_once("memref<") else { return Bytes::Unknown };
    let inside = inside.rsplit_once('>').map_or(inside, |(inside, _)| inside);
    let kind = split(inside)[0].trim();
    let (shape, element) = extents(kind);
    if element.starts_with('?') {
        return Bytes::Dynamic;
    }
    let elements = shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent));
    let all = elements.zip(bits(element)).and_then(|(elements, bits)| elements.checked_mul(bits));
    all.map_or(Bytes::Unknown, |bits| Bytes::Known(bits.div_ceil(8)))
}
