//! The messages of `hlo.proto` and `xla_data.proto` (openxla/xla 5a9e73c) cut down to the fields
//! that are read; all others are skipped, whatever their wire type. All integers are read as 64
//! bits wide.

use crate::import::protobuf::{Broken, Fields, MAX_DEPTH, Payload, Refusal, messages};
use memplan_core::base::Message as Sentence;

/// The sentence with a remedy.
pub fn message(refusal: &Refusal) -> Sentence {
    match refusal {
        Refusal::Cut(name) => Sentence::new("fault.hlo-cut").text("message", *name),
        Refusal::Damaged(name) => Sentence::new("fault.hlo-damaged").text("message", *name),
        Refusal::TooMany => Sentence::new("fault.hlo-too-many"),
        Refusal::TooDeep => Sentence::new("fault.hlo-too-deep").count("limit", MAX_DEPTH),
    }
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
        2 functions: Vec<String>,
        3 locations: Vec<FileLocation>,
        4 frames: Vec<StackFrame>,
    }
    FileLocation {
        1 file: i64,
        2 function: i64,
        3 line: i64,
    }
    StackFrame {
        1 location: i64,
        2 parent: i64,
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
    use crate::import::protobuf::{MAX_BYTES, read};

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
