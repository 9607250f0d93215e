//! Places written into ExecuTorch programs (`.pte`): where each tensor lies, and how large each
//! planned memory is.
//!
//! **From**: pytorch/executorch 1.5.1, `schema/program.fbs`, `schema/extended_header.h` and
//! `exir/memory_planning.py`.
//! **What changes**: numbers, where they stand. A flatbuffer leaves out a number that is 0, so that
//! a tensor at offset 0 has no room for another offset: it gets a new entry behind the flatbuffer,
//! and the segments of data move up by what they are aligned to.

use std::collections::{BTreeMap, BTreeSet};

use crate::bytes::{Bytes, damaged};
use crate::tflm::{ALIGN, Refusal};
use memplan_core::base::{Message, align_up};

/// Fields of the tables, by position.
const PLANS: usize = 1;
const VALUES: usize = 2;
const INPUTS: usize = 3;
const OUTPUTS: usize = 4;
const CHAINS: usize = 5;
const DELEGATES: usize = 7;
const SIZES: usize = 8;
const INSTRUCTIONS: usize = 2;
const ARGUMENTS: usize = 1;
const ITEMS: usize = 0;
const DATA: usize = 5;
const ALLOCATION: usize = 6;
const OFFSET_LOW: usize = 1;
const OFFSET_HIGH: usize = 2;

/// Kinds of a union.
const TENSOR: u8 = 5;
const LISTS: [u8; 2] = [10, 11];
const KERNEL: u8 = 1;
const DELEGATE: u8 = 2;
const MOVE: u8 = 3;
const JUMP: u8 = 4;
const FREE: u8 = 5;

/// A delegate that may read beyond the end of what it is given, and the bytes that each memory has
/// behind the last tensor for it.
const READS_BEYOND: (&[u8], u64) = (b"XnnpackBackend", 64);

/// Positions in the header that may precede a program: its mark, the length of the flatbuffer,
/// where the segments begin.
const MARK: (usize, &[u8]) = (8, b"eh00");
const PROGRAM_SIZE: usize = 16;
const SEGMENT_BASE: usize = 24;

/// Most that segments are aligned to: a page of memory.
const PAGE: u64 = 4096;

/// Bytes of the description of an entry, with what fills it up, and of an entry.
const DESCRIPTION: usize = 12;
const ENTRY: usize = 16;

/// The place of a tensor in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Number of its memory.
    pub memory: u32,
    /// Position of the field of the tensor that leads to the entry.
    field: usize,
    /// Position of the entry.
    entry: usize,
}

/// A program as far as places need it.
pub struct Program<'a> {
    data: Bytes<'a>,
    /// Length of the flatbuffer.
    length: usize,
    has_header: bool,
    /// The place of each tensor, in the order of the values; none if the program states none for
    /// it.
    pub slots: Vec<Option<Slot>>,
    /// Whether a tensor is one of the graph, in the same order: something names it, or it has a
    /// place and contents.
    pub is_used: Vec<bool>,
    /// Bytes that each memory needs behind its last tensor.
    pub behind: u64,
    /// Position and number of the bytes of each memory.
    sizes: (usize, usize),
}

/// Whether a file is a program, by its identifier.
pub fn is_program(data: &[u8]) -> bool {
    data.get(4..6) == Some(b"ET")
}

