//! The messages of `hlo.proto` and `xla_data.proto` (openxla/xla 5a9e73c) cut down to the fields
//! that are read; all others are skipped, whatever their wire type. What is read may not take more
//! memory than is usual for files of its size: two bytes of a file can be a message of a hundred.

use crate::import::protobuf::{Broken, Fields, Payload};
use memplan_core::base::Message as Sentence;

/// Most bytes that the messages of any file may take in memory.
const MAX_BYTES: usize = 1 << 30;

/// Bytes in memory that the messages of an empty file may take, and more for each byte of a file:
/// dumps of XLA take four to seven.
const FREE_BYTES: usize = 64 << 20;
const BYTES_EACH: usize = 12;

/// Deepest nesting of messages; tuples of tuples are the only ones that go deep.
const MAX_DEPTH: u32 = 100;

/// Why a message cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The file ends inside this message.
    Cut(&'static str),
    /// A field of this message has another wire type, or its bytes are no text.
    Damaged(&'static str),
    /// The messages take too much memory.
    TooMany,
    /// Messages are nested too deep.
    TooDeep,
}

impl Refusal {
    /// The sentence with a remedy.
    pub fn message(&self) -> Sentence {
        match self {
            Refusal::Cut(name) => Sentence::new("fault.hlo-cut").text("message", *name),
            Refusal::Damaged(name) => Sentence::new("fault.hlo-damaged").text("message", *name),
            Refusal::TooMany => Sentence::new("fault.hlo-too-many"),
            Refusal::TooDeep => Sentence::new("fault.hlo-too-deep").count("limit", MAX_DEPTH),
        }
    }
}

/// A message that can be read field by field.
pub trait Message: Default {
    /// Name in the schema.
    const NAME: &'static str;

    /// Takes a field; unknown ones are skipped.
    fn take(&mut self, tag: u32, payload: Payload, budget: &mut Budget) -> Result<(), Refusal>;
}

/// What may still be read of a file.
pub struct Budget {
    bytes: usize,
    depth: u32,
}

impl Budget {
    fn spend(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Refusal::TooMany)?;
        Ok(())
    }

    fn message<M: Message>(&mut self, bytes: &[u8]) -> Result<M, Refusal> {
        self.spend(size_of::<M>())?;
        self.depth = self.depth.checked_sub(1).ok_or(Refusal::TooDeep)?;
        let mut message = M::default();
        for field in (Fields { rest: bytes }) {
            let (tag, payload) = field.map_err(|broken| match broken {
                Broken::Cut { .. } => Refusal::Cut(M::NAME),
                Broken::Damaged => Refusal::Damaged(M::NAME),
            })?;
            message.take(tag, payload, self)?;
        }
        self.depth += 1;
        Ok(message)
    }
}

/// Reads a whole file as one message.
///
/// # Errors
/// What is wrong with it.
pub fn read<M: Message>(bytes: &[u8]) -> Result<M, Refusal> {
    let most = bytes.len().saturating_mul(BYTES_EACH).saturating_add(FREE_BYTES).min(MAX_BYTES);
    Budget { bytes: most, depth: MAX_DEPTH }.message(bytes)
}

/// A field of a message.
trait Field {
    fn fill(&mut self, payload: Payload, name: &'static str, budget: &mut Budget) -> Result<(), Refusal>;
}

/// All integers are 64 bits wide; a negative one takes ten bytes.
impl Field for i64 {
    fn fill(&mut self, payload: Payload, name: &'static str, _: &mut Budget) -> Result<(), Refusal> {
        let Payload::Number(number) = payload else { return Err(Refusal::Damaged(name)) };
        *self = number.cast_signed();
        Ok(())
    }
}

impl Field for bool {
    fn fill(&mut self, payload: Payload, name: &'static str, _: &mut Budget) -> Result<(), Refusal> {
        let Payload::Number(number) = payload else { return Err(Refusal::Damaged(name)) };
        *self = number != 0;
        Ok(())
    }
}

impl Field for String {
    fn fill(&mut self, payload: Payload, name: &'static str, _: &mut Budget) -> Result<(), Refusal> {
        let Payload::Bytes(bytes) = payload else { return Err(Refusal::Damaged(name)) };
        *self = std::str::from_utf8(bytes).map_err(|_| Refusal::Damaged(name))?.to_string();
        Ok(())
    }
}

impl Field for Vec<String> {
    fn fill(&mut self, payload: Payload, name: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        let mut text = String::new();
        text.fill(payload, name, budget)?;
        budget.spend(size_of::<String>())?;
        self.push(text);
        Ok(())
    }
}

/// Packed or one by one.
impl Field for Vec<i64> {
    fn fill(&mut self, payload: Payload, name: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        match payload {
            Payload::Number(number) => {
                budget.spend(size_of::<i64>())?;
                self.push(number.cast_signed());
            }
            Payload::Bytes(bytes) => {
                budget.spend(bytes.len() * size_of::<i64>())?;
                let mut numbers = Fields { rest: bytes };
                while !numbers.rest.is_empty() {
                    self.push(numbers.varint().ok_or(Refusal::Damaged(name))?.cast_signed());
                }
            }
            Payload::Fixed => return Err(Refusal::Damaged(name)),
        }
        Ok(())
    }
}

impl<M: Message> Field for Option<M> {
    fn fill(&mut self, payload: Payload, name: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        let Payload::Bytes(bytes) = payload else { return Err(Refusal::Damaged(name)) };
        *self = Some(budget.message(bytes)?);
        Ok(())
    }
}

impl<M: Message> Field for Vec<M> {
    fn fill(&mut self, payload: Payload, name: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        let Payload::Bytes(bytes) = payload else { return Err(Refusal::Damaged(name)) };
        self.push(budget.message(bytes)?);
        Ok(())
    }
}

/// Declares messages: the number, name and type of each field that is read.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident { $($tag:literal $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Debug, Default)]
            pub struct $name {
                $(pub $field: $type,)*
            }

