//! Functions with `memref.alloc` and `memref.dealloc`: the buffers that MLIR's static memory
//! planner places, with their lives in operations of the entry block.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::code::{CodeOp, flows};
use super::kernel::{CodeReader, bits, extents, resolved, split, symbol};
use super::text::{Module, Op, arguments, parse, whole};
use super::{DUMP, all, is_mlir, problem};
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

const DEALLOC: &str = "memref.dealloc";

/// Operations besides views of which it is known what they hand on: the flow between values has
/// it, or they hand no buffer on that the pass would follow.
const KNOWN: [&str; 15] = [
    ALLOC,
    "memref.alloca",
    "memref.alloca_scope",
    "memref.distinct_objects",
    "memref.load",
    "memref.realloc",
    "affine.for",
    "affine.if",
    "arith.select",
    "bufferization.clone",
    "scf.execute_region",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
];

/// Whether a file is text with a function that allocates.
pub fn sniff(content: &Content) -> bool {
    is_mlir(content, &[ALLOC]) && !content.start().contains("ttg.") && !content.start().contains("stream.resource.pack")
}

/// Reads the first function that allocates. Of a dump of several passes, the last version of each
/// function counts that allocates and releases.
///
/// # Errors
/// What stops MLIR's pass, too: allocations without a release, or one in another block; functions
/// without any.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    let module = parse(content.text().unwrap_or_default())?;
    let has = |op: &Op, name: &str| !all(std::slice::from_ref(op), name).is_empty();
    let functions = all(&module.ops, "func.func");
    let mut found: Vec<&Op> = functions.into_iter().filter(|op| has(op, ALLOC)).collect();
    if content.start().contains(DUMP) {
        let mut versions: Vec<(&Op, bool)> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for op in found {
            let at = *known.entry(name_of(op)).or_insert(versions.len());
            let version = (op, has(op, DEALLOC));
            match versions.get_mut(at) {
                Some((_, true)) if !version.1 => {}
                Some(other) => *other = version,
                None => versions.push(version),
            }
        }
        found = versions.into_iter().map(|(op, _)| op).collect();
    }
    let Some(function) = found.first() else {
        return Err(vec![Fault::new("", Message::new("fault.mlir-nothing"))]);
    };
    let name = name_of(function);
    let (buffers, steps, warnings) = candidates(function, &module)?;
    let mut facts = Vec::new();
    if found.len() > 1 {
        facts.push(Message::new("fact.mlir-function").text("name", name).count("n", found.len() as u64 - 1));
    }
    let document = Document::Buffers(problem(name, "cpu", steps, buffers)?);
    Ok(Parsed { facts, warnings, ..Parsed::plain(document) })
}

/// The name of a function in either form of the text.
fn name_of<'t>(function: &Op<'t>) -> &'t str {
    let of_attribute = || function.attribute("sym_name").map(|name| name.trim_matches('"'));
    symbol(function.head).or_else(of_attribute).unwrap_or_default()
}

/// The buffers of a function, the operations of its entry block, and warnings about allocations
/// that are left alone or stop the pass.
fn candidates(function: &Op, module: &Module) -> Result<(Vec<Buffer>, u32, Vec<Fault>), Vec<Fault>> {
    let fault = |line: u32, key: &'static str| vec![Fault::new(format!("line {line}"), Message::new(key))];
    let warning = |op: &Op, key: &'static str| {
        let name = op.results.first().map_or("", |(name, _)| name.trim_start_matches('%'));
        Fault::new(format!("line {}", op.line), Message::new(key).name("name", name))
    };
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
    let mut warnings: Vec<Fault> = Vec::new();
    for (op, &(flow, step, is_direct)) in reader.ops.iter().zip(&listed) {
        let Some(op) = *op else { continue };
        match (op.name, flow.ins.first().copied().flatten(), flow.outs.first().copied().flatten()) {
            (DEALLOC, Some(value), _) => released.push((value, step)),
            (ALLOC, _, Some(value)) => {
                let kind = kind_of(op.head).unwrap_or_default();
                match bytes(kind) {
                    Bytes::Dynamic => warnings.push(warning(op, "warning.mlir-dynamic")),
                    Bytes::Unknown => {
                        let mut unknown = warning(op, "warning.mlir-type");
                        unknown.message = unknown.message.text("type", if kind.is_empty() { op.head } else { kind });
                        warnings.push(unknown);
                    }
                    Bytes::Known(_) if !is_direct => {
                        nested.insert(value);
                        warnings.push(warning(op, "warning.mlir-nested"));
                    }
                    Bytes::Known(bytes) => {
                        warnings.extend(stops(kind, module).map(|key| warning(op, key)));
                        allocs.push((value, op, step, bytes));
                    }
                }
            }
            _ => {}
        }
    }
    let mut buffers = Vec::new();
    for (value, op, start, bytes) in allocs {
        let same = reach(value, &next);
        let ends: Vec<&(u32, u32)> = released.iter().filter(|(freed, _)| same.contains(freed)).collect();
        let name = op.results.first().map_or("", |(name, _)| name.trim_start_matches('%'));
        if ends.is_empty() {
            let through = behind(value, &next, &reader.ops, &listed, &released);
            return Err(through.map_or_else(
                || fault(op.line, "fault.mlir-no-dealloc"),
                |other| {
                    let message = Message::new("fault.mlir-unknown").text("op", other.name).count("line", other.line);
                    vec![Fault::new(format!("line {}", op.line), message)]
                },
            ));
        }
        if ends.iter().any(|(_, step)| *step == u32::MAX) {
            return Err(fault(op.line, "fault.mlir-block"));
        }
        if ends.iter().any(|(freed, _)| reach(*freed, &back).iter().any(|other| nested.contains(other))) {
            warnings.push(warning(op, "warning.mlir-frees-nested"));
            continue;
        }
        let end = ends.iter().map(|(_, step)| *step).max().unwrap_or(start);
        let align = op.attribute("alignment").and_then(whole).filter(|align| align.is_power_of_two()).unwrap_or(1);
        buffers.push(Buffer { align, ..Buffer::of(name, bytes, Live::new(start, end.max(start + 1))) });
    }
    Ok((buffers, code.first().map_or(0, |entry| entry.ops.len()) as u32, warnings))
}

