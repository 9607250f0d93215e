//! Any text as the events of a trace: a document or faults; a plan that is read can be checked, and what is written of it is read
//! back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export;
use memplan::import::{self, Answers, Document};
use memplan::plan::{check, metrics};

fuzz_target!(|bytes: &[u8]| survive(bytes));

fn survive(bytes: &[u8]) {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    let Document::Plan(problem, plan) = read.document else { return };
    check(&problem, &plan);
    metrics(&problem, &plan);
    let again = import::read(export::trace(&problem, Some(&plan)).as_bytes(), Answers::default());
    let Ok(Document::Plan(_, same)) = again.map(|read| read.document) else { panic!("not read back") };
    assert_eq!(same.places, plan.places);
}
