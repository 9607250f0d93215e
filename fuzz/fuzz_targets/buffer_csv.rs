//! Any text as a table of buffers: a document or faults, never a panic; what is written of it reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export;
use memplan::import::{self, Answers, Document};

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    let text = match &read.document {
        Document::Buffers(problem) => export::csv(problem, None),
        Document::Plan(problem, plan) => export::csv(problem, Some(plan)),
        Document::Graph(_) | Document::Planned(..) => return,
    };
    assert!(import::read(text.as_bytes(), Answers::default()).is_ok(), "{text}");
});