impl<'a> Program<'a> {
    /// Reads a program of one method.
    ///
    /// # Errors
    /// Damage, or several methods.
    pub fn read(data: &'a [u8]) -> Result<Program<'a>, Refusal> {
        let bytes = Bytes(data);
        let has_header = data.get(MARK.0..).is_some_and(|rest| rest.starts_with(MARK.1));
        let length =
            if has_header { usize::try_from(bytes.u64(PROGRAM_SIZE)?).map_err(|_| damaged())? } else { data.len() };
        let flat = Bytes(data.get(..length).ok_or_else(damaged)?);
        let plans = flat.tables(flat.u32(0)?, PLANS)?;
        let [plan] = plans[..] else { return Err(Message::new("pte.methods").count("n", plans.len())) };
        let named = named(flat, plan)?;
        let (mut slots, mut is_used) = (Vec::new(), Vec::new());
        for (number, value) in flat.tables(plan, VALUES)?.into_iter().enumerate() {
            if flat.u8_of(value, 0)? != TENSOR {
                continue;
            }
            let tensor = flat.target(value, 1)?.ok_or_else(damaged)?;
            let (field, entry) = (flat.field(tensor, ALLOCATION)?, flat.target(tensor, ALLOCATION)?);
            let slot =
                field.zip(entry).map(|(field, entry)| Ok(Slot { memory: flat.u32_of(entry, 0)? as u32, field, entry }));
            let has_contents = entry.is_some() && flat.u32_of(tensor, DATA)? > 0;
            is_used.push(named.contains(&(number as i32)) || has_contents);
            slots.push(slot.transpose()?);
        }
        let mut behind = 0;
        for delegate in flat.tables(plan, DELEGATES)? {
            let (name, bytes) = READS_BEYOND;
            behind = if flat.data(delegate, 0)? == name { bytes } else { behind };
        }
        Ok(Program { data: bytes, length, has_header, slots, is_used, behind, sizes: flat.vector(plan, SIZES, 8)? })
    }

    /// The bytes of a memory.
    ///
    /// # Errors
    /// The program has no memory of this number.
    pub fn size(&self, memory: u32) -> Result<u64, Refusal> {
        self.data.u64(self.size_at(memory)?)
    }

    fn size_at(&self, memory: u32) -> Result<usize, Refusal> {
        let (start, count) = self.sizes;
        let number = usize::try_from(memory).ok().filter(|&number| number < count);
        number.map(|number| start + 8 * number).ok_or_else(damaged)
    }

    /// The file with other places: an offset for each tensor that has a place, and the bytes of
    /// memories.
    ///
    /// # Errors
    /// A tensor that has a place and gets none, or a file of 2 GiB or more.
    pub fn write(&self, offsets: &[Option<u64>], sizes: &BTreeMap<u32, u64>) -> Result<Vec<u8>, Refusal> {
        let mut flat = self.data.0[..self.length].to_vec();
        for (&memory, &size) in sizes {
            put(&mut flat, self.size_at(memory)?, &size.to_le_bytes());
        }
        // Entries that have room, by position: an entry that several tensors share takes one
        // offset.
        let mut taken: BTreeMap<usize, u64> = BTreeMap::new();
        let mut homeless = Vec::new();
        for (slot, offset) in self.slots.iter().zip(offsets) {
            let Some(slot) = slot else { continue };
            let offset = offset.ok_or_else(|| Message::new("pte.unused"))?;
            if self.has_room(slot.entry, offset)? && *taken.entry(slot.entry).or_insert(offset) == offset {
                for (field, half) in [(OFFSET_LOW, offset as u32), (OFFSET_HIGH, (offset >> 32) as u32)] {
                    if let Some(position) = self.data.field(slot.entry, field)? {
                        put(&mut flat, position, &half.to_le_bytes());
                    }
                }
            } else {
                homeless.push((*slot, offset));
            }
        }
        if homeless.is_empty() {
            flat.extend_from_slice(&self.data.0[self.length..]);
            return Ok(flat);
        }
        append(&mut flat, &homeless);
        self.with_segments(flat)
    }

    /// Whether an entry can state an offset: a number that is left out is 0.
    fn has_room(&self, entry: usize, offset: u64) -> Result<bool, Refusal> {
        let low = self.data.field(entry, OFFSET_LOW)?.is_some() || offset as u32 == 0;
        Ok(low && (self.data.field(entry, OFFSET_HIGH)?.is_some() || offset >> 32 == 0))
    }

    /// The file around a flatbuffer that has grown.
    fn with_segments(&self, mut flat: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        if self.has_header {
            let length = flat.len() as u64;
            put(&mut flat, PROGRAM_SIZE, &length.to_le_bytes());
            let base = self.data.u64(SEGMENT_BASE)?;
            let segments = usize::try_from(base).ok().and_then(|base| self.data.0.get(base..)).unwrap_or_default();
            if base > 0 && !segments.is_empty() {
                // What the first segment is aligned to, as far as its position shows.
                let align = (1 << base.trailing_zeros().min(63)).min(PAGE);
                let base = base + align_up(length.saturating_sub(base), align);
                put(&mut flat, SEGMENT_BASE, &base.to_le_bytes());
                flat.resize(usize::try_from(base).map_err(|_| Message::new("pte.large"))?, 0);
                flat.extend_from_slice(segments);
            }
        }
        if flat.len() > i32::MAX as usize { Err(Message::new("pte.large")) } else { Ok(flat) }
    }
}

/// The values that inputs, outputs and instructions name, also in lists.
fn named(flat: Bytes, plan: usize) -> Result<BTreeSet<i32>, Refusal> {
    let mut named: BTreeSet<i32> = flat.ints(plan, INPUTS)?.into_iter().collect();
    named.extend(flat.ints(plan, OUTPUTS)?);
    for chain in flat.tables(plan, CHAINS)? {
        for instruction in flat.tables(chain, INSTRUCTIONS)? {
            let kind = flat.u8_of(instruction, 0)?;
            let call = flat.target(instruction, 1)?.ok_or_else(damaged)?;
            match kind {
                KERNEL | DELEGATE => named.extend(flat.ints(call, ARGUMENTS)?),
                MOVE => named.extend([flat.i32_of(call, 0)?, flat.i32_of(call, 1)?]),
                JUMP | FREE => _ = named.insert(flat.i32_of(call, 0)?),
                _ => {}
            }
        }
    }
    let mut listed = Vec::new();
    for (number, value) in flat.tables(plan, VALUES)?.into_iter().enumerate() {
        if LISTS.contains(&flat.u8_of(value, 0)?) && named.contains(&(number as i32)) {
            listed.extend(flat.ints(flat.target(value, 1)?.ok_or_else(damaged)?, ITEMS)?);
        }
    }
    named.extend(listed);
    Ok(named)
}

/// Appends an entry for each of these tensors, and leads them there.
fn append(flat: &mut Vec<u8>, homeless: &[(Slot, u64)]) {
    flat.resize(align_up(flat.len() as u64, ALIGN) as usize, 0);
    let description = flat.len();
    // Bytes of the description, bytes of an entry, then where in the entry each field lies.
    for number in [10_u16, ENTRY as u16, 4, 8, 12, 0] {
        flat.extend_from_slice(&number.to_le_bytes());
    }
    debug_assert_eq!(flat.len() - description, DESCRIPTION);
    for (slot, offset) in homeless {
        let entry = flat.len();
        flat.extend_from_slice(&((entry - description) as u32).to_le_bytes());
        flat.extend_from_slice(&slot.memory.to_le_bytes());
        flat.extend_from_slice(&offset.to_le_bytes());
        put(flat, slot.field, &((entry - slot.field) as u32).to_le_bytes());
    }
}

/// Replaces bytes at a position that has been read before.
fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &[u8] = include_bytes!("../../../tests/data/executorch/tiny_add_cat.pte");

