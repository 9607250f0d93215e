//! Any bytes after the head of a pickle; nothing in it runs.

#![forbid(unsafe_code)]
#![no_main]

#[path = "../target.rs"]
mod target;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = if bytes.starts_with(b"\x80") { bytes.to_vec() } else { [b"\x80\x04", bytes].concat() };
    target::run(&file);
});
