//! Graph JSON with shapes, of TVM, NNVM and MXNet: a document or faults, never a panic; what is written again reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export::graph_executor;
use memplan::import::{self, Answers, Document};
use memplan::plan::check;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    if let Document::Planned(graph, problem, plan) = read.document {
        check(&problem, &plan);
        if let Ok(text) = graph_executor(&graph, &problem, &plan) {
            assert!(import::read(text.as_bytes(), Answers::default()).is_ok(), "{text}");
        }
    }
});
