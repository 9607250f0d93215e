//! IREE's `stream.resource.pack`: slices of one allocation with their times and sizes.

use std::collections::BTreeMap;

use super::text::{Op, parse, whole};
use super::{all, is_mlir, problem};
use crate::import::answers::Answers;
use crate::import::build::{Builder, Slot};
use crate::import::content::Content;
use crate::import::document::{Document, Parsed};
use memplan_core::base::Message;
use memplan_core::graph::{Dtype, Fault, Kind, RawDim, RawSymbol};
use memplan_core::problem::{Buffer, Live};

const PACK: &str = "stream.resource.pack";

/// Largest time of a slice that is read.
const MAX_TIME: u64 = 1 << 20;

/// Whether a file is text with a pack.
pub fn sniff(content: &Content) -> bool {
    is_mlir(content, &[PACK])
}

/// A slice: first and last time, both included, and what its size is called.
struct Slice<'t> {
    first: u32,
    last: u32,
    size: &'t str,
}

/// Reads the pack with the most slices.
///
/// # Errors
/// Files without a slice, and lines of a pack that are no slices.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let module = parse(content.text().unwrap_or_default())?;
    let packs = all(&module.ops, PACK);
    let mut best: Option<(&Op, Vec<Slice>)> = None;
    for pack in &packs {
        let slices = slices(pack)?;
        if !slices.is_empty() && best.as_ref().is_none_or(|(_, other)| slices.len() > other.len()) {
            best = Some((*pack, slices));
        }
    }
    let Some((pack, slices)) = best else {
        return Err(vec![Fault::new("", Message::new("fault.pack-nothing"))]);
    };
    let mut facts = Vec::new();
    if packs.len() > 1 {
        facts.push(Message::new("fact.pack-others").count("line", pack.line).count("n", packs.len() as u64 - 1));
    }
    let constants: BTreeMap<&str, u64> = all(&module.ops, "arith.constant").into_iter().filter_map(constant).collect();
    let steps = slices.iter().map(|slice| slice.last + 1).max().unwrap_or(1);
    if slices.iter().all(|slice| constants.contains_key(slice.size)) {
        let buffer = |(number, slice): (usize, &Slice)| {
            Buffer::of(format!("slice {number}"), constants[slice.size], Live::new(slice.first, slice.last + 1))
        };
        let buffers = slices.iter().enumerate().map(buffer).collect();
        let document = Document::Buffers(problem("pack", "device", steps, buffers)?);
        return Ok(Parsed { facts, ..Parsed::plain(document) });
    }
    // Sizes that are not known are symbols, and only graphs have these.
    let mut builder = Builder::new("pack");
    let mut made: Vec<Vec<Slot>> = vec![Vec::new(); steps as usize];
    let mut read = made.clone();
    for (number, slice) in slices.iter().enumerate() {
        let name = slice.size.trim_start_matches('%').replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        let extent = match constants.get(slice.size) {
            Some(&bytes) => RawDim::Fixed(bytes),
            None => {
                let name = format!("n_{name}");
                builder.symbol(&name, RawSymbol { hint: Some(HINT), ..RawSymbol::default() });
                RawDim::Text(name)
            }
        };
        let slot = builder.tensor(&format!("slice {number}"), Dtype::UInt8, vec![extent], Kind::Intermediate);
        made[slice.first as usize].push(slot);
        if slice.last > slice.first {
            read[slice.last as usize].push(slot);
        }
    }
    for (made, read) in made.iter().zip(&read) {
        builder.node("", "dispatch", read, made);
    }
    let mut built = builder.finish(answers)?;
    // A slice of one time is made and read by the same dispatch.
    built.warnings.retain(|warning| warning.message.key != "warning.never-read");
    facts.push(Message::new("fact.pack-symbols").bytes("size", HINT));
    let document = Document::Graph(built.graph);
    Ok(Parsed { facts, warnings: built.warnings, questions: built.questions, ..Parsed::plain(document) })
}

/// Bytes that stand in for a size that is not known.
const HINT: u64 = 1024;

/// Name and value of a whole constant.
fn constant<'t>(op: &Op<'t>) -> Option<(&'t str, u64)> {
    let value = whole(op.head.split(':').next()?)?;
    Some((op.results.first()?.0, value))
}

/// The slices `[first, last] = %size` of a pack.
fn slices<'t>(pack: &Op<'t>) -> Result<Vec<Slice<'t>>, Vec<Fault>> {
    let fault = || vec![Fault::new(format!("line {}", pack.line), Message::new("fault.pack-slice"))];
    let Some((_, list)) = pack.head.split_once("slices({") else { return Ok(Vec::new()) };
    let list = list.split('}').next().unwrap_or_default();
    let mut found = Vec::new();
    for text in list.split('[').skip(1) {
        let (times, size) = text.split_once(']').ok_or_else(fault)?;
        let (first, last) = times.split_once(',').ok_or_else(fault)?;
        let time = |text: &str| whole(text).filter(|&time| time < MAX_TIME).map(|time| time as u32);
        let (first, last) = time(first).zip(time(last)).filter(|(first, last)| first <= last).ok_or_else(fault)?;
        let size = size.split_once('=').ok_or_else(fault)?.1.trim().trim_end_matches(',').trim_end();
        if !size.starts_with('%') {
            return Err(fault());
        }
        found.push(Slice { first, last, size });
    }
    Ok(found)
}
