//! Programs of torch.export, archives or bare JSON: a graph or faults, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Answers};
use memplan::problem::{Scope, lifetimes};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = import::read(bytes, Answers::default())
        && let Some(graph) = read.document.graph()
    {
        // Sizes may be open or too large: then there is a reason.
        let _ = lifetimes(graph, &Scope::default());
    }
});