            impl Message for $name {
                const NAME: &'static str = stringify!($name);

                fn take(&mut self, tag: u32, payload: Payload, budget: &mut Budget) -> Result<(), Refusal> {
                    match tag {
                        $($tag => self.$field.fill(payload, Self::NAME, budget),)*
                        _ => Ok(()),
                    }
                }
            }
        )*
    };
}

messages! {
    HloProto {
        1 module: Option<HloModuleProto>,
        3 assignment: Option<BufferAssignmentProto>,
    }
    HloModuleProto {
        1 name: String,
        3 computations: Vec<HloComputationProto>,
        6 entry_id: i64,
        7 schedule: Option<HloScheduleProto>,
        8 alias: Option<HloInputOutputAliasProto>,
        17 stack: Option<StackFrameIndexProto>,
        18 donors: Option<HloBufferDonorProto>,
    }
    HloComputationProto {
        1 name: String,
        2 instructions: Vec<HloInstructionProto>,
        5 id: i64,
        6 root_id: i64,
        7 is_fusion: bool,
    }
    HloInstructionProto {
        1 name: String,
        2 opcode: String,
        3 shape: Option<ShapeProto>,
        7 metadata: Option<OpMetadata>,
        9 parameter_number: i64,
        11 fusion_kind: String,
        13 tuple_index: i64,
        28 custom_call_target: String,
        35 id: i64,
        36 operand_ids: Vec<i64>,
        38 called_ids: Vec<i64>,
    }
    ShapeProto {
        2 element_type: i64,
        3 dimensions: Vec<i64>,
        4 tuple_shapes: Vec<ShapeProto>,
        5 layout: Option<LayoutProto>,
    }
    LayoutProto {
        7 element_bits: i64,
        8 memory_space: i64,
    }
    OpMetadata {
        2 op_name: String,
        3 source_file: String,
        4 source_line: i64,
        15 frame: i64,
    }
    HloScheduleProto {
        1 sequences: Vec<SequenceEntry>,
    }
    SequenceEntry {
        1 computation: i64,
        2 sequence: Option<InstructionSequence>,
    }
    InstructionSequence {
        1 ids: Vec<i64>,
    }
    HloInputOutputAliasProto {
        1 entries: Vec<AliasEntry>,
    }
    AliasEntry {
        2 parameter: i64,
        3 index: Vec<i64>,
    }
    HloBufferDonorProto {
        1 entries: Vec<DonorEntry>,
    }
    DonorEntry {
        1 parameter: i64,
        2 index: Vec<i64>,
    }
    /// Ids count from 1; 0 is none.
    StackFrameIndexProto {
        1 files: Vec<String>,
        3 locations: Vec<FileLocation>,
        4 frames: Vec<StackFrame>,
    }
    FileLocation {
        1 file: i64,
        3 line: i64,
    }
    StackFrame {
        1 location: i64,
    }
    BufferAssignmentProto {
        1 buffers: Vec<LogicalBufferProto>,
        2 aliases: Vec<BufferAlias>,
        3 allocations: Vec<BufferAllocationProto>,
        4 traces: Vec<HeapSimulatorTrace>,
    }
    LogicalBufferProto {
        1 id: i64,
        2 size: i64,
        3 defined_at: Option<Location>,
        4 color: i64,
    }
    Location {
        3 index: Vec<i64>,
        4 instruction: i64,
    }
    BufferAlias {
        1 buffer: i64,
        2 at: Option<Location>,
    }
    BufferAllocationProto {
        1 index: i64,
        2 size: i64,
        3 is_thread_local: bool,
        5 is_parameter: bool,
        6 parameter: i64,
        7 is_live_out: bool,
        8 color: i64,
        9 assigned: Vec<Assigned>,
        10 parameter_index: Vec<i64>,
        11 is_tuple: bool,
        12 is_constant: bool,
        13 is_aliased: bool,
    }
    Assigned {
        1 buffer: i64,
        2 offset: i64,
        3 size: i64,
    }
    HeapSimulatorTrace {
        1 events: Vec<TraceEvent>,
    }
    /// Kind 0 allocates, 1 frees, 2 shares the place of another buffer.
    TraceEvent {
        1 kind: i64,
        2 buffer: i64,
        5 with: i64,
    }
}

