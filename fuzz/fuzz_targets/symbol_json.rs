//! Symbol JSON of MXNet and NNVM, with the shape of the input of the stored symbols.

#![forbid(unsafe_code)]
#![no_main]

#[path = "../target.rs"]
mod target;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| target::run(bytes));
