//! Any bytes after the head of a pickle: a plan that can be checked, or faults; nothing panics and nothing runs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Answers, Document};
use memplan::plan::check;

fuzz_target!(|bytes: &[u8]| {
    let file = if bytes.starts_with(b"\x80") { bytes.to_vec() } else { [b"\x80\x04", bytes].concat() };
    if let Ok(read) = import::read(&file, Answers::default()) {
        let Document::Plan(problem, plan) = read.document else { return };
        check(&problem, &plan);
    }
});