    #[test]
    fn offsets_that_are_there_are_written_where_they_stand() {
        let program = Program::read(PROGRAM).expect("a program");
        let flat = Bytes(PROGRAM);
        let low = |slot: &Slot| flat.u32_of(slot.entry, OFFSET_LOW).map(|low| low as u64).ok();
        let own: Vec<Option<u64>> = program.slots.iter().map(|slot| slot.as_ref().and_then(low)).collect();
        assert_eq!(own.iter().flatten().sum::<u64>(), 512 + 256 + 768 + 512 + 256 + 256);
        let sizes = BTreeMap::from([(1, program.size(1).expect("a size"))]);
        assert_eq!(program.write(&own, &sizes).expect("written"), PROGRAM);
        assert_eq!(program.write(&vec![None; own.len()], &sizes), Err(Message::new("pte.unused")));
        assert!(program.size(2).is_err());
    }

    #[test]
    fn tensors_that_nothing_names_are_told_apart() {
        let flat = Bytes(PROGRAM);
        let plan = flat.tables(flat.u32(0).expect("a root"), PLANS).expect("plans")[0];
        let program = Program::read(PROGRAM).expect("a program");
        assert!(program.is_used.iter().all(|used| *used));
        assert_eq!((program.is_used.len(), program.behind), (program.slots.len(), 0));
        // As if the second kernel read value 3 twice, and value 2 never.
        let chain = flat.tables(plan, CHAINS).expect("chains")[0];
        let instruction = flat.tables(chain, INSTRUCTIONS).expect("instructions")[1];
        let call = flat.target(instruction, 1).expect("a table").expect("a call");
        let (start, _) = flat.vector(call, ARGUMENTS, 4).expect("arguments");
        let inputs = flat.vector(plan, INPUTS, 4).expect("inputs");
        let mut unused = PROGRAM.to_vec();
        for at in [start + 4, inputs.0 + 4] {
            assert_eq!(flat.i32(at), Ok(2));
            put(&mut unused, at, &3_i32.to_le_bytes());
        }
        let program = Program::read(&unused).expect("a program");
        assert_eq!(program.is_used.iter().position(|used| !used), Some(2));
    }
}