/// Whether bytes hold a module with an operator: as the field 1 of an `HloProto`, or bare. A file
/// that breaks off counts.
pub fn holds_module(bytes: &[u8]) -> bool {
    // Field 1 is the module or its name; other formats of this encoding begin with a number there.
    let first = Fields { rest: bytes }.find_map(|field| match field {
        Ok((1, payload)) => Some(matches!(payload, Payload::Bytes(_))),
        Err(Broken::Cut { tag, .. }) => Some(tag == 1),
        _ => None,
    });
    if first != Some(true) {
        return false;
    }
    let has_operator = |instruction: &[u8]| {
        let is_opcode = |name: &[u8]| {
            !name.is_empty() && name.iter().all(|letter| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        };
        parts(instruction, 2).any(is_opcode)
    };
    let has_computation = |module: &[u8]| parts(module, 3).any(|computation| parts(computation, 2).any(has_operator));
    has_computation(bytes) || parts(bytes, 1).any(has_computation)
}

/// The parts of a message with a tag, also one that the file breaks off in.
fn parts(bytes: &[u8], wanted: u32) -> impl Iterator<Item = &[u8]> {
    Fields { rest: bytes }.filter_map(move |field| match field {
        Ok((tag, Payload::Bytes(part))) if tag == wanted => Some(part),
        Err(Broken::Cut { tag, left, .. }) if tag == wanted => Some(left),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_skipped_and_lists_may_be_packed_or_not() {
        // Unknown: 99 as a number, 50 of 8 bytes, 51 of 4, 52 with a length; then operands 5 and 6
        // packed, 7 alone.
        let file = [
            &[0x98, 0x06, 1][..],
            &[0x91, 0x03, 1, 2, 3, 4, 5, 6, 7, 8],
            &[0x9d, 0x03, 1, 2, 3, 4],
            &[0xa2, 0x03, 2, 9, 9],
            &[0xa2, 0x02, 2, 5, 6],
            &[0xa0, 0x02, 7],
        ]
        .concat();
        let read: HloInstructionProto = read(&file).expect("readable");
        assert_eq!(read.operand_ids, [5, 6, 7]);
    }

    #[test]
    fn refusals_name_the_message() {
        assert_eq!(read::<HloModuleProto>(&[0x0a, 9, b'x']), Err(Refusal::Cut("HloModuleProto")));
        // A name as a number.
        assert_eq!(read::<HloModuleProto>(&[0x08, 9]), Err(Refusal::Damaged("HloModuleProto")));
        assert_eq!(read::<HloModuleProto>(&[0x0a, 1, 0xff]), Err(Refusal::Damaged("HloModuleProto")));
        let mut deep = Vec::new();
        for _ in 0..200 {
            let mut outer = vec![0x22];
            let mut length = deep.len();
            while length > 127 {
                outer.push(length as u8 | 128);
                length >>= 7;
            }
            outer.push(length as u8);
            outer.extend(deep);
            deep = outer;
        }
        assert_eq!(read::<ShapeProto>(&deep), Err(Refusal::TooDeep));
        let empty: Vec<u8> = [0x22, 0].repeat(MAX_BYTES / size_of::<ShapeProto>() + 1);
        assert_eq!(read::<ShapeProto>(&empty), Err(Refusal::TooMany));
    }

    #[test]
    fn a_negative_number_has_ten_bytes() {
        let number = [&[0x10][..], &[0xff; 9], &[1]].concat();
        assert_eq!(read::<LogicalBufferProto>(&number).map(|buffer| buffer.size), Ok(-1));
    }
}