/// Whether an operation may return a buffer that it is given, without anything known about it.
fn is_unknown(op: &Op) -> bool {
    let is_known = KNOWN.contains(&op.name) || VIEWS.contains(&op.name);
    // What stands behind the operands; of an operation with regions, behind the last one.
    !is_known && [op.head, op.tail()].iter().any(|text| text.contains("memref<") || text.contains("tensor<"))
}

/// The first operation that is not known on the way from a value to a release.
fn behind<'m, 't>(
    value: u32,
    next: &BTreeMap<u32, Vec<u32>>,
    ops: &[Option<&'m Op<'t>>],
    listed: &[(&CodeOp, u32, bool)],
    released: &[(u32, u32)],
) -> Option<&'m Op<'t>> {
    let released: BTreeSet<u32> = released.iter().map(|&(freed, _)| freed).collect();
    let unknown = ops.iter().zip(listed).filter_map(|(op, (code, ..))| Some((op.filter(|op| is_unknown(op))?, code)));
    // Those that each value goes into, or into the end of a region of which.
    let mut into: BTreeMap<u32, Vec<(&'m Op<'t>, &CodeOp)>> = BTreeMap::new();
    for (op, code) in unknown {
        let last = code.regions.iter().flatten().filter_map(|block| block.ops.last());
        for &from in code.ins.iter().chain(last.flat_map(|op| &op.ins)).flatten() {
            into.entry(from).or_default().push((op, code));
        }
    }
    let mut seen = BTreeSet::from([value]);
    let mut waiting: VecDeque<(u32, Option<&'m Op<'t>>)> = [(value, None)].into();
    while let Some((value, through)) = waiting.pop_front() {
        if through.is_some() && released.contains(&value) {
            return through;
        }
        for (op, code) in into.remove(&value).unwrap_or_default() {
            // Once the first result is reached, all are.
            let mut outs = code.outs.iter().flatten().peekable();
            if outs.peek().is_some_and(|to| seen.contains(*to)) {
                continue;
            }
            let outs = outs.filter(|&&to| seen.insert(to));
            waiting.extend(outs.map(|&to| (to, through.or(Some(op)))));
        }
        let known = next.get(&value).into_iter().flatten().filter(|&&to| seen.insert(to));
        waiting.extend(known.map(|&to| (to, through)));
    }
    None
}

enum Bytes {
    Known(u64),
    Dynamic,
    Unknown,
}

/// The type that an allocation ends with: `memref<2x3xf32, layout, space>`.
fn kind_of(text: &str) -> Option<&str> {
    const BEGIN: &str = "memref<";
    let mut from = text.rfind(BEGIN)?;
    // One inside of another begins further left.
    while text[..from].ends_with(['x', '<']) {
        from = text[..from].rfind(BEGIN)?;
    }
    let mut depth = 0;
    let mut before = ' ';
    let end = text[from..].find(|letter| {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' && before != '=' => depth -= 1,
            _ => {}
        }
        let closes = letter == '>' && depth == 0;
        before = letter;
        closes
    })?;
    Some(&text[from..=from + end])
}

/// The parts of a type `memref<2x3xf32, layout, space>`.
fn parts(kind: &str) -> Vec<&str> {
    let inside = kind.strip_prefix("memref<").and_then(|kind| kind.strip_suffix('>')).unwrap_or(kind);
    split(inside).into_iter().map(str::trim).collect()
}

/// Key of the warning about a type at which the pass stops: it makes a view of an arena of bytes,
/// and such a view has neither a layout nor another memory.
fn stops(kind: &str, module: &Module) -> Option<&'static str> {
    let parts = parts(kind);
    for part in &parts[1..] {
        let part = resolved(part, module).unwrap_or(part);
        let is_layout = part.starts_with("affine_map<") || part.starts_with("strided<");
        if is_layout && !is_identity(part) {
            return Some("warning.mlir-layout");
        }
        let is_usual = part.split(':').next().is_some_and(|number| number.trim() == "0");
        if !is_layout && !is_usual {
            return Some("warning.mlir-space");
        }
    }
    None
}

/// Whether a layout is that of a type without one. MLIR takes `strided<[4, 1]>` for another, even
/// of four columns.
fn is_identity(layout: &str) -> bool {
    let plain: String = layout.chars().filter(|letter| !letter.is_whitespace()).collect();
    let map = plain.strip_prefix("affine_map<").and_then(|map| map.strip_suffix('>')?.split_once("->"));
    map.is_some_and(|(from, to)| from == to) || plain == "strided<[1]>" || plain == "strided<[1],offset:0>"
}

/// The bytes of a type.
fn bytes(kind: &str) -> Bytes {
    let parts = parts(kind);
    let (shape, element) = extents(parts[0]);
    if element.starts_with('?') {
        return Bytes::Dynamic;
    }
    let elements = shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent));
    let all = elements.zip(bits(element)).and_then(|(elements, bits)| elements.checked_mul(bits));
    all.map_or(Bytes::Unknown, |bits| Bytes::Known(bits.div_ceil(8)))
}
