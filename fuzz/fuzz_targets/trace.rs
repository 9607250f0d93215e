//! Any text as the events of a trace: a document or faults; what is read is written and read back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export;
use memplan::import::{self, Choices, Document};

fuzz_target!(|bytes: &[u8]| {
    let file = if bytes.starts_with(b"{") { bytes.to_vec() } else { [b"{\"traceEvents\":[", bytes, b"]}"].concat() };
    let Ok(read) = import::read(&file, Choices::default()) else { return };
    if let Document::Plan(problem, plan) = read.document {
        let again = import::read(export::trace(&problem, Some(&plan)).as_bytes(), Choices::default());
        let Ok(Document::Plan(_, same)) = again.map(|read| read.document) else { panic!("not read back") };
        assert_eq!(same.places, plan.places);
    }
});
