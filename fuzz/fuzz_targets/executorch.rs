//! An ExecuTorch program with any contents behind its identifier.

#![forbid(unsafe_code)]
#![no_main]

#[path = "../target.rs"]
mod target;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 8 {
        bytes[4..8].copy_from_slice(b"ET12");
    }
    target::run(&bytes);
});
