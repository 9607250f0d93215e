//! Graph JSON of TVM, NNVM and MXNet: a document or faults, never a panic; what is written again reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export::graph_executor;
use memplan::import::{self, Choices, Document};
use memplan::plan::check;

fuzz_target!(|bytes: &[u8]| {
    // The shape of the input of the stored symbol, so that inference is reached.
    let shapes = [("data".to_string(), "1, 3, 16, 16".to_string())].into();
    let Ok(read) = import::read(bytes, Choices { shapes, ..Choices::default() }) else { return };
    if let Document::Planned(graph, problem, plan) = read.document {
        check(&problem, &plan);
        if let Ok(text) = graph_executor(&graph, &problem, &plan) {
            assert!(import::read(text.as_bytes(), Choices::default()).is_ok(), "{text}");
        }
    }
});
