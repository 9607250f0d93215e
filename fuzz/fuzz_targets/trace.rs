//! A memory trace, JSON or not: a document or faults; its plan can be checked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Choices};
use memplan::plan::{check, metrics};

fuzz_target!(|bytes: &[u8]| survive(bytes));

fn survive(bytes: &[u8]) {
    if let Ok(read) = import::read(bytes, Choices::default())
        && let Some((problem, plan)) = read.document.own_plan()
    {
        check(problem, plan);
        metrics(problem, plan);
    }
}
