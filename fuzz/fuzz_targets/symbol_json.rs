//! Symbol JSON of MXNet and NNVM: a graph or faults, never a panic, whatever shapes are stated for its inputs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Answers};
use memplan::problem::{Scope, lifetimes};

fuzz_target!(|bytes: &[u8]| {
    // The shape of the input of the stored symbols, so that inference is reached.
    let shapes = [("data".to_string(), "1, 3, 16, 16".to_string())].into();
    if let Ok(read) = import::read(bytes, Answers { shapes, ..Answers::default() })
        && let Some(graph) = read.document.graph()
    {
        let _ = lifetimes(graph, &Scope::default());
    }
});
