//! Any bytes as a graph file: a graph or faults, never a panic; what is written of it reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export;
use memplan::import::{self, Answers, Document};

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    let Document::Graph(graph) = read.document else { return };
    let text = export::graph(&graph);
    assert!(import::read(text.as_bytes(), Answers::default()).is_ok(), "{text}");
});
