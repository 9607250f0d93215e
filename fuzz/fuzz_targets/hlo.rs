//! An XLA module with any contents: the bytes as they are, and behind a computation with one
//! instruction, so that nothing is refused at the door.

#![forbid(unsafe_code)]
#![no_main]

#[path = "../target.rs"]
mod target;

use libfuzzer_sys::fuzz_target;

/// A module `m` whose entry computation, of id 1, is the instruction `p` of id 2, a parameter.
const MODULE: &[u8] = b"\x0a\x01m\x1a\x17\x12\x11\x0a\x01p\x12\x09parameter\x98\x02\x02\x28\x01\x30\x02\x30\x01";

fuzz_target!(|bytes: &[u8]| {
    target::run(bytes);
    target::run(&[MODULE, bytes].concat());
});
